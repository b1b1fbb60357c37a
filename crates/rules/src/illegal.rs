//! The faults that a request to the rules can have, as data: every code with its meaning and its remedy.
//! [`crate::legal()`] and the parsers decide.
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::Serialize;

mod codes;

pub use codes::codes;

/// A text in each [`Language`](crate::card::Language), by its number.
pub type Texts = [&'static str; 2];

/// A fault and its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// JSON Pointer (RFC 6901) into the request, for example `/cells/2`; empty for the whole.
    pub pointer: String,
    /// A stable kebab-case code, one of [`codes`].
    pub code: &'static str,
    /// The fault and its remedy, in English, for people.
    pub detail: String,
}

impl Fault {
    /// A fault at this place.
    pub fn new(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code, detail: detail.into() }
    }
}

/// A word that is not in a fixed list, with the message: "must be one of …". As a [`Fault`] it is an `unknown-value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownWord(pub String);

impl UnknownWord {
    /// The message for this list of words.
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

/// The refusal of an action. It follows from the request and the actor's own view, so it can tell no secret.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Illegal {
    /// A stable kebab-case code, one of [`codes`]; the first fault's, if there are faults.
    pub code: &'static str,
    /// The fault and its remedy, in English, for people.
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
    /// The refusal, with the code of the first fault.
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

/// A code with its title, meaning and remedy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code on the wire.
    pub code: &'static str,
    /// A short title.
    pub title: Texts,
    /// The meaning.
    pub meaning: Texts,
    /// The remedy.
    pub what_to_do: Texts,
    /// `true`: refuses a request as a whole, for example at the wrong time. `false`: the code of a [`Fault`].
    pub whole: bool,
}

/// The entry of this code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    codes().find(|entry| entry.code == code)
}
