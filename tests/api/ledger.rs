//! The ledger of ratings from the operator's side: annulments add rows, and forgeries are found.

use broadside::accounts::roles::Actor;
use broadside::audit_log::{self, AuditEntry, AuditKind, AuditSubject};
use broadside::error::Result;
use broadside::ids::MatchId;
use broadside::ratings::{Note, Ranks, RatingChange, corrections, rate};
use serde_json::json;

use crate::ratings::{close, duellists, wrong};
use crate::support::{TestApp, database};

/// Annuls a match, as a command or a moderator does.
pub async fn annulled(app: &TestApp, id: MatchId, note: &Note) -> Result<Vec<RatingChange>> {
    let mut tx = app.app.db.begin().await?;
    let changes = corrections::annul(&mut tx, id, note, app.app.clock.now()).await?;
    broadside::events::notify(&mut tx, &app.app, rate::told(&changes)?).await?;
    tx.commit().await?;
    Ok(changes)
}

/// Adjudicates a match: `places` are by seat.
pub async fn adjudicated(app: &TestApp, id: MatchId, places: &[u8], note: &Note) -> Result<Vec<RatingChange>> {
    let mut tx = app.app.db.begin().await?;
    let places = Ranks::new(places.to_vec()).unwrap();
    let changes = corrections::adjudicate(&mut tx, id, &places, note, app.app.clock.now()).await?;
    let reason = note.as_str().parse().unwrap();
    let entry = AuditEntry {
        kind: AuditKind::MatchAdjudicated,
        subject: AuditSubject::match_id(id),
        reason,
        details: json!({}),
    };
    audit_log::append(&mut tx, &app.app, Actor::OPERATOR, entry).await?;
    broadside::events::notify(&mut tx, &app.app, rate::told(&changes)?).await?;
    tx.commit().await?;
    Ok(changes)
}

#[actix_web::test]
async fn an_annulled_match_is_compensated_once_and_nothing_is_rewritten() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let sold = anna.beats(&ben).await;
    let second = ben.beats(&anna).await;
    let before = anna.ledger("classic-days").await;
    // A node with the match in its cache must not go on showing the old result.
    let other = app.another_node().await;
    assert_eq!(other.get(&format!("/v1/matches/{sold}")).await.expect(200)["result"]["annulled"], false);

    let note: Note = "one person in two seats".parse().unwrap();
    let id = sold.parse().unwrap();
    // On both nodes at once; one of them does it.
    let (one, two) = futures_util::future::join(annulled(&app, id, &note), annulled(&other, id, &note)).await;
    let done: Vec<usize> = vec![one.unwrap().len(), two.unwrap().len()];
    assert!(done == [2, 0] || done == [0, 2], "{done:?}");

    let after = anna.ledger("classic-days").await;
    assert_eq!(after[1..], before[..], "a row of the ledger was rewritten");
    let row = &after[0];
    assert_eq!(
        [&row["reason"], &row["annuls"], &row["note"]],
        [&json!("annulment"), &json!(1), &json!("one person in two seats")]
    );
    // As if she had never played it: she has one loss, as a newcomer, to a player with an earlier loss.
    let only = &before[0];
    assert!(row["after"]["rating"].as_f64() < Some(1500.0) && row["after"]["rating"] != only["after"]["rating"]);
    assert!(row["after"]["deviation"].as_f64() > row["before"]["deviation"].as_f64());
    assert_eq!(anna.rated("classic-days").await.unwrap()["matches"], 1);
    for node in [&app, &other] {
        let result = node.get(&format!("/v1/matches/{sold}")).await.expect(200)["result"].clone();
        assert_eq!([&result["annulled"], &result["ratings"][0]["after"]], [&json!(true), &json!(1662)]);
    }
    let heard = ben.hears(0).await;
    assert_eq!(heard.last().unwrap()["reason"], "annulment");
    // Play goes on from there.
    anna.beats(&ben).await;
    assert_eq!(wrong(&app, "classic-days").await, None);
    assert!(annulled(&app, second.parse().unwrap(), &note).await.unwrap().len() == 2);
    assert_eq!(wrong(&app, "classic-days").await, None);
    // Unrated matches can't be annulled.
    let unrated = anna.challenges_and_meets(&ben, json!({})).await;
    assert!(annulled(&app, unrated.parse().unwrap(), &note).await.is_err());
}

#[actix_web::test]
async fn whatever_is_forged_in_the_books_is_found() {
    let forgeries = [
        ("rating_changes SET after_rating = after_rating + 0.001 WHERE number = 2 AND seat = 0", "change 2 of"),
        ("rating_changes SET before_deviation = 100 WHERE number = 1 AND seat = 1", "change 1 of"),
        ("rating_changes SET participants = jsonb_set(participants, '{0,idle_s}', '5') WHERE number = 2", "the field"),
        ("rating_changes SET match_id = gen_random_uuid() WHERE number = 3 AND seat = 0", "change 3 of"),
        ("rating_changes SET number = 7 WHERE number = 3 AND seat = 0", "change 7 of"),
        (
            "match_heads SET result = jsonb_set(jsonb_set(result, '{places,0,place}', '2'), '{places,1,place}', '1')",
            "change 1 of",
        ),
        ("ratings SET rating = rating + 1", "the standing of"),
        ("ratings SET matches = 17", "the standing of"),
        ("matches SET pool = 'classic-live'", "no match of this pool"),
        ("rating_changes SET algorithm = 'weng-lin' WHERE number = 2", "not one of this pool"),
        ("rating_changes SET at = at - interval '1 day' WHERE number = 1", "change 1 of"),
        ("match_heads SET finished_at = '2026-11-01'", "change 1 of"),
        ("ratings SET listed_until = '2030-01-01'", "is on the leaderboard"),
        ("ratings SET account_deleted = true", "against the state of the account"),
    ];
    for (forgery, found) in forgeries {
        let app = TestApp::start().await;
        let (anna, ben) = duellists(&app).await;
        for _ in 0..3 {
            anna.beats(&ben).await;
            app.passes_s(1000).await;
        }
        assert_eq!(wrong(&app, "classic-days").await, None);
        database::execute(&app.database, &format!("UPDATE {forgery}")).await;
        let wrong = wrong(&app, "classic-days").await.unwrap_or_else(|| panic!("not found: {forgery}"));
        assert!(wrong.contains(found), "{forgery}: {wrong}");
    }
    // A leaderboard entry without any matches.
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    anna.beats(&ben).await;
    let cleo = app.player("cleo").await;
    let first = format!(
        "INSERT INTO ratings (account_id, pool, number, rating, deviation, volatility, matches, rated_at, listed_until, account_deleted) \
         VALUES ('{}', 'classic-days', 0, 3999, 50, 0.06, 0, '2026-11-20', '2027-01-01', false)",
        cleo.id
    );
    database::execute(&app.database, &first).await;
    assert!(wrong(&app, "classic-days").await.unwrap().contains("without a change in the ledger"));
    // A match without its rating changes, and without its traces in the standings.
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    anna.beats(&ben).await;
    database::execute(&app.database, "DELETE FROM rating_changes; DELETE FROM ratings").await;
    assert!(wrong(&app, "classic-days").await.unwrap().contains("changed no rating"));
}

#[actix_web::test]
async fn what_was_played_since_is_not_taken_back_with_an_annulled_match() {
    let mut left = Vec::new();
    for order in [[0, 1, 2], [2, 0, 1]] {
        let app = TestApp::start().await;
        let (anna, ben) = duellists(&app).await;
        let cleo = app.lasting_player("cleo").await;
        // Anna, new, wins three games against a second account of hers, then plays on, and reaches her true rating.
        let mut given = Vec::new();
        for _ in 0..3 {
            given.push(ben.beats(&anna).await);
        }
        for round in 0..8 {
            if round % 2 == 0 {
                anna.beats(&cleo).await
            } else {
                cleo.beats(&anna).await
            };
            app.passes_s(40_000).await;
        }
        let played = anna.rated("classic-days").await.unwrap();
        let note: Note = "both accounts are hers".parse().unwrap();
        for index in order {
            annulled(&app, given[index].parse().unwrap(), &note).await.unwrap();
        }
        let after = anna.rated("classic-days").await.unwrap();
        // She is about as strong as Cleo, against whom she has alternately won and lost, and not four hundred points
        // stronger, which is what the gift games gave her.
        let points = |of: &serde_json::Value| of["current"]["rating"].as_f64().unwrap();
        let (up, cleos) = (points(&after) - points(&played), points(&cleo.rated("classic-days").await.unwrap()));
        assert!((0.0..100.0).contains(&up) && (points(&after) - cleos).abs() < 100.0, "{after}, {played}, {cleos}");
        assert!(after["current"]["deviation"].as_f64() < Some(160.0), "eight matches still count: {after}");
        assert_eq!([&after["matches"], &after["rated_at"]], [&json!(8), &played["rated_at"]]);
        // Ben has nothing left: a newcomer again, and not active.
        let ben = ben.rated("classic-days").await.unwrap();
        assert_eq!(
            [&ben["current"]["rating"], &ben["matches"], &ben["rated_at"]],
            [&json!(1500.0), &json!(0), &json!(null)]
        );
        assert_eq!(wrong(&app, "classic-days").await, None);
        left.push(after["current"].clone());
    }
    assert_eq!(left[0], left[1], "it makes no difference in which order they are annulled");
}

#[actix_web::test]
async fn annulments_that_are_swapped_are_found() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let id = anna.beats(&ben).await;
    annulled(&app, id.parse().unwrap(), &"a bet".parse().unwrap()).await.unwrap();
    assert_eq!(wrong(&app, "classic-days").await, None);
    let swap = "UPDATE rating_changes SET seat = 1 - seat WHERE reason = 'annulment'";
    database::execute(&app.database, swap).await;
    assert!(wrong(&app, "classic-days").await.unwrap().contains("doesn't take back"));
}

#[actix_web::test]
async fn a_finished_match_can_be_made_to_count_otherwise() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let sold = anna.beats(&ben).await;
    app.passes_s(50_000).await;
    let before = anna.ledger("classic-days").await;
    let rated_at = anna.rated("classic-days").await.unwrap()["rated_at"].clone();
    let other = app.another_node().await;
    assert_eq!(other.get(&format!("/v1/matches/{sold}")).await.expect(200)["result"]["adjudicated"], false);
    let (id, note): (MatchId, Note) = (sold.parse().unwrap(), "Anna's clock was ours to keep".parse().unwrap());
    // On both nodes at once; one of them does it.
    let (one, two) =
        futures_util::future::join(adjudicated(&app, id, &[2, 1], &note), adjudicated(&other, id, &[2, 1], &note))
            .await;
    let done: Vec<usize> = vec![one.unwrap().len(), two.unwrap().len()];
    assert!(done == [4, 0] || done == [0, 4], "{done:?}");

    let after = anna.ledger("classic-days").await;
    assert_eq!(after[2..], before[..], "a row of the ledger was rewritten");
    assert_eq!([&after[1]["reason"], &after[1]["revision"]], [&json!("annulment"), &json!(0)]);
    assert_eq!(
        [&after[0]["reason"], &after[0]["revision"], &after[0]["note"], &after[0]["participants"][0]["place"]],
        [&json!("adjudication"), &json!(1), &json!("Anna's clock was ours to keep"), &json!(2)]
    );
    // Rated as the decided result, but not as play: it makes nobody active.
    close(&after[0]["after"]["rating"], 1337.79);
    let rated = anna.rated("classic-days").await.unwrap();
    assert_eq!([&rated["matches"], &rated["rated_at"]], [&json!(1), &rated_at]);
    for node in [&app, &other] {
        let result = node.get(&format!("/v1/matches/{sold}")).await.expect(200)["result"].clone();
        // The played result stays as it was.
        assert_eq!(result["places"][0], json!({ "seat": 0, "place": 1 }));
        assert_eq!([&result["adjudicated"], &result["ratings"][0]["after"]], [&json!(true), &json!(1338)]);
    }
    let reasons: Vec<_> = ben.hears(0).await.iter().rev().take(2).map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons, ["adjudication", "annulment"]);
    assert_eq!(wrong(&app, "classic-days").await, None);
    // It can be decided again, and annulled, and decided once more, with play in between.
    assert_eq!(adjudicated(&app, id, &[1, 1], &note).await.unwrap().len(), 4);
    anna.beats(&ben).await;
    assert_eq!(annulled(&app, id, &note).await.unwrap().len(), 2);
    assert_eq!(annulled(&app, id, &note).await.unwrap().len(), 0);
    assert_eq!(adjudicated(&app, id, &[1, 1], &note).await.unwrap().len(), 2);
    assert_eq!(wrong(&app, "classic-days").await, None);
    assert!(adjudicated(&app, id, &[1, 2, 3], &note).await.is_err(), "it has two seats");
    let unrated = anna.challenges_and_meets(&ben, json!({})).await;
    assert!(adjudicated(&app, unrated.parse().unwrap(), &[1, 2], &note).await.is_err());
}

#[actix_web::test]
async fn a_forged_adjudication_is_found() {
    let forgeries = [
        (
            "UPDATE rating_changes SET participants = jsonb_set(jsonb_set(participants, '{0,place}', '1'), '{1,place}', '2') WHERE reason = 'adjudication'",
            "the field",
        ),
        ("UPDATE rating_changes SET note = 'for friends' WHERE reason = 'adjudication' AND seat = 1", "the note"),
        ("UPDATE rating_changes SET at = at + interval '1 day' WHERE reason = 'adjudication'", "the method"),
        ("DELETE FROM adjudications", "nobody has decided so"),
        ("DELETE FROM audit_log", "the audit log"),
        ("UPDATE audit_log SET reason = 'another one'", "the audit log"),
        ("UPDATE adjudications SET ranks = '{1,1}'", "change 3 of"),
        ("UPDATE adjudications SET revision = 2", "nobody has decided so"),
        // All traces of an adjudication except the decision.
        (
            "DELETE FROM rating_changes WHERE number > 1; UPDATE ratings AS r SET number = 1, rating = c.after_rating, deviation = c.after_deviation, \
             volatility = c.after_volatility FROM rating_changes AS c WHERE c.account_id = r.account_id",
            "was adjudicated",
        ),
        // An extra rating without a reversal.
        (
            "UPDATE rating_changes SET reason = 'match', match_id = gen_random_uuid() WHERE reason = 'annulment'",
            "change 2 of",
        ),
    ];
    for (forgery, found) in forgeries {
        let app = TestApp::start().await;
        let (anna, ben) = duellists(&app).await;
        let id = anna.beats(&ben).await;
        adjudicated(&app, id.parse().unwrap(), &[2, 1], &"a bet".parse().unwrap()).await.unwrap();
        assert_eq!(wrong(&app, "classic-days").await, None);
        database::execute(&app.database, forgery).await;
        let wrong = wrong(&app, "classic-days").await.unwrap_or_else(|| panic!("not found: {forgery}"));
        assert!(wrong.contains(found), "{forgery}: {wrong}");
    }
}

/// Runs the operator's command.
fn command(app: &TestApp, arguments: &[&str]) -> (i32, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_broadside"));
    let output = command.arg("ratings").args(arguments).args(["--database-url", &app.database]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

#[actix_web::test]
async fn the_operator_annuls_and_verifies_by_command() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let id = anna.beats(&ben).await;
    let (code, said) = command(&app, &["annul", &id, "--reason", "a bet"]);
    assert_eq!((code, said.matches(" -> 1500").count()), (0, 2), "{said}");
    let (code, said) = command(&app, &["annul", &id, "--reason", "a bet"]);
    assert!(code == 0 && said.contains("before"), "{said}");
    let (code, said) = command(&app, &["annul", &anna.id, "--reason", "a bet"]);
    assert!(code == 1 && said.contains("has changed no rating"), "{said}");
    let (code, said) = command(&app, &["verify"]);
    assert_eq!((code, said.as_str()), (0, "classic-days: 4 changes of 2 players, all as they have to be\n"));
    database::execute(&app.database, "UPDATE rating_changes SET after_rating = 2000 WHERE number = 2 AND seat = 1")
        .await;
    let (code, said) = command(&app, &["verify", "--pool", "classic-days"]);
    assert!(code == 1 && said.contains("change 2 of") && said.contains("annulment"), "{said}");
    assert_eq!(command(&app, &["verify", "--pool", "classic-live"]).0, 0);
}

#[actix_web::test]
async fn what_a_match_has_done_can_be_read_when_an_opponent_is_gone() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let first = anna.beats(&ben).await;
    let id = anna.beats(&ben).await;
    let path = format!("/v1/matches/{id}/rating-changes");
    let ledgers = [anna.ledger("classic-days").await, ben.ledger("classic-days").await];
    let rows = |read: &serde_json::Value| read["items"].as_array().unwrap().clone();
    let before = rows(&app.get(&path).await.expect(200));
    assert_eq!(before.iter().map(|row| &row["change"]).collect::<Vec<_>>(), [&ledgers[0][0], &ledgers[1][0]]);
    assert_eq!([&before[0]["player"]["username"], &before[1]["player"]["username"]], ["anna", "ben"]);

    // Ben deletes the account; the history goes with the name, but the rows of the match stay, so that it can be
    // recomputed.
    ben.signed_in().await.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    app.get("/v1/players/ben/ratings/classic-days/history").await.problem(404, "not-found");
    let after = rows(&app.get(&path).await.expect(200));
    assert_eq!(after[1]["change"], before[1]["change"]);
    assert_eq!(after[1]["player"]["id"], before[1]["player"]["id"]);
    assert!(after[1]["player"]["username"].as_str().unwrap().starts_with("deleted-"), "{}", after[1]);
    // Each `field` names the origin of the others' ratings: the rows of the previous match.
    let earlier = rows(&app.get(&format!("/v1/matches/{first}/rating-changes")).await.expect(200));
    for (now, then) in after.iter().zip(&earlier) {
        assert_eq!([&now["player"], &now["change"]["before"]], [&then["player"], &then["change"]["after"]]);
    }

    // The reversal follows the rating, by seat.
    annulled(&app, id.parse().unwrap(), &"one person in two seats".parse().unwrap()).await.unwrap();
    let all = rows(&app.get(&path).await.expect(200));
    let told: Vec<_> = all.iter().map(|row| (row["change"]["reason"].clone(), row["change"]["seat"].clone())).collect();
    assert_eq!(json!(told), json!([["match", 0], ["match", 1], ["annulment", 0], ["annulment", 1]]));
}

#[actix_web::test]
async fn a_match_that_one_may_not_see_has_no_rows_before_it_is_rated() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let terms = json!({ "rated": true, "first": null, "spectators": false });
    let id = anna.challenges_and_meets(&ben, terms).await;
    let path = format!("/v1/matches/{id}/rating-changes");
    app.get(&path).await.problem(404, "not-found");
    assert_eq!(anna.get(&path).await.expect(200), json!({ "items": [] }));
    ben.resigns(&id).await;
    // Its effects stay in both histories, which are public.
    assert_eq!(app.get(&path).await.expect(200)["items"].as_array().unwrap().len(), 2);
    app.get(&format!("/v1/matches/{}/rating-changes", anna.id)).await.problem(404, "not-found");
}
