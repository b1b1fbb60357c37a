//! Follows the links between operations in the contract.

use serde_json::{Value, json};

use broadside::api::openapi;

use crate::support::{Player, TestApp, contract};

/// The operation with this id: method, path, and its entry in the contract.
fn operation(id: &str) -> (String, String, &'static Value) {
    let paths = openapi::document()["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |one| (path, one)));
    let mut found = all.filter(|(_, (_, operation))| operation["operationId"] == id);
    let (path, (method, operation)) = found.next().unwrap_or_else(|| panic!("no operation {id}"));
    (method.to_uppercase(), path.clone(), operation)
}

/// The links of an operation's success.
fn links(id: &str) -> &'static serde_json::Map<String, Value> {
    let responses = operation(id).2["responses"].as_object().unwrap();
    let (_, response) = responses.iter().find(|(status, _)| status.starts_with('2')).unwrap();
    response["links"].as_object().unwrap_or_else(|| panic!("{id} has no links"))
}

/// An answer with the requested path.
struct Visited {
    operation: &'static str,
    path: String,
    body: Value,
}

impl Visited {
    /// The target of a link of this answer: method and path.
    fn leads(&self, link: &str) -> (String, String) {
        let link = &links(self.operation)[link];
        let (method, mut path, _) = operation(link["operationId"].as_str().unwrap());
        for (name, expression) in link["parameters"].as_object().unwrap() {
            let value = self.value(expression.as_str().unwrap());
            match path.contains(&format!("{{{name}}}")) {
                true => path = path.replace(&format!("{{{name}}}"), &value),
                false => path = format!("{path}{}{name}={value}", if path.contains('?') { '&' } else { '?' }),
            }
        }
        (method, path)
    }

    /// The value of a runtime expression.
    fn value(&self, expression: &str) -> String {
        if let Some(pointer) = expression.strip_prefix("$response.body#") {
            return self.body.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        }
        let Some(name) = expression.strip_prefix("$request.path.") else { return expression.to_owned() };
        let name = format!("{{{name}}}");
        let (_, template, _) = operation(self.operation);
        let path = self.path.split('?').next().unwrap();
        template.split('/').zip(path.split('/')).find(|(segment, _)| *segment == name).unwrap().1.to_owned()
    }

    async fn follow(&self, who: &Player, link: &str, body: Option<Value>) -> Self {
        let (method, path) = self.leads(link);
        let answer = who.request(&method, &path, body).await;
        assert!((200..300).contains(&answer.status), "{method} {path}: {}", answer.text());
        let operation = links(self.operation)[link]["operationId"].as_str().unwrap();
        Self { operation, path, body: if answer.body.is_empty() { Value::Null } else { answer.json() } }
    }
}

#[actix_web::test]
async fn from_a_challenge_the_links_lead_to_a_match_and_its_actions() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" });
    let body = anna.post("/v1/challenges", offer).await.expect(201);
    let challenge = Visited { operation: "create_challenge", path: "/v1/challenges".to_owned(), body };
    assert_eq!(challenge.follow(&ben, "look", None).await.body["id"], challenge.body["id"]);
    let accepted = challenge.follow(&ben, "accept", Some(json!({}))).await;
    let seen = accepted.follow(&ben, "match", None).await;
    let action = json!({ "action": seen.body["decisions"][0]["example"] });
    let acted = seen.follow(&ben, "act", Some(action)).await;
    assert_eq!(acted.follow(&ben, "look", None).await.body["version"], acted.body["version"]);
    assert!(!seen.follow(&ben, "reports", None).await.body["items"].as_array().unwrap().is_empty());
    assert_eq!(seen.follow(&ben, "chat", None).await.body["items"], json!([]));
    anna.post("/v1/challenges", json!({ "variant": "classic", "clock": { "kind": "none" } })).await.expect(201);
    anna.post("/v1/challenges", json!({ "variant": "salvos", "clock": { "kind": "none" } })).await.expect(201);
    let path = "/v1/challenges?limit=1".to_owned();
    let body = ben.get(&path).await.expect(200);
    let first = Visited { operation: "list_challenges", path, body };
    let second = first.follow(&ben, "next", None).await;
    assert_ne!(second.body["items"][0]["id"], first.body["items"][0]["id"]);
}

#[actix_web::test]
async fn each_link_names_an_operation_and_all_of_its_path() {
    let mut count = 0;
    for item in openapi::document()["paths"].as_object().unwrap().values() {
        for from in item.as_object().unwrap().values() {
            let linked =
                from["responses"].as_object().unwrap().values().filter_map(|answer| answer["links"].as_object());
            for (name, link) in linked.flatten() {
                count += 1;
                let at = format!("{} {name}", from["operationId"]);
                let (_, path, to) = operation(link["operationId"].as_str().unwrap());
                let given = link["parameters"].as_object().unwrap();
                let takes = to["parameters"].as_array().into_iter().flatten();
                let takes = takes.map(|one| contract::resolved(openapi::document(), one));
                let known: Vec<&str> = takes.filter_map(|one| one["name"].as_str()).collect();
                assert!(given.keys().all(|name| known.contains(&name.as_str())), "{at} gives {given:?}");
                let needed = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.split('}').next());
                let missing: Vec<&str> = needed.filter(|name| !given.contains_key(*name)).collect();
                assert!(missing.is_empty(), "{at} leaves out {missing:?}");
            }
        }
    }
    assert!(count > 40, "{count} links only");
}
