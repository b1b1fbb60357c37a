//! Problems: every operation lists its possible codes, and every code has a page.

use std::collections::BTreeSet;

use broadside::api::openapi;
use broadside_rules::card::Language;
use broadside_rules::illegal;
use serde_json::{Value, json};
use strum::VariantNames;

use crate::support::contract::{DETAIL, SEEN, SERVED, example, listed};
use crate::support::{Answer, Player, TestApp, fleets, plain};

/// An operation, with values for the ids in its path.
pub struct Operation {
    method: String,
    pub path: String,
    pub id: String,
    codes: BTreeSet<String>,
}

pub const SOME_ID: &str = "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";

pub fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for (path, item) in openapi::document()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                id: operation["operationId"].as_str().unwrap().to_owned(),
                codes: listed(operation).map(|(_, code)| code).collect(),
            });
        }
    }
    all
}

impl Operation {
    /// The path with ids that don't exist.
    pub fn address(&self) -> String {
        self.path
            .replace("{username}", "nobody")
            .replace("{room}", "players")
            .replace("{number}", "1")
            .replace("{pool}", "classic-days")
            .replace("{hash}", &"0".repeat(64))
            .replace("{challenge_id}", SOME_ID)
            .replace("{delivery_id}", SOME_ID)
            .replace("{token}", "bcf_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
            .replace("{id}", if self.path.contains("variants") { "classic" } else { SOME_ID })
    }

    pub fn described(&self) -> &'static Value {
        &openapi::document()["paths"][&self.path][&self.method.to_lowercase()]
    }

    /// The example of its request, if it has a body.
    pub fn example(&self) -> Option<Value> {
        let described = &SERVED["paths"][&self.path][&self.method.to_lowercase()];
        example(&described["requestBody"]["content"]["application/json"])
    }

    pub async fn is_sent(&self, who: &Player, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
        let mut request = who.signed(plain(&self.method, path, None));
        for (name, value) in headers {
            request = request.insert_header((*name, *value));
        }
        if let Some(body) = body {
            request = request.set_payload(body.to_owned());
        }
        who.app.send(request).await
    }
}

/// Asserts the codes that an operation lists because of its shape.
#[actix_web::test]
async fn every_operation_refuses_what_it_says() {
    let app = TestApp::start().await;
    let mia = app.player("mia").await;
    app.grants("mia", "moderator").await;
    let [long, longest] = [70_000, broadside::verify::MAX_RECORD].map(|length| json!("a".repeat(length)).to_string());
    for operation in operations() {
        let (address, is_json) = (operation.address(), [("content-type", "application/json")]);
        let sent = async |code: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>| {
            if operation.codes.contains(code) {
                let answer = operation.is_sent(&mia, path, headers, body).await;
                assert_eq!(answer.json_or_null()["code"], code, "{}: {}", operation.id, answer.text());
            }
        };
        sent("not-acceptable", &address, &[("accept", "image/png, application/json;q=0")], None).await;
        sent("malformed-json", &address, &is_json, Some("{")).await;
        sent("unsupported-media-type", &address, &[("content-type", "text/plain")], Some("{}")).await;
        let in_brotli = [("content-type", "application/json"), ("content-encoding", "br")];
        sent("unsupported-content-encoding", &address, &in_brotli, Some("{}")).await;
        let too_long = if operation.id == "verify_record" { &longest } else { &long };
        sent("content-too-large", &address, &is_json, Some(too_long)).await;
        sent("malformed-id", &operation.path.replace(['{', '}'], "!"), &is_json, Some("{}")).await;
        let unknown = match operation.described()["requestBody"].is_object() {
            true => (address.clone(), Some("{\"no-such-field\": 1}")),
            false => (format!("{address}?no-such-parameter=1"), None),
        };
        sent("validation-failed", &unknown.0, &is_json, unknown.1).await;
        let bad_key = [("content-type", "application/json"), ("idempotency-key", "")];
        if operation.codes.contains("idempotency-key-reused") {
            let example = operation.example().unwrap_or_else(|| json!({}));
            sent("malformed-header", &address, &bad_key, Some(&example.to_string())).await;
        }
    }
}

/// A suspended account, and a ladder without positions.
#[actix_web::test]
async fn states_that_many_operations_ask_for_refuse_them_all() {
    let app = TestApp::start().await;
    let (mia, sam) = (app.moderator("mia").await, app.lasting_player("sam").await);
    // The examples name them.
    for name in ["ben", "carl"] {
        app.player(name).await;
    }
    let terms = json!({ "title": "A league", "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 } });
    let ladder = sam.post("/v1/ladders", terms).await.expect(201)["id"].as_str().unwrap().to_owned();
    for member in [&sam, &mia] {
        member.post(&format!("/v1/ladders/{ladder}/join"), json!({})).await.expect(200);
    }
    let (mut suspended, mut without_places) = (0, 0);
    for operation in operations().iter().filter(|operation| operation.codes.contains("not-a-position-ladder")) {
        let path = operation.path.replace("{id}", &ladder).replace("{challenge_id}", SOME_ID);
        let body = operation.example().map(|_| match operation.id.as_str() {
            "create_ladder_challenge" => json!({ "opponent": "mia" }).to_string(),
            _ => "{}".to_owned(),
        });
        let answer = operation.is_sent(&sam, &path, &[("content-type", "application/json")], body.as_deref()).await;
        answer.problem(404, "not-a-position-ladder");
        without_places += 1;
    }
    let why = json!({ "reason": "insults", "running_matches": "play-on" });
    mia.post("/v1/moderation/players/sam/suspend", why).await.expect(204);
    app.grants("sam", "moderator").await;
    let asks_at_once = |operation: &&Operation| {
        let creates = operation.id.starts_with("create_") && !operation.path.contains('{');
        // Only some evidence is for moderators, and a caller who can't see the case is told of no role. A moderator's
        // earlier decision about a match is found out later.
        let later = ["add_case_evidence", "decide_case", "annul_contest_match", "adjudicate_contest_match"];
        let by_role = operation.codes.contains("role-required") && !later.contains(&operation.id.as_str());
        operation.codes.contains("account-suspended") && (by_role || creates)
    };
    for operation in operations().iter().filter(asks_at_once) {
        let body = operation.example().map(|example| example.to_string());
        let (address, is_json) = (operation.address(), [("content-type", "application/json")]);
        let answer = operation.is_sent(&sam, &address, &is_json, body.as_deref()).await;
        answer.problem(403, "account-suspended");
        suspended += 1;
    }
    assert!(without_places >= 7 && suspended >= 14, "{without_places} and {suspended}");
}

#[actix_web::test]
async fn every_code_has_a_page_and_the_index_leads_to_all() {
    let app = TestApp::start().await;
    let in_json = async |path: &str| {
        let answer = app.send(plain("GET", path, None).insert_header(("accept", "application/json"))).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        answer.expect(200)
    };
    let index = app.get("/problems").await;
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    let items = in_json("/problems").await["items"].as_array().unwrap().clone();
    let codes = |schema: &str| {
        let codes = openapi::document()["components"]["schemas"][schema]["enum"].as_array().unwrap();
        codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let (problems, faults) = (codes("ProblemCode"), codes("FaultCode"));
    let named: BTreeSet<String> = items.iter().map(|item| item["code"].as_str().unwrap().to_owned()).collect();
    assert_eq!(named, problems.union(&faults).cloned().collect());
    assert_eq!(named.len(), items.len(), "a code is there twice");
    for item in &items {
        let code = item["code"].as_str().unwrap();
        let path = item["type"].as_str().unwrap();
        assert!(index.text().contains(&format!("href=\"{path}\"")), "the index doesn't lead to {code}");
        assert_eq!(item["status"].is_null(), !problems.contains(code), "{code}");
        assert_eq!(in_json(path).await, *item);
        let page = app.get(path).await;
        assert!(page.text().contains(&format!("<code>{code}</code>")), "{code}: {}", page.text());
        for part in ["title", "meaning", "remedy"] {
            assert!(item[part].as_str().is_some_and(|text| !text.is_empty()), "{code} has no {part}");
        }
    }
    let stale = items.iter().find(|item| item["code"] == "stale-version").unwrap();
    assert!(stale["operations"].as_array().unwrap().contains(&json!("submit_action")), "{stale}");
    app.get("/problems/nothing-of-the-kind").await.problem(404, "not-found");
}

/// A new reason must be documented.
#[actix_web::test]
async fn reasons_of_contests_are_codes_of_faults() {
    let codes = broadside::error::fault_codes();
    let joining = broadside::pairings::eligibility::IneligibilityReason::VARIANTS;
    for reason in joining.iter().chain(broadside_contests::position_ladder::rules::Bar::VARIANTS) {
        assert!(codes.contains(reason), "{reason} is not explained");
    }
}

/// Listed codes that no test has observed.
fn listed_for_nothing(seen: &str) -> Vec<String> {
    let seen: BTreeSet<&str> = seen.lines().collect();
    let seen_somewhere: BTreeSet<&str> = seen.iter().filter_map(|line| line.rsplit('\t').next()).collect();
    let mut never = Vec::new();
    for (_, item) in openapi::document()["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            for (status, code) in listed(operation) {
                let here = seen.contains(format!("{id}\t{status}\t{code}").as_str());
                let by_shape = BY_SHAPE.contains(&code.as_str()) && seen_somewhere.contains(code.as_str());
                let one = format!("{id} {status} {code}");
                let by_race = ONLY_IN_A_RACE.iter().any(|(known, _)| *known == one);
                if !here && !by_shape && !by_race {
                    never.push(one);
                }
            }
        }
    }
    // Refusals by the rules of the games are covered by their own tests: `crates/rules/tests/faults.rs`.
    let of_the_rules: Vec<&str> = illegal::codes().map(|code| code.code).collect();
    let faults = openapi::document()["components"]["schemas"]["FaultCode"]["enum"].as_array().unwrap();
    never.extend(
        faults
            .iter()
            .map(|code| code.as_str().unwrap())
            .filter(|code| !seen_somewhere.contains(code) && !of_the_rules.contains(code))
            .map(|code| format!("fault {code}")),
    );
    never
}

/// Codes that occur in any operation in the same way, wherever they were observed.
const BY_SHAPE: [&str; 9] = [
    "too-many-requests",
    "internal-error",
    "match-damaged",
    "overloaded",
    "unavailable",
    "request-timeout",
    "token-expired",
    "idempotency-key-reused",
    "malformed-header",
];

/// Codes that need two requests in a race no test can stage, with that race.
const ONLY_IN_A_RACE: [(&str, &str); 3] = [
    (
        "change_email 409 concurrent-action",
        "the password changes after it was verified, and before the account is locked",
    ),
    ("change_username 409 concurrent-action", "the same"),
    ("set_up_second_factor 409 concurrent-action", "the same"),
];

#[test]
fn what_was_not_seen_is_found() {
    let never = listed_for_nothing("submit_action\t409\tstale-version\n");
    assert!(!never.contains(&"submit_action 409 stale-version".to_owned()));
    assert!(never.contains(&"submit_action 400 malformed-json".to_owned()));
    assert!(never.contains(&"fault unknown-player".to_owned()));
}

/// Runs after all other tests, which record the problems they observe.
#[test]
#[ignore = "needs what a run of all other tests has seen: BROADSIDE_SEEN_PROBLEMS"]
fn every_detail_has_french() {
    let file =
        std::env::var_os(SEEN).expect("BROADSIDE_SEEN_PROBLEMS names the file that the other tests have written");
    let seen = std::fs::read_to_string(file).unwrap();
    let catalogue: BTreeSet<&str> =
        broadside::error::CATALOGUE.iter().map(|problem| problem.meaning_in(Language::English)).collect();
    let details: Vec<&str> = seen.lines().filter_map(|line| line.strip_prefix(DETAIL)).collect();
    assert!(details.len() > 300, "only {} details were seen", details.len());
    let is_french = |detail: &str| broadside::error::detail_in(Language::French, detail) != detail;
    let never: Vec<_> =
        details.into_iter().filter(|detail| !catalogue.contains(detail) && !is_french(detail)).collect();
    assert!(never.is_empty(), "give them French in src/error/french:\n{}", never.join("\n"));
}

/// Runs after all other tests, which record the problems they observe.
#[test]
#[ignore = "needs what a run of all other tests has seen: BROADSIDE_SEEN_PROBLEMS"]
fn no_code_is_listed_for_nothing() {
    let file =
        std::env::var_os(SEEN).expect("BROADSIDE_SEEN_PROBLEMS names the file that the other tests have written");
    let never = listed_for_nothing(&std::fs::read_to_string(file).unwrap());
    assert!(never.is_empty(), "listed, and never answered:\n{}", never.join("\n"));
}

#[actix_web::test]
async fn problems_are_told_in_french_to_whom_prefers_it() {
    let app = TestApp::start().await;
    let told = async |language: &str| {
        let asked = plain("GET", "/v1/account", None).insert_header(("accept-language", language));
        app.send(asked).await
    };
    for (asked, language) in [("fr-CA, en;q=0.5", "fr"), ("de, fr;q=0.3, en;q=0.8", "en"), ("de", "en"), ("fr", "fr")] {
        let answer = told(asked).await;
        assert_eq!(answer.json()["title"], told(language).await.json()["title"], "{asked}");
        assert_eq!(answer.header("content-language"), Some(language));
        assert!(answer.header("vary").unwrap().to_lowercase().contains("accept-language"));
    }
    let french = told("fr").await.problem(401, "token-missing");
    assert_eq!(french["title"], "Connectez-vous d'abord");
    assert_eq!(french["detail"], "Cette opération demande un jeton, et la requête n'en a pas.");
    assert_eq!(told("en").await.json()["title"], "Sign in first");
    let wrong = plain("GET", "/v1/challenges?limit=0&rated=x", None).insert_header(("accept-language", "fr"));
    let french = app.send(wrong).await.problem(422, "validation-failed");
    assert_eq!(french["detail"], "2 fautes ; voyez errors.");
    assert!(french["errors"].to_string().contains("\"doit être de 1 à 100\""), "{french}");
    let wrong = plain("GET", "/v1/challenges?limit=0", None).insert_header(("accept-language", "fr"));
    assert_eq!(app.send(wrong).await.json()["detail"], "/limit: doit être de 1 à 100");
    let page = app.send(plain("GET", "/problems/token-missing", None).insert_header(("accept-language", "fr"))).await;
    assert_eq!(page.header("content-language"), Some("fr"));
    assert!(
        page.text().contains("Connectez-vous d'abord") && page.text().contains("<html lang=fr>"),
        "{}",
        page.text()
    );
    assert!(app.get("/problems/token-missing").await.text().contains("Sign in first"));
}

/// One ship is bent and overlaps another one, and a third has an unknown name.
#[actix_web::test]
async fn a_deployment_is_told_all_that_is_wrong_with_it() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    let wrong = fleets::deployment(&[
        ("carrier", &["A1", "A2", "A3", "A4", "A5"]),
        ("battleship", &["A5", "B5", "B6", "C6"]),
        ("cruisr", &["F1", "F2", "F3"]),
        ("submarine", &["H1", "H2", "H99"]),
        ("destroyer", &["J1", "J2"]),
    ]);
    let refused = anna.acts(&id, wrong).await.problem(422, "illegal-action");
    let faults = refused["errors"].as_array().unwrap().iter();
    let mut told: Vec<_> =
        faults.map(|fault| (fault["pointer"].as_str().unwrap(), fault["code"].as_str().unwrap())).collect();
    told.sort_unstable();
    let expected = [
        ("/action/ships", "ship-missing"),
        ("/action/ships/0/cells", "ships-overlap"),
        ("/action/ships/1/cells", "not-straight"),
        ("/action/ships/1/cells", "ships-overlap"),
        ("/action/ships/2/ship", "unknown-ship"),
        ("/action/ships/3/cells/2", "unknown-cell"),
    ];
    assert_eq!(told, expected);
}

#[actix_web::test]
async fn what_is_wrong_is_said_in_words_that_help() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let challenge = async |terms: Value| {
        let mut body = json!({ "variant": "classic", "clock": { "kind": "none" } });
        body.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        anna.post("/v1/challenges", body).await.problem(422, "validation-failed")["errors"][0].clone()
    };
    let misspelt = challenge(json!({ "variant": "clasic" })).await;
    assert_eq!(misspelt["code"], "unknown-value");
    assert!(misspelt["detail"].as_str().unwrap().ends_with("; near to what is given: classic"), "{misspelt}");
    let misspelt = challenge(json!({ "visibility": "opne" })).await;
    assert!(misspelt["detail"].as_str().unwrap().ends_with("; near to what is given: open"), "{misspelt}");
    let crowded = challenge(json!({ "seats": 3 })).await;
    assert_eq!(crowded["detail"], "must be 2 by these rules");
    let missing = app.get("/v1/variants/clasic").await.problem(404, "not-found");
    assert!(missing["detail"].as_str().unwrap().contains("Near to it: classic"), "{missing}");
    let sent_to = async |path: &'static str, body: &'static str| {
        let kind = ("content-type", "application/json");
        let request = plain("POST", path, None).insert_header(kind).set_payload(body);
        app.send(request).await.problem(400, "malformed-json")["detail"].as_str().unwrap().to_owned()
    };
    let sent = async |body: &'static str| sent_to("/v1/accounts", body).await;
    assert_eq!(sent_to("/v1/records/verify", "").await, "The body is empty; send a JSON object.");
    let cut =
        "The body ends in the middle of its JSON, at line 1, column 12: a bracket or a quotation mark is missing.";
    assert_eq!(sent("{\"username\":").await, cut);
    assert_eq!(sent("{username: 1}").await, "The body is not JSON at line 1, column 2: key must be a string.");
}

/// A spectator of a match gets a specific refusal; a caller without access learns nothing.
#[actix_web::test]
async fn who_only_watches_a_match_is_told_so() {
    let app = TestApp::start().await;
    let (anna, ben, zoe) = (app.player("anna").await, app.player("ben").await, app.player("zoe").await);
    for (terms, status, code) in [(json!({}), 403, "not-a-player"), (json!({ "spectators": false }), 404, "not-found")]
    {
        let id = anna.challenges_and_meets(&ben, terms).await;
        zoe.acts(&id, json!({ "type": "resign" })).await.problem(status, code);
        for method in ["GET", "PUT", "DELETE"] {
            let body = (method == "PUT").then(|| json!({ "revision": 0, "orders": [] }));
            zoe.request(method, &format!("/v1/matches/{id}/standing-orders"), body).await.problem(status, code);
        }
        zoe.post(&format!("/v1/matches/{id}/rematch"), json!({})).await.problem(status, code);
    }
}
