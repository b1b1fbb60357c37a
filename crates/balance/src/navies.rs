//! The balance of the fleets of the navies on one sea: matches of every choice of nations, in several sizes.
use broadside_rules::{Clock, Outcome, RuleSet, Setup};

use super::{
    Effort, Table,
    matches::{Hand, play, season},
    player::Player,
};

/// The accepted range of a nation's wins, relative to its fair share.
const EVEN: std::ops::RangeInclusive<f64> = 0.75..=1.25;
/// The measured sizes of matches, as far as the rules have them.
const SIZES: [usize; 4] = [2, 3, 5, 7];
/// The factor of matches where there is only one choice of nations.
const OF_ALL: usize = 5;
/// A match, divided so that up to seven can share a win in whole parts.
const PARTS: u64 = 420;

/// Wins of a nation and its fair share of them, in parts of a match.
#[derive(Clone, Copy, Default)]
struct Tally {
    won: u64,
    fair: u64,
}

struct Season {
    seats: usize,
    tally: Vec<Tally>,
    due: usize,
    played: usize,
    limit: usize,
}

/// Every choice of this many nations.
fn choices(of: u8, seats: usize) -> Vec<Vec<u8>> {
    (0_u32..1 << of)
        .filter(|set| set.count_ones() as usize == seats)
        .map(|set| (0..of).filter(|nation| set >> nation & 1 == 1).collect())
        .collect()
}

fn of_size(rules: &RuleSet, effort: &Effort, nations: u8, seats: usize) -> Season {
    let fields = choices(nations, seats);
    let due = if fields.len() == 1 { OF_ALL * effort.games } else { fields.len() * effort.games };
    let mut sum = Season { seats, tally: vec![Tally::default(); usize::from(nations)], due, played: 0, limit: 0 };
    let setup = Setup::new(rules.clone(), Clock::none());
    let one = |number: usize| -> Option<(Vec<u8>, Outcome)> {
        // The nations take the seats in another order each time: the seats' own cells differ a little.
        let mut field = fields.get(number % fields.len())?.clone();
        let turn = number / fields.len() % field.len();
        field.rotate_left(turn);
        let mut setup = setup.clone();
        setup.seats = field.len() as u8;
        setup.preferences.iter_mut().zip(&field).for_each(|(wish, nation)| *wish = Some(*nation));
        let seed = effort.seed << 40 | (seats as u64) << 36 | number as u64;
        let hand = |seat| Box::new(Player::new(seat)) as Box<dyn Hand>;
        Some((field, play(&setup, seed, &hand)?.outcome))
    };
    season(effort, due, one, |(field, outcome)| {
        sum.played += 1;
        sum.limit += usize::from(outcome.reason.word() == "limit");
        let first: Vec<_> = outcome.places.iter().filter(|place| place.place == 1).collect();
        for place in &first {
            sum.tally[usize::from(field[place.seat.index()])].won += PARTS / first.len() as u64;
        }
        field.iter().for_each(|nation| sum.tally[usize::from(*nation)].fair += PARTS / seats as u64);
    });
    sum
}

/// Wins by nation as multiples of the fair share.
pub fn table(rules: &RuleSet, effort: &Effort) -> Table {
    let names = rules.seat_names();
    let (least, most) = rules.seats();
    let sizes = SIZES.into_iter().filter(|size| (usize::from(least)..=usize::from(most)).contains(size));
    let share = Effort { time: effort.time / SIZES.len() as u32, ..*effort };
    let seasons: Vec<Season> = sizes.map(|seats| of_size(rules, &share, names.len() as u8, seats)).collect();
    let columns = seasons.iter().map(|season| format!("{} seats", season.seats));
    let columns = [String::from("nation")].into_iter().chain(columns).collect();
    let mut even = true;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (nation, name) in names.iter().enumerate() {
        let shares = seasons.iter().map(|season| match season.tally[nation] {
            Tally { fair: 0, .. } => None,
            Tally { won, fair } => Some(won as f64 / fair as f64),
        });
        even &= shares.clone().flatten().all(|share| EVEN.contains(&share));
        let shown = shares.map(|share| share.map_or(String::from("–"), |share| format!("{share:.2}")));
        rows.push([(*name).to_owned()].into_iter().chain(shown).collect());
    }
    let row = |name: &str, cell: &dyn Fn(&Season) -> String| -> Vec<String> {
        [name.to_owned()].into_iter().chain(seasons.iter().map(cell)).collect()
    };
    rows.push(row("*matches*", &|season| season.played.to_string()));
    rows.push(row("*ended by the limit*", &|season| {
        format!("{:.0} %", 100.0 * season.limit as f64 / season.played.max(1) as f64)
    }));
    let complete = seasons.iter().all(|season| season.played == season.due);
    Table { columns, rows, even, complete }
}
