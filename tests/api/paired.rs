//! Paired games: two matches at once, each player begins one, and both are rated together once, at the end of the last.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use broadside::ids::{LadderId, MatchId};
use broadside::matches::Contest;
use broadside::matches::open::MatchSettings;
use broadside::pairings::{self, NewPairing};
use broadside::ratings::{Note, Ranks, corrections};
use broadside_rules::{Clock, Variant};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::ledger::{adjudicated, annulled};
use crate::ratings::{DAY_S, close, duellists, wrong};
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, Setup, TestApp, database};

const POOL: &str = "classic-days";

/// Two rated games at once, of which `one` begins the first, with all fleets placed.
async fn pair(app: &TestApp, one: &Player, other: &Player) -> [String; 2] {
    let ids = opened(app, one, other).await;
    for id in &ids {
        placed(one, other, id).await;
    }
    ids
}

async fn placed(one: &Player, other: &Player, id: &str) {
    one.deploys(id, NORTH_WEST).await;
    other.deploys(id, SOUTH_EAST).await;
}

async fn opened(app: &TestApp, one: &Player, other: &Player) -> [String; 2] {
    meet(app, "classic", &[one, other], true).await.1.try_into().unwrap()
}

/// A rated ladder pairing, in one match or in two: the pairing and the matches.
pub async fn meet(app: &TestApp, variant: &str, people: &[&Player], paired: bool) -> (String, Vec<String>) {
    let variant = Variant::find(variant).unwrap();
    let terms = MatchSettings {
        named: None,
        variant,
        rules: variant.rule_set(),
        clock: Clock::parse(&json!({ "kind": "per-move", "move_s": DAY_S })).unwrap(),
        rated: true,
        spectators: true,
        seats: people.len() as u8,
    };
    let player =
        |of: &Player| broadside::player::Player { id: of.id.parse().unwrap(), username: of.name.clone(), bot: false };
    // The ladder is empty, so that it pairs nobody else.
    let ladders = app.get("/v1/ladders").await.expect(200);
    let ladder: LadderId = match ladders["items"][0]["id"].as_str() {
        Some(id) => id.parse().unwrap(),
        None => people[0].makes_ladder(json!({})).await.parse().unwrap(),
    };
    let players = people.iter().copied().map(player).collect();
    let meeting = NewPairing { contest: Contest::Ladder(ladder), terms, paired, players };
    let mut tx = app.app.db.begin().await.unwrap();
    let opened = pairings::open(&mut tx, &app.app.matches, meeting).await.unwrap();
    broadside::events::notify(&mut tx, &app.app, opened.told).await.unwrap();
    tx.commit().await.unwrap();
    (opened.id.to_string(), opened.matches.iter().map(MatchId::to_string).collect())
}

async fn draw(one: &Player, other: &Player, id: &str) {
    one.acts(id, json!({ "type": "offer-draw" })).await.expect(200);
    other.acts(id, json!({ "type": "accept-draw" })).await.expect(200);
}

async fn result(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/v1/matches/{id}")).await.expect(200)["result"].clone()
}

fn after(result: &Value, seat: usize) -> i64 {
    result["ratings"][seat]["after"].as_i64().unwrap()
}

#[actix_web::test]
async fn nothing_changes_before_both_are_over_and_then_both_show_it() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let [first, second] = pair(&app, &anna, &ben).await;
    assert_eq!(anna.sees(&second).await["viewer"]["seat"], 1, "in each another begins");
    // A node that cached the first game before the second was over.
    let other = app.another_node().await;
    ben.resigns(&first).await;
    assert_eq!(result(&other, &first).await["ratings"], json!([]));
    assert!(anna.rated(POOL).await.is_none());
    assert_eq!(wrong(&app, POOL).await, None);

    let heard = anna.hears(0).await.len() as u64;
    app.passes_s(1000).await;
    let acted = ben.resigns(&second).await;
    let [one, two] = [result(&app, &first).await, result(&app, &second).await];
    // 2–0 counts as one win, as in a single match of newcomers.
    assert_eq!(
        one["ratings"],
        json!([{ "seat": 0, "before": 1500, "after": 1662 }, { "seat": 1, "before": 1500, "after": 1338 }])
    );
    assert_eq!((after(&two, 0), after(&two, 1)), (1338, 1662), "Ben sits at seat 0 there");
    assert_eq!(acted["match"]["result"], two);
    assert_eq!([result(&other, &first).await, result(&other, &second).await], [one, two]);
    let told: Vec<Value> =
        anna.hears(heard).await.into_iter().filter(|event| event["type"] == "rating-changed").collect();
    assert_eq!(told.len(), 1);
    assert_eq!([&told[0]["match_id"], &told[0]["paired_match_id"]], [&json!(first), &json!(second)]);

    let ledger = anna.ledger(POOL).await;
    assert_eq!(ledger.len(), 1);
    assert_eq!(
        [&ledger[0]["match_id"], &ledger[0]["paired_match_id"], &ledger[0]["games"]],
        [
            &json!(first),
            &json!(second),
            &json!([{ "match_id": first, "places": [1, 2] }, { "match_id": second, "places": [1, 2] }])
        ]
    );
    assert_eq!(anna.rated(POOL).await.unwrap()["matches"], 1);
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn points_of_both_games_decide() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    // One win each: a draw.
    let [first, second] = pair(&app, &anna, &ben).await;
    ben.resigns(&first).await;
    anna.resigns(&second).await;
    close(&anna.rated(POOL).await.unwrap()["current"]["rating"], 1500.0);
    // One and a half to a half: a win.
    let [first, second] = pair(&app, &anna, &ben).await;
    draw(&anna, &ben, &second).await;
    anna.resigns(&first).await;
    assert!(ben.rated(POOL).await.unwrap()["current"]["rating"].as_f64().unwrap() > 1600.0);
    let row = &ben.ledger(POOL).await[0];
    assert_eq!([&row["games"][1]["places"], &row["participants"][1]["place"]], [&json!([1, 1]), &json!(1)]);
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn a_game_that_is_called_off_counts_for_nothing() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    // Nobody places a fleet in the first, so the clock calls it off: before the other is over, and after it.
    for off_first in [true, false] {
        let [first, second] = opened(&app, &anna, &ben).await;
        anna.acts(&first, json!({ "type": "abort" })).await.problem(422, "abort-in-contest");
        let before = anna.ledger(POOL).await.len();
        app.passes_s(DAY_S / 2).await;
        placed(&anna, &ben, &second).await;
        if off_first {
            app.passes_s(DAY_S / 2 + 1).await;
            assert_eq!(anna.sees(&first).await["status"], "aborted");
            assert_eq!(anna.ledger(POOL).await.len(), before);
            ben.resigns(&second).await;
        } else {
            ben.resigns(&second).await;
            assert_eq!(anna.ledger(POOL).await.len(), before);
            app.passes_s(DAY_S / 2 + 1).await;
            assert_eq!(anna.sees(&first).await["status"], "aborted");
        }
        let row = anna.ledger(POOL).await[0].clone();
        assert_eq!(anna.ledger(POOL).await.len(), before + 1);
        assert_eq!(
            [&row["match_id"], &row["paired_match_id"], &row["games"]],
            [&json!(second), &Value::Null, &json!([])]
        );
        assert_eq!(
            [&row["seat"], &row["participants"][1]["place"]],
            [&json!(1), &json!(1)],
            "it is won by Anna at seat 1"
        );
        assert_eq!(result(&app, &first).await["ratings"], json!([]));
        let shown = result(&app, &second).await;
        assert!(after(&shown, 1) > after(&shown, 0));
    }
    let both = opened(&app, &anna, &ben).await;
    app.passes_s(DAY_S + 1).await;
    for id in &both {
        assert_eq!(anna.sees(id).await["status"], "aborted");
    }
    assert_eq!(anna.ledger(POOL).await.len(), 2);
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn games_that_end_at_the_same_moment_on_two_nodes_are_rated_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben) = duellists(&app).await;
    for round in 0..8 {
        let [first, second] = pair(&app, &anna, &ben).await;
        let loser = if round % 2 == 0 { &anna } else { &ben };
        // Each of them at both nodes.
        let ends = [(&app, &first), (&other, &second), (&app, &second), (&other, &first)];
        let ends = ends.map(|(node, id)| {
            let loser = loser.at(node);
            async move { loser.acts(id, json!({ "type": "resign" })).await.status }
        });
        let answers = join_all(ends).await;
        assert_eq!(answers.iter().filter(|status| **status == 200).count(), 2, "{answers:?}");
        assert_eq!(anna.ledger(POOL).await.len(), round + 1);
        for node in [&app, &other] {
            let [one, two] = [result(node, &first).await, result(node, &second).await];
            assert_eq!((after(&one, 0), after(&one, 1)), (after(&two, 1), after(&two, 0)));
        }
    }
    let heard = ben.hears(0).await;
    assert_eq!(heard.iter().filter(|event| event["type"] == "rating-changed").count(), 8);
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn what_is_done_to_one_game_is_done_to_both() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let note: Note = "played by one person".parse().unwrap();
    let [first, second] = pair(&app, &anna, &ben).await;
    ben.resigns(&first).await;
    let id = |id: &str| id.parse::<MatchId>().unwrap();
    assert!(annulled(&app, id(&first), &note).await.is_err(), "nothing is rated yet");
    ben.resigns(&second).await;
    assert_eq!(annulled(&app, id(&second), &note).await.unwrap().len(), 2);
    assert_eq!(annulled(&app, id(&first), &note).await.unwrap().len(), 0);
    for id in [&first, &second] {
        assert_eq!(result(&app, id).await["annulled"], true);
    }
    close(&anna.rated(POOL).await.unwrap()["current"]["rating"], 1500.0);
    assert_eq!(wrong(&app, POOL).await, None);
    // Ben is given the second: one win each.
    let changes = adjudicated(&app, id(&second), &[1, 2], &note).await.unwrap();
    assert_eq!(changes.len(), 2);
    let row = &anna.ledger(POOL).await[0];
    assert_eq!([&row["reason"], &row["revision"]], [&json!("adjudication"), &json!(1)]);
    assert_eq!([&row["games"][0]["places"], &row["games"][1]["places"]], [&json!([1, 2]), &json!([2, 1])]);
    close(&anna.rated(POOL).await.unwrap()["current"]["rating"], 1500.0);
    // Then the first as well; the decision on the second stays.
    assert_eq!(adjudicated(&app, id(&first), &[2, 1], &note).await.unwrap().len(), 4);
    let row = &anna.ledger(POOL).await[0];
    assert_eq!([&row["games"][0]["places"], &row["games"][1]["places"]], [&json!([2, 1]), &json!([2, 1])]);
    assert!(ben.rated(POOL).await.unwrap()["current"]["rating"].as_f64().unwrap() > 1600.0);
    for id in [&first, &second] {
        let shown = result(&app, id).await;
        assert_eq!([&shown["annulled"], &shown["adjudicated"]], [&json!(false), &json!(true)]);
    }
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn forged_pairs_are_found() {
    let forgeries = [
        ("rating_changes SET paired_match_id = NULL WHERE number = 1", "the pair of games"),
        ("rating_changes SET games = jsonb_set(games, '{0,places}', '[1,1]') WHERE seat = 0", "the pair of games"),
        (
            "match_heads SET result = jsonb_set(jsonb_set(result, '{places,0,place}', '2'), '{places,1,place}', '1')",
            "change 1 of",
        ),
        (
            "match_heads SET status = 'playing' WHERE match_id = (SELECT max(match_id::text)::uuid FROM match_heads)",
            "no match of this pool",
        ),
    ];
    for (forgery, found) in forgeries {
        let app = TestApp::start().await;
        let (anna, ben) = duellists(&app).await;
        for id in pair(&app, &anna, &ben).await {
            ben.resigns(&id).await;
        }
        assert_eq!(wrong(&app, POOL).await, None);
        database::execute(&app.database, &format!("UPDATE {forgery}")).await;
        let wrong = wrong(&app, POOL).await.unwrap_or_else(|| panic!("not found: {forgery}"));
        assert!(wrong.contains(found), "{forgery}: {wrong}");
    }
    // A pair of which one game was never rated with the other.
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    for id in pair(&app, &anna, &ben).await {
        ben.resigns(&id).await;
    }
    database::execute(&app.database, "DELETE FROM rating_changes; DELETE FROM ratings").await;
    assert!(wrong(&app, POOL).await.unwrap().contains("changed no rating"));
    let (places, note): (_, Note) = (Ranks::new(vec![1, 2]).unwrap(), "why".parse().unwrap());
    let mut tx = app.app.db.begin().await.unwrap();
    let unknown = corrections::adjudicate(&mut tx, app.app.new_id(), &places, &note, app.app.clock.now());
    assert!(unknown.await.is_err());
}

impl TestApp {
    /// A node on the same database whose clock is `seconds` behind: games it ends get the earlier time.
    pub async fn node_behind_s(&self, seconds: i64) -> Self {
        let clock = Arc::new(AtomicI64::new(self.clock.load(Ordering::SeqCst) - seconds * 1000));
        Self::on(self.database.clone(), clock, Setup::default()).await
    }
}

#[actix_web::test]
async fn a_pair_is_over_when_its_later_game_is_whichever_is_written_last() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let (pairing, games) = meet(&app, "classic", &[&anna, &ben], true).await;
    for id in &games {
        placed(&anna, &ben, id).await;
    }
    app.passes_unseen_s(60);
    let behind = app.node_behind_s(30).await;
    ben.resigns(&games[0]).await;
    ben.at(&behind).resigns(&games[1]).await;
    let times = [anna.sees(&games[0]).await, anna.sees(&games[1]).await].map(|view| view["finished_at"].clone());
    assert!(times[1].as_str() < times[0].as_str(), "{times:?}");
    assert_eq!(anna.ledger(POOL).await[0]["at"], times[0]);
    assert_eq!(app.get(&format!("/v1/pairings/{pairing}")).await.expect(200)["ended_at"], times[0]);
    assert_eq!(wrong(&app, POOL).await, None);
}
