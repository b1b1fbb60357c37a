//! Parameters that were added to a family's rule sets after the first were stored.
//!
//! Each has a value that means "as it was before it existed". A rule set without the parameter is read as one with that
//! value, and one with that value is written without the parameter. So a rule set has one JSON form (stored, hashed,
//! signed and shown), old forms are read for ever, and the hash of a rule set is the same before and after. A family
//! only lists its additions in `Family::ADDED`: its own reader and writer always have every parameter.
use alloc::string::String;

use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Added {
    /// The path: names, with `*` for each element of an array.
    pub path: &'static [&'static str],
    /// The value in older rule sets.
    pub before: Before,
}

/// The value that stands for the behaviour before a parameter existed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code, reason = "a kind that no addition needed so far")]
pub(crate) enum Before {
    Is(bool),
    Number(u64),
    /// One of the parameter's named values.
    Named(&'static str),
    /// An object or an array.
    Json(&'static str),
    /// `null`.
    Null,
}

impl Before {
    fn value(self) -> Value {
        match self {
            Self::Is(is) => is.into(),
            Self::Number(number) => number.into(),
            Self::Named(name) => name.into(),
            Self::Json(text) => serde_json::from_str(text).unwrap_or_default(),
            Self::Null => Value::Null,
        }
    }
}

/// The rule set with every missing addition filled in.
pub(crate) fn filled_in(added: &[Added], rules: &Value) -> Value {
    let mut whole = rules.clone();
    for Added { path, before } in added {
        at(path, &mut whole, &mut |parent, name| {
            parent.entry(name).or_insert_with(|| before.value());
        });
    }
    whole
}

/// Removes the additions that have their former value.
pub(crate) fn leave_out(added: &[Added], rules: &mut Value) {
    for Added { path, before } in added {
        at(path, rules, &mut |parent, name| {
            if parent.get(name) == Some(&before.value()) {
                parent.remove(name);
            }
        });
    }
}

/// Removes all additions, whatever their value.
pub(crate) fn take_out(added: &[Added], rules: &mut Value) {
    for Added { path, .. } in added {
        at(path, rules, &mut |parent, name| {
            parent.remove(name);
        });
    }
}

/// Do the changes name every original parameter of the rule set?
pub(crate) fn is_whole(added: &[Added], rules: &Value, changes: &Value) -> bool {
    let was_added = |name: &String| added.iter().any(|added| added.path == [name.as_str()]);
    let mut first = rules.as_object().into_iter().flatten().map(|(name, _)| name).filter(|name| !was_added(name));
    first.all(|name| changes.get(name).is_some())
}

/// Calls `with` for every object that has, or should have, the parameter at the path.
fn at(path: &[&str], value: &mut Value, with: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    match (path, value) {
        ([name], Value::Object(map)) => with(map, name),
        (["*", rest @ ..], Value::Array(items)) => items.iter_mut().for_each(|item| at(rest, item, with)),
        ([name, rest @ ..], Value::Object(map)) => {
            if let Some(value) = map.get_mut(*name) {
                at(rest, value, with);
            }
        }
        _ => {}
    }
}
