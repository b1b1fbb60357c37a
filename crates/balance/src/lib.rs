//! How even a rule set is: thousands of matches between players who all play alike, and who wins how many. Nothing is
//! left to anything but the seed, so a table can be made again, on however many cores.
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

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Matches of each kind: of every choice of nations, or of each way to play.
    pub games: usize,
    /// The same seed gives the same table, if there is time for all the games.
    pub seed: u64,
    /// No match is begun after that time.
    pub time: Duration,
}

/// What was measured: rows with a name and a cell for each column.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The names of the columns, the first that of the rows' names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Was every share that has a bound within it?
    pub even: bool,
    /// Was there time for all the games?
    pub complete: bool,
}

impl fmt::Display for Table {
    /// As a table in Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        writeln!(f, "{}", line(&self.columns))?;
        writeln!(f, "|{}", "---|".repeat(self.columns.len()))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}

/// Measures a rule set. Where players wish for nations, it is by nation: wins as multiples of the fair share, which is
/// one match in as many as there are seats. Elsewhere it is by the order of play: what share of the matches the first
/// wins, and so on. A win that is shared counts in parts.
#[must_use]
pub fn measure(rules: &RuleSet, effort: &Effort) -> Table {
    if rules.seat_names().is_empty() { first::table(rules, effort) } else { navies::table(rules, effort) }
}

/// The simple player of a rule set, which all play alike when its tables are made: it counts where ships may be, and
/// in a family that has no such player it plays by lot.
#[must_use]
pub fn simple(rules: &RuleSet, seat: Seat) -> Box<dyn Hand> {
    match rules {
        RuleSet::Gunnery(rules) => Box::new(gunner::Gunner::new(seat, rules)),
        RuleSet::Salvos(_) => Box::new(player::Player::new(seat)),
        RuleSet::Depths(_) => Box::new(Lot),
    }
}
