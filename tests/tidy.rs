//! Executable rules for the source, as stated in `docs/ARCHITECTURE.md`, beyond the compiler and clippy: arrows between
//! modules, words.
//!
//! Each test explains its rule and the alternative. Exceptions are listed with their reasons, and an unneeded exception
//! fails as well. `tidy/planted.rs` shows that each rule can fail.
#![allow(clippy::panic, reason = "a test may stop")]

#[path = "tidy/graph.rs"]
mod graph;
#[path = "tidy/planted.rs"]
mod planted;
#[path = "tidy/rules.rs"]
mod rules;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/text.rs"]
mod text;

use graph::{Grain, Graph};
use rules::Breach;
use source::{File, SOURCES, Source, TREE, root};

/// A file that may break a rule, and the reason.
type Exception<'a> = (&'a str, &'a str);

/// Unexcused breaches of a rule and unneeded exceptions; empty if there are none.
fn complaints(breaches: &[Breach], exceptions: &[Exception<'_>]) -> Vec<String> {
    let excepted = |breach: &&Breach| exceptions.iter().any(|(path, _)| *path == breach.path);
    let broken = breaches.iter().filter(|breach| !excepted(breach));
    let broken = broken.map(|breach| format!("{}:{}: {}", breach.path, breach.line, breach.what));
    let unneeded = exceptions.iter().filter(|(path, _)| !breaches.iter().any(|breach| breach.path == *path));
    let unneeded = unneeded.map(|(path, _)| format!("{path}: keeps the rule now: take its exception away"));
    let silent = exceptions.iter().filter(|(_, reason)| reason.len() < 20);
    broken.chain(unneeded).chain(silent.map(|(path, _)| format!("{path}: its exception has no reason"))).collect()
}

/// Fails with every breach, and with `why`.
fn keep(why: &str, breaches: &[Breach], exceptions: &[Exception<'_>]) {
    let complaints = complaints(breaches, exceptions);
    assert!(complaints.is_empty(), "\n{}\n\n{} breaches. {why}\n", complaints.join("\n"), complaints.len());
}

fn sources(check: impl Fn(&Source) -> Vec<Breach>) -> Vec<Breach> {
    SOURCES.iter().flat_map(check).collect()
}

fn files(check: impl Fn(&File) -> Vec<Breach>) -> Vec<Breach> {
    TREE.iter().flat_map(check).collect()
}

#[test]
fn no_module_is_in_a_circle() {
    for with_tests in [false, true] {
        let graph = Graph::new(&SOURCES, Grain::Modules, with_tests);
        assert!(graph.nodes.len() > 10 && graph.arrows.len() > 30, "the modules of src can't be read");
        let circles: Vec<String> = graph.circles().iter().map(|knot| graph.within(knot).join("\n")).collect();
        assert!(
            circles.is_empty(),
            "\n{}\n\nModules of src know each other in a circle{}. Hand over as an argument what the lower one needs, \
             move what both need beneath them, or let the one above call both. See `cargo run --example module_graph`.\n",
            circles.join("\n\n"),
            if with_tests { " (counting their tests)" } else { "" },
        );
    }
}

#[test]
fn the_lowest_know_no_capability() {
    let graph = Graph::new(&SOURCES, Grain::Modules, false);
    let beneath = [
        ("db", &["error"][..]),
        (
            "context",
            &[
                "clock",
                "db",
                "epoch",
                "error",
                "heartbeat",
                "ids",
                "public_reads",
                "rate_limits",
                "wakeups",
                "work_pool",
            ][..],
        ),
    ];
    for (lowest, may_know) in beneath {
        assert!(graph.nodes.contains(lowest), "there is no module `{lowest}`");
        let known: Vec<&str> = graph.known_by(lowest).filter(|known| !may_know.contains(known)).collect();
        assert!(known.is_empty(), "`{lowest}` stands beneath all capabilities, but knows {known:?}");
    }
}

#[test]
fn api_knows_no_store() {
    let why = "src/api speaks HTTP: it calls a use case, and what it shows comes from a View. A store, Battle, Event and \
               Entry hold what a caller may not see. Add a function to the use case that returns what may be shown.";
    keep(why, &sources(rules::api_knows_no_store), &[]);
}

#[test]
fn only_the_api_knows_http() {
    let why = "Capabilities must be readable without HTTP in mind. Turn requests into their types in src/api.";
    keep(why, &sources(rules::only_the_api_knows_http), &[]);
}

#[test]
fn only_stores_know_sql() {
    let why = "SQL stands in a capability's store.rs or store/, and what all of them need in src/db. Put it there.";
    keep(why, &sources(rules::only_stores_know_sql), &[]);
}

#[test]
fn pure_crates_are_pure() {
    let why = "The crates of rules and contests have no input or output, no clock and no async, and give the same answer \
               everywhere: BTreeMap, BTreeSet or a sorted Vec where the order of a hash would decide.";
    keep(why, &sources(rules::pure_crates_are_pure), &[]);
}

#[test]
fn the_bots_of_the_house_know_nothing_of_the_house() {
    let manifest = TREE.iter().find(|file| file.path == "crates/house-bots/Cargo.toml").expect("their crate");
    let (_, rest) = manifest.text.split_once("\n[dependencies]\n").expect("dependencies");
    let own = rest.lines().take_while(|line| !line.starts_with('[')).filter(|line| line.contains("broadside"));
    let own: Vec<&str> = own.collect();
    assert_eq!(own, ["broadside-bots.workspace = true"], "whatever else a bot knows has to come over HTTP");
    let reaches = |source: &&Source| source.is_in(&["crates/house-bots/src/"]) && source.text.contains("#[path");
    assert!(SOURCES.iter().all(|source| !reaches(&source)), "no file of another crate is part of theirs");
}

#[test]
fn variants_are_data() {
    let why = "Nothing outside crates/rules/src/families/ names a variant: code that asks which one it is has to be \
               changed for each new one. Ask the rule set for the property, or loop over `variants()`.";
    let example = "an example in the contract has to name some variant";
    let ids = rules::variant_ids(&TREE);
    assert!(ids.len() > 5, "the variants are not found: {ids:?}");
    keep(
        why,
        &sources(|source| rules::variants_are_data(source, &ids)),
        &[("src/api/bot_offers.rs", example), ("src/api/variants.rs", example)],
    );
}

#[test]
fn pages_know_no_game() {
    let why = "The pages draw any variant from its card and its view, so a new one needs no change in web/. Ask the data \
               for the property.";
    let ids = rules::variant_ids(&TREE);
    let pages = TREE.iter().filter(|file| file.path.starts_with("web/")).count();
    assert!(pages > 20 && ids.len() > 5, "the pages or the variants are not found");
    keep(why, &files(|file| text::pages_know_no_game(file, &ids)), &[]);
}

#[test]
fn secrets_have_no_way_out() {
    let why = "Battle, Event and Entry hold what a viewer may not know. `disclose` is the one way out of them, so they \
               can't be serialised, printed or described. Put what may be told into a Report.";
    keep(why, &sources(rules::secrets_have_no_way_out), &[]);
}

#[test]
fn no_hidden_fields() {
    let why = "A field that is skipped is one edit away from being shown. Make a struct for the wire that lists what \
               leaves.";
    keep(why, &sources(rules::no_hidden_fields), &[]);
}

#[test]
fn files_say_why() {
    let why = "A reader opens a file to learn why it exists, and what is deliberately not in it. Begin it with a `//!` \
               that says so.";
    keep(why, &sources(rules::files_say_why), &[]);
}

#[test]
fn narrow_prose() {
    let why =
        "Comments and pages have at most 120 columns: wrap them. (Tables, code and single long words may be wider.)";
    keep(why, &files(text::narrow_prose), &[]);
}

#[test]
fn words_of_the_field() {
    let why = "Each word has a usual one that stands for it: see the table in tests/tidy/text.rs.";
    keep(why, &files(text::old_words), &[]);
}

#[test]
fn nothing_unfinished() {
    let why = "What is in the tree works. Do it, or open an issue and leave no trace here.";
    keep(why, &files(text::nothing_unfinished), &[]);
}

#[test]
fn no_machine_of_ours() {
    let why = "A path of somebody's machine means nothing to anybody else. Use a relative path or an argument.";
    keep(why, &files(text::no_machine_of_ours), &[]);
}

#[test]
fn migrations_go_both_ways() {
    let why = "An operator who has to go back needs the way down. Write up.sql and down.sql, both with statements.";
    keep(why, &text::migrations_go_both_ways(&TREE), &[]);
}

#[test]
fn migrations_have_numbers_of_their_own() {
    let why = "Of two migrations with one number the second never runs. Give it the next one that is free.";
    keep(why, &text::migrations_have_numbers_of_their_own(&TREE), &[]);
}

#[test]
fn links_lead_somewhere() {
    let why = "A page that links to a file which isn't there sends its reader away. Mend the link, or write the file.";
    keep(why, &files(|file| text::links_lead_somewhere(file, |path| root().join(path).exists())), &[]);
}

#[test]
fn one_toolchain() {
    let text = |path: &str| TREE.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
    let version = |path, before| text(path).split_once(before).and_then(|(_, rest)| rest.split(['"', '-']).next());
    let channel = version("rust-toolchain.toml", "\nchannel = \"").expect("a channel");
    assert_eq!(
        version("Dockerfile", "FROM rust:"),
        Some(channel),
        "the Dockerfile's Rust is not rust-toolchain.toml's"
    );
    let least = version("Cargo.toml", "\nrust-version = \"").expect("a rust-version");
    assert!(channel.starts_with(&format!("{least}.")), "Cargo.toml asks for Rust {least}, and {channel} is tested");
}
