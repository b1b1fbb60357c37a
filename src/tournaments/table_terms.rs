//! Terms specific to tournaments at tables: the number of seats, and the fixed rules.

use broadside_contests::Form;

use super::TournamentTerms;
use super::terms::MIN_PLAYERS;
use crate::pairings::terms::{Policy, TermFaults};

/// Bounds of the number of seats at a table.
pub const SEATS: (u8, u8) = (3, 7);
/// Most rounds: a row of the cross-table has a cell for each of the others at each table.
pub const MAX_ROUNDS: u16 = 20;

const MANY_SEATS: &str = "a tournament at tables is played by three or more, and these rules are for fewer";
const TWO_SEATS: &str = "a tournament is played by two at a time, and this variant needs more";

impl TournamentTerms {
    /// Adds the faults of the number of seats.
    pub(super) fn faults_of_seats(&self, faults: &mut TermFaults) {
        let rules = || if self.agreed.named.is_some() { "/named_rule_set" } else { "/variant" };
        let misfit = faults.0.iter().any(|fault| fault.pointer == "/seats");
        faults.0.retain(|fault| fault.pointer != "/seats");
        match self.form {
            Form::Tables if self.agreed.rules.seats().1 < SEATS.0 => {
                faults.add(rules(), "wrong-seat-count", MANY_SEATS);
            }
            Form::Tables => {
                let (least, most) = self.agreed.rules.seats();
                let seats = (least.max(SEATS.0), most.min(SEATS.1));
                faults.range("/seats", self.agreed.seats, seats, "");
                match self.rounds {
                    None => faults.add("/rounds", "missing-field", "a tournament at tables needs a number of rounds"),
                    rounds => faults.range("/rounds", rounds, (1, MAX_ROUNDS), ""),
                }
                if self.paired {
                    faults.add("/paired_games", "conflicting-fields", "paired games are for two seats");
                }
            }
            _ if self.agreed.seats != 2 => {
                faults.add("/seats", "conflicting-fields", "is for tournaments at tables only")
            }
            _ if misfit => faults.add(rules(), "two-seats-only", TWO_SEATS),
            _ => {}
        }
    }

    /// At tables: the smallest and the largest number of players at one.
    pub fn table_seats(&self) -> (u16, u16) {
        (u16::from(self.agreed.rules.seats().0.max(SEATS.0)), u16::from(self.agreed.seats))
    }

    /// The smallest number of players.
    pub fn fewest(&self) -> u16 {
        match self.form {
            Form::Tables => self.table_seats().0.max(MIN_PLAYERS),
            Form::Groups => self.groups.map_or(MIN_PLAYERS, |groups| groups.fewest()),
            Form::RoundRobin | Form::Swiss | Form::Knockout => MIN_PLAYERS,
        }
    }
}

/// The rules of tournaments at tables, including those common to all formats.
pub(super) fn policies(common: &[Policy], delay: Policy) -> Vec<Policy> {
    // A game of many ends for some before it ends for all: so its rule about missed games replaces the common one.
    let common = common.iter().filter(|policy| OWN.iter().all(|own| own.topic != policy.topic));
    OWN.iter().chain(common).copied().chain([delay]).collect()
}

const OWN: &[Policy] = &[
    Policy {
        topic: "points",
        outcome: "share-of-those-beaten",
        detail: "A table gives from 0 to 1: the share of the others at it whom one is placed before, and half of it for those who share one's place. Points are whole numbers of 1/120.",
    },
    Policy {
        topic: "pairing",
        outcome: "as-few-meetings-as-found",
        detail: "As few tables as possible, all of the same size or smaller by one seat. A search that everybody can repeat looks for the draw in which people meet again as seldom as possible, and of those for the one in which points at a table differ least.",
    },
    Policy {
        topic: "bye",
        outcome: "half-a-point",
        detail: "If the players can't be divided among tables, as few as possible sit out for half a point: those who have done so least often, of these those with the fewest points.",
    },
    Policy {
        topic: "withdrawal",
        outcome: "running-games-go-on",
        detail: "Who withdraws is seated no more, and can't come back. A game that has begun goes on, and counts. What was played stays as it is.",
    },
    Policy {
        topic: "opponent-withdrawn",
        outcome: "table-plays-without",
        detail: "Who is withdrawn after the draw and before the game has begun is placed behind all, for nothing, and the others play without them. If too few are left for a game, they share the first place without play.",
    },
    Policy {
        topic: "time-out",
        outcome: "withdrawn-after-two-in-a-row",
        detail: "A game is lost on time as anywhere. Who misses two tables in a row is withdrawn: their time ran out, or the game was called off since nobody had come. Sitting out makes no difference.",
    },
];
