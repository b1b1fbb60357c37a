//! Pairing on a rating ladder, on one node and on two, with interruptions; and members who aren't paired.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::ladders::{DAY_S, is_made, pairings, standings, the_first_by_name_win};
use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};

/// The players of each pairing, in the order of play.
async fn met(app: &TestApp, ladder: &str) -> Vec<Vec<String>> {
    let names = |pairing: &Value| {
        let players = pairing["players"].as_array().unwrap();
        players.iter().map(|one| one["player"]["username"].as_str().unwrap().to_owned()).collect()
    };
    pairings(app, ladder).await.iter().map(names).collect()
}

/// The number of running pairings of each player.
async fn running(app: &TestApp, ladder: &str) -> BTreeMap<String, usize> {
    let page = app.get(&format!("/v1/ladders/{ladder}/pairings?running=true&limit=100")).await.expect(200);
    let mut all = BTreeMap::new();
    for pairing in page["items"].as_array().unwrap() {
        for one in pairing["players"].as_array().unwrap() {
            *all.entry(one["player"]["username"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    all
}

/// Asserts that nobody exceeds their wish and that all who have fewer meet each other. Returns each player's number.
async fn as_wished(app: &TestApp, ladder: &str, wishes: &[(&Player, usize)]) -> BTreeMap<String, usize> {
    let all = met(app, ladder).await;
    let pairs: BTreeSet<BTreeSet<&String>> = all.iter().map(|pair| pair.iter().collect()).collect();
    assert_eq!(all.len(), pairs.len(), "{all:?}");
    let count = running(app, ladder).await;
    let has = |player: &Player| count.get(&player.name).copied().unwrap_or_default();
    let short: Vec<&String> =
        wishes.iter().filter(|(player, wish)| has(player) < *wish).map(|(player, _)| &player.name).collect();
    for (at, one) in short.iter().enumerate() {
        for other in &short[at + 1..] {
            assert!(pairs.contains(&BTreeSet::from([*one, *other])), "{all:?}");
        }
    }
    count
}

#[actix_web::test]
async fn everybody_gets_as_many_as_he_wishes_and_never_two_with_the_same() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "max_pairings": 3 })).await;
    for (player, wish) in people.iter().zip([3, 3, 2, 2, 1, 1]) {
        player.joins(&id, wish).await;
    }
    app.passes_s(1).await;
    let wishes: Vec<(&Player, usize)> = people.iter().zip([3, 3, 2, 2, 1, 1]).collect();
    let before = as_wished(&app, &id, &wishes).await;
    assert!(wishes.iter().all(|(player, wish)| before.get(&player.name).is_none_or(|has| has <= wish)), "{before:?}");
    // A lower wish ends no pairing; a higher one is respected.
    people[0].joins(&id, 1).await;
    people[4].joins(&id, 3).await;
    people[5].joins(&id, 3).await;
    app.passes_s(1).await;
    let wishes: Vec<(&Player, usize)> = people.iter().zip([1, 3, 2, 2, 3, 3]).collect();
    let then = as_wished(&app, &id, &wishes).await;
    assert_eq!(then["anna"], before["anna"]);
}

#[actix_web::test]
async fn everybody_meets_others_first_and_begins_half_the_time() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let six = &people[..6];
    let id = people[0].makes_ladder(json!({})).await;
    for player in six {
        player.joins(&id, 1).await;
    }
    for _ in 0..10 {
        app.passes_s(60).await;
        the_first_by_name_win(&app, &id, six).await;
    }
    app.passes_s(1).await;
    let mut all = met(&app, &id).await;
    all.reverse();
    let (mut began, mut opponents): (BTreeMap<&str, i32>, BTreeMap<&str, Vec<&str>>) = Default::default();
    for pair in &all {
        let (one, other) = (pair[0].as_str(), pair[1].as_str());
        *began.entry(one).or_default() += 1;
        *began.entry(other).or_default() -= 1;
        opponents.entry(one).or_default().push(other);
        opponents.entry(other).or_default().push(one);
    }
    assert!(began.values().all(|difference| difference.abs() <= 2), "{began:?}");
    // With six members, two meet again only after the four others.
    for list in opponents.values() {
        assert!(list.len() >= 5, "{list:?}");
        assert!(list.windows(5).all(|five| five.iter().collect::<BTreeSet<_>>().len() == 5), "{list:?}");
    }
    // The standings are the sum of the played games.
    let rows = standings(&app, &id, "").await;
    let points: f64 = rows.iter().map(|row| row.1).sum();
    let settled = app.get(&format!("/v1/ladders/{id}/pairings?running=false&limit=100")).await.expect(200);
    assert!((points - settled["items"].as_array().unwrap().len() as f64).abs() < f64::EPSILON);
    assert!(rows.iter().any(|row| row.0 == "anna" && (row.1 - row.2 as f64).abs() < f64::EPSILON), "{rows:?}");
    assert!(rows.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{rows:?}");
}

#[actix_web::test]
async fn two_nodes_and_a_dozen_jobs_at_once_pair_everybody_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "max_pairings": 2, "rated": true })).await;
    for round in 0..3 {
        // Preferences change on both nodes while both pair, and both settle finished pairings.
        let joining = people.iter().zip([&app, &other].into_iter().cycle());
        let joining = joining.map(|(player, node)| {
            let player = player.at(node);
            let id = id.clone();
            async move { player.joins(&id, 1 + round % 2).await }
        });
        let tending = (0..12).map(|job| {
            let node = if job % 2 == 0 { &app } else { &other };
            async move { broadside::ladders::job::run(&node.app.matches).await.unwrap() }
        });
        join(join_all(joining), join_all(tending)).await;
        // By then all limits are relaxed: the remaining members are all paired with each other.
        app.passes_s(8 * 3600).await;
        let count = running(&app, &id).await;
        assert!(count.values().all(|count| *count <= 2), "{count:?}");
        let wish = 1 + usize::try_from(round).unwrap() % 2;
        let has = |player: &Player| count.get(&player.name).copied().unwrap_or_default();
        let waiting: usize = people.iter().map(|player| wish.saturating_sub(has(player))).sum();
        assert!(waiting <= 2, "{count:?}");
        the_first_by_name_win(&app, &id, &people).await;
        join_all((0..6).map(|job| {
            let node = if job % 2 == 0 { &app } else { &other };
            async move { broadside::ladders::job::run(&node.app.matches).await.unwrap() }
        }))
        .await;
        app.passes_s(1).await;
    }
    let page = app.get(&format!("/v1/ladders/{id}/pairings?running=false&limit=100")).await.expect(200);
    let points: f64 = standings(&app, &id, "").await.iter().map(|row| row.1).sum();
    assert!((points - page["items"].as_array().unwrap().len() as f64).abs() < f64::EPSILON);
    assert_eq!(crate::ratings::wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn a_job_that_is_cut_off_leaves_nothing_half_done() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let six = &people[..6];
    let id = people[0].makes_ladder(json!({})).await;
    for player in six {
        player.joins(&id, 1).await;
    }
    let mut rounds = 0;
    for moments in 1..60 {
        // The job is polled this many times, and then dropped: its transaction is lost.
        let mut job = Box::pin(broadside::ladders::job::run(&app.app.matches));
        let mut polls = 0;
        let cut = std::future::poll_fn(|cx| {
            polls += 1;
            if job.as_mut().poll(cx).is_ready() || polls >= moments {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        });
        cut.await;
        drop(job);
        let count = running(&app, &id).await;
        assert!(count.values().all(|count| *count == 1), "{count:?}");
        if count.len() == 6 && moments % 5 == 0 {
            the_first_by_name_win(&app, &id, six).await;
            rounds += 1;
            app.passes_unseen_s(6 * 3600);
        }
    }
    app.passes_s(6 * 3600).await;
    app.passes_s(6 * 3600).await;
    let settled = app.get(&format!("/v1/ladders/{id}/pairings?running=false&limit=100")).await.expect(200);
    let settled = settled["items"].as_array().unwrap().len();
    let rows = standings(&app, &id, "").await;
    assert_eq!(rows.iter().map(|row| row.2).sum::<u64>(), 2 * settled as u64);
    assert!((rows.iter().map(|row| row.1).sum::<f64>() - settled as f64).abs() < f64::EPSILON);
    assert!(rounds == 0 || settled >= 3, "{rounds} rounds, {settled} settled");
    assert!(running(&app, &id).await.len() >= 4);
}

#[actix_web::test]
async fn who_is_away_blocked_or_gone_is_not_paired() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    app.passes_s(100 * DAY_S).await;
    let id = anna.makes_ladder(json!({})).await;
    let until = |days: i64| broadside_rules::Time(app.app.clock.now().0 + days * DAY_S * 1000);
    // Anna is on vacation for a week; Ben and Carl don't meet; Dora has left.
    anna.post("/v1/account/vacations", json!({ "ends_at": until(7) })).await.expect(201);
    ben.request("PUT", "/v1/account/blocks/carl", None).await.expect(204);
    for player in [anna, ben, carl, dora] {
        player.joins(&id, 1).await;
    }
    dora.post(&format!("/v1/ladders/{id}/leave"), json!({})).await.expect(200);
    app.passes_s(3 * DAY_S).await;
    assert!(met(&app, &id).await.is_empty());
    app.passes_s(4 * DAY_S + 60).await;
    let all = met(&app, &id).await;
    assert_eq!(all.len(), 1);
    assert!(all[0].contains(&"anna".to_owned()), "{all:?}");
    // The block ends, and the two meet without any other trigger.
    let left = if all[0].contains(&"ben".to_owned()) { carl } else { ben };
    dora.joins(&id, 1).await;
    left.request("PUT", "/v1/account/blocks/dora", None).await.expect(204);
    app.passes_s(60).await;
    assert_eq!(met(&app, &id).await.len(), 1);
    left.request("DELETE", "/v1/account/blocks/dora", None).await.expect(204);
    app.passes_s(60).await;
    assert_eq!(met(&app, &id).await.len(), 2);

    // Emil is suspended for an hour.
    let (emil, fritz) = (&people[4], &people[5]);
    emil.joins(&id, 1).await;
    let hour = app.app.clock.now().plus_s(3600);
    let suspend = "suspended_at = now(), suspension_reason = 'for a test', suspended_until";
    execute(&app.database, &format!("UPDATE accounts SET {suspend} = '{hour}' WHERE username = 'emil'")).await;
    assert_eq!(emil.looks_at(&id).await["eligibility"]["join"]["reasons"], json!(["account-suspended"]));
    fritz.joins(&id, 1).await;
    app.passes_s(3000).await;
    assert_eq!(met(&app, &id).await.len(), 2);
    app.passes_s(700).await;
    assert_eq!(met(&app, &id).await.len(), 3);
}

#[actix_web::test]
async fn who_misses_two_in_a_row_is_set_inactive_until_he_joins_again() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({})).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    // Anna plays, Ben never does, and loses on time, twice.
    for missed in 1..=2 {
        app.passes_s(6 * 3600).await;
        let game = anna.at_play().await[0].clone();
        anna.acts(&game, json!({ "type": "deploy-auto" })).await.expect(200);
        app.passes_s(DAY_S).await;
        assert_eq!(anna.sees(&game).await["result"]["reason"], "time");
        app.passes_unseen_s(1);
        let membership = ben.looks_at(&id).await["membership"].clone();
        let status = if missed == 2 { "inactive" } else { "active" };
        assert_eq!([&membership["missed_pairings"], &membership["status"]], [&json!(missed), &json!(status)]);
    }
    let heard = ben.hears(0).await;
    assert_eq!(heard.iter().filter(|event| event["type"] == "ladder-member-set-inactive").count(), 1);
    assert_eq!(anna.looks_at(&id).await["membership"]["missed_pairings"], 0);
    app.passes_s(7 * DAY_S).await;
    assert!(anna.at_play().await.is_empty(), "nobody is left to meet");
    assert_eq!(standings(&app, &id, "").await, [("anna".to_owned(), 2.0, 2), ("ben".to_owned(), 0.0, 2)]);
    // Ben returns to the same place.
    let back = ben.joins(&id, 1).await;
    assert_eq!([&back["membership"]["status"], &back["membership"]["missed_pairings"]], [&json!("active"), &json!(0)]);
    app.passes_s(1).await;
    let game = ben.at_play().await[0].clone();
    // Called off because neither deployed: both have missed it, and nothing counts.
    app.passes_s(DAY_S).await;
    assert_eq!(anna.sees(&game).await["status"], "aborted");
    let looks = [anna.looks_at(&id).await, ben.looks_at(&id).await];
    assert_eq!(looks.map(|look| look["membership"]["missed_pairings"].clone()), [json!(1), json!(1)]);
    // Leaving and joining again doesn't clear it.
    ben.post(&format!("/v1/ladders/{id}/leave"), json!({})).await.expect(200);
    assert_eq!(ben.joins(&id, 1).await["membership"]["missed_pairings"], 1);
    assert_eq!(standings(&app, &id, "").await[1].2, 2);
    // The next played game resets the count.
    let game = anna.at_play().await[0].clone();
    ben.loses(anna, &game).await;
    app.passes_s(1).await;
    assert_eq!(anna.looks_at(&id).await["membership"]["missed_pairings"], 0);
}

#[actix_web::test]
async fn paired_games_are_one_pairing_and_many_seats_are_filled() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({ "paired_games": true })).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    app.passes_s(1).await;
    let games = anna.at_play().await;
    assert_eq!(games.len(), 2);
    ben.loses(anna, &games[0]).await;
    app.passes_s(1).await;
    assert_eq!(standings(&app, &id, "").await[0].1, 0.0, "the other game is still on");
    anna.loses(ben, &games[1]).await;
    app.passes_s(1).await;
    let page = app.get(&format!("/v1/ladders/{id}/standings")).await.expect(200);
    let row = &page["items"][0];
    assert_eq!([&row["points"], &row["pairings"], &row["draws"]], [&json!(1.0), &json!(1), &json!(1)]);

    let many = anna.makes_ladder(json!({ "variant": "salvos", "seats": 3 })).await;
    for player in &people[..5] {
        player.joins(&many, 1).await;
    }
    app.passes_s(1).await;
    let tables = met(&app, &many).await;
    assert_eq!(tables.iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    people[5].joins(&many, 1).await;
    app.passes_s(1).await;
    assert_eq!(met(&app, &many).await.len(), 2);
    // Removed in order of points: two, one, none.
    let table = &tables[0];
    let by_name = |name: &String| people.iter().find(|player| player.name == *name).unwrap();
    let game = pairings(&app, &many).await[1]["games"][0]["match_id"].as_str().unwrap().to_owned();
    for name in table {
        by_name(name).acts(&game, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    for name in &table[..2] {
        by_name(name).acts(&game, json!({ "type": "resign" })).await.expect(200);
    }
    app.passes_s(1).await;
    let rows = standings(&app, &many, "").await;
    assert_eq!(
        rows[..2].iter().map(|row| (row.0.clone(), row.1)).collect::<Vec<_>>(),
        [(table[2].clone(), 2.0), (table[1].clone(), 1.0)]
    );
}

#[actix_web::test]
async fn bots_and_humans_are_paired_and_listed_apart_where_the_terms_say_so() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    for bot in &people[2..4] {
        bot.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    }
    let id = people[0].makes_ladder(json!({ "audience": "separate" })).await;
    // A human, two bots, a human: in the order in which they would meet.
    for player in [&people[0], &people[2], &people[3], &people[1]] {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    let met: Vec<Vec<bool>> = pairings(&app, &id)
        .await
        .iter()
        .map(|pairing| pairing["players"].as_array().unwrap().iter().map(|one| one["player"]["bot"] == true).collect())
        .collect();
    assert_eq!(met.len(), 2);
    assert!(met.contains(&vec![true, true]) && met.contains(&vec![false, false]), "{met:?}");
    let names = async |query: &str| -> BTreeSet<String> {
        standings(&app, &id, query).await.into_iter().map(|row| row.0).collect()
    };
    assert_eq!(names("").await, BTreeSet::from(["anna", "ben"].map(str::to_owned)));
    assert_eq!(names("section=bots").await, BTreeSet::from(["carl", "dora"].map(str::to_owned)));
    // Changing sides forfeits the season.
    people[2].request("PATCH", "/v1/account", Some(json!({ "bot": false }))).await.expect(200);
    assert_eq!(people[2].joins(&id, 1).await["membership"]["section"], "humans");
    people[2].request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    people[2].joins(&id, 1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(1).await;
    people[2].request("PATCH", "/v1/account", Some(json!({ "bot": false }))).await.expect(200);
    let refused = people[2].post(&format!("/v1/ladders/{id}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(refused["errors"][0]["code"], "bot-flag-changed");
}

#[actix_web::test]
async fn ten_thousand_who_wait_are_looked_at_in_a_moment() {
    let app = TestApp::start().await;
    let oda = app.player("oda").await;
    is_made(&app, &oda, "organizer").await;
    let id = oda.makes_ladder(json!({ "official": true })).await;
    execute(
        &app.database,
        "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at) \
         SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'crowd' || n, 'crowd' || n, ('crowd' || n)::bytea, '', true, now() FROM generate_series(1, 10000) AS n",
    )
    .await;
    execute(
        &app.database,
        &format!(
            "INSERT INTO ladder_members (ladder_id, account_id, status, section, division, wanted_pairings, running_pairings, joined_at, waiting_since, missed, seat_balance, recent_opponents, current_opponents) \
             SELECT '{id}', id, 'active', 'all', 1, 1, 0, now(), now(), 0, 0, '{{}}', '{{}}' FROM accounts WHERE username LIKE 'crowd%'"
        ),
    )
    .await;
    let began = std::time::Instant::now();
    let plan = broadside::ladders::matchmaking::plan_of(&app.app, id.parse().unwrap()).await.unwrap();
    let took = began.elapsed();
    assert_eq!(plan.len(), 5000);
    // Only a quadratic algorithm misses this bound, even on a busy machine.
    assert!(took.as_secs() < 20, "{took:?}");
}
