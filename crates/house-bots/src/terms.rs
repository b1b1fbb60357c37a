//! The challenges that a bot accepts: those within its published offer.

use broadside_bots::{Bot, Level};
use serde_json::{Value, json};

use crate::Limits;
use crate::roster::{Post, is_the_same};

/// The validity of an offer, in seconds. It is renewed long before.
pub(crate) const OFFERED_S: u32 = 120;

/// The published offer (`PUT /v1/account/bot-offer`).
pub(crate) fn offer(post: &Post, limits: &Limits) -> Value {
    json!({
        "level": post.level.name(),
        "description": description(post),
        "variants": post.variants.keys().collect::<Vec<_>>(),
        "custom_rules": limits.custom_rules,
        "rated": limits.rated,
        "max_seats": post.max_seats,
        "min_move_s": limits.min_move_s,
        "max_matches": limits.matches,
        "available_for_s": OFFERED_S,
    })
}

/// The bot's strength in words, for choosing a level; `None` if not measured.
fn description(post: &Post) -> Option<String> {
    let rating = |level: Level| level.rating(&post.family);
    let each: Option<Vec<String>> =
        Level::ALL.iter().map(|level| Some(format!("{} {}", level.name(), rating(*level)?))).collect();
    Some(format!("Rating {}, from duels among the levels: {}.", rating(post.level)?, each?.join(", ")))
}

/// The reason why a challenge is declined, as a word of the API; `None`: it is accepted.
pub(crate) fn objection(challenge: &Value, running: u64, post: &Post, limits: &Limits) -> Option<&'static str> {
    let rules = &challenge["rule_set"];
    let own = challenge["variant"].as_str().and_then(|variant| post.variants.get(variant));
    let Some(own) = own else { return Some("other-variant") };
    let named = !challenge["named_rule_set"].is_null();
    if !limits.custom_rules && (named || !is_the_same(rules, own)) {
        return Some("preset-rules");
    }
    if Bot::new(rules, Level::Easy, 0).is_err() {
        return Some("other-variant");
    }
    if challenge["rated"] == true && !limits.rated {
        return Some("only-unrated");
    }
    if move_s(&challenge["clock"]).is_some_and(|seconds| seconds < u64::from(limits.min_move_s)) {
        return Some("too-fast");
    }
    (running >= u64::from(limits.matches)).then_some("later")
}

/// The time of a clock for a move, in seconds: of a bank its increment, or a fiftieth of the bank if that is more.
/// `None`: no limit.
fn move_s(clock: &Value) -> Option<u64> {
    match clock["kind"].as_str() {
        Some("none") => None,
        Some("bank") => {
            let part = |name: &str| clock[name].as_u64().unwrap_or(0);
            Some(part("increment_s").max(part("initial_s") / 50))
        }
        _ => Some(clock["move_s"].as_u64().unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn post() -> Post {
        let rules = serde_json::to_value(broadside_rules::variants()[0].rule_set()).unwrap();
        let variants = BTreeMap::from([("known".to_owned(), rules)]);
        let (name, family) = ("known-easy".to_owned(), "gunnery".to_owned());
        Post { name, level: Level::Easy, family, variants, max_seats: 2 }
    }

    fn limits() -> Limits {
        Limits { matches: 2, min_move_s: 10, rated: false, custom_rules: false }
    }

    fn challenge(change: Value) -> Value {
        let mut challenge = json!({
            "variant": "known", "rule_set": post().variants["known"], "named_rule_set": null, "rated": false,
            "clock": { "kind": "per-move", "move_s": 10 },
        });
        let fields = change.as_object().unwrap().clone();
        challenge.as_object_mut().unwrap().extend(fields);
        challenge
    }

    #[test]
    fn an_offer_says_how_strong_the_level_is() {
        let told = offer(&post(), &limits())["description"].as_str().unwrap().to_owned();
        let rating = Level::Easy.rating("gunnery").unwrap();
        assert!(told.starts_with(&format!("Rating {rating}, ")) && told.contains("strong "), "{told}");
        let unmeasured = Post { family: "unheard-of".to_owned(), ..post() };
        assert_eq!(offer(&unmeasured, &limits())["description"], Value::Null);
    }

    #[test]
    fn what_was_published_is_accepted_and_nothing_else() {
        let asked = |change: Value, running| objection(&challenge(change), running, &post(), &limits());
        assert_eq!(asked(json!({}), 1), None);
        assert_eq!(asked(json!({ "clock": { "kind": "none" } }), 0), None);
        assert_eq!(asked(json!({ "clock": { "kind": "bank", "initial_s": 500, "increment_s": 0 } }), 0), None);
        let mut begun = post().variants["known"].clone();
        begun["first"] = json!("creator");
        assert_eq!(asked(json!({ "rule_set": begun }), 0), None, "who begins is no other rule set");
        let mut other = post().variants["known"].clone();
        other["family"] = json!("another");
        for (change, running, why) in [
            (json!({}), 2, "later"),
            (json!({ "variant": "unknown" }), 0, "other-variant"),
            (json!({ "rated": true }), 0, "only-unrated"),
            (json!({ "clock": { "kind": "per-move", "move_s": 9 } }), 0, "too-fast"),
            (json!({ "clock": { "kind": "bank", "initial_s": 499, "increment_s": 9 } }), 0, "too-fast"),
            (json!({ "rule_set": other }), 0, "preset-rules"),
            (json!({ "named_rule_set": "0" }), 0, "preset-rules"),
        ] {
            assert_eq!(asked(change.clone(), running), Some(why), "{change}");
        }
    }

    #[test]
    fn whoever_plays_by_any_rules_plays_by_those_it_can_read() {
        let free = Limits { custom_rules: true, ..limits() };
        let asked = |rules: Value| objection(&challenge(json!({ "rule_set": rules })), 0, &post(), &free);
        assert_eq!(asked(json!({ "family": "unheard-of" })), Some("other-variant"));
        let named = challenge(json!({ "named_rule_set": "0" }));
        assert_eq!(objection(&named, 0, &post(), &free), None);
    }
}
