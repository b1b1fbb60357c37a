//! The formats of records, and what of a match stands in each of them.
//!
//! A match gets the current format when it is created and keeps it. What its chain hashes and its record shows is a
//! *projection*: of the header and of each public report the fields that the format lists, and no others. So a report
//! may get a new field at any time: the live API has it at once, and records of the formats before do not change by a
//! byte.
//!
//! The lists are data: `RECORDED` beside each union of reports, and [`HEADER`]. A line is a format, a type and its
//! fields; what has braces is an object, or an array of objects. For a format counts the last line of the type that is
//! not of a later format. Lines are only ever added:
//! - a new field of a report enters records with a new format: raise [`Format::CURRENT`] and add a line for the type;
//! - a new type of report gets a line for the formats there are: no earlier match can have such a report;
//! - a type without a line (a test forbids it) is taken as a whole.
//!
//! Actions stand there as they were asked.
use alloc::{format, string::String};
use core::fmt;

use serde_json::Value;

use super::Header;
use crate::report::Report;

/// The header's fields. Rule set and clock are taken whole: a field added to them is omitted at its former meaning.
const HEADER: &str = "
1 header chance_commitment clock created_at key_id match_id rated rule_set rule_set_hash seats{bot nonce player seat wish} variant
";

/// The format of a record: fixed when a match is created, and stored with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Format(u32);

impl Format {
    /// The format of new matches.
    pub const CURRENT: Self = Self(1);

    /// The format of this number, if known.
    #[must_use]
    pub const fn known(number: u32) -> Option<Self> {
        if 1 <= number && number <= Self::CURRENT.0 { Some(Self(number)) } else { None }
    }

    /// The number, from 1: `version` in the record.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The prefix of a record's signed message.
    pub(crate) fn domain(self) -> String {
        format!("broadside record {self}")
    }

    /// The header in this format; link 0 is its hash.
    #[must_use]
    pub fn header(self, header: &Header) -> Value {
        self.project(HEADER, "header", serde_json::to_value(header).unwrap_or_default())
    }

    /// A public report in this format; the links hash these.
    #[must_use]
    pub fn report(self, report: &Report) -> Value {
        let value = serde_json::to_value(report).unwrap_or_default();
        let kind = value.get("type").and_then(Value::as_str).map(String::from).unwrap_or_default();
        self.project(report.recorded(), &kind, value)
    }

    fn project(self, lists: &str, kind: &str, mut value: Value) -> Value {
        if let Some(fields) = self.fields(lists, kind) {
            keep(fields, &mut value);
        }
        value
    }

    fn fields<'l>(self, lists: &'l str, kind: &str) -> Option<&'l str> {
        let line = |line: &'l str| {
            let (format, rest) = line.split_once(' ')?;
            let (of, fields) = rest.split_once(' ')?;
            let format: u32 = format.parse().ok()?;
            (of == kind && format <= self.0).then_some((format, fields))
        };
        lists.lines().filter_map(line).max_by_key(|(format, _)| *format).map(|(_, fields)| fields)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Keeps these fields in an object, or in every object of an array.
fn keep(fields: &str, value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| keep(fields, item)),
        Value::Object(map) => map.retain(|name, value| match names(fields).find(|(listed, _)| listed == name) {
            Some((_, "")) => true,
            Some((_, within)) => {
                keep(within, value);
                true
            }
            None => false,
        }),
        _ => {}
    }
}

/// The names of a list, each with its nested list (empty: everything).
fn names(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = list;
    core::iter::from_fn(move || {
        rest = rest.trim_start();
        let end = rest.find([' ', '{']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let within = braced(after);
        rest = if within.is_empty() { after } else { &after[within.len() + 2..] };
        (!name.is_empty()).then_some((name, within))
    })
}

/// The text between the opening brace and its closing one.
fn braced(text: &str) -> &str {
    let mut depth = 0;
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth == 1 => return &text[1..at],
            '}' => depth -= 1,
            _ if depth == 0 => return "",
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests;
