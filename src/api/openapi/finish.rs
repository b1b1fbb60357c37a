//! Parts common to all operations, added by rule: shared problems, the headers around every answer, the
//! Idempotency-Key.

use broadside_rules::card::Language;
use serde_json::{Map, Value, json};

use super::access::Access;
use super::problems::Shape;
use super::{access, problems, shapes, stale};
use crate::api::http::guests;

/// Finishes the document: shared components, and every operation.
pub fn finish(document: &mut Value) {
    document["components"]["headers"] = headers();
    document["components"]["responses"] = problems();
    document["components"]["parameters"] = json!({ "IdempotencyKey": idempotency_key() });
    shapes::close_requests(document);
    shapes::require_nullable(document);
    let may_be_empty = requests_without_required_fields(document);
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            finish_operation(path, method, operation);
            if has_no_need_of_a_body(operation, &may_be_empty) {
                operation["requestBody"]["required"] = json!(false);
            }
        }
    }
}

fn headers() -> Value {
    let printable = |max: u32| json!({"type": "string", "pattern": "^[\\x20-\\x7e]*$", "maxLength": max});
    json!({
        "Access-Control-Allow-Origin": {"description": "The API is open to pages of every origin.", "schema": {"type": "string", "enum": ["*"]}},
        "RateLimit": {"description": "What is left of the budget: `r` milliseconds of processor time, or requests, full again in `t` seconds (IETF draft).", "schema": printable(200), "example": "\"general\";r=1199;t=1"},
        "RateLimit-Policy": {"description": "The budget: `q` requests in `w` seconds, or milliseconds of processor time where `qu` says so (IETF draft).", "schema": printable(200), "example": "\"general\";q=1200;qu=\"processor-ms\";w=60"},
        "X-Request-Id": {"description": "Names the request in the operator's log; the caller's own is taken over.", "schema": printable(64)},
        "Retry-After": {"description": "In so many seconds it makes sense to try again.", "schema": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 86400}},
        "WWW-Authenticate": {"description": "How to sign in, or the scope that the token lacks (RFC 6750).", "schema": printable(100)},
        "Accept-Encoding": {"description": "How a body may be compressed, where it was compressed in another way (RFC 9110, section 12.5.3).", "schema": {"type": "string", "enum": ["gzip"]}},
        "ETag": {"description": "Names this state of the resource; send it as `If-None-Match`.", "schema": printable(100)},
        "Preference-Applied": {"description": "The preference that was followed, where one was (RFC 7240).", "schema": {"type": "string", "enum": ["return=minimal"]}},
        "Link": {"description": "`rel=\"next\"`: the next page (RFC 8288).", "schema": printable(4000)},
        "Content-Disposition": {"description": "The name under which to save it (RFC 6266).", "schema": printable(200), "example": "attachment; filename=\"winter-league-standings.csv\""},
        "Location": {"description": "Where the new thing is.", "schema": {"type": "string", "format": "uri-reference", "maxLength": 500}}
    })
}

fn header(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

fn common_headers() -> Map<String, Value> {
    ["Access-Control-Allow-Origin", "RateLimit", "RateLimit-Policy", "X-Request-Id"]
        .into_iter()
        .map(|name| (name.to_owned(), header(name)))
        .collect()
}

/// Problems shared by many operations: component name, status, a typical code, meaning, and additional headers.
const SHARED: [(&str, u16, &str, &str, &[&str]); 15] = [
    ("BadRequest", 400, "malformed-json", "The request can't be read", &[]),
    ("Unauthorized", 401, "token-missing", "There is no token, or it is not good", &["WWW-Authenticate"]),
    ("Forbidden", 403, "insufficient-scope", "The token may not do this", &["WWW-Authenticate"]),
    ("NotFound", 404, "not-found", "There is no such thing, or you may not know of it", &[]),
    ("NotAcceptable", 406, "not-acceptable", "The answer has none of the forms that the request accepts", &[]),
    ("RequestTimeout", 408, "request-timeout", "The body didn't come within ten seconds", &[]),
    ("Conflict", 409, "concurrent-action", "Somebody was faster, or it is in another state by now", &[]),
    ("Gone", 410, "cursor-too-old", "What follows this cursor is no longer kept", &[]),
    ("ContentTooLarge", 413, "content-too-large", "The body is over 64 KiB", &[]),
    (
        "UnsupportedMediaType",
        415,
        "unsupported-media-type",
        "The body must be application/json, as it is or in gzip",
        &["Accept-Encoding"],
    ),
    (
        "UnprocessableContent",
        422,
        "validation-failed",
        "The request is understood and refused; every fault is named",
        &[],
    ),
    ("TooManyRequests", 429, "too-many-requests", "The budget is used up for now", &["Retry-After"]),
    ("InternalServerError", 500, "internal-error", "A fault of ours; nothing was half done", &[]),
    ("ServiceUnavailable", 503, "unavailable", "Not just now; nothing is lost", &["Retry-After"]),
    ("NotModified", 304, "", "What you have is still good", &["ETag"]),
];

fn problems() -> Value {
    let mut responses = Map::new();
    for (name, status, code, meaning, extra) in SHARED {
        let mut headers = common_headers();
        headers.extend(extra.iter().map(|name| ((*name).to_owned(), header(name))));
        let mut response = json!({ "description": meaning, "headers": headers });
        if status >= 400 {
            let title = crate::error::find_problem(code).map_or(meaning, |problem| problem.title_in(Language::English));
            response["content"] = json!({ "application/problem+json": {
                "schema": { "$ref": "#/components/schemas/Problem" },
                "example": {
                    "type": format!("/problems/{code}"), "title": title, "status": status, "detail": meaning,
                    "code": code, "request_id": "5577006791947779410", "errors": []
                }
            }});
        }
        responses.insert(name.to_owned(), response);
    }
    Value::Object(responses)
}

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": "1 to 255 printable characters, best a UUID. A repetition of the request with the same key within 24 hours has no second effect and gets the \
            first answer; another request with the same key is refused (422, `idempotency-key-reused`).",
        "schema": {"type": "string", "pattern": "^[\\x20-\\x7e]+$", "minLength": 1, "maxLength": 255}
    })
}

/// References to the schemas of objects whose fields are known, and none of them required.
fn requests_without_required_fields(document: &Value) -> Vec<String> {
    let schemas = document["components"]["schemas"].as_object().into_iter().flatten();
    let lenient = schemas.filter(|(_, schema)| {
        schema["type"] == "object"
            && schema["additionalProperties"] != true
            && schema["required"].as_array().is_none_or(|required| required.is_empty())
    });
    lenient.map(|(name, _)| format!("#/components/schemas/{name}")).collect()
}

/// Operations that need one of several fields, or one that guests leave out, so that no single field is required.
const NEED_SOMETHING: [&str; 2] = ["check_rule_set", "create_passkey_challenge"];

/// True if an absent body means the same as `{}`, so that the body is optional.
fn has_no_need_of_a_body(operation: &Value, may_be_empty: &[String]) -> bool {
    let schema = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
    let needs_something = NEED_SOMETHING.iter().any(|id| operation["operationId"] == *id);
    !needs_something && schema.is_some_and(|schema| may_be_empty.iter().any(|name| name == schema))
}

/// For POSTs that change nothing.
const PURE: &str = "It changes nothing, so it takes no `Idempotency-Key`: repeat it as often as you like.";
/// For challenges, which may be requested twice.
const ASKS: &str = "It takes no `Idempotency-Key`: if no answer comes, ask again, and you get another challenge.";
/// For POSTs that use a secret up, so that a repetition has no effect.
const WORKS_ONCE: &str = "It takes no `Idempotency-Key`: the secret in the body works once, so a repetition has no \
    second effect. If no answer comes, begin anew.";

/// The POSTs without an Idempotency-Key, with the reason.
const WITHOUT_A_KEY: [(&str, &str); 9] = [
    ("/v1/account/passkeys", WORKS_ONCE),
    ("/v1/account/passkeys/challenges", ASKS),
    ("/v1/password-resets/complete", WORKS_ONCE),
    ("/v1/records/verify", PURE),
    ("/v1/rule-sets/check", PURE),
    ("/v1/sessions/passkey", WORKS_ONCE),
    ("/v1/sessions/passkey/challenges", ASKS),
    (
        "/v1/sessions/refresh",
        "It takes no `Idempotency-Key`: within the time named above, a repetition gets the same pair.",
    ),
    ("/v1/sessions/second-factor", WORKS_ONCE),
];

/// Operations whose answer names the resulting state of a resource by an `ETag`.
const TAGGED: [&str; 2] = ["submit_action", "replace_match_notes"];

/// Lists without a link to a next page, because new items arrive: they continue with `after`.
const GO_ON_WITH_AFTER: [&str; 2] = ["/v1/matches/{id}/reports", "/v1/events"];

/// Adds the Idempotency-Key to an operation.
fn take_a_key(operation: &mut Value) {
    let reference = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
    match operation.get_mut("parameters").and_then(Value::as_array_mut) {
        Some(parameters) => parameters.push(reference),
        None => operation["parameters"] = json!([reference]),
    }
}

/// Adds the parts that follow from the kind of operation.
fn finish_operation(path: &str, method: &str, operation: &mut Value) {
    let access = access::write(operation);
    stale::describe(operation);
    let has_body = operation.get("requestBody").is_some();
    let has_304 = operation["responses"].get("304").is_some();
    let has = |name: &str| {
        operation["parameters"].as_array().is_some_and(|list| list.iter().any(|parameter| parameter["name"] == name))
    };
    let prefers = has("Prefer");
    let is_tagged = has_304 || TAGGED.iter().any(|id| operation["operationId"] == *id);
    let is_file = operation["operationId"] == "get_tournament_report";
    if has_body {
        operation["requestBody"]["required"] = json!(true);
    }
    let without = WITHOUT_A_KEY.iter().find(|(known, _)| method == "post" && *known == path);
    let is_keyed = method == "post" && without.is_none();
    if is_keyed {
        take_a_key(operation);
    }
    if let Some((_, reason)) = without {
        let said = operation["description"].as_str().unwrap_or_default();
        operation["description"] = json!(format!("{said}\n\n{reason}").trim_start());
    }
    for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        if status == "304" {
            *response = json!({ "$ref": "#/components/responses/NotModified" });
            continue;
        }
        let lists = response["content"]["application/json"]["schema"]["$ref"]
            .as_str()
            .is_some_and(|name| name.ends_with("Page"));
        let mut headers = response["headers"].as_object().cloned().unwrap_or_default();
        headers.extend(common_headers());
        if status == "201" {
            headers.insert("Location".to_owned(), header("Location"));
        }
        if lists && !GO_ON_WITH_AFTER.contains(&path) {
            headers.insert("Link".to_owned(), header("Link"));
        }
        if response["content"].get("text/csv").is_some() || status == "200" && is_file {
            headers.insert("Content-Disposition".to_owned(), header("Content-Disposition"));
        }
        if status == "200" && prefers {
            headers.insert("Preference-Applied".to_owned(), header("Preference-Applied"));
        }
        if is_tagged {
            headers.insert("ETag".to_owned(), header("ETag"));
        }
        response["headers"] = Value::Object(headers);
    }
    let access = access.unwrap_or(Access::Anyone);
    let closed_to_guests = access.needs_token() && !guests::may_ask(&method.to_uppercase(), path);
    document_problems(operation, path, access, is_keyed, closed_to_guests);
}

/// The statuses that the document describes for every operation, as any request may get them.
const EVERYWHERE: [u16; 5] = [400, 401, 429, 500, 503];

/// Describes the failures: the possible statuses, each with its codes.
fn document_problems(operation: &mut Value, path: &str, access: Access, takes_key: bool, closed_to_guests: bool) {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let in_path = |one: &&Value| one["in"] == "path";
    let is_id = |one: &Value| one["schema"]["$ref"].as_str().is_some_and(|name| name.ends_with("Id"));
    let shape = Shape {
        access,
        has_answer: !super::media_types(operation).is_empty(),
        has_body: operation.get("requestBody").is_some(),
        has_query: parameters.iter().any(|one| one["in"] == "query"),
        has_id: parameters.iter().filter(in_path).any(|one| is_id(one) || one["name"] == "hash"),
        names_something: parameters.iter().any(|one| one["in"] == "path"),
        closed_to_guests,
        takes_key,
        is_of_match: path.contains("/matches/{id}"),
    };
    let codes = problems::of(operation["operationId"].as_str().unwrap_or_default(), &shape);
    for (name, status, ..) in SHARED {
        if EVERYWHERE.contains(&status) || codes.contains_key(&status) {
            operation["responses"][status.to_string()] = json!({ "$ref": format!("#/components/responses/{name}") });
        }
    }
    let meaning = |status: u16| SHARED.iter().find(|shared| shared.1 == status).map_or("", |shared| shared.3);
    problems::write(operation, &codes, meaning);
}
