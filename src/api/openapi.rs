//! The contract: the OpenAPI document, made from the handlers and finished here.
//!
//! What every operation has in common is written once, by rule: the errors that follow from having a token, an id, a body; the headers around
//! every answer; the Idempotency-Key. The document is 3.1, with a 3.0.3 copy for generators that read nothing newer.

use std::sync::LazyLock;

use actix_web::App;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_actix_web::AppExt;

use super::reply::ProblemDocument;

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
    components(schemas(ProblemDocument)),
    tags(
        (name = "accounts", description = "Accounts, sessions and tokens: who you are."),
        (name = "players", description = "Players: who the others are."),
        (name = "variants", description = "Variants and rule sets: what can be played."),
        (name = "challenges", description = "Challenges: with whom."),
        (name = "matches", description = "Matches: looking and playing."),
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
pub(super) use free_form;

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
        let v3_0 = to_3_0(&current);
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
            && pattern.iter().zip(&given).all(|(wanted, given)| wanted == given || wanted.starts_with('{') && !given.is_empty())
    };
    PATHS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, methods)| methods.clone()).unwrap_or_default()
}

/// The schemas of the document, by name; for cards that describe rule sets and actions.
pub fn schemas() -> &'static Map<String, Value> {
    static SCHEMAS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
        current()["components"]["schemas"].as_object().cloned().unwrap_or_default()
    });
    &SCHEMAS
}

fn current() -> Value {
    let (_, mut api) = App::new().into_utoipa_app().openapi(Contract::openapi()).configure(super::routes).split_for_parts();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some(
            "An access token of a session (a JWT signed with EdDSA, good for 15 minutes, made by the best practice of RFC8725), or a personal access token.",
        ))
        .build();
    api.components.get_or_insert_default().security_schemes.insert("bearer".to_owned(), SecurityScheme::Http(bearer).into());
    let mut document = serde_json::to_value(&api).unwrap_or_default();
    document["servers"][0]["x-internal"] = json!(false);
    document["components"]["headers"] = headers();
    document["components"]["responses"] = problems();
    document["components"]["parameters"] = json!({ "IdempotencyKey": idempotency_key() });
    close_requests(&mut document);
    if let Some(paths) = document["paths"].as_object_mut() {
        for (path, item) in paths {
            for (method, operation) in item.as_object_mut().into_iter().flatten() {
                finish(path, method, operation);
            }
        }
    }
    document
}

/// Requests are closed, since an unknown field is refused by name; answers are open, since fields may be added.
fn close_requests(document: &mut Value) {
    let bodies: Vec<Value> = document["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.values())
        .flat_map(|item| item.as_object().into_iter().flat_map(|operations| operations.values()))
        .map(|operation| operation["requestBody"].clone())
        .collect();
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let mut asked = std::collections::BTreeSet::new();
    bodies.iter().for_each(|body| mentioned(body, schemas, &mut asked));
    for (name, schema) in schemas {
        let Some(fields) = schema.as_object_mut() else { continue };
        let closed = fields.get("additionalProperties") == Some(&json!(false));
        if !asked.contains(name) && closed {
            fields.remove("additionalProperties");
        }
        if asked.contains(name) && fields.contains_key("properties") {
            fields.insert("additionalProperties".to_owned(), json!(false));
        }
    }
}

/// The names of the schemas that `value` refers to, and those that these refer to.
fn mentioned(value: &Value, schemas: &Map<String, Value>, names: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            let name = map.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/components/schemas/"));
            if let Some(name) = name
                && names.insert(name.to_owned())
                && let Some(schema) = schemas.get(name)
            {
                mentioned(schema, schemas, names);
            }
            map.values().for_each(|value| mentioned(value, schemas, names));
        }
        Value::Array(list) => list.iter().for_each(|value| mentioned(value, schemas, names)),
        _ => {}
    }
}

/// The headers of answers.
fn headers() -> Value {
    let printable = |max: u32| json!({"type": "string", "pattern": "^[\\x20-\\x7e]*$", "maxLength": max});
    json!({
        "Access-Control-Allow-Origin": {"description": "The API is open to pages of every origin.", "schema": {"type": "string", "enum": ["*"]}},
        "RateLimit": {"description": "What is left of the budget: `r` requests, full again in `t` seconds (IETF draft).", "schema": printable(200), "example": "\"general\";r=1199;t=1"},
        "RateLimit-Policy": {"description": "The budget: `q` requests in `w` seconds (IETF draft).", "schema": printable(200), "example": "\"general\";q=1200;w=60"},
        "X-Request-Id": {"description": "Names the request in the operator's log; the caller's own is taken over.", "schema": printable(64)},
        "Retry-After": {"description": "In so many seconds it makes sense to try again.", "schema": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 86400}},
        "WWW-Authenticate": {"description": "How to sign in (RFC 6750).", "schema": printable(100)},
        "ETag": {"description": "Names this state of the resource; send it as `If-None-Match`.", "schema": printable(100)},
        "Link": {"description": "`rel=\"next\"`: the next page (RFC 8288).", "schema": printable(4000)},
        "Location": {"description": "Where the new thing is.", "schema": {"type": "string", "format": "uri-reference", "maxLength": 500}}
    })
}

fn header(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

/// The headers around every answer.
fn common_headers() -> Map<String, Value> {
    ["Access-Control-Allow-Origin", "RateLimit", "RateLimit-Policy", "X-Request-Id"]
        .into_iter()
        .map(|name| (name.to_owned(), header(name)))
        .collect()
}

/// A problem that many operations share: component name, status, a code that it typically has, what it means, and the headers it adds.
const SHARED: [(&str, u16, &str, &str, &[&str]); 13] = [
    ("Malformed", 400, "malformed-json", "The request can't be read", &[]),
    ("Unauthenticated", 401, "not-signed-in", "There is no token, or it is not good", &["WWW-Authenticate"]),
    ("Forbidden", 403, "scope-missing", "The token may not do this", &[]),
    ("NotFound", 404, "not-found", "There is no such thing, or you may not know of it", &[]),
    ("WrongMethod", 405, "wrong-method", "The path has no such method", &[]),
    ("Conflict", 409, "moved-meanwhile", "Somebody was faster, or it is in another state by now", &[]),
    ("TooLarge", 413, "body-too-large", "The body is over 64 KiB", &[]),
    ("NotJson", 415, "not-json", "The body must be application/json", &[]),
    ("Unacceptable", 422, "invalid-request", "The request is understood and refused; every fault is named", &[]),
    ("TooMany", 429, "too-many-requests", "The budget is used up for now", &["Retry-After"]),
    ("Internal", 500, "internal-error", "A fault of ours; nothing was half done", &[]),
    ("Unavailable", 503, "unavailable", "Not just now; nothing is lost", &["Retry-After"]),
    ("NotModified", 304, "", "What you have is still good", &["ETag"]),
];

fn problems() -> Value {
    let mut responses = Map::new();
    for (name, status, code, meaning, extra) in SHARED {
        let mut headers = common_headers();
        headers.extend(extra.iter().map(|name| ((*name).to_owned(), header(name))));
        let mut response = json!({ "description": meaning, "headers": headers });
        if status >= 400 {
            let title = crate::error::find_problem(code).map_or(meaning, |problem| problem.title);
            response["content"] = json!({ "application/problem+json": {
                "schema": { "$ref": "#/components/schemas/ProblemDocument" },
                "example": {
                    "type": format!("/problems/{code}"), "title": title, "status": status, "detail": meaning,
                    "code": code, "request_id": "5577006791947779410", "errors": []
                }
            }});
        }
        responses.insert(name.to_owned(), response);
    }
    // Only what is used: these two are named by operations of their own kind.
    responses.remove("WrongMethod");
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

/// Adds to an operation what follows from what it is.
fn finish(path: &str, method: &str, operation: &mut Value) {
    let has_body = operation.get("requestBody").is_some();
    let optional_token = operation["security"].as_array().is_some_and(|ways| ways.contains(&json!({})));
    let has_query = operation["parameters"].as_array().is_some_and(|list| list.iter().any(|one| one["in"] == "query"));
    let changes = method != "get" && path != "/v1/rulesets/check";
    if has_body {
        operation["requestBody"]["required"] = json!(true);
        if operation["requestBody"].get("description").is_none() {
            operation["requestBody"]["description"] = json!("What is asked.");
        }
    }
    if method == "post" && changes {
        let reference = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
        match operation.get_mut("parameters").and_then(Value::as_array_mut) {
            Some(parameters) => parameters.push(reference),
            None => operation["parameters"] = json!([reference]),
        }
    }
    for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        let mut headers = response["headers"].as_object().cloned().unwrap_or_default();
        headers.extend(common_headers());
        if status == "201" {
            headers.insert("Location".to_owned(), header("Location"));
        }
        response["headers"] = Value::Object(headers);
    }
    let applies = |name: &str| match name {
        "Forbidden" => !optional_token || operation["security"].as_array().is_some_and(|ways| ways.len() > 1),
        "NotFound" => path.contains('{'),
        "Conflict" => changes,
        "TooLarge" | "NotJson" => has_body,
        "Unacceptable" => has_body || has_query || changes,
        "NotModified" | "WrongMethod" => false,
        _ => true,
    };
    let shared: Vec<_> = SHARED.iter().filter(|(name, ..)| applies(name)).collect();
    for (name, status, ..) in shared {
        let slot = &mut operation["responses"][status.to_string()];
        if slot.is_null() {
            *slot = json!({ "$ref": format!("#/components/responses/{name}") });
        }
    }
}

/// The same document for readers of OpenAPI 3.0.3.
fn to_3_0(document: &Value) -> Value {
    let mut copy = down(document);
    copy["openapi"] = json!("3.0.3");
    copy["info"]["license"] = json!({ "name": "MIT", "url": "https://opensource.org/license/mit" });
    copy
}

/// One value of the document, in the words of 3.0.3.
fn down(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(down).collect(),
        Value::Object(map) => down_object(map),
        other => other.clone(),
    }
}

fn down_object(map: &Map<String, Value>) -> Value {
    let mut map: Map<String, Value> = map.iter().map(|(key, value)| (key.clone(), down(value))).collect();
    if map.contains_key("$ref") {
        // Beside a reference nothing counts in 3.0.
        map.retain(|key, _| key == "$ref");
    }
    let types = map.get("type").and_then(Value::as_array).cloned();
    if let Some(types) = types {
        let named = types.iter().find(|name| *name != "null").cloned();
        map.insert("type".to_owned(), named.unwrap_or_default());
        map.insert("nullable".to_owned(), json!(true));
        if let Some(words) = map.get_mut("enum").and_then(Value::as_array_mut)
            && !words.contains(&Value::Null)
        {
            words.push(Value::Null);
        }
    }
    let null = json!({ "type": "null" });
    if let Some(choices) = map.get_mut("oneOf").and_then(Value::as_array_mut)
        && let Some(place) = choices.iter().position(|choice| *choice == null)
    {
        choices[place] = json!({ "type": "object", "nullable": true, "enum": [null] });
        choices[place]["enum"] = json!([Value::Null]);
    }
    if map.get("type") == Some(&json!("object")) && map.get("additionalProperties") == Some(&json!(true)) {
        map.remove("additionalProperties");
    }
    // A schema's examples; the examples of a media type are an object and stay.
    if let Some(Value::Array(examples)) = map.get("examples").cloned() {
        map.remove("examples");
        if let Some(first) = examples.into_iter().next() {
            map.insert("example".to_owned(), first);
        }
    }
    Value::Object(map)
}
