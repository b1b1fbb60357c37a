//! Errors: what the caller is told, with the cause kept apart.
//!
//! An [`Error`] has a public half (a [`Problem`] of the catalogue, a detail, every fault) and a private half, the
//! cause, which goes to the log and has no way into an answer. Nothing here knows HTTP: `api/http/problem.rs` turns a
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
    /// What it means in this case; none: the problem's meaning says it all.
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

/// How much of a quota is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotaUse {
    pub name: &'static str,
    pub used: i64,
    /// How much may be used.
    pub limit: i64,
}

/// What the service's own functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A problem of the catalogue, with what it means in this case.
    pub fn new(problem: &Problem, detail: impl Into<String>) -> Self {
        let mut error = Self::plain(problem);
        error.0.detail = Some(detail.into());
        error
    }

    /// A problem whose meaning says it all.
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

    /// The one answer for what doesn't exist and for what the caller may not know exists.
    pub fn not_found() -> Self {
        Self::plain(&problem::NOT_FOUND)
    }

    /// The same, with what it is that doesn't exist, for a caller who may know that.
    pub fn nothing(detail: impl Into<String>) -> Self {
        Self::new(&problem::NOT_FOUND, detail)
    }

    /// A request with these faults, all of them.
    pub fn invalid(faults: Vec<Fault>) -> Self {
        Self::with_faults(&problem::INVALID_REQUEST, faults)
    }

    /// A request with one fault, at `pointer`.
    pub fn invalid_at(pointer: &str, code: &'static str, detail: impl Into<String>) -> Self {
        Self::invalid(vec![Fault { pointer: pointer.to_owned(), code, detail: detail.into() }])
    }

    /// `problem`, with every fault named.
    pub fn with_faults(problem: &Problem, faults: Vec<Fault>) -> Self {
        let mut error = Self::plain(problem);
        error.0.faults = faults;
        error
    }

    /// A fault of the service, with its cause for the log.
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::plain(&problem::INTERNAL);
        error.0.cause = Some(cause.into());
        error
    }

    /// A match whose stored rows contradict each other, or can't be read, with its cause for the log.
    pub fn match_damaged(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::plain(&problem::MATCH_DAMAGED);
        error.0.cause = Some(cause.into());
        error
    }

    /// Whether a damaged match is the reason. It is logged where it is found.
    pub fn is_match_damaged(&self) -> bool {
        self.0.problem.code == problem::MATCH_DAMAGED.code
    }

    /// This node can't serve for the moment, for a reason that everybody may know.
    pub fn not_ready(detail: impl Into<String>) -> Self {
        let mut error = Self::new(&problem::UNAVAILABLE, detail);
        error.0.retry_after_s = Some(1);
        error
    }

    /// The database is out of reach.
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

    /// There is no room for more of what the account stores.
    pub fn quota_exceeded(quota: QuotaUse, detail: impl Into<String>) -> Self {
        let mut error = Self::new(&problem::TOO_MANY_OPEN, detail);
        error.0.quota = Some(quota);
        error
    }

    /// The same, which may be tried again after so many seconds.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_s = Some(seconds);
        self
    }

    /// The same, with the cursor to go on from after everything was read anew.
    pub fn next_cursor(mut self, cursor: String) -> Self {
        self.0.next_cursor = Some(cursor);
        self
    }

    /// The same, with the challenge that a second factor answers.
    pub fn challenge(mut self, challenge: String) -> Self {
        self.0.challenge = Some(challenge);
        self
    }

    /// The same, with the suspension that is meant.
    pub fn suspended(mut self, suspension: Suspension) -> Self {
        self.0.suspension = Some(suspension);
        self
    }

    /// The token lacks this scope.
    pub fn insufficient_scope(scope: &'static str) -> Self {
        let mut error = Self::new(&problem::INSUFFICIENT_SCOPE, format!("The token needs the scope {scope}."));
        error.0.scope = Some(scope);
        error
    }

    /// The same, where the transaction has noted something about it that has to stay, such as a wrong code: commit.
    pub fn noted(mut self) -> Self {
        self.0.is_noted = true;
        self
    }

    /// The match is at `current` for this caller, not where the request thinks it is.
    pub fn stale_version(current: u32) -> Self {
        let detail = format!("The match is at version {current} for you now.");
        let mut error = Self::new(&problem::STALE_VERSION, detail);
        error.0.current_version = Some(current);
        error
    }

    /// Something is at the revision `current`, not where the request thinks it is.
    pub fn stale_revision(current: u32) -> Self {
        let mut error = Self::new(&problem::STALE_REVISION, format!("It is at revision {current} now."));
        error.0.current_revision = Some(current);
        error
    }

    /// The same, with the pointers of its faults from further up: they are inside `prefix`.
    pub fn under(mut self, prefix: &str) -> Self {
        self.0.faults = under(prefix, std::mem::take(&mut self.0.faults));
        self
    }

    /// Its entry of the catalogue.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// What it means in this case.
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

    /// Every fault of the request.
    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// After how many seconds it makes sense to try again.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.0.retry_after_s
    }

    /// The version of the match, or the revision of the notes, that the caller should have named.
    pub fn current_version(&self) -> Option<u32> {
        self.0.current_version
    }

    /// The revision of the list that the caller should have named.
    pub fn current_revision(&self) -> Option<u32> {
        self.0.current_revision
    }

    /// The cursor to go on from.
    pub fn cursor(&self) -> Option<&str> {
        self.0.next_cursor.as_deref()
    }

    /// The challenge that a second factor answers.
    pub fn open_challenge(&self) -> Option<&str> {
        self.0.challenge.as_deref()
    }

    /// The suspension that keeps the caller's account from it.
    pub fn suspension(&self) -> Option<&Suspension> {
        self.0.suspension.as_ref()
    }

    /// The quota that leaves no room.
    pub fn quota(&self) -> Option<QuotaUse> {
        self.0.quota
    }

    /// The scope that the token lacks.
    pub fn missing_scope(&self) -> Option<&'static str> {
        self.0.scope
    }

    /// Whether what its transaction has written has to be committed.
    pub fn is_noted(&self) -> bool {
        self.0.is_noted
    }

    /// The private half, for the log alone.
    pub fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.cause.as_deref()
    }
}

/// A detail, of an error or of one of its faults, in another language than the English in which it is made.
pub fn detail_in(language: Language, detail: &str) -> Cow<'_, str> {
    match language {
        Language::English => detail.into(),
        Language::French => french::in_french(detail).map_or(detail.into(), Cow::Owned),
    }
}

/// The same faults, with pointers from further up: what is inside `prefix`.
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

/// The public half only: an error that is printed by accident gives nothing away.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.problem.code, self.detail(Language::English))?;
        self.0.faults.iter().try_for_each(|fault| write!(f, "; {} {}: {}", fault.pointer, fault.code, fault.detail))
    }
}
