//! A club's wall, which is a position ladder, with members who challenge, answer, play, and read the log.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Answer, Player, TestApp};

pub const DAY_S: i64 = 86_400;

/// A club's position ladder and its members, in the order of joining.
pub struct Club {
    pub app: TestApp,
    pub members: Vec<Player>,
    pub path: String,
}

impl Club {
    pub async fn of(app: &TestApp, names: &[&str], terms: Value) -> Self {
        let mut members = Vec::new();
        for name in names {
            members.push(app.lasting_player(name).await);
        }
        // Long enough to earn some vacation: it is 2027-06-09T07:30:00Z.
        app.passes_unseen_s(200 * DAY_S);
        let body = json!({
            "title": "The wall of the club", "format": "position", "variant": "classic",
            "clock": { "kind": "per-move", "move_s": 3 * DAY_S }, "position_terms": terms,
        });
        let ladder = members[0].post("/v1/ladders", body).await.expect(201);
        let path = format!("/v1/ladders/{}", ladder["id"].as_str().unwrap());
        for member in &members {
            member.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        Self { app: app.clone(), members, path }
    }

    pub fn who(&self, name: &str) -> &Player {
        self.members.iter().find(|member| member.name == name).unwrap()
    }

    pub fn at(&self, rest: &str) -> String {
        format!("{}{rest}", self.path)
    }

    /// The order of the standings. Asserts that the log of steps gives the same.
    pub async fn wall(&self) -> String {
        let standings = self.app.get(&self.at("/standings?limit=100")).await.expect(200);
        let rows = standings["items"].as_array().unwrap().clone();
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row["rank"], index + 1, "{rows:?}");
        }
        let names: Vec<&str> = rows.iter().map(|row| row["player"]["username"].as_str().unwrap()).collect();
        assert_eq!(names, self.replayed().await, "the log gives another standing");
        names.join(" ")
    }

    /// The standings, folded from the log as documented.
    pub async fn replayed(&self) -> Vec<String> {
        let mut wall: Vec<String> = Vec::new();
        for (index, step) in self.steps().await.into_iter().enumerate() {
            assert_eq!(step["number"], index + 1);
            let name = step["player"]["username"].as_str().unwrap().to_owned();
            if let Some(from) = step["from_position"].as_u64() {
                assert_eq!(wall.remove(from as usize - 1), name);
            }
            if let Some(to) = step["to_position"].as_u64() {
                wall.insert(to as usize - 1, name);
            }
        }
        wall
    }

    pub async fn steps(&self) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.app.get(&self.at(&format!("/position-changes?limit=7{cursor}"))).await.expect(200);
            all.extend(page["items"].as_array().unwrap().clone());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    /// A member's possible opponents, and the reasons against the others, as the ladder shows them in advance.
    pub async fn sees(&self, name: &str) -> BTreeMap<String, Vec<String>> {
        let seen = self.who(name).get(&self.at("/opponents")).await.expect(200);
        let item = |item: &Value| {
            let reasons = item["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap().to_owned());
            let reasons: Vec<String> = reasons.collect();
            assert_eq!(item["allowed"], reasons.is_empty());
            (item["player"]["username"].as_str().unwrap().to_owned(), reasons)
        };
        seen["items"].as_array().unwrap().iter().map(item).collect()
    }

    pub async fn tries(&self, challenger: &str, defender: &str) -> Answer {
        self.who(challenger).post(&self.at("/challenges"), json!({ "opponent": defender })).await
    }

    /// Makes a challenge; returns its path.
    pub async fn challenges(&self, challenger: &str, defender: &str) -> String {
        let challenge = self.tries(challenger, defender).await.expect(201);
        assert_eq!(challenge["status"], "open");
        self.at(&format!("/challenges/{}", challenge["id"].as_str().unwrap()))
    }

    /// Accepts a challenge; returns the match.
    pub async fn accepts(&self, defender: &str, challenge: &str) -> String {
        let accepted = self.who(defender).post(&format!("{challenge}/accept"), json!({})).await.expect(200);
        assert_eq!(accepted["status"], "accepted");
        let pairing = format!("/v1/pairings/{}", accepted["pairing_id"].as_str().unwrap());
        let pairing = self.app.get(&pairing).await.expect(200);
        pairing["games"][0]["match_id"].as_str().unwrap().to_owned()
    }

    /// A challenge that is accepted and ends with the loser's resignation. Returns its path.
    pub async fn plays(&self, challenger: &str, defender: &str, loser: &str) -> String {
        let challenge = self.challenges(challenger, defender).await;
        let game = self.accepts(defender, &challenge).await;
        self.who(loser).acts(&game, json!({ "type": "resign" })).await.expect(200);
        self.app.passes_s(1).await;
        challenge
    }

    pub async fn outcome(&self, challenge: &str) -> String {
        let challenge = self.app.get(challenge).await.expect(200);
        assert_eq!(challenge["status"], "finished", "{challenge}");
        challenge["result"].as_str().unwrap().to_owned()
    }

    /// A player's ladder events, without those of matches.
    pub async fn hears(&self, name: &str) -> Vec<Value> {
        let all = self.who(name).hears(0).await;
        all.into_iter().filter(|event| event["type"].as_str().unwrap().starts_with("ladder-")).collect()
    }
}

/// The reasons of a refused challenge, in order.
pub fn reasons(answer: &Answer) -> Vec<String> {
    let problem = answer.problem(422, "opponent-not-challengeable");
    let errors = problem["errors"].as_array().unwrap();
    errors.iter().for_each(|error| assert_eq!(error["pointer"], "/opponent"));
    errors.iter().map(|error| error["code"].as_str().unwrap().to_owned()).collect()
}

pub const SIX: [&str; 6] = ["anna", "ben", "carl", "dora", "emil", "fritz"];

/// Enough people for any match, with tokens that last.
pub async fn seven_people(app: &TestApp) -> Vec<Player> {
    let mut people = Vec::new();
    for name in ["anna", "ben", "carl", "dora", "emil", "fritz", "gina"] {
        people.push(app.lasting_player(name).await);
    }
    people
}

impl Player {
    /// The same player with a session, for operations closed to personal access tokens.
    pub async fn signed_in(&self) -> Self {
        let credentials = json!({ "username": self.name, "password": self.password });
        let session = self.app.post("/v1/sessions", credentials).await.expect(201);
        self.with_token(session["access_token"].as_str().unwrap())
    }

    /// Changes the e-mail address; an empty one removes it.
    pub async fn changes_email(&self, address: &str) -> Value {
        let own = if self.token.starts_with("bst_") { self.signed_in().await } else { self.clone() };
        let body = json!({ "email": address, "current_password": self.password });
        own.request("PUT", "/v1/account/email", Some(body)).await.expect(200)
    }
}
