//! The catalogue of problems: every code of an error response, its kind, and the texts of its page at
//! `/problems/<code>`. The games' codes come from the rules.

mod access;
mod request;
mod state;

use std::sync::LazyLock;

use broadside_rules::card::Language;
use broadside_rules::illegal;

/// The kind of a problem; it determines the HTTP status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The request is unreadable.
    Malformed,
    /// The token is missing or invalid.
    Unauthenticated,
    /// The caller is signed in, but not allowed to.
    Forbidden,
    /// It doesn't exist, or the caller may not know of it.
    NotFound,
    /// None of the possible formats of the response is accepted.
    NotAcceptable,
    WrongMethod,
    /// It existed once and is no longer stored.
    Gone,
    /// Another request was faster, or the state has changed.
    Conflict,
    TooLarge,
    TooSlow,
    /// The media type of the body isn't JSON.
    WrongMediaType,
    /// Readable, but invalid: every fault is listed.
    Unacceptable,
    TooMany,
    /// A fault of the service.
    Internal,
    /// The database is temporarily unreachable; nothing is lost.
    Unavailable,
}

/// An entry of the catalogue of problems; its page is at `/problems/<code>`.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The stable code, also the last part of the problem's `type`.
    pub code: &'static str,
    pub kind: ProblemKind,
    /// A short title, the same in every case, in every [`Language`].
    pub title: [&'static str; 2],
    pub meaning: [&'static str; 2],
    /// Advice for the caller.
    pub remedy: [&'static str; 2],
}

impl Problem {
    pub fn title_in(&self, language: Language) -> &'static str {
        self.title[language as usize]
    }

    pub fn meaning_in(&self, language: Language) -> &'static str {
        self.meaning[language as usize]
    }

    /// True if a token was sent and is the problem: `invalid_token` of RFC 6750.
    pub fn is_about_a_token(&self) -> bool {
        self.kind == ProblemKind::Unauthenticated && self.code.starts_with("token-") && self.code != "token-missing"
    }
}

/// Declares problems, each with title, meaning and remedy in English and in French. Without a translation they don't
/// compile.
macro_rules! problems {
    ($list:ident: $($name:ident $kind:ident $code:literal
        $title:literal $title_fr:literal $meaning:literal $meaning_fr:literal $remedy:literal $remedy_fr:literal)+) => {
        $(
            #[doc = $meaning]
            pub static $name: $crate::error::Problem = $crate::error::Problem {
                code: $code,
                kind: $crate::error::ProblemKind::$kind,
                title: [$title, $title_fr],
                meaning: [$meaning, $meaning_fr],
                remedy: [$remedy, $remedy_fr],
            };
        )+
        pub(super) static $list: &[&$crate::error::Problem] = &[$(&$name),+];
    };
}
use problems;

/// The problems of the service itself; those of the rules come from [`illegal::codes`].
pub mod problem {
    pub use super::access::*;
    pub use super::request::*;
    pub use super::state::*;
}

fn of_the_service() -> impl Iterator<Item = &'static Problem> {
    [access::ACCESS, state::STATE, request::REQUEST].into_iter().flatten().copied()
}

/// All problems, including those of the rules.
pub static CATALOGUE: LazyLock<Vec<Problem>> = LazyLock::new(|| {
    // A fault that the service also uses as a problem has its own entry with a status.
    let is_ours = |code: &str| of_the_service().any(|problem| problem.code == code);
    let whole = illegal::codes().filter(|entry| entry.whole && !is_ours(entry.code));
    let of_the_rules = whole.map(|entry| Problem {
        code: entry.code,
        kind: ProblemKind::Unacceptable,
        title: entry.title,
        meaning: entry.meaning,
        remedy: entry.what_to_do,
    });
    of_the_service().copied().chain(of_the_rules).collect()
});

/// The catalogue's entry for `code`, if any.
pub fn find_problem(code: &str) -> Option<Problem> {
    CATALOGUE.iter().find(|problem| problem.code == code).copied()
}
