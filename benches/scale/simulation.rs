//! The simulation: matches by correspondence, each on its own, for some days; counted are moves and due clocks in each
//! second. Then the seconds are played back against a service that can do so many of them.
//!
//! People move when they are awake (sixteen hours a day, by a time zone that is drawn from the world's people), some
//! hours after they could, rarely after days; some never do, and their clocks run out.

use std::f64::consts::PI;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const DAY_S: u32 = 86_400;
/// Three days for a move.
const CLOCK_S: u32 = 3 * DAY_S;
/// How long a player takes for a move in the middle, awake or not, in seconds, and how widely that is spread (of its
/// logarithm).
const REPLY_S: f64 = 8.0 * 3600.0;
const REPLY_SPREAD: f64 = 0.9;
/// The share of people in the hours' time zones, from UTC-12 on (by population, rounded; in percent).
const PEOPLE: [u32; 24] = [0, 0, 0, 0, 1, 1, 3, 6, 3, 4, 0, 1, 5, 9, 7, 7, 3, 22, 4, 18, 3, 2, 1, 0];
/// So many moves, and time-outs, a service can do in a second: one database on two cores (docs/PERFORMANCE.md), and
/// the time-outs of one moment, unoptimised.
const MOVES_A_SECOND: f64 = 7_500.0;
const TIME_OUTS_A_SECOND: f64 = 600.0;
/// After that much down time everybody who wanted to move comes at once: within a minute.
const DOWN_S: usize = 3 * 3600;
const COMING_BACK_S: usize = 60;
/// Boards of a tournament that begin in one second, and the share of those who never come.
const BOARDS: f64 = 1e6;
const ABSENT: f64 = 0.02;

/// What was counted.
pub struct Simulated {
    /// How many matches, for how many days.
    size: (u32, u32),
    /// Moves of a match in a day.
    pub moves_a_day: f64,
    /// The busiest second, in units of the mean one.
    pub peak: f64,
    /// The same of the busiest hour.
    peak_hour: f64,
    /// Time-outs in a day, and in the busiest second.
    time_outs: (f64, u32),
    /// How many seconds late the last move is after a down time, and how many came back.
    after_down_time: (f64, u64),
    /// How many moves stand in line at most on a usual day, and for how long the last one waits, in seconds.
    usual: f64,
}

/// A player of a match.
struct Player {
    /// When their day begins, in seconds after midnight UTC.
    wakes_s: u32,
    /// How much slower than others they are.
    pace: f64,
}

impl Player {
    fn drawn(dice: &mut SmallRng) -> Self {
        let mut place = dice.random_range(0..PEOPLE.iter().sum::<u32>());
        let zone = PEOPLE.iter().position(|people| {
            let here = place < *people;
            place = place.saturating_sub(*people);
            here
        });
        let offset_h = zone.unwrap_or(12) as u32;
        // Zone 12 is UTC; who lives east of it gets up earlier in UTC. People get up at six to nine.
        let wakes_s = ((24 + 12 + 6 - offset_h) % 24) * 3600 + dice.random_range(0..3 * 3600);
        Self { wakes_s, pace: 0.5 + 1.5 * dice.random::<f64>() }
    }

    /// When they move who could since `then`: after a while, and awake.
    fn moves_at(&self, then: u32, dice: &mut SmallRng) -> u32 {
        let (first, second): (f64, f64) = (dice.random(), dice.random());
        let normal = (-2.0 * (1.0 - first).ln()).sqrt() * (2.0 * PI * second).cos();
        let after = (REPLY_S * self.pace * (REPLY_SPREAD * normal).exp()).min(1e7) as u32;
        let at = then.saturating_add(after.max(20));
        let of_the_day = (at + DAY_S - self.wakes_s % DAY_S) % DAY_S;
        // Asleep: they look after they got up, most of them soon.
        if of_the_day < 16 * 3600 {
            at
        } else {
            let soon = (-(1.0 - dice.random::<f64>()).ln() * 2400.0) as u32;
            at + (DAY_S - of_the_day) + soon
        }
    }
}

/// Plays so many matches for so many days.
pub fn run(matches: u32, days: u32, seed: u64) -> Simulated {
    let mut dice = SmallRng::seed_from_u64(seed);
    // The first days are not counted: all matches begin in them.
    let (warm_s, end_s) = (CLOCK_S, CLOCK_S + days * DAY_S);
    let mut moves = vec![0_u32; (days * DAY_S) as usize];
    let mut time_outs = moves.clone();
    for _ in 0..matches {
        let players = [Player::drawn(&mut dice), Player::drawn(&mut dice)];
        let (mut at, mut turn) = (dice.random_range(0..CLOCK_S), 0);
        while at < end_s {
            let moved = players[turn].moves_at(at, &mut dice);
            let due = at + CLOCK_S;
            let (next, seconds) = if moved > due { (due, &mut time_outs) } else { (moved, &mut moves) };
            if let Some(second) = next.checked_sub(warm_s).and_then(|second| seconds.get_mut(second as usize)) {
                *second += 1;
            }
            // A match that has ended is followed by another.
            (at, turn) = (next, 1 - turn);
        }
    }
    let total: u64 = moves.iter().map(|moves| u64::from(*moves)).sum();
    let mean = total as f64 / moves.len() as f64;
    let busiest = |length: usize| {
        let most = moves.chunks(length).map(|chunk| chunk.iter().map(|moves| u64::from(*moves)).sum::<u64>()).max();
        most.unwrap_or_default() as f64 / length as f64 / mean
    };
    let lost: u64 = time_outs.iter().map(|due| u64::from(*due)).sum();
    Simulated {
        size: (matches, days),
        moves_a_day: total as f64 / f64::from(days) / f64::from(matches),
        peak: busiest(1),
        peak_hour: busiest(3600),
        time_outs: (lost as f64 / f64::from(days), time_outs.iter().copied().max().unwrap_or_default()),
        after_down_time: after_down_time(&moves),
        usual: latest(moves.iter().map(|moves| f64::from(*moves)), MOVES_A_SECOND),
    }
}

/// The longest that anything waits, in seconds, where so much comes in each second and `able` is done.
fn latest(comes: impl Iterator<Item = f64>, able: f64) -> f64 {
    let mut waiting = 0.0_f64;
    let mut most = 0.0_f64;
    for comes in comes {
        waiting = (waiting + comes - able).max(0.0);
        most = most.max(waiting);
    }
    most / able
}

/// The service is down in the busiest hours of the fourth day; whoever wanted to move does when it is back.
fn after_down_time(moves: &[u32]) -> (f64, u64) {
    let day = DAY_S as usize;
    let Some(fourth) = moves.get(3 * day..4 * day) else { return (0.0, 0) };
    let of = |hour: usize| fourth[hour..hour + DOWN_S].iter().map(|moves| u64::from(*moves)).sum::<u64>();
    let begins = (0..day - DOWN_S).step_by(3600).max_by_key(|hour| of(*hour)).unwrap_or_default();
    let waiting = of(begins);
    let comes = fourth[begins + DOWN_S..].iter().enumerate().map(|(second, moves)| {
        let back = if second < COMING_BACK_S { waiting as f64 / COMING_BACK_S as f64 } else { 0.0 };
        f64::from(*moves) + back
    });
    (latest(comes, MOVES_A_SECOND), waiting)
}

impl Simulated {
    /// Prints what was counted.
    pub fn print(&self) {
        let ((matches, days), (lost, most)) = (self.size, self.time_outs);
        println!("{matches} matches with three days for a move, for {days} days:");
        println!("- {:.2} moves a match and day", self.moves_a_day);
        println!(
            "- the busiest hour has {:.2} times the moves of the mean one, the busiest second {:.2}",
            self.peak_hour, self.peak
        );
        println!("- {lost:.0} time-outs a day, {most} in one second at most");
        println!("- with {MOVES_A_SECOND:.0} moves a second a move waits at most {:.1} s", self.usual);
        let (late, waiting) = self.after_down_time;
        println!(
            "- after {} hours without service, {waiting} moves come within a minute: the last one waits {late:.0} s",
            DOWN_S / 3600
        );
        println!(
            "- {BOARDS:.0} boards begin in one second and {:.0} players never come: with {TIME_OUTS_A_SECOND:.0} \
             time-outs a second the last one is {:.0} s late",
            BOARDS * ABSENT,
            latest([BOARDS * ABSENT].into_iter(), TIME_OUTS_A_SECOND)
        );
    }
}
