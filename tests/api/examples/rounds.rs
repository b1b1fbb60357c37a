//! An organizer's work between the rounds of a Swiss tournament.

use serde_json::{Value, json};

use super::{NOBODY, Tour, text};
use crate::support::Player;
use crate::tournaments::{alphabet, plays_round, starts};

const DAY_S: u32 = 86_400;

/// A Swiss of four, which Fritz runs and reviews round by round; Emil joins late, and Carl sits out.
pub async fn between_rounds(tour: &mut Tour, people: &[Player]) {
    let [anna, _, carl, dora, emil, fritz] = people else { unreachable!() };
    let terms = json!({
        "title": "The Swiss of the club", "format": "swiss", "rounds": 2, "variant": "classic", "seeding": "rating",
        "clock": { "kind": "per-move", "move_s": 3 * DAY_S }, "review_s": DAY_S,
        "late_entry": { "until_round": 2, "missed_round": "half-point" },
        "requested_byes": { "max": 1, "worth": "half-point", "not_in_last": 0 },
    });
    let says = "reviewed: Rounds wait a day for an organizer; late entry, and a bye on request.";
    let made = tour.post(fritz, "/v1/tournaments", terms, says).await;
    let path = format!("/v1/tournaments/{}", text(&made, "id"));
    for player in &people[..4] {
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    starts(fritz, &path).await;
    let draft = format!("{path}/rounds/1/pairings");
    let drawn = tour.get(fritz, &draft, "first: The first round, as it is drawn.").await;
    let games: Vec<Value> = drawn["pairings"]["games"].as_array().unwrap().clone();
    let swapped: Vec<Value> =
        games.iter().map(|game| json!({ "first": game["second"], "second": game["first"] })).collect();
    let body = json!({ "games": swapped, "reason": "The others are to begin, as was announced." });
    tour.put(fritz, &draft, body, "swapped: The others begin.").await;
    tour.post(fritz, &format!("{path}/rounds/1/release"), json!({}), "begins: The first round begins.").await;
    tour.app.passes_s(1).await;
    tour.get(NOBODY, &format!("{path}/rounds/1"), "by-hand: A round that was paired by hand.").await;
    emil.post(&format!("{path}/join"), json!({})).await.expect(200);
    let score = json!({ "half_point_byes": 0, "reason": "Came a round later than announced." });
    tour.put(fritz, &format!("{path}/late-entries/emil"), score, "nothing: Emil begins without a point.").await;
    let byes = format!("{path}/rounds/2/byes");
    tour.put(carl, &format!("{byes}/carl"), json!({}), "carl: Carl sits out the second round.").await;
    let reason = json!({ "reason": "She has written that she is away." });
    tour.put(fritz, &format!("{byes}/dora"), reason, "dora: An organizer lets Dora sit it out.").await;
    tour.delete(dora, &format!("{byes}/dora"), None, "dora: Dora plays after all.").await;
    tour.get(NOBODY, &format!("{path}/byes"), "carl: Carl sits out the second round.").await;
    plays_round(&[anna, &people[1], carl, dora].map(Player::clone), &path, 1, alphabet).await;
}
