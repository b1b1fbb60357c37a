//! What is agreed on before anybody joins: all of it is fixed when the tournament is made, and published with it.

use std::str::FromStr;

use broadside_rules::{Fault, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::matches::open::MatchSettings;
use crate::ratings::Pool;
use crate::social::text::{Description, Title};
use crate::words::words;

/// Fewer players play no tournament.
pub const FEWEST: u16 = 3;
/// Of a round robin.
pub const MOST_ROUND_ROBIN: u16 = 64;
/// All at once is much for everybody.
pub const MOST_SIMULTANEOUS: u16 = 32;
/// Of a Swiss.
pub const MOST_SWISS: u16 = 512;
/// Of a Swiss.
pub const MOST_ROUNDS: u16 = 30;
/// How far ahead a start may lie; without one it begins by itself, or is cancelled, so long after it was made. In seconds: 90 days.
pub const AHEAD_S: u32 = 90 * 86_400;
/// Who has lost so many boards in a row on time is withdrawn.
pub const MISSED_AT_MOST: u16 = 2;

const TWO_SEATS: &str = "a tournament is played by two at a time, and this variant needs more";

/// How it is decided who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = TournamentForm, rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Everybody meets everybody.
    RoundRobin,
    /// So many rounds, in each of them against somebody who has done about as well.
    Swiss,
}

/// Who may join.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = TournamentWho, rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    /// People and programs.
    Everybody,
    /// People only.
    Humans,
    /// Programs only.
    Bots,
}

words!(Form { RoundRobin "round-robin", Swiss "swiss" });
words!(Who { Everybody "everybody", Humans "humans", Bots "bots" });

impl Who {
    /// Whether it is for programs (`bot`), or for people.
    pub fn admits(self, bot: bool) -> bool {
        match self {
            Self::Everybody => true,
            Self::Humans => !bot,
            Self::Bots => bot,
        }
    }
}

/// What was agreed on.
#[derive(Clone)]
pub struct Terms {
    /// What it is called.
    pub title: Title,
    /// What its maker says of it.
    pub description: Option<Description>,
    /// How it is decided who meets whom.
    pub form: Form,
    /// What its matches are played by, two seats each.
    pub agreed: MatchSettings,
    /// A board is two games at once, and each player begins one.
    pub paired: bool,
    /// Round robin: everybody meets everybody twice.
    pub twice: bool,
    /// Round robin: all rounds at once.
    pub simultaneous: bool,
    /// Swiss: how many rounds.
    pub rounds: Option<u16>,
    /// Who may join.
    pub who: Who,
    /// How reliable somebody has to be to join: the share of his finished matches not lost on time, in percent.
    pub least_reliability_percent: Option<u8>,
    /// The lowest rating to join with, in the pool of its matches.
    pub least_rating: Option<i32>,
    /// The highest.
    pub most_rating: Option<i32>,
    /// With fewer it doesn't begin.
    pub fewest_players: u16,
    /// With so many it begins at once.
    pub most_players: u16,
    /// Until when one can join; none: until it starts.
    pub registration_ends_at: Option<Time>,
    /// When it starts by itself; none: when its maker says so, or when it is full.
    pub starts_at: Option<Time>,
}

impl Terms {
    /// The pool of its matches; none without a clock.
    pub fn pool(&self) -> Option<Pool> {
        Pool::of(self.agreed.variant, 2, &self.agreed.clock)
    }

    /// Every reason why a tournament can't be made with these terms.
    pub fn faults(&self, now: Time) -> Vec<Fault> {
        let mut faults = self.agreed.faults();
        for fault in faults.iter_mut().filter(|fault| fault.pointer == "/seats") {
            *fault = Fault { pointer: "/variant".to_owned(), code: "two-seats-only", detail: TWO_SEATS.to_owned() };
        }
        let mut fault = |pointer: &str, code, detail: String| {
            faults.push(Fault { pointer: pointer.to_owned(), code, detail });
        };
        if self.agreed.clock.is_unlimited() {
            fault("/clock", "needs-clock", "a tournament needs a clock, or its rounds might never end".to_owned());
        }
        match (self.form, self.rounds) {
            (Form::Swiss, None) => fault("/rounds", "required", "a Swiss needs a number of rounds".to_owned()),
            (Form::Swiss, Some(rounds)) if !(1..=MOST_ROUNDS).contains(&rounds) || rounds >= self.most_players => {
                let detail = format!("must be 1 to {MOST_ROUNDS}, and fewer than `most_players`");
                fault("/rounds", "out-of-range", detail);
            }
            (Form::RoundRobin, Some(_)) => {
                fault("/rounds", "contradiction", "follow from the number of players in a round robin".to_owned());
            }
            _ => {}
        }
        for (given, pointer) in [(self.twice, "/twice"), (self.simultaneous, "/simultaneous")] {
            if given && self.form == Form::Swiss {
                fault(pointer, "contradiction", "is for round robins only".to_owned());
            }
        }
        let most = match self.form {
            Form::Swiss => MOST_SWISS,
            Form::RoundRobin if self.simultaneous => MOST_SIMULTANEOUS,
            Form::RoundRobin => MOST_ROUND_ROBIN,
        };
        if !(FEWEST..=most).contains(&self.most_players) {
            fault("/most_players", "out-of-range", format!("must be {FEWEST} to {most}"));
        }
        if !(FEWEST..=self.most_players.max(FEWEST)).contains(&self.fewest_players) {
            fault("/fewest_players", "out-of-range", format!("must be {FEWEST} to `most_players`"));
        }
        faults.extend(self.faults_of_limits(now));
        faults
    }

    /// The same for who may join, and when.
    fn faults_of_limits(&self, now: Time) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |pointer: &str, code, detail: String| {
            faults.push(Fault { pointer: pointer.to_owned(), code, detail });
        };
        if self.least_reliability_percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
            fault("/least_reliability_percent", "out-of-range", "must be 1 to 100 percent".to_owned());
        }
        for (rating, pointer) in [(self.least_rating, "/least_rating"), (self.most_rating, "/most_rating")] {
            if rating.is_some_and(|rating| !(100..=4000).contains(&rating)) {
                fault(pointer, "out-of-range", "must be 100 to 4000".to_owned());
            }
        }
        if let (Some(least), Some(most)) = (self.least_rating, self.most_rating)
            && least > most
        {
            fault("/least_rating", "contradiction", "must not be more than `most_rating`".to_owned());
        }
        let latest = now.plus_s(AHEAD_S);
        if self.starts_at.is_some_and(|at| at <= now || at > latest) {
            fault("/starts_at", "out-of-range", "must lie ahead, by 90 days at most".to_owned());
        }
        let begins_at = self.starts_at.unwrap_or(latest);
        if self.registration_ends_at.is_some_and(|at| at <= now || at > begins_at) {
            let detail = "must lie ahead, and not behind `starts_at`".to_owned();
            fault("/registration_ends_at", "out-of-range", detail);
        }
        faults
    }
}

/// A rule that everybody has to know before he joins, for programs and for people.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The case.
    pub case: &'static str,
    /// What follows, for programs.
    pub outcome: &'static str,
    /// What follows, for people.
    pub detail: &'static str,
}

/// The rules of a tournament of this form that its terms don't leave open.
pub fn policies(terms: &Terms) -> Vec<Policy> {
    let points = if terms.paired { PAIRED } else { SINGLE };
    let of_the_form = match terms.form {
        Form::Swiss => SWISS,
        Form::RoundRobin => ROUND_ROBIN,
    };
    [&[points], COMMON, of_the_form].concat()
}

const SINGLE: Policy =
    Policy { case: "points", outcome: "one-for-a-win", detail: "A win is one point, a draw half a point." };

const PAIRED: Policy = Policy {
    case: "points",
    outcome: "one-for-a-won-pair",
    detail: "Two games are one unit: who makes more points in both gets one point, both get half a point if they make as many.",
};

const COMMON: &[Policy] = &[
    Policy {
        case: "abort",
        outcome: "nothing-for-either",
        detail: "Nobody can abort a game. One that the clock calls off, since neither has come, or a moderator, is not played again and brings nobody anything.",
    },
    Policy {
        case: "time-out",
        outcome: "withdrawn-after-two-in-a-row",
        detail: "A game is lost on time as anywhere. Who misses two boards in a row is withdrawn: lost on time, or called off since neither had come.",
    },
    Policy {
        case: "leaving-before-the-start",
        outcome: "free",
        detail: "Before the start everybody may leave, and join again.",
    },
    Policy {
        case: "account-deleted",
        outcome: "withdrawn-and-running-games-lost",
        detail: "Who deletes his account is withdrawn, and loses the games that he has begun.",
    },
    Policy {
        case: "account-suspended",
        outcome: "withdrawn-when-next-paired",
        detail: "A suspended account is withdrawn when it would be paired next, for good. What it has played stays in the table, and it is never struck out.",
    },
    Policy {
        case: "start",
        outcome: "as-the-terms-say",
        detail: "It starts at the time that is given, or when it is full; its maker can start it by hand only where no time is given, and not before registration ends. Whether somebody is a person or a program is asked again then; reliability and ratings are asked at joining.",
    },
    Policy {
        case: "cancellation",
        outcome: "not-by-one-who-plays",
        detail: "Its maker can call it off before the start, and after it only if he doesn't play in it; an organizer who doesn't play in it can always. There are no final standings then.",
    },
    Policy {
        case: "match-annulled",
        outcome: "table-stays",
        detail: "What a moderator annuls or adjudicates after a board was over changes ratings, and not the table.",
    },
    Policy {
        case: "delay",
        outcome: "as-the-clock-rests",
        detail: "A round lasts until its last game is over: nights, days off, vacations and armistices hold it up as far as the clock lets them.",
    },
    Policy {
        case: "blocks",
        outcome: "make-no-difference",
        detail: "Players who block each other are paired like all others.",
    },
];

const SWISS: &[Policy] = &[
    Policy {
        case: "withdrawal",
        outcome: "running-games-go-on",
        detail: "Who withdraws is paired no more, and can't come back. Games that have begun go on: they are played to an end, resigned or lost on time, and count. What was played stays as it is.",
    },
    Policy { case: "bye", outcome: "one-point", detail: "Who has no opponent in a round gets one point." },
    Policy {
        case: "rounds",
        outcome: "half-the-players-at-most",
        detail: "There are no more rounds than half the number of players who have started, rounded down.",
    },
    Policy {
        case: "opponent-withdrawn",
        outcome: "one-point-without-play",
        detail: "Whose opponent is withdrawn after the pairing and before their games have begun gets one point without play.",
    },
    Policy {
        case: "pairing",
        outcome: "monrad",
        detail: "By the Monrad system, nobody twice; it ends early when no such pairing is left. Starting numbers are drawn by lot.",
    },
];

const ROUND_ROBIN: &[Policy] = &[
    Policy {
        case: "withdrawal",
        outcome: "struck-below-half",
        detail: "Who withdraws can't come back. Games that have begun go on: they are played to an end, resigned or lost on time. With fewer than half of his games begun he is struck out: none of them counts in the table for anybody (rated games stay rated). Otherwise all count, and those that had not begun are won without play.",
    },
    Policy {
        case: "bye",
        outcome: "nothing",
        detail: "With an odd number of players everybody sits out once, for nothing.",
    },
    Policy {
        case: "opponent-withdrawn",
        outcome: "one-point-without-play",
        detail: "Whose opponent is withdrawn before their games have begun gets one point without play, unless the opponent is struck out.",
    },
    Policy {
        case: "pairing",
        outcome: "berger",
        detail: "By the Berger tables of the FIDE Handbook (C.05, Annex 1). Starting numbers are drawn by lot.",
    },
];
