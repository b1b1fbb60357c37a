//! The processor time of answers in rule sets that nobody chose for it: random ones, like those of the rules' own
//! tests.
use broadside_balance::{Hand, play};
use broadside_bots::Level;
use broadside_rules::{Clock, Dice, RuleSet, Seat, Setup};

use super::{
    Options, Sum,
    hands::Ours,
    navies, random,
    watch::{Shared, Watching},
};

/// A source of random rule sets; a draw may fail.
type Random = fn(&mut Dice) -> Option<RuleSet>;

/// Plays this many matches of each family at each level, with as many seats as possible at that level, and prints the
/// times.
pub fn times(options: &Options) {
    let families: [(&str, Random); 3] = [
        ("gunnery", |dice| random::customised(&random::random_changes(dice)).ok()),
        ("depths", |dice| Some(random::random_depths(dice))),
        ("salvos", |dice| Some(navies::random_salvos(dice))),
    ];
    println!("\n| family | level | rule sets | answers | ms, p50 | p99 | most |\n|{}", "---|".repeat(7));
    for (family, random) in families {
        for level in Level::ALL {
            let mut sum = Sum::default();
            for number in 0..options.games as u64 {
                let mut dice = dice(options.seed << 32 | number);
                let Some(rules) = random(&mut dice) else { continue };
                sum.played += 1.0;
                sum.times.extend(answers(&rules, level, number));
            }
            let (played, answers, times) = (sum.played, sum.times.len(), sum.times());
            println!("| {family} | {} | {played} | {answers} | {times} |", level.name());
        }
    }
}

/// The time of each answer of a match.
fn answers(rules: &RuleSet, level: Level, seed: u64) -> Vec<std::time::Duration> {
    let mut setup = Setup::new(rules.clone(), Clock::none());
    setup.seats = rules.seats().1;
    let watched = Shared::default();
    let hand = |seat: Seat| -> Box<dyn Hand> {
        let hand = Box::new(Ours::new(rules, level, seed));
        Box::new(Watching { seat, hand, watched: watched.clone() })
    };
    let _ = play(&setup, seed, &hand);
    watched.take().times
}

fn dice(seed: u64) -> Dice {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    Dice::from_seed(bytes)
}
