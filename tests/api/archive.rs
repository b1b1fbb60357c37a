//! The archive: logs of matches that ended long ago leave the tables, without any visible change.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use broadside::archive::ArchiveSettings;
use broadside::ids::MatchId;
use broadside::matches::archive::{check, pack, restore};
use broadside::matches::audit;
use broadside::{dump, ratings};
use broadside_rules::variants;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::proof::finished;
use crate::support::database::execute;
use crate::support::{Answer, Player, Setup, TestApp, plays_out, seven_people};

/// Longer than logs stay in the tables, in seconds.
pub const LONG_S: i64 = 91 * 86_400;

pub fn archive_in(folder: &Path) -> ArchiveSettings {
    ArchiveSettings { url: format!("file://{}", folder.display()).parse().unwrap(), aws: Vec::new(), after_days: 90 }
}

pub async fn with(archive: ArchiveSettings) -> TestApp {
    Box::pin(TestApp::with(Setup { archive: Some(archive), ..Setup::default() })).await
}

/// Another node of the service, with an empty cache.
pub async fn node(app: &TestApp, archive: ArchiveSettings) -> TestApp {
    let setup = Setup { archive: Some(archive), ..Setup::default() };
    Box::pin(TestApp::on(app.database.clone(), Arc::clone(&app.clock), setup)).await
}

/// Asserts this number of rows.
pub async fn counts(app: &TestApp, rows: &str, count: usize) {
    execute(&app.database, &format!("SELECT 1 / (count(*) = {count})::int FROM {rows}")).await;
}

/// Packs the due matches; returns their number.
pub async fn packs(app: &TestApp) -> u32 {
    pack::run(&app.app.matches).await.unwrap().matches
}

pub fn id_of(id: &str) -> MatchId {
    id.parse().unwrap()
}

/// The readable documents of a match.
fn pages(app: &TestApp, id: &str) -> Vec<String> {
    let of = |what: &str| format!("/v1/matches/{id}{what}");
    let parts = ["", "/clock", "/board", "/record", "/record?format=text", "/reports", "/rating-changes", "/notes"];
    let mut pages: Vec<String> = parts.iter().map(|part| of(part)).collect();
    pages.push(of(&format!("/reports?after={}&limit=3", app.cursor(2))));
    pages.extend(
        ["/standing-orders", "/substitutions", "/chat/players", "/chat/spectators"].iter().map(|part| of(part)),
    );
    pages
}

/// Lists and profiles that mention matches.
const LISTS: [&str; 5] = [
    "/v1/matches?limit=100",
    "/v1/matches?player=anna&status=finished",
    "/v1/players/anna",
    "/v1/players/anna/statistics",
    "/v1/players/ben/opponents",
];

/// Status, body and tag of an answer. A problem has the id of its request, so its code stands for it.
type Read = (u16, Vec<u8>, Option<String>);

fn read(answer: &Answer) -> Read {
    let problem = || answer.json()["code"].to_string().into_bytes();
    let body = if answer.status < 400 { answer.body.clone() } else { problem() };
    (answer.status, body, answer.header("etag").map(str::to_owned))
}

/// All reads of these matches, by each player and without an account.
async fn all_reads(app: &TestApp, people: &[Player], ids: &[String]) -> BTreeMap<String, Read> {
    let mut reads = BTreeMap::new();
    let matches = ids.iter().flat_map(|id| pages(app, id));
    for page in matches.chain(LISTS.iter().map(|list| (*list).to_owned())) {
        reads.insert(format!("anybody {page}"), read(&app.get(&page).await));
        for player in people {
            reads.insert(format!("{} {page}", player.name), read(&player.at(app).get(&page).await));
        }
    }
    reads
}

#[actix_web::test]
async fn everybody_reads_an_archived_match_as_before() {
    let folder = TempDir::new().unwrap();
    let app = with(archive_in(folder.path())).await;
    let people: Vec<Player> = seven_people(&app).await.into_iter().take(4).collect();
    let mut ids = Vec::new();
    let mut families = std::collections::BTreeSet::new();
    for variant in variants() {
        let family = serde_json::to_value(variant.rule_set()).unwrap()["family"].to_string();
        let seats = usize::from(variant.seats().0 + 1).min(usize::from(variant.seats().1)).min(people.len());
        if !families.insert((family, seats > 2)) {
            continue;
        }
        let players: Vec<&Player> = people.iter().take(seats).collect();
        let terms = json!({ "variant": variant.id, "spectators": ids.len() % 2 == 0 });
        let id = players[0].sits_down_with(&players[1..], terms, &[json!({ "nonce": "a" })]).await;
        plays_out(&players, &id, 4000).await;
        ids.push(id);
    }
    assert!(families.len() >= 3, "{families:?}");
    let called_off = people[0].challenges_and_meets(&people[1], json!({})).await;
    people[0].acts(&called_off, json!({ "type": "abort" })).await.expect(200);
    ids.push(called_off);
    ids.push(rated(&people[0], &people[1]).await);
    let running = people[0].challenges_and_meets(&people[1], json!({ "clock": { "kind": "none" } })).await;

    assert_eq!(packs(&app).await, 0, "they are just over");
    app.passes_unseen_s(LONG_S);
    let before = all_reads(&app, &people, &ids).await;
    assert_eq!(packs(&app).await, u32::try_from(ids.len()).unwrap());
    counts(&app, &format!("match_log WHERE match_id <> '{running}'"), 0).await;
    counts(&app, "matches WHERE rule_set = 'null'", ids.len()).await;
    assert_eq!(packs(&app).await, 0, "all is done");
    // On this node, which has some of it cached, and on a fresh one.
    let fresh = node(&app, archive_in(folder.path())).await;
    for app in [&app, &fresh] {
        let after = all_reads(app, &people, &ids).await;
        for (page, read) in &before {
            assert_eq!(after.get(page), Some(read), "{page}");
        }
    }
    people[0].at(&fresh).sees(&running).await;

    // After a restore to the tables everything is the same, and stays there as long as a match that has just ended.
    for id in &ids {
        assert!(restore(&fresh.app.matches, id_of(id)).await.unwrap());
        assert!(!restore(&fresh.app.matches, id_of(id)).await.unwrap(), "it is there");
    }
    counts(&app, "matches WHERE rule_set = 'null'", 0).await;
    let restored = node(&app, archive_in(&folder.path().join("is not needed"))).await;
    assert_eq!(all_reads(&restored, &people, &ids).await, before);
    assert_eq!(packs(&app).await, 0);
    app.passes_unseen_s(LONG_S);
    assert_eq!(packs(&app).await, u32::try_from(ids.len()).unwrap());
    assert_eq!(check::verify(&app.app.matches).await.unwrap().faults, Vec::<String>::new());
}

async fn rated(anna: &Player, ben: &Player) -> String {
    let id = anna.begins_rated(ben).await;
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    id
}

/// Three rated, archived matches, their players and the clock.
async fn club(folder: &Path) -> (TestApp, Vec<Player>, Vec<String>) {
    let app = with(archive_in(folder)).await;
    let people = seven_people(&app).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        app.passes_unseen_s(1);
        ids.push(rated(&people[0], &people[1]).await);
    }
    app.passes_unseen_s(LONG_S);
    assert_eq!(packs(&app).await, 3);
    (app, people, ids)
}

#[actix_web::test]
async fn what_operators_and_moderators_do_works_on_archived_matches() {
    let folder = TempDir::new().unwrap();
    let (app, people, ids) = club(folder.path()).await;
    let app = node(&app, archive_in(folder.path())).await;
    app.grants("gina", "moderator").await;
    let (anna, gina) = (people[0].at(&app), people[6].at(&app));

    let findings = audit::audit(&app.app.matches, None).await.unwrap();
    assert_eq!((findings.matches, findings.faults), (3, Vec::new()));
    for pool in ratings::verify::pools(&app.app.db).await.unwrap() {
        assert!(ratings::verify::verify(&app.app.db, &pool).await.unwrap().wrong.is_none());
    }
    let dumped = folder.path().join("dump");
    let manifest = dump::write(&app.app.matches, "2026-11".parse().unwrap(), &dumped).await.unwrap();
    assert_eq!(manifest.matches, 3);

    // A decision on a match is stored beside its log; the log stays in the archive.
    let path = format!("/v1/moderation/matches/{}/annul", ids[0]);
    gina.post(&path, json!({ "reason": "a bet" })).await.expect(204);
    let changes = anna.get(&format!("/v1/matches/{}/rating-changes", ids[0])).await.expect(200);
    assert!(changes.to_string().contains("annulment"), "{changes}");
    counts(&app, "archived_matches WHERE restored_at IS NULL", 3).await;
    let findings = audit::audit(&app.app.matches, None).await.unwrap();
    assert_eq!(findings.faults, Vec::<String>::new());
    // The hit analysis reads logs.
    gina.get("/v1/moderation/players/anna/hit-analysis").await.expect(200);
    anna.post(&format!("/v1/matches/{}/rematch", ids[1]), json!({})).await.expect(200);
    anna.acts(&ids[1], json!({ "type": "resign" })).await.problem(422, "match-over");
}

#[actix_web::test]
async fn a_name_goes_with_its_account_and_was_never_in_the_archive() {
    let folder = TempDir::new().unwrap();
    let (app, people, ids) = club(folder.path()).await;
    let ben = people[1].signed_in().await;
    ben.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    broadside::account_deletion::round(&app.app).await.unwrap();
    let fresh = node(&app, archive_in(folder.path())).await;
    for node in [&app, &fresh] {
        for page in ["", "/record", "/record?format=text"] {
            let answer = node.get(&format!("/v1/matches/{}{page}", ids[0])).await;
            assert_eq!(answer.status, 200);
            assert!(!answer.text().contains("ben"), "{}", answer.text());
        }
    }
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let text = unpacked(&file.unwrap().path());
        assert!(text.contains(&ben.id) && text.contains(&ids[0]));
        for name in ["\"anna\"", "\"ben\""] {
            assert!(!text.contains(name), "{text}");
        }
    }
}

/// All lines of an archive object.
pub fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(file), &mut text).unwrap();
    text
}

/// Runs a command on a test's database; returns its success and output.
pub async fn broadside(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    command.args(arguments);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[actix_web::test]
async fn the_commands_say_what_is_where() {
    let folder = TempDir::new().unwrap();
    let app = with(archive_in(folder.path())).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    // The commands use the machine's clock, so for them the end is long ago.
    execute(&app.database, "UPDATE match_heads SET finished_at = now() - interval '100 days'").await;
    let url = format!("file://{}", folder.path().display());
    let archive = ["--database-url", &app.database, "--archive", &url];
    let run = async |words: &[&str]| Box::pin(broadside(&[words, &archive[..]].concat())).await;
    let status = async || Box::pin(broadside(&["archive", "status", "--database-url", &app.database])).await;

    let (_, said) = status().await;
    assert!(said.contains("1 that are over in the database") && said.contains("0 in the archive"), "{said}");
    let (done, said) = run(&["archive", "status"]).await;
    assert!(done && said.contains("0 in the archive") && said.contains(&format!("{url} answers")), "{said}");
    let elsewhere = ["archive", "status", "--database-url", &app.database, "--archive", "file:///nowhere/at/all"];
    let (done, said) = Box::pin(broadside(&elsewhere)).await;
    assert!(!done && said.contains("file:///nowhere/at/all can't be reached"), "{said}");
    let (done, said) = run(&["archive", "run", "--archive-after-days", "101"]).await;
    assert!(done && said.contains("0 matches packed"), "{said}");
    let (done, said) = run(&["archive", "run"]).await;
    assert!(done && said.contains("1 matches packed into 1 objects"), "{said}");
    let (_, said) = status().await;
    assert!(said.contains("0 that are over in the database") && said.contains("1 in the archive"), "{said}");
    let (sound, said) = run(&["archive", "verify"]).await;
    assert!(sound && said.contains("1 objects, 1 matches") && said.contains(" 0 faults"), "{said}");
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let (sound, said) = broadside(&["archive", "verify", "--file", file.to_str().unwrap()]).await;
    assert!(sound && said.contains("1 matches, signed with the key"), "{said}");
    let (back, said) = run(&["archive", "restore", &id]).await;
    assert!(back && said.contains("is back in the database"), "{said}");
    counts(&app, "match_log", 5).await;

    // The object holds the same entries as the match's record.
    let line: Value = serde_json::from_str(unpacked(&file).lines().next().unwrap()).unwrap();
    let record = app.get(&format!("/v1/matches/{id}/record")).await.expect(200);
    assert_eq!((&line["format"], &line["header"]), (&json!("broadside-archive"), &record["header"]));
    assert_eq!((&line["chance_seed"], &line["record_key"]), (&record["seed"], &record["signature"]["key"]));
}
