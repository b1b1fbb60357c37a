//! Rule sets, bots and challenges.

use serde_json::{Value, json};

use super::{NOBODY, Tour, text};
use crate::support::Player;

fn twelve() -> Value {
    json!({ "board": { "rows": 12, "columns": 12, "labels": "row-letter" }, "contact": "forbidden" })
}

/// Variants, and a rule set by Anna.
pub async fn rule_sets(tour: &mut Tour, people: &[Player]) {
    tour.get(NOBODY, "/v1/variants", "all: All variants.").await;
    tour.get(NOBODY, "/v1/variants/classic", "classic: The card of the classic game.").await;
    let changes = json!({ "variant": "classic", "rule_set": twelve() });
    tour.post(&people[0], "/v1/rule-sets/check", changes, "twelve: May it be played like this?").await;
    let text = "Like the classic game, on a larger sea.\n\n- Ships must *not* touch.";
    let body = json!({
        "title": "Twelve by twelve", "variant": "classic", "rule_set": twelve(), "rules_markdown": text,
    });
    tour.post(&people[0], "/v1/rule-sets", body, "twelve: Anna publishes a rule set.").await;
    let found = tour.get(NOBODY, "/v1/rule-sets", "one: The only one so far.").await;
    let path = format!("/v1/rule-sets/{}", found["items"][0]["hash"].as_str().unwrap());
    tour.get(NOBODY, &path, "twelve: A rule set that Anna has published.").await;
}

/// Challenges of all kinds; returns the match of the one that Ben accepts.
pub async fn challenges(tour: &mut Tour, people: &[Player]) -> String {
    let (anna, ben, carl) = (&people[0], &people[1], &people[2]);
    let clock = json!({ "kind": "per-move", "move_s": 259_200 });
    let open = json!({ "variant": "classic", "clock": clock, "message": "A game over the weekend?" });
    let open = tour.post(carl, "/v1/challenges", open, "open: For anybody.").await;
    let changed = json!({
        "variant": "classic", "rule_set": { "salvo": { "size": 3 } }, "clock": clock, "opponent": "carl",
    });
    let changed = tour.post(anna, "/v1/challenges", changed, "own-rules: By rules of Anna's own.").await;
    let direct = json!({
        "variant": "classic", "clock": clock, "opponent": "ben", "rated": true, "nonce": "wind from the north-west",
    });
    let direct = tour.post(anna, "/v1/challenges", direct, "direct: Anna challenges Ben.").await;
    tour.get(ben, "/v1/challenges", "bens: What Ben can accept.").await;
    tour.get(ben, &format!("/v1/challenges/{}", text(&direct, "id")), "direct: Anna's challenge to Ben.").await;
    let path = format!("/v1/challenges/{}/decline", text(&changed, "id"));
    tour.post(carl, &path, json!({ "reason": "later" }), "later: Carl has no time.").await;
    let path = format!("/v1/challenges/{}", text(&open, "id"));
    tour.delete(carl, &path, None, "open: Carl withdraws the challenge.").await;
    let path = format!("/v1/challenges/{}/accept", text(&direct, "id"));
    let nonce = json!({ "nonce": "5ea5a17" });
    let accepted = tour.post(ben, &path, nonce, "last-seat: Ben takes the last seat, and the match begins.").await;
    text(&accepted, "match_id")
}
