//! The rules: each one small function that says where the tree breaks it, with a message that says why, and what to do instead.

use std::collections::BTreeSet;

use crate::files::{links_lead_somewhere, migrations_go_both_ways, no_machine_of_ours, unfinished};
use crate::source::{File, SOURCES, Source, TREE, names, root};

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// The file, or `file::function`; what an exception names.
    pub place: String,
    /// The line, from 1; 0 when it is about the whole file.
    pub line: usize,
    /// What is there.
    pub what: String,
    /// Of a length: how long it is.
    pub size: usize,
}

/// A rule.
pub struct Rule {
    /// Its name, by which exceptions name it.
    pub name: &'static str,
    /// Why it is, and what to do instead.
    pub why: &'static str,
    /// Where it is broken.
    pub check: fn() -> Vec<Breach>,
}

/// How long a file may be, in lines, before it wants a reason.
pub const FILE_LINES: usize = 400;
/// How long a function may be, in lines, before it wants a reason.
pub const FUNCTION_LINES: usize = 60;

/// All of them.
pub const RULES: &[Rule] = &[
    Rule {
        name: "api-knows-no-store",
        why: "src/api speaks HTTP: it calls a use case (accounts, lobby, talk, matches), and what it shows comes from a View. The store, diesel, \
              Battle, Event and Entry hold what a caller may not see. Add a function to the use case, and let it return what may be shown.",
        check: || all(api_knows_no_store),
    },
    Rule {
        name: "use-cases-know-no-http",
        why: "accounts, lobby, talk, matches, ratings and notices must be readable without HTTP and SQL in mind. Turn requests into their types in src/api, and put \
              statements into src/store.",
        check: || all(use_cases_know_no_http),
    },
    Rule {
        name: "store-knows-no-api",
        why: "src/store is the lowest layer of the service. Return a type of the use case; src/api makes of it what it wants to show.",
        check: || all(store_knows_no_api),
    },
    Rule {
        name: "no-way-back",
        why: "Between use cases data flows moderation → lobby → ladders, tournaments → pairings → talk → matches → ratings, calendar → events, accounts knows none of them, and notices reads the events alone, so that there is no circle. Hand over what the other \
              needs as an argument, or let src/api call both.",
        check: || all(no_way_back),
    },
    Rule {
        name: "one-clock",
        why: "Only src/clock.rs reads the time, so that a test can hold it and a deadline has one authority. Take `app.clock.now()`, or a \
              `Time` as an argument. (Instant measures durations, and only where it is listed.)",
        check: || all(one_clock),
    },
    Rule {
        name: "one-reader-of-the-environment",
        why: "Only src/config reads the environment and the command line, so that `--help` tells everything. Add a setting there and pass \
              the value on.",
        check: || all(one_reader_of_the_environment),
    },
    Rule {
        name: "one-source-of-randomness",
        why: "Only src/app.rs makes random numbers; the rules crate stretches a seed that it is given. Take `app.random()`, `app.new_id()`, or \
              `Dice` as an argument.",
        check: || all(one_source_of_randomness),
    },
    Rule {
        name: "one-maker-of-bodies",
        why: "Only src/api/reply.rs makes bodies, so that every answer has one shape and every failure is a problem document. Return \
              `Reply::ok(&…)` with a struct that lists its fields.",
        check: || all(one_maker_of_bodies),
    },
    Rule {
        name: "variants-are-data",
        why: "Nothing outside crates/rules/src/families/ names a variant: code that asks which one it is has to be changed for each new one. \
              Ask the rule set for the property, or loop over `variants()`.",
        check: || all(|source| variants_are_data(source, &variant_ids(&TREE))),
    },
    Rule {
        name: "secrets-have-no-way-out",
        why: "Battle, Event and Entry hold what a viewer may not know. `disclose` is the one way out of them, so they can't be serialised, \
              printed or described. Put what may be told into a Report.",
        check: || all(secrets_have_no_way_out),
    },
    Rule {
        name: "rules-are-pure",
        why: "crates/rules runs without the standard library, crates/contests without its clock and files, and both give the same answer \
              everywhere: core and alloc only, and BTreeMap, BTreeSet or a sorted Vec where the order of a hash would decide.",
        check: || all(rules_are_pure),
    },
    Rule {
        name: "no-hidden-fields",
        why: "A field that is skipped is one edit away from being shown. Make a struct for the wire that lists what leaves.",
        check: || all(no_hidden_fields),
    },
    Rule {
        name: "no-panics",
        why: "A request must not take a worker down. Return an Error (`Error::internal` for what can't be), or write it so that it can't happen.",
        check: || all(no_panics),
    },
    Rule {
        name: "nothing-unfinished",
        why: "What is in the tree works. Do it, or open an issue and leave no trace here.",
        check: || TREE.iter().flat_map(unfinished).collect(),
    },
    Rule {
        name: "every-test-runs",
        why: "A test that is ignored proves nothing. Mend it or take it out.",
        check: || all(every_test_runs),
    },
    Rule {
        name: "quiet-standard-output",
        why: "Standard output holds what a command promises, and nothing else. Log with `tracing`.",
        check: || all(quiet_standard_output),
    },
    Rule {
        name: "files-say-why",
        why: "A reader opens a file to learn why it exists, and what is deliberately not in it. Begin it with a `//!` that says so.",
        check: || all(files_say_why),
    },
    Rule {
        name: "short-files",
        why: "A file of more than 400 lines has more than one subject. Split it by meaning, or give the reason in the table.",
        check: || all(short_files),
    },
    Rule {
        name: "short-functions",
        why: "A function of more than 60 lines can't be seen at once. Split it by meaning, or give the reason in the table.",
        check: || all(short_functions),
    },
    Rule {
        name: "migrations-go-both-ways",
        why: "An operator who has to go back needs the way down. Write up.sql and down.sql, both with statements in them.",
        check: || migrations_go_both_ways(&TREE),
    },
    Rule {
        name: "links-lead-somewhere",
        why: "A page that links to a file which isn't there sends its reader away. Mend the link, or write the file.",
        check: || TREE.iter().flat_map(|file| links_lead_somewhere(file, |path| root().join(path).exists())).collect(),
    },
    Rule {
        name: "no-machine-of-ours",
        why: "The project stands alone: a path of somebody's machine means nothing to anybody else. Use a relative path or an argument.",
        check: || TREE.iter().flat_map(no_machine_of_ours).collect(),
    },
];

/// The folders of what ships.
const PRODUCT: &[&str] = &["src/", "crates/contests/src/", "crates/private-postgres/src/", "crates/rules/src/"];

/// The crates without input and output, clock, randomness and async.
const PURE: [&str; 2] = ["crates/rules/src/", "crates/contests/src/"];

fn all(check: impl Fn(&Source) -> Vec<Breach>) -> Vec<Breach> {
    SOURCES.iter().flat_map(check).collect()
}

/// A breach for each line of the product that names one of `words`.
fn naming(source: &Source, words: &[&str]) -> Vec<Breach> {
    let lines = source.product().flat_map(|(line, code)| {
        let named = words.iter().filter(move |word| names(code, word));
        named.map(move |word| (line, word.trim_end_matches('*')))
    });
    lines.map(|(line, word)| breach(source, line, format!("`{word}`"))).collect()
}

fn breach(source: &Source, line: usize, what: String) -> Breach {
    Breach { place: source.path.clone(), line: line + 1, what, size: 0 }
}

pub fn api_knows_no_store(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["src/api/"]) {
        return Vec::new();
    }
    naming(source, &["store", "diesel*", "Battle", "Event", "Entry"])
}

pub fn use_cases_know_no_http(source: &Source) -> Vec<Breach> {
    let cases = [
        "accounts",
        "calendar",
        "lobby",
        "talk",
        "matches",
        "ratings",
        "pairings",
        "ladders",
        "tournaments",
        "moderation",
        "notices",
    ]
    .map(|case| format!("src/{case}/"));
    if !cases.iter().any(|case| source.is_in(&[case])) {
        return Vec::new();
    }
    naming(source, &["actix*", "diesel*", "crate::api"])
}

pub fn store_knows_no_api(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["src/store/"]) {
        return Vec::new();
    }
    naming(source, &["actix*", "crate::api", "api::"])
}

/// The use cases, from above to below: each knows only those behind it. (Ladders and tournaments stand side by side, and so do calendars and ratings.)
const LAYERS: [&str; 9] =
    ["moderation", "lobby", "ladders", "tournaments", "pairings", "talk", "matches", "calendar", "ratings"];

/// What a source must not know, since it stands above.
fn above(source: &Source) -> Vec<&'static str> {
    let folder = source.path.strip_prefix("src/").and_then(|rest| rest.split(['/', '.']).next()).unwrap_or_default();
    let place = LAYERS.iter().position(|layer| *layer == folder);
    let more: &[&str] = match folder {
        "moderation" | "lobby" => &[],
        "ladders" => &["tournaments", "notices"],
        "calendar" => &["ratings", "notices"],
        "ratings" => &["accounts", "notices"],
        "accounts" => &["deeds", "notices"],
        // News is made of the log of events, and of nothing that could know more; and the log tells nobody.
        "deeds" | "events" => &["notices"],
        "notices" => &[],
        _ if place.is_some() => &["notices"],
        _ => return Vec::new(),
    };
    LAYERS[..place.unwrap_or(LAYERS.len())].iter().chain(more).copied().collect()
}

pub fn no_way_back(source: &Source) -> Vec<Breach> {
    let above = above(source);
    // A table of the store may have the same name as a use case.
    let lines = source.product().map(|(line, code)| (line, code.replace("store::", "store_")));
    let named = lines.filter_map(|(line, code)| {
        above
            .iter()
            .find(|word| names(&code, &format!("{word}::")) || names(&code, &format!("crate::{word}")))
            .map(|word| (line, word))
    });
    named.map(|(line, word)| breach(source, line, format!("`{word}`"))).collect()
}

pub fn one_clock(source: &Source) -> Vec<Breach> {
    if !source.is_in(PRODUCT) || source.path == "src/clock.rs" {
        return Vec::new();
    }
    naming(source, &["Timestamp::now", "Zoned::now", "Utc::now", "Local::now", "SystemTime", "now_v7", "Instant::now"])
}

pub fn one_reader_of_the_environment(source: &Source) -> Vec<Breach> {
    let reads_it = source.path == "src/config.rs" || source.is_in(&["src/config/"]);
    if reads_it || !source.is_in(PRODUCT) {
        return Vec::new();
    }
    naming(source, &["env::var*", "env::args*", "env = \""])
}

pub fn one_source_of_randomness(source: &Source) -> Vec<Breach> {
    if !source.is_in(PRODUCT) || source.path == "src/app.rs" {
        return Vec::new();
    }
    naming(source, &["rand::", "rand_chacha::", "getrandom*", "OsRng", "thread_rng", "new_v4", "now_v7"])
}

pub fn one_maker_of_bodies(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["src/"]) || source.path == "src/api/reply.rs" {
        return Vec::new();
    }
    let mut breaches = naming(source, &["serde_json::to_vec", "serde_json::to_string", "serde_json::to_writer"]);
    if source.is_in(&["src/api/"]) {
        breaches.extend(naming(source, &[".json(", ".body("]));
    }
    breaches
}

/// The ids of all variants, out of the golden games: there is one for each.
pub fn variant_ids(tree: &[File]) -> BTreeSet<String> {
    let games = tree.iter().filter(|file| file.path.starts_with("crates/rules/games/"));
    let ids = games.filter_map(|game| game.text.lines().find_map(|line| line.strip_prefix("variant ")));
    ids.map(|id| id.trim().to_owned()).collect()
}

pub fn variants_are_data(source: &Source, ids: &BTreeSet<String>) -> Vec<Breach> {
    if !source.is_in(PRODUCT) || source.is_in(&["crates/rules/src/families/"]) {
        return Vec::new();
    }
    let product = source.literals.iter().filter(|(line, _)| !source.test[*line]);
    let naming = product
        .filter(|(_, literal)| ids.contains(literal) || ids.iter().any(|id| literal.contains(&format!("\"{id}\""))));
    naming.map(|(line, literal)| breach(source, *line, format!("\"{literal}\""))).collect()
}

/// Files of the rules crate whose types are the whole truth of a match.
fn holds_secrets(path: &str) -> bool {
    let Some(file) = path.strip_prefix("crates/rules/src/") else { return false };
    let name = file.rsplit('/').next().unwrap_or(file);
    matches!(name, "battle.rs" | "event.rs" | "table.rs" | "state.rs")
}

pub fn secrets_have_no_way_out(source: &Source) -> Vec<Breach> {
    const WAYS: [&str; 4] = ["Serialize", "ToSchema", "Display", "ToString"];
    if holds_secrets(&source.path) {
        return naming(source, &WAYS);
    }
    let secret = |code: &str| ["Battle", "Event", "TableEvent", "Entry"].iter().any(|name| names(code, name));
    let given = |line: usize, code: &str| {
        let item = source.code[line..].iter().find(|code| names(code, "struct") || names(code, "enum"));
        let derived = code.contains("derive(") && item.is_some_and(|item| secret(item));
        derived || (names(code, "impl") && code.contains(" for ") && secret(code))
    };
    let lines = source.product().filter(|(line, code)| WAYS.iter().any(|way| names(code, way)) && given(*line, code));
    lines.map(|(line, code)| breach(source, line, format!("`{}`", code.trim()))).collect()
}

pub fn rules_are_pure(source: &Source) -> Vec<Breach> {
    if !source.is_in(&PURE) {
        return Vec::new();
    }
    let banned = [
        "std::",
        "HashMap",
        "HashSet",
        "async",
        "extern crate std",
        "tokio*",
        "actix*",
        "diesel*",
        "uuid*",
        "tracing*",
    ];
    naming(source, &banned)
}

pub fn no_hidden_fields(source: &Source) -> Vec<Breach> {
    naming(source, &["serde(skip)", "serde(skip,", "skip_serializing)", "skip_serializing,"])
}

pub fn no_panics(source: &Source) -> Vec<Breach> {
    if !source.is_in(&["src/", "crates/"]) {
        return Vec::new();
    }
    naming(source, &[".unwrap()", ".expect(", "panic!", "unreachable!", "todo!", "unimplemented!", "dbg!"])
}

pub fn every_test_runs(source: &Source) -> Vec<Breach> {
    let lines = source.code.iter().enumerate().filter(|(_, code)| code.contains("#[ignore"));
    lines.map(|(line, _)| breach(source, line, "`#[ignore]`".to_owned())).collect()
}

pub fn quiet_standard_output(source: &Source) -> Vec<Breach> {
    if !source.is_in(PRODUCT) {
        return Vec::new();
    }
    naming(source, &["println!", "print!", "eprintln!", "eprint!", "stdout()"])
}

pub fn files_say_why(source: &Source) -> Vec<Breach> {
    let said = source
        .text
        .strip_prefix("//!")
        .is_some_and(|rest| rest.lines().next().is_some_and(|line| !line.trim().is_empty()));
    if said { Vec::new() } else { vec![breach(source, 0, "no `//!` that says why the file exists".to_owned())] }
}

pub fn short_files(source: &Source) -> Vec<Breach> {
    let size = source.text.lines().count();
    if size <= FILE_LINES {
        return Vec::new();
    }
    vec![Breach { place: source.path.clone(), line: 0, what: format!("{size} lines"), size }]
}

pub fn short_functions(source: &Source) -> Vec<Breach> {
    let functions = source.functions().into_iter().map(|function| (function.last - function.first + 1, function));
    let long = functions.filter(|(size, _)| *size > FUNCTION_LINES);
    long.map(|(size, function)| Breach {
        place: format!("{}::{}", source.path, function.name),
        line: function.first + 1,
        what: format!("{size} lines"),
        size,
    })
    .collect()
}
