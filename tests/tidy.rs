//! The arrows between the parts, banned words, lengths: what `docs/ARCHITECTURE.md` promises of the source, executed.
//!
//! Every rule says why it is and what to do instead (`tidy/rules.rs`). What has to break one stands below with its reason, and an exception
//! that is no longer needed fails as well: the tables only shrink. `tidy/planted.rs` shows that each rule can fail.

#[path = "tidy/files.rs"]
mod files;
#[path = "tidy/planted.rs"]
mod planted;
#[path = "tidy/rules.rs"]
mod rules;
#[path = "tidy/source.rs"]
mod source;

use rules::{Breach, FILE_LINES, FUNCTION_LINES, RULES, Rule};

/// A rule, a place that may break it, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("one-clock", "src/api/envelope.rs", "measures how long a request took"),
    (
        "one-clock",
        "src/matches/watch.rs",
        "measures how long a reader has waited; no deadline of a match depends on it",
    ),
    (
        "one-clock",
        "src/notices/webhooks/deliver.rs",
        "measures how long one webhook has kept its place; nothing stored depends on it",
    ),
    ("one-clock", "src/notices/webhooks/post.rs", "measures how long somebody else's server took to answer"),
    (
        "one-clock",
        "crates/private-postgres/src/supervisor.rs",
        "measures how long the server takes to start and to stop",
    ),
    ("one-clock", "crates/private-postgres/src/install.rs", "measures how long a package manager takes"),
    (
        "one-clock",
        "crates/private-postgres/src/leftovers.rs",
        "measures how long the processes of an earlier run take to end",
    ),
    (
        "one-reader-of-the-environment",
        "crates/private-postgres/src/account.rs",
        "hands PATH, and nothing else, on to PostgreSQL's programs",
    ),
    (
        "one-reader-of-the-environment",
        "crates/private-postgres/src/options.rs",
        "knows where a system keeps data (XDG_DATA_HOME, HOME); config offers it as a default",
    ),
    (
        "one-reader-of-the-environment",
        "crates/private-postgres/src/programs.rs",
        "looks for PostgreSQL's programs on PATH",
    ),
    (
        "one-source-of-randomness",
        "crates/rules/src/dice.rs",
        "stretches the seed that it is given; it has no source of its own",
    ),
    ("one-maker-of-bodies", "src/api/operations.rs", "metrics are in Prometheus' own text format"),
    (
        "one-maker-of-bodies",
        "src/api/pages.rs",
        "serves pages and the contract, which are made once and are no answers of the API",
    ),
    ("one-maker-of-bodies", "src/idempotency.rs", "seals an answer that reply made, to be given again"),
    (
        "no-panics",
        "src/store/mod.rs",
        "a transaction's connection is there until the transaction is dropped, and the compiler can't be told so without unsafe code",
    ),
    ("variants-are-data", "src/api/challenges.rs", "an example in the contract has to name some variant"),
    ("variants-are-data", "src/api/ladders.rs", "an example in the contract has to name some variant"),
    ("variants-are-data", "src/api/tournaments.rs", "an example in the contract has to name some variant"),
    ("variants-are-data", "src/api/variants.rs", "an example in the contract has to name some variant"),
    (
        "no-hidden-fields",
        "crates/rules/src/leak.rs",
        "the field exists only in builds with planted leaks, which tests alone make",
    ),
    (
        "quiet-standard-output",
        "src/main.rs",
        "commands answer on standard output, and say on standard error why they failed",
    ),
    ("quiet-standard-output", "src/serve.rs", "the one line that tells scripts where the service listens"),
    (
        "no-machine-of-ours",
        "crates/private-postgres/src/programs.rs",
        "Homebrew on Linux has its one place there on every machine",
    ),
    (
        "every-test-runs",
        "crates/private-postgres/tests/cluster.rs",
        "a process that another test starts, with --ignored, in order to kill it",
    ),
];

/// A file, or a function of a file (`file::function`), the lines that it may have, and why.
const LONG: &[(&str, usize, &str)] = &[
    ("src/events/kinds.rs", 430, "the events of an account are one union, and its list is read from end to end"),
    ("src/error.rs", 440, "most of it is the catalogue of problems: a table of words, which is read from end to end"),
    ("src/db/schema.rs", 730, "the columns of every table, and nothing else: diesel wants them in one place"),
    (
        "crates/rules/tests/faults.rs::a_wrong_rule_set_names_every_fault",
        70,
        "a table of wrong rule sets, and nothing else",
    ),
    (
        "crates/rules/tests/laws.rs::salvo",
        95,
        "follows one salvo through the laws in their order; a law by itself has nothing to look at",
    ),
];

/// What is wrong with a rule's breaches, given the exceptions: empty when all is well.
fn complaints(
    rule: &Rule,
    breaches: &[Breach],
    exceptions: &[(&str, &str, &str)],
    long: &[(&str, usize, &str)],
) -> Vec<String> {
    let mut complaints = Vec::new();
    let excepted = |place: &str| exceptions.iter().any(|(of, at, _)| *of == rule.name && *at == place);
    let allowed = |breach: &Breach| long.iter().any(|(place, most, _)| *place == breach.place && breach.size <= *most);
    for breach in breaches {
        let fine = if breach.size == 0 { excepted(&breach.place) } else { allowed(breach) };
        if !fine {
            complaints.push(format!("{}:{}: {}", breach.place, breach.line, breach.what));
        }
    }
    for (_, place, reason) in exceptions.iter().filter(|(of, _, _)| *of == rule.name) {
        if !breaches.iter().any(|breach| breach.place == *place) {
            complaints.push(format!("{place}: no longer breaks the rule: take its exception out of the table"));
        }
        if reason.len() < 20 {
            complaints.push(format!("{place}: its exception has no reason"));
        }
    }
    complaints
}

/// Entries of the table of lengths that nothing needs, or that allow far more than there is.
fn slack(breaches: &[Breach], long: &[(&str, usize, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (place, most, reason) in long {
        let limit = if place.contains("::") { FUNCTION_LINES } else { FILE_LINES };
        match breaches.iter().find(|breach| breach.place == *place) {
            None => complaints.push(format!("{place}: has at most {limit} lines now: take it out of the table")),
            Some(breach) if breach.size + limit / 4 < *most => {
                complaints.push(format!("{place}: has {} lines, and {most} are allowed: lower it", breach.size));
            }
            Some(_) => {}
        }
        if reason.len() < 20 {
            complaints.push(format!("{place}: its length has no reason"));
        }
    }
    complaints
}

fn keep(name: &str) {
    let rule = RULES.iter().find(|rule| rule.name == name).unwrap_or_else(|| panic!("there is no rule {name}"));
    let complaints = complaints(rule, &(rule.check)(), EXCEPTIONS, LONG);
    assert!(complaints.is_empty(), "\n{}\n\n{}: {}\n", complaints.join("\n"), rule.name, rule.why);
}

/// A test for each rule, and one that none was forgotten.
macro_rules! kept {
    ($($test:ident $rule:literal)+) => {
        $(#[test]
        fn $test() {
            keep($rule);
        })+

        #[test]
        fn every_rule_is_kept() {
            let kept = [$($rule),+];
            let forgotten: Vec<_> = RULES.iter().map(|rule| rule.name).filter(|name| !kept.contains(name)).collect();
            assert!(forgotten.is_empty(), "no test keeps {forgotten:?}");
            let unknown: Vec<_> = EXCEPTIONS.iter().filter(|(rule, _, _)| !kept.contains(rule)).collect();
            assert!(unknown.is_empty(), "exceptions to rules that don't exist: {unknown:?}");
        }
    };
}

kept! {
    api_knows_no_store "api-knows-no-store"
    use_cases_know_no_http "use-cases-know-no-http"
    store_knows_no_api "store-knows-no-api"
    no_way_back "no-way-back"
    one_clock "one-clock"
    one_reader_of_the_environment "one-reader-of-the-environment"
    one_source_of_randomness "one-source-of-randomness"
    one_maker_of_bodies "one-maker-of-bodies"
    variants_are_data "variants-are-data"
    secrets_have_no_way_out "secrets-have-no-way-out"
    rules_are_pure "rules-are-pure"
    no_hidden_fields "no-hidden-fields"
    no_panics "no-panics"
    nothing_unfinished "nothing-unfinished"
    every_test_runs "every-test-runs"
    quiet_standard_output "quiet-standard-output"
    files_say_why "files-say-why"
    short_files "short-files"
    short_functions "short-functions"
    migrations_go_both_ways "migrations-go-both-ways"
    links_lead_somewhere "links-lead-somewhere"
    no_machine_of_ours "no-machine-of-ours"
}

#[test]
fn the_table_of_lengths_is_tight() {
    let long: Vec<Breach> =
        source::SOURCES.iter().flat_map(|s| [rules::short_files(s), rules::short_functions(s)].concat()).collect();
    let complaints = slack(&long, LONG);
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
