//! Rules for Rust source beyond the compiler and clippy: each is a function that returns its breaches.

use std::collections::BTreeSet;

use crate::source::{File, Source};

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// The file, as named by exceptions.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The offending text.
    pub what: String,
}

pub fn breach(path: &str, line: usize, what: impl Into<String>) -> Breach {
    Breach { path: path.to_owned(), line, what: what.into() }
}

/// A breach for each product line that contains one of `codes`.
fn naming(source: &Source, codes: &[&str]) -> Vec<Breach> {
    let found = codes.iter().flat_map(|code| source.lines_with(code).into_iter().map(move |line| (line, code)));
    found.map(|(line, code)| breach(&source.path, line, format!("`{}`", code.trim_end_matches('*')))).collect()
}

/// SQL is allowed here: in the files that store a capability's records, and in their common parts.
fn is_store(source: &Source) -> bool {
    let inside = source.path.strip_prefix("src/").unwrap_or_default();
    inside.starts_with("db/") || inside.ends_with("/store.rs") || inside.contains("/store/")
}

pub fn api_knows_no_store(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["src/api/"]) {
        return Vec::new();
    }
    naming(source, &["store", "Battle", "Event", "Entry"])
}

pub fn only_the_api_knows_http(source: &Source) -> Vec<Breach> {
    let root = ["src/api/", "src/main.rs", "src/serve.rs", "src/config.rs", "src/config/"];
    if !source.is_in(&["src/", "crates/"]) || source.is_in(&root) {
        return Vec::new();
    }
    naming(source, &["actix*"])
}

pub fn only_stores_know_sql(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["src/", "crates/"]) || is_store(source) {
        return Vec::new();
    }
    naming(source, &["diesel*"])
}

pub fn pure_crates_are_pure(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["crates/rules/src/", "crates/contests/src/"]) {
        return Vec::new();
    }
    let outside = ["std::env", "std::fs", "std::io", "std::net", "std::process", "std::thread", "std::time", "tokio"];
    naming(source, &[&outside[..], &["async", "HashMap", "HashSet"]].concat())
}

/// The ids of all variants, from the golden games: there is one for each.
pub fn variant_ids(tree: &[File]) -> BTreeSet<String> {
    let games = tree.iter().filter(|file| file.path.starts_with("crates/rules/games/"));
    let ids = games.filter_map(|game| game.text.lines().find_map(|line| line.strip_prefix("variant ")));
    ids.map(|id| id.trim().to_owned()).collect()
}

pub fn variants_are_data(source: &Source, ids: &BTreeSet<String>) -> Vec<Breach> {
    let families = ["crates/rules/src/families/"];
    if !source.is_in(&["src/", "crates/rules/src/", "crates/contests/src/"]) || source.is_in(&families) {
        return Vec::new();
    }
    let names = |literal: &str| ids.iter().any(|id| literal.replace('\\', "").contains(&format!("\"{id}\"")));
    let naming = source.tokens.iter().filter(|token| !token.test && token.text.contains('"') && names(&token.text));
    naming.map(|token| breach(&source.path, token.line, token.text.as_str())).collect()
}

/// Files of the rules crate whose types hold the whole truth of a match.
fn holds_secrets(path: &str) -> bool {
    let Some(file) = path.strip_prefix("crates/rules/src/") else { return false };
    matches!(file.rsplit('/').next(), Some("battle.rs" | "event.rs" | "table.rs" | "state.rs"))
}

pub fn secrets_have_no_way_out(source: &Source) -> Vec<Breach> {
    const WAYS: [&str; 4] = ["Serialize", "ToSchema", "Display", "ToString"];
    const SECRETS: [&str; 4] = ["Battle", "Event", "TableEvent", "Entry"];
    if holds_secrets(&source.path) {
        return naming(source, &WAYS);
    }
    let mut breaches = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        if token.test || !WAYS.contains(&token.text.as_str()) {
            continue;
        }
        // In a derive: the name after the next `struct` or `enum`. In an implementation: a name between `for` and `{`.
        let (before, after) = (&source.tokens[..at], &source.tokens[at + 1..]);
        let derived = before.iter().rev().take_while(|t| t.text != "]" && t.text != "}").any(|t| t.text == "derive");
        let secret = if derived {
            let item = after.iter().position(|t| t.text == "struct" || t.text == "enum");
            item.and_then(|item| after.get(item + 1)).is_some_and(|name| SECRETS.contains(&name.text.as_str()))
        } else {
            let implemented = after.iter().take_while(|t| t.text != "{" && t.text != ";");
            let mut names = implemented.skip_while(|t| t.text != "for");
            names.any(|t| SECRETS.contains(&t.text.as_str()))
        };
        if secret {
            breaches.push(breach(&source.path, token.line, format!("`{}`", token.text)));
        }
    }
    breaches
}

pub fn no_hidden_fields(source: &Source) -> Vec<Breach> {
    naming(source, &["serde(skip)", "serde(skip,", "skip_serializing)", "skip_serializing,"])
}

pub fn files_say_why(source: &Source) -> Vec<Breach> {
    let first = source.text.lines().next().unwrap_or_default();
    let said = first.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty());
    if said { Vec::new() } else { vec![breach(&source.path, 1, "no `//!` that says why the file exists")] }
}
