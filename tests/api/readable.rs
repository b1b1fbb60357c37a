//! All that can be read: every GET of the contract, with something that exists in the place of each parameter.

use serde_json::json;

use crate::ladders::a_pairing;
use crate::rated_past::pool;
use crate::support::{Player, TestApp};

/// The secret in the address of somebody's deadlines, which anybody may read who has it.
pub async fn feed_of(app: &TestApp, player: &Player) -> String {
    let body = json!({ "username": player.name, "password": player.password });
    let signed_in = app.post("/v1/sessions", body).await.expect(201);
    let token = signed_in["access_token"].as_str().unwrap();
    let made = player.with_token(token).post("/v1/account/calendar/feed", json!({})).await;
    let path = made.header("location").unwrap();
    path.trim_start_matches("/v1/calendar/").trim_end_matches(".ics").to_owned()
}

/// A ladder with places on which one member challenges another: its id, and that of the challenge.
async fn a_wall(app: &TestApp) -> (String, String) {
    let (rosa, theo) = (app.player("rosa").await, app.player("theo").await);
    let id = rosa.makes_ladder(json!({ "form": "position" })).await;
    rosa.joins(&id, 1).await;
    theo.joins(&id, 1).await;
    let challenge = theo.post(&format!("/v1/ladders/{id}/challenges"), json!({ "opponent": "rosa" })).await.expect(201);
    (id, challenge["id"].as_str().unwrap().to_owned())
}

/// How many of the paths that [`readable`] lists are of the match itself.
pub const OF_THE_MATCH: usize = 8;

/// Every GET of the contract, with this match and these people in the place of its parameters. The match itself comes first.
pub async fn readable(app: &TestApp, id: &str, challenge: &str, variant: &str, feed: &str) -> Vec<String> {
    let document = app.get("/openapi.json").await.json();
    let tournaments = app.get("/v1/tournaments").await.expect(200);
    let tournament = tournaments["items"][0]["id"].as_str().unwrap_or(id);
    let mut paths = vec![
        format!("/v1/matches/{id}"),
        format!("/v1/matches/{id}/record"),
        format!("/v1/matches/{id}/record?format=text"),
        format!("/v1/matches/{id}/reports?after=2"),
        format!("/v1/matches/{id}/clock"),
        "/v1/matches?player=ben".to_owned(),
        "/v1/turns".to_owned(),
        // What each of them hears of, all of it.
        "/v1/events?after=0&limit=1000".to_owned(),
    ];
    let (ladder, pairing) = a_pairing(app).await;
    let (wall, for_place) = a_wall(app).await;
    let of_places = ["/moves", "/challengeable", "/challenges", "/challenges/{challenge}"];
    for (path, item) in document["paths"].as_object().unwrap() {
        // Keys of tokens and the devices of sessions are made before the match and are their owner's own.
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
        let path = path.replace("{pool}", &pool(variant));
        // A path with rooms stands for each of them.
        paths.extend(
            if path.contains("{room}") { &["players", "spectators"][..] } else { &[""] }
                .iter()
                .map(|room| path.replace("{room}", room)),
        );
    }
    paths
}
