//! Delivery of mail: contents, times, digests, quiet hours, SMTP errors, several nodes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mail::{confirms, settings, wants, with_mail};
use crate::support::fleets::{Fleet, NORTH_WEST, SOUTH_EAST};
use crate::support::smtp::{Postbox, Received, Trouble};
use crate::support::{Player, Setup, TestApp};

/// Anna gets mail with these preferences; Ben plays with her.
async fn two(app: &TestApp, postbox: &Postbox, preferences: Value) -> (Player, Player) {
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    confirms(&anna, postbox, "anna@example.org").await;
    wants(&anna, preferences).await;
    (anna, ben)
}

/// The mails after this number of seconds.
async fn comes_after(app: &TestApp, postbox: &Postbox, seconds: i64) -> Vec<Received> {
    app.posts().await;
    app.passes_s(seconds).await;
    app.posts().await;
    postbox.empty()
}

fn subjects(mails: &[Received]) -> Vec<&str> {
    mails.iter().map(|mail| mail.header("subject")).collect()
}

/// The node's current time in UTC.
fn clock(app: &TestApp) -> String {
    app.app.clock.now().to_string()
}

#[actix_web::test]
async fn a_turn_is_written_about_after_a_minute_unless_it_was_played() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) =
        two(&app, &postbox, json!({ "events": ["your-turn", "match-finished"], "time_zone": "Europe/Paris" })).await;
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    assert_eq!(comes_after(&app, &postbox, 59).await, []);
    let mails = comes_after(&app, &postbox, 1).await;
    assert_eq!(subjects(&mails), ["Your turn: Classic against ben"], "{mails:?}");
    let text = &mails[0].text;
    let line = format!(
        "- Classic against ben, until Sunday 22 November 2026, 08:30 (Europe/Paris, UTC+1)\n  https://club.example/match/{id}\n"
    );
    assert!(text.contains("Hello anna,") && text.contains(&line), "{text}");
    assert_eq!(comes_after(&app, &postbox, 3600).await, [], "once");

    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    // It is her turn, and she plays within the minute.
    app.posts().await;
    anna.fires(&id, &["A10"]).await;
    assert_eq!(comes_after(&app, &postbox, 60).await, []);
    // Two turns within a minute make one mail.
    ben.fires(&id, &["J1"]).await;
    app.passes_s(20).await;
    app.posts().await;
    anna.fires(&id, &["B10"]).await;
    ben.fires(&id, &["I1"]).await;
    assert_eq!(subjects(&comes_after(&app, &postbox, 40).await), ["Your turn: Classic against ben"]);
    assert_eq!(comes_after(&app, &postbox, 120).await, []);
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let mails = comes_after(&app, &postbox, 60).await;
    assert_eq!(subjects(&mails), ["A match is over: Classic against ben"]);
    assert!(mails[0].text.contains(": you have won (by resignation)\n"), "{}", mails[0].text);
}

#[actix_web::test]
async fn only_who_asks_and_has_confirmed_gets_mail() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = two(&app, &postbox, json!({ "events": [] })).await;
    ben.changes_email("ben@example.org").await;
    wants(&ben, json!({ "events": ["your-turn", "challenge-received"] })).await;
    anna.challenges_and_meets(&ben, json!({})).await;
    assert_eq!(comes_after(&app, &postbox, 3600).await, [], "neither");
    confirms(&ben, &postbox, "ben@example.org").await;
    assert_eq!(comes_after(&app, &postbox, 3600).await, [], "nor of what was before");
    let challenge =
        json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben", "message": "Ahoy, coward" });
    let one = anna.post("/v1/challenges", challenge.clone()).await.expect(201);
    let two = anna.post("/v1/challenges", challenge).await.expect(201);
    anna.request("DELETE", &format!("/v1/challenges/{}", two["id"].as_str().unwrap()), None).await.expect(204);
    let mails = comes_after(&app, &postbox, 60).await;
    assert_eq!(subjects(&mails), ["A challenge: Classic, from anna"], "one is withdrawn");
    let link = format!("https://broadside.test/challenge/{}", one["id"].as_str().unwrap());
    assert!(mails[0].text.contains(&link) && !mails[0].raw.contains("coward"), "{}", mails[0].text);
    // A changed address gets nothing before its confirmation.
    ben.changes_email("ben@elsewhere.example").await;
    anna.challenges_and_meets(&ben, json!({})).await;
    assert_eq!(comes_after(&app, &postbox, 3600).await, []);
}

#[actix_web::test]
async fn a_digest_gathers() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) =
        two(&app, &postbox, json!({ "events": ["your-turn", "match-started"], "digest": "hourly" })).await;
    anna.challenges_and_meets(&ben, json!({})).await;
    assert_eq!(comes_after(&app, &postbox, 1800).await, []);
    anna.challenges_and_meets(&ben, json!({ "variant": "paper" })).await;
    assert_eq!(comes_after(&app, &postbox, 1799).await, []);
    let mails = comes_after(&app, &postbox, 1).await;
    assert_eq!(subjects(&mails), ["Your turn in 2 matches, and more"]);
    assert_eq!(mails[0].text.matches("https://club.example/match/").count(), 4, "{}", mails[0].text);
    // New preferences apply to waiting mail. It is half past eight.
    anna.challenges_and_meets(&ben, json!({})).await;
    app.posts().await;
    wants(
        &anna,
        json!({ "events": ["your-turn"], "digest": "daily", "daily_hour": 7, "time_zone": "America/New_York" }),
    )
    .await;
    assert_eq!(comes_after(&app, &postbox, 3600 * 3 + 1799).await, []);
    let mails = comes_after(&app, &postbox, 1).await;
    assert_eq!(clock(&app), "2026-11-21T12:00:00.000Z");
    assert_eq!(subjects(&mails), ["Your turn: Classic against ben"], "it is said of what is new");
}

#[actix_web::test]
async fn quiet_hours_are_quiet() {
    let (app, postbox) = with_mail().await;
    let quiet = json!({ "events": ["your-turn"], "time_zone": "Asia/Kathmandu", "quiet_hours": { "start": "13:00", "end": "14:30" } });
    let (anna, ben) = two(&app, &postbox, quiet).await;
    // 07:30 UTC is a quarter past one in Kathmandu; the quiet hours end at 08:45 UTC.
    anna.challenges_and_meets(&ben, json!({})).await;
    assert_eq!(comes_after(&app, &postbox, 75 * 60 - 1).await, []);
    assert_eq!(comes_after(&app, &postbox, 1).await.len(), 1);
    assert_eq!(clock(&app), "2026-11-21T08:45:00.000Z");
    // Mail due just before they began, but not sent because no node was running, waits as well.
    app.passes_s(22 * 3600 + 29 * 60).await;
    assert_eq!(clock(&app), "2026-11-22T07:14:00.000Z");
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    app.posts().await;
    app.passes_s(3 * 60).await;
    wants(&ben, json!({})).await;
    let at = "UPDATE mail_settings SET due_at = due_at - interval '10 minutes' WHERE due_at IS NOT NULL";
    crate::support::database::execute(&app.database, at).await;
    assert_eq!(comes_after(&app, &postbox, 60).await, []);
    let mails = comes_after(&app, &postbox, 2 * 3600).await;
    assert_eq!(mails.len(), 1);
    assert!(mails[0].text.contains(&id));
}

#[actix_web::test]
async fn a_failing_server_is_retried_with_the_same_mail() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = two(&app, &postbox, json!({ "events": ["your-turn"] })).await;
    anna.challenges_and_meets(&ben, json!({})).await;
    use Trouble::{Cuts, Explains, KeepsAndCuts, Says};
    app.posts().await;
    app.passes_s(60).await;
    let mut got = Vec::new();
    // With the pause after each of them, in minutes. From EHLO 550 on they are the operator's problem: no account loses
    // its confirmed address over them.
    for (trouble, pause) in [
        (Says("EHLO", 421), 1),
        (Says("MAIL", 451), 5),
        (Says("RCPT", 450), 15),
        (Cuts("DATA"), 30),
        (KeepsAndCuts, 60),
        (Says("TEXT", 452), 120),
        (Says("EHLO", 550), 120),
        (Says("MAIL", 550), 120),
        (Explains("RCPT", 550, "5.7.1 relay access denied"), 120),
        (Explains("RCPT", 550, "5.4.5 daily limit exceeded"), 120),
        (Explains("TEXT", 554, "5.7.1 this looks like spam"), 120),
        (Says("TEXT", 554), 120),
    ] {
        postbox.expects(&[trouble]);
        assert_eq!(app.posts().await, 0, "{trouble:?}");
        got.extend(postbox.empty());
        let before = postbox.connections();
        assert_eq!(comes_after(&app, &postbox, pause * 60 - 1).await, [], "{trouble:?}");
        assert_eq!(postbox.connections(), before, "{trouble:?} is left alone for a while");
        app.passes_s(1).await;
    }
    assert_eq!(app.posts().await, 1);
    got.extend(postbox.empty());
    assert_eq!(got.len(), 2, "one was kept and not answered");
    assert_eq!(got[0].header("message-id"), got[1].header("message-id"), "so a reader can drop it");
    let settings = settings(&anna).await;
    assert_eq!(settings["confirmed"], true);
    assert_eq!(comes_after(&app, &postbox, 3600).await, []);
}

#[actix_web::test]
async fn after_a_day_it_is_given_up_and_said_so() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = two(&app, &postbox, json!({ "events": ["your-turn"] })).await;
    let id = anna.challenges_and_meets(&ben, json!({ "clock": { "kind": "per-move", "move_s": 1_000_000 } })).await;
    postbox.expects(&[Trouble::Says("MAIL", 451); 40]);
    let mut hours = 0;
    while anna.hears(0).await.last().unwrap()["type"] != "mail-failed" {
        assert_eq!(comes_after(&app, &postbox, 3600).await, []);
        hours += 1;
        assert!(hours < 30);
    }
    assert!(hours >= 24, "{hours}");
    assert_eq!(anna.hears(0).await.last().unwrap()["reason"], "given-up");
    let seen = settings(&anna).await;
    assert_eq!((&seen["confirmed"], &seen["last_failure"]["reason"]), (&json!(true), &json!("given-up")));
    let attempts = postbox.connections();
    assert!((10..30).contains(&attempts), "{attempts}");
    // The next one is a separate mail.
    postbox.forgives();
    anna.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    ben.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    assert_eq!(comes_after(&app, &postbox, 60).await.len(), 1);
}

#[actix_web::test]
async fn a_refused_address_has_to_be_confirmed_again() {
    for trouble in
        [Trouble::Says("RCPT", 550), Trouble::Explains("RCPT", 550, "5.1.1 <anna@example.org>: user unknown")]
    {
        let (app, postbox) = with_mail().await;
        let (anna, ben) = two(&app, &postbox, json!({ "events": ["your-turn"] })).await;
        anna.challenges_and_meets(&ben, json!({})).await;
        postbox.expects(&[trouble]);
        assert_eq!(comes_after(&app, &postbox, 60).await, []);
        let failed = anna.hears(0).await.pop().unwrap();
        assert_eq!((&failed["type"], &failed["reason"]), (&json!("mail-failed"), &json!("refused")));
        let seen = settings(&anna).await;
        assert_eq!((&seen["confirmed"], &seen["last_failure"]["reason"]), (&json!(false), &json!("refused")));
        anna.challenges_and_meets(&ben, json!({})).await;
        assert_eq!(comes_after(&app, &postbox, 24 * 3600).await, []);
        confirms(&anna, &postbox, "anna@example.org").await;
        anna.challenges_and_meets(&ben, json!({})).await;
        assert_eq!(comes_after(&app, &postbox, 60).await.len(), 1);
        assert_eq!(settings(&anna).await["last_failure"], Value::Null, "what was delivered is no failure");
    }
}

#[actix_web::test]
async fn a_warning_and_a_word_of_the_other_are_written_about() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = two(&app, &postbox, json!({ "events": ["deadline-near", "chat"] })).await;
    let id = anna.challenges_and_meets(&ben, json!({ "clock": { "kind": "per-move", "move_s": 7200 } })).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    assert_eq!(comes_after(&app, &postbox, 5399).await, [], "it is her turn, and there is time");
    app.passes_s(1).await;
    let mails = comes_after(&app, &postbox, 60).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let (subject, text) = (mails[0].header("subject"), &mails[0].text);
    assert!(subject.contains("Classic against ben") && text.contains("Your time runs out soon:"), "{subject}\n{text}");
    assert!(text.contains(", until Saturday 21 November 2026, 09:30 (UTC)\n") && text.contains(&id), "{text}");
    anna.fires(&id, &["A10"]).await;
    ben.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "Well aimed, landlubber" })).await.expect(201);
    let mails = comes_after(&app, &postbox, 60).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].text.contains("Somebody has written to you:") && mails[0].text.contains(&id), "{}", mails[0].text);
    assert!(!mails[0].raw.contains("landlubber"), "a mail holds nobody's words");
}

#[actix_web::test]
async fn two_nodes_send_each_mail_once() {
    let (app, postbox) = with_mail().await;
    let other = app.another_node_with(&postbox).await;
    let ben = app.lasting_player("ben").await;
    let mut people = Vec::new();
    for number in 0..12 {
        let one = app.lasting_player(&format!("one-{number}")).await;
        confirms(&one, &postbox, &format!("one-{number}@example.org")).await;
        wants(&one, json!({ "events": ["your-turn", "match-started"] })).await;
        people.push(one);
    }
    for one in &people {
        one.challenges_and_meets(&ben, json!({})).await;
    }
    for step in [0, 60, 60] {
        app.passes_s(step).await;
        futures_util::future::join_all([app.posts(), other.posts(), app.posts(), other.posts()]).await;
    }
    let mut to: Vec<String> = postbox.empty().into_iter().map(|mail| mail.to).collect();
    to.sort();
    let mut expected: Vec<String> = (0..12).map(|number| format!("one-{number}@example.org")).collect();
    expected.sort();
    assert_eq!(to, expected);
}

#[actix_web::test]
async fn a_node_that_dies_in_the_middle_is_replaced() {
    let (app, postbox) = with_mail().await;
    let other = app.another_node_with(&postbox).await;
    let (anna, ben) = two(&app, &postbox, json!({ "events": ["your-turn"] })).await;
    anna.challenges_and_meets(&ben, json!({})).await;
    app.posts().await;
    app.passes_s(60).await;
    // The server has received the text, but its answer never reaches the node, which is gone.
    postbox.expects(&[Trouble::Hangs("TEXT")]);
    assert!(tokio::time::timeout(Duration::from_millis(500), app.posts()).await.is_err());
    let first = postbox.next().await;
    assert_eq!(comes_after(&other, &postbox, 299).await, [], "the lease is the dead one's");
    // Later events are not added: the mail keeps its id and its contents.
    anna.challenges_and_meets(&ben, json!({})).await;
    let again = comes_after(&other, &postbox, 1).await;
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].header("message-id"), first.header("message-id"));
    assert_eq!(again[0].text, first.text);
    let rest = comes_after(&other, &postbox, 60).await;
    assert_eq!(rest.len(), 1);
    assert_ne!(rest[0].header("message-id"), first.header("message-id"));
    assert_eq!(comes_after(&app, &postbox, 3600).await, []);
}

#[actix_web::test]
async fn a_mail_says_nothing_of_what_is_hidden() {
    let mut worlds = Vec::new();
    for fleet in [SOUTH_EAST, NORTH_WEST] {
        worlds.push(mails_of_a_game(fleet).await);
    }
    assert_eq!(worlds[0].len(), 4);
    assert_eq!(worlds[0], worlds[1]);
}

/// All mail that Anna gets in a game in which Ben hides this fleet, and nothing is hit.
async fn mails_of_a_game(fleet: &Fleet) -> Vec<Received> {
    let postbox = Postbox::open().await;
    let app = TestApp::with(Setup { mail: Some(postbox.setup()), seed: Some(7), ..Setup::default() }).await;
    let on = json!(["your-turn", "deadline-near", "match-started", "match-finished", "challenge-received", "chat"]);
    let (anna, ben) = two(&app, &postbox, json!({ "events": on })).await;
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let mut mails = comes_after(&app, &postbox, 60).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, fleet).await;
    mails.extend(comes_after(&app, &postbox, 60).await);
    anna.fires(&id, &["A10"]).await;
    ben.fires(&id, &["J1"]).await;
    mails.extend(comes_after(&app, &postbox, 60).await);
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    mails.extend(comes_after(&app, &postbox, 60).await);
    mails
}
