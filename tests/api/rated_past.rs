//! The past of two compared worlds: a finished rated match, so that ledgers and leaderboards have rows, and a running
//! pairing.

use broadside_rules::Variant;
use serde_json::{Value, json};

use crate::leak::Leak;
use crate::paired::meet;
use crate::ratings::DAY_S;
use crate::secrecy::difference;
use crate::support::{Player, TestApp, database};

/// A leak planted in a world, which the comparison must find.
#[derive(Clone, Copy)]
pub enum Planted {
    Nothing,
    /// A leak in answers to requests.
    InAnswers(Leak),
    /// Ben's rating depends on Ben's hidden fleet.
    InRatings,
}

pub struct Past {
    /// The finished match.
    pub over: String,
    /// The pairing: of two players, paired games of which the first is over.
    pub pairing: String,
    /// Its last match, before the placement of fleets.
    pub last: String,
}

/// Terms of a rated match.
pub fn rated(variant: &str) -> Value {
    json!({ "variant": variant, "rated": true, "clock": { "kind": "per-move", "move_s": DAY_S } })
}

/// The pool of a variant at its default table.
pub fn pool(variant: &str) -> String {
    let most = Variant::find(variant).unwrap().seats().1;
    format!("{variant}{}-days", if most > 2 { "-many" } else { "" })
}

/// They have played, and are meeting again.
pub async fn behind_them(app: &TestApp, variant: &str, players: &[&Player]) -> Past {
    let over = players[0].sits_down_with(&players[1..], rated(variant), &[]).await;
    is_lost(players, &over).await;
    // As if they had played many more.
    database::execute(&app.database, "UPDATE ratings SET deviation = 60, listed_until = '2027-06-01'").await;
    let (pairing, matches) = meet(app, variant, players, players.len() == 2).await;
    if let [first, _] = matches.as_slice() {
        is_lost(players, first).await;
    }
    for path in [
        format!("/v1/pools/{}/leaderboard", pool(variant)),
        format!("/v1/matches/{over}/rating-changes"),
        format!("/v1/pairings/{pairing}"),
    ] {
        let found = app.get(&path).await.expect(200);
        let rows = if path.contains("pairings") { &found["players"] } else { &found["items"] };
        assert_eq!(rows.as_array().unwrap().len(), players.len(), "{path}: {found}");
    }
    Past { over, pairing, last: matches.last().unwrap().clone() }
}

/// All place their fleets, and all but the first resign.
async fn is_lost(players: &[&Player], id: &str) {
    for player in players {
        player.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    for player in &players[1..] {
        player.resigns(id).await;
    }
}

impl Past {
    /// Makes Ben's rating depend on a secret of a running match.
    pub async fn gives_away(&self, app: &TestApp, secret: usize) {
        let moved = format!(
            "UPDATE ratings SET rating = rating + {secret} FROM accounts AS a WHERE a.id = account_id AND a.username = 'ben'"
        );
        database::execute(&app.database, &moved).await;
    }

    /// The paths that show the past.
    pub fn readable(&self, variant: &str) -> [String; 5] {
        let Self { over, pairing, last } = self;
        [
            format!("/v1/pairings/{pairing}"),
            format!("/v1/matches/{over}/rating-changes"),
            format!("/v1/matches/{last}/rating-changes"),
            format!("/v1/matches/{last}"),
            format!("/v1/pools/{}/leaderboard?around=ben", pool(variant)),
        ]
    }
}

/// The challenge from which a match was made.
pub async fn challenge_of(player: &Player, id: &str) -> String {
    let mine = player.get("/v1/challenges?mine=true").await.expect(200);
    let made = mine["items"].as_array().unwrap().iter().find(|challenge| challenge["match_id"] == id);
    made.unwrap()["id"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn a_rating_that_moves_before_the_end_is_found() {
    let found = difference(Variant::find("classic").unwrap(), 201, Planted::InRatings).await;
    assert!(found.is_some_and(|found| found.contains("rating")), "it is not found");
}
