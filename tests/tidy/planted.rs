//! Each rule on lines that break it, and on similar ones that don't: every rule must be able to fail.

use std::collections::BTreeSet;
use std::path::Path;

use crate::graph::{Grain, Graph};
use crate::rules::{self, Breach, breach};
use crate::source::{File, Source, tree};
use crate::{complaints, text};

/// The lines with breaches that `check` finds in `text` as the file `path`.
fn lines(check: fn(&Source) -> Vec<Breach>, path: &str, text: &str) -> Vec<usize> {
    check(&Source::new(path, text)).into_iter().map(|breach| breach.line).collect()
}

/// The same for a rule of text.
fn text_lines(check: fn(&File) -> Vec<Breach>, path: &str, text: &str) -> Vec<usize> {
    check(&file(path, text)).into_iter().map(|breach| breach.line).collect()
}

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

fn graph(files: &[(&str, &str)], grain: Grain, with_tests: bool) -> Graph {
    let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
    Graph::new(&sources, grain, with_tests)
}

fn arrows(graph: &Graph) -> Vec<String> {
    graph.arrows.iter().map(|((a, b), places)| format!("{a}>{b} {}", places.join(" "))).collect()
}

#[test]
fn comments_strings_and_lifetimes_are_not_code() {
    let text = "/// store\nfn a() { let a = \"store\"; } // store\n/* store\n/* store */ store */ fn b<'store>() { \
                c('\"'); store::go('\\''); restore(); r#store() }";
    assert_eq!(Source::new("src/a.rs", text).lines_with("store"), [4, 4, 4]);
    assert_eq!(Source::new("src/a.rs", text).lines_with("store::"), [4]);
    assert_eq!(Source::new("src/a.rs", "use actix_web::a;\nuse actix;\nuse x_actix;").lines_with("actix*"), [1, 2]);
}

#[test]
fn what_is_behind_cfg_test_is_a_test() {
    let text = "fn a() { x::y() }\n#[cfg(test)]\n#[allow(a)]\nmod tests {\n    fn b() { x::y() }\n}\nfn c() { x::y() }\n\
                #[cfg(test)]\nuse x::y;\nfn d() { x::y() }\n#[cfg(not(test))]\nfn e() { x::y() }";
    assert_eq!(Source::new("src/a.rs", text).lines_with("x::y"), [1, 7, 10, 12]);
    assert!(Source::new("crates/rules/tests/a.rs", text).lines_with("x::y").is_empty());
    assert!(Source::new("src/a/tests.rs", text).lines_with("x::y").is_empty());
}

#[test]
fn every_path_is_an_arrow() {
    let a = "//! [`crate::never`]\nuse crate::{b, c::{d as e, self}, clock};\nfn f() { g(\"crate::never\"); super::f::x() }\n\
             mod inner { use super::super::g; use super::x; }\n#[cfg(test)]\nmod tests { use crate::t::T; use super::*; }";
    let others = ["b", "c/mod", "c/d", "clock", "f", "g", "t", "never"].map(|name| format!("src/{name}.rs"));
    let mut files: Vec<(&str, &str)> = others.iter().map(|path| (path.as_str(), "")).collect();
    files.extend([
        ("src/a.rs", a),
        ("src/lib.rs", "pub mod a;\npub use b::B;"),
        ("src/main.rs", "mod admin;\nuse broadside::a;\nfn x() { admin::run() }"),
        ("src/admin.rs", "use broadside::clock::Clock;\nuse crate::x;"),
        ("crates/other/src/a.rs", "use crate::never;"),
    ]);
    let product = graph(&files, Grain::Modules, false);
    assert_eq!(
        arrows(&product),
        [
            "a>b src/a.rs:2",
            "a>c src/a.rs:2 src/a.rs:2",
            "a>clock src/a.rs:2",
            "a>f src/a.rs:3",
            "a>g src/a.rs:4",
            "lib>b src/lib.rs:2",
            "main>a src/main.rs:2",
            "main>clock src/admin.rs:1",
            "main>lib src/admin.rs:2"
        ]
    );
    assert!(graph(&files, Grain::Modules, true).arrows.contains_key(&("a".to_owned(), "t".to_owned())));
}

#[test]
fn circles_are_found_and_layers_are_drawn() {
    let files = [
        ("src/lib.rs", ""),
        ("src/a.rs", "use crate::b;"),
        ("src/b/mod.rs", "mod x;\nmod y;\nuse crate::c;\nfn f() { x::X }"),
        ("src/b/x.rs", "use super::y::Y;"),
        ("src/b/y.rs", "use crate::b::x;\n#[cfg(test)]\nuse crate::d;"),
        ("src/c.rs", "use crate::a;"),
        ("src/d.rs", "use crate::a;"),
    ];
    let modules = graph(&files, Grain::Modules, false);
    assert_eq!(modules.circles(), [BTreeSet::from(["a", "b", "c"].map(str::to_owned))]);
    assert_eq!(
        modules.within(&modules.circles()[0]),
        ["a → b: src/a.rs:1", "b → c: src/b/mod.rs:3", "c → a: src/c.rs:1"]
    );
    assert_eq!(modules.layers(), [vec!["d"], vec!["a", "b", "c", "lib"]]);
    assert!(modules.mutual().is_empty());
    assert_eq!(graph(&files, Grain::Modules, true).circles()[0].len(), 4, "the tests of b know d");
    let inside = graph(&files, Grain::Files, false);
    assert_eq!(inside.circles(), [BTreeSet::from(["b::x", "b::y"].map(str::to_owned))]);
    assert_eq!(inside.mutual(), [("b::x", "b::y")]);
    assert!(graph(&files[..5], Grain::Modules, false).circles().is_empty());
}

#[test]
fn layers() {
    let api =
        "use crate::ladders::store;\nfn f(b: &Battle, e: Event, n: Entry) {}\nuse crate::matches::play;\n// store\n";
    assert_eq!(lines(rules::api_knows_no_store, "src/api/x.rs", api), [1, 2, 2, 2]);
    assert_eq!(lines(rules::api_knows_no_store, "src/matches/x.rs", api), []);
    let foreign = "use actix_web::web;\nuse diesel_async::X;";
    for (path, http, sql) in [
        ("src/api/x.rs", vec![], vec![2]),
        ("src/serve.rs", vec![], vec![2]),
        ("src/db/mod.rs", vec![1], vec![]),
        ("src/ladders/store.rs", vec![1], vec![]),
        ("src/ladders/store/rows.rs", vec![1], vec![]),
        ("src/ladders/position/store.rs", vec![1], vec![]),
        ("src/ladders/stored.rs", vec![1], vec![2]),
        ("tests/api/x.rs", vec![], vec![]),
    ] {
        assert_eq!(lines(rules::only_the_api_knows_http, path, foreign), http, "{path}");
        assert_eq!(lines(rules::only_stores_know_sql, path, foreign), sql, "{path}");
    }
}

#[test]
fn purity() {
    let text = "use core::fmt;\nuse std::time::Instant;\nlet a: HashMap<u8, u8>;\nasync fn f() {}\nuse std::fmt;";
    assert_eq!(lines(rules::pure_crates_are_pure, "crates/contests/src/a.rs", text), [2, 4, 3]);
    assert_eq!(lines(rules::pure_crates_are_pure, "src/a.rs", text), []);
}

#[test]
fn variants() {
    let games = ["# one\nvariant classic\n", "variant paper\n"].map(|text| file("crates/rules/games/a.txt", text));
    let ids = rules::variant_ids(&games);
    assert_eq!(ids, BTreeSet::from(["classic".to_owned(), "paper".to_owned()]));
    let text = "const A: &str = \"classic\";\nconst B: &str = \"a classic game\";\nconst C: &str = r#\"{\"variant\":\"paper\"}\"#;\n\
                const D: &str = \"{\\\"variant\\\":\\\"paper\\\"}\";\n#[cfg(test)]\nmod tests { const A: &str = \"paper\"; }";
    let found = |path| {
        let breaches = rules::variants_are_data(&Source::new(path, text), &ids);
        breaches.into_iter().map(|breach| breach.line).collect::<Vec<_>>()
    };
    assert_eq!(found("src/lobby/x.rs"), [1, 3, 4]);
    assert_eq!(found("crates/rules/src/families/gunnery/presets.rs"), []);
}

#[test]
fn secrets() {
    let derived =
        "#[derive(Clone, Serialize)]\npub enum Event {}\nimpl fmt::Display for Event {}\n#[derive(Debug)]\nstruct A;";
    assert_eq!(lines(rules::secrets_have_no_way_out, "crates/rules/src/event.rs", derived), [1, 3]);
    assert_eq!(lines(rules::secrets_have_no_way_out, "crates/rules/src/families/new/state.rs", derived), [1, 3]);
    let elsewhere = "impl Serialize for Battle {}\nimpl ToSchema for families::Event {}\nimpl Serialize for Report {}\n\
                     #[derive(Serialize)]\n#[serde(a)]\n/// All.\npub struct Entry;\n#[derive(Serialize)]\npub struct Told;\n\
                     use serde::Serialize;\nfn f<T: Serialize>(e: Event) {}";
    assert_eq!(lines(rules::secrets_have_no_way_out, "src/api/x.rs", elsewhere), [1, 2, 4]);
    let hidden =
        "#[serde(skip)]\n#[serde(skip_serializing_if = \"Option::is_none\")]\n#[serde(skip_serializing)]\nstruct A;";
    assert_eq!(lines(rules::no_hidden_fields, "src/a.rs", hidden), [1, 3]);
}

#[test]
fn heads() {
    let say = |text| lines(rules::files_say_why, "src/a.rs", text);
    assert_eq!(say("//! Why this file exists,\n//! and what it has not.\nuse a::b;\n"), []);
    assert_eq!((say("//!\nuse a::b;\n"), say("use a::b;\n")), (vec![1], vec![1]));
}

#[test]
fn prose() {
    let (wide, word) = ("many words ".repeat(12), "x".repeat(130));
    let rust = format!(
        "    // {wide}\nlet a = \"{wide}\";\n/// {word}\n//! | {wide}\n/// ```\n/// {wide}\n/// ```\n// {wide}"
    );
    assert_eq!(text_lines(text::narrow_prose, "src/a.rs", &rust), [1, 8]);
    let page = format!("# {wide}\n{wide}\n```\n{wide}\n```\n| {wide}\n- {wide}\n{word}\n");
    assert_eq!(text_lines(text::narrow_prose, "docs/a.md", &page), [2, 7]);
    assert_eq!(text_lines(text::narrow_prose, "docs/a.txt", &page), []);
    let script = format!("/** {wide} */\n * {wide}\n// {wide}\n * @typedef {{ {wide} }} A\nlet a = '{wide}';\n");
    assert_eq!(text_lines(text::narrow_prose, "web/a.js", &script), [1, 2, 3]);
    assert_eq!(text_lines(text::narrow_prose, ".ci/run", &format!("# {wide}\necho '{wide}'\n")), [1]);
    assert_eq!(text_lines(text::narrow_prose, "migrations/1/up.sql", &format!("-- {wide}\nselect '{wide}';\n")), [1]);
    let words =
        ["// what ", "hi", "s name is\nthe\nthis\nlet x = \"", "H", "e waits\";\nfn far", "ewell() {}\n"].concat();
    assert_eq!(text_lines(text::old_words, "src/a.rs", &words), [1, 4, 5]);
    assert_eq!(text_lines(text::old_words, "src/rules.fr.md", &words), []);
    let note = format!("# A page\n{}: write more\nPHOTODO\n", ["TO", "DO"].concat());
    assert_eq!(text_lines(text::nothing_unfinished, "docs/a.md", &note), [2]);
    let path = format!("see {}anna/project\nsee /v1/matches\n", ["/ho", "me/"].concat());
    assert_eq!(text_lines(text::no_machine_of_ours, "docs/a.md", &path), [1]);
}

#[test]
fn migrations_and_links() {
    let tree = [
        file("migrations/1/up.sql", "create table a ();"),
        file("migrations/1/down.sql", "-- nothing\n"),
        file("migrations/2/up.sql", "x;"),
    ];
    let paths: Vec<String> = text::migrations_go_both_ways(&tree).into_iter().map(|breach| breach.path).collect();
    assert_eq!(paths, ["migrations/1/down.sql", "migrations/2/down.sql"]);
    let tree = ["2026-01-01-01_a", "2026-01-01-02_b", "2026-01-01-02_c"]
        .map(|name| file(&format!("migrations/{name}/up.sql"), "x;"));
    let paths: Vec<_> =
        text::migrations_have_numbers_of_their_own(&tree).into_iter().map(|breach| breach.path).collect();
    assert_eq!(paths, ["migrations/2026-01-01-02_c"]);
    let page =
        file("docs/a.md", "[a](b.md#x) [c](../README.md) [d](https://e.f/g)\n```\n[h](i.md)\n```\n[j](k.md) [l](#m)\n");
    let known = |path: &Path| path == Path::new("docs/b.md") || path == Path::new("docs/../README.md");
    let broken: Vec<String> = text::links_lead_somewhere(&page, known).into_iter().map(|breach| breach.what).collect();
    assert_eq!(broken, ["`k.md`"]);
}

#[test]
fn only_files_of_the_project_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &&str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "text").unwrap();
    };
    (0..51).for_each(|number| write(&format!("src/{number}.rs").as_str()));
    // Leftovers of a work tree, an editor, an external build and the service.
    [".git", ".env", ".idea/a.xml", "target/a.d", "built/CACHEDIR.TAG", "built/a.d", "data/x"].iter().for_each(write);
    [".ci/run", "README.md"].iter().for_each(write);
    let paths: Vec<String> = tree(folder.path()).into_iter().map(|file| file.path).collect();
    assert_eq!(paths.len(), 53, "{paths:?}");
    assert!(paths.iter().any(|path| path == ".ci/run"));
}

#[test]
fn exceptions_are_needed_and_have_reasons() {
    let reason = "a reason that says enough";
    let broken = [breach("x", 1, "c")];
    assert_eq!(complaints(&broken, &[]), ["x:1: c"]);
    assert_eq!(complaints(&broken, &[("x", reason)]).len(), 0, "one that is excepted");
    assert_eq!(complaints(&broken, &[("y", reason)]).len(), 2, "for another file");
    assert_eq!(complaints(&broken, &[("x", "because")]).len(), 1, "for no reason");
    assert_eq!(complaints(&[], &[("x", reason)]).len(), 1, "an exception that nothing needs");
}

#[test]
fn pages_name_no_variant() {
    let ids = BTreeSet::from(["classic".to_owned()]);
    let code = "// classic\nif (id === 'classic') x();\n`classics`\nother(\"classic\")\n";
    let lines = |path: &str| -> Vec<usize> {
        text::pages_know_no_game(&file(path, code), &ids).into_iter().map(|breach| breach.line).collect()
    };
    assert_eq!(lines("web/app/a.js"), [2, 4]);
    assert_eq!(lines("tests/web/a.mjs"), []);
}
