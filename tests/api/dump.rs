//! The dump of a month: it holds only public data, and can be verified without the service.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use broadside::dump;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp};

/// The tests begin in November 2026.
const MONTH: &str = "2026-11";
const THREE_WEEKS_S: i64 = 21 * 86_400;

/// A match that Anna resigns after the first shots.
async fn given_up(anna: &Player, ben: &Player, terms: Value) -> String {
    anna.app.passes_unseen_s(1); // so that the matches have an order
    let id = anna.challenges_and_meets(ben, terms).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    id
}

async fn dumped(app: &TestApp, month: &str, folder: &Path) -> Result<u64, String> {
    dump::write(&app.app.matches, month.parse().unwrap(), folder).await.map(|manifest| manifest.matches)
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[actix_web::test]
async fn a_month_is_dumped_whole_and_without_a_name() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let open = given_up(&anna, &ben, json!({})).await;
    let closed = given_up(&anna, &ben, json!({ "spectators": false })).await;
    let called_off = anna.challenges_and_meets(&ben, json!({})).await;
    anna.acts(&called_off, json!({ "type": "abort" })).await.expect(200);
    let running = anna.challenges_and_meets(&ben, json!({})).await;
    let folder = TempDir::new().unwrap();
    let [first, second, early] = ["first", "second", "early"].map(|name| folder.path().join(name));
    let refused = dumped(&app, MONTH, &early).await.unwrap_err();
    assert!(refused.contains("2026-11 is not over") && !early.exists(), "{refused}");

    app.passes_unseen_s(THREE_WEEKS_S);
    let later = given_up(&anna, &ben, json!({})).await;
    assert_eq!(dumped(&app, MONTH, &first).await, Ok(2));

    // The lines are a stranger's view, byte for byte.
    let records = unpacked(&first.join("records.ndjson.gz"));
    let lines: Vec<&str> = records.lines().collect();
    for (line, id) in lines.iter().zip([&open, &closed]) {
        assert_eq!(line.as_bytes(), app.get(&format!("/v1/matches/{id}/record")).await.body, "{id}");
    }
    let texts = unpacked(&first.join("texts.txt.gz"));
    assert!(texts.contains("Player 1") && texts.contains(&open) && texts.contains(&closed), "{texts}");
    let everything = records.clone() + &texts;
    for absent in ["anna", "ben", &called_off, &running, &later] {
        assert!(!everything.contains(absent), "{absent}");
    }

    // The folder is enough to verify it.
    let record = folder.path().join("record.json");
    std::fs::write(&record, lines[0]).unwrap();
    let mut verify = Command::new(env!("CARGO_BIN_EXE_broadside"));
    verify.arg("verify").arg(&record).arg("--keys").arg(first.join("keys.json"));
    let verified = verify.output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let manifest: Value = serde_json::from_slice(&std::fs::read(first.join("manifest.json")).unwrap()).unwrap();
    assert_eq!((&manifest["month"], &manifest["matches"]), (&json!(MONTH), &json!(2)));
    for name in ["records.ndjson.gz", "texts.txt.gz", "keys.json"] {
        let bytes = std::fs::read(first.join(name)).unwrap();
        assert_eq!(manifest["files"][name]["bytes"], bytes.len(), "{name}");
    }

    // A finished dump stays unchanged, also when a player leaves, and is never overwritten.
    let proof = json!({ "username": "anna", "password": anna.password });
    let session = app.post("/v1/sessions", proof).await.expect(201);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    assert_eq!(dumped(&app, MONTH, &second).await, Ok(2));
    for name in ["records.ndjson.gz", "texts.txt.gz", "keys.json", "manifest.json"] {
        assert_eq!(std::fs::read(first.join(name)).unwrap(), std::fs::read(second.join(name)).unwrap(), "{name}");
    }
    assert!(dumped(&app, MONTH, &first).await.unwrap_err().contains("not empty"));
    let nothing = folder.path().join("nothing");
    assert_eq!(dumped(&app, "2026-10", &nothing).await, Ok(0));
    assert_eq!(unpacked(&nothing.join("records.ndjson.gz")), "");
}
