//! Position ladders: challenges for places over weeks of a moved clock, vacations, departures, and the log that yields
//! the standings.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::club::{Club, DAY_S, SIX, reasons};

/// A position ladder with one challenge: its id, and the challenge's.
pub async fn a_wall(app: &TestApp) -> (String, String) {
    let (rosa, theo) = (app.player("rosa").await, app.player("theo").await);
    let id = rosa.makes_ladder(json!({ "format": "position" })).await;
    rosa.joins(&id, 1).await;
    theo.joins(&id, 1).await;
    let challenge = theo.post(&format!("/v1/ladders/{id}/challenges"), json!({ "opponent": "rosa" })).await.expect(201);
    (id, challenge["id"].as_str().unwrap().to_owned())
}

#[actix_web::test]
async fn six_members_climb_and_fall_over_some_weeks() {
    let app = TestApp::start().await;
    let terms =
        json!({ "reach": 3, "answer_s": 3 * DAY_S, "declines": 1, "protection_s": DAY_S, "no_return_s": 7 * DAY_S });
    let club = Club::of(&app, &SIX, terms).await;
    assert_eq!(club.wall().await, "anna ben carl dora emil fritz");

    // Fritz may reach carl, dora and emil; carl is the highest of them.
    let seen = club.sees("fritz").await;
    assert_eq!(seen.keys().collect::<Vec<_>>(), ["carl", "dora", "emil"]);
    assert!(seen.values().all(Vec::is_empty));
    let challenge = club.plays("fritz", "carl", "carl").await;
    assert_eq!(club.outcome(&challenge).await, "challenger-won");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");
    let step = club.steps().await.pop().unwrap();
    assert_eq!(
        (&step["from_position"], &step["to_position"], &step["reason"]),
        (&json!(6), &json!(3), &json!("challenge-won"))
    );
    assert_eq!(step["opponent"]["username"], "carl");
    assert_eq!(challenge, club.at(&format!("/challenges/{}", step["challenge_id"].as_str().unwrap())));

    // The winner and the overtaken members are notified; nobody above or below.
    let event = |name: &'static str| {
        let club = &club;
        async move {
            let last = club.hears(name).await.into_iter().rfind(|event| event["type"] == "ladder-position-changed");
            last.map(|event| (event["from_position"].clone(), event["to_position"].clone(), event["reason"].clone()))
        }
    };
    assert_eq!(event("fritz").await, Some((json!(6), json!(3), json!("challenge-won"))));
    assert_eq!(event("emil").await, Some((json!(5), json!(6), json!("overtaken"))));
    assert_eq!((event("ben").await, event("anna").await), (None, None));
}

#[actix_web::test]
async fn who_holds_his_place_is_left_alone_for_a_while() {
    let app = TestApp::start().await;
    let terms =
        json!({ "reach": 3, "answer_s": 3 * DAY_S, "declines": 1, "protection_s": DAY_S, "no_return_s": 7 * DAY_S });
    let club = Club::of(&app, &SIX, terms).await;
    club.plays("fritz", "carl", "carl").await;
    // Nothing changes when the challenger loses; the defender is protected for a day, and the two can't meet again for
    // a week.
    let challenge = club.plays("fritz", "anna", "fritz").await;
    assert_eq!(club.outcome(&challenge).await, "defender-won");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");
    assert_eq!(club.sees("fritz").await["anna"], ["opponent-protected", "rematch-too-soon"]);
    assert_eq!(club.sees("carl").await["anna"], ["opponent-protected"]);
    app.passes_s(DAY_S).await;
    assert_eq!(club.sees("fritz").await["anna"], ["rematch-too-soon"]);
    assert_eq!(club.sees("carl").await["anna"], Vec::<String>::new());

    // A draw keeps the place.
    let challenge = club.challenges("ben", "anna").await;
    let game = club.accepts("anna", &challenge).await;
    for name in ["anna", "ben"] {
        club.who(name).acts(&game, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    club.who("ben").acts(&game, json!({ "type": "offer-draw" })).await.expect(200);
    club.who("anna").acts(&game, json!({ "type": "accept-draw" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "drawn");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");
}

#[actix_web::test]
async fn who_declines_too_often_or_does_not_answer_loses_his_place() {
    let app = TestApp::start().await;
    let terms =
        json!({ "reach": 3, "answer_s": 3 * DAY_S, "declines": 1, "protection_s": DAY_S, "no_return_s": 7 * DAY_S });
    let club = Club::of(&app, &SIX, terms).await;
    club.plays("fritz", "carl", "carl").await;
    // One decline in 30 days is free, the second costs the place; after 30 days the next one is free again.
    let declines = |defender: &'static str, challenger: &'static str| {
        let club = &club;
        async move {
            let challenge = club.challenges(challenger, defender).await;
            club.who(defender).post(&format!("{challenge}/decline"), json!({})).await.expect(200)["result"].clone()
        }
    };
    assert_eq!(declines("dora", "emil").await, "declined");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");
    app.passes_s(29 * DAY_S).await;
    assert_eq!(declines("dora", "emil").await, "forfeited");
    assert_eq!(club.wall().await, "anna ben fritz carl emil dora");
    assert_eq!(club.hears("emil").await.iter().filter(|event| event["type"] == "ladder-challenge-declined").count(), 2);
    assert_eq!(declines("emil", "dora").await, "declined");

    // An unanswered challenge costs the place like a loss.
    let challenge = club.challenges("dora", "fritz").await;
    app.passes_s(3 * DAY_S - 1).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "open");
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "unanswered");
    assert_eq!(club.wall().await, "anna ben dora fritz carl emil");
    for name in ["dora", "fritz"] {
        let heard = club.hears(name).await;
        assert!(heard.iter().any(|event| event["type"] == "ladder-challenge-expired"), "{name}");
    }
    // Both are free, and there was no match to keep them apart.
    assert_eq!(club.sees("fritz").await["dora"], Vec::<String>::new());
    let found = broadside::ladders::position::audit::all(&app.app).await.unwrap();
    assert_eq!((found.ladders, found.steps, found.faults), (1, club.steps().await.len() as u64, Vec::new()));
}

#[actix_web::test]
async fn what_is_against_a_challenge_is_told_beforehand_and_again() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX, json!({ "reach": 2 })).await;
    assert_eq!(reasons(&club.tries("fritz", "anna").await), ["too-far-above"]);
    assert_eq!(reasons(&club.tries("anna", "fritz").await), ["not-above"]);
    assert_eq!(reasons(&club.tries("anna", "anna").await), ["not-above"]);
    assert!(club.sees("anna").await.is_empty());

    // Fritz challenges emil: emil may challenge, but can't be challenged; dora can.
    let challenge = club.challenges("fritz", "emil").await;
    assert_eq!(reasons(&club.tries("fritz", "dora").await), ["challenge-outstanding"]);
    assert_eq!(club.sees("fritz").await["emil"], ["challenge-outstanding", "opponent-challenged"]);
    club.challenges("emil", "carl").await;
    let twice = club.tries("fritz", "emil").await;
    assert_eq!(reasons(&twice), ["challenge-outstanding", "opponent-challenged"]);
    let heard = club.hears("emil").await;
    assert_eq!(heard[0]["type"], "ladder-challenge-received");
    assert!(challenge.ends_with(heard[0]["challenge_id"].as_str().unwrap()));
    assert_eq!(heard[0]["challenger_id"], club.who("fritz").id);

    // A block prevents the blocker's own challenges. It doesn't stop the other's, or a place could be held by blocking
    // all members below; the defender may decline.
    club.who("ben").request("PUT", "/v1/account/blocks/anna", None).await.expect(204);
    assert_eq!(club.sees("ben").await["anna"], ["player-blocked"]);
    assert_eq!(reasons(&club.tries("ben", "anna").await), ["player-blocked"]);
    club.who("anna").request("PUT", "/v1/account/blocks/carl", None).await.expect(204);
    assert!(club.sees("carl").await.values().all(Vec::is_empty));
    let challenge = club.challenges("carl", "anna").await;
    // A challenger can withdraw, but can't try again at once. Nobody else can withdraw it, or a second time.
    let taken_back = format!("{challenge}/withdraw");
    club.who("anna").post(&taken_back, json!({})).await.problem(403, "not-the-creator");
    assert_eq!(club.who("carl").post(&taken_back, json!({})).await.expect(200)["result"], "withdrawn");
    club.who("carl").post(&taken_back, json!({})).await.problem(409, "challenge-closed");
    club.who("anna").post(&format!("{challenge}/accept"), json!({})).await.problem(409, "challenge-closed");
    assert_eq!(club.hears("anna").await.pop().unwrap()["type"], "ladder-challenge-cancelled");
    assert!(club.tries("carl", "anna").await.text().contains("or a challenge between you was taken back, a short"));

    // A non-member has nobody to challenge, and can't be challenged.
    let gina = app.player("gina").await;
    gina.get(&club.at("/opponents")).await.problem(409, "not-a-member");
    gina.post(&club.at("/challenges"), json!({ "opponent": "fritz" })).await.problem(409, "not-a-member");
    for nobody in ["gina", "nobody"] {
        let refused = club.tries("carl", nobody).await;
        assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "unknown-player");
    }
}

#[actix_web::test]
async fn a_vacation_stops_the_time_for_an_answer() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben"], json!({ "answer_s": 2 * DAY_S })).await;
    let challenge = club.challenges("ben", "anna").await;
    let by = async || app.get(&challenge).await.expect(200)["answer_by"].as_str().unwrap().to_owned();
    assert_eq!(by().await, "2027-06-11T07:30:00.000Z");
    let (from, until) = ("2027-06-10T07:30:00Z", "2027-06-15T07:30:00Z");
    club.who("anna").post("/v1/account/vacations", json!({ "starts_at": from, "ends_at": until })).await.expect(201);
    // A booked vacation is private until it begins.
    assert_eq!(by().await, "2027-06-11T07:30:00.000Z");
    app.passes_s(DAY_S).await;
    assert_eq!(by().await, "2027-06-16T07:30:00.000Z");
    let seen = club.who("ben").get(&club.at("/opponents")).await.expect(200);
    assert_eq!(seen["items"][0]["away_until"], "2027-06-15T07:30:00.000Z");
    app.passes_s(5 * DAY_S).await;
    app.passes_s(DAY_S - 1).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "open");
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "unanswered");
}

#[actix_web::test]
async fn those_below_move_up_when_somebody_goes() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX, json!({ "reach": 5 })).await;
    // Ben leaves in the middle of a match for the place: the match goes on, but no longer for a place.
    let challenge = club.challenges("fritz", "ben").await;
    let game = club.accepts("ben", &challenge).await;
    let open = club.challenges("ben", "anna").await;
    club.who("ben").post(&club.at("/leave"), json!({})).await.expect(200);
    assert_eq!(club.wall().await, "anna carl dora emil fritz");
    assert_eq!((club.outcome(&challenge).await, club.outcome(&open).await), ("cancelled".into(), "cancelled".into()));
    for name in ["fritz", "anna"] {
        assert_eq!(club.hears(name).await.pop().unwrap()["type"], "ladder-challenge-cancelled");
    }
    club.who("anna").post(&format!("{open}/accept"), json!({})).await.problem(409, "challenge-closed");
    club.who("ben").acts(&game, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.wall().await, "anna carl dora emil fritz");
    let pairings = app.get(&club.at("/pairings")).await.expect(200)["items"].clone();
    assert!(pairings[0]["settled_at"].is_string(), "{pairings}");
    // Fritz is free again.
    assert_eq!(club.sees("fritz").await["anna"], Vec::<String>::new());
    // A returning member starts at the bottom.
    club.who("ben").post(&club.at("/join"), json!({})).await.expect(200);
    assert_eq!(club.wall().await, "anna carl dora emil fritz ben");

    // Dora's account is suspended: the next round removes her, once, on either node.
    let challenge = club.challenges("emil", "dora").await;
    let suspend =
        "UPDATE accounts SET suspended_at = '2026-11-21', suspension_reason = 'two accounts' WHERE username = 'dora'";
    crate::support::database::execute(&app.database, suspend).await;
    let node = app.another_node().await;
    let (one, other) = futures_util::future::join(
        broadside::ladders::job::run(&app.app.matches),
        broadside::ladders::job::run(&node.app.matches),
    )
    .await;
    one.and(other).unwrap();
    assert_eq!(club.outcome(&challenge).await, "cancelled");
    assert_eq!(club.wall().await, "anna carl emil fritz ben");
    assert_eq!(club.steps().await.last().unwrap()["reason"], "suspended");

    // Carl deletes the account while challenged.
    let challenge = club.challenges("emil", "carl").await;
    let carl = club.who("carl");
    let signed_in =
        app.post("/v1/sessions", json!({ "username": "carl", "password": carl.password })).await.expect(201);
    let session = carl.with_token(signed_in["access_token"].as_str().unwrap());
    session.request("DELETE", "/v1/account", Some(json!({ "password": carl.password }))).await.expect(204);
    assert_eq!(club.outcome(&challenge).await, "cancelled");
    let steps = club.steps().await;
    assert!(steps.iter().all(|step| step["player"]["username"] != "carl"), "the name stands in the log");
    assert_eq!(steps.last().unwrap()["reason"], "deleted");
    assert_eq!(club.wall().await, "anna emil fritz ben");
}

#[actix_web::test]
async fn a_closed_ladder_keeps_its_places() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl"], json!({ "inactive_after_s": DAY_S, "answer_s": 3600 })).await;
    let (open, played) = (club.challenges("carl", "ben").await, club.challenges("ben", "anna").await);
    let game = club.accepts("anna", &played).await;
    club.who("anna").post(&club.at("/close"), json!({ "reason": "The club moves house." })).await.expect(200);
    club.tries("ben", "anna").await.problem(409, "ladder-closed");
    club.who("ben").post(&format!("{open}/accept"), json!({})).await.problem(409, "ladder-closed");
    assert!(club.sees("ben").await.is_empty());
    club.who("anna").acts(&game, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(2 * DAY_S).await;
    assert_eq!(club.outcome(&played).await, "challenger-won");
    assert_eq!(club.outcome(&open).await, "cancelled");
    assert_eq!(club.wall().await, "anna ben carl");
}

#[actix_web::test]
async fn a_season_ends_with_the_places_and_the_next_one_begins_with_them() {
    let app = TestApp::start().await;
    let mut members = Vec::new();
    for name in SIX {
        members.push(app.lasting_player(name).await);
    }
    let body = json!({
        "title": "By the month", "format": "position", "variant": "classic", "season_s": 30 * DAY_S,
        "clock": { "kind": "per-move", "move_s": DAY_S }, "position_terms": { "reach": 5 },
    });
    let ladder = members[0].post("/v1/ladders", body).await.expect(201);
    let path = format!("/v1/ladders/{}", ladder["id"].as_str().unwrap());
    let club = Club { app: app.clone(), members, path };
    for member in &club.members {
        member.post(&club.at("/join"), json!({})).await.expect(200);
    }
    let listed = |query: &str| {
        let (app, path) = (app.clone(), club.at(&format!("/standings?{query}")));
        async move {
            let page = app.get(&path).await.expect(200);
            let row = |row: &Value| {
                format!(
                    "{}{}:{}",
                    row["rank"],
                    row["player"]["username"].as_str().unwrap(),
                    row["points"].as_f64().unwrap()
                )
            };
            let rows: Vec<String> = page["items"].as_array().unwrap().iter().map(row).collect();
            (rows.join(" "), page)
        }
    };
    club.plays("emil", "ben", "ben").await;
    club.plays("fritz", "anna", "fritz").await;
    assert_eq!(listed("").await.0, "1anna:1 2emil:1 3ben:0 4carl:0 5dora:0 6fritz:0");
    // Pages, and the neighbours of a member.
    let (first, page) = listed("limit=4").await;
    assert_eq!(first, "1anna:1 2emil:1 3ben:0 4carl:0");
    let cursor = page["next_cursor"].as_str().unwrap();
    let (second, page) = listed(&format!("limit=4&cursor={cursor}")).await;
    assert_eq!((second.as_str(), &page["next_cursor"]), ("5dora:0 6fritz:0", &Value::Null));
    let (around, page) = listed("limit=3&around=carl").await;
    assert_eq!((around.as_str(), &page["around_rank"]), ("3ben:0 4carl:0 5dora:0", &json!(4)));
    // Carl, without a win, leaves; so does ben, who has played.
    for name in ["carl", "ben"] {
        club.who(name).post(&club.at("/leave"), json!({})).await.expect(200);
    }
    app.passes_s(31 * DAY_S).await;
    let finals = "1anna:1 2emil:1 3dora:0 4fritz:0 5ben:0";
    let (rows, page) = listed("season=1").await;
    assert_eq!((rows.as_str(), &page["is_final"]), (finals, &json!(true)));
    assert_eq!(listed("").await.0, "1anna:0 2emil:0 3dora:0 4fritz:0");
    let ended = club.who("emil").hears(0).await.into_iter().find(|event| event["type"] == "season-ended").unwrap();
    assert_eq!(ended["rank"], 2);
    // Later events don't change it.
    club.plays("fritz", "anna", "anna").await;
    assert_eq!((listed("season=1").await.0.as_str(), club.wall().await.as_str()), (finals, "fritz anna emil dora"));
    assert_eq!(listed("season=1&limit=2&around=dora").await.0, "2emil:1 3dora:0");
}

#[actix_web::test]
async fn terms_that_make_no_sense_are_refused_with_every_fault() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tried = async |more: Value| {
        let mut body = json!({
            "title": "A wall", "format": "position", "variant": "classic", "clock": { "kind": "per-move", "move_s": DAY_S },
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = anna.post("/v1/ladders", body).await;
        let problem = answer.problem(422, "validation-failed");
        let errors = problem["errors"].as_array().unwrap().clone();
        errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let wild = json!({ "position_terms": { "reach": 0, "answer_s": 1, "declines": 99 } });
    assert_eq!(tried(wild).await, ["/position_terms/reach", "/position_terms/answer_s", "/position_terms/declines"]);
    assert_eq!(tried(json!({ "position_terms": { "raech": 2 } })).await, ["/position_terms/raech"]);
    assert_eq!(tried(json!({ "format": "rating", "position_terms": { "reach": 2 } })).await, ["/position_terms"]);
    assert_eq!(tried(json!({ "audience": "separate" })).await, ["/audience"]);
    assert_eq!(
        tried(json!({ "divisions": { "size": 8, "promotions": 2 }, "season_s": 30 * DAY_S })).await,
        ["/divisions"]
    );
    assert_eq!(tried(json!({ "variant": "salvos", "seats": 3 })).await, ["/seats"]);
}
