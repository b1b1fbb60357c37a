//! The contract: the OpenAPI document, generated from the handlers and finished here.
//!
//! [`finish`] adds by rule the parts common to all operations: errors that follow from having a token, an id, a body;
//! common headers; the Idempotency-Key. [`shapes`] brings the schemas into a form that every generator understands. The
//! document is 3.1; [`v3_0`] makes a 3.0.3 copy for older generators. The committed document has no examples and is
//! laid out for `git diff`; the served ones have examples.

mod access;
mod contest_problems;
mod examples;
mod finish;
mod layout;
mod links;
mod own_problems;
mod parameters;
mod problems;
mod pushed;
mod shapes;
mod stale;
mod tokens;
mod v3_0;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use actix_web::App;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;
use utoipa_actix_web::AppExt;

use crate::api::http::problem::Problem;
use crate::contact::Contact;
use crate::ids::ContestId;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Broadside",
        version = "1.0.0",
        description = include_str!("intro.md"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "The server that gave you this document.")),
    components(schemas(Problem, ContestId)),
    tags(
        (name = "accounts", description = "Your account, and how you sign in: registration, sessions that are refreshed, tokens for programs, the password, and the export of all that is stored of you. What isn't open to everybody needs a token from here."),
        (name = "variants", description = "What can be played. A variant is a game with its rules as data; its card has everything that a client needs to offer and to draw it. Players change the rules, publish rule sets of their own, and play by them."),
        (name = "challenges", description = "With whom. A challenge offers a match on terms: variant, clock, seats. It is open to everybody, for one player, or for whoever has the link, and becomes a match when its last seat is taken. A rematch is a challenge, too."),
        (name = "matches", description = "Looking and playing. A match is read as its viewer may see it, with the decisions that are theirs now, and actions are submitted to it. Beside that: the board alone, the clock, what was reported, notes of your own, orders for later turns, and the signed record."),
        (name = "substitutions", description = "Leaving, and going on. Who must leave offers their seat in a running match; a substitute takes it over with its fleet, its reports and its clock, if the others agree, or those who run the contest."),
        (name = "events", description = "Hearing of it. Each account has one log of all that concerns it, numbered without gaps: matches that begin and end, turns, reports, challenges, chat. It is read in pages that may wait for news, or as a stream."),
        (name = "webhooks", description = "Being called. The service sends the events of your log to an address of yours, signed, in order, and again until they are received (Standard Webhooks). The messages themselves are described under `webhooks` of this document."),
        (name = "push", description = "Being told by the browser, also when no page is open (Web Push): the key of the server, and the browsers that are subscribed."),
        (name = "mail", description = "Being told by mail: which events, how often, in which language, and the confirmation of an address."),
        (name = "chat", description = "Talking at the table. A match has a room for its players and one for its spectators; messages can be reported."),
        (name = "players", description = "Profiles and matches of players, and your lists of followed, muted and blocked players."),
        (name = "calendar", description = "When you play, and when not: nights, days off and vacations during which your clocks rest, and a feed of your deadlines for calendar programs."),
        (name = "ratings", description = "How good the others are, in pools by variant and speed; how each rating was worked out, step by step; and leaderboards."),
        (name = "ladders", description = "Meeting people again and again. Members are paired by rating, season after season, or challenge each other for positions."),
        (name = "tournaments", description = "Round robins, Swiss tournaments, knockouts, tables of three to seven, and groups with finals, from the first entry to the final standings."),
        (name = "contests", description = "What is the same for ladders and tournaments, by the id of either: requests to join, invitations, members."),
        (name = "pairings", description = "Whom a ladder or a tournament has brought together, and in which matches."),
        (name = "cases", description = "What is decided about a player who may have broken the rules, by organizers of a ladder or a tournament or by moderators: evidence, a decision with a reason, one appeal. Players read here what was decided about them."),
        (name = "moderation", description = "What people with a role do: reports of abuse, suspensions, matches that are annulled or decided, and the log of all that. Players don't need it."),
    )
)]
struct Contract;

/// Declares the schema of an arbitrary JSON object, whose contents are described elsewhere.
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

/// The committed document.
pub fn committed() -> String {
    layout::text(document())
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Version {
    /// 3.1.
    Current,
    /// 3.0.3.
    V3_0,
}

/// The served document with the operator's contact, on one line.
pub fn served(version: Version, with_examples: bool, contact: Option<&Contact>) -> String {
    let mut document = match version {
        Version::Current => document().clone(),
        Version::V3_0 => v3_0::copy_of(document()),
    };
    match contact {
        Some(Contact::Page(url)) => document["info"]["contact"] = json!({ "url": url }),
        Some(Contact::Mail(address)) => document["info"]["contact"] = json!({ "email": address }),
        None => {}
    }
    if with_examples {
        examples::add(&mut document);
    }
    document.to_string()
}

/// A path of the contract: its segments, and its methods, each with the media types of its answers.
struct KnownPath {
    segments: Vec<String>,
    methods: Vec<(String, Vec<String>)>,
}

impl KnownPath {
    fn read(path: &str, item: &Value) -> Self {
        let operations = item.as_object().into_iter().flatten();
        let methods = operations.map(|(method, operation)| (method.to_uppercase(), media_types(operation)));
        Self { segments: path.split('/').map(str::to_owned).collect(), methods: methods.collect() }
    }

    /// The contract's entry for a path.
    fn find(path: &str) -> Option<&'static Self> {
        static PATHS: LazyLock<Vec<KnownPath>> = LazyLock::new(|| {
            let paths = document()["paths"].as_object();
            paths.into_iter().flatten().map(|(path, item)| KnownPath::read(path, item)).collect()
        });
        let given: Vec<&str> = path.split('/').collect();
        let fits = |wanted: &[String]| {
            wanted.len() == given.len()
                && wanted.iter().zip(&given).all(|(wanted, given)| wanted == given || stands_for(wanted, given))
        };
        PATHS.iter().find(|known| fits(&known.segments))
    }
}

/// The media types of an operation's successes.
fn media_types(operation: &Value) -> Vec<String> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let successes = responses.filter(|(status, _)| status.starts_with('2'));
    let types = successes.flat_map(|(_, response)| response["content"].as_object().into_iter().flat_map(Map::keys));
    types.cloned().collect()
}

/// The contract's methods for a path.
pub fn methods_of(path: &str) -> Vec<String> {
    let methods = KnownPath::find(path).into_iter().flat_map(|known| &known.methods);
    methods.map(|(method, _)| method.clone()).collect()
}

/// The media types of an operation's answers; empty if it has no response body, or isn't in the contract.
pub fn offered(method: &str, path: &str) -> &'static [String] {
    let methods = KnownPath::find(path).into_iter().flat_map(|known| &known.methods);
    methods.filter(|(known, _)| known == method).map(|(_, types)| types.as_slice()).next().unwrap_or_default()
}

/// True if a segment with a parameter, such as `{id}` or `{address}.ics`, matches the given one.
fn stands_for(wanted: &str, given: &str) -> bool {
    let rest = wanted.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    rest.is_some_and(|(_, end)| given.len() > end.len() && given.ends_with(end))
}

/// The ids of the operations that can fail with this code, in alphabetical order.
pub fn operations_with(code: &str) -> Vec<String> {
    static BY_CODE: LazyLock<HashMap<String, BTreeSet<String>>> = LazyLock::new(|| {
        let document = document();
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

/// The schemas of the document, by name, for cards that describe rule sets and actions.
pub fn schemas() -> &'static Map<String, Value> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    document()["components"]["schemas"].as_object().unwrap_or(&NONE)
}

/// The document of OpenAPI 3.1 without examples, made once.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(current);
    &DOCUMENT
}

fn current() -> Value {
    let (_, api) = App::new().into_utoipa_app().openapi(Contract::openapi()).configure(super::routes).split_for_parts();
    let mut document = shapes::mended(serde_json::to_value(&api).unwrap_or_default());
    document["components"]["securitySchemes"] = tokens::schemes();
    finish::finish(&mut document);
    links::add(&mut document);
    pushed::add(&mut document);
    parameters::share(&mut document);
    document
}
