//! The contract: the OpenAPI document, made from the handlers and finished here.
//!
//! What every operation has in common is written once, by rule, in [`finish`]: the errors that follow from having a
//! token, an id, a body; the headers around every answer; the Idempotency-Key. [`shapes`] gives the schemas the form
//! that every generator understands. The document is 3.1; [`v3_0`] makes the 3.0.3 copy for generators that read
//! nothing newer.

mod access;
mod finish;
mod own_problems;
mod problems;
mod shapes;
mod v3_0;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use actix_web::App;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_actix_web::AppExt;

use crate::api::http::problem::Problem;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Broadside",
        description = "Correspondence play of every naval-battle game.\n\n\
            A client needs to know no rules: `GET /v1/matches/{id}` lists as `decisions` what the viewer may do now, each with its choices as data and \
            a complete legal action as `example`, ready for `POST /v1/matches/{id}/actions`.\n\n\
            Errors are RFC 9457 problem documents; `code` is stable, and `errors` names every fault. \
            A repeated POST with the same `Idempotency-Key` has one effect and gets one answer. \
            What a player may not know is in no answer, status, header, count or order.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
        contact(name = "The operators of the server that gave you this document", url = "https://broadside.invalid/")
    ),
    servers((url = "/", description = "The server that gave you this document (production or local).")),
    components(schemas(Problem)),
    tags(
        (name = "accounts", description = "Accounts, sessions and tokens: who you are."),
        (name = "players", description = "Players: who the others are."),
        (name = "variants", description = "Variants and rule sets: what can be played."),
        (name = "challenges", description = "Challenges: with whom."),
        (name = "matches", description = "Matches: looking and playing."),
        (name = "talk", description = "Table talk: chat, mutes and blocks, notes of one's own."),
        (name = "ratings", description = "Ratings: how good the others are, and how that was worked out."),
        (name = "pairings", description = "Pairings: whom a ladder or a tournament has brought together."),
        (name = "ladders", description = "Ladders: meeting people again and again."),
        (name = "tournaments", description = "Tournaments: round robin and Swiss."),
        (name = "events", description = "Events: hearing of it."),
        (name = "webhooks", description = "Webhooks: being told of it."),
        (name = "moderation", description = "Moderation: what people with a role do."),
        (name = "calendar", description = "Calendars: when you play, and when not."),
    )
)]
struct Contract;

/// Declares a schema of any JSON object: what stands in it is described elsewhere.
macro_rules! free_form {
    ($(#[doc = $doc:literal])+ pub struct $name:ident;) => {
        $(#[doc = $doc])+
        pub struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .description(Some(concat!($($doc),+).trim()))
                    .additional_properties(Some(utoipa::openapi::schema::AdditionalProperties::FreeForm(true)))
                    .max_properties(Some(200))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}
pub(in crate::api) use free_form;

/// The document as text, in both versions.
pub struct Documents {
    /// OpenAPI 3.1.
    pub current: String,
    /// OpenAPI 3.0.3.
    pub v3_0: String,
}

/// The documents, made once.
pub fn documents() -> &'static Documents {
    static DOCUMENTS: LazyLock<Documents> = LazyLock::new(|| {
        let current = current();
        let v3_0 = v3_0::copy_of(&current);
        Documents { current: pretty(&current), v3_0: pretty(&v3_0) }
    });
    &DOCUMENTS
}

fn pretty(document: &Value) -> String {
    format!("{document:#}\n")
}

/// The methods that the contract has for a path.
pub fn methods_of(path: &str) -> Vec<String> {
    static PATHS: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(|| {
        let document = current();
        let paths = document["paths"].as_object().cloned().unwrap_or_default();
        let segments = |path: &str| path.split('/').map(str::to_owned).collect();
        let methods = |item: &Value| item.as_object().map(|item| item.keys().map(|key| key.to_uppercase()).collect());
        paths.iter().map(|(path, item)| (segments(path), methods(item).unwrap_or_default())).collect()
    });
    let given: Vec<&str> = path.split('/').collect();
    let fits = |pattern: &[String]| {
        pattern.len() == given.len()
            && pattern.iter().zip(&given).all(|(wanted, given)| wanted == given || stands_for(wanted, given))
    };
    PATHS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, methods)| methods.clone()).unwrap_or_default()
}

/// Whether a segment with a parameter, such as `{id}` or `{address}.ics`, stands for this one.
fn stands_for(wanted: &str, given: &str) -> bool {
    let rest = wanted.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    rest.is_some_and(|(_, end)| given.len() > end.len() && given.ends_with(end))
}

/// The ids of the operations that can answer with the problem of this code, in alphabetical order.
pub fn operations_with(code: &str) -> Vec<String> {
    static BY_CODE: LazyLock<HashMap<String, BTreeSet<String>>> = LazyLock::new(|| {
        let document = current();
        let items = document["paths"].as_object().into_iter().flat_map(Map::values);
        let mut by_code: HashMap<String, BTreeSet<String>> = HashMap::new();
        for operation in items.flat_map(|item| item.as_object().into_iter().flat_map(Map::values)) {
            let Some(id) = operation["operationId"].as_str() else { continue };
            let statuses = operation["x-problem-codes"].as_object().into_iter().flat_map(Map::values);
            for code in statuses.flat_map(|codes| codes.as_array().into_iter().flatten()).filter_map(Value::as_str) {
                by_code.entry(code.to_owned()).or_default().insert(id.to_owned());
            }
        }
        by_code
    });
    BY_CODE.get(code).into_iter().flatten().cloned().collect()
}

/// The schemas of the document, by name; for cards that describe rule sets and actions.
pub fn schemas() -> &'static Map<String, Value> {
    static SCHEMAS: LazyLock<Map<String, Value>> =
        LazyLock::new(|| current()["components"]["schemas"].as_object().cloned().unwrap_or_default());
    &SCHEMAS
}

/// The tokens, by the name that an operation's `security` gives them.
const TOKENS: [(&str, &str); 2] = [
    (
        access::BEARER,
        "An access token of a session (a JWT signed with EdDSA, good for 15 minutes, made by the best practice of \
         RFC8725), or a personal access token. Where an operation names a scope, a personal access token needs it; a \
         session's has them all.",
    ),
    (
        access::SESSION,
        "An access token of a session (a JWT signed with EdDSA, good for 15 minutes, made by the best practice of \
         RFC8725). No personal access token will do, whatever its scopes.",
    ),
];

fn current() -> Value {
    let (_, mut api) =
        App::new().into_utoipa_app().openapi(Contract::openapi()).configure(super::routes).split_for_parts();
    let schemes = &mut api.components.get_or_insert_default().security_schemes;
    for (name, description) in TOKENS {
        let bearer =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").description(Some(description));
        schemes.insert(name.to_owned(), SecurityScheme::Http(bearer.build()).into());
    }
    let mut document = shapes::mended(serde_json::to_value(&api).unwrap_or_default());
    document["servers"][0]["x-internal"] = json!(false);
    finish::finish(&mut document);
    document
}
