//! The contract's examples: Anna, Ben and the others play through all operations on a fixed clock with a fixed seed.
//! Their requests and answers are kept in `openapi/examples.json.gz`, which the document includes.
//!
//! `BROADSIDE_WRITE_EXAMPLES=1 cargo test --test api examples::` rewrites the file. Otherwise the test fails if a
//! request or an answer has another shape than the file.

mod accounts;
mod contests;
pub mod events;
mod file;
mod lobby;
mod matches;
mod moderation;
mod rounds;
mod shapes;
mod webhooks;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::support::receiver::Receiver;
use crate::support::smtp::Postbox;
use crate::support::{Answer, Player, Setup, TestApp, contract, plain};

/// The examples of one operation: named ones of requests, and of answers by media type.
#[derive(Default)]
pub struct Examples {
    requests: Map<String, Value>,
    responses: BTreeMap<String, Map<String, Value>>,
}

/// The players and the recorded exchanges.
pub struct Tour {
    app: TestApp,
    postbox: Postbox,
    receiver: Receiver,
    seen: BTreeMap<String, Examples>,
}

impl Tour {
    async fn begin() -> Self {
        let postbox = Postbox::open().await;
        let setup = Setup { mail: Some(postbox.setup()), seed: Some(1805), ..Setup::default() };
        let app = TestApp::with(setup).await;
        Self { app, postbox, receiver: Receiver::open().await, seen: BTreeMap::new() }
    }

    /// Sends a request that succeeds, and records it with its answer. `says` is the example's name and summary:
    /// `direct: Anna challenges Ben.`
    async fn shows(
        &mut self,
        who: Option<&Player>,
        method: &str,
        path: &str,
        body: Option<Value>,
        says: &str,
    ) -> Value {
        let answer = match who {
            Some(player) => player.request(method, path, body.clone()).await,
            None => self.app.request(method, path, body.clone()).await,
        };
        self.keep((method, path), body, &answer, says)
    }

    async fn get<'a>(&mut self, who: impl Into<Option<&'a Player>>, path: &str, says: &str) -> Value {
        self.shows(who.into(), "GET", path, None, says).await
    }

    async fn post<'a>(&mut self, who: impl Into<Option<&'a Player>>, path: &str, body: Value, says: &str) -> Value {
        self.shows(who.into(), "POST", path, Some(body), says).await
    }

    async fn put(&mut self, who: &Player, path: &str, body: Value, says: &str) -> Value {
        self.shows(Some(who), "PUT", path, Some(body), says).await
    }

    async fn patch(&mut self, who: &Player, path: &str, body: Value, says: &str) -> Value {
        self.shows(Some(who), "PATCH", path, Some(body), says).await
    }

    async fn delete(&mut self, who: &Player, path: &str, body: Option<Value>, says: &str) -> Value {
        self.shows(Some(who), "DELETE", path, body, says).await
    }

    /// A GET with a header, for answers in another form.
    async fn get_with(&mut self, who: &Player, path: &str, header: (&'static str, &str), says: &str) {
        let answer = self.app.send(who.signed(plain("GET", path, None)).insert_header(header)).await;
        self.keep(("GET", path), None, &answer, says);
    }

    fn keep(&mut self, (method, path): (&str, &str), body: Option<Value>, answer: &Answer, says: &str) -> Value {
        assert!((200..300).contains(&answer.status), "{method} {path}: {}", answer.text());
        let operation = contract::operation_id(method, path).unwrap();
        let examples = self.seen.entry(operation.to_owned()).or_default();
        let (name, summary) = says.split_once(": ").unwrap();
        let example = |value: Value| json!({ "summary": summary, "value": value });
        if let Some(body) = body {
            examples.requests.insert(name.to_owned(), example(body));
        }
        if answer.body.is_empty() {
            return Value::Null;
        }
        let media_type = answer.header("content-type").unwrap().split(';').next().unwrap();
        let is_json = media_type == "application/json";
        let value = if is_json { answer.json() } else { Value::String(answer.text()) };
        let answers = examples.responses.entry(media_type.to_owned()).or_default();
        answers.insert(name.to_owned(), example(value.clone()));
        value
    }
}

const NOBODY: Option<&Player> = None;

/// The text at this key.
fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}")).to_owned()
}

#[actix_web::test]
async fn the_examples_are_what_is_sent_and_answered() {
    let mut tour = Tour::begin().await;
    let anna = accounts::anna_registers(&mut tour).await;
    let mut people = vec![anna];
    for name in ["ben", "carl", "dora", "emil", "fritz"] {
        people.push(tour.app.lasting_player(name).await);
    }
    lobby::rule_sets(&mut tour, &people).await;
    let id = lobby::challenges(&mut tour, &people).await;
    webhooks::begin(&mut tour, &people[0]).await;
    matches::the_first(&mut tour, &people, &id).await;
    matches::of_each_variant(&mut tour, &people).await;
    matches::results(&mut tour, &people, &id).await;
    webhooks::deliveries(&mut tour, &people[0]).await;
    contests::ladder(&mut tour, &people).await;
    contests::position_ladder(&mut tour, &people).await;
    contests::tournament(&mut tour, &people).await;
    contests::judged(&mut tour, &people).await;
    rounds::between_rounds(&mut tour, &people).await;
    contests::substitutes(&mut tour, &people).await;
    moderation::reports(&mut tour, &people).await;
    moderation::sanctions(&mut tour, &people).await;
    accounts::anna_leaves(&mut tour, &people).await;
    accounts::a_passkey(&mut tour).await;
    accounts::a_browser(&mut tour).await;
    contests::members(&mut tour, &people).await;
    file::compare(&tour.seen, &tour.receiver.url());
}
