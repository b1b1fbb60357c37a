//! `broadside verify` as a process: it accepts good records of every variant, and locates the faults of others.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use broadside::matches::keys;
use broadside_rules::variants;
use serde_json::{Value, json};

use crate::proof::{finished, record_of};
use crate::support::{Player, TestApp, plays_out, seven_people};

fn verify(arguments: &[&str], folder: &Path, input: Option<&[u8]>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    command.arg("verify").args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.unwrap_or_default()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[actix_web::test]
async fn the_command_proves_a_record_of_every_variant() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let folder = tempfile::tempdir().unwrap();
    let set = app.get("/.well-known/jwks.json").await;
    std::fs::write(folder.path().join("jwks.json"), &set.body).unwrap();
    for variant in variants() {
        let seats = usize::from(variant.seats().0 + 1).min(usize::from(variant.seats().1));
        let players: Vec<&Player> = people.iter().take(seats).collect();
        let id = players[0]
            .sits_down_with(&players[1..], json!({ "variant": variant.id }), &[json!({ "nonce": "a" })])
            .await;
        plays_out(&players, &id, 4000).await;
        let record = app.get(&record_of(&id)).await;
        std::fs::write(folder.path().join("record.json"), &record.body).unwrap();
        let output = verify(&["record.json", "--keys", "jwks.json"], folder.path(), None);
        assert_eq!(output.status.code(), Some(0), "{}: {}", variant.id, said(&output));
        let text = said(&output);
        for part in [variant.id, &id, "Proven", "Not proven", "is among the published keys"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        // One changed word is found.
        let mut altered = record.json();
        let first = altered["reports"][0]["first"].as_u64().unwrap();
        altered["reports"][0]["first"] = json!((first + 1) % seats as u64);
        let altered = altered.to_string();
        let output = verify(&["-"], folder.path(), Some(altered.as_bytes()));
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("at /reports/0"), "{}", said(&output));
    }
}

#[actix_web::test]
async fn the_command_says_what_is_not_proven() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    let record = app.get(&record_of(&id)).await.body;
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let ask = |arguments: &[&str]| verify(arguments, folder.path(), None);
    put("record.json", &record);
    let kid = app.get(&record_of(&id)).await.json()["header"]["key_id"].as_str().unwrap().to_owned();
    let alone = ask(&["record.json"]);
    assert_eq!(alone.status.code(), Some(0), "{}", said(&alone));
    assert!(
        said(&alone).starts_with("The record is consistent with itself; whose key signed it is not known"),
        "{}",
        said(&alone)
    );
    let commitment = app.get(&record_of(&id)).await.json()["header"]["chance_commitment"].as_str().unwrap().to_owned();
    for part in [
        &kid,
        &commitment,
        "whose key it is",
        "they sign nothing",
        "`auto`",
        "before the nonces",
        "nobody who runs the service",
    ] {
        assert!(
            said(&alone).split_once("Not proven").unwrap().1.contains(part) || part == kid,
            "{part}: {}",
            said(&alone)
        );
        assert!(said(&alone).contains(part), "{part}: {}", said(&alone));
    }

    // A match that was called off is reported as such.
    let off = anna.challenges_and_meets(&ben, json!({})).await;
    anna.acts(&off, json!({ "type": "abort" })).await.expect(200);
    put("off.json", &app.get(&record_of(&off)).await.body);
    put("jwks.json", &app.get("/.well-known/jwks.json").await.body);
    let off = ask(&["off.json", "--keys", "jwks.json"]);
    assert_eq!(off.status.code(), Some(0), "{}", said(&off));
    assert!(said(&off).starts_with("The record holds:"), "{}", said(&off));
    assert!(said(&off).contains("The match was called off") && !said(&off).contains("whose key"), "{}", said(&off));
}

#[actix_web::test]
async fn the_command_says_what_is_wrong() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    let record = app.get(&record_of(&id)).await.body;
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let ask = |arguments: &[&str]| verify(arguments, folder.path(), None);
    put("record.json", &record);

    // Altered, truncated, or no record at all: exit status 1, and the place.
    let mut altered: Value = serde_json::from_slice(&record).unwrap();
    altered["log"][1]["action"]["ships"][0]["cells"][0] = json!("J1");
    put("altered.json", altered.to_string().as_bytes());
    put("cut.json", &record[..record.len() / 2]);
    put("words.json", b"Shall we play?");
    put("bytes.json", &[0xff, 0xfe, 0x00]);
    put("deep.json", "[".repeat(1_000_000).as_bytes());
    put("list.json", b"[]");
    put("empty.json", b"");
    for (file, place) in [
        ("altered.json", "at /log/1"),
        ("cut.json", "record-truncated"),
        ("words.json", "record-not-json"),
        ("bytes.json", "record-not-json"),
        ("deep.json", "at the record"),
        ("list.json", "at the record"),
        ("empty.json", "record-truncated"),
    ] {
        let output = ask(&[file]);
        assert_eq!(output.status.code(), Some(1), "{file}: {}", said(&output));
        assert!(said(&output).contains(place), "{file}: {}", said(&output));
        assert!(!said(&output).contains("Proven"), "{file}: {}", said(&output));
    }

    // Nothing to judge: exit status 2, and a sentence.
    let huge = std::fs::File::create(folder.path().join("huge.json")).unwrap();
    huge.set_len(16 * 1024 * 1024 + 1).unwrap();
    put("no-keys.json", b"{}");
    for (arguments, part) in [
        (&["huge.json"] as &[&str], "16 MiB"),
        (&["missing.json"], "missing.json"),
        (&["."], "directory"),
        (&["record.json", "--keys", "missing.json"], "missing.json"),
        (&["record.json", "--keys", "no-keys.json"], "Key Set"),
        (&["record.json", "--keys", "words.json"], "words.json"),
        (&[], "FILE"),
    ] {
        let output = ask(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{arguments:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{}", said(&output));
    }
}

#[actix_web::test]
async fn the_command_knows_whose_key_it_is() {
    let app = TestApp::start().await;
    let elsewhere = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    put("record.json", &app.get(&record_of(&id)).await.body);
    // The key has been replaced since, but is still published.
    keys::rotate(&app.app.db, &app.app.clock).await.unwrap();
    let ours = app.get("/.well-known/jwks.json").await;
    put("ours.json", &ours.body);
    put("theirs.json", &elsewhere.get("/.well-known/jwks.json").await.body);
    let mut for_tokens = ours.json();
    for key in for_tokens["keys"].as_array_mut().unwrap() {
        key["purpose"] = json!("tokens");
    }
    put("for-tokens.json", for_tokens.to_string().as_bytes());
    for (keys, code, part) in [
        ("ours.json", 0, "is among the published keys"),
        ("theirs.json", 1, "at /signature/key"),
        ("for-tokens.json", 1, "record-unknown-key"),
    ] {
        let output = verify(&["record.json", "--keys", keys], folder.path(), None);
        assert_eq!(output.status.code(), Some(code), "{keys}: {}", said(&output));
        assert!(said(&output).contains(part), "{keys}: {}", said(&output));
    }
}
