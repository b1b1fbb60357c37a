//! Which terms of a contest may still change. Words may at any time; what decides about who joins, as long as somebody
//! can; what is played, only before it has begun, since people have agreed to it. (What keeps the members of a ladder
//! apart may be loosened: a ladder looks at that itself.)

use broadside_rules::Fault;

use crate::error::{Error, Result, problem};

/// What a field of the terms is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What is said of the contest.
    Words,
    /// What somebody must be who wants to join.
    Entry,
    /// What is played, when, and by which rules.
    Play,
    /// What the contest is.
    Kind,
}

impl Part {
    /// What the field of this name is about. One that isn't named here is agreed on by joining.
    pub fn of(field: &str) -> Self {
        match field {
            "title" | "description" => Self::Words,
            "min_reliability_percent"
            | "min_rating"
            | "max_rating"
            | "min_account_age_days"
            | "entry"
            | "visibility" => Self::Entry,
            "format" | "official" => Self::Kind,
            _ => Self::Play,
        }
    }
}

/// How far a contest has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Nobody has anything to lose by another term.
    Ahead,
    /// A ladder in which people take part, or have.
    LadderBegun,
    /// A tournament whose first round is drawn.
    TournamentBegun,
    /// Nobody can join any more.
    Over,
}

/// Why a part of the terms doesn't change any more; none: it may.
fn why_fixed(part: Part, progress: Progress) -> Option<&'static str> {
    match (part, progress) {
        (Part::Words, _) => None,
        (Part::Kind, _) => Some("never changes: make another contest"),
        (_, Progress::Over) => Some("the contest is over, and nothing but its words changes"),
        (_, Progress::TournamentBegun) => Some("the first round is drawn, and the players have agreed to this"),
        (Part::Play, Progress::LadderBegun) => Some("people take part, and have agreed to this"),
        (Part::Entry, Progress::LadderBegun) | (Part::Entry | Part::Play, Progress::Ahead) => None,
    }
}

/// The same of a field that may change in one direction when people take part.
fn only_loosened(field: &str, progress: Progress) -> Option<&'static str> {
    match (field, progress) {
        ("max_pairings", Progress::LadderBegun) => Some("people take part: it may only become more"),
        ("pairing_rule", Progress::LadderBegun) => {
            Some("people take part: of the rule only `no_return_s` may change, and become less")
        }
        _ => None,
    }
}

/// Fails with `terms-fixed` and every field of these that may not change any more.
pub fn check(fields: &[String], progress: Progress) -> Result<()> {
    let fixed = |field: &String| {
        let why = only_loosened(field, progress).or_else(|| why_fixed(Part::of(field), progress))?;
        Some(Fault { pointer: format!("/{field}"), code: "fixed-by-now", detail: why.to_owned() })
    };
    let faults: Vec<Fault> = fields.iter().filter_map(fixed).collect();
    if faults.is_empty() { Ok(()) } else { Err(Error::with_faults(&problem::TERMS_FIXED, faults)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(progress: Progress) -> Vec<&'static str> {
        let fields = ["title", "min_reliability_percent", "clock", "format"];
        fields.into_iter().filter(|field| why_fixed(Part::of(field), progress).is_some()).collect()
    }

    #[test]
    fn less_and_less_may_change() {
        assert_eq!(fixed(Progress::Ahead), ["format"]);
        assert_eq!(fixed(Progress::LadderBegun), ["clock", "format"]);
        assert_eq!(fixed(Progress::TournamentBegun), ["min_reliability_percent", "clock", "format"]);
        assert_eq!(fixed(Progress::Over), ["min_reliability_percent", "clock", "format"]);
    }
}
