//! Checks problem codes against the document: an operation answers only with the codes that it lists.
//!
//! With `BROADSIDE_SEEN_PROBLEMS` (the path of a file), each answer is recorded there on a line. So a run of all tests
//! shows codes that never occur, and details without French: `crate::problems::no_code_is_listed_for_nothing` and
//! `crate::problems::every_detail_has_french`.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

use broadside::error::find_problem;
use broadside_rules::card::Language;
use serde_json::Value;

use super::{CONTRACT, Operation};

/// Environment variable with the path of the record.
pub const SEEN: &str = "BROADSIDE_SEEN_PROBLEMS";

/// Prefix of a detail's line.
pub const DETAIL: &str = "detail\t";

/// The failures that an operation of the document lists: status and code.
pub fn listed(operation: &Value) -> impl Iterator<Item = (u16, String)> {
    let statuses = operation["x-problem-codes"].as_object().unwrap().iter();
    statuses.flat_map(|(status, codes)| {
        let status = status.parse().unwrap();
        codes.as_array().unwrap().iter().map(move |code| (status, code.as_str().unwrap().to_owned()))
    })
}

/// Undocumented codes. (The schemas' enums are checked with the body.)
pub fn faults(operation: &Operation, status: u16, problem: &Value) -> Option<String> {
    let code = problem["code"].as_str()?;
    let faults = problem["errors"].as_array().into_iter().flatten();
    note(code_lines(operation.id, status, code, faults.clone().filter_map(|fault| fault["code"].as_str())));
    let in_english = find_problem(code).is_some_and(|known| problem["title"] == known.title_in(Language::English));
    if in_english {
        note(std::iter::once(problem).chain(faults).filter_map(detail_line).collect());
    }
    let (_, described) = CONTRACT.at(&operation.place)?;
    let is_listed = listed(described).any(|known| known == (status, code.to_owned()));
    (!is_listed).then(|| format!("{} doesn't list {status} `{code}`", operation.id))
}

/// A line for the problem, and one for each of its faults.
fn code_lines<'a>(operation: &str, status: u16, code: &str, faults: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines = vec![format!("{operation}\t{status}\t{code}")];
    lines.extend(faults.map(|fault| format!("-\t-\t{fault}")));
    lines
}

/// The line for the English detail of a fault, or of a problem with at most one fault.
fn detail_line(said: &Value) -> Option<String> {
    let has_faults = said["errors"].as_array().is_some_and(|faults| !faults.is_empty());
    let detail = said["detail"].as_str().filter(|_| !has_faults)?;
    Some(format!("{DETAIL}{}", detail.replace('\n', " ")))
}

fn note(lines: Vec<String>) {
    static NOTED: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(Mutex::default);
    let Some(file) = std::env::var_os(SEEN) else { return };
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    for line in lines {
        if noted.insert(line.clone()) {
            let line = format!("{line}\n");
            OpenOptions::new().create(true).append(true).open(&file).unwrap().write_all(line.as_bytes()).unwrap();
        }
    }
}
