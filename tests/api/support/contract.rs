//! What the contract says about failures, held against every answer that the tests get: an answer with a code that its
//! operation doesn't list fails the test that got it.
//!
//! With `BROADSIDE_SEEN_PROBLEMS` (the path of a file), what was answered is noted there, a line each. So a run of all
//! tests shows which codes are listed for nothing: `crate::problems::no_code_is_listed_for_nothing`.

use std::collections::{BTreeSet, HashSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{LazyLock, Mutex};

use actix_http::Request;
use broadside::api::openapi;
use serde_json::Value;

use super::answer::Answer;

/// The document.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&openapi::documents().current).unwrap());

/// Names the file for what was seen.
pub const SEEN: &str = "BROADSIDE_SEEN_PROBLEMS";

/// An operation, as far as failures are concerned.
struct Operation {
    method: String,
    segments: Vec<String>,
    id: String,
    /// Status and code.
    listed: HashSet<(u16, String)>,
}

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push(Operation {
                method: method.to_uppercase(),
                segments: path.split('/').map(str::to_owned).collect(),
                id: operation["operationId"].as_str().unwrap().to_owned(),
                listed: listed(operation).collect(),
            });
        }
    }
    // What is spelt out comes before what stands for anything: /rule-sets/check before /rule-sets/{hash}.
    all.sort_by_key(|operation| operation.segments.iter().filter(|segment| segment.starts_with('{')).count());
    all
});

/// The failures that an operation lists: status and code.
pub fn listed(operation: &Value) -> impl Iterator<Item = (u16, String)> {
    let statuses = operation["x-problem-codes"].as_object().unwrap().iter();
    statuses.flat_map(|(status, codes)| {
        let status = status.parse().unwrap();
        codes.as_array().unwrap().iter().map(move |code| (status, code.as_str().unwrap().to_owned()))
    })
}

/// The words of a schema that is an enum.
fn words(schema: &str) -> HashSet<String> {
    let words = DOCUMENT["components"]["schemas"][schema]["enum"].as_array().unwrap();
    words.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

static PROBLEM_CODES: LazyLock<HashSet<String>> = LazyLock::new(|| words("ProblemCode"));
static FAULT_CODES: LazyLock<HashSet<String>> = LazyLock::new(|| words("FaultCode"));

fn find(method: &str, path: &str) -> Option<&'static Operation> {
    let path = path.split('?').next().unwrap_or_default();
    let given: Vec<&str> = path.split('/').collect();
    let fits = |operation: &&Operation| {
        operation.method == method
            && operation.segments.len() == given.len()
            && operation.segments.iter().zip(&given).all(|(wanted, given)| {
                wanted == given
                    || wanted.strip_prefix('{').is_some_and(|rest| !rest.contains('.') || path.ends_with(".ics"))
            })
    };
    OPERATIONS.iter().find(fits)
}

/// Sends a request, and holds the answer against the contract.
pub async fn held<F: Future<Output = Answer>>(request: Request, call: impl Fn(Request) -> F) -> Answer {
    let (method, path) = (request.method().clone(), request.path().to_owned());
    let answer = call(request).await;
    hold(method.as_str(), &path, answer.status, &answer.body);
    answer
}

/// Holds an answer against the contract.
#[track_caller]
pub fn hold(method: &str, path: &str, status: u16, body: &[u8]) {
    if status < 400 {
        return;
    }
    let (Some(operation), Ok(problem)) = (find(method, path), serde_json::from_slice::<Value>(body)) else { return };
    let Some(code) = problem["code"].as_str() else { return };
    let faults: Vec<&str> =
        problem["errors"].as_array().unwrap().iter().filter_map(|fault| fault["code"].as_str()).collect();
    note(&operation.id, status, code, &faults);
    assert!(PROBLEM_CODES.contains(code), "ProblemCode doesn't have `{code}` ({method} {path})");
    for fault in faults {
        assert!(FAULT_CODES.contains(fault), "FaultCode doesn't have `{fault}` ({method} {path})");
    }
    assert!(
        operation.listed.contains(&(status, code.to_owned())),
        "{} doesn't list {status} `{code}`, and answers {problem}",
        operation.id
    );
}

fn note(operation: &str, status: u16, code: &str, faults: &[&str]) {
    static NOTED: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(Mutex::default);
    let Some(file) = std::env::var_os(SEEN) else { return };
    let mut lines = vec![format!("{operation}\t{status}\t{code}\n")];
    lines.extend(faults.iter().map(|fault| format!("-\t-\t{fault}\n")));
    let mut noted = NOTED.lock().unwrap();
    for line in lines {
        if noted.insert(line.clone()) {
            OpenOptions::new().create(true).append(true).open(&file).unwrap().write_all(line.as_bytes()).unwrap();
        }
    }
}
