//! All reads: every GET of the contract, with existing objects as parameters.

use crate::ladders::a_pairing;
use crate::position_ladders::a_wall;
use crate::rated_past::pool;
use crate::rulesets::a_published_one;
use crate::support::TestApp;

/// Number of paths in [`readable`] that belong to the match itself; they come first.
pub const OF_THE_MATCH: usize = 8;

/// Every GET of the contract, with this match and these people as parameters. The match itself comes first.
pub async fn readable(app: &TestApp, id: &str, challenge: &str, variant: &str, feed: &str) -> Vec<String> {
    let document = app.get("/openapi.json").await.json();
    let tournaments = app.get("/v1/tournaments").await.expect(200);
    let tournament = tournaments["items"][0]["id"].as_str().unwrap_or(id);
    let mut paths = vec![
        format!("/v1/matches/{id}"),
        format!("/v1/matches/{id}/record"),
        format!("/v1/matches/{id}/record?format=text"),
        format!("/v1/matches/{id}/reports?after={}", app.cursor(2)),
        format!("/v1/matches/{id}/clock"),
        "/v1/matches?player=ben".to_owned(),
        "/v1/turns".to_owned(),
        // All events of each of them.
        "/v1/events?after=0&limit=1000".to_owned(),
    ];
    let (ladder, pairing) = a_pairing(app).await;
    let (wall, for_place) = a_wall(app).await;
    let rule_set = a_published_one(app).await;
    let of_places = ["/position-changes", "/opponents", "/challenges", "/challenges/{challenge}"];
    for (path, item) in document["paths"].as_object().unwrap() {
        // Token keys and session devices are older than the match and private to their owner.
        if item["get"].is_null() || path.contains("jwks") {
            continue;
        }
        let id = match path {
            path if path.contains("ladders") && of_places.iter().any(|end| path.ends_with(end)) => &wall,
            path if path.contains("challenges") => challenge,
            path if path.contains("variants") => variant,
            path if path.contains("ladders") => &ladder,
            path if path.contains("pairings") => &pairing,
            path if path.contains("tournaments") => tournament,
            _ => id,
        };
        let path =
            path.replace("{id}", id).replace("{delivery}", id).replace("{username}", "ben").replace("{address}", feed);
        let path = path.replace("{challenge}", &for_place);
        let path = path.replace("{number}", "1");
        let path = path.replace("{hash}", &rule_set);
        let path = path.replace("{pool}", &pool(variant));
        // A path with rooms stands for one path per room.
        paths.extend(
            if path.contains("{room}") { &["players", "spectators"][..] } else { &[""] }
                .iter()
                .map(|room| path.replace("{room}", room)),
        );
    }
    paths
}
