//! Suspended accounts: they finish their matches, start nothing, and cost their opponents nothing.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, TestApp, plays_out};

const WEEK_S: i64 = 604_800;

/// The answer to a suspension by `moderator`.
async fn tries_to_suspend(moderator: &Player, name: &str, more: Value) -> Answer {
    let mut body = json!({ "reason": "insults after a warning" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    moderator.post(&format!("/v1/moderation/players/{name}/suspend"), body).await
}

async fn suspends(moderator: &Player, name: &str, more: Value) {
    tries_to_suspend(moderator, name, more).await.expect(204);
}

async fn lifts(moderator: &Player, name: &str) -> Answer {
    let path = format!("/v1/moderation/players/{name}/lift-suspension");
    moderator.post(&path, json!({ "reason": "the player has apologised" })).await
}

async fn offers(player: &Player, extra: Value) -> Answer {
    let mut body = json!({ "variant": "classic", "clock": { "kind": "none" } });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    player.post("/v1/challenges", body).await
}

/// Kinds of the logged actions, newest first.
async fn done(moderator: &Player, query: &str) -> Vec<String> {
    let page = moderator.get(&format!("/v1/moderation/actions?{query}")).await.expect(200);
    page["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn who_is_suspended_plays_on_and_begins_nothing() {
    let app = TestApp::start().await;
    let (mia, anna, ben) =
        (app.moderator("mia").await, app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": null })).await;
    let waiting = offers(&anna, json!({ "opponent": "ben" })).await.expect(201);
    let own = offers(&ben, json!({})).await.expect(201);
    let three = offers(&anna, json!({ "variant": "salvos", "seats": 3 })).await.expect(201);
    let three = format!("/v1/challenges/{}", three["id"].as_str().unwrap());
    ben.post(&format!("{three}/accept"), json!({})).await.expect(200);

    suspends(&mia, "ben", json!({ "expires_in_s": WEEK_S })).await;
    // The player's offers are withdrawn, seats are given back, and the others are notified.
    let status = async |challenge: &Value| {
        let path = format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
        anna.get(&path).await.expect(200)["status"].clone()
    };
    assert_eq!((status(&waiting).await, status(&own).await), (json!("declined"), json!("withdrawn")));
    assert_eq!(anna.get(&three).await.expect(200)["seats"][1]["player"], Value::Null);
    let heard: Vec<Value> = anna.hears(0).await.into_iter().map(|event| event["type"].clone()).collect();
    assert!(heard.contains(&json!("challenge-declined")) && heard.contains(&json!("challenge-left")), "{heard:?}");

    // No operation starts anything new, and the answer gives the end and the reason.
    let open = offers(&anna, json!({})).await.expect(201);
    let accept = format!("/v1/challenges/{}/accept", open["id"].as_str().unwrap());
    let refused = [
        offers(&ben, json!({})).await,
        offers(&ben, json!({ "opponent": "anna" })).await,
        ben.post(&accept, json!({})).await,
        ben.post(&format!("{three}/accept"), json!({})).await,
        ben.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "unfair!" })).await,
    ];
    for answer in refused {
        let problem = answer.problem(403, "account-suspended");
        assert_eq!(problem["suspension"]["until"], "2026-11-28T07:30:00.000Z");
        assert_eq!(problem["suspension"]["reason"], "insults after a warning");
    }
    let refused = offers(&anna, json!({ "opponent": "ben" })).await;
    assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "player-suspended");

    // The player reads, manages the account, and plays the match to its end, which is rated.
    let account = ben.get("/v1/account").await.expect(200);
    assert_eq!(account["suspension"]["reason"], "insults after a warning");
    ben.get("/v1/challenges").await.expect(200);
    ben.request("PUT", &format!("/v1/matches/{id}/notes"), Some(json!({ "revision": 0, "text": "B7?" })))
        .await
        .expect(200);
    let over = plays_out(&[&anna, &ben], &id, 400).await;
    assert_eq!(over["result"]["ratings"].as_array().unwrap().len(), 2, "{}", over["result"]);
    ben.post(&format!("/v1/matches/{id}/rematch"), json!({})).await.problem(403, "account-suspended");
    anna.post(&format!("/v1/matches/{id}/rematch"), json!({})).await.problem(422, "opponent-unavailable");
}

#[actix_web::test]
async fn a_suspension_ends_by_the_clock_alone() {
    let app = TestApp::start().await;
    let (mia, ben) = (app.moderator("mia").await, app.lasting_player("ben").await);
    suspends(&mia, "ben", json!({ "expires_in_s": WEEK_S })).await;
    app.passes_unseen_s(WEEK_S - 1);
    offers(&ben, json!({})).await.problem(403, "account-suspended");
    app.passes_unseen_s(1);
    offers(&ben, json!({})).await.expect(201);
    assert_eq!(ben.get("/v1/account").await.expect(200)["suspension"], Value::Null);
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["suspended"], false);
    lifts(&mia, "ben").await.problem(409, "already-done");
    assert_eq!(done(&mia, "player=ben").await, ["account-suspended"]);
    suspends(&mia, "ben", json!({})).await;
}

#[actix_web::test]
async fn who_forfeits_resigns_everything_and_his_opponents_are_rated() {
    let app = TestApp::start().await;
    let (mia, anna, ben, carl) = (
        app.moderator("mia").await,
        app.lasting_player("anna").await,
        app.lasting_player("ben").await,
        app.lasting_player("carl").await,
    );
    let rated = json!({ "rated": true, "first": null });
    let (one, other) =
        (anna.challenges_and_meets(&ben, rated.clone()).await, ben.challenges_and_meets(&carl, rated).await);
    anna.deploys(&one, NORTH_WEST).await;
    ben.deploys(&one, SOUTH_EAST).await;
    suspends(&mia, "ben", json!({ "running_matches": "forfeit" })).await;
    for (id, winner) in [(&one, 0), (&other, 1)] {
        let result = anna.sees(id).await["result"].clone();
        assert_eq!((&result["reason"], &result["winner"]), (&json!("resignation"), &json!(winner)));
        assert_eq!(result["ratings"].as_array().unwrap().len(), 2);
    }
    let account = ben.get("/v1/account").await.expect(200);
    assert_eq!(account["suspension"]["until"], Value::Null, "for good");
    let heard = ben.hears(0).await;
    assert!(heard.iter().any(|event| event["type"] == "account-suspended"));
    // Lifting it undoes nothing. (Actions within a millisecond have no order in the log.)
    app.passes_s(1).await;
    lifts(&mia, "ben").await.expect(204);
    assert_eq!(anna.sees(&one).await["result"]["winner"], 0);
    offers(&ben, json!({})).await.expect(201);
    assert_eq!(done(&mia, "player=ben").await, ["suspension-lifted", "account-suspended"]);
    let heard = ben.hears(0).await;
    assert!(heard.iter().any(|event| event["type"] == "suspension-lifted"));
}

#[actix_web::test]
async fn what_a_killed_node_leaves_undone_is_done_by_another() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    // The suspension stays, and its node dies before anything is resigned.
    let sql = format!(
        "UPDATE accounts SET suspended_at = now(), suspension_reason = 'x' WHERE id = '{0}'; \
         INSERT INTO pending_resignations VALUES ('{0}', now())",
        ben.id
    );
    crate::support::database::execute(&app.database, &sql).await;
    let other = app.another_node().await;
    other.passes_s(1).await;
    assert_eq!(anna.sees(&id).await["result"]["winner"], 0);
}

#[actix_web::test]
async fn nobody_wins_by_suspending_his_opponent() {
    let app = TestApp::start().await;
    let (mia, max, ben) = (app.moderator("mia").await, app.moderator("max").await, app.lasting_player("ben").await);
    let id = mia.challenges_and_meets(&ben, json!({})).await;
    tries_to_suspend(&mia, "ben", json!({ "running_matches": "forfeit" })).await.problem(403, "conflict-of-interest");
    // Nothing has happened to the player or the match.
    assert_eq!(ben.get("/v1/account").await.expect(200)["suspension"], Value::Null);
    assert_eq!((&mia.sees(&id).await["status"], done(&mia, "player=ben").await.len()), (&json!("deploying"), 0));
    // The player plays on, or an impartial moderator decides.
    suspends(&mia, "ben", json!({})).await;
    assert_eq!(mia.sees(&id).await["status"], "deploying");
    lifts(&max, "ben").await.expect(204);
    suspends(&max, "ben", json!({ "running_matches": "forfeit" })).await;
    assert_eq!(mia.sees(&id).await["result"]["reason"], "resignation");
    // Once the two have no running match, the moderator may.
    let carl = app.lasting_player("carl").await;
    let over = carl.challenges_and_meets(&mia, json!({})).await;
    mia.resigns(&over).await;
    suspends(&mia, "carl", json!({ "running_matches": "forfeit" })).await;
}

/// Damages the log of a match, or repairs it: meanwhile it can't be played.
async fn turns_over(app: &TestApp, id: &str) {
    let sql =
        format!("UPDATE match_log SET entry = decode(reverse(encode(entry, 'hex')), 'hex') WHERE match_id = '{id}'");
    crate::support::database::execute(&app.database, &sql).await;
}

#[actix_web::test]
async fn what_could_not_be_resigned_is_tried_again() {
    let app = TestApp::start().await;
    let (mia, anna, ben) =
        (app.moderator("mia").await, app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(anna.challenges_and_meets(&ben, json!({})).await);
    }
    turns_over(&app, &ids[1]).await;
    // A node with an empty cache.
    let other = app.another_node().await;
    suspends(&mia.at(&other), "ben", json!({ "running_matches": "forfeit", "expires_in_s": 60 })).await;
    let anna = anna.at(&other);
    for id in [&ids[0], &ids[2]] {
        assert_eq!(anna.sees(id).await["result"]["reason"], "resignation", "one that fails doesn't keep the others");
    }
    other.passes_s(61).await;
    // The suspension is over, and the player plays again; forfeits stay, and nothing else is forfeited.
    let new = ben.at(&other).challenges_and_meets(&anna, json!({})).await;
    turns_over(&app, &ids[1]).await;
    other.passes_s(1).await;
    assert_eq!(anna.sees(&ids[1]).await["result"]["reason"], "resignation");
    assert_eq!(anna.sees(&new).await["status"], "deploying");
    other.passes_s(1).await;
    assert_eq!(anna.sees(&new).await["status"], "deploying");
}

#[actix_web::test]
async fn what_is_not_resigned_when_a_suspension_is_lifted_goes_on() {
    let app = TestApp::start().await;
    let (mia, anna, ben) =
        (app.moderator("mia").await, app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    turns_over(&app, &id).await;
    let other = app.another_node().await;
    suspends(&mia.at(&other), "ben", json!({ "running_matches": "forfeit" })).await;
    lifts(&mia, "ben").await.expect(204);
    turns_over(&app, &id).await;
    other.passes_s(1).await;
    assert_eq!(anna.at(&other).sees(&id).await["status"], "deploying");
}

#[actix_web::test]
async fn nobody_but_a_moderator_suspends_and_nobody_himself() {
    let app = TestApp::start().await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let (anna, ben) = (app.lasting_player("anna").await, app.player("ben").await);
    tries_to_suspend(&anna, "ben", json!({})).await.problem(403, "role-required");
    let token = mia_without_the_scope(&app).await;
    tries_to_suspend(&token, "ben", json!({})).await.problem(403, "insufficient-scope");
    tries_to_suspend(&mia, "mia", json!({})).await.problem(422, "own-account");
    // A stolen moderator's token can't suspend the other moderators.
    tries_to_suspend(&mia, "max", json!({})).await.problem(409, "player-has-role");
    tries_to_suspend(&mia, "nobody", json!({})).await.problem(404, "not-found");
    tries_to_suspend(&mia, "ben", json!({ "expires_in_s": 59 })).await.problem(422, "validation-failed");
    tries_to_suspend(&mia, "ben", json!({ "reason": " " })).await.problem(422, "validation-failed");
    suspends(&mia, "ben", json!({})).await;
    tries_to_suspend(&max, "ben", json!({})).await.problem(409, "already-done");
    assert_eq!(done(&mia, "player=ben").await, ["account-suspended"]);
    assert_eq!(done(&mia, "actor=max").await.len(), 0);
    // A suspension takes away a moderator's rights while it lasts; a revocation takes them for good.
    app.revokes("max", "moderator").await;
    suspends(&mia, "max", json!({})).await;
    app.grants("max", "moderator").await;
    lifts(&max, "ben").await.problem(403, "account-suspended");
    lifts(&max, "max").await.problem(403, "account-suspended");
    app.revokes("mia", "moderator").await;
    lifts(&mia, "ben").await.problem(403, "role-required");
    assert_eq!(ben.get("/v1/account").await.expect(200)["suspension"]["until"], Value::Null);
}

/// A moderator's token with all scopes except that one.
async fn mia_without_the_scope(app: &TestApp) -> Player {
    let nina = app.player("nina").await;
    app.grants("nina", "moderator").await;
    let body = json!({ "name": "play", "scopes": ["lobby:write", "matches:play", "account:write"] });
    let token = nina.post("/v1/account/tokens", body).await.expect(201);
    nina.with_token(token["token"].as_str().unwrap())
}

#[actix_web::test]
async fn of_two_moderators_at_once_one_suspends() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await.at(&other));
    for name in ["ben", "carl", "dora"] {
        app.player(name).await;
        let both = join(tries_to_suspend(&mia, name, json!({})), tries_to_suspend(&max, name, json!({}))).await;
        let mut statuses = [both.0.status, both.1.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409]);
        assert_eq!(done(&mia, &format!("player={name}")).await.len(), 1);
    }
    // A repeated request counts once.
    app.player("emil").await;
    let path = "/v1/moderation/players/emil/suspend";
    for _ in 0..2 {
        mia.post_once("once", path, json!({ "reason": "spam" })).await.expect(204);
    }
    assert_eq!(done(&mia, "player=emil").await.len(), 1);
}

#[actix_web::test]
async fn an_acceptance_comes_before_a_suspension_or_not_at_all() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (mia, anna) = (app.moderator("mia").await, app.lasting_player("anna").await);
    for round in 0..6 {
        let name = format!("ben{round}");
        let ben = app.lasting_player(&name).await;
        let open = offers(&anna, json!({})).await.expect(201);
        let path = format!("/v1/challenges/{}", open["id"].as_str().unwrap());
        let mia = if round % 2 == 0 { mia.clone() } else { mia.at(&other) };
        let accept = format!("{path}/accept");
        let (accepted, suspended) =
            join(ben.post(&accept, json!({})), tries_to_suspend(&mia, &name, json!({ "running_matches": "forfeit" })))
                .await;
        suspended.expect(204);
        let challenge = anna.get(&path).await.expect(200);
        match accepted.status {
            // The acceptance came first: the match exists, and the player has resigned it.
            200 => {
                let id = challenge["match_id"].as_str().unwrap();
                assert_eq!(anna.sees(id).await["result"]["reason"], "resignation");
            }
            _ => {
                accepted.problem(403, "account-suspended");
                assert_eq!((&challenge["status"], &challenge["match_id"]), (&json!("open"), &Value::Null));
                anna.request("DELETE", &path, None).await.expect(204);
            }
        }
    }
}

#[actix_web::test]
async fn a_suspended_player_is_on_no_leaderboard() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let names: Vec<String> = (0..3).map(|number| format!("duellist{number}")).collect();
    let people = join_all(names.iter().map(|name| app.lasting_player(name))).await;
    // As if each had played enough for the leaderboard.
    for (number, person) in people.iter().enumerate() {
        let sql = format!(
            "INSERT INTO ratings (account_id, pool, number, rating, deviation, volatility, matches, rated_at, listed_until, account_deleted) \
             VALUES ('{}', 'classic-days', 30, {}, 60, 0.06, 30, '2026-11-20', '2027-11-20', false)",
            person.id,
            1700 - number * 100
        );
        crate::support::database::execute(&app.database, &sql).await;
    }
    let listed = async || {
        let page = app.get("/v1/pools/classic-days/leaderboard").await.expect(200);
        let entry =
            |item: &Value| (item["rank"].as_u64().unwrap(), item["player"]["username"].as_str().unwrap().to_owned());
        page["items"].as_array().unwrap().iter().map(entry).collect::<Vec<_>>()
    };
    let all: Vec<(u64, String)> = (1..).zip(names.clone()).collect();
    assert_eq!(listed().await, all);
    suspends(&mia, &names[0], json!({ "expires_in_s": WEEK_S })).await;
    assert_eq!(listed().await, [(1, names[1].clone()), (2, names[2].clone())]);
    let around = app.get(&format!("/v1/pools/classic-days/leaderboard?around={}", names[0])).await.expect(200);
    assert_eq!((&around["around"]["rank"], &around["around"]["unranked_reason"]), (&Value::Null, &json!("suspended")));
    let around = app.get(&format!("/v1/pools/classic-days/leaderboard?around={}", names[2])).await.expect(200);
    assert_eq!(around["around"]["rank"], 2);
    app.passes_unseen_s(WEEK_S);
    assert_eq!(listed().await, all, "it is over, and nobody had to say so");
}

#[actix_web::test]
async fn nobody_else_learns_why() {
    let app = TestApp::start().await;
    let (mia, anna, ben) =
        (app.moderator("mia").await, app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    suspends(&mia, "ben", json!({ "reason": "a very particular reason" })).await;
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["suspended"], true);
    let reads = [
        "/v1/players/ben".to_owned(),
        "/v1/players/ben/matches".to_owned(),
        format!("/v1/matches/{id}"),
        format!("/v1/matches/{id}/record"),
        "/v1/events?after=0&limit=1000".to_owned(),
        "/v1/account/export".to_owned(),
        "/v1/moderation/actions".to_owned(),
        "/v1/moderation/players/ben".to_owned(),
    ];
    for path in reads {
        let answer = anna.get(&path).await;
        assert!(!answer.text().contains("particular"), "{path}: {}", answer.text());
    }
    let known = mia.get("/v1/moderation/players/BEN").await.expect(200);
    assert_eq!(known["suspension"]["reason"], "a very particular reason");
    assert_eq!((&known["player"]["username"], &known["roles"]), (&json!("ben"), &json!([])));
}
