//! Position ladders: members challenge each other for places, over weeks of a moved clock; races, vacations, those who go, and the log that gives the standing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Answer, Player, TestApp};

const DAY_S: i64 = 86_400;

/// A ladder on the wall of a club, and those who have joined it, one after the other.
struct Club {
    app: TestApp,
    members: Vec<Player>,
    path: String,
}

impl Club {
    async fn of(app: &TestApp, names: &[&str], terms: Value) -> Self {
        let mut members = Vec::new();
        for name in names {
            members.push(app.lasting_player(name).await);
        }
        // So long ago that they have earned some vacation: it is 2027-06-09T07:30:00Z.
        app.passes_unseen_s(200 * DAY_S);
        let body = json!({
            "title": "The wall of the club", "form": "position", "variant": "classic",
            "clock": { "kind": "per-move", "move_s": 3 * DAY_S }, "position": terms,
        });
        let ladder = members[0].post("/v1/ladders", body).await.expect(201);
        let path = format!("/v1/ladders/{}", ladder["id"].as_str().unwrap());
        for member in &members {
            member.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        Self { app: app.clone(), members, path }
    }

    fn who(&self, name: &str) -> &Player {
        self.members.iter().find(|member| member.name == name).unwrap()
    }

    fn at(&self, rest: &str) -> String {
        format!("{}{rest}", self.path)
    }

    /// Who stands where, by the standings; and it is what the log of steps gives.
    async fn wall(&self) -> String {
        let standings = self.app.get(&self.at("/standings?limit=100")).await.expect(200);
        let rows = standings["items"].as_array().unwrap().clone();
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row["rank"], index + 1, "{rows:?}");
        }
        let names: Vec<&str> = rows.iter().map(|row| row["player"]["username"].as_str().unwrap()).collect();
        assert_eq!(names, self.replayed().await, "the log gives another standing");
        names.join(" ")
    }

    /// The standing, folded from the log by the words of its documentation.
    async fn replayed(&self) -> Vec<String> {
        let mut wall: Vec<String> = Vec::new();
        for (index, step) in self.steps().await.into_iter().enumerate() {
            assert_eq!(step["number"], index + 1);
            let name = step["player"]["username"].as_str().unwrap().to_owned();
            if let Some(from) = step["from"].as_u64() {
                assert_eq!(wall.remove(from as usize - 1), name);
            }
            if let Some(to) = step["to"].as_u64() {
                wall.insert(to as usize - 1, name);
            }
        }
        wall
    }

    async fn steps(&self) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.app.get(&self.at(&format!("/moves?limit=7{cursor}"))).await.expect(200);
            all.extend(page["items"].as_array().unwrap().clone());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    /// Whom somebody may challenge, and the reasons against the others, as the ladder says it beforehand.
    async fn sees(&self, name: &str) -> BTreeMap<String, Vec<String>> {
        let seen = self.who(name).get(&self.at("/challengeable")).await.expect(200);
        let item = |item: &Value| {
            let reasons = item["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap().to_owned());
            let reasons: Vec<String> = reasons.collect();
            assert_eq!(item["allowed"], reasons.is_empty());
            (item["player"]["username"].as_str().unwrap().to_owned(), reasons)
        };
        seen["items"].as_array().unwrap().iter().map(item).collect()
    }

    async fn tries(&self, challenger: &str, defender: &str) -> Answer {
        self.who(challenger).post(&self.at("/challenges"), json!({ "opponent": defender })).await
    }

    /// Challenges: the path of the challenge.
    async fn challenges(&self, challenger: &str, defender: &str) -> String {
        let challenge = self.tries(challenger, defender).await.expect(201);
        assert_eq!(challenge["status"], "open");
        self.at(&format!("/challenges/{}", challenge["id"].as_str().unwrap()))
    }

    /// The challenged one accepts: the match.
    async fn accepts(&self, defender: &str, challenge: &str) -> String {
        let accepted = self.who(defender).post(&format!("{challenge}/accept"), json!({})).await.expect(200);
        assert_eq!(accepted["status"], "accepted");
        let pairing = format!("/v1/pairings/{}", accepted["pairing_id"].as_str().unwrap());
        let pairing = self.app.get(&pairing).await.expect(200);
        pairing["games"][0]["match_id"].as_str().unwrap().to_owned()
    }

    /// Challenges, is accepted, and the match ends with the loser's resignation. The path of the challenge.
    async fn plays(&self, challenger: &str, defender: &str, loser: &str) -> String {
        let challenge = self.challenges(challenger, defender).await;
        let game = self.accepts(defender, &challenge).await;
        self.who(loser).acts(&game, json!({ "type": "resign" })).await.expect(200);
        self.app.passes_s(1).await;
        challenge
    }

    async fn outcome(&self, challenge: &str) -> String {
        let challenge = self.app.get(challenge).await.expect(200);
        assert_eq!(challenge["status"], "over", "{challenge}");
        challenge["outcome"].as_str().unwrap().to_owned()
    }

    /// The events about ladders that somebody has heard of, but for those of his matches.
    async fn hears(&self, name: &str) -> Vec<Value> {
        let all = self.who(name).hears(0).await;
        all.into_iter().filter(|event| event["type"].as_str().unwrap().starts_with("ladder-")).collect()
    }
}

/// What a refused challenge names, in order.
fn reasons(answer: &Answer) -> Vec<String> {
    let problem = answer.problem(422, "challenge-not-allowed");
    let errors = problem["errors"].as_array().unwrap();
    errors.iter().for_each(|error| assert_eq!(error["pointer"], "/opponent"));
    errors.iter().map(|error| error["code"].as_str().unwrap().to_owned()).collect()
}

const SIX: [&str; 6] = ["anna", "ben", "carl", "dora", "emil", "fritz"];

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
    assert_eq!((&step["from"], &step["to"], &step["reason"]), (&json!(6), &json!(3), &json!("challenge-won")));
    assert_eq!(step["over"]["username"], "carl");
    assert_eq!(challenge, club.at(&format!("/challenges/{}", step["challenge_id"].as_str().unwrap())));

    // Who is passed hears of it, as who has won; and nobody above or below.
    let event = |name: &'static str| {
        let club = &club;
        async move {
            let last = club.hears(name).await.into_iter().rfind(|event| event["type"] == "ladder-place-changed");
            last.map(|event| (event["from"].clone(), event["to"].clone(), event["reason"].clone()))
        }
    };
    assert_eq!(event("fritz").await, Some((json!(6), json!(3), json!("challenge-won"))));
    assert_eq!(event("emil").await, Some((json!(5), json!(6), json!("overtaken"))));
    assert_eq!((event("ben").await, event("anna").await), (None, None));

    // Nothing changes when the challenger loses; the defender is protected for a day, and the two don't meet again for a week.
    let challenge = club.plays("fritz", "anna", "fritz").await;
    assert_eq!(club.outcome(&challenge).await, "defender-won");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");
    assert_eq!(club.sees("fritz").await["anna"], ["opponent-protected", "too-soon-again"]);
    assert_eq!(club.sees("carl").await["anna"], ["opponent-protected"]);
    app.passes_s(DAY_S).await;
    assert_eq!(club.sees("fritz").await["anna"], ["too-soon-again"]);
    assert_eq!(club.sees("carl").await["anna"], Vec::<String>::new());

    // A draw keeps the place.
    let challenge = club.challenges("ben", "anna").await;
    let game = club.accepts("anna", &challenge).await;
    for name in ["anna", "ben"] {
        club.who(name).acts(&game, json!({ "type": "deploy", "auto": true })).await.expect(200);
    }
    club.who("ben").acts(&game, json!({ "type": "offer-draw" })).await.expect(200);
    club.who("anna").acts(&game, json!({ "type": "accept-draw" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "drawn");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");

    // One decline in 30 days is free, the second costs the place; after 30 days the next one is free again.
    let declines = |defender: &'static str, challenger: &'static str| {
        let club = &club;
        async move {
            let challenge = club.challenges(challenger, defender).await;
            club.who(defender).post(&format!("{challenge}/decline"), json!({})).await.expect(200)["outcome"].clone()
        }
    };
    assert_eq!(declines("dora", "emil").await, "declined");
    assert_eq!(club.wall().await, "anna ben fritz carl dora emil");
    app.passes_s(29 * DAY_S).await;
    assert_eq!(declines("dora", "emil").await, "forfeited");
    assert_eq!(club.wall().await, "anna ben fritz carl emil dora");
    assert_eq!(club.hears("emil").await.iter().filter(|event| event["type"] == "ladder-challenge-declined").count(), 2);
    assert_eq!(declines("emil", "dora").await, "declined");

    // Who doesn't answer falls as if he had lost.
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
    // Both are free, and there was no match that would keep them apart.
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
    assert_eq!(heard[0]["from"], club.who("fritz").id);

    // Blocks: one's own is in the way. The other's isn't, or a place could be held by blocking all those below: he may decline.
    club.who("ben").request("PUT", "/v1/account/blocks/anna", None).await.expect(204);
    assert_eq!(club.sees("ben").await["anna"], ["player-blocked"]);
    assert_eq!(reasons(&club.tries("ben", "anna").await), ["player-blocked"]);
    club.who("anna").request("PUT", "/v1/account/blocks/carl", None).await.expect(204);
    assert!(club.sees("carl").await.values().all(Vec::is_empty));
    let challenge = club.challenges("carl", "anna").await;
    // Who has thought better of it takes it back, and can't try again at once. Nobody else can take it back, or twice.
    let taken_back = format!("{challenge}/withdraw");
    club.who("anna").post(&taken_back, json!({})).await.problem(422, "not-for-you");
    assert_eq!(club.who("carl").post(&taken_back, json!({})).await.expect(200)["outcome"], "withdrawn");
    club.who("carl").post(&taken_back, json!({})).await.problem(409, "challenge-closed");
    club.who("anna").post(&format!("{challenge}/accept"), json!({})).await.problem(409, "challenge-closed");
    assert_eq!(club.hears("anna").await.pop().unwrap()["type"], "ladder-challenge-called-off");
    assert_eq!(club.sees("carl").await["anna"], ["too-soon-again"]);

    // Who has no place has nobody to challenge; who isn't there can't be challenged.
    let gina = app.player("gina").await;
    gina.get(&club.at("/challengeable")).await.problem(409, "not-a-member");
    gina.post(&club.at("/challenges"), json!({ "opponent": "fritz" })).await.problem(409, "not-a-member");
    for nobody in ["gina", "nobody"] {
        let refused = club.tries("carl", nobody).await;
        assert_eq!(refused.problem(422, "invalid-request")["errors"][0]["code"], "unknown-player");
    }
}

#[actix_web::test]
async fn only_who_is_challenged_answers_and_only_once() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl"], json!({})).await;
    let challenge = club.challenges("ben", "anna").await;
    for name in ["ben", "carl"] {
        for answer in ["accept", "decline"] {
            club.who(name).post(&format!("{challenge}/{answer}"), json!({})).await.problem(422, "not-for-you");
        }
    }
    let eve = app.player("eve").await;
    eve.post(&format!("{challenge}/accept"), json!({})).await.problem(422, "not-for-you");
    // The same key gives the same answer; without one it was answered already.
    let anna = club.who("anna");
    let first = anna.post_once("yes", &format!("{challenge}/accept"), json!({})).await.expect(200);
    let again = anna.post_once("yes", &format!("{challenge}/accept"), json!({})).await.expect(200);
    assert_eq!(first, again);
    for answer in ["accept", "decline"] {
        anna.post(&format!("{challenge}/{answer}"), json!({})).await.problem(409, "challenge-closed");
    }
    // The challenger begins, and both hear of the match.
    let pairing = app.get(&format!("/v1/pairings/{}", first["pairing_id"].as_str().unwrap())).await.expect(200);
    assert_eq!(pairing["players"][0]["player"]["username"], "ben");
    for name in ["anna", "ben"] {
        let events = club.who(name).hears(0).await;
        assert!(events.iter().any(|event| event["type"] == "match-started" && event["pairing_id"] == pairing["id"]));
    }
    // It can be found in the lists, by anybody.
    let listed = |query: &str| {
        let path = club.at(&format!("/challenges{query}"));
        let app = app.clone();
        async move { app.get(&path).await.expect(200)["items"].as_array().unwrap().len() }
    };
    assert_eq!((listed("").await, listed("?status=accepted").await, listed("?status=open").await), (1, 1, 0));
    assert_eq!((listed("?player=ben").await, listed("?player=anna").await, listed("?player=carl").await), (1, 1, 0));
    // On another ladder it isn't.
    let other = Club::of(&app, &["olga", "paul"], json!({})).await;
    let elsewhere = challenge.replace(&club.path, &other.path);
    app.get(&elsewhere).await.problem(404, "not-found");
    anna.post(&format!("{elsewhere}/accept"), json!({})).await.problem(404, "not-found");
}

#[actix_web::test]
async fn of_two_who_challenge_one_member_at_once_one_wins() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX, json!({ "reach": 5 })).await;
    let node = app.another_node().await;
    let (there, body) = (club.at("/challenges"), json!({ "opponent": "anna" }));
    let others: Vec<Player> = SIX[1..].iter().map(|name| club.who(name).clone()).collect();
    let tries = others.iter().enumerate().map(|(index, player)| {
        let player = if index % 2 == 0 { player.at(&node) } else { player.clone() };
        let (there, body) = (there.clone(), body.clone());
        async move { player.post(&there, body).await }
    });
    let answers = futures_util::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!(reasons(answer), ["opponent-challenged"]);
    }
    assert_eq!(club.hears("anna").await.len(), 1);
}

#[actix_web::test]
async fn an_answer_on_two_nodes_at_once_is_given_once() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben"], json!({ "declines": 0, "no_return_s": 0, "protection_s": 0 })).await;
    let node = app.another_node().await;
    for (one, other) in [("accept", "accept"), ("accept", "decline"), ("decline", "decline")] {
        let (low, high) = {
            let wall = club.wall().await;
            let (high, low) = wall.split_once(' ').unwrap();
            (low.to_owned(), high.to_owned())
        };
        let challenge = club.challenges(&low, &high).await;
        let (here, there) = (club.who(&high).clone(), club.who(&high).at(&node));
        let (first, second) = (format!("{challenge}/{one}"), format!("{challenge}/{other}"));
        let (first, second) =
            futures_util::future::join(here.post(&first, json!({})), there.post(&second, json!({}))).await;
        let statuses = [first.status, second.status];
        assert!(statuses == [200, 409] || statuses == [409, 200], "{one} and {other}: {statuses:?}");
        let pairings = app.get(&club.at("/pairings")).await.expect(200)["items"].clone();
        let running = pairings.as_array().unwrap().iter().find(|pairing| pairing["ended_at"].is_null()).cloned();
        if let Some(pairing) = running {
            let game = pairing["games"][0]["match_id"].as_str().unwrap();
            here.acts(game, json!({ "type": "resign" })).await.expect(200);
            // Both nodes settle it, and it is settled once.
            let before = club.steps().await.len();
            let (one, other) = futures_util::future::join(app.app.tend_ladders(), node.app.tend_ladders()).await;
            one.and(other).unwrap();
            assert_eq!(club.steps().await.len(), before + 1);
        }
        assert_eq!(club.wall().await, format!("{low} {high}"), "after {one} and {other}");
    }
}

#[actix_web::test]
async fn an_answer_at_the_last_moment_is_given_or_too_late() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben"], json!({ "answer_s": 3600, "no_return_s": 0, "protection_s": 0 })).await;
    let node = app.another_node().await;
    // Its time is over, and no job has come by: the answer is too late all the same.
    let challenge = club.challenges("ben", "anna").await;
    app.passes_unseen_s(3600);
    club.who("anna").post(&format!("{challenge}/accept"), json!({})).await.problem(409, "challenge-closed");
    // Two nodes expire it at once, and once.
    let (one, other) = futures_util::future::join(app.app.tend_ladders(), node.app.tend_ladders()).await;
    one.and(other).unwrap();
    assert_eq!((club.outcome(&challenge).await.as_str(), club.wall().await.as_str()), ("unanswered", "ben anna"));
    assert_eq!(club.steps().await.len(), 3);
    // A second before, both at once: one of them is first, and what it has done stands.
    let challenge = club.challenges("anna", "ben").await;
    app.passes_unseen_s(3599);
    let ben = club.who("ben").at(&node);
    let accept = format!("{challenge}/accept");
    let (accepted, swept) = futures_util::future::join(ben.post(&accept, json!({})), app.app.tend_ladders()).await;
    swept.unwrap();
    accepted.expect(200);
    app.passes_s(3600).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "accepted");
    assert_eq!(club.wall().await, "ben anna");
}

#[actix_web::test]
async fn a_vacation_stops_the_time_for_an_answer() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben"], json!({ "answer_s": 2 * DAY_S })).await;
    let challenge = club.challenges("ben", "anna").await;
    let by = async || app.get(&challenge).await.expect(200)["answer_by"].as_str().unwrap().to_owned();
    assert_eq!(by().await, "2027-06-11T07:30:00.000Z");
    let (from, until) = ("2027-06-10T07:30:00Z", "2027-06-15T07:30:00Z");
    club.who("anna").post("/v1/account/vacations", json!({ "from": from, "until": until })).await.expect(201);
    // What she has booked is nobody's business until it begins.
    assert_eq!(by().await, "2027-06-11T07:30:00.000Z");
    app.passes_s(DAY_S).await;
    assert_eq!(by().await, "2027-06-16T07:30:00.000Z");
    let seen = club.who("ben").get(&club.at("/challengeable")).await.expect(200);
    assert_eq!(seen["items"][0]["away_until"], "2027-06-15T07:30:00.000Z");
    app.passes_s(5 * DAY_S).await;
    app.passes_s(DAY_S - 1).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "open");
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "unanswered");
}

#[actix_web::test]
async fn who_plays_no_challenge_falls() {
    let app = TestApp::start().await;
    let terms = json!({ "reach": 2, "inactive_after_s": 10 * DAY_S, "no_return_s": 0, "protection_s": 0 });
    let club = Club::of(&app, &SIX, terms).await;
    app.passes_s(5 * DAY_S).await;
    // Fritz and emil are active; dora is on vacation; and carl has a challenge under way.
    club.plays("fritz", "emil", "fritz").await;
    let vacation = json!({ "from": "2027-06-15T00:00:00Z", "until": "2027-06-21T00:00:00Z" });
    club.who("dora").post("/v1/account/vacations", vacation).await.expect(201);
    let challenge = club.challenges("carl", "ben").await;
    club.accepts("ben", &challenge).await;
    assert_eq!(club.wall().await, "anna ben carl dora emil fritz");
    app.passes_s(5 * DAY_S).await;
    // Anna alone falls, by two places.
    assert_eq!(club.wall().await, "ben carl anna dora emil fritz");
    assert_eq!(club.steps().await.pop().unwrap()["reason"], "inactive");
    let heard = club.hears("anna").await.pop().unwrap();
    assert_eq!((&heard["type"], &heard["reason"]), (&json!("ladder-place-changed"), &json!("inactive")));
    // Not again at once, and not twice by two nodes.
    let node = app.another_node().await;
    let (one, other) = futures_util::future::join(app.app.tend_ladders(), node.app.tend_ladders()).await;
    one.and(other).unwrap();
    assert_eq!(club.wall().await, "ben carl anna dora emil fritz");
    // Emil and fritz are next, who fall one behind the other. Dora follows when her vacation has passed, and so has the rest of her ten days.
    app.passes_s(5 * DAY_S).await;
    assert_eq!((club.wall().await.as_str(), club.steps().await.len()), ("ben carl anna dora emil fritz", 9));
    app.passes_s(DAY_S - 2).await;
    assert_eq!(club.steps().await.len(), 9);
    app.passes_s(1).await;
    assert_eq!(club.wall().await, "ben carl anna emil fritz dora");

    // Olga, who stands first, is the only one who does nothing.
    let to_the_end = json!({ "reach": 1, "inactive_after_s": DAY_S, "inactivity": "to-the-end" });
    let other = Club::of(&app, &["olga", "paul", "quinn"], to_the_end).await;
    app.passes_s(DAY_S / 2).await;
    other.plays("quinn", "paul", "quinn").await;
    app.passes_s(DAY_S / 2).await;
    assert_eq!(other.wall().await, "paul quinn olga");
}

#[actix_web::test]
async fn those_below_move_up_when_somebody_goes() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX, json!({ "reach": 5 })).await;
    // Ben leaves in the middle of a match for his place: the match goes on, and is for nothing.
    let challenge = club.challenges("fritz", "ben").await;
    let game = club.accepts("ben", &challenge).await;
    let open = club.challenges("ben", "anna").await;
    club.who("ben").post(&club.at("/leave"), json!({})).await.expect(200);
    assert_eq!(club.wall().await, "anna carl dora emil fritz");
    assert_eq!((club.outcome(&challenge).await, club.outcome(&open).await), ("called-off".into(), "called-off".into()));
    for name in ["fritz", "anna"] {
        assert_eq!(club.hears(name).await.pop().unwrap()["type"], "ladder-challenge-called-off");
    }
    club.who("anna").post(&format!("{open}/accept"), json!({})).await.problem(409, "challenge-closed");
    club.who("ben").acts(&game, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.wall().await, "anna carl dora emil fritz");
    let pairings = app.get(&club.at("/pairings")).await.expect(200)["items"].clone();
    assert!(pairings[0]["settled_at"].is_string(), "{pairings}");
    // Fritz is free again.
    assert_eq!(club.sees("fritz").await["anna"], Vec::<String>::new());
    // Who comes again comes to the end.
    club.who("ben").post(&club.at("/join"), json!({})).await.expect(200);
    assert_eq!(club.wall().await, "anna carl dora emil fritz ben");

    // Dora's account is suspended: the next round takes her out, once, whichever node it is.
    let challenge = club.challenges("emil", "dora").await;
    let suspend =
        "UPDATE accounts SET suspended_at = '2026-11-21', suspension_reason = 'two accounts' WHERE username = 'dora'";
    crate::support::database::execute(&app.database, suspend).await;
    let node = app.another_node().await;
    let (one, other) = futures_util::future::join(app.app.tend_ladders(), node.app.tend_ladders()).await;
    one.and(other).unwrap();
    assert_eq!(club.outcome(&challenge).await, "called-off");
    assert_eq!(club.wall().await, "anna carl emil fritz ben");
    assert_eq!(club.steps().await.last().unwrap()["reason"], "suspended");

    // Carl deletes his account while he is challenged.
    let challenge = club.challenges("emil", "carl").await;
    let carl = club.who("carl");
    let signed_in =
        app.post("/v1/sessions", json!({ "username": "carl", "password": carl.password })).await.expect(201);
    let session = carl.with_token(signed_in["access_token"].as_str().unwrap());
    session.request("DELETE", "/v1/account", Some(json!({ "password": carl.password }))).await.expect(204);
    assert_eq!(club.outcome(&challenge).await, "called-off");
    let steps = club.steps().await;
    assert!(steps.iter().all(|step| step["player"]["username"] != "carl"), "his name stands in the log");
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
    assert_eq!(club.outcome(&open).await, "called-off");
    assert_eq!(club.wall().await, "anna ben carl");
}

#[actix_web::test]
async fn paired_games_are_one_challenge_and_points_decide() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let body = json!({
        "title": "Two at once", "form": "position", "variant": "classic", "paired": true,
        "clock": { "kind": "per-move", "move_s": DAY_S }, "position": { "loser_falls": 2 },
    });
    let ladder = anna.post("/v1/ladders", body).await.expect(201);
    assert_eq!((&ladder["position"]["reach"], &ladder["position"]["loser_falls"]), (&json!(3), &json!(2)));
    let path = format!("/v1/ladders/{}", ladder["id"].as_str().unwrap());
    let mut members = vec![anna, ben];
    for name in ["carl", "dora"] {
        members.push(app.lasting_player(name).await);
    }
    for member in &members {
        member.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    let club = Club { app: app.clone(), members, path };
    let challenge = club.challenges("ben", "anna").await;
    let accepted = club.who("anna").post(&format!("{challenge}/accept"), json!({})).await.expect(200);
    let pairing = format!("/v1/pairings/{}", accepted["pairing_id"].as_str().unwrap());
    let games = app.get(&pairing).await.expect(200)["games"].clone();
    let game = |number: usize| games[number]["match_id"].as_str().unwrap().to_owned();
    // One each: a draw, and the defender stays. Half of it decides nothing.
    club.who("anna").acts(&game(0), json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(app.get(&challenge).await.expect(200)["status"], "accepted");
    club.who("ben").acts(&game(1), json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "drawn");
    assert_eq!(club.wall().await, "anna ben carl dora");
    // Here who loses his own challenge falls by two places.
    let challenge = club.challenges("carl", "ben").await;
    let accepted = club.who("ben").post(&format!("{challenge}/accept"), json!({})).await.expect(200);
    let pairing = format!("/v1/pairings/{}", accepted["pairing_id"].as_str().unwrap());
    for game in app.get(&pairing).await.expect(200)["games"].as_array().unwrap() {
        let id = game["match_id"].as_str().unwrap();
        club.who("carl").acts(id, json!({ "type": "resign" })).await.expect(200);
    }
    app.passes_s(1).await;
    assert_eq!(club.outcome(&challenge).await, "defender-won");
    assert_eq!(club.wall().await, "anna ben dora carl");
    assert_eq!(club.steps().await.pop().unwrap()["reason"], "challenge-lost");
}

#[actix_web::test]
async fn a_season_ends_with_the_places_and_the_next_one_begins_with_them() {
    let app = TestApp::start().await;
    let mut members = Vec::new();
    for name in SIX {
        members.push(app.lasting_player(name).await);
    }
    let body = json!({
        "title": "By the month", "form": "position", "variant": "classic", "season_s": 30 * DAY_S,
        "clock": { "kind": "per-move", "move_s": DAY_S }, "position": { "reach": 5 },
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
    // Pages, and the neighbours of one of them.
    let (first, page) = listed("limit=4").await;
    assert_eq!(first, "1anna:1 2emil:1 3ben:0 4carl:0");
    let cursor = page["next_cursor"].as_str().unwrap();
    let (second, page) = listed(&format!("limit=4&cursor={cursor}")).await;
    assert_eq!((second.as_str(), &page["next_cursor"]), ("5dora:0 6fritz:0", &Value::Null));
    let (around, page) = listed("limit=3&around=carl").await;
    assert_eq!((around.as_str(), &page["around_rank"]), ("3ben:0 4carl:0 5dora:0", &json!(4)));
    // Carl, who has won nothing yet, leaves; ben, who has played, does too.
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
    // What happens now changes nothing of it.
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
            "title": "A wall", "form": "position", "variant": "classic", "clock": { "kind": "per-move", "move_s": DAY_S },
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = anna.post("/v1/ladders", body).await;
        let problem = answer.problem(422, "invalid-request");
        let errors = problem["errors"].as_array().unwrap().clone();
        errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let wild = json!({ "position": { "reach": 0, "answer_s": 1, "declines": 99 } });
    assert_eq!(tried(wild).await, ["/position/reach", "/position/answer_s", "/position/declines"]);
    assert_eq!(tried(json!({ "position": { "raech": 2 } })).await, ["/position/raech"]);
    assert_eq!(tried(json!({ "form": "rating", "position": { "reach": 2 } })).await, ["/position"]);
    assert_eq!(tried(json!({ "who": "separate" })).await, ["/who"]);
    assert_eq!(tried(json!({ "divisions": { "size": 8, "movers": 2 }, "season_s": 30 * DAY_S })).await, ["/divisions"]);
    assert_eq!(tried(json!({ "variant": "salvos", "seats": 3 })).await, ["/seats"]);
}

#[actix_web::test]
async fn a_place_that_does_not_follow_from_the_log_is_found() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl"], json!({})).await;
    club.plays("carl", "anna", "anna").await;
    let audit = async || broadside::ladders::position::audit::all(&app.app).await.unwrap().faults;
    assert!(audit().await.is_empty());
    crate::support::database::execute(&app.database, "UPDATE ladder_places SET place = 4 - place").await;
    assert_eq!(audit().await.len(), 1);
    crate::support::database::execute(&app.database, "UPDATE ladder_places SET place = 4 - place").await;
    assert!(audit().await.is_empty());
    crate::support::database::execute(&app.database, "UPDATE ladder_moves SET from_place = 2 WHERE number = 4").await;
    let faults = audit().await;
    assert!(faults.len() == 1 && faults[0].contains("step 4"), "{faults:?}");
}
