//! Ladders: made, joined and left by players within their terms; the server brings them together, and what comes of it stands in the season's standings.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};

pub const DAY_S: i64 = 86_400;

/// The terms of a plain ladder, with these in addition.
pub fn terms(more: Value) -> Value {
    let mut terms = json!({
        "title": "Tuesday ladder", "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 },
    });
    terms.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    terms
}

impl Player {
    /// Makes a ladder with these terms beside the plain ones: its id.
    pub async fn makes_ladder(&self, more: Value) -> String {
        let ladder = self.post("/v1/ladders", terms(more)).await.expect(201);
        ladder["id"].as_str().unwrap().to_owned()
    }

    pub async fn joins(&self, ladder: &str, simultaneous: u32) -> Value {
        let wish = json!({ "simultaneous": simultaneous });
        self.post(&format!("/v1/ladders/{ladder}/join"), wish).await.expect(200)
    }

    /// The ladder as this player sees it.
    pub async fn looks_at(&self, ladder: &str) -> Value {
        self.get(&format!("/v1/ladders/{ladder}")).await.expect(200)
    }

    /// Which matches of his are under way, the newest first.
    pub async fn at_play(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for status in ["deploying", "playing"] {
            let found = self.get(&format!("/v1/matches?player={}&status={status}&limit=100", self.name)).await.expect(200);
            ids.extend(found["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        }
        ids
    }

    /// Both fleets are placed, and this player gives the match up.
    pub async fn loses(&self, other: &Player, id: &str) {
        for player in [self, other] {
            player.acts(id, json!({ "type": "deploy", "auto": true })).await.expect(200);
        }
        self.acts(id, json!({ "type": "resign" })).await.expect(200);
    }
}

/// The pairings of a ladder, the newest first.
pub async fn pairings(app: &TestApp, ladder: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/ladders/{ladder}/pairings?limit=100")).await.expect(200);
    page["items"].as_array().unwrap().clone()
}

/// The standings, as (name, points, pairings).
pub async fn standings(app: &TestApp, ladder: &str, query: &str) -> Vec<(String, f64, u64)> {
    let page = app.get(&format!("/v1/ladders/{ladder}/standings?{query}")).await.expect(200);
    let row = |row: &Value| {
        let name = row["player"]["username"].as_str().unwrap().to_owned();
        (name, row["points"].as_f64().unwrap(), row["pairings"].as_u64().unwrap())
    };
    page["items"].as_array().unwrap().iter().map(row).collect()
}

/// Ends every running pairing of two: of both players the one whose name comes later gives up.
pub async fn the_first_by_name_win(app: &TestApp, ladder: &str, people: &[Player]) {
    for pairing in pairings(app, ladder).await {
        let by_name = |number: usize| {
            let name = pairing["players"][number]["player"]["username"].as_str().unwrap();
            people.iter().find(|player| player.name == name).unwrap()
        };
        let (one, other) = (by_name(0), by_name(1));
        let (winner, loser) = if one.name < other.name { (one, other) } else { (other, one) };
        for game in pairing["games"].as_array().unwrap().iter().filter(|game| game["over"] == false) {
            loser.loses(winner, game["match_id"].as_str().unwrap()).await;
        }
    }
}

#[actix_web::test]
async fn players_make_a_ladder_join_it_and_are_brought_together() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({ "rated": true, "description": "Every Tuesday.\nAnd on other days." })).await;
    let ladder = ben.looks_at(&id).await;
    assert_eq!([&ladder["eligibility"], &ladder["membership"]], [&json!({ "join": { "allowed": true, "reasons": [] } }), &Value::Null]);
    assert_eq!([&ladder["pool"], &ladder["members"], &ladder["form"]], [&json!("classic-days"), &json!(0), &json!("rating")]);
    assert_eq!(app.get(&format!("/v1/ladders/{id}")).await.expect(200)["eligibility"], Value::Null);

    anna.joins(&id, 1).await;
    let joined = ben.joins(&id, 1).await;
    assert_eq!([&joined["membership"]["status"], &joined["members"]], [&json!("active"), &json!(2)]);
    app.passes_s(1).await;
    let matches = anna.at_play().await;
    assert_eq!(matches, ben.at_play().await);
    let [only] = matches.as_slice() else { panic!("{matches:?}") };
    let view = anna.sees(only).await;
    assert_eq!([&view["rated"], &view["pairing"]["ladder_id"]], [&json!(true), &json!(id)]);
    // Nobody else comes, and they are busy.
    app.passes_s(3600).await;
    assert_eq!(anna.at_play().await.len(), 1);

    ben.loses(anna, only).await;
    assert_eq!(standings(&app, &id, "").await, [("anna".to_owned(), 0.0, 0), ("ben".to_owned(), 0.0, 0)]);
    app.passes_s(1).await;
    assert_eq!(standings(&app, &id, "").await, [("anna".to_owned(), 1.0, 1), ("ben".to_owned(), 0.0, 1)]);
    let first = &pairings(&app, &id).await[0];
    assert_eq!(first["players"][0]["points"].as_f64().unwrap() + first["players"][1]["points"].as_f64().unwrap(), 1.0);
    // They are far apart now, so the next one waits a little; then who didn't begin begins.
    let began = first["players"][0]["player"]["username"].clone();
    assert!(anna.at_play().await.is_empty());
    app.passes_s(2 * 3600).await;
    let next = &pairings(&app, &id).await[0];
    assert_ne!(next["players"][0]["player"]["username"], began);
    assert_eq!(anna.at_play().await.len(), 1);
}
