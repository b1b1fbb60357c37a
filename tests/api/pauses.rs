//! An organizer pauses and resumes a ladder or a tournament: nobody loses anything meanwhile, moves are allowed, and
//! every clock resumes where it stopped.

use broadside_rules::record;
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::club::{Club, SIX};
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::{boards, named, reads, starts, tournament};

const DAY_S: i64 = 86_400;

fn of(path: &str, what: &str) -> String {
    format!("/v1/contests/{}/{what}", path.rsplit('/').next().unwrap())
}

async fn pauses(who: &Player, path: &str, until: Option<&str>) -> Answer {
    let mut body = json!({ "reason": "the club moves house" });
    if let Some(until) = until {
        body["until"] = until.into();
    }
    who.post(&of(path, "pause"), body).await
}

async fn resumes(who: &Player, path: &str) -> Answer {
    who.post(&of(path, "resume"), json!({})).await
}

async fn told(player: &Player, kind: &str) -> Vec<Value> {
    player.hears(0).await.into_iter().filter(|event| event["type"] == kind).collect()
}

/// The public reports of pauses in a match: start and end.
async fn reported(app: &TestApp, id: &str) -> Vec<[String; 2]> {
    let reports = app.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let paused = reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "clocks-paused");
    paused.map(|report| ["from", "until"].map(|field| report[field].as_str().unwrap().to_owned())).collect()
}

async fn is_sound(app: &TestApp) {
    let matches = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert_eq!(matches.faults, Vec::<String>::new());
    let tournaments = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert_eq!(tournaments.faults, Vec::<String>::new());
}

/// A tournament of the first three, run by the last, with two days per move and five per round: its path, the running
/// board, and its match, in which both have placed their fleets. It began at 07:30:01.
async fn cup(people: &[Player], extra: Value) -> (String, Value, String) {
    let mut terms = json!({
        "round_time_s": 5 * DAY_S,
        "clock": { "kind": "per-move", "move_s": 2 * DAY_S, "deploy_s": 2 * DAY_S, "rests": "none" },
    });
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    let path = tournament(&people[6], &people[..3], terms).await;
    starts(&people[6], &path).await;
    let board = boards(&people[6].app, &path, 1).await[0].clone();
    let id = board["match_ids"][0].as_str().unwrap().to_owned();
    for seat in ["first", "second"] {
        named(people, &board[seat]).acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    (path, board, id)
}

/// The player on turn in a board's match.
async fn waited_for<'a>(app: &TestApp, people: &'a [Player], board: &Value, id: &str) -> &'a Player {
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    let name = &seen["seats"][seen["to_act"][0].as_u64().unwrap() as usize]["player"]["username"];
    let both = [named(people, &board["first"]), named(people, &board["second"])];
    both.into_iter().find(|player| player.name == name.as_str().unwrap()).unwrap()
}

#[actix_web::test]
async fn a_tournament_rests_and_every_clock_goes_on_with_what_it_had() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let (path, board, id) = cup(&people, json!({ "rated": true })).await;
    let seen = async || app.get(&format!("/v1/matches/{id}")).await.expect(200);
    assert_eq!(seen().await["deadline"], "2026-11-23T07:30:01.000Z");
    app.passes_s(DAY_S).await;
    let pause = pauses(&people[6], &path, Some("2026-12-02T07:30:01.000Z")).await.expect(200);
    assert_eq!(
        pause,
        json!({
            "paused_at": "2026-11-22T07:30:01.000Z", "until": "2026-12-02T07:30:01.000Z",
            "reason": "the club moves house",
        })
    );
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["pause"], pause);
    // A day was left on the clock, and four of the round.
    let paused = seen().await;
    assert_eq!(paused["pause"], json!({ "from": pause["paused_at"], "until": pause["until"] }));
    assert_eq!(paused["deadline"], "2026-12-03T07:30:01.000Z");
    assert_eq!(boards(&app, &path, 1).await[0]["due_at"], "2026-12-06T07:30:01.000Z");
    let clock = app.get(&format!("/v1/matches/{id}/clock")).await.expect(200);
    let waited = paused["to_act"][0].as_u64().unwrap() as usize;
    let kinds: Vec<&Value> =
        clock["seats"][waited]["segments"].as_array().unwrap().iter().map(|span| &span["kind"]).collect();
    assert_eq!(kinds, ["running", "contest-pause", "running"]);
    for player in &people[..3] {
        let heard = told(player, "contest-paused").await;
        assert_eq!(heard.len(), 1, "{}", player.name);
        assert_eq!((&heard[0]["until"], &heard[0].get("reason")), (&pause["until"], &None), "the contest says why");
    }
    // Days later nobody has lost or was warned. Moves are allowed.
    app.passes_s(4 * DAY_S).await;
    assert_eq!(seen().await["status"], "playing");
    assert!(told(&people[0], "deadline-near").await.is_empty());
    let player = waited_for(&app, &people, &board, &id).await;
    let shot = player.example(&id).await.unwrap();
    player.acts(&id, shot).await.expect(200);
    assert_eq!(seen().await["deadline"], "2026-12-04T07:30:01.000Z", "two days behind the pause");
    // Resumed early: after four days and a second.
    resumes(&people[6], &path).await.expect(204);
    resumes(&people[6], &path).await.problem(409, "not-paused");
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["pause"], Value::Null);
    assert_eq!(seen().await["deadline"], "2026-11-28T07:30:02.000Z");
    assert_eq!(boards(&app, &path, 1).await[0]["due_at"], "2026-11-30T07:30:02.000Z");
    let from = "2026-11-22T07:30:01.000Z".to_owned();
    let ends = ["2026-12-02T07:30:01.000Z", "2026-11-26T07:30:02.000Z"].map(str::to_owned);
    assert_eq!(reported(&app, &id).await, ends.map(|until| [from.clone(), until]));
    for player in &people[..3] {
        let heard = told(player, "contest-resumed").await;
        assert_eq!((heard.len(), &heard[0]["paused_at"]), (1, &json!(from)), "{}", player.name);
    }
    is_sound(&app).await;
    // The remaining time runs out.
    app.passes_s(2 * DAY_S + 1).await;
    let over = seen().await;
    assert_eq!((&over["result"]["reason"], &over["pause"]), (&json!("time"), &Value::Null));
    assert_eq!(over["result"]["ratings"].as_array().unwrap().len(), 2, "rated as ever");
    let proof = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(record::verify(&proof).is_ok_and(|verified| verified.whole), "{proof}");
    let log = mia.get("/v1/moderation/actions?actor=gina").await.expect(200);
    let kinds: Vec<&Value> = log["items"].as_array().unwrap().iter().map(|action| &action["kind"]).collect();
    assert_eq!(kinds, ["contest-resumed", "contest-paused"]);
    is_sound(&app).await;
}

#[actix_web::test]
async fn a_match_that_has_not_been_told_is_lost_by_nobody_and_two_nodes_tell_it_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let (path, _, id) = cup(&people, json!({})).await;
    app.passes_s(DAY_S).await;
    pauses(&people[6], &path, None).await.expect(200);
    // Both nodes check the clock much later, before any job has updated the match.
    app.passes_unseen_s(5 * DAY_S);
    let look = async |node: &TestApp| broadside::matches::expire::sweep(&node.app.matches).await;
    let (one, two) = join(look(&app), look(&other)).await;
    one.and(two).unwrap();
    assert_eq!(app.get(&format!("/v1/matches/{id}")).await.expect(200)["status"], "playing");
    let tell = async |node: &TestApp| broadside::matches::pauses::tell(&node.app.matches).await;
    let (one, two) = join(tell(&app), tell(&other)).await;
    one.and(two).unwrap();
    assert_eq!(reported(&app, &id).await.len(), 1);
    assert!(told(&people[0], "deadline-near").await.is_empty());
    // After thirty days it resumes by itself, and everybody is notified once, whichever node is first.
    app.passes_unseen_s(25 * DAY_S);
    let ends = async |node: &TestApp| broadside::tournaments::job::run(&node.app.matches).await;
    let (one, two) = join(ends(&app), ends(&other)).await;
    one.and(two).unwrap();
    other.passes_s(1).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["pause"], Value::Null);
    for player in [&people[0], &people[1], &people[2], &people[6]] {
        assert_eq!(told(player, "contest-resumed").await.len(), 1, "{}", player.name);
    }
    assert_eq!(reported(&app, &id).await.len(), 1, "it ended when it was to");
    app.passes_s(DAY_S).await;
    assert_eq!(app.get(&format!("/v1/matches/{id}")).await.expect(200)["result"]["reason"], "time");
    is_sound(&app).await;
}

#[actix_web::test]
async fn a_paused_tournament_takes_players_and_neither_starts_nor_goes_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let gina = &people[6];
    let starts_at = json!({ "starts_at": "2026-11-22T07:30:00.000Z" });
    let path = tournament(gina, &people[..2], starts_at).await;
    pauses(gina, &path, None).await.expect(200);
    people[2].post(&format!("{path}/join"), json!({})).await.expect(200);
    app.passes_s(2 * DAY_S).await;
    assert_eq!(reads(&app, &path).await["status"], "open");
    resumes(gina, &path).await.expect(204);
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "running");
    // A resignation during a pause counts, and the next round waits.
    let board = boards(&app, &path, 1).await[0].clone();
    let id = board["match_ids"][0].as_str().unwrap();
    pauses(gina, &path, None).await.expect(200);
    for seat in ["first", "second"] {
        named(&people, &board[seat]).acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    named(&people, &board["first"]).acts(id, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(DAY_S).await;
    assert_eq!(boards(&app, &path, 1).await[0]["status"], "finished");
    assert_eq!(reads(&app, &path).await["round"], 1);
    resumes(gina, &path).await.expect(204);
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["round"], 2);
    // A paused tournament can't be started by hand.
    let other = tournament(gina, &people[..3], json!({})).await;
    pauses(gina, &other, None).await.expect(200);
    gina.post(&format!("{other}/start"), json!({})).await.problem(409, "contest-paused");
}

#[actix_web::test]
async fn a_ladder_pairs_nobody_and_its_season_gets_the_time_back() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let gina = &people[6];
    let ladder = gina.makes_ladder(json!({ "season_s": 10 * DAY_S })).await;
    let path = format!("/v1/ladders/{ladder}");
    let ends_at = reads(&app, &path).await["season"]["ends_at"].clone();
    assert_eq!(ends_at, "2026-12-01T07:30:00.000Z");
    pauses(gina, &path, Some("2026-12-11T07:30:00.000Z")).await.expect(200);
    for player in &people[..2] {
        player.joins(&ladder, 1).await;
    }
    app.passes_s(15 * DAY_S).await;
    assert!(people[0].at_play().await.is_empty());
    assert_eq!(reads(&app, &path).await["season"]["number"], 1, "no season ends in a pause");
    app.passes_s(5 * DAY_S).await;
    app.passes_s(1).await;
    let after = reads(&app, &path).await;
    assert_eq!((&after["pause"], &after["season"]["ends_at"]), (&Value::Null, &json!("2026-12-21T07:30:00.000Z")));
    assert_eq!(people[0].at_play().await.len(), 1);
    assert_eq!(told(&people[0], "contest-resumed").await.len(), 1);
    // The organizers are notified of the automatic resumption.
    assert_eq!(told(gina, "contest-resumed").await.len(), 1);
    // Closing a ladder ends its pause, and its match goes on.
    pauses(gina, &path, None).await.expect(200);
    app.passes_s(1).await;
    gina.post(&format!("{path}/close"), json!({ "reason": "nobody comes" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["pause"], Value::Null);
    assert_eq!(told(&people[0], "contest-resumed").await.len(), 1);
    pauses(gina, &path, None).await.problem(409, "ladder-closed");
    is_sound(&app).await;
}

#[actix_web::test]
async fn nobody_is_challenged_in_a_pause_and_an_answer_has_its_time() {
    let app = TestApp::start().await;
    let terms =
        json!({ "reach": 3, "answer_s": 3 * DAY_S, "declines": 1, "protection_s": DAY_S, "no_return_s": 7 * DAY_S });
    let club = Club::of(&app, &SIX[..4], terms).await;
    let gina = app.lasting_player("gina").await;
    club.who("anna").request("PUT", &club.at("/organizers/gina"), None).await.expect(204);
    let challenge = club.challenges("carl", "ben").await;
    let answer_by = async || app.get(&challenge).await.expect(200)["answer_by"].clone();
    assert_eq!(answer_by().await, "2027-06-12T07:30:00.000Z");
    app.passes_s(DAY_S).await;
    // Members of the ladder can't pause it.
    pauses(club.who("anna"), &club.path, None).await.problem(403, "conflict-of-interest");
    pauses(&gina, &club.path, Some("2027-06-20T07:30:00.000Z")).await.expect(200);
    assert_eq!(answer_by().await, "2027-06-22T07:30:00.000Z");
    club.tries("dora", "anna").await.problem(409, "contest-paused");
    club.who("ben").post(&format!("{challenge}/accept"), json!({})).await.problem(409, "contest-paused");
    assert!(club.sees("dora").await.is_empty());
    app.passes_s(9 * DAY_S).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "open");
    resumes(&gina, &club.path).await.expect(204);
    assert_eq!(answer_by().await, "2027-06-21T07:30:00.000Z");
    club.accepts("ben", &challenge).await;
}

#[actix_web::test]
async fn who_may_not_pause_it_and_when_it_makes_no_sense() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let gina = &people[6];
    let (path, _, _) = cup(&people, json!({})).await;
    for who in [&people[0], &people[4]] {
        pauses(who, &path, None).await.problem(403, "not-an-organizer");
        resumes(who, &path).await.problem(403, "not-an-organizer");
    }
    resumes(gina, &path).await.problem(409, "not-paused");
    for until in ["2026-11-21T07:30:01.000Z", "2026-12-21T07:30:02.000Z"] {
        let fault = pauses(gina, &path, Some(until)).await.problem(422, "validation-failed")["errors"][0].clone();
        assert_eq!((&fault["pointer"], &fault["code"]), (&json!("/until"), &json!("out-of-range")));
    }
    let once = async || {
        let body = json!({ "reason": "a holiday" });
        gina.post_once("the-pause", &of(&path, "pause"), body).await.expect(200)
    };
    assert_eq!(once().await, once().await, "one request, sent twice");
    pauses(gina, &path, None).await.problem(409, "already-paused");
    for _ in 0..4 {
        resumes(gina, &path).await.expect(204);
        app.passes_s(1).await;
        pauses(gina, &path, None).await.expect(200);
    }
    resumes(gina, &path).await.expect(204);
    app.passes_s(1).await;
    pauses(gina, &path, None).await.problem(409, "quota-exceeded");
    // Anna plays in her own tournament.
    let own = tournament(&people[0], &people[..3], json!({})).await;
    pauses(&people[0], &own, None).await.problem(403, "conflict-of-interest");
    resumes(&people[0], &own).await.problem(403, "conflict-of-interest");
    let private = json!({ "entry": "invitation", "visibility": "private" });
    let hidden = tournament(gina, &[], private).await;
    pauses(&people[4], &hidden, None).await.problem(404, "not-found");
    resumes(&people[4], &hidden).await.problem(404, "not-found");
    gina.post(&format!("{path}/cancel"), json!({ "reason": "no hall" })).await.expect(200);
    pauses(gina, &path, None).await.problem(409, "tournament-closed");
    mia.post("/v1/moderation/players/gina/suspend", json!({ "reason": "again" })).await.expect(204);
    pauses(gina, &hidden, None).await.problem(403, "account-suspended");
    resumes(gina, &hidden).await.problem(403, "account-suspended");
    is_sound(&app).await;
}

#[actix_web::test]
async fn what_an_account_has_paused_is_its_own_and_its_words_go_with_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, _, _) = cup(&people, json!({})).await;
    people[6].request("PUT", &format!("{path}/organizers/emil"), None).await.expect(204);
    let emil = people.iter().find(|player| player.name == "emil").unwrap();
    pauses(emil, &path, None).await.expect(200);
    let export = emil.signed_in().await.get("/v1/account/export").await.expect(200);
    assert_eq!(export["contest_pauses"][0]["reason"], "the club moves house");
    let signed_in = emil.signed_in().await;
    let gone = json!({ "password": emil.password });
    signed_in.request("DELETE", "/v1/account", Some(gone)).await.expect(204);
    app.passes_s(1).await;
    let pause = reads(&app, &path).await["pause"].clone();
    assert_eq!((&pause["reason"], pause["until"].is_string()), (&Value::Null, true), "the pause stays");
}

#[actix_web::test]
async fn players_are_told_that_their_round_lasts_longer() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board, _) = cup(&people, json!({})).await;
    let body = json!({ "seconds": DAY_S, "reason": "a holiday" });
    people[6].post(&format!("{path}/rounds/1/extend"), body).await.expect(204);
    let both = ["first", "second"].map(|seat| named(&people, &board[seat]).name.clone());
    for player in &people[..3] {
        let heard = told(player, "round-extended").await;
        assert_eq!(heard.len(), usize::from(both.contains(&player.name)), "{}", player.name);
        if let Some(event) = heard.first() {
            assert_eq!((&event["round"], &event["due_at"]), (&json!(1), &json!("2026-11-27T07:30:01.000Z")));
        }
    }
}
