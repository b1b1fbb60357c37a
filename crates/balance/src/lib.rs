//! The balance of a rule set: the shares of wins in thousands of matches between equal players. Everything depends on
//! the seed alone, so a table can be reproduced, on any number of cores.
//!
//! Every player sees only the view of their seat, and plays with the engine of the service and nothing else.
mod first;
mod gunner;
mod matches;
mod navies;
mod player;

use std::{fmt, time::Duration};

use broadside_rules::{RuleSet, Seat};

pub use matches::{Hand, Lot, Played, play};

/// The effort of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Matches of each kind: of every choice of nations, or of each way to play.
    pub games: usize,
    /// The same seed gives the same table, if there is time for all the games.
    pub seed: u64,
    /// The time after which no match is begun.
    pub time: Duration,
}

/// The measurements: rows with a name and a cell for each column.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The names of the columns, the first that of the rows' names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Is every bounded share within its bounds?
    pub even: bool,
    /// Was there time for all the games?
    pub complete: bool,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        writeln!(f, "{}", line(&self.columns))?;
        writeln!(f, "|{}", "---|".repeat(self.columns.len()))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}

/// Measures a rule set. If players choose nations, it is by nation: wins as multiples of the fair share, which is one
/// match in as many as there are seats. Otherwise it is by the order of play: the shares of the first, the second, and
/// so on. A shared win counts in parts.
#[must_use]
pub fn measure(rules: &RuleSet, effort: &Effort) -> Table {
    if rules.seat_names().is_empty() { first::table(rules, effort) } else { navies::table(rules, effort) }
}

/// The simple player of a rule set, used by all when its tables are made: it counts the possible places of ships; a
/// family without one plays by lot.
#[must_use]
pub fn simple(rules: &RuleSet, seat: Seat) -> Box<dyn Hand> {
    match rules {
        RuleSet::Gunnery(rules) => Box::new(gunner::Gunner::new(seat, rules)),
        RuleSet::Salvos(_) => Box::new(player::Player::new(seat)),
        RuleSet::Depths(_) => Box::new(Lot),
    }
}
