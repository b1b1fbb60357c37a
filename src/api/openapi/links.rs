//! Links between operations: values from an answer serve as parameters of the next request.

use serde_json::{Map, Value, json};

/// The answering operation, the link's name, the next operation, its parameters with the sources of their values
/// (runtime expressions of OpenAPI), and the link's description.
type Link = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const BODY_ID: &str = "$response.body#/id";
const SAME_ID: &str = "$request.path.id";

const LINKS: [Link; 24] = [
    ("create_challenge", "look", "get_challenge", &[("id", BODY_ID)], "How it stands."),
    ("create_challenge", "accept", "accept_challenge", &[("id", BODY_ID)], "Another player takes a seat."),
    ("create_challenge", "withdraw", "withdraw_challenge", &[("id", BODY_ID)], "The creator takes it back."),
    ("accept_challenge", "match", "get_match", &[("id", "$response.body#/match_id")], "The match, if it has begun."),
    ("request_rematch", "look", "get_challenge", &[("id", BODY_ID)], "How it stands."),
    ("get_match", "act", "submit_action", &[("id", SAME_ID)], "One of the decisions that the view lists."),
    ("get_match", "reports", "list_match_reports", &[("id", SAME_ID)], "How it came to this."),
    ("get_match", "chat", "list_messages", &[("id", SAME_ID), ("room", "players")], "What was said at the table."),
    ("submit_action", "look", "get_match", &[("id", SAME_ID)], "The match after the action."),
    ("create_rule_set", "look", "get_rule_set", &[("hash", "$response.body#/hash")], "The rule set and its card."),
    ("create_ladder", "join", "join_ladder", &[("id", BODY_ID)], "Somebody becomes a member."),
    ("join_ladder", "pairings", "list_ladder_pairings", &[("id", SAME_ID)], "Who meets whom."),
    ("join_ladder", "standings", "get_ladder_standings", &[("id", SAME_ID)], "Who is where."),
    (
        "create_ladder_challenge",
        "accept",
        "accept_ladder_challenge",
        &[("id", SAME_ID), ("challenge_id", BODY_ID)],
        "The other one accepts.",
    ),
    ("create_tournament", "join", "join_tournament", &[("id", BODY_ID)], "Somebody takes part."),
    ("create_tournament", "start", "start_tournament", &[("id", BODY_ID)], "It begins."),
    ("start_tournament", "rounds", "list_tournament_rounds", &[("id", SAME_ID)], "Its rounds."),
    ("start_tournament", "standings", "get_tournament_standings", &[("id", SAME_ID)], "Who is where."),
    (
        "start_tournament",
        "bracket",
        "get_tournament_bracket",
        &[("id", SAME_ID)],
        "Of a knockout, and of finals after groups: who may meet whom.",
    ),
    ("create_webhook", "test", "test_webhook", &[("id", "$response.body#/webhook/id")], "A message to try it."),
    (
        "test_webhook",
        "delivery",
        "get_webhook_delivery",
        &[("id", SAME_ID), ("delivery_id", BODY_ID)],
        "What came of the message.",
    ),
    ("create_vacation", "cancel", "cancel_vacation", &[("id", BODY_ID)], "It is not taken, or ends now."),
    ("create_account", "sign_in", "create_session", &[], "Later, with the same username and password."),
    (
        "list_pools",
        "leaderboard",
        "get_leaderboard",
        &[("pool", "$response.body#/items/0/pool")],
        "Who is best in the first pool.",
    ),
];

/// Adds the links to the answers of their operations, and to each page a link to the next.
pub fn add(document: &mut Value) {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in items.flat_map(|item| item.as_object_mut().into_iter().flat_map(Map::values_mut)) {
        let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let mut links: Map<String, Value> = LINKS
            .iter()
            .filter(|(from, ..)| *from == name)
            .map(|(_, name, to, parameters, description)| ((*name).to_owned(), link(to, parameters, description)))
            .collect();
        let parameters = operation["parameters"].as_array();
        if parameters.is_some_and(|parameters| parameters.iter().any(|parameter| parameter["name"] == "cursor")) {
            links.insert("next".to_owned(), next_page(&name, parameters));
        }
        let answers = operation["responses"].as_object_mut().into_iter().flatten();
        if let Some((_, answer)) = answers.into_iter().find(|(status, _)| status.starts_with('2'))
            && !links.is_empty()
        {
            answer["links"] = Value::Object(links);
        }
    }
}

fn link(to: &str, parameters: &[(&str, &str)], description: &str) -> Value {
    let parameters: Map<String, Value> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({ "operationId": to, "parameters": parameters, "description": description })
}

/// The link to the next page of a list: the same request with the next cursor.
fn next_page(operation: &str, parameters: Option<&Vec<Value>>) -> Value {
    let in_path = parameters.into_iter().flatten().filter(|parameter| parameter["in"] == "path");
    let names = in_path.filter_map(|parameter| parameter["name"].as_str());
    let mut link =
        link(operation, &[("cursor", "$response.body#/next_cursor")], "The next page, unless the cursor is null.");
    for name in names {
        link["parameters"][name] = json!(format!("$request.path.{name}"));
    }
    link
}
