//! Terms of the draw of rounds: the order of starting numbers, late entry, requested byes, and review by an organizer.

use broadside_contests::{ByeWorth, Form, Seeding};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::TournamentTerms;
use crate::pairings::terms::{Policy, TermFaults};

/// Highest limit on a player's requested byes.
pub const MAX_BYES: u16 = 10;
/// Time for the review of a round, in seconds: ten minutes to seven days.
pub const REVIEW_S: (u32, u32) = (600, 7 * 86_400);

/// Who may come in after the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = TournamentLateEntry)]
pub struct LateEntry {
    /// The last round into which somebody can come.
    #[schema(minimum = 2, maximum = 30, format = Int32)]
    pub until_round: u16,
    /// What each round is worth that they have missed by then.
    pub missed_round: ByeWorth,
}

/// The byes that players can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = TournamentRequestedByes)]
pub struct RequestedByes {
    /// How many a player can have.
    #[schema(minimum = 0, maximum = 10, format = Int32)]
    pub max: u16,
    /// What each of them is worth.
    pub worth: ByeWorth,
    /// In how many of the last rounds there are none.
    #[schema(minimum = 0, maximum = 30, format = Int32)]
    pub not_in_last: u16,
}

impl Default for RequestedByes {
    fn default() -> Self {
        Self { max: 1, worth: ByeWorth::HalfPoint, not_in_last: 1 }
    }
}

/// These terms, also in their stored form: missing fields mean the behavior before the field existed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundTerms {
    /// The order of starting numbers; by default drawn by lot, and in a knockout set by its own terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeding: Option<Seeding>,
    /// `None` without late entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_entry: Option<LateEntry>,
    /// `None` without requested byes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_byes: Option<RequestedByes>,
    /// Time for the review of each round, in seconds; `None` without review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_s: Option<u32>,
}

impl RoundTerms {
    /// The order of starting numbers, except in a knockout.
    pub fn seeding(&self) -> Seeding {
        self.seeding.unwrap_or(Seeding::Lot)
    }
}

/// True if each round of this form is drawn when the previous one is over, among all available players.
pub fn is_drawn_by_rounds(form: Form) -> bool {
    matches!(form, Form::Swiss | Form::Tables)
}

impl TournamentTerms {
    /// The requestable byes; `None` if all opponents are fixed at the start.
    pub fn requested_byes(&self) -> Option<RequestedByes> {
        const NONE: RequestedByes = RequestedByes { max: 0, worth: ByeWorth::Nothing, not_in_last: 0 };
        self.round_terms.requested_byes.or(is_drawn_by_rounds(self.form).then_some(NONE))
    }

    /// Adds the faults of the terms of the draw.
    pub(super) fn faults_of_rounds(&self, faults: &mut TermFaults) {
        let RoundTerms { seeding, late_entry, requested_byes, review_s } = self.round_terms;
        if seeding.is_some() && !matches!(self.form, Form::Swiss | Form::RoundRobin) {
            let detail =
                "is for a Swiss and a round robin: a knockout has one in `knockout`, and at tables lots are drawn";
            faults.add("/seeding", "conflicting-fields", detail);
        }
        if review_s.is_some() && self.form != Form::Swiss {
            faults.add("/review_s", "conflicting-fields", "only rounds of a Swiss can be paired by hand");
        }
        faults.range("/review_s", review_s, REVIEW_S, " seconds");
        let by_rounds = is_drawn_by_rounds(self.form);
        for (given, pointer) in [(late_entry.is_some(), "/late_entry"), (requested_byes.is_some(), "/requested_byes")] {
            if given && !by_rounds {
                let detail = "is for a Swiss and for tables: here it is settled at the start who meets whom";
                faults.add(pointer, "conflicting-fields", detail);
            }
        }
        let rounds = self.rounds.unwrap_or_default();
        if let Some(late) = late_entry.filter(|_| by_rounds)
            && !(2..=rounds.max(2)).contains(&late.until_round)
        {
            faults.add("/late_entry/until_round", "out-of-range", "must be 2 to the number of `rounds`");
        }
        if let Some(byes) = requested_byes {
            faults.range("/requested_byes/max", byes.max, (0, MAX_BYES), "");
        }
    }
}

/// The rules about these terms, shown before joining.
pub(super) fn policies(terms: &TournamentTerms) -> Vec<Policy> {
    if !matches!(terms.form, Form::Swiss | Form::RoundRobin | Form::Tables) {
        return Vec::new();
    }
    let RoundTerms { late_entry, requested_byes, review_s, .. } = terms.round_terms;
    let mut all = Vec::new();
    if terms.form != Form::Tables {
        all.push(seeding(terms));
    }
    if !is_drawn_by_rounds(terms.form) {
        all.push(NO_BYES);
        return all;
    }
    all.push(match late_entry.map(|late| late.missed_round) {
        None => Policy { topic: "late-entry", outcome: "no", detail: "Nobody comes in after the start." },
        Some(ByeWorth::Nothing) => LATE_FOR_NOTHING,
        Some(ByeWorth::HalfPoint) => LATE_FOR_HALF,
    });
    all.push(match requested_byes.filter(|byes| byes.max > 0).map(|byes| byes.worth) {
        None => NO_BYES,
        Some(ByeWorth::Nothing) => BYES_FOR_NOTHING,
        Some(ByeWorth::HalfPoint) => BYES_FOR_HALF,
    });
    if review_s.is_some() {
        all.push(REVIEW);
    }
    all
}

fn seeding(terms: &TournamentTerms) -> Policy {
    let (outcome, detail) = match (terms.round_terms.seeding(), terms.form) {
        (Seeding::Lot, _) => ("by-lot", "Starting numbers are drawn by lot."),
        (Seeding::Entry, _) => ("by-entry", "Starting numbers are given in the order of joining."),
        (Seeding::Rating, Form::Swiss) => (
            "by-rating",
            "Starting numbers are given by rating (without one: 1500), equals by lot. In the first round the upper half meets the lower half: the first number the first of the lower half, and so on.",
        ),
        (Seeding::Rating, _) => {
            ("by-rating", "Starting numbers are given by rating (without one: 1500), equals by lot.")
        }
    };
    Policy { topic: "seeding", outcome, detail }
}

const LATE_FOR_NOTHING: Policy = Policy {
    topic: "late-entry",
    outcome: "nothing-for-missed-rounds",
    detail: "Who meets the limits can come in after the start, until the round of `late_entry`: with the next starting number, into the next round that is drawn. Rounds that were missed are byes for nothing.",
};

const LATE_FOR_HALF: Policy = Policy {
    topic: "late-entry",
    outcome: "half-a-point-for-missed-rounds",
    detail: "Who meets the limits can come in after the start, until the round of `late_entry`: with the next starting number, into the next round that is drawn. Each round that was missed is a bye for half a point; an organizer who doesn't play can make it less before that round is drawn.",
};

const NO_BYES: Policy = Policy { topic: "requested-byes", outcome: "no", detail: "Nobody can ask to sit out a round." };

const BYES_FOR_NOTHING: Policy = Policy {
    topic: "requested-byes",
    outcome: "nothing",
    detail: "Until a round is drawn, players can say that they sit it out, as often as `requested_byes` lets them, for nothing. An organizer who doesn't play can do it for them, then also more often.",
};

const BYES_FOR_HALF: Policy = Policy {
    topic: "requested-byes",
    outcome: "half-a-point",
    detail: "Until a round is drawn, players can say that they sit it out, as often as `requested_byes` lets them, for half a point. An organizer who doesn't play can do it for them; beyond these limits it is worth nothing. If a round can't be drawn without them, they play.",
};

const REVIEW: Policy = Policy {
    topic: "review",
    outcome: "paired-by-hand-where-needed",
    detail: "Each round waits, after it is drawn, for an organizer who doesn't play to look at it, `review_s` seconds at most. They can pair it otherwise. Everybody reads then who has done so, why, and what the draw was.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_before_there_were_such_terms_has_none_of_them() {
        let read: RoundTerms = serde_json::from_str("{}").unwrap();
        assert_eq!(read, RoundTerms::default());
        assert_eq!((read.requested_byes, read.seeding()), (None, Seeding::Lot));
        let terms = RoundTerms {
            late_entry: Some(LateEntry { until_round: 3, missed_round: ByeWorth::HalfPoint }),
            requested_byes: Some(RequestedByes::default()),
            ..read
        };
        let stored = serde_json::to_string(&terms).unwrap();
        assert_eq!(
            stored,
            r#"{"late_entry":{"until_round":3,"missed_round":"half-point"},"requested_byes":{"max":1,"worth":"half-point","not_in_last":1}}"#
        );
        assert_eq!(serde_json::from_str::<RoundTerms>(&stored).unwrap(), terms);
    }
}
