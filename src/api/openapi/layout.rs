//! The contract as text for comparison: in alphabetical order, and each value on one line if it fits.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// The length of a line. Only a single long text may exceed it.
const COLUMNS: usize = 120;

pub fn text(document: &Value) -> String {
    let mut text = String::new();
    lay_out(document, 0, 0, &mut text);
    text.push('\n');
    text
}

/// Writes a value at nesting `depth`, on a line of which `taken` columns are used.
fn lay_out(value: &Value, depth: usize, taken: usize, text: &mut String) {
    let line = on_one_line(value);
    // A comma may follow.
    let is_short = taken + line.chars().count() < COLUMNS;
    match value {
        Value::Object(map) if !is_short && !map.is_empty() => {
            text.push('{');
            for (position, (key, value)) in map.iter().enumerate() {
                begin_line(position, depth + 1, text);
                let key = format!("{}: ", Value::from(key.as_str()));
                text.push_str(&key);
                lay_out(value, depth + 1, depth + 1 + key.chars().count(), text);
            }
            begin_line(0, depth, text);
            text.push('}');
        }
        Value::Array(list) if !is_short && !list.is_empty() => {
            text.push('[');
            for (position, value) in list.iter().enumerate() {
                begin_line(position, depth + 1, text);
                lay_out(value, depth + 1, depth + 1, text);
            }
            begin_line(0, depth, text);
            text.push(']');
        }
        _ => text.push_str(&line),
    }
}

fn begin_line(position: usize, depth: usize, text: &mut String) {
    if position > 0 {
        text.push(',');
    }
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', depth));
}

fn on_one_line(value: &Value) -> String {
    let mut line = Vec::new();
    // Writing into memory doesn't fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut line, Spaced));
    String::from_utf8(line).unwrap_or_default()
}

/// JSON on one line, with a space behind each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_short_is_on_one_line_and_nothing_else_is_changed() {
        let long = "a".repeat(110);
        let document = json!({ "long": long, "list": [long, 1], "none": {}, "short": { "a": [1, 2], "é": null } });
        let laid_out = text(&document);
        let lines: Vec<&str> = laid_out.lines().collect();
        assert_eq!(lines[1..4], [" \"list\": [", format!("  \"{long}\",").as_str(), "  1"]);
        assert_eq!(lines[lines.len() - 3..], [" \"none\": {},", " \"short\": {\"a\": [1, 2], \"é\": null}", "}"]);
        assert_eq!(serde_json::from_str::<Value>(&laid_out).unwrap(), document);
    }
}
