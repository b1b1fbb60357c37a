//! What a ladder is made by: its terms, which never change, and everything that can be wrong with them. What follows from them for a player who breaks off is
//! data as well, so that he can read it before he joins ([`POLICIES`]).

use std::str::FromStr;

use broadside_rules::{Clock, Fault};
use serde_json::Value;
use utoipa::ToSchema;

use super::position;
use crate::error::under;
use crate::matches::open::MatchSettings;
use crate::ratings::Pool;
use crate::social::text::{Description, Title};
use crate::words::words;

/// How many pairings at once a member may wish for, at most.
pub const MOST_SIMULTANEOUS: u32 = 20;
/// How long a season of a player's ladder lasts, in seconds: a day to a year and a day.
pub const SEASON_S: (u32, u32) = (86_400, 366 * 86_400);
/// How long one of an official ladder lasts at least, in seconds.
pub const SHORTEST_OFFICIAL_S: u32 = 60;
/// How many members a division may have.
pub const DIVISION: (u32, u32) = (4, 100);
/// So many pairings in a row that somebody misses make him inactive.
pub const MISSED: u32 = 2;

/// What is fixed of a ladder when it is made.
#[derive(Clone)]
pub struct Terms {
    /// What it is called.
    pub title: Title,
    /// What its maker says of it.
    pub description: Option<Description>,
    /// How people come together there.
    pub form: Form,
    /// What is played.
    pub agreed: MatchSettings,
    /// Whether two games at once are one pairing, of which each player begins one.
    pub paired: bool,
    /// Who may join.
    pub who: Who,
    /// How reliable somebody has to be to join: the share of his finished matches not lost on time, in percent.
    pub least_reliability_percent: Option<u8>,
    /// How many pairings at once a member may wish for.
    pub simultaneous: u32,
    /// How long a season lasts, in seconds; none: there are no seasons.
    pub season_s: Option<u32>,
    /// The divisions in which members stand; none: there is one list.
    pub divisions: Option<Divisions>,
}

/// How people come together on a ladder.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// The server pairs those who wait, by rating.
    Rating,
    /// Members have places, and challenge each other for them.
    Position(position::Terms),
}

/// The form alone, as it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = LadderForm, rename_all = "kebab-case")]
pub enum Kind {
    /// The server pairs those who wait, by rating.
    Rating,
    /// Members have places, and challenge each other for them.
    Position,
}

words!(Kind { Rating "rating", Position "position" });

impl Form {
    /// Which form it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Rating => Kind::Rating,
            Self::Position(_) => Kind::Position,
        }
    }

    /// What only this form has, as it is stored.
    pub fn own_terms(&self) -> Option<Value> {
        match self {
            Self::Rating => None,
            Self::Position(terms) => serde_json::to_value(terms).ok(),
        }
    }

    /// The form that is stored so; none if it can't be read.
    pub fn stored(kind: Kind, own_terms: Option<&Value>) -> Option<Self> {
        match kind {
            Kind::Rating => Some(Self::Rating),
            Kind::Position => serde_json::from_value(own_terms?.clone()).ok().map(Self::Position),
        }
    }
}

/// Who may join a ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = LadderWho, rename_all = "kebab-case")]
pub enum Who {
    /// Humans and bots, who meet each other.
    Everybody,
    /// Humans alone.
    Humans,
    /// Bots alone.
    Bots,
    /// Humans and bots, who are paired and listed apart.
    Separate,
}

words!(Who { Everybody "everybody", Humans "humans", Bots "bots", Separate "separate" });

/// Members of a ladder in divisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divisions {
    /// How many stand in one.
    pub size: u32,
    /// How many of the best rise, and of the worst fall, when a season ends.
    pub movers: u32,
}

impl Terms {
    /// The pool in which its members are paired by their rating, and rated if its matches are.
    pub fn pool(&self) -> Option<Pool> {
        Pool::of(self.agreed.variant, usize::from(self.agreed.seats), &self.agreed.clock)
    }

    /// How many games a pairing has.
    pub fn games(&self) -> usize {
        if self.paired { 2 } else { 1 }
    }

    /// After so many seconds of waiting the limits of pairing give way by a step: a twenty-fourth of the time for a move, 10 seconds to an hour.
    pub fn relax_s(&self) -> u32 {
        let longest_s = match self.agreed.clock {
            Clock::PerMove(clock) => clock.move_s,
            Clock::Bank(clock) => clock.initial_s.max(clock.increment_s),
            Clock::None(_) => u32::MAX,
        };
        (longest_s / 24).clamp(10, 3600)
    }

    /// Every reason why there can't be such a ladder: a player's, or an official one.
    pub fn faults(&self, official: bool) -> Vec<Fault> {
        let mut faults = Faults(self.agreed.faults());
        let limits = |low: u32, high: u32, what: &str| format!("must be {low} to {high}{what}");
        if self.agreed.clock.is_unlimited() {
            let why = "a ladder needs a clock: without one a pairing might never end";
            faults.add("/clock", "ladder-needs-clock", why.to_owned());
        }
        if self.paired && self.agreed.seats != 2 {
            faults.add("/paired", "contradiction", "paired games are for two seats".to_owned());
        }
        if self.least_reliability_percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
            faults.add("/least_reliability_percent", "out-of-range", limits(1, 100, " percent"));
        }
        if !(1..=MOST_SIMULTANEOUS).contains(&self.simultaneous) {
            faults.add("/simultaneous", "out-of-range", limits(1, MOST_SIMULTANEOUS, ""));
        }
        let shortest_s = if official { SHORTEST_OFFICIAL_S } else { SEASON_S.0 };
        if self.season_s.is_some_and(|season_s| !(shortest_s..=SEASON_S.1).contains(&season_s)) {
            faults.add("/season_s", "out-of-range", limits(shortest_s, SEASON_S.1, " seconds"));
        }
        if let Some(Divisions { size, movers }) = self.divisions {
            if self.season_s.is_none() {
                let why = "divisions need seasons: members rise and fall when one ends";
                faults.add("/divisions", "divisions-need-seasons", why.to_owned());
            }
            if !(DIVISION.0..=DIVISION.1).contains(&size) {
                faults.add("/divisions/size", "out-of-range", limits(DIVISION.0, DIVISION.1, " members"));
            }
            if size <= u32::from(self.agreed.seats) && size >= DIVISION.0 {
                let why = format!("must be more than the {} who meet at once", self.agreed.seats);
                faults.add("/divisions/size", "contradiction", why);
            }
            if movers == 0 || movers.saturating_mul(2) > size {
                faults.add("/divisions/movers", "out-of-range", "must be 1 to half of a division".to_owned());
            }
        }
        if let Form::Position(terms) = &self.form {
            self.faults_of_position(terms, &mut faults);
        }
        faults.0
    }

    /// What can't be on a ladder with places: one list of members, who meet in twos.
    fn faults_of_position(&self, terms: &position::Terms, faults: &mut Faults) {
        faults.0.extend(under("/position", terms.faults()));
        if self.agreed.seats != 2 {
            faults.add("/seats", "contradiction", "challenges for places are between two".to_owned());
        }
        if self.who == Who::Separate {
            faults.add(
                "/who",
                "contradiction",
                "a ladder with places has one list: humans, bots, or everybody".to_owned(),
            );
        }
        if self.divisions.is_some() {
            faults.add(
                "/divisions",
                "contradiction",
                "a ladder with places has no divisions: its places are the order".to_owned(),
            );
        }
    }

    /// What becomes of a challenge, a pairing or a member in cases that aren't play, on a ladder of this form.
    pub fn policies(&self) -> &'static [Policy] {
        match self.form {
            Form::Rating => POLICIES,
            Form::Position(_) => POLICIES_OF_POSITION,
        }
    }
}

struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, pointer: &str, code: &'static str, detail: String) {
        self.0.push(Fault { pointer: pointer.to_owned(), code, detail });
    }
}

/// What becomes of a pairing, or of a member, in a case that isn't play: said before anybody joins, and the same on every ladder.
pub struct Policy {
    /// The case.
    pub case: &'static str,
    /// What follows, for programs.
    pub outcome: &'static str,
    /// What follows, for people.
    pub detail: &'static str,
}

/// The policies of rating ladders.
pub const POLICIES: &[Policy] = &[
    Policy {
        case: "resignation",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating and standings like any other.",
    },
    Policy {
        case: "time-out",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating and standings; it lowers the reliability that profiles show. A pairing in which a member ran out of time is one that he missed.",
    },
    Policy {
        case: "abort",
        outcome: "no-result",
        detail: "A match of a ladder can't be called off by a player. One in which nobody has deployed in time is called off by the clock, and counts for nothing. A pairing of which every match was called off is one that all its players missed, unless a moderator has called one off.",
    },
    Policy {
        case: "missed-twice",
        outcome: "set-inactive",
        detail: "Who misses two pairings in a row is paired no more until he joins again.",
    },
    Policy {
        case: "leaving",
        outcome: "matches-go-on",
        detail: "Who leaves gets no new pairings. His matches go on, and count when they end.",
    },
    Policy {
        case: "away-at-season-end",
        outcome: "lowest-division",
        detail: "Who has left or is inactive when a season ends goes to the lowest division: results that come in later count there, and there he begins when he joins again.",
    },
    Policy {
        case: "vacation",
        outcome: "not-paired",
        detail: "Who is on vacation gets no new pairings. Whether his clocks stand still is for the ladder's clock to say.",
    },
    Policy {
        case: "suspension",
        outcome: "not-paired",
        detail: "A suspended account gets no new pairings. Its matches go on, or are resigned, as the suspension says.",
    },
    Policy {
        case: "deletion",
        outcome: "resigns",
        detail: "Who deletes his account resigns all his matches, and has left.",
    },
    Policy {
        case: "annulment",
        outcome: "points-stay",
        detail: "An annulled match, or one that a moderator makes count otherwise when it is over, takes back what it did to ratings. Points of the season are not given back.",
    },
    Policy {
        case: "season-end",
        outcome: "counts-when-it-ends",
        detail: "A pairing counts for the season in which its last match ends, whenever it began.",
    },
];

/// The policies of position ladders.
pub const POLICIES_OF_POSITION: &[Policy] = &[
    Policy {
        case: "resignation",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating, standings and places like any other.",
    },
    Policy {
        case: "time-out",
        outcome: "counts-as-played",
        detail: "The match is lost, and counts for rating, standings and places; it lowers the reliability that profiles show.",
    },
    Policy {
        case: "draw",
        outcome: "defender-stays",
        detail: "Nobody has won: the places stay as they are, and the defender is protected as after a win.",
    },
    Policy {
        case: "abort",
        outcome: "no-result",
        detail: "A challenge of which every match was called off, by the clock since nobody has deployed in time or by a moderator, changes nothing.",
    },
    Policy {
        case: "declined",
        outcome: "free-some-times",
        detail: "As many challenges as the terms say (declines) may be declined in any 30 days; one more counts as lost, and the challenger takes the place.",
    },
    Policy {
        case: "no-answer",
        outcome: "place-lost",
        detail: "Who doesn't answer in time (answer_s, in which his vacations don't count) loses his place to the challenger.",
    },
    Policy {
        case: "inactivity",
        outcome: "falls",
        detail: "Who plays no challenge for as long as the terms say (inactive_after_s, in which his vacations don't count) falls, as they say.",
    },
    Policy {
        case: "vacation",
        outcome: "windows-stand-still",
        detail: "Who is on vacation can be challenged, and has his whole time for the answer left. Whether his clocks stand still is for the ladder's clock to say.",
    },
    Policy {
        case: "leaving",
        outcome: "challenges-called-off",
        detail: "Those below move up, and his challenges are called off. His matches go on, and count for the ratings alone. Who joins again begins at the end.",
    },
    Policy {
        case: "suspension",
        outcome: "taken-out",
        detail: "A suspended account is taken out, as if it had left. Its matches go on, or are resigned, as the suspension says.",
    },
    Policy {
        case: "deletion",
        outcome: "taken-out",
        detail: "Who deletes his account has left, and resigns all his matches.",
    },
    Policy {
        case: "annulment",
        outcome: "places-stay",
        detail: "An annulled match takes back what it did to ratings. Places that have been taken are not given back.",
    },
    Policy {
        case: "season-end",
        outcome: "places-stay",
        detail: "The places at the end of a season are its final standings, and those with which the next one begins.",
    },
];
