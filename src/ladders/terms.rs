//! The terms of a ladder and all their possible faults. They can change only while the ladder has no members (except to
//! let members be paired more often). The consequences for a player who stops playing are data as well, so that players
//! can read them before they join ([`POLICIES`]).

use broadside_contests::Pool;
use broadside_contests::divisions::Divisions;
use broadside_contests::meetings::MeetingLimits;
use broadside_contests::pairing::PairingTerms;
use broadside_contests::position_ladder::Terms as PositionTerms;
use broadside_contests::ranking::{RESULTS, Ranking, RankingRule};
use broadside_rules::Fault;
use serde_json::Value;

use crate::contests::access::Access;
use crate::contests::entry_limits::EntryLimits;
use crate::error::{Error, Result, under};
use crate::matches::open::MatchSettings;
use crate::pairings::terms::{Policy, TermFaults};
use crate::social::text::{Description, Title};
use crate::string_enums::string_enums;

/// The highest limit for a member's pairings at once.
pub const MAX_PAIRINGS: u32 = 20;
/// Length of a season of a player's ladder, in seconds: a day to a year and a day.
pub const SEASON_S: (u32, u32) = (86_400, 366 * 86_400);
/// Shortest season of an official ladder, in seconds.
pub const MIN_OFFICIAL_SEASON_S: u32 = 60;
/// Bounds of the size of a division.
pub const DIVISION: (u32, u32) = (4, 100);
/// Bounds of the limit on meetings of two members in a season.
pub const MEETINGS: (u32, u32) = (1, 100);
/// A member who misses this many pairings in a row becomes inactive.
pub const MAX_MISSED: u32 = 2;

#[derive(Clone)]
pub struct LadderTerms {
    pub title: Title,
    pub description: Option<Description>,
    /// Matchmaking or challenges.
    pub form: FormTerms,
    /// The variant, rule set, seats and clock of its matches.
    pub agreed: MatchSettings,
    /// True if a pairing is two simultaneous games, in which each player moves first once.
    pub paired: bool,
    pub audience: LadderAudience,
    pub limits: EntryLimits,
    pub access: Access,
    /// Limit for a member's pairings at once.
    pub max_pairings: u32,
    /// Length of a season in seconds; `None` without seasons.
    pub season_s: Option<u32>,
    /// `None` for a single list.
    pub divisions: Option<Divisions>,
    /// Most counted results of the same two players in a season; `None` for no limit.
    pub max_meetings: Option<u32>,
    pub ranking: RankingRule,
}

/// The form of a ladder, with the terms specific to it.
#[derive(Clone, PartialEq, Debug)]
pub enum FormTerms {
    /// Matchmaking pairs waiting members by rating.
    Rating(PairingTerms),
    /// Members have positions, and challenge each other for them.
    Position(PositionTerms),
}

string_enums! {
    /// The form alone, without its own terms.
    pub enum LadderFormat {
        /// The server pairs those who wait, by rating.
        Rating,
        /// Members have places, and challenge each other for them.
        Position,
    }
}

impl FormTerms {
    pub fn kind(&self) -> LadderFormat {
        match self {
            Self::Rating(_) => LadderFormat::Rating,
            Self::Position(_) => LadderFormat::Position,
        }
    }

    /// The stored terms specific to this form.
    pub fn own_terms(&self) -> Result<Value> {
        match self {
            Self::Rating(terms) => serde_json::to_value(terms),
            Self::Position(terms) => serde_json::to_value(terms),
        }
        .map_err(Error::internal)
    }

    pub fn stored(kind: LadderFormat, own_terms: Value) -> Result<Self> {
        match kind {
            LadderFormat::Rating => serde_json::from_value(own_terms).map(Self::Rating),
            LadderFormat::Position => serde_json::from_value(own_terms).map(Self::Position),
        }
        .map_err(Error::internal)
    }
}

string_enums! {
    /// Who may join a ladder.
    pub enum LadderAudience {
        /// Humans and bots, who meet each other.
        Everybody,
        /// Accounts that aren't marked as bots.
        Humans,
        /// Accounts that are marked as bots.
        Bots,
        /// Humans and bots, who are paired and listed apart.
        Separate,
    }
}

impl LadderTerms {
    /// The pool whose ratings are used for pairing, and changed if matches are rated.
    pub fn pool(&self) -> Option<Pool> {
        self.agreed.pool()
    }

    /// The number of games in a pairing.
    pub fn games(&self) -> usize {
        if self.paired { 2 } else { 1 }
    }

    /// Limits on repeated meetings of the same two players.
    pub fn meeting_limits(&self, pairing: &PairingTerms) -> MeetingLimits {
        MeetingLimits { max_meetings: self.max_meetings, no_return_s: pairing.no_return_s }
    }

    /// Every fault of these terms, for a player's or an official ladder.
    pub fn faults(&self, official: bool) -> Vec<Fault> {
        let mut faults = TermFaults::of(&self.agreed);
        if self.agreed.clock.is_unlimited() {
            let why = "a ladder needs a clock: without one a pairing might never end";
            faults.add("/clock", "clock-required", why);
        }
        if self.paired && self.agreed.seats != 2 {
            faults.add("/paired_games", "conflicting-fields", "paired games are for two seats");
        }
        self.limits.faults(&mut faults);
        faults.range("/max_pairings", self.max_pairings, (1, MAX_PAIRINGS), "");
        let min_s = if official { MIN_OFFICIAL_SEASON_S } else { SEASON_S.0 };
        faults.range("/season_s", self.season_s, (min_s, SEASON_S.1), " seconds");
        if let Some(Divisions { size, movers }) = self.divisions {
            if self.season_s.is_none() {
                let why = "divisions need seasons: members rise and fall when one ends";
                faults.add("/divisions", "divisions-need-seasons", why);
            }
            faults.range("/divisions/size", size, DIVISION, " members");
            if size <= u32::from(self.agreed.seats) && size >= DIVISION.0 {
                let why = format!("must be more than the {} who meet at once", self.agreed.seats);
                faults.add("/divisions/size", "conflicting-fields", why);
            }
            if movers == 0 || movers.saturating_mul(2) > size {
                faults.add("/divisions/promotions", "out-of-range", "must be 1 to half of a division");
            }
        }
        faults.range("/max_meetings", self.max_meetings, MEETINGS, "");
        if self.max_meetings.is_some() && self.season_s.is_none() {
            let why = "needs seasons: without them two who have met so often could never meet again";
            faults.add("/max_meetings", "conflicting-fields", why);
        }
        self.faults_of_ranking(&mut faults);
        match &self.form {
            FormTerms::Rating(terms) => faults.0.extend(under("/pairing_rule", terms.faults())),
            FormTerms::Position(terms) => self.faults_of_position(terms, &mut faults),
        }
        faults.0
    }

    /// Adds the faults of the ranking: a parameter that is inapplicable or out of bounds.
    fn faults_of_ranking(&self, faults: &mut TermFaults) {
        let RankingRule { by, results } = self.ranking;
        match by {
            Ranking::Sum if results != 0 => {
                faults.add("/ranking_results", "conflicting-fields", "a sum has no such number");
            }
            Ranking::Sum => {}
            _ => faults.range("/ranking_results", Some(results), RESULTS, ""),
        }
    }

    /// Adds the faults specific to ladders with places: they need a single list of members, and matches for two.
    fn faults_of_position(&self, terms: &PositionTerms, faults: &mut TermFaults) {
        faults.0.extend(under("/position_terms", terms.faults()));
        if self.agreed.seats != 2 {
            faults.add("/seats", "conflicting-fields", "challenges for places are between two");
        }
        if self.audience == LadderAudience::Separate {
            faults.add(
                "/audience",
                "conflicting-fields",
                "a ladder with places has one list: humans, bots, or everybody",
            );
        }
        if self.divisions.is_some() {
            faults.add(
                "/divisions",
                "conflicting-fields",
                "a ladder with places has no divisions: its places are the order",
            );
        }
        if self.ranking.by != Ranking::Sum {
            faults.add("/ranking", "conflicting-fields", "a ladder with places ranks by them");
        }
    }

    /// The policies on a ladder of this form for challenges, pairings and members in cases beyond play.
    pub fn policies(&self) -> &'static [Policy] {
        match self.form {
            FormTerms::Rating(_) => POLICIES,
            FormTerms::Position(_) => POLICIES_OF_POSITION,
        }
    }
}

/// The policies of rating ladders.
pub const POLICIES: &[Policy] = &[
    Policy {
        topic: "resignation",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating and standings like any other.",
    },
    Policy {
        topic: "time-out",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating and standings; it lowers the reliability that profiles show. A pairing in which a member ran out of time counts as missed. If a substitute has taken over the seat, the player answers who used up the time.",
    },
    Policy {
        topic: "abort",
        outcome: "no-result",
        detail: "A match of a ladder can't be called off by a player. One in which nobody has deployed in time is called off by the clock, and counts for nothing. A pairing of which every match was called off is one that all its players missed, unless a moderator has called one off.",
    },
    Policy {
        topic: "missed-twice",
        outcome: "set-inactive",
        detail: "A member who misses two pairings in a row is not paired again until they join again.",
    },
    Policy {
        topic: "leaving",
        outcome: "matches-go-on",
        detail: "A member who leaves gets no new pairings. Their matches go on, and count when they end.",
    },
    Policy {
        topic: "away-at-season-end",
        outcome: "lowest-division",
        detail: "A member who has left or is inactive when a season ends goes to the lowest division: later results count there, and the member begins there after joining again.",
    },
    Policy {
        topic: "vacation",
        outcome: "not-paired",
        detail: "A member on vacation gets no new pairings. The ladder's clock says whether their clocks stand still.",
    },
    Policy {
        topic: "suspension",
        outcome: "not-paired",
        detail: "A suspended account gets no new pairings. Its matches go on, or are resigned, as the suspension says.",
    },
    Policy {
        topic: "deletion",
        outcome: "resigns",
        detail: "A player who deletes their account resigns all their matches, and leaves.",
    },
    Policy {
        topic: "annulment",
        outcome: "points-stay",
        detail: "An annulled match, or one that a moderator makes count otherwise when it is over, takes back what it did to ratings. Points of the season are not given back.",
    },
    Policy {
        topic: "season-end",
        outcome: "counts-when-it-ends",
        detail: "A pairing counts for the season in which its last match ends, whenever it began.",
    },
];

pub const POLICIES_OF_POSITION: &[Policy] = &[
    Policy {
        topic: "resignation",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating, standings and places like any other.",
    },
    Policy {
        topic: "time-out",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating, standings and places; it lowers the reliability that profiles show.",
    },
    Policy {
        topic: "draw",
        outcome: "defender-stays",
        detail: "Nobody has won: the places stay as they are, and the defender is protected as after a win.",
    },
    Policy {
        topic: "abort",
        outcome: "no-result",
        detail: "A challenge of which every match was called off, by the clock since nobody has deployed in time or by a moderator, changes nothing.",
    },
    Policy {
        topic: "declined",
        outcome: "free-some-times",
        detail: "As many challenges as the terms say (declines) may be declined in any 30 days; one more counts as lost, and the challenger takes the place.",
    },
    Policy {
        topic: "no-answer",
        outcome: "place-lost",
        detail: "A member who doesn't answer in time (answer_s, not counting their vacations) loses their place to the challenger.",
    },
    Policy {
        topic: "inactivity",
        outcome: "falls",
        detail: "A member who plays no challenge for inactive_after_s (not counting their vacations) falls, as the terms say. Who has nobody to challenge when that time is over, above all the leader, and has declined nothing in it, doesn't fall: the time begins anew.",
    },
    Policy {
        topic: "vacation",
        outcome: "windows-stand-still",
        detail: "A member on vacation can be challenged, and keeps the whole time for the answer. The ladder's clock says whether their clocks stand still.",
    },
    Policy {
        topic: "leaving",
        outcome: "challenges-cancelled",
        detail: "Those below move up, and the member's challenges are called off. Their matches go on, and count for the ratings alone. A member who joins again begins at the end.",
    },
    Policy {
        topic: "suspension",
        outcome: "taken-out",
        detail: "A suspended account is taken out, as if it had left. Its matches go on, or are resigned, as the suspension says.",
    },
    Policy {
        topic: "deletion",
        outcome: "taken-out",
        detail: "A player who deletes their account leaves, and resigns all their matches.",
    },
    Policy {
        topic: "annulment",
        outcome: "places-stay",
        detail: "An annulled match takes back what it did to ratings. Places that have been taken are not given back.",
    },
    Policy {
        topic: "season-end",
        outcome: "places-stay",
        detail: "The places at the end of a season are its final standings, and those with which the next one begins.",
    },
];
