//! Each rule on a few lines that break it and a few that look alike and don't: a rule that can't fail keeps nothing.

use std::collections::BTreeSet;
use std::path::Path;

use crate::rules::{self, Breach, Rule};
use crate::source::{File, Source, names};
use crate::{complaints, files, slack};

/// The lines at which `check` finds something in `text`, as if it stood at `path`.
fn lines(check: fn(&Source) -> Vec<Breach>, path: &str, text: &str) -> Vec<usize> {
    check(&Source::new(path, text)).into_iter().map(|breach| breach.line).collect()
}

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn comments_strings_and_lifetimes_are_not_code() {
    let source = Source::new(
        "src/a.rs",
        "let a = \"store\"; // store\nlet b = r#\"a \"store\" b\"#; /* store\n/* store */ store */ let c: &'a str = '\"'; store::go('\\'');\nlet r#type = b\"\\\"store\";",
    );
    let naming: Vec<usize> = (0..4).filter(|line| names(&source.code[*line], "store")).collect();
    assert_eq!(naming, [2], "{:#?}", source.code);
    let literals: Vec<&str> = source.literals.iter().map(|(_, literal)| literal.as_str()).collect();
    assert_eq!(literals, ["store", "a \"store\" b", "\"store"]);
}

#[test]
fn a_word_is_a_whole_word() {
    assert!(
        names("use crate::store::Db;", "store")
            && names("actix_web::App", "actix*")
            && names("x.unwrap()", ".unwrap()")
    );
    assert!(
        !names("restore()", "store")
            && !names("stores", "store")
            && !names("cell.store(1)", "store")
            && !names("EventId", "Event")
    );
}

#[test]
fn what_is_behind_cfg_test_is_a_test() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { x.unwrap() }\n}\nfn c() { x.unwrap() }\n#[cfg(test)]\nuse a::b;\nfn d() { x.unwrap() }";
    assert_eq!(lines(rules::no_panics, "src/a.rs", text), [6, 9]);
    assert_eq!(lines(rules::no_panics, "crates/rules/tests/a.rs", text), []);
}

#[test]
fn arrows() {
    let api = "use crate::store::Db;\nuse diesel_async::X;\nfn f(b: &Battle, e: Event, n: Entry) {}\nuse crate::matches::play;\n// store\n";
    assert_eq!(lines(rules::api_knows_no_store, "src/api/x.rs", api), [1, 2, 3, 3, 3]);
    assert_eq!(lines(rules::api_knows_no_store, "src/matches/x.rs", api), []);
    let use_case = "use actix_web::web;\nuse diesel::X;\nuse crate::store;\nuse crate::api::reply;";
    assert_eq!(lines(rules::use_cases_know_no_http, "src/lobby/mod.rs", use_case), [1, 2, 4]);
    assert_eq!(lines(rules::use_cases_know_no_http, "src/store/mod.rs", use_case), []);
    assert_eq!(
        lines(
            rules::store_knows_no_api,
            "src/store/a.rs",
            "use crate::api;\nuse actix_web::X;\nuse crate::matches::Y;"
        ),
        [1, 2]
    );
    let circle = "use crate::lobby;\nuse crate::matches::X;\nstore::matches::list();\nif matches!(a, b) {}\n";
    assert_eq!(lines(rules::no_way_back, "src/matches/open.rs", circle), [1]);
    assert_eq!(lines(rules::no_way_back, "src/accounts/x.rs", circle), [1, 2]);
    assert_eq!(lines(rules::no_way_back, "src/lobby/x.rs", circle), []);
    assert_eq!(lines(rules::no_way_back, "src/talk/x.rs", circle), [1]);
    assert_eq!(lines(rules::no_way_back, "src/matches/x.rs", "use crate::talk::chat;\nstore::chat::page();"), [1]);
    assert_eq!(lines(rules::no_way_back, "src/notices/x.rs", circle), [1, 2]);
    for place in ["src/events/x.rs", "src/matches/x.rs", "src/talk/x.rs", "src/accounts/x.rs"] {
        assert_eq!(lines(rules::no_way_back, place, "use crate::notices::mail;"), [1], "{place}");
    }
}

#[test]
fn one_place_for_each_thing_that_is_not_pure() {
    let time = "let a = Timestamp::now();\nlet b = std::time::SystemTime::now();\nlet c = tokio::time::Instant::now();\nlet d = app.clock.now();";
    assert_eq!(lines(rules::one_clock, "src/lobby/x.rs", time), [1, 2, 3]);
    assert_eq!(lines(rules::one_clock, "src/clock.rs", time), []);
    let environment = "std::env::var(\"A\");\nenv::var_os(\"A\");\n#[arg(env = \"A\")]\nenv!(\"A\");\nenv::args();";
    assert_eq!(lines(rules::one_reader_of_the_environment, "src/app.rs", environment), [1, 2, 3, 5]);
    assert_eq!(lines(rules::one_reader_of_the_environment, "src/config.rs", environment), []);
    let dice = "rand::rng().fill_bytes(x);\nUuid::new_v4();\napp.random();\nlet operand::x = 1;\ngetrandom::fill(x);";
    assert_eq!(lines(rules::one_source_of_randomness, "src/lobby/x.rs", dice), [1, 2, 5]);
    assert_eq!(lines(rules::one_source_of_randomness, "src/app.rs", dice), []);
    let bodies = "HttpResponse::Ok().json(x);\nserde_json::to_vec(x);\nbuilder.body(x);\nfmt::layer().json_lines();";
    assert_eq!(lines(rules::one_maker_of_bodies, "src/api/x.rs", bodies), [2, 1, 3]);
    assert_eq!(lines(rules::one_maker_of_bodies, "src/lobby/x.rs", bodies), [2]);
    assert_eq!(lines(rules::one_maker_of_bodies, "src/api/reply.rs", bodies), []);
}

#[test]
fn variants() {
    let tree = [
        file("crates/rules/games/a.txt", "# one\nvariant classic\n"),
        file("crates/rules/games/b.txt", "variant paper\n"),
    ];
    let ids = rules::variant_ids(&tree);
    assert_eq!(ids, BTreeSet::from(["classic".to_owned(), "paper".to_owned()]));
    let text = "if id == \"classic\" {}\nlet x = \"a classic game\";\nlet y = r#\"{\"variant\":\"paper\"}\"#;\n#[cfg(test)]\nmod tests { const A: &str = \"paper\"; }";
    let found = |path| {
        rules::variants_are_data(&Source::new(path, text), &ids)
            .into_iter()
            .map(|breach| breach.line)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("src/lobby/x.rs"), [1, 3]);
    assert_eq!(found("crates/rules/src/families/gunnery/presets.rs"), []);
}

#[test]
fn secrets() {
    let derived =
        "#[derive(Clone, Serialize)]\npub enum Event {}\nimpl fmt::Display for Event {}\n#[derive(Debug)]\nstruct A;";
    assert_eq!(lines(rules::secrets_have_no_way_out, "crates/rules/src/event.rs", derived), [1, 3]);
    assert_eq!(lines(rules::secrets_have_no_way_out, "crates/rules/src/families/new/state.rs", derived), [1, 3]);
    let elsewhere = "impl Serialize for Battle {}\nimpl ToSchema for families::Event {}\nimpl Serialize for Report {}\n#[derive(Serialize)]\n/// All.\npub struct Entry;\n#[derive(Serialize)]\npub struct Kept;";
    assert_eq!(lines(rules::secrets_have_no_way_out, "src/api/x.rs", elsewhere), [1, 2, 4]);
    let hidden = "#[serde(skip)]\n#[serde(skip_serializing_if = \"Option::is_none\")]\n#[serde(skip_serializing)]";
    assert_eq!(lines(rules::no_hidden_fields, "src/a.rs", hidden), [1, 3]);
}

#[test]
fn banned_words() {
    assert_eq!(
        lines(
            rules::rules_are_pure,
            "crates/rules/src/a.rs",
            "use std::fmt;\nuse alloc::vec;\nlet a: HashMap<u8, u8>;"
        ),
        [1, 3]
    );
    let clock = "use alloc::vec;\nuse std::time::Instant;\ntokio::spawn(a);\nuse jiff::Timestamp;";
    assert_eq!(lines(rules::rules_are_pure, "crates/contests/src/a.rs", clock), [2, 3]);
    assert_eq!(lines(rules::one_clock, "crates/contests/src/a.rs", "let now = jiff::Timestamp::now();"), [1]);
    let panics = "a.unwrap();\nb.expect(\"x\");\npanic!();\na.unwrap_or(1);\n#[expect(dead_code, reason = \"x\")]\nunimplemented!()";
    assert_eq!(lines(rules::no_panics, "src/a.rs", panics), [1, 2, 3, 6]);
    let ignored = "#[test]\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}";
    assert_eq!(lines(rules::every_test_runs, "tests/api/a.rs", ignored), [2, 4]);
    assert_eq!(lines(rules::quiet_standard_output, "src/a.rs", "println!();\n// println!()\ntracing::info!();"), [1]);
    let note = format!("# A page\n{}: write more\nPHOTODO\n", ["TO", "DO"].concat());
    assert_eq!(files::unfinished(&file("docs/a.md", &note)).iter().map(|breach| breach.line).collect::<Vec<_>>(), [2]);
    let path = format!("see {}anna/project\nsee /v1/matches\n", ["/ho", "me/"].concat());
    assert_eq!(
        files::no_machine_of_ours(&file("docs/a.md", &path)).iter().map(|breach| breach.line).collect::<Vec<_>>(),
        [1]
    );
}

#[test]
fn heads_and_lengths() {
    assert_eq!(
        lines(rules::files_say_why, "src/a.rs", "//! Why this file exists,\n//! and what it has not.\nuse a::b;\n"),
        []
    );
    assert_eq!(lines(rules::files_say_why, "src/a.rs", "//!\nuse a::b;\n"), [1]);
    assert_eq!(lines(rules::files_say_why, "src/a.rs", "use a::b;\n"), [1]);
    assert!(rules::short_files(&Source::new("src/a.rs", &"\n".repeat(400))).is_empty());
    assert_eq!(rules::short_files(&Source::new("src/a.rs", &"\n".repeat(401)))[0].size, 401);
    let function = |lines: usize| {
        format!("trait A {{ fn none(x: [u8; 4]); }}\nfn long(a: fn(u8) -> u8) {{\n{}}}\n", "x();\n".repeat(lines))
    };
    assert!(rules::short_functions(&Source::new("src/a.rs", &function(58))).is_empty());
    let long = rules::short_functions(&Source::new("src/a.rs", &function(59)));
    assert_eq!((long[0].place.as_str(), long[0].line, long[0].size, long.len()), ("src/a.rs::long", 2, 61, 1));
}

#[test]
fn migrations_and_links() {
    let tree = [
        file("migrations/1/up.sql", "create table a ();"),
        file("migrations/1/down.sql", "-- nothing\n"),
        file("migrations/2/up.sql", "x;"),
    ];
    let places: Vec<String> = files::migrations_go_both_ways(&tree).into_iter().map(|breach| breach.place).collect();
    assert_eq!(places, ["migrations/1/down.sql", "migrations/2/down.sql"]);
    let page =
        file("docs/a.md", "[a](b.md#x) [c](../README.md) [d](https://e.f/g)\n```\n[h](i.md)\n```\n[j](k.md) [l](#m)\n");
    let known = |path: &Path| path == Path::new("docs/b.md") || path == Path::new("docs/../README.md");
    let broken: Vec<String> = files::links_lead_somewhere(&page, known).into_iter().map(|breach| breach.what).collect();
    assert_eq!(broken, ["`k.md`"]);
}

#[test]
fn exceptions_are_needed_and_have_reasons() {
    let rule = Rule { name: "a", why: "b", check: Vec::new };
    let breach = |place: &str, size| Breach { place: place.to_owned(), line: 1, what: "c".to_owned(), size };
    let reason = "a reason that says enough";
    let count = |breaches: &[Breach], exceptions: &[(&str, &str, &str)], long: &[(&str, usize, &str)]| {
        complaints(&rule, breaches, exceptions, long).len()
    };
    assert_eq!(count(&[breach("x", 0)], &[], &[]), 1, "a breach");
    assert_eq!(count(&[breach("x", 0)], &[("a", "x", reason)], &[]), 0, "one that is excepted");
    assert_eq!(count(&[breach("x", 0)], &[("b", "x", reason)], &[]), 1, "from another rule");
    assert_eq!(count(&[breach("x", 0)], &[("a", "x", "because")], &[]), 1, "for no reason");
    assert_eq!(count(&[], &[("a", "x", reason)], &[]), 1, "an exception that nothing needs");
    assert_eq!(count(&[breach("x", 450)], &[], &[("x", 450, reason)]), 0, "a length with a reason");
    assert_eq!(count(&[breach("x", 451)], &[], &[("x", 450, reason)]), 1, "that has grown");
    assert_eq!(slack(&[breach("x", 450)], &[("x", 450, reason)]).len(), 0);
    assert_eq!(slack(&[breach("x", 450)], &[("x", 900, reason)]).len(), 1, "a length that allows too much");
    assert_eq!(slack(&[], &[("x", 450, reason)]).len(), 1, "a length that nothing needs");
}
