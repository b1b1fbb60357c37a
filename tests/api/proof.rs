//! Proofs instead of trust in the server: committed randomness, self-proving records, and the keys that sign them.

use broadside::clock::Clock;
use broadside::context::{Context, Entropy};
use broadside::db::Db;
use broadside::matches::keys;
use broadside_rules::record;
use diesel::QueryableByName;
use diesel::sql_types::Binary;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use ed25519_dalek::{Signer, SigningKey};
use futures_util::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp, database, plain};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

pub fn record_of(id: &str) -> String {
    format!("/v1/matches/{id}/record")
}

/// A match that Ben resigned in battle: short, and complete.
pub async fn finished(anna: &Player, ben: &Player, terms: Value) -> String {
    let id = anna.challenges_and_meets(ben, terms).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["J6"]).await;
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    id
}

#[actix_web::test]
async fn chance_is_committed_to_before_anybody_joins() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "nonce": "anna's dice" });
    let offered = anna.post("/v1/challenges", offer).await.expect(201);
    let path = format!("/v1/challenges/{}", offered["id"].as_str().unwrap());
    // Nobody reads a nonce before the match exists, not even its author.
    for reader in [&anna, &ben] {
        let seen = reader.get(&path).await;
        assert!(!seen.text().contains("anna's dice"), "{}", seen.text());
        assert_eq!(
            (&seen.json()["seats"][0]["nonce_given"], &seen.json()["seats"][0]["nonce"]),
            (&json!(true), &json!(null))
        );
    }
    let accepted = ben.post(&format!("{path}/accept"), json!({ "nonce": "ben's dice" })).await.expect(200);
    assert_eq!(accepted["chance_commitment"], offered["chance_commitment"]);
    assert_eq!(
        (&accepted["seats"][0]["nonce"], &accepted["seats"][1]["nonce"]),
        (&json!("anna's dice"), &json!("ben's dice"))
    );

    let id = accepted["match_id"].as_str().unwrap();
    let view = ben.sees(id).await;
    assert_eq!(
        (&view["proof"]["chance_commitment"], &view["proof"]["seed"]),
        (&offered["chance_commitment"], &json!(null))
    );
    ben.acts(id, json!({ "type": "resign" })).await.expect(200);
    let proof = anna.sees(id).await["proof"].clone();
    let seed = unhex(proof["seed"].as_str().unwrap());
    assert_eq!(hex(&Sha256::digest(&seed)), offered["chance_commitment"].as_str().unwrap());
    // The first draw decides the first player, computed as documented.
    let mut key = Sha256::new();
    key.update(b"broadside chance 1");
    key.update(&seed);
    for nonce in ["anna's dice", "ben's dice"] {
        key.update([u8::try_from(nonce.len()).unwrap()]);
        key.update(nonce);
    }
    let draw = Sha256::digest([&key.finalize()[..], b"opening", &[0; 4]].concat());
    let started = anna.get(&format!("/v1/matches/{id}/reports")).await.expect(200)["items"][0].clone();
    assert_eq!(started["first"], json!(draw[0] >> 7));
}

#[actix_web::test]
async fn a_wrong_nonce_is_refused() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let offer = |nonce: Value| json!({ "variant": "classic", "clock": { "kind": "none" }, "nonce": nonce });
    for wrong in [json!(""), json!("x".repeat(65)), json!("caf\u{e9}"), json!("two\nlines"), json!(7)] {
        let refused = anna.post("/v1/challenges", offer(wrong)).await;
        assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "invalid-nonce");
        assert_eq!(refused.pointers(), ["/nonce"]);
    }
    let longest = anna.post("/v1/challenges", offer(json!("~".repeat(64)))).await.expect(201);
    let path = format!("/v1/challenges/{}/accept", longest["id"].as_str().unwrap());
    let refused = ben.post(&path, json!({ "nonce": "x".repeat(65) })).await.problem(422, "validation-failed");
    assert_eq!(refused["errors"][0]["code"], "invalid-nonce");
    let idle = ben.post_once("seat", &path, json!({ "nonce": " " })).await;
    let again = ben.post_once("seat", &path, json!({ "nonce": " " })).await;
    assert_eq!((idle.status, &idle.body), (200, &again.body));
    ben.post_once("seat", &path, json!({ "nonce": "!" })).await.problem(422, "idempotency-key-reused");
}

#[actix_web::test]
async fn a_record_is_open_to_each_as_far_as_he_may_know_and_whole_in_the_end() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["J6"]).await;
    let path = record_of(&id);
    for (reader, own) in [(Some(&anna), Some(0)), (Some(&ben), Some(1)), (None, None)] {
        let answer = match reader {
            Some(player) => player.get(&path).await,
            None => app.get(&path).await,
        };
        let record = answer.expect(200);
        assert_eq!((&record["whole"], &record["seed"]), (&json!(false), &json!(null)));
        let seats: Vec<&Value> = record["log"].as_array().unwrap().iter().map(|line| &line["seat"]).collect();
        assert_eq!(
            seats,
            own.map(Value::from).iter().collect::<Vec<_>>(),
            "the player's own deployment, and nothing else"
        );
        let verified = record::verify(&answer.text()).unwrap();
        assert_eq!((verified.whole, verified.opened), (false, seats.len()));
        // The view and the record have the same chain.
        let view = anna.sees(&id).await;
        assert_eq!(view["proof"]["chain_length"], json!(record["reports"].as_array().unwrap().len()));
        assert_eq!(&view["proof"]["chain_head"], record["links"].as_array().unwrap().last().unwrap());
        assert_eq!(view["proof"]["record_key"], record["header"]["key_id"]);
    }
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let whole = app.get(&path).await;
    assert_eq!(anna.get(&path).await.body, whole.body, "everybody has the same");
    let verified = record::verify(&whole.text()).unwrap();
    assert_eq!((verified.whole, verified.opened), (true, 2));
}

#[actix_web::test]
async fn a_match_that_was_called_off_keeps_its_secrets() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.acts(&id, json!({ "type": "abort" })).await.expect(200);
    let answer = ben.get(&record_of(&id)).await;
    let record = answer.expect(200);
    assert_eq!((&record["whole"], &record["seed"], &record["log"]), (&json!(false), &json!(null), &json!([])));
    assert_eq!(ben.sees(&id).await["proof"]["seed"], json!(null));
    record::verify(&answer.text()).unwrap();
}

#[actix_web::test]
async fn a_record_is_named_by_its_etag_and_comes_in_words() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    let path = record_of(&id);
    let ask = async |accept: &str, known: Option<String>, query: &str| {
        let request = plain("GET", &format!("{path}{query}"), None).insert_header(("accept", accept.to_owned()));
        let request = match known {
            Some(etag) => request.insert_header(("if-none-match", etag)),
            None => request,
        };
        app.send(anna.signed(request)).await
    };
    let json = ask("*/*", None, "").await;
    let text = ask("text/plain", None, "").await;
    assert_eq!(json.header("content-type"), Some("application/json"));
    assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(text.header("vary").unwrap().contains("accept"));
    let tags = [json.header("etag").unwrap().to_owned(), text.header("etag").unwrap().to_owned()];
    assert_ne!(tags[0], tags[1]);
    assert_eq!(ask("*/*", Some(tags[0].clone()), "").await.status, 304);
    assert_eq!(ask("text/plain", Some(tags[0].clone()), "").await.status, 200);
    assert_eq!(ask("text/plain", Some(tags[1].clone()), "").await.status, 304);
    assert_eq!(ask("*/*", None, "?format=text").await.body, text.body);
    assert_eq!(ask("text/plain", None, "?format=json").await.body, json.body);
    ask("*/*", None, "?format=yaml").await.problem(422, "validation-failed");
    // Her own fleet is in her text, and not in Ben's.
    assert!(text.text().contains("A1"), "{}", text.text());
    let text = ben.get(&format!("{path}?format=text")).await.text();
    assert!(!text.contains("A1"), "{text}");
    ben.deploys(&id, SOUTH_EAST).await;
    assert_eq!(ask("*/*", Some(tags[0].clone()), "").await.status, 200);
    anna.get(&record_of("0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47")).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_board_stays() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("paper").await;
    let board = anna.get(&format!("/v1/matches/{id}/board")).await;
    assert!(board.header("cache-control").unwrap().contains("immutable"));
    let card = app.get("/v1/variants/paper?seats=2").await.expect(200);
    assert_eq!(board.expect(200), card["board"]);
    for seats in ["1", "3", "300", "x"] {
        let refused = app.get(&format!("/v1/variants/paper?seats={seats}")).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/seats"]);
    }
    let check = json!({ "variant": "paper", "seats": 3 });
    app.post("/v1/rule-sets/check", check).await.problem(422, "validation-failed");
}

// ---- the keys ----

fn keys_of(set: &Value, purpose: &str) -> Vec<String> {
    let keys = set["keys"].as_array().unwrap().iter().filter(|key| key["purpose"] == purpose);
    keys.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn nodes_that_start_at_once_agree_on_the_first_key() {
    let database = database::fresh().await;
    let db = Db::new(&database, 8, None).unwrap();
    let context = Context::new(Clock::system(), db, Entropy::System, None, None, None).await.unwrap();
    let open = |_| keys::RecordKeys::open(&context);
    for opened in join_all((0..8).map(open)).await {
        opened.unwrap();
    }
    let mut connection = AsyncPgConnection::establish(&database).await.unwrap();
    let seeds: Vec<Seed> = diesel::sql_query("SELECT seed FROM record_keys").load(&mut connection).await.unwrap();
    assert_eq!(seeds.len(), 1);
}

#[actix_web::test]
async fn a_record_outlives_its_key() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let old = finished(&anna, &ben, json!({})).await;
    let running = anna.challenges_and_meets(&ben, json!({})).await;
    let before = app.get(&record_of(&old)).await;
    // Of two keys of one millisecond either may be the newest.
    app.passes_unseen_s(1);
    let new_kid = keys::rotate(&app.app.db, &app.app.clock).await.unwrap();
    app.passes_s(300).await;
    let later = finished(&anna, &ben, json!({})).await;
    assert_eq!(app.get(&record_of(&later)).await.json()["header"]["key_id"], json!(new_kid));
    assert_eq!(app.get(&record_of(&old)).await.body, before.body);
    // Matches begun under the old key keep it, even on a node that has never seen it as the newest.
    let old_kid = &before.json()["header"]["key_id"];
    ben.acts(&running, json!({ "type": "resign" })).await.expect(200);
    let record = app.restarted().await.get(&record_of(&running)).await;
    assert_eq!(&record.json()["header"]["key_id"], old_kid);
    record::verify(&record.text()).unwrap();
    // A year and another key later all keys are published, newest first.
    app.passes_s(365 * 86_400).await;
    let newest = keys::rotate(&app.app.db, &app.app.clock).await.unwrap();
    let set = app.get("/.well-known/jwks.json").await.expect(200);
    assert_eq!(keys_of(&set, "records"), [newest, new_kid, old_kid.as_str().unwrap().to_owned()]);
}

#[derive(QueryableByName)]
struct Seed {
    #[diesel(sql_type = Binary)]
    seed: Vec<u8>,
}

#[actix_web::test]
async fn a_key_for_records_makes_no_token() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    anna.get("/v1/account").await.expect(200);
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let row: Seed = diesel::sql_query("SELECT seed FROM record_keys").get_result(&mut connection).await.unwrap();
    let key = SigningKey::from_bytes(&row.seed.try_into().unwrap());
    let set = app.get("/.well-known/jwks.json").await.expect(200);
    let base64 = |bytes: &[u8]| base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, bytes);
    let header = json!({ "typ": "JWT", "alg": "EdDSA", "kid": keys_of(&set, "records")[0] });
    let claims = anna.token.split('.').nth(1).unwrap();
    let message = format!("{}.{claims}", base64(header.to_string().as_bytes()));
    let forged = format!("{message}.{}", base64(&key.sign(message.as_bytes()).to_bytes()));
    anna.with_token(&forged).get("/v1/account").await.problem(401, "token-invalid");
}
