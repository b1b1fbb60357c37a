//! Position ladders with concurrency and forgeries: two challenges to one member, two answers, a match of two games, an
//! unearned place.

use serde_json::json;

use crate::support::club::{Club, DAY_S, SIX, reasons};
use crate::support::{Player, TestApp};

#[actix_web::test]
async fn only_who_is_challenged_answers_and_only_once() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl"], json!({})).await;
    let challenge = club.challenges("ben", "anna").await;
    for name in ["ben", "carl"] {
        for answer in ["accept", "decline"] {
            club.who(name)
                .post(&format!("{challenge}/{answer}"), json!({}))
                .await
                .problem(403, "not-the-challenged-player");
        }
    }
    let eve = app.player("eve").await;
    eve.post(&format!("{challenge}/accept"), json!({})).await.problem(403, "not-the-challenged-player");
    // The same key gives the same answer; without one it was answered already.
    let anna = club.who("anna");
    let first = anna.post_once("yes", &format!("{challenge}/accept"), json!({})).await.expect(200);
    let again = anna.post_once("yes", &format!("{challenge}/accept"), json!({})).await.expect(200);
    assert_eq!(first, again);
    for answer in ["accept", "decline"] {
        anna.post(&format!("{challenge}/{answer}"), json!({})).await.problem(409, "challenge-closed");
    }
    // The challenger begins, and both are notified of the match.
    let pairing = app.get(&format!("/v1/pairings/{}", first["pairing_id"].as_str().unwrap())).await.expect(200);
    assert_eq!(pairing["players"][0]["player"]["username"], "ben");
    for name in ["anna", "ben"] {
        let events = club.who(name).hears(0).await;
        assert!(events.iter().any(|event| event["type"] == "match-started" && event["pairing_id"] == pairing["id"]));
    }
    // The lists show it to everybody.
    let listed = |query: &str| {
        let path = club.at(&format!("/challenges{query}"));
        let app = app.clone();
        async move { app.get(&path).await.expect(200)["items"].as_array().unwrap().len() }
    };
    assert_eq!((listed("").await, listed("?status=accepted").await, listed("?status=open").await), (1, 1, 0));
    assert_eq!((listed("?player=ben").await, listed("?player=anna").await, listed("?player=carl").await), (1, 1, 0));
    // Another ladder's lists don't.
    let other = Club::of(&app, &["olga", "paul"], json!({})).await;
    let elsewhere = challenge.replace(&club.path, &other.path);
    app.get(&elsewhere).await.problem(404, "not-found");
    anna.post(&format!("{elsewhere}/accept"), json!({})).await.problem(404, "not-found");
}

#[actix_web::test]
async fn of_two_who_challenge_one_member_at_once_one_wins() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX, json!({ "reach": 5 })).await;
    let node = app.another_node().await;
    let (there, body) = (club.at("/challenges"), json!({ "opponent": "anna" }));
    let others: Vec<Player> = SIX[1..].iter().map(|name| club.who(name).clone()).collect();
    let tries = others.iter().enumerate().map(|(index, player)| {
        let player = if index % 2 == 0 { player.at(&node) } else { player.clone() };
        let (there, body) = (there.clone(), body.clone());
        async move { player.post(&there, body).await }
    });
    let answers = futures_util::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!(reasons(answer), ["opponent-challenged"]);
    }
    assert_eq!(club.hears("anna").await.len(), 1);
}

#[actix_web::test]
async fn an_answer_on_two_nodes_at_once_is_given_once() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben"], json!({ "declines": 0, "no_return_s": 0, "protection_s": 0 })).await;
    let node = app.another_node().await;
    for (one, other) in [("accept", "accept"), ("accept", "decline"), ("decline", "decline")] {
        let (low, high) = {
            let wall = club.wall().await;
            let (high, low) = wall.split_once(' ').unwrap();
            (low.to_owned(), high.to_owned())
        };
        let challenge = club.challenges(&low, &high).await;
        let (here, there) = (club.who(&high).clone(), club.who(&high).at(&node));
        let (first, second) = (format!("{challenge}/{one}"), format!("{challenge}/{other}"));
        let (first, second) =
            futures_util::future::join(here.post(&first, json!({})), there.post(&second, json!({}))).await;
        let statuses = [first.status, second.status];
        assert!(statuses == [200, 409] || statuses == [409, 200], "{one} and {other}: {statuses:?}");
        let pairings = app.get(&club.at("/pairings")).await.expect(200)["items"].clone();
        let running = pairings.as_array().unwrap().iter().find(|pairing| pairing["ended_at"].is_null()).cloned();
        if let Some(pairing) = running {
            let game = pairing["games"][0]["match_id"].as_str().unwrap();
            here.acts(game, json!({ "type": "resign" })).await.expect(200);
            // Both nodes settle it, and it is settled once.
            let before = club.steps().await.len();
            let (one, other) = futures_util::future::join(
                broadside::ladders::job::run(&app.app.matches),
                broadside::ladders::job::run(&node.app.matches),
            )
            .await;
            one.and(other).unwrap();
            assert_eq!(club.steps().await.len(), before + 1);
        }
        assert_eq!(club.wall().await, format!("{low} {high}"), "after {one} and {other}");
    }
}

#[actix_web::test]
async fn an_answer_at_the_last_moment_is_given_or_too_late() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben"], json!({ "answer_s": 3600, "no_return_s": 0, "protection_s": 0 })).await;
    let node = app.another_node().await;
    // It has expired, but no job has run: the answer is still too late.
    let challenge = club.challenges("ben", "anna").await;
    app.passes_unseen_s(3600);
    club.who("anna").post(&format!("{challenge}/accept"), json!({})).await.problem(409, "challenge-closed");
    // Two nodes expire it at the same time, with one effect.
    let (one, other) = futures_util::future::join(
        broadside::ladders::job::run(&app.app.matches),
        broadside::ladders::job::run(&node.app.matches),
    )
    .await;
    one.and(other).unwrap();
    assert_eq!((club.outcome(&challenge).await.as_str(), club.wall().await.as_str()), ("unanswered", "ben anna"));
    assert_eq!(club.steps().await.len(), 3);
    // A second before, both at once: the first one takes effect.
    let challenge = club.challenges("anna", "ben").await;
    app.passes_unseen_s(3599);
    let ben = club.who("ben").at(&node);
    let accept = format!("{challenge}/accept");
    let (accepted, swept) =
        futures_util::future::join(ben.post(&accept, json!({})), broadside::ladders::job::run(&app.app.matches)).await;
    swept.unwrap();
    accepted.expect(200);
    app.passes_s(3600).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "accepted");
    assert_eq!(club.wall().await, "ben anna");
}

#[actix_web::test]
async fn paired_games_are_one_challenge_and_points_decide() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let body = json!({
        "title": "Two at once", "format": "position", "variant": "classic", "paired_games": true,
        "clock": { "kind": "per-move", "move_s": DAY_S }, "position_terms": { "loser_falls": 2 },
    });
    let ladder = anna.post("/v1/ladders", body).await.expect(201);
    assert_eq!((&ladder["position_terms"]["reach"], &ladder["position_terms"]["loser_falls"]), (&json!(3), &json!(2)));
    let path = format!("/v1/ladders/{}", ladder["id"].as_str().unwrap());
    let mut members = vec![anna, ben];
    for name in ["carl", "dora"] {
        members.push(app.lasting_player(name).await);
    }
    for member in &members {
        member.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    let club = Club { app: app.clone(), members, path };
    let challenge = club.challenges("ben", "anna").await;
    let accepted = club.who("anna").post(&format!("{challenge}/accept"), json!({})).await.expect(200);
    let pairing = format!("/v1/pairings/{}", accepted["pairing_id"].as_str().unwrap());
    let games = app.get(&pairing).await.expect(200)["games"].clone();
    let game = |number: usize| games[number]["match_id"].as_str().unwrap().to_owned();
    // One win each is a draw, and the defender stays. Half of the match decides nothing.
    club.who("anna").acts(&game(0), json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "accepted");
    club.who("ben").acts(&game(1), json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "drawn");
    assert_eq!(club.wall().await, "anna ben carl dora");
    // On this ladder a challenger who loses falls by two places.
    let challenge = club.challenges("carl", "ben").await;
    let accepted = club.who("ben").post(&format!("{challenge}/accept"), json!({})).await.expect(200);
    let pairing = format!("/v1/pairings/{}", accepted["pairing_id"].as_str().unwrap());
    for game in app.get(&pairing).await.expect(200)["games"].as_array().unwrap() {
        let id = game["match_id"].as_str().unwrap();
        club.who("carl").acts(id, json!({ "type": "resign" })).await.expect(200);
    }
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "defender-won");
    assert_eq!(club.wall().await, "anna ben dora carl");
    assert_eq!(club.steps().await.pop().unwrap()["reason"], "challenge-lost");
}

#[actix_web::test]
async fn a_place_that_does_not_follow_from_the_log_is_found() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl"], json!({})).await;
    club.plays("carl", "anna", "anna").await;
    let audit = async || broadside::ladders::position::audit::all(&app.app).await.unwrap().faults;
    assert!(audit().await.is_empty());
    crate::support::database::execute(&app.database, "UPDATE ladder_positions SET position = 4 - position").await;
    assert_eq!(audit().await.len(), 1);
    crate::support::database::execute(&app.database, "UPDATE ladder_positions SET position = 4 - position").await;
    assert!(audit().await.is_empty());
    crate::support::database::execute(
        &app.database,
        "UPDATE ladder_position_changes SET from_position = 2 WHERE number = 4",
    )
    .await;
    let faults = audit().await;
    assert!(faults.len() == 1 && faults[0].contains("step 4"), "{faults:?}");
}
