//! The list of waiting turns: all that a list of boards needs, and nothing beyond the player's own view.

use broadside_rules::variants;
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp, plain};
use crate::tournaments::under_way;

async fn turns(player: &Player) -> Vec<Value> {
    player.get("/v1/turns").await.expect(200)["items"].as_array().unwrap().clone()
}

/// The expected list entry, computed from the player's view.
fn expected(view: &Value, name: &str) -> Value {
    let decisions = view["decisions"].as_array().unwrap().iter().filter(|decision| decision["required"] == true);
    let mut types: Vec<&str> = decisions.map(|decision| decision["type"].as_str().unwrap()).collect();
    types.sort_unstable();
    types.dedup();
    let seats = view["seats"].as_array().unwrap();
    let opponents: Vec<&Value> =
        seats.iter().map(|seat| &seat["player"]).filter(|player| player["username"] != name).collect();
    json!({
        "id": view["id"], "version": view["version"], "seat": view["viewer"]["seat"], "decision_types": types,
        "opponents": opponents, "clock": view["clock"], "pairing": view["pairing"], "status": view["status"],
        "deadline": view["deadline"], "to_act": view["to_act"], "rated": view["rated"],
    })
}

#[actix_web::test]
async fn a_list_of_boards_needs_no_match_by_itself() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    for variant in variants().iter().filter(|variant| variant.seats().0 == 2) {
        let id = anna.challenges_and_meets(&ben, json!({ "variant": variant.id, "first": null })).await;
        let mut moves = 1;
        for _ in 0..6 {
            for (player, name) in [(&anna, "anna"), (&ben, "ben")] {
                let view = player.sees(&id).await;
                let listed = turns(player).await.into_iter().find(|turn| turn["id"] == id.as_str());
                let waits = view["decisions"].as_array().unwrap().iter().any(|decision| decision["required"] == true);
                assert_eq!(listed.is_some(), waits, "{}", variant.id);
                let Some(listed) = listed else { continue };
                let seas: Vec<&Value> = view["seas"].as_array().unwrap().iter().map(|sea| &sea["id"]).collect();
                for decision in view["decisions"].as_array().unwrap().iter().filter(|one| one["required"] == true) {
                    assert!(seas.contains(&&decision["sea"]), "{decision}");
                }
                let expected = expected(&view, name);
                for (field, value) in expected.as_object().unwrap() {
                    assert_eq!(&listed[field], value, "{field} of {}", variant.id);
                }
                assert_eq!(listed["move_number"], moves, "{}", variant.id);
                moves += u32::from(view["status"] == "playing");
                let told = player.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
                let last = &listed["last_report"];
                assert_eq!(last.is_null(), view["version"] == 1, "{}: {last}", variant.id);
                assert!(last.is_null() || told["items"].as_array().unwrap().contains(last), "{}: {last}", variant.id);
                let example = player.example(&id).await.unwrap();
                player.acts(&id, example).await.expect(200);
            }
        }
    }
}

#[actix_web::test]
async fn what_the_others_do_in_secret_is_in_no_list() {
    // Two matches with different fleets of Ben's, which Anna can't know.
    let mut seen = Vec::new();
    for fleet in [SOUTH_EAST, NORTH_WEST] {
        let app = TestApp::start().await;
        let (anna, ben, id) = app.table("classic").await;
        anna.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, fleet).await;
        let mut listed = turns(&anna).await.remove(0);
        for changing in ["id", "seats", "opponents"] {
            listed.as_object_mut().unwrap().remove(changing);
        }
        seen.push(listed);
    }
    assert_eq!(seen[0], seen[1]);
}

#[actix_web::test]
async fn a_list_that_is_known_is_not_made_again() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let ask = async |player: &Player, etag: &str| {
        app.send(player.signed(plain("GET", "/v1/turns", None)).insert_header(("if-none-match", etag))).await
    };
    let first = anna.get("/v1/turns").await;
    let etag = first.header("etag").unwrap().to_owned();
    assert_eq!(ask(&anna, &etag).await.status, 304);
    assert_eq!(ask(&anna.at(&app.another_node().await), &etag).await.status, 304);
    assert_eq!(ask(&ben, &etag).await.status, 200, "it is Anna's");
    // Ben's deployment is news to Anna, though she still has to place her own fleet.
    ben.deploys(&id, SOUTH_EAST).await;
    let second = ask(&anna, &etag).await;
    assert_ne!(second.header("etag"), Some(etag.as_str()));
    let second = second.expect(200);
    assert_eq!(second["items"][0]["version"], anna.sees(&id).await["version"]);
}

#[actix_web::test]
async fn a_turn_of_a_contest_names_it() {
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for name in ["anna", "ben", "carl", "dora"] {
        people.push(app.lasting_player(name).await);
    }
    let tournament = under_way(&people).await;
    let mut listed = 0;
    for player in &people {
        for turn in turns(player).await {
            listed += 1;
            assert!(tournament.ends_with(turn["pairing"]["tournament_id"].as_str().unwrap()));
            let view = player.sees(turn["id"].as_str().unwrap()).await;
            assert_eq!((&turn["pairing"], &turn["version"]), (&view["pairing"], &view["version"]));
        }
    }
    assert!(listed > 0, "nobody has to act");
}
