//! Rated matches that are called off: this wins nobody another turn order, and it is counted.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::fair_play::{figure, found, report};
use crate::ratings::{DAY_S, wrong};
use crate::support::{Player, TestApp, seven_people};

async fn calls_off(player: &Player, id: &str) {
    player.acts(id, json!({ "type": "abort" })).await.expect(200);
}

/// The name of the first player.
async fn begins(player: &Player, id: &str) -> String {
    let reports = player.get(&format!("/v1/matches/{id}/reports?limit=1")).await.expect(200);
    let first = reports["items"][0]["first"].as_u64().expect("the first report says who begins");
    let seats = player.sees(id).await["seats"].clone();
    let seat = seats.as_array().unwrap().iter().find(|seat| seat["seat"] == first).unwrap();
    seat["player"]["username"].as_str().unwrap().to_owned()
}

/// The first player was drawn by lot.
async fn is_drawn(player: &Player, id: &str) -> bool {
    player.sees(id).await["rule_set"]["first"] == "random"
}

fn rated() -> Value {
    json!({ "rated": true, "first": "random" })
}

async fn reliability(app: &TestApp, name: &str) -> Value {
    app.get(&format!("/v1/players/{name}")).await.expect(200)["reliability_percent"].clone()
}

/// A rated match in which `first` begins.
async fn begun_by(first: &Player, second: &Player) -> String {
    loop {
        let id = first.challenges_and_meets(second, rated()).await;
        assert!(is_drawn(first, &id).await, "nothing was called off before");
        if begins(first, &id).await == first.name {
            return id;
        }
        first.acts(&id, json!({ "type": "resign" })).await.expect(200);
    }
}

#[actix_web::test]
async fn who_calls_a_rated_match_off_gets_the_same_order_again() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let mut id = begun_by(&anna, &ben).await;
    // In either direction, by a new challenge or by a rematch.
    for round in 0..6 {
        calls_off(&ben, &id).await;
        id = match round % 3 {
            0 => anna.challenges_and_meets(&ben, rated()).await,
            1 => ben.challenges_and_meets(&anna, rated()).await,
            _ => {
                let path = format!("/v1/matches/{id}/rematch");
                ben.post(&path, json!({})).await.expect(200);
                anna.post(&path, json!({})).await.expect(200)["match_id"].as_str().unwrap().to_owned()
            }
        };
        assert_eq!(begins(&anna, &id).await, "anna", "round {round}");
        assert_eq!(anna.sees(&id).await["rated"], true);
    }
    // After a played match the order is drawn by lot again.
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let next = anna.challenges_and_meets(&ben, rated()).await;
    assert!(is_drawn(&anna, &next).await);
    assert_eq!(wrong(&app, "classic-days").await, None);
    let record = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(broadside_rules::record::verify(&record).is_ok_and(|verified| verified.whole));
}

#[actix_web::test]
async fn nobody_else_brings_a_better_place_either() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let id = begun_by(anna, ben).await;
    calls_off(ben, &id).await;
    // Other rules and unrated matches are unaffected.
    let other = carl.challenges_and_meets(ben, json!({ "variant": "paper", "rated": true, "first": null })).await;
    let unrated = carl.challenges_and_meets(ben, json!({ "first": "random" })).await;
    assert!(is_drawn(ben, &other).await && is_drawn(ben, &unrated).await);
    for opponent in [carl, dora] {
        let id = ben.challenges_and_meets(opponent, rated()).await;
        assert_eq!(begins(ben, &id).await, opponent.name);
        calls_off(ben, &id).await;
    }
    // Each was due to begin against Ben, and does.
    for opponent in [dora, carl, anna] {
        let id = opponent.challenges_and_meets(ben, rated()).await;
        assert_eq!(begins(ben, &id).await, opponent.name);
        ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    }
    let id = carl.challenges_and_meets(ben, rated()).await;
    assert!(is_drawn(ben, &id).await);
}

#[actix_web::test]
async fn a_place_is_kept_for_one_match_and_not_for_two_at_once() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let far = app.another_node().await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    calls_off(ben, &begun_by(anna, ben).await).await;
    let offer = |to: &str| {
        json!({ "variant": "classic", "rated": true, "opponent": to,
        "clock": { "kind": "per-move", "move_s": 86_400 } })
    };
    let mut ids = Vec::new();
    for to in ["carl", "dora"] {
        let made = ben.post("/v1/challenges", offer(to)).await.expect(201);
        ids.push(format!("/v1/challenges/{}/accept", made["id"].as_str().unwrap()));
    }
    let dora_far = dora.at(&far);
    let (one, two) = join(carl.post(&ids[0], json!({})), dora_far.post(&ids[1], json!({}))).await;
    let ids = [one, two].map(|taken| taken.expect(200)["match_id"].as_str().unwrap().to_owned());
    let drawn = [is_drawn(ben, &ids[0]).await, is_drawn(ben, &ids[1]).await];
    assert_eq!(drawn.iter().filter(|drawn| !**drawn).count(), 1, "{drawn:?}");
}

#[actix_web::test]
async fn the_order_is_kept_when_nobody_comes_and_not_when_a_moderator_ends_it() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = begun_by(&anna, &ben).await;
    app.passes_s(2 * DAY_S).await;
    assert_eq!(anna.sees(&id).await["status"], "aborted");
    let again = ben.challenges_and_meets(&anna, rated()).await;
    assert!(!is_drawn(&anna, &again).await && begins(&anna, &again).await == "anna");
    let verdict = json!({ "verdict": "no-result", "expected_status": "running", "reason": "a fault of the server" });
    mia.post(&format!("/v1/moderation/matches/{again}/adjudicate"), verdict).await.expect(204);
    let next = ben.challenges_and_meets(&anna, rated()).await;
    assert!(is_drawn(&anna, &next).await);
    // Neither match is counted against anybody. (A match that Anna resigned because Ben began counts as finished.)
    for name in ["anna", "ben"] {
        assert!([Value::Null, json!(100)].contains(&reliability(&app, name).await), "{name}");
    }
}

#[actix_web::test]
async fn calling_rated_matches_off_lowers_reliability_and_is_shown_to_moderators() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    // An unrated match may be called off without a trace.
    calls_off(ben, &anna.challenges_and_meets(ben, json!({})).await).await;
    assert_eq!(reliability(&app, "ben").await, Value::Null);
    for _ in 0..3 {
        let id = anna.challenges_and_meets(ben, rated()).await;
        anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    }
    assert_eq!(reliability(&app, "ben").await, 100);
    for round in 0..5 {
        let opponent = if round % 2 == 0 { anna } else { carl };
        calls_off(ben, &opponent.challenges_and_meets(ben, rated()).await).await;
    }
    let profile = app.get("/v1/players/ben").await.expect(200);
    assert_eq!((&profile["reliability_percent"], &profile["matches"]["finished"]), (&json!(37), &json!(3)));
    assert_eq!((reliability(&app, "anna").await, reliability(&app, "carl").await), (json!(100), Value::Null));
    let shown = report(&mia, "").await;
    let finding = found(&shown, "called-off");
    assert_eq!(finding.len(), 1, "{shown}");
    assert_eq!(finding[0]["players"][0]["username"], "ben");
    assert_eq!(["called-off", "opponents", "share"].map(|name| figure(finding[0], name)), [5.0, 2.0, 5.0 / 8.0]);
    assert_eq!(finding[0]["matches"].as_array().unwrap().len(), 5);
}
