//! Input from real clients: empty bodies, whole numbers with a decimal point, the service's own times, compressed
//! bodies, unknown fields.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use crate::authorization::{Operation, operations, tried};
use crate::rulesets::rows;
use crate::support::{Answer, Player, TestApp, contract, feed_of, plain};

/// Ten hours after the start of the test clock, in the service's format.
const EVENING: &str = "2026-11-21T17:30:00.250Z";

/// The schema of an operation's JSON body.
fn body_schema<'a>(document: &'a Value, operation: &Value) -> Option<&'a Value> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    document.pointer(schema.as_str()?.strip_prefix('#')?)
}

/// The faults of a problem: places and codes.
fn faults(answer: &Answer) -> Vec<(String, String)> {
    let body = answer.json_or_null();
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    let errors = body["errors"].as_array().into_iter().flatten();
    errors.map(|fault| (text(fault, "pointer"), text(fault, "code"))).collect()
}

/// A player with every role, and a session.
async fn officer(app: &TestApp) -> Player {
    let mia = app.player("mia").await;
    app.grants("mia", "moderator").await;
    app.grants("mia", "organizer").await;
    mia
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[actix_web::test]
async fn an_empty_body_says_as_much_as_an_empty_object() {
    let app = TestApp::start().await;
    let mia = officer(&app).await;
    let document = app.get("/openapi.json").await.json();
    let mut optional = 0;
    for operation in operations(&app).await {
        let described = operation.described(&document);
        let Some(schema) = body_schema(&document, described) else { continue };
        let needs_nothing = described["requestBody"]["required"] == false;
        assert!(!needs_nothing || schema["required"].as_array().is_none_or(Vec::is_empty), "{}", operation.id);
        let request = || mia.signed(plain(&operation.method, &operation.path, None));
        let object = mia.request(&operation.method, &operation.path, Some(json!({}))).await;
        for (how, request) in [
            ("no header", request()),
            ("a type", request().insert_header(("content-type", "application/json"))),
            ("another type", request().insert_header(("content-type", "application/x-www-form-urlencoded"))),
        ] {
            let answer = app.send(request.insert_header(("content-length", "0"))).await;
            if operation.id == "verify_record" {
                continue;
            }
            optional += usize::from(needs_nothing);
            assert!(!matches!(answer.status, 400 | 415), "{} with {how}: {}", operation.id, answer.text());
            assert_eq!(faults(&answer), faults(&object), "{} with {how}: {}", operation.id, answer.text());
        }
    }
    assert!(optional > 90, "{optional}");
    // An unreadable media type is refused as before.
    let text = mia.signed(plain("PATCH", "/v1/account", None)).insert_header(("content-type", "text/plain"));
    app.send(text.set_payload("{}")).await.problem(415, "unsupported-media-type");
}

/// The same value, with whole numbers as `7.0`.
fn with_points(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_u64() => json!(number.as_f64().unwrap()),
        Value::Array(list) => list.iter().map(with_points).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), with_points(value))).collect(),
        other => other.clone(),
    }
}

#[actix_web::test]
async fn a_whole_number_may_have_a_point() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    let challenge = r#"{"variant": "classic", "seats": 2.0, "expires_in_s": 8.64e4,
        "clock": {"kind": "per-move", "move_s": 259200.0}}"#;
    let json_type = ("content-type", "application/json");
    let sent = anna.signed(plain("POST", "/v1/challenges", None)).insert_header(json_type).set_payload(challenge);
    assert_eq!(app.send(sent).await.expect(201)["clock"]["move_s"], 259_200);
    let order = format!(r#"{{"version": {}.0, "action": {{"type": "deploy-auto"}}}}"#, anna.sees(&id).await["version"]);
    let path = format!("/v1/matches/{id}/actions");
    let sent = anna.signed(plain("POST", &path, None)).insert_header(json_type).set_payload(order);
    app.send(sent).await.expect(200);
    let broken = r#"{"variant": "classic", "seats": 2.5, "clock": {"kind": "none"}}"#;
    let sent = anna.signed(plain("POST", "/v1/challenges", None)).insert_header(json_type).set_payload(broken);
    assert_eq!(faults(&app.send(sent).await), [("/seats".to_owned(), "invalid-value".to_owned())]);
}

#[actix_web::test]
async fn every_operation_takes_whole_numbers_with_a_point() {
    let app = TestApp::start().await;
    let mia = officer(&app).await;
    let mut tried_with_numbers = 0;
    for operation in operations(&app).await {
        let Some(example) = &operation.body else { continue };
        let with_points = with_points(example);
        if *example == with_points {
            continue;
        }
        tried_with_numbers += 1;
        let answer = mia.request(&operation.method, &operation.path, Some(with_points)).await;
        let wrong: Vec<_> = faults(&answer).into_iter().filter(|(_, code)| code.starts_with("invalid")).collect();
        assert!(wrong.is_empty() && answer.status != 400, "{}: {}", operation.id, answer.text());
        assert_ne!(answer.json_or_null()["code"], "invalid-rule-set", "{}", answer.text());
    }
    assert!(tried_with_numbers > 15, "{tried_with_numbers}");
}

fn is_time(document: &Value, schema: &Value) -> bool {
    let own = schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?)).unwrap_or(schema);
    let either = own["oneOf"].as_array().into_iter().flatten();
    own["format"] == "date-time" || either.into_iter().any(|one| is_time(document, one))
}

#[actix_web::test]
async fn every_time_is_taken_as_the_service_gives_it() {
    let app = TestApp::start().await;
    let mia = officer(&app).await;
    let document = app.get("/openapi.json").await.json();
    let (mut parameters, mut fields) = (0, 0);
    for operation in operations(&app).await {
        let described = operation.described(&document);
        for parameter in described["parameters"].as_array().into_iter().flatten() {
            let parameter = contract::resolved(&document, parameter);
            if parameter["in"] == "query" && is_time(&document, &parameter["schema"]) {
                parameters += 1;
                let name = parameter["name"].as_str().unwrap();
                for time in [EVENING, "2026-11-21T19:30:00.25%2B02:00", "2026-11-21T17:30:00.250123Z"] {
                    let pool = if operation.path.contains("fair-play") { "pool=classic-days&" } else { "" };
                    mia.get(&format!("{}?{pool}{name}={time}", operation.path)).await.expect(200);
                }
            }
        }
        let Some(schema) = body_schema(&document, described) else { continue };
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if is_time(&document, field) {
                fields += 1;
                let mut body = operation.body.clone().unwrap_or_default();
                body[name] = json!(EVENING);
                let answer = mia.request(&operation.method, &operation.path, Some(body)).await;
                let pointer = format!("/{name}");
                let refused = faults(&answer).contains(&(pointer, "invalid-value".to_owned()));
                assert!(!refused, "{}: {}", operation.id, answer.text());
            }
        }
    }
    assert!(parameters >= 5 && fields >= 4, "{parameters} parameters, {fields} fields");
    // The answer can be sent back as a request.
    let cup = json!({ "title": "Autumn cup", "format": "round-robin", "variant": "classic",
        "clock": { "kind": "per-move", "move_s": 86_400 }, "starts_at": EVENING });
    assert_eq!(mia.post("/v1/tournaments", cup).await.expect(201)["starts_at"], EVENING);
    let listed = mia.get(&format!("/v1/tournaments?starts_from={EVENING}")).await.expect(200);
    assert!(listed["items"].as_array().unwrap().iter().any(|cup| cup["title"] == "Autumn cup"), "{listed}");
    assert_eq!(mia.get(&format!("/v1/tournaments?starts_until={EVENING}")).await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn a_body_may_be_compressed() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let sends = |encoding: &str, bytes: Vec<u8>| {
        let request = anna.signed(plain("POST", "/v1/challenges", None));
        let request = request.insert_header(("content-type", "application/json"));
        app.send(request.insert_header(("content-encoding", encoding.to_owned())).set_payload(bytes))
    };
    let challenge = r#"{"variant": "classic", "clock": {"kind": "none"}}"#;
    sends("gzip", gzip(challenge)).await.expect(201);
    sends("GZip", gzip(challenge)).await.expect(201);
    sends("identity", challenge.as_bytes().to_vec()).await.expect(201);
    // Short when compressed, long in memory: reading stops at the limit.
    sends("gzip", gzip(&" ".repeat(64 * 1024 + 1))).await.problem(413, "content-too-large");
    sends("gzip", gzip(&" ".repeat(50_000_000))).await.problem(413, "content-too-large");
    sends("gzip", challenge.as_bytes().to_vec()).await.problem(400, "malformed-json");
    let whole = gzip(challenge);
    sends("gzip", whole[..whole.len() - 6].to_vec()).await.problem(400, "malformed-json");
    for encoding in ["br", "deflate", "zstd", "gzip, gzip", "gzip, br"] {
        let refused = sends(encoding, gzip(challenge)).await;
        refused.problem(415, "unsupported-content-encoding");
        assert_eq!(refused.header("accept-encoding"), Some("gzip"), "{encoding}");
    }
    // A repetition is recognized by its content, not by its compression.
    let with_key = |request: actix_web::test::TestRequest| {
        anna.signed(request).insert_header(("content-type", "application/json")).insert_header(("idempotency-key", "1"))
    };
    let post = || plain("POST", "/v1/challenges", None);
    let packed = with_key(post()).insert_header(("content-encoding", "gzip")).set_payload(gzip(challenge));
    let first = app.send(packed).await.expect(201);
    assert_eq!(app.send(with_key(post()).set_payload(challenge)).await.expect(201)["id"], first["id"]);
}

#[actix_web::test]
async fn every_operation_answers_an_unknown_field_as_it_says() {
    let app = TestApp::start().await;
    let mia = officer(&app).await;
    let document = app.get("/openapi.json").await.json();
    let mut bodies = 0;
    for operation in operations(&app).await {
        let described = operation.described(&document);
        if !described["requestBody"].is_object() {
            assert_ne!(operation.method, "POST", "{}", operation.id);
            continue;
        }
        // Every answer must be documented: each exchange is checked against the contract.
        let mut body = operation.body.clone().unwrap_or_else(|| json!({}));
        body["no_such_field"] = json!(1);
        let answer = mia.request(&operation.method, &operation.path, Some(body)).await;
        if operation.id != "verify_record" {
            bodies += 1;
            let unknown = ("/no_such_field".to_owned(), "unknown-field".to_owned());
            assert!(faults(&answer).contains(&unknown), "{}: {} {}", operation.id, answer.status, answer.text());
        }
    }
    assert!(bodies > 90, "{bodies}");
}

impl Operation {
    /// The operation's entry in the contract.
    pub fn described<'a>(&self, document: &'a Value) -> &'a Value {
        let items = document["paths"].as_object().unwrap().values().filter_map(Value::as_object);
        items.flat_map(Map::values).find(|operation| operation["operationId"] == *self.id).unwrap()
    }
}

#[actix_web::test]
async fn what_may_be_asked_for_again_is_named() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    for player in [&anna, &ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let hash = anna.publishes("Thirteen rows", rows(13)).await;
    let feed = feed_of(&anna).await;
    let document = app.get("/openapi.json").await.json();
    let mut named = 0;
    for ended in [false, true] {
        if ended {
            ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
        }
        for (path, item) in document["paths"].as_object().unwrap() {
            if item["get"]["responses"].get("304").is_none() {
                continue;
            }
            let path = path.replace("{id}", if path.contains("variants") { "classic" } else { &id });
            let path = path.replace("{hash}", &hash).replace("{token}", &feed);
            let first = anna.get(&path).await;
            let Some(etag) = first.header("etag").filter(|_| first.status == 200) else {
                panic!("{path} has no ETag, ended: {ended}: {} {}", first.status, first.text());
            };
            named += 1;
            let again = anna.signed(plain("GET", &path, None)).insert_header(("if-none-match", etag));
            let again = app.send(again).await;
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}, ended: {ended}");
        }
    }
    assert!(named >= 16, "{named}");
}

#[actix_web::test]
async fn a_token_without_the_scope_is_told_which_one_is_missing() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let body = json!({ "name": "reader", "scopes": ["matches:read"] });
    let made = anna.post("/v1/account/tokens", body).await.expect(201);
    let reader = anna.with_token(made["token"].as_str().unwrap());
    let mut refused = 0;
    for operation in operations(&app).await {
        let answer = tried(&app, &operation, Some(&reader.token)).await;
        let code = answer.json_or_null()["code"].clone();
        if code == "insufficient-scope" {
            refused += 1;
            let scope = operation.scope().unwrap();
            let told = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
            assert_eq!(answer.header("www-authenticate"), Some(told.as_str()), "{}", operation.id);
        } else if answer.status == 403 {
            assert_eq!(answer.header("www-authenticate"), None, "{}", operation.id);
        }
    }
    assert!(refused > 60, "{refused}");
    // The same for a scope that only part of an operation needs.
    let lists = reader.get("/v1/challenges?mine=true").await;
    lists.problem(403, "insufficient-scope");
    assert_eq!(lists.header("www-authenticate"), Some("Bearer error=\"insufficient_scope\", scope=\"lobby:read\""));
}
