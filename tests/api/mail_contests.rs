//! Mail about costly deadlines in ladders and tournaments, and about results of matches.

use serde_json::{Value, json};

use crate::ladders::DAY_S;
use crate::mail::{confirms, wants, with_mail};
use crate::support::club::{Club, SIX};
use crate::support::smtp::{Postbox, Received};
use crate::support::{Player, TestApp};
use crate::tournaments::{boards, named, resigns, starts, tournament};

/// Confirms an address and sets these preferences.
async fn gets_mail(player: &Player, postbox: &Postbox, preferences: Value) {
    confirms(player, postbox, &format!("{}@example.org", player.name)).await;
    wants(player, preferences).await;
}

/// The mails of the next minute.
async fn come(app: &TestApp, postbox: &Postbox) -> Vec<Received> {
    app.posts().await;
    app.passes_s(60).await;
    app.posts().await;
    postbox.empty()
}

/// The one mail of the next minute.
async fn comes(app: &TestApp, postbox: &Postbox) -> Received {
    let mut mails = come(app, postbox).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    mails.remove(0)
}

#[actix_web::test]
async fn a_challenge_for_a_place_is_told_in_time_and_so_is_the_loss() {
    let (app, postbox) = with_mail().await;
    let club = Club::of(&app, &SIX[..3], json!({ "reach": 3, "answer_s": 2 * DAY_S })).await;
    let events = json!(["ladder-challenge-received", "ladder-position-changed"]);
    // Not even a daily digest delays it.
    gets_mail(club.who("anna"), &postbox, json!({ "events": events, "digest": "daily" })).await;
    gets_mail(club.who("ben"), &postbox, json!({ "events": events, "language": "fr" })).await;

    let challenge = club.challenges("carl", "anna").await;
    let mail = comes(&app, &postbox).await;
    assert_eq!(
        (mail.to.as_str(), mail.header("subject")),
        ("anna@example.org", "A challenge for your position: Classic, a ladder")
    );
    // It is Wednesday, 9 June 2027.
    let line = "- Classic, a ladder: carl challenges you; answer until Friday 11 June 2027, 07:30 (UTC)\n";
    assert!(mail.text.contains(line) && !mail.text.contains("The wall of the club"), "{}", mail.text);
    let ladder = club.path.strip_prefix("/v1").unwrap();
    assert!(mail.text.contains(&format!("https://broadside.test{ladder}\n")), "{}", mail.text);

    // She doesn't answer: Carl takes her place, and Ben moves down as well.
    app.passes_s(2 * DAY_S).await;
    assert_eq!(club.outcome(&challenge).await, "unanswered");
    assert_eq!(club.wall().await, "carl anna ben");
    let mail = comes(&app, &postbox).await;
    assert_eq!(mail.header("subject"), "Une autre place sur une échelle : Classique, une échelle");
    let line = "Classique, une échelle : vous avez perdu la place 2 et avez maintenant la place 3\n";
    assert!(mail.text.contains(line), "{}", mail.text);
    app.passes_s(DAY_S).await;
    app.posts().await;
    let mail = &postbox.empty()[0];
    assert!(mail.text.contains("you have lost position 1, and have position 2 now"), "{}", mail.text);
}

#[actix_web::test]
async fn an_answered_challenge_is_no_news() {
    let (app, postbox) = with_mail().await;
    let club = Club::of(&app, &SIX[..2], json!({})).await;
    gets_mail(club.who("anna"), &postbox, json!({ "events": ["ladder-challenge-received"] })).await;
    let challenge = club.challenges("ben", "anna").await;
    app.posts().await;
    club.accepts("anna", &challenge).await;
    assert_eq!(come(&app, &postbox).await, []);
}

#[actix_web::test]
async fn who_misses_a_pairing_is_warned_before_the_second() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let events = json!(["ladder-pairing-missed", "ladder-member-set-inactive"]);
    gets_mail(&ben, &postbox, json!({ "events": events, "digest": "hourly" })).await;
    let id = anna.makes_ladder(json!({})).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    for (kind, subject) in [
        ("ladder-pairing-missed", "You have missed a pairing: Classic, a ladder"),
        ("ladder-member-set-inactive", "You are paired no more: Classic, a ladder"),
    ] {
        app.passes_s(6 * 3600).await;
        let game = anna.at_play().await[0].clone();
        anna.acts(&game, json!({ "type": "deploy-auto" })).await.expect(200);
        app.passes_s(DAY_S).await;
        app.passes_s(1).await;
        let heard: Vec<Value> = ben.hears(0).await;
        let told: Vec<&Value> = heard.iter().filter(|event| event["ladder_id"] == id.as_str()).collect();
        assert_eq!(
            (&told.last().unwrap()["type"], told.len()),
            (&json!(kind), if kind.ends_with("missed") { 1 } else { 2 })
        );
        app.posts().await;
        // Warnings are sent at once, news within the hour.
        app.passes_unseen_s(if kind.ends_with("missed") { 60 } else { 3600 });
        app.posts().await;
        let mails = postbox.empty();
        assert_eq!(mails.iter().map(|mail| mail.header("subject")).collect::<Vec<_>>(), [subject]);
    }
    assert!(anna.hears(0).await.iter().all(|event| event["type"] != "ladder-pairing-missed"), "Anna has played");
}

#[actix_web::test]
async fn rounds_missed_boards_and_the_end_of_a_tournament_are_told() {
    let (app, postbox) = with_mail().await;
    let mut people = Vec::new();
    for name in ["anna", "ben", "carl", "dora"] {
        people.push(app.lasting_player(name).await);
    }
    let events = json!(["tournament-started", "round-started", "tournament-board-missed", "tournament-withdrawn"]);
    gets_mail(&people[3], &postbox, json!({ "events": events })).await;
    let path = tournament(&people[0], &people, json!({ "double_round_robin": true })).await;
    starts(&people[0], &path).await;
    let opponent = |board: &Value| {
        let names = ["first", "second"].map(|seat| board[seat]["player"]["username"].as_str().unwrap().to_owned());
        names.contains(&"dora".to_owned()).then(|| names.into_iter().find(|name| name != "dora").unwrap())
    };
    let first = boards(&app, &path, 1).await.iter().find_map(opponent).unwrap();
    let mail = comes(&app, &postbox).await;
    assert_eq!(mail.header("subject"), "A tournament begins: Classic, a tournament, and more");
    let line = format!("- Classic, a tournament, round 1: you meet {first}\n");
    let link = format!("https://broadside.test{}\n", path.strip_prefix("/v1").unwrap());
    assert!(mail.text.contains(&line) && mail.text.contains(&link) && !mail.text.contains("Autumn"), "{}", mail.text);

    // Dora places nothing, round by round.
    for round in 1..=2 {
        for board in boards(&app, &path, round).await {
            let (one, other) = (named(&people, &board["first"]), named(&people, &board["second"]));
            let id = board["match_ids"][0].as_str().unwrap();
            match opponent(&board) {
                Some(name) => {
                    let opponent = people.iter().find(|player| player.name == name).unwrap();
                    opponent.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
                }
                None => resigns(&[one, other], other, id).await,
            }
        }
        app.passes_s(DAY_S).await;
        app.passes_s(1).await;
        let text = comes(&app, &postbox).await.text;
        let said = match round {
            1 => "withdrawn from the tournament:\n- Classic, a tournament, round 1\n",
            _ => "- Classic, a tournament: you have lost on time twice in a row\n",
        };
        assert!(text.contains(said), "{round}: {text}");
    }
    let kinds: Vec<Value> =
        crate::tournaments::heard(&people[3]).await.iter().map(|event| event["type"].clone()).collect();
    let warned = kinds.iter().filter(|kind| **kind == "tournament-board-missed").count();
    assert_eq!(warned, 1, "{kinds:?}");
}

#[actix_web::test]
async fn a_match_that_began_and_ended_is_one_line_with_reason_and_rating() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    gets_mail(&anna, &postbox, json!({ "events": ["match-started", "match-finished"], "digest": "hourly" })).await;
    let id = anna.begins_rated(&ben).await;
    ben.resigns(&id).await;
    app.posts().await;
    app.passes_s(3600).await;
    app.posts().await;
    let mails = postbox.empty();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].header("subject"), "A match is over: Classic against ben");
    let line = "- Classic against ben: you have won (by resignation), rating 1662 (+162)\n";
    assert!(mails[0].text.contains(line) && mails[0].text.matches(&id).count() == 1, "{}", mails[0].text);
}

#[actix_web::test]
async fn a_challenge_comes_with_its_terms() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    gets_mail(&anna, &postbox, json!({ "events": ["challenge-received"], "time_zone": "Europe/Paris" })).await;
    let clock = json!({ "kind": "bank", "initial_s": 5 * DAY_S, "increment_s": 43_200, "cap_s": 5 * DAY_S });
    let offer = json!({ "variant": "classic", "clock": clock, "rated": true, "opponent": "anna" });
    let offer = ben.post("/v1/challenges", offer).await.expect(201);
    let mail = comes(&app, &postbox).await;
    let terms = "- Classic, from ben: 5 days in all, and 12 hours more with each move; rated; open until ";
    assert!(mail.text.contains(terms), "{}", mail.text);
    // A week by default.
    assert_eq!(offer["expires_at"], "2026-11-28T07:30:00.000Z");
    assert!(mail.text.contains("open until Saturday 28 November 2026, 08:30 (Europe/Paris, UTC+1)\n"), "{}", mail.text);
}

#[actix_web::test]
async fn what_organizers_decide_is_told_without_their_words() {
    let (app, postbox) = with_mail().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let events = json!(["contest-invited", "contest-member-warned", "contest-announced", "contest-member-removed"]);
    gets_mail(&ben, &postbox, json!({ "events": events })).await;
    let ladder = anna.makes_ladder(json!({ "entry": "invitation", "visibility": "private" })).await;
    let (page, of) = (format!("/v1/ladders/{ladder}"), |rest: &str| format!("/v1/contests/{ladder}/{rest}"));
    anna.request("PUT", &of("invitations/ben"), None).await.expect(204);
    let mail = comes(&app, &postbox).await;
    assert_eq!(mail.header("subject"), "You are invited: Classic, a ladder");
    assert!(mail.text.contains(&format!("https://broadside.test/ladders/{ladder}\n")), "{}", mail.text);
    ben.post(&format!("{page}/join"), json!({})).await.expect(200);
    anna.post(&of("members/ben/warn"), json!({ "text": "SECRET" })).await.expect(204);
    let mail = comes(&app, &postbox).await;
    assert!(mail.header("subject") == "You are warned: Classic, a ladder" && !mail.text.contains("SECRET"));
    anna.post(&of("announcements"), json!({ "text": "SECRET" })).await.expect(201);
    app.passes_s(2).await;
    let mail = comes(&app, &postbox).await;
    assert!(mail.header("subject") == "An announcement: Classic, a ladder" && !mail.text.contains("SECRET"));
    anna.post(&of("members/ben/remove"), json!({ "reason": "SECRET" })).await.expect(204);
    let mail = comes(&app, &postbox).await;
    assert!(mail.header("subject") == "You were removed: Classic, a ladder" && !mail.text.contains("SECRET"));
}
