//! The terms of a tournament: fixed when it is created, and published with it.

use broadside_contests::{Form, Pool, groups, knockout};
use broadside_rules::{Fault, Time};

use crate::contests::access::Access;
use crate::contests::entry_limits::EntryLimits;
use crate::matches::open::MatchSettings;
use crate::pairings::terms::{Policy, TermFaults};
use crate::social::text::{Description, Title};
use crate::string_enums::string_enums;
use crate::tournaments::round_terms::{self, RoundTerms};
use crate::tournaments::round_time::{AtDeadline, ROUND_TIME_S, RoundTime};
use crate::tournaments::{group_terms, table_terms};

pub const MIN_PLAYERS: u16 = 3;
pub const MAX_ROUND_ROBIN_PLAYERS: u16 = 64;
/// Most players of a round robin whose rounds are all played at once.
pub const MAX_AT_ONCE: u16 = 32;
pub const MAX_SWISS_PLAYERS: u16 = 512;
pub const MAX_KNOCKOUT_PLAYERS: u16 = 512;
pub const MAX_TABLES_PLAYERS: u16 = 512;
pub const MAX_SWISS_ROUNDS: u16 = 30;
/// Longest time until a start. Without a start time, a tournament starts or is canceled automatically this long
/// after its creation. In seconds: 90 days.
pub const AHEAD_S: u32 = 90 * 86_400;
/// A player who has lost this many boards in a row on time is withdrawn.
pub const MAX_MISSED: u16 = 2;

string_enums! {
    /// Which accounts may join a tournament.
    pub enum TournamentAudience {
        /// Humans and bots.
        Everybody,
        /// Accounts that aren't marked as bots.
        Humans,
        /// Accounts that are marked as bots.
        Bots,
    }
}

impl TournamentAudience {
    /// True if it is for programs (`bot`), or for people.
    pub fn admits(self, bot: bool) -> bool {
        match self {
            Self::Everybody => true,
            Self::Humans => !bot,
            Self::Bots => bot,
        }
    }
}

#[derive(Clone)]
pub struct TournamentTerms {
    pub title: Title,
    pub description: Option<Description>,
    pub form: Form,
    /// The settings of its matches: two seats each, or at tables the largest number.
    pub agreed: MatchSettings,
    /// True if a board is two simultaneous games, in which each player moves first once.
    pub paired: bool,
    /// Round robin and groups: all opponents meet twice.
    pub double_round_robin: bool,
    /// Round robin and groups: all rounds at once (except the finals after groups).
    pub all_rounds_at_once: bool,
    /// Swiss and tables: the number of rounds.
    pub rounds: Option<u16>,
    /// Groups: their number, and the number of promoted players.
    pub groups: Option<groups::Terms>,
    /// Knockout, and the finals after groups: the ties and the seeding.
    pub knockout: Option<knockout::Terms>,
    /// The terms of the draw.
    pub round_terms: RoundTerms,
    /// Time limit of a round, in seconds; `None` for no limit.
    pub round_time_s: Option<u32>,
    /// The fate of games unfinished at the time limit; present if there is one.
    pub at_deadline: Option<AtDeadline>,
    pub audience: TournamentAudience,
    pub limits: EntryLimits,
    pub access: Access,
    /// With fewer it doesn't start.
    pub min_players: u16,
    /// At this number it starts immediately.
    pub max_players: u16,
    /// `None` if registration is open until the start.
    pub registration_ends_at: Option<Time>,
    /// The time of the automatic start; `None` if its creator starts it, or it starts when full.
    pub starts_at: Option<Time>,
}

impl TournamentTerms {
    /// The pool of its matches; `None` without a clock.
    pub fn pool(&self) -> Option<Pool> {
        self.agreed.pool()
    }

    pub fn round_time(&self) -> Option<RoundTime> {
        let (time_s, then) = self.round_time_s.zip(self.at_deadline)?;
        Some(RoundTime { time_s, then })
    }

    /// Every fault of these terms.
    pub fn faults(&self, now: Time) -> Vec<Fault> {
        let mut faults = TermFaults::of(&self.agreed);
        self.faults_of_seats(&mut faults);
        if self.agreed.clock.is_unlimited() {
            faults.add("/clock", "clock-required", "a tournament needs a clock, or its rounds might never end");
        }
        match (self.form, self.rounds) {
            (Form::Swiss, None) => faults.add("/rounds", "missing-field", "a Swiss needs a number of rounds"),
            (Form::Swiss, Some(rounds)) if !(1..=MAX_SWISS_ROUNDS).contains(&rounds) || rounds >= self.max_players => {
                let detail = format!("must be 1 to {MAX_SWISS_ROUNDS}, and fewer than `max_players`");
                faults.add("/rounds", "out-of-range", detail);
            }
            (Form::RoundRobin, Some(_)) => {
                faults.add("/rounds", "conflicting-fields", "follow from the number of players in a round robin");
            }
            (Form::Knockout, Some(_)) => {
                faults.add("/rounds", "conflicting-fields", "follow from the number of players in a knockout");
            }
            (Form::Groups, Some(_)) => {
                faults.add("/rounds", "conflicting-fields", "follow from the number of players in groups and finals");
            }
            _ => {}
        }
        for (given, pointer) in
            [(self.double_round_robin, "/double_round_robin"), (self.all_rounds_at_once, "/all_rounds_at_once")]
        {
            if given && !matches!(self.form, Form::RoundRobin | Form::Groups) {
                faults.add(pointer, "conflicting-fields", "is for round robins and groups only");
            }
        }
        self.faults_of_groups(&mut faults);
        self.faults_of_ties(&mut faults);
        self.faults_of_rounds(&mut faults);
        faults.range("/round_time_s", self.round_time_s, ROUND_TIME_S, " seconds");
        if self.at_deadline.is_some() && self.round_time_s.is_none() {
            faults.add("/at_deadline", "conflicting-fields", "is for tournaments whose rounds have a `round_time_s`");
        }
        let (fewest, most) = (self.fewest(), max_players_of(self.form, self.all_rounds_at_once, self.groups.as_ref()));
        faults.range("/max_players", self.max_players, (fewest.min(most), most), "");
        if !(fewest..=self.max_players.max(fewest)).contains(&self.min_players) {
            faults.add("/min_players", "out-of-range", format!("must be {fewest} to `max_players`"));
        }
        self.faults_of_limits(now, &mut faults);
        faults.0
    }

    /// Adds the faults of the terms of knockout ties.
    fn faults_of_ties(&self, faults: &mut TermFaults) {
        let Some(ties) = &self.knockout else { return };
        if !matches!(self.form, Form::Knockout | Form::Groups) {
            faults.add("/knockout", "conflicting-fields", "is for knockouts and groups only");
        }
        if !ties.has_odd_best_of() {
            faults.add("/knockout/best_of", "out-of-range", "must be 1, 3, 5 or 7");
        }
        faults.range("/knockout/extra_boards", ties.extra_boards, (0, knockout::MAX_EXTRA_BOARDS), "");
    }

    /// Adds the faults of the terms of joining.
    fn faults_of_limits(&self, now: Time, faults: &mut TermFaults) {
        self.limits.faults(faults);
        let latest = now.plus_s(AHEAD_S);
        if self.starts_at.is_some_and(|at| at <= now || at > latest) {
            faults.add("/starts_at", "out-of-range", "must lie ahead, by 90 days at most");
        }
        let begins_at = self.starts_at.unwrap_or(latest);
        if self.registration_ends_at.is_some_and(|at| at <= now || at > begins_at) {
            let detail = "must lie ahead, and not behind `starts_at`".to_owned();
            faults.add("/registration_ends_at", "out-of-range", detail);
        }
    }
}

/// Most players of a tournament of this form.
pub fn max_players_of(form: Form, all_rounds_at_once: bool, groups: Option<&groups::Terms>) -> u16 {
    match form {
        Form::Groups => groups.map_or(groups::MAX_PLAYERS, groups::Terms::most),
        Form::Swiss => MAX_SWISS_PLAYERS,
        Form::Knockout => MAX_KNOCKOUT_PLAYERS,
        Form::Tables => MAX_TABLES_PLAYERS,
        Form::RoundRobin if all_rounds_at_once => MAX_AT_ONCE,
        Form::RoundRobin => MAX_ROUND_ROBIN_PLAYERS,
    }
}

/// The fixed rules of a tournament of this form.
pub fn policies(terms: &TournamentTerms) -> Vec<Policy> {
    if terms.form == Form::Tables {
        return [table_terms::policies(COMMON, delay(terms)), round_terms::policies(terms)].concat();
    }
    let points = if terms.paired { PAIRED } else { SINGLE };
    let of_the_form = match terms.form {
        Form::Swiss => SWISS,
        Form::RoundRobin => ROUND_ROBIN,
        Form::Knockout => KNOCKOUT,
        Form::Groups => group_terms::GROUPS,
        Form::Tables => &[],
    };
    [&[points], COMMON, &[delay(terms)], of_the_form, &round_terms::policies(terms)].concat()
}

/// The rule about delays of a round.
fn delay(terms: &TournamentTerms) -> Policy {
    match terms.round_time() {
        Some(round) => round.policy(terms.form),
        None => DELAY,
    }
}

const SINGLE: Policy =
    Policy { topic: "points", outcome: "one-for-a-win", detail: "A win is one point, a draw half a point." };

const PAIRED: Policy = Policy {
    topic: "points",
    outcome: "one-for-a-won-pair",
    detail: "Two games are one unit: who makes more points in both gets one point, both get half a point if they make as many.",
};

const COMMON: &[Policy] = &[
    Policy {
        topic: "abort",
        outcome: "nothing-for-either",
        detail: "Nobody can abort a game. One that the clock calls off, since neither has come, or a moderator, is not played again and brings nobody anything.",
    },
    Policy {
        topic: "time-out",
        outcome: "withdrawn-after-two-in-a-row",
        detail: "A game is lost on time as anywhere. Who misses two boards in a row is withdrawn: lost on time or at the deadline of a round, or called off since neither had come.",
    },
    Policy {
        topic: "leaving-before-the-start",
        outcome: "free",
        detail: "Before the start everybody may leave, and join again.",
    },
    Policy {
        topic: "account-deleted",
        outcome: "withdrawn-and-running-games-lost",
        detail: "A player who deletes their account is withdrawn, and loses the games that they have begun.",
    },
    Policy {
        topic: "account-suspended",
        outcome: "withdrawn-when-next-paired",
        detail: "A suspended account is withdrawn when it would be paired next, for good. What it has played stays in the table, and it is never struck out.",
    },
    Policy {
        topic: "start",
        outcome: "as-the-terms-say",
        detail: "It starts at the time that is given, or when it is full; its creator can start it by hand only where no time is given, and not before registration ends. Whether somebody is a person or a program is asked again then; reliability and ratings are asked at joining.",
    },
    Policy {
        topic: "cancellation",
        outcome: "not-by-one-who-plays",
        detail: "Its creator can cancel it before the start, and later only without playing in it; an organizer who doesn't play in it can always cancel it. There are no final standings then.",
    },
    Policy {
        topic: "match-annulled",
        outcome: "table-stays",
        detail: "What a moderator annuls or adjudicates after a board was over changes ratings, and not the table.",
    },
    Policy {
        topic: "blocks",
        outcome: "make-no-difference",
        detail: "Players who block each other are paired like all others.",
    },
];

const DELAY: Policy = Policy {
    topic: "delay",
    outcome: "as-the-clock-rests",
    detail: "A round lasts until its last game is over: nights, days off, vacations and armistices hold it up as far as the clock lets them.",
};

const SWISS: &[Policy] = &[
    Policy {
        topic: "withdrawal",
        outcome: "running-games-go-on",
        detail: "Who withdraws is paired no more, and can't come back. Games that have begun go on: they are played to an end, resigned or lost on time, and count. What was played stays as it is.",
    },
    Policy { topic: "bye", outcome: "one-point", detail: "Who has no opponent in a round gets one point." },
    Policy {
        topic: "rounds",
        outcome: "half-the-players-at-most",
        detail: "There are no more rounds than half the number of players who have started, rounded down.",
    },
    Policy {
        topic: "opponent-withdrawn",
        outcome: "one-point-without-play",
        detail: "Whose opponent is withdrawn after the pairing and before their games have begun gets one point without play.",
    },
    Policy {
        topic: "pairing",
        outcome: "monrad",
        detail: "By the Monrad system, nobody twice; it ends early when no such pairing is left.",
    },
];

const ROUND_ROBIN: &[Policy] = &[
    Policy {
        topic: "withdrawal",
        outcome: "struck-below-half",
        detail: "A player who withdraws can't come back. Games that have begun go on: they are played to an end, resigned or lost on time. With fewer than half of their games begun the player is struck out: none of these games counts in the table for anybody (rated games stay rated). Otherwise all count, and those that had not begun are won without play.",
    },
    Policy {
        topic: "bye",
        outcome: "nothing",
        detail: "With an odd number of players everybody sits out once, for nothing.",
    },
    Policy {
        topic: "opponent-withdrawn",
        outcome: "one-point-without-play",
        detail: "Whose opponent is withdrawn before their games have begun gets one point without play, unless the opponent is struck out.",
    },
    Policy {
        topic: "pairing",
        outcome: "berger",
        detail: "By the Berger tables of the FIDE Handbook (C.05, Annex 1).",
    },
];

const KNOCKOUT: &[Policy] = &[
    Policy {
        topic: "tie",
        outcome: "best-of",
        detail: "Two players of a round play one board after another, with the first move in turn, until the lead of one is more than the boards that are left could make good. A board that was called off counts as one of them.",
    },
    Policy {
        topic: "drawn-tie",
        outcome: "further-boards-then-the-higher-seed",
        detail: "If the points are equal after the last board, further boards are played one at a time, as many as `extra_boards` says; the first that is won decides. After them the higher seed goes on.",
    },
    Policy {
        topic: "withdrawal",
        outcome: "loses-the-tie",
        detail: "Who withdraws can't come back. A board that has begun goes on, and counts. If the boards that have begun don't decide the tie, who has withdrawn loses it. If both have, the higher seed goes on, to be beaten without play in the next round.",
    },
    Policy {
        topic: "bye",
        outcome: "for-the-best-seeds",
        detail: "If the number of players is no power of two, the best seeds go on without play in the first round.",
    },
    Policy {
        topic: "ranking",
        outcome: "by-the-round",
        detail: "The final decides on the ranks 1 and 2; the tie for the third place, if there is one, on 3 and 4. All others who are put out in the same round share a rank: 3, 5, 9 and so on.",
    },
    Policy {
        topic: "pairing",
        outcome: "bracket",
        detail: "Starting numbers are seeds, by rating (without one: 1500), by the order of joining or by lot, as the terms say; equal ratings by lot. In the bracket 1 meets the last seed, and 1 and 2 can't meet before the final. Who has begun less often in earlier rounds begins a tie.",
    },
];
