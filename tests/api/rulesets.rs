//! Players' own rule sets: published under a title, listed, forked, and played by name.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, plain, plays_out};

pub const DAY_S: i64 = 86_400;

/// Changes for a variation of the classic game with this number of rows.
pub fn rows(rows: u32) -> Value {
    json!({ "board": { "rows": rows, "columns": 10, "labels": "row-letter" } })
}

impl Player {
    /// Publishes the classic game with these changes; returns its hash.
    pub async fn publishes(&self, title: &str, changes: Value) -> String {
        let body = json!({ "title": title, "variant": "classic", "rule_set": changes });
        let made = self.post("/v1/rule-sets", body).await.expect(201);
        made["hash"].as_str().unwrap().to_owned()
    }

    /// A match by a named rule set against `other`, in which the first player is drawn by lot.
    pub async fn meets_by(&self, other: &Player, hash: &str, rated: bool) -> String {
        let clock = json!({ "kind": "per-move", "move_s": DAY_S });
        let body = json!({ "named_rule_set": hash, "rated": rated, "clock": clock, "opponent": other.name });
        let challenge = self.post("/v1/challenges", body).await.expect(201);
        assert_eq!([&challenge["named_rule_set"], &challenge["variant"]], [&json!(hash), &json!("classic")]);
        let path = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
        let accepted = other.post(&path, json!({})).await.expect(200);
        accepted["match_id"].as_str().unwrap().to_owned()
    }

    /// This player resigns a match by a named rule set once both fleets are placed.
    pub async fn loses_by(&self, other: &Player, hash: &str) -> String {
        let id = self.meets_by(other, hash, true).await;
        for player in [self, other] {
            player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
        }
        self.acts(&id, json!({ "type": "resign" })).await.expect(200);
        id
    }
}

/// The hash of a published rule set.
pub async fn a_published_one(app: &TestApp) -> String {
    let known = app.get("/v1/rule-sets").await.expect(200);
    match known["items"][0]["hash"].as_str() {
        Some(hash) => hash.to_owned(),
        None => app.lasting_player("quill").await.publishes("One to read", rows(12)).await,
    }
}

pub async fn reads(app: &TestApp, hash: &str) -> Value {
    app.get(&format!("/v1/rule-sets/{hash}")).await.expect(200)
}

/// The titles of a list, in its order, page by page.
async fn titles(app: &TestApp, query: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.get(&format!("/v1/rule-sets?limit=2{query}{cursor}")).await.expect(200);
        let items = page["items"].as_array().unwrap();
        all.extend(items.iter().map(|item| item["title"].as_str().unwrap_or("(hidden)").to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// The faults of a refused request, as (pointer, code).
pub fn faults(problem: &Value) -> Vec<(String, String)> {
    let word = |fault: &Value, field: &str| fault[field].as_str().unwrap().to_owned();
    let errors = problem["errors"].as_array().unwrap();
    let mut all: Vec<_> = errors.iter().map(|fault| (word(fault, "pointer"), word(fault, "code"))).collect();
    all.sort();
    all
}

pub fn named(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(pointer, code)| ((*pointer).to_owned(), (*code).to_owned())).collect()
}

#[actix_web::test]
async fn a_rule_set_of_ones_own_is_published_found_and_played_to_its_end() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let changes = rows(6);
    let checked = app.post("/v1/rule-sets/check", json!({ "variant": "classic", "rule_set": changes })).await;
    let checked = checked.expect(200);
    assert_eq!([&checked["same_as_variant"], &checked["same_as_named_rule_set"]], [&Value::Null, &Value::Null]);

    let text = "# Low water\n\nSix rows. <b>No</b> quarter.";
    let body = json!({ "title": "Low water", "rules_markdown": text, "variant": "classic", "rule_set": changes });
    let made = anna.post("/v1/rule-sets", body).await;
    let hash = checked["rule_set_hash"].as_str().unwrap();
    assert_eq!(made.header("location"), Some(format!("/v1/rule-sets/{hash}").as_str()));
    let made = made.expect(201);
    assert_eq!([&made["hash"], &made["rule_set"]], [&checked["rule_set_hash"], &checked["rule_set"]]);
    assert_eq!(made["board"], checked["board"]);

    // Readable for everybody, on every node, exactly as its author wrote it, as plain text.
    let other = app.another_node().await;
    let read = reads(&other, hash).await;
    assert_eq!(read, made);
    assert_eq!([&read["title"], &read["rules_markdown"]], [&json!("Low water"), &json!(text)]);
    assert_eq!(read["creator"], json!({ "id": anna.id, "username": "anna", "bot": false }));
    assert_eq!([&read["matches"], &read["forks"], &read["hidden"]], [&json!(0), &json!(0), &json!(false)]);
    assert_eq!(read["pools"], json!([format!("{hash}-live"), format!("{hash}-days")]));
    let card = app.get("/v1/variants/classic").await.expect(200);
    for part in ["actions", "disclosures", "classes", "nations", "rule_set_schema", "seats", "family"] {
        assert_eq!(read[part], card[part], "{part}");
    }
    assert_eq!(read["board"]["seas"][0]["rows"], 6);

    // Players without knowledge of the rules can play it by name, to the end.
    let id = anna.meets_by(&ben, hash, false).await;
    let end = plays_out(&[&anna, &ben], &id, 400).await;
    assert_eq!([&end["status"], &end["named_rule_set"]], [&json!("finished"), &json!(hash)]);
    assert_eq!([&end["rule_set_hash"], &end["rated"]], [&json!(hash), &json!(false)]);
    anna.challenges_and_meets(&ben, json!({})).await;
    let found = app.get(&format!("/v1/matches?named_rule_set={hash}")).await.expect(200);
    let items = found["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["id"], &items[0]["named_rule_set"]), (1, &json!(id), &json!(hash)));
    assert_eq!(reads(&app, hash).await["matches"], 1);
    // Its record is verified like any other.
    let record = app.get(&format!("/v1/matches/{id}/record")).await;
    broadside_rules::record::verify(&record.text()).unwrap();
}

#[actix_web::test]
async fn the_same_parameters_have_one_name() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let hash = anna.publishes("Tall", rows(14)).await;
    // From any author, in any form, under any title.
    let usual = app.get("/v1/variants/classic").await.expect(200)["rule_set"]["contact"].clone();
    let board = json!({ "labels": "row-letter", "columns": 10, "rows": 14 });
    let again = json!({ "rule_set": { "contact": usual, "board": board }, "variant": "classic", "title": "Mine" });
    let refused = ben.post("/v1/rule-sets", again).await.problem(409, "rule-set-exists");
    assert_eq!(faults(&refused), named(&[("/rule_set", "same-as-named-rule-set")]));
    let detail = refused["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains(&hash) && detail.contains("Tall"), "{detail}");
    // A variant's rules keep its name, whatever the base.
    for (base, named_after) in [("classic", "classic"), ("paper", "classic")] {
        let whole = app.get(&format!("/v1/variants/{named_after}")).await.expect(200)["rule_set"].clone();
        let body = json!({ "title": "Plain", "variant": base, "rule_set": whole });
        let refused = ben.post("/v1/rule-sets", body).await.problem(409, "rule-set-exists");
        assert_eq!(faults(&refused), named(&[("/rule_set", "same-as-variant")]));
        assert!(refused["errors"][0]["detail"].as_str().unwrap().contains(named_after));
    }
    // The check reports it in advance.
    let check = async |rule_set: Value| {
        let body = json!({ "variant": "classic", "rule_set": rule_set });
        let checked = app.post("/v1/rule-sets/check", body).await.expect(200);
        [checked["same_as_variant"].clone(), checked["same_as_named_rule_set"].clone()]
    };
    assert_eq!(check(json!({})).await, [json!("classic"), Value::Null]);
    assert_eq!(check(rows(14)).await, [Value::Null, json!(hash)]);
    // Of two concurrent publications on two nodes, one succeeds.
    let there = ben.at(&app.another_node().await);
    let body = |title: &str| json!({ "title": title, "variant": "classic", "rule_set": rows(15) });
    let (one, two) = join(anna.post("/v1/rule-sets", body("Anna's")), there.post("/v1/rule-sets", body("Ben's"))).await;
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "{} {}", one.text(), two.text());
}

#[actix_web::test]
async fn every_fault_is_named() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tries = async |body: Value| anna.post("/v1/rule-sets", body).await;
    // Faults of parameters are those of the check, with pointers into the request.
    let wrong = json!({ "sinking": false, "names_hit": true, "report": "tally", "contcat": "forbidden", "a/b": 1 });
    let checked = json!({ "variant": "classic", "rule_set": wrong });
    let checked = app.post("/v1/rule-sets/check", checked).await.expect(200);
    let under = |(pointer, code): (String, String)| (format!("/rule_set{pointer}"), code);
    let expected: Vec<_> = faults(&checked).into_iter().map(under).collect();
    let refused = tries(json!({ "title": "Wrong", "variant": "classic", "rule_set": wrong })).await;
    let refused = refused.problem(422, "invalid-rule-set");
    assert!(expected.len() > 1);
    assert_eq!(faults(&refused), expected);
    // Exactly one base, and a known one.
    let nobody = "0".repeat(64);
    for (base, expected) in [
        (json!({}), vec![("/variant", "missing-field")]),
        (json!({ "variant": "classic", "family": "gunnery" }), vec![("/family", "conflicting-fields")]),
        (
            json!({ "variant": "classic", "family": "gunnery", "forked_from": nobody }),
            vec![("/family", "conflicting-fields"), ("/forked_from", "conflicting-fields")],
        ),
        (json!({ "forked_from": nobody }), vec![("/forked_from", "unknown-rule-set")]),
        (json!({ "forked_from": "ABC" }), vec![("/forked_from", "invalid-value")]),
        (json!({ "family": "chess" }), vec![("/family", "unknown-value")]),
        (json!({ "variant": "chess", "colour": 1 }), vec![("/colour", "unknown-field"), ("/variant", "unknown-value")]),
    ] {
        let mut body = base.clone();
        body["title"] = json!("A title");
        let refused = tries(body).await.problem(422, "validation-failed");
        assert_eq!(faults(&refused), named(&expected), "{base}");
    }
    // Texts may contain neither terminal control characters nor invisible ones.
    for (field, bad) in [
        ("title", json!("ab")),
        ("title", json!("left\u{202e}right")),
        ("title", json!("two\nlines")),
        ("rules_markdown", json!(" \n ")),
        ("rules_markdown", json!("a\u{0}b")),
        ("rules_markdown", json!("\u{1b}[2J")),
        ("rules_markdown", json!("x".repeat(20_001))),
    ] {
        let mut body = json!({ "title": "A title", "variant": "classic", "rule_set": rows(9) });
        body[field] = bad;
        let refused = tries(body).await.problem(422, "validation-failed");
        assert_eq!(faults(&refused), [(format!("/{field}"), "invalid-value".to_owned())]);
    }
    assert!(titles(&app, "").await.is_empty());
    // Its uses in play.
    let clock = json!({ "kind": "per-move", "move_s": DAY_S });
    for (terms, expected) in [
        (json!({}), vec![("/variant", "missing-field")]),
        (json!({ "named_rule_set": nobody }), vec![("/named_rule_set", "unknown-rule-set")]),
        (
            json!({ "named_rule_set": nobody, "variant": "classic", "rule_set": {} }),
            vec![("/rule_set", "conflicting-fields"), ("/variant", "conflicting-fields")],
        ),
        (json!({ "named_rule_set": nobody, "rule_set": {} }), vec![("/rule_set", "conflicting-fields")]),
    ] {
        for (path, more) in [
            ("/v1/challenges", json!({})),
            ("/v1/ladders", json!({ "title": "A ladder" })),
            ("/v1/tournaments", json!({ "title": "A cup", "format": "round-robin" })),
        ] {
            let mut body = terms.clone();
            body["clock"] = clock.clone();
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let refused = anna.post(path, body).await.problem(422, "validation-failed");
            assert_eq!(faults(&refused), named(&expected), "{path} {terms}");
        }
    }
}

#[actix_web::test]
async fn a_fork_starts_from_its_parent_and_names_it() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let parent = anna.publishes("Tall", rows(14)).await;
    let body = json!({ "title": "Tall and apart", "forked_from": parent, "rule_set": { "contact": "forbidden" } });
    let checked = json!({ "forked_from": parent, "rule_set": { "contact": "forbidden" } });
    let checked = app.post("/v1/rule-sets/check", checked).await.expect(200);
    let fork = ben.post("/v1/rule-sets", body).await.expect(201);
    assert_eq!(fork["hash"], checked["rule_set_hash"]);
    assert_eq!([&fork["forked_from"], &fork["variant"]], [&json!(parent), &json!("classic")]);
    let (rules, own) = (&fork["rule_set"], &reads(&app, &parent).await);
    assert_eq!([&rules["board"], &rules["contact"]], [&own["rule_set"]["board"], &json!("forbidden")]);
    assert_eq!(own["forks"], 1);
    assert_eq!(titles(&app, &format!("&forked_from={parent}")).await, ["Tall and apart"]);
    // An unchanged copy is not a fork, but its parent.
    let copy = json!({ "title": "A copy", "forked_from": parent });
    let refused = ben.post("/v1/rule-sets", copy).await.problem(409, "rule-set-exists");
    assert!(refused["detail"].as_str().unwrap().contains(&parent));
    // A family stands for its simplest variant.
    let of_family = json!({ "family": "gunnery", "rule_set": rows(14) });
    let of_family = app.post("/v1/rule-sets/check", of_family).await.expect(200);
    assert_eq!(of_family["same_as_named_rule_set"], json!(parent));
}

#[actix_web::test]
async fn lists_are_filtered_searched_and_turned_page_by_page() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut hashes = Vec::new();
    for (index, title) in (11..).zip(["Alpha tides", "Beta shoals", "Gamma tides", "Delta", "Epsilon"]) {
        let who = if index % 2 == 0 { &ben } else { &anna };
        let text = if title == "Delta" { "Where the tide runs: *coral* and sand." } else { "Nothing to say." };
        let body = json!({ "title": title, "rules_markdown": text, "variant": "classic", "rule_set": rows(index) });
        hashes.push(who.post("/v1/rule-sets", body).await.expect(201)["hash"].as_str().unwrap().to_owned());
        app.passes_s(1).await;
    }
    let salvos = broadside_rules::variants().iter().find(|variant| variant.seats().1 > 2).unwrap();
    let family = app.get(&format!("/v1/variants/{}", salvos.id)).await.expect(200)["family"].clone();
    let family = family.as_str().unwrap();
    let all = ["Epsilon", "Delta", "Gamma tides", "Beta shoals", "Alpha tides"];
    assert_eq!(titles(&app, "").await, all);
    assert_eq!(titles(&app, "&sort=newest").await, all);
    assert_eq!(titles(&app, "&family=gunnery").await, all);
    assert!(titles(&app, &format!("&family={family}")).await.is_empty());
    assert_eq!(titles(&app, "&creator=ANNA").await, ["Epsilon", "Gamma tides", "Alpha tides"]);
    assert!(titles(&app, "&creator=nobody").await.is_empty());
    // Words of titles and texts, in any case.
    assert_eq!(titles(&app, "&search=TIDES").await, ["Gamma tides", "Alpha tides"]);
    assert_eq!(titles(&app, "&search=coral").await, ["Delta"]);
    assert_eq!(titles(&app, "&search=tides%20-gamma").await, ["Alpha tides"]);
    assert_eq!(titles(&app, "&search=coral%20or%20shoals&creator=ben").await, ["Delta", "Beta shoals"]);
    assert!(titles(&app, "&search=nowhere").await.is_empty());
    // By number of matches.
    for (hash, times) in [(&hashes[1], 2), (&hashes[3], 1)] {
        for _ in 0..times {
            anna.meets_by(&ben, hash, false).await;
        }
    }
    let by_play = titles(&app, "&sort=most-played").await;
    assert_eq!(by_play[..2], ["Beta shoals", "Delta"]);
    assert_eq!(by_play.len(), 5);
    // A cursor belongs to its order.
    let page = app.get("/v1/rule-sets?limit=1&sort=most-played").await.expect(200);
    let cursor = page["next_cursor"].as_str().unwrap();
    let refused = app.get(&format!("/v1/rule-sets?cursor={cursor}")).await;
    assert_eq!(refused.pointers(), ["/cursor"]);
}

#[actix_web::test]
async fn no_search_breaks_the_list() {
    let app = TestApp::start().await;
    app.lasting_player("anna").await.publishes("Quiet waters", rows(12)).await;
    for strange in [
        "%22",
        "%22%22",
        "-",
        "or%20or",
        "%26%7C!%28%29%3A*",
        "%5C",
        "%27%3B--",
        "%E2%9A%93",
        "%F0%9F%9A%A2",
        "%25",
        "the",
    ] {
        let found = app.get(&format!("/v1/rule-sets?search={strange}")).await;
        assert_eq!(found.status, 200, "{strange}: {}", found.text());
    }
    for bad in ["search=", "search=a%00b", "search=%0a", "order=oldest", "cursor=newest_1_2", "limit=0", "family=x"] {
        app.get(&format!("/v1/rule-sets?{bad}")).await.problem(422, "validation-failed");
    }
    let too_long = "x".repeat(101);
    app.get(&format!("/v1/rule-sets?search={too_long}")).await.problem(422, "validation-failed");
    for bad in ["abc", &"G".repeat(64), &"A".repeat(64), &"0".repeat(65)] {
        app.get(&format!("/v1/rule-sets/{bad}")).await.problem(400, "malformed-id");
    }
    app.get(&format!("/v1/rule-sets/{}", "0".repeat(64))).await.problem(404, "not-found");
}

#[actix_web::test]
async fn what_is_known_is_not_sent_again() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let hash = anna.publishes("Tall", rows(14)).await;
    let path = format!("/v1/rule-sets/{hash}");
    let first = app.get(&path).await;
    let etag = first.header("etag").unwrap().to_owned();
    let asks = async || app.send(plain("GET", &path, None).insert_header(("if-none-match", etag.clone()))).await;
    assert_eq!(asks().await.status, 304);
    let french = plain("GET", &path, None).insert_header(("accept-language", "fr"));
    assert_ne!(app.send(french).await.header("etag"), Some(etag.as_str()));
    // A match counts from its start.
    anna.meets_by(&ben, &hash, false).await;
    assert_eq!(asks().await.status, 200);
    app.get(&format!("{path}?seats=7")).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn names_of_ships_have_nothing_that_nobody_sees() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let classic = app.get("/v1/variants/classic").await.expect(200);
    let mut fleet = classic["rule_set"]["fleet"].clone();
    for bad in ["Car\u{202e}rier", "Carrier\u{200b}", "\u{3164}", "Carrier\u{e0041}", "\u{2800}", "C\u{e000}"] {
        fleet[1]["name"] = json!(bad);
        let rule_set = json!({ "fleet": fleet });
        let clock = json!({ "kind": "none" });
        let title = json!({ "title": "Unseen", "variant": "classic", "rule_set": rule_set });
        let played = json!({ "variant": "classic", "rule_set": rule_set, "clock": clock });
        for (path, body) in [("/v1/rule-sets", title), ("/v1/challenges", played)] {
            let refused = anna.post(path, body).await.problem(422, "invalid-rule-set");
            assert_eq!(faults(&refused), named(&[("/rule_set/fleet/1/name", "out-of-range")]), "{path} {bad:?}");
        }
    }
    fleet[1]["name"] = json!("Bâtiment ⚓\u{fe0f} 👩\u{200d}✈\u{fe0f} کتاب\u{200c}ها");
    anna.post("/v1/rule-sets", json!({ "title": "Seen", "variant": "classic", "rule_set": { "fleet": fleet } }))
        .await
        .expect(201);
}
