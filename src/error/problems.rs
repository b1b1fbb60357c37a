//! The catalogue of problems: every code that the service answers with, its kind, and the texts of its page at
//! `/problems/<code>`. Those of the games come from the rules.

mod access;
mod request;
mod state;

use std::sync::LazyLock;

use broadside_rules::card::Language;
use broadside_rules::illegal;

/// The kind of a problem; it decides the HTTP status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The request could not be read at all.
    Malformed,
    /// There is no token, or it is not valid.
    Unauthenticated,
    /// The caller is signed in but not allowed to.
    Forbidden,
    /// It does not exist, or the caller may not know that it does.
    NotFound,
    /// None of the forms that the answer can have is accepted.
    NotAcceptable,
    /// The path exists, the method doesn't.
    WrongMethod,
    /// It existed once and is no longer stored.
    Gone,
    /// Another request was faster, or the resource is in another state by now.
    Conflict,
    /// The body is too large.
    TooLarge,
    /// The body didn't come in time.
    TooSlow,
    /// The body is not JSON by its media type.
    WrongMediaType,
    /// Readable, but not acceptable: every fault is named.
    Unacceptable,
    /// Too many requests for now.
    TooMany,
    /// A fault of the service.
    Internal,
    /// The database can't be reached at the moment; nothing has been lost.
    Unavailable,
}

/// One entry of the catalogue of problems: each has a page of its own at `/problems/<code>`.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The stable code, which is also the last part of the problem's `type`.
    pub code: &'static str,
    /// Decides the HTTP status.
    pub kind: ProblemKind,
    /// A short title that doesn't change from case to case, in every [`Language`].
    pub title: [&'static str; 2],
    /// What has happened.
    pub meaning: [&'static str; 2],
    /// What the caller can do.
    pub remedy: [&'static str; 2],
}

impl Problem {
    pub fn title_in(&self, language: Language) -> &'static str {
        self.title[language as usize]
    }

    pub fn meaning_in(&self, language: Language) -> &'static str {
        self.meaning[language as usize]
    }

    /// Whether a token was sent and is the problem: `invalid_token` of RFC 6750.
    pub fn is_about_a_token(&self) -> bool {
        self.kind == ProblemKind::Unauthenticated && self.code.starts_with("token-") && self.code != "token-missing"
    }
}

/// Declares problems: each has its title, its meaning and its remedy in English and in French. One without a
/// translation doesn't compile.
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

/// Every problem that the service can answer with, those of the rules included.
pub static CATALOGUE: LazyLock<Vec<Problem>> = LazyLock::new(|| {
    // What the service asks itself as well is a problem of its own, with its status.
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

/// The catalogue's entry for `code`, if there is one.
pub fn find_problem(code: &str) -> Option<Problem> {
    CATALOGUE.iter().find(|problem| problem.code == code).copied()
}
