//! Organizers and members of a contest: warnings, removals, bars, and announcements.

use serde_json::{Value, json};

use crate::contest_entries::{at, contests};
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::{alphabet, boards, plays_round, standings, starts, tournament};

/// The organizers' view of a member.
async fn member(organizer: &Player, path: &str, name: &str) -> Option<Value> {
    let shown = organizer.get(&at(path, "members")).await.expect(200);
    shown["items"].as_array().unwrap().iter().find(|one| one["player"]["username"] == name).cloned()
}

async fn log(reader: &Player, path: &str) -> Vec<(String, String, String)> {
    let shown = reader.get(&at(path, "log")).await.expect(200);
    let line = |entry: &Value| {
        let of = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        (of(&entry["action"]), of(&entry["organizer"]["username"]), of(&entry["reason"]))
    };
    shown["items"].as_array().unwrap().iter().map(line).collect()
}

#[actix_web::test]
async fn who_is_removed_may_come_back_and_who_is_barred_may_not() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let moderator = app.moderator("mona").await;
    for path in contests(anna, json!({})).await {
        anna.does("PUT", &format!("{path}/organizers/carl")).await;
        let remove = at(&path, "members/ben/remove");
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        dora.post(&remove, json!({ "reason": "no" })).await.problem(403, "not-an-organizer");
        carl.post(&remove, json!({ "reason": "Three games left without a word." })).await.expect(204);
        carl.post(&remove, json!({ "reason": "again" })).await.problem(404, "not-found");
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        app.passes_s(1).await;
        carl.post(&remove, json!({ "reason": "Once more.", "bar": true })).await.expect(204);
        assert_eq!(ben.is_kept_out(&path).await, ["barred"]);
        let seen = member(anna, &path, "ben").await.unwrap();
        assert_eq!((&seen["status"], &seen["barred"]), (&json!("left"), &json!(true)));
        // They can't be invited by mistake: they could not use the invitation.
        anna.request("PUT", &at(&path, "invitations/ben"), None).await.problem(409, "player-barred");
        app.passes_s(1).await;
        dora.request("DELETE", &at(&path, "bars/ben"), None).await.problem(403, "not-an-organizer");
        for _ in 0..2 {
            anna.does("DELETE", &at(&path, "bars/ben")).await;
        }
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        assert_eq!(member(anna, &path, "ben").await.unwrap()["barred"], false);
        let expected = [
            ("bar-lifted", "anna", "-"),
            ("barred", "carl", "Once more."),
            ("removed", "carl", "Three games left without a word."),
        ];
        let expected = expected.map(|(action, by, why)| (action.to_owned(), by.to_owned(), why.to_owned()));
        assert_eq!(log(carl, &path).await, expected);
        assert_eq!(log(&moderator, &path).await, expected);
        for list in ["log", "members"] {
            ben.get(&at(&path, list)).await.problem(403, "not-an-organizer");
        }
    }
    let told = ben.news_of("contest-member-removed").await;
    assert_eq!(told.len(), 4);
    assert_eq!((&told[1]["reason"], &told[1]["barred"]), (&json!("Once more."), &json!(true)));
}

#[actix_web::test]
async fn matches_go_on_when_a_member_is_removed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let ladder = anna.makes_ladder(json!({})).await;
    for player in [ben, carl] {
        player.joins(&ladder, 1).await;
    }
    app.passes_s(1).await;
    let [only] = ben.at_play().await.try_into().unwrap();
    let path = format!("/v1/ladders/{ladder}");
    anna.post(&at(&path, "members/ben/remove"), json!({ "reason": "no" })).await.expect(204);
    ben.loses(carl, &only).await;
    app.passes_s(3600).await;
    assert!(ben.at_play().await.is_empty() && carl.at_play().await.is_empty());
    assert_eq!(member(anna, &path, "ben").await, None);

    let gina = &people[6];
    let cup = tournament(gina, &people[..4], json!({ "format": "round-robin" })).await;
    starts(gina, &cup).await;
    gina.post(&at(&cup, "members/ben/remove"), json!({ "reason": "no" })).await.expect(204);
    assert_eq!(member(gina, &cup, "ben").await.unwrap()["status"], "withdrawn");
    let rows = standings(&app, &cup).await;
    let own = rows.iter().find(|row| row["player"]["username"] == "ben").unwrap();
    assert_eq!(own["withdrawn"]["reason"], "removed");
    gina.post(&at(&cup, "members/ben/remove"), json!({ "reason": "no" })).await.problem(404, "not-found");
    gina.post(&at(&cup, "members/fritz/remove"), json!({ "reason": "no" })).await.problem(404, "not-found");
}

#[actix_web::test]
async fn nobody_gets_rid_of_their_own_opponent() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
    let cup = tournament(anna, &people[..4], json!({ "format": "round-robin" })).await;
    starts(anna, &cup).await;
    let boards = boards(&app, &cup, 1).await;
    let name = |seat: &Value| seat["player"]["username"].as_str().unwrap().to_owned();
    let pairs = boards.iter().map(|board| [name(&board["first"]), name(&board["second"])]);
    let (own, other): (Vec<[String; 2]>, Vec<_>) = pairs.partition(|pair| pair.contains(&"anna".to_owned()));
    let remove =
        async |who: &str| anna.post(&at(&cup, &format!("members/{who}/remove")), json!({ "reason": "no" })).await;
    let opponent = own[0].iter().find(|name| *name != "anna").unwrap();
    remove(opponent).await.problem(403, "conflict-of-interest");
    remove(&other[0][0]).await.expect(204);
}

#[actix_web::test]
async fn nobody_is_removed_from_what_is_over() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({})).await {
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        let end = if path.contains("ladders") { "close" } else { "cancel" };
        anna.post(&format!("{path}/{end}"), json!({ "reason": "rain" })).await.expect(200);
        let closed = if path.contains("ladders") { "ladder-closed" } else { "tournament-closed" };
        anna.post(&at(&path, "members/ben/remove"), json!({ "reason": "no" })).await.problem(409, closed);
    }
}

#[actix_web::test]
async fn a_warning_is_told_and_counted() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({})).await {
        let warn = at(&path, "members/ben/warn");
        let text = json!({ "text": "Please resign a lost game instead of letting the clock run." });
        anna.post(&warn, text.clone()).await.problem(404, "not-found");
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        carl.post(&warn, text.clone()).await.problem(403, "not-an-organizer");
        for _ in 0..3 {
            anna.post(&warn, text.clone()).await.expect(204);
        }
        anna.post(&warn, text.clone()).await.problem(409, "quota-exceeded");
        app.passes_s(86_401).await;
        anna.post(&warn, text.clone()).await.expect(204);
        assert_eq!(member(anna, &path, "ben").await.unwrap()["warnings"], 4);
        anna.post(&at(&path, "members/anna/warn"), text.clone()).await.problem(422, "own-account");
        anna.post(&at(&path, "members/anna/remove"), json!({ "reason": "no" })).await.problem(422, "own-account");
        anna.request("DELETE", &at(&path, "bars/anna"), None).await.problem(422, "own-account");
    }
    let told = ben.news_of("contest-member-warned").await;
    assert_eq!(told.len(), 8);
    assert!(told[0]["text"].as_str().unwrap().starts_with("Please resign"), "{told:?}");
    let export = ben.signed_in().await.get("/v1/account/export").await.expect(200);
    assert_eq!(export["contest_decisions"].as_array().unwrap().len(), 8);
}

#[actix_web::test]
async fn about_organizers_only_the_creator_decides() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({})).await {
        for player in [anna, ben, carl] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        for name in ["ben", "carl"] {
            anna.does("PUT", &format!("{path}/organizers/{name}")).await;
        }
        let why = json!({ "reason": "no" });
        for name in ["anna", "carl"] {
            let one = |what: &str| at(&path, &format!("members/{name}/{what}"));
            ben.post(&one("remove"), why.clone()).await.problem(403, "not-the-creator");
            ben.post(&one("warn"), json!({ "text": "no" })).await.problem(403, "not-the-creator");
            let bar = at(&path, &format!("bars/{name}"));
            ben.request("DELETE", &bar, None).await.problem(403, "not-the-creator");
        }
        anna.post(&at(&path, "members/carl/remove"), why.clone()).await.expect(204);
        carl.request("PATCH", &path, Some(json!({ "description": "Still here." }))).await.expect(200);
    }
}

#[actix_web::test]
async fn who_runs_it_hears_who_comes_and_goes_and_of_the_end() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let kinds = async |player: &Player| -> Vec<String> {
        let heard = player.hears(0).await;
        let kinds = heard.iter().map(|event| event["type"].as_str().unwrap().to_owned());
        kinds.filter(|kind| kind.starts_with("contest-") && kind != "contest-organizer-added").collect()
    };
    for path in contests(anna, json!({})).await {
        anna.does("PUT", &format!("{path}/organizers/ben")).await;
        for player in [ben, carl] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        if path.contains("ladders") {
            // Changing one's preferences is not a new membership.
            carl.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        carl.post(&format!("{path}/leave"), json!({})).await.expect(200);
    }
    let (joined, left) = ("contest-member-joined", "contest-member-left");
    assert_eq!(kinds(anna).await, [joined, joined, left, joined, joined, left]);
    assert_eq!(kinds(ben).await, [joined, left, joined, left], "nobody hears of themselves");
    assert!(kinds(carl).await.is_empty());

    let cup = tournament(dora, &people[4..7], json!({})).await;
    starts(dora, &cup).await;
    let gina = &people[6];
    for round in 1..=3 {
        plays_round(&people[4..7], &cup, round, alphabet).await;
        if round == 1 {
            gina.post(&format!("{cup}/leave"), json!({})).await.expect(200);
        }
        app.passes_s(4).await;
    }
    assert_eq!(dora.get(&cup).await.expect(200)["status"], "finished");
    assert_eq!(kinds(dora).await, [joined, joined, joined, left, "contest-finished"]);
    assert!(people[4].news_of("contest-finished").await.is_empty());
}

#[actix_web::test]
async fn announcements_reach_every_member_once() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let paths = contests(anna, json!({})).await;
    for path in &paths {
        for player in [anna, ben] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        let list = at(path, "announcements");
        let text = json!({ "text": "The next season begins a week later.\nHappy holidays!" });
        ben.post(&list, text.clone()).await.problem(403, "not-an-organizer");
        for wrong in ["", "  ", "left\u{202e}right", &"x".repeat(1001)] {
            anna.post(&list, json!({ "text": wrong })).await.problem(422, "validation-failed");
        }
        let made = anna.post(&list, text.clone()).await.expect(201);
        assert_eq!(app.get(&list).await.expect(200)["items"], json!([made]));
        for _ in 0..4 {
            anna.post(&list, text.clone()).await.expect(201);
        }
        anna.post(&list, text.clone()).await.problem(409, "quota-exceeded");
        app.passes_s(86_401).await;
        anna.post(&list, text).await.expect(201);
        app.passes_s(2).await;
    }
    let told = ben.news_of("contest-announced").await;
    assert_eq!(told.len(), 12);
    assert!(told[0]["announcement_id"].is_string() && told[0]["text"].is_null());
    for player in [anna, carl] {
        assert!(player.news_of("contest-announced").await.is_empty());
    }
    let anna = anna.signed_in().await;
    let export = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(export["contest_announcements"].as_array().unwrap().len(), 12);
    let gone = json!({ "password": anna.password });
    anna.request("DELETE", "/v1/account", Some(gone)).await.expect(204);
    assert_eq!(app.get(&at(&paths[0], "announcements")).await.expect(200)["items"], json!([]));
}
