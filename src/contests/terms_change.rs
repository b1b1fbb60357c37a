//! Terms of a contest that may still change: texts always; entry terms while players can join; the terms of play only
//! before it begins, since players have agreed to them. (Limits between the members of a ladder may be loosened: the
//! ladder checks that itself.)

use broadside_rules::Fault;

use crate::error::{Error, Result, problem};

/// The topic of a field of the terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Texts about the contest.
    Words,
    /// Requirements for joining.
    Entry,
    /// Matches, schedule and rules.
    Play,
    /// The kind of the contest.
    Kind,
}

impl Part {
    /// The topic of a field by name. Unlisted fields count as agreed on by joining.
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

/// The progress of a contest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// No player is affected by a change yet.
    Ahead,
    /// A ladder that has or had members.
    LadderBegun,
    /// A tournament whose first round is drawn.
    TournamentBegun,
    /// Closed to new players.
    Over,
}

/// The reason why a part of the terms is fixed; `None` if it may change.
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

/// The reason for a field that may only be loosened once players take part.
fn only_loosened(field: &str, progress: Progress) -> Option<&'static str> {
    match (field, progress) {
        ("max_pairings", Progress::LadderBegun) => Some("people take part: it may only become more"),
        ("pairing_rule", Progress::LadderBegun) => {
            Some("people take part: of the rule only `no_return_s` may change, and become less")
        }
        _ => None,
    }
}

/// Fails with `terms-fixed` and every fixed field among these.
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
