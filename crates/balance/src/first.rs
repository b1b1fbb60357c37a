//! The edge of the first player: the share of matches between equal players that each place in the order of play wins.
use broadside_rules::{Clock, RuleSet, Seat, Setup};

use super::{
    Effort, Table,
    gunner::Gunner,
    matches::{Hand, Lot, Played, play, season},
};

/// The way of playing, the same for all.
#[derive(Clone, Copy, PartialEq)]
enum Play {
    /// By counting the possible places of ships.
    Counting,
    /// By lot: the table's examples.
    Lot,
}

impl Play {
    const fn name(self) -> &'static str {
        match self {
            Self::Counting => "counting",
            Self::Lot => "by lot",
        }
    }

    fn hand(self, rules: &RuleSet, seat: Seat) -> Box<dyn Hand> {
        match (self, rules) {
            (Self::Counting, RuleSet::Gunnery(rules)) => Box::new(Gunner::new(seat, rules)),
            _ => Box::new(Lot),
        }
    }
}

/// The results of some matches.
struct Tally {
    play: Play,
    played: usize,
    /// Wins by place in the order of play; a shared win counts in parts.
    won: Vec<f64>,
    turns: u64,
}

fn of_play(rules: &RuleSet, effort: &Effort, play_by: Play) -> Tally {
    let setup = Setup::new(rules.clone(), Clock::none());
    let seats = usize::from(setup.seats);
    let mut sum = Tally { play: play_by, played: 0, won: vec![0.0; seats], turns: 0 };
    let one = |number: usize| play(&setup, effort.seed << 40 | number as u64, &|seat| play_by.hand(rules, seat));
    season(effort, effort.games, one, |Played { outcome, first, turns }| {
        let best: Vec<_> = outcome.places.iter().filter(|place| place.place == 1).collect();
        for place in &best {
            sum.won[(place.seat.index() + seats - first.index()) % seats] += 1.0 / best.len() as f64;
        }
        sum.played += 1;
        sum.turns += turns;
    });
    sum
}

/// Wins by the order of play, with a column for each way of playing.
pub fn table(rules: &RuleSet, effort: &Effort) -> Table {
    let counts = matches!(rules, RuleSet::Gunnery(_)) && rules.seats().0 == 2;
    let ways = [Play::Counting, Play::Lot].into_iter().filter(|play| counts || *play == Play::Lot);
    let share = Effort { time: effort.time / if counts { 2 } else { 1 }, ..*effort };
    let tallies: Vec<Tally> = ways.map(|play| of_play(rules, &share, play)).collect();
    let names = tallies.iter().map(|tally| tally.play.name().to_owned());
    let columns = [String::from("wins")].into_iter().chain(names).collect();
    // The 95 % error of the share.
    let shown = |tally: &Tally, won: f64| {
        let played = tally.played.max(1) as f64;
        let share = won / played;
        format!("{:.1} % ± {:.1}", share * 100.0, 196.0 * (share * (1.0 - share).max(0.0) / played).sqrt())
    };
    let seats = tallies.first().map_or(0, |tally| tally.won.len());
    let mut rows: Vec<Vec<String>> = (0..seats)
        .map(|at| {
            let name =
                format!("who plays {}", ["first", "second", "third", "fourth", "fifth", "sixth", "last"][at.min(6)]);
            [name].into_iter().chain(tallies.iter().map(|tally| shown(tally, tally.won[at]))).collect()
        })
        .collect();
    let row = |name: &str, cell: &dyn Fn(&Tally) -> String| -> Vec<String> {
        [name.to_owned()].into_iter().chain(tallies.iter().map(cell)).collect()
    };
    rows.push(row("*matches*", &|tally| tally.played.to_string()));
    rows.push(row("*actions a match*", &|tally| format!("{:.0}", tally.turns as f64 / tally.played.max(1) as f64)));
    let complete = tallies.iter().all(|tally| tally.played == effort.games);
    Table { columns, rows, even: true, complete }
}
