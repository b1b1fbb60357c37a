//! The codes of failures against the document: an operation answers with those that it lists, and with no others.
//!
//! With `BROADSIDE_SEEN_PROBLEMS` (the path of a file), what was answered is noted there, a line each. So a run of all
//! tests shows which codes are listed for nothing: `crate::problems::no_code_is_listed_for_nothing`.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::Value;

use super::{CONTRACT, Operation};

/// Names the file for what was seen.
pub const SEEN: &str = "BROADSIDE_SEEN_PROBLEMS";

/// The failures that an operation of the document lists: status and code.
pub fn listed(operation: &Value) -> impl Iterator<Item = (u16, String)> {
    let statuses = operation["x-problem-codes"].as_object().unwrap().iter();
    statuses.flat_map(|(status, codes)| {
        let status = status.parse().unwrap();
        codes.as_array().unwrap().iter().map(move |code| (status, code.as_str().unwrap().to_owned()))
    })
}

/// What the document doesn't list. (That the codes are words of their schemas is checked with the body.)
pub fn faults(operation: &Operation, status: u16, problem: &Value) -> Option<String> {
    let code = problem["code"].as_str()?;
    let faults = problem["errors"].as_array().into_iter().flatten();
    note(operation.id, status, code, faults.filter_map(|fault| fault["code"].as_str()));
    let (_, described) = CONTRACT.at(&operation.place)?;
    let is_listed = listed(described).any(|known| known == (status, code.to_owned()));
    (!is_listed).then(|| format!("{} doesn't list {status} `{code}`", operation.id))
}

fn note<'a>(operation: &str, status: u16, code: &str, faults: impl Iterator<Item = &'a str>) {
    static NOTED: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(Mutex::default);
    let Some(file) = std::env::var_os(SEEN) else { return };
    let mut lines = vec![format!("{operation}\t{status}\t{code}\n")];
    lines.extend(faults.map(|fault| format!("-\t-\t{fault}\n")));
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    for line in lines {
        if noted.insert(line.clone()) {
            OpenOptions::new().create(true).append(true).open(&file).unwrap().write_all(line.as_bytes()).unwrap();
        }
    }
}
