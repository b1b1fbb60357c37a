//! Errors: a public part for the caller, and the cause for the log.
//!
//! An [`Error`] has a public half (a [`Problem`] of the catalogue, a detail, every fault) and a private half, the
//! cause, which goes to the log and never into a response. Nothing here depends on HTTP: `api/http/problem.rs` turns a
//! [`ProblemKind`] into a status.

mod faults;
mod french;
mod problems;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use broadside_rules::card::Language;
use broadside_rules::{Fault, Illegal};

use crate::player::Suspension;

pub use faults::{FAULTS, fault_codes};
pub use problems::{CATALOGUE, Problem, ProblemKind, find_problem, problem};

/// An error: a public half for the caller, a private one for the log. Boxed, so that a `Result` stays small.
#[derive(thiserror::Error)]
pub struct Error(Box<ErrorInner>);

struct ErrorInner {
    problem: Problem,
    /// The meaning in this case; `None` if the problem's meaning is enough.
    detail: Option<String>,
    faults: Vec<Fault>,
    retry_after_s: Option<u64>,
    current_version: Option<u32>,
    current_revision: Option<u32>,
    next_cursor: Option<String>,
    challenge: Option<String>,
    suspension: Option<Suspension>,
    quota: Option<QuotaUse>,
    scope: Option<&'static str>,
    is_noted: bool,
    cause: Option<Box<dyn StdError + Send + Sync>>,
}

/// The use of a quota.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotaUse {
    pub name: &'static str,
    pub used: i64,
    /// The limit of the quota.
    pub limit: i64,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A problem of the catalogue, with its meaning in this case.
    pub fn new(problem: &Problem, detail: impl Into<String>) -> Self {
        let mut error = Self::plain(problem);
        error.0.detail = Some(detail.into());
        error
    }

    /// A problem without a detail.
    pub fn plain(problem: &Problem) -> Self {
        Self(Box::new(ErrorInner {
            problem: *problem,
            detail: None,
            faults: Vec::new(),
            retry_after_s: None,
            current_version: None,
            current_revision: None,
            next_cursor: None,
            challenge: None,
            suspension: None,
            quota: None,
            scope: None,
            is_noted: false,
            cause: None,
        }))
    }

    /// The single error for missing things and for things that the caller may not know of.
    pub fn not_found() -> Self {
        Self::plain(&problem::NOT_FOUND)
    }

    /// `not-found` with the missing thing, for a caller who may know that.
    pub fn nothing(detail: impl Into<String>) -> Self {
        Self::new(&problem::NOT_FOUND, detail)
    }

    /// A request with all these faults.
    pub fn invalid(faults: Vec<Fault>) -> Self {
        Self::with_faults(&problem::INVALID_REQUEST, faults)
    }

    /// A request with one fault, at `pointer`.
    pub fn invalid_at(pointer: &str, code: &'static str, detail: impl Into<String>) -> Self {
        Self::invalid(vec![Fault { pointer: pointer.to_owned(), code, detail: detail.into() }])
    }

    pub fn with_faults(problem: &Problem, faults: Vec<Fault>) -> Self {
        let mut error = Self::plain(problem);
        error.0.faults = faults;
        error
    }

    /// A fault of the service; the cause goes to the log.
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::plain(&problem::INTERNAL);
        error.0.cause = Some(cause.into());
        error
    }

    /// A match with contradictory or unreadable rows; the cause goes to the log.
    pub fn match_damaged(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::plain(&problem::MATCH_DAMAGED);
        error.0.cause = Some(cause.into());
        error
    }

    /// True if a damaged match is the reason. It is logged where it is found.
    pub fn is_match_damaged(&self) -> bool {
        self.0.problem.code == problem::MATCH_DAMAGED.code
    }

    /// This node can't serve at the moment, for this public reason.
    pub fn not_ready(detail: impl Into<String>) -> Self {
        let mut error = Self::new(&problem::UNAVAILABLE, detail);
        error.0.retry_after_s = Some(1);
        error
    }

    pub fn unavailable(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::plain(&problem::UNAVAILABLE);
        error.0.cause = Some(cause.into());
        error.0.retry_after_s = Some(1);
        error
    }

    /// The archive of old matches is out of reach.
    pub fn archive_unreachable(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::unavailable(cause).retry_after(10);
        error.0.detail = Some("The archive of old matches can't be reached. Nothing has been lost.".to_owned());
        error
    }

    /// The budget is used up for `retry_after_s` seconds.
    pub fn too_many(retry_after_s: u64) -> Self {
        let mut error = Self::plain(&problem::TOO_MANY_REQUESTS);
        error.0.retry_after_s = Some(retry_after_s);
        error
    }

    /// The account's storage quota is full.
    pub fn quota_exceeded(quota: QuotaUse, detail: impl Into<String>) -> Self {
        let mut error = Self::new(&problem::TOO_MANY_OPEN, detail);
        error.0.quota = Some(quota);
        error
    }

    /// Adds the seconds after which to retry.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_s = Some(seconds);
        self
    }

    /// Adds the cursor for continuing after everything was read anew.
    pub fn next_cursor(mut self, cursor: String) -> Self {
        self.0.next_cursor = Some(cursor);
        self
    }

    /// Adds the challenge for a second factor.
    pub fn challenge(mut self, challenge: String) -> Self {
        self.0.challenge = Some(challenge);
        self
    }

    /// Adds the suspension concerned.
    pub fn suspended(mut self, suspension: Suspension) -> Self {
        self.0.suspension = Some(suspension);
        self
    }

    pub fn insufficient_scope(scope: &'static str) -> Self {
        let mut error = Self::new(&problem::INSUFFICIENT_SCOPE, format!("The token needs the scope {scope}."));
        error.0.scope = Some(scope);
        error
    }

    /// The transaction must be committed in spite of this error, because it has recorded something about it, such as a
    /// wrong code.
    pub fn noted(mut self) -> Self {
        self.0.is_noted = true;
        self
    }

    /// The request's version is outdated; `current` is the version for this caller.
    pub fn stale_version(current: u32) -> Self {
        let detail = format!("The match is at version {current} for you now.");
        let mut error = Self::new(&problem::STALE_VERSION, detail);
        error.0.current_version = Some(current);
        error
    }

    /// The request's revision is outdated; `current` is the current one.
    pub fn stale_revision(current: u32) -> Self {
        let mut error = Self::new(&problem::STALE_REVISION, format!("It is at revision {current} now."));
        error.0.current_revision = Some(current);
        error
    }

    /// Puts `prefix` before the pointers of its faults.
    pub fn under(mut self, prefix: &str) -> Self {
        self.0.faults = under(prefix, std::mem::take(&mut self.0.faults));
        self
    }

    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The meaning in this case.
    pub fn detail(&self, language: Language) -> Cow<'_, str> {
        match (&self.0.detail, self.faults()) {
            (Some(detail), _) => detail_in(language, detail),
            (None, []) => self.0.problem.meaning_in(language).into(),
            (None, [only]) if only.pointer.is_empty() => detail_in(language, &only.detail),
            (None, [only]) => format!("{}: {}", only.pointer, detail_in(language, &only.detail)).into(),
            (None, faults) => match language {
                Language::English => format!("{} faults; see errors.", faults.len()),
                Language::French => format!("{} fautes ; voyez errors.", faults.len()),
            }
            .into(),
        }
    }

    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// The seconds after which to retry.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.0.retry_after_s
    }

    /// The version of the match, or the revision of the notes, that the caller should have sent.
    pub fn current_version(&self) -> Option<u32> {
        self.0.current_version
    }

    /// The revision of the list that the caller should have sent.
    pub fn current_revision(&self) -> Option<u32> {
        self.0.current_revision
    }

    /// The cursor for continuing.
    pub fn cursor(&self) -> Option<&str> {
        self.0.next_cursor.as_deref()
    }

    /// The challenge for a second factor.
    pub fn open_challenge(&self) -> Option<&str> {
        self.0.challenge.as_deref()
    }

    /// The suspension that caused the error.
    pub fn suspension(&self) -> Option<&Suspension> {
        self.0.suspension.as_ref()
    }

    /// The full quota.
    pub fn quota(&self) -> Option<QuotaUse> {
        self.0.quota
    }

    /// The scope missing from the token.
    pub fn missing_scope(&self) -> Option<&'static str> {
        self.0.scope
    }

    /// True if its transaction must be committed.
    pub fn is_noted(&self) -> bool {
        self.0.is_noted
    }

    /// The private half, for the log only.
    pub fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.cause.as_deref()
    }
}

/// A detail of an error or a fault, translated from English, in which details are made.
pub fn detail_in(language: Language, detail: &str) -> Cow<'_, str> {
    match language {
        Language::English => detail.into(),
        Language::French => french::in_french(detail).map_or(detail.into(), Cow::Owned),
    }
}

/// The faults with `prefix` before their pointers.
pub fn under(prefix: &str, faults: Vec<Fault>) -> Vec<Fault> {
    faults.into_iter().map(|fault| Fault { pointer: format!("{prefix}{}", fault.pointer), ..fault }).collect()
}

impl From<Illegal> for Error {
    fn from(illegal: Illegal) -> Self {
        if !illegal.faults.is_empty() {
            return Self::with_faults(&problem::ILLEGAL_ACTION, illegal.faults);
        }
        match find_problem(illegal.code) {
            Some(problem) => Self::new(&problem, illegal.detail),
            None => Self::with_faults(&problem::ILLEGAL_ACTION, vec![Fault::new("", illegal.code, illegal.detail)]),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.problem.code, self.detail(Language::English))
    }
}

/// The public half only, so that an error printed by accident discloses nothing.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.problem.code, self.detail(Language::English))?;
        self.0.faults.iter().try_for_each(|fault| write!(f, "; {} {}: {}", fault.pointer, fault.code, fault.detail))
    }
}
