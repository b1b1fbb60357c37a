//! Attempts to manipulate a ladder: repeated opponents, a place that nobody may challenge, friends who block others.
//! Each is played out here, and fails.

use std::collections::BTreeMap;

use serde_json::json;

use crate::ladders::{DAY_S, pairings};
use crate::support::club::{Club, reasons};
use crate::support::{Player, TestApp};

/// The times when each pair met, in order: from the opening to the end of the pairing, in milliseconds.
async fn meetings(app: &TestApp, ladder: &str) -> BTreeMap<[String; 2], Vec<[Option<String>; 2]>> {
    let mut all: BTreeMap<[String; 2], Vec<[Option<String>; 2]>> = BTreeMap::new();
    for pairing in pairings(app, ladder).await.iter().rev() {
        let name = |seat: usize| pairing["players"][seat]["player"]["username"].as_str().unwrap().to_owned();
        let mut pair = [name(0), name(1)];
        pair.sort();
        let times = ["opened_at", "ended_at"].map(|field| pairing[field].as_str().map(str::to_owned));
        all.entry(pair).or_default().push(times);
    }
    all
}

/// Paired players of this group play at once, and the alphabetically later one resigns.
async fn prompt_ones_play(app: &TestApp, ladder: &str, prompt: &[Player]) {
    for pairing in pairings(app, ladder).await.iter().filter(|pairing| pairing["ended_at"].is_null()) {
        let who = |seat: usize| {
            let name = &pairing["players"][seat]["player"]["username"];
            prompt.iter().find(|player| player.name == *name)
        };
        let (Some(one), Some(other)) = (who(0), who(1)) else { continue };
        let (winner, loser) = if one.name < other.name { (one, other) } else { (other, one) };
        loser.loses(winner, pairing["games"][0]["match_id"].as_str().unwrap()).await;
    }
}

#[actix_web::test]
async fn four_who_play_promptly_do_not_meet_each_other_again_within_days() {
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for name in ["anna", "ben", "carl", "dora", "emil", "fritz", "gina", "hugo", "ida", "jan", "kim", "lena"] {
        people.push(app.lasting_player(name).await);
    }
    let clock = json!({ "kind": "per-move", "move_s": 2 * DAY_S, "rests": "none" });
    let terms = json!({ "title": "Slow ladder", "variant": "classic", "clock": clock });
    let ladder = people[0].post("/v1/ladders", terms).await.expect(201)["id"].as_str().unwrap().to_owned();
    for player in &people {
        player.joins(&ladder, 1).await;
    }
    // Eight take their time. Four play every pairing within the hour, for two days.
    for _ in 0..47 {
        app.passes_s(3600).await;
        prompt_ones_play(&app, &ladder, &people[..4]).await;
    }
    let met = meetings(&app, &ladder).await;
    let often: Vec<_> = met.iter().filter(|(_, times)| times.len() > 1).collect();
    assert!(often.is_empty(), "they met again within two days: {often:?}");
    // All four have met each other once, and the slow ones continue.
    assert!(met.len() >= 6, "{met:?}");
}

/// Both make their requested move, if there is one.
async fn move_on(club: &Club, names: [&str; 2], game: &str) {
    for name in names {
        if let Some(example) = club.who(name).example(game).await {
            club.who(name).acts(game, example).await.expect(200);
        }
    }
}

#[actix_web::test]
async fn a_friend_who_plays_slowly_does_not_keep_others_from_a_place() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl", "dora"], json!({})).await;
    // Ben challenges a friend, anna, who accepts late; then both are slow with each move.
    let challenge = club.challenges("ben", "anna").await;
    app.passes_s(2 * DAY_S).await;
    let game = club.accepts("anna", &challenge).await;
    assert_eq!(reasons(&club.tries("dora", "anna").await), ["opponent-challenged"]);
    for _ in 0..6 {
        move_on(&club, ["ben", "anna"], &game).await;
        app.passes_s(2 * DAY_S - 60).await;
    }
    assert_eq!(reasons(&club.tries("dora", "anna").await), ["opponent-challenged"]);
    move_on(&club, ["ben", "anna"], &game).await;
    app.passes_s(DAY_S).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "accepted");
    // Two weeks are enough: dora may challenge as well, and so may carl.
    assert_eq!(club.sees("dora").await["anna"], Vec::<String>::new());
    let other = club.challenges("carl", "anna").await;
    club.plays("dora", "anna", "anna").await;
    assert_eq!(club.wall().await, "dora anna ben carl");
    // Ben's and carl's challenges continue, now for anna's current place.
    club.who("anna").acts(&game, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "challenger-won");
    assert_eq!(club.wall().await, "dora ben anna carl");
    app.passes_s(3 * DAY_S).await;
    assert_eq!(club.outcome(&other).await, "unanswered");
    assert_eq!(club.wall().await, "dora ben carl anna");
}

#[actix_web::test]
async fn friends_who_challenge_in_turn_do_not_keep_others_from_a_place() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl", "dora"], json!({ "no_return_s": 3 * DAY_S })).await;
    // Ben and carl challenge anna in turn, each at the moment when her place is free, and resign after days.
    for (number, friend) in ["ben", "carl", "ben"].into_iter().enumerate() {
        let challenge = club.challenges(friend, "anna").await;
        app.passes_s(2 * DAY_S).await;
        let game = club.accepts("anna", &challenge).await;
        app.passes_s(2 * DAY_S).await;
        club.who(friend).acts(&game, json!({ "type": "resign" })).await.expect(200);
        app.passes_s(1).await;
        assert_eq!(club.outcome(&challenge).await, "defender-won");
        if number < 2 {
            // Dora can do nothing until the protection ends.
            assert_eq!(reasons(&club.tries("dora", "anna").await), ["opponent-protected"]);
            app.passes_s(DAY_S).await;
        }
    }
    // A place that was open for less than a day in two weeks is not protected against players who were kept out.
    assert_eq!(club.sees("dora").await["anna"], Vec::<String>::new());
    club.plays("dora", "anna", "anna").await;
    assert_eq!(club.wall().await, "dora anna ben carl");
}
