//! What can be wrong with a request to the rules, as data: every code with its meaning and the way out of it.
//! Nothing here decides; [`crate::legal()`] and the parsers do.
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::Serialize;

mod codes;

pub use codes::codes;

/// A text in every [`Language`](crate::card::Language), by its number.
pub type Texts = [&'static str; 2];

/// One thing that is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// JSON Pointer (RFC 6901) into what was sent, for example `/cells/2`; empty for the whole.
    pub pointer: String,
    /// A stable kebab-case code, one of [`codes`].
    pub code: &'static str,
    /// What is wrong and what would be right, in English, for people.
    pub detail: String,
}

impl Fault {
    /// A fault at this place.
    pub fn new(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code, detail: detail.into() }
    }
}

/// A word that is none of those that there are, with what is said of it: "must be one of …". As a [`Fault`] it is an
/// `unknown-value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownWord(pub String);

impl UnknownWord {
    /// What is said where these are the words.
    #[must_use]
    pub fn none_of(known: &[&str]) -> Self {
        Self(format!("must be one of {}", known.join(", ")))
    }
}

impl core::fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for UnknownWord {}

/// Why an action is refused. It is worked out from the request and the actor's own view, so it can tell no secret.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Illegal {
    /// A stable kebab-case code, one of [`codes`]: that of the first fault, if there are faults.
    pub code: &'static str,
    /// What is wrong and what would be right, in English, for people.
    pub detail: String,
    /// Every fault of the request; empty when the request as a whole comes at the wrong time.
    pub faults: Vec<Fault>,
}

impl Illegal {
    /// A refusal of the request as a whole.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), faults: Vec::new() }
    }

    /// A refusal for these faults, or `Ok` when there are none.
    ///
    /// # Errors
    /// The refusal: its code is the first fault's.
    pub fn unless_none(faults: Vec<Fault>) -> Result<(), Self> {
        match faults.first() {
            None => Ok(()),
            Some(first) => {
                let detail = match faults.len() {
                    1 => first.detail.clone(),
                    n => format!("{n} faults; the first: {}", first.detail),
                };
                Err(Self { code: first.code, detail: detail.to_string(), faults })
            }
        }
    }
}

/// One code: what it is called, what it means, and what to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code on the wire.
    pub code: &'static str,
    /// A short title.
    pub title: Texts,
    /// What it means.
    pub meaning: Texts,
    /// What whoever gets it can do.
    pub what_to_do: Texts,
    /// Whether a request as a whole is refused with it, as when it comes at the wrong time; else it is a [`Fault`]'s.
    pub whole: bool,
}

/// The entry of this code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    codes().find(|entry| entry.code == code)
}
