//! Problem codes of each operation: those that follow by rule from its shape, and its own from a table
//! ([`super::own_problems`]).
//!
//! An operation of the document lists them by status in `x-problem-codes`, and its own also in the description of the
//! answer. The tests hold every answer that they get against these lists, and the lists against all answers together.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::access::Access;
use super::own_problems;
use crate::api::http::problem::status_of;
use crate::error::{Problem, problem};

/// The features of an operation that determine its possible problems.
pub struct Shape {
    pub access: Access,
    /// The answer has a body.
    pub has_answer: bool,
    pub has_body: bool,
    pub has_query: bool,
    /// The path contains an id.
    pub has_id: bool,
    /// The path contains a name.
    pub names_something: bool,
    /// Guests may not use it.
    pub closed_to_guests: bool,
    pub takes_key: bool,
    /// It concerns one match, whose log may be damaged.
    pub is_of_match: bool,
}

/// The possible problems of any operation of this shape.
fn by_shape(shape: &Shape) -> Vec<&'static Problem> {
    let mut all = vec![&problem::TOO_MANY_REQUESTS, &problem::INTERNAL, &problem::OVERLOADED, &problem::UNAVAILABLE];
    if shape.is_of_match {
        all.push(&problem::MATCH_DAMAGED);
    }
    if shape.has_answer {
        all.push(&problem::NOT_ACCEPTABLE);
    }
    if shape.has_id {
        all.push(&problem::MALFORMED_ID);
    }
    if shape.names_something {
        all.push(&problem::NOT_FOUND);
    }
    if shape.has_query || shape.has_body {
        all.push(&problem::INVALID_REQUEST);
    }
    if shape.has_body {
        all.extend([&problem::MALFORMED_JSON, &problem::BODY_TOO_SLOW, &problem::BODY_TOO_LARGE]);
        all.extend([&problem::NOT_JSON, &problem::UNKNOWN_CODING]);
    }
    if shape.takes_key {
        all.extend([&problem::MALFORMED_HEADER, &problem::IDEMPOTENCY_KEY_REUSED]);
    }
    if shape.closed_to_guests {
        all.push(&problem::GUEST_NOT_ALLOWED);
    }
    all.extend(of_tokens(shape.access));
    all
}

fn of_tokens(access: Access) -> Vec<&'static Problem> {
    let mut all = Vec::new();
    if access != Access::Open {
        all.extend([
            &problem::TOKEN_MALFORMED,
            &problem::TOKEN_EXPIRED,
            &problem::TOKEN_INVALID,
            &problem::TOKEN_UNKNOWN,
        ]);
    }
    if access.needs_token() {
        all.push(&problem::NOT_SIGNED_IN);
    }
    match access {
        Access::Open | Access::Anyone | Access::Visitor(_) => {}
        Access::Token(_) | Access::TokenOrTicket(_) => all.push(&problem::INSUFFICIENT_SCOPE),
        Access::Session => all.push(&problem::SESSION_REQUIRED),
        Access::Role(_) => {
            all.extend([&problem::INSUFFICIENT_SCOPE, &problem::ROLE_MISSING, &problem::ACCOUNT_SUSPENDED])
        }
    }
    all
}

/// The possible codes of an operation under one status.
#[derive(Default)]
pub struct Codes {
    /// In alphabetical order.
    all: Vec<&'static str>,
    /// At least one doesn't follow from the shape.
    has_own: bool,
}

/// The codes of an operation, by status.
pub fn of(operation: &str, shape: &Shape) -> BTreeMap<u16, Codes> {
    let mut by_status: BTreeMap<u16, Codes> = BTreeMap::new();
    let by_shape = by_shape(shape).into_iter().map(|problem| (*problem, false));
    let own = own_problems::of(operation).into_iter().map(|problem| (problem, true));
    for (problem, is_own) in by_shape.chain(own) {
        let codes = by_status.entry(status_of(problem.kind).as_u16()).or_default();
        codes.all.push(problem.code);
        codes.has_own |= is_own;
    }
    for codes in by_status.values_mut() {
        codes.all.sort_unstable();
        codes.all.dedup();
    }
    by_status
}

/// Writes the codes into an operation whose answers have been filled in.
pub fn write(operation: &mut Value, codes: &BTreeMap<u16, Codes>, meaning: impl Fn(u16) -> &'static str) {
    operation["x-problem-codes"] = codes
        .iter()
        .map(|(status, codes)| (status.to_string(), json!(codes.all)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    for (status, codes) in codes.iter().filter(|(_, codes)| codes.has_own) {
        let listed: Vec<String> = codes.all.iter().map(|code| format!("`{code}`")).collect();
        let response = &mut operation["responses"][status.to_string()];
        response["description"] = json!(format!("{}: {}.", meaning(*status), listed.join(", ")));
    }
}
