//! The edge of who fires first: duels between players who play alike, and how many of them the first one wins.
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use broadside_rules::{
    Battle, Chance, Clock, Dice, Report, RuleSet, Seat, Setup, Status, Variant, View, Viewer, disclose, variants,
};

use super::{AT, gunner::Gunner};

/// How both play.
#[derive(Clone, Copy, PartialEq)]
enum Play {
    /// By counting where ships may lie.
    Counting,
    /// By lot: the table's examples.
    Lot,
}

/// What came of some duels.
#[derive(Clone, Copy, Default)]
struct Tally {
    duels: u64,
    /// Won by who fired first.
    first: u64,
    /// Drawn.
    drawn: u64,
    /// Turns of whoever fired more often.
    turns: u64,
}

/// One duel: whether who fired first has won (none: it was drawn), and how many salvos there were.
fn duel(variant: &Variant, play: Play, seed: u64) -> (Option<bool>, u64) {
    let RuleSet::Gunnery(rules) = variant.rule_set() else { unreachable!("only such variants are asked for") };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let mut dice = Dice::from_seed(bytes);
    let setup = Setup::new(variant.rule_set(), Clock::none());
    let chance = Chance::new(&dice.bytes(), &[]);
    let mut battle = Battle::new(setup.clone());
    let mut views = [0, 1].map(|seat| View::new(&setup, Viewer::Seat(Seat(seat))));
    let mut players = [0, 1].map(|seat| Gunner::new(Seat(seat), &rules));
    let (mut first, mut salvos) = (None, 0);
    let mut events = Battle::open(&setup, &chance);
    loop {
        for event in &events {
            battle.apply(event, AT);
            for (view, player) in views.iter_mut().zip(&mut players) {
                if let Some(report) = disclose(&setup, event, view.viewer()) {
                    view.learn(&report, AT);
                    if let Report::Family(report) = &report {
                        player.hear(report);
                    }
                }
            }
        }
        if battle.status() == Status::Finished {
            let winner = battle.outcome().and_then(|outcome| outcome.winner);
            return (winner.map(|winner| Some(winner) == first), salvos);
        }
        let seat = battle.to_act().iter().next().expect("somebody must act");
        if battle.status() == Status::Playing {
            first = first.or(Some(seat));
            salvos += 1;
        }
        let view = &views[seat.index()];
        let action = match play {
            Play::Counting => players[seat.index()].choose(view, &mut dice),
            Play::Lot => view.decisions(dice.bytes())[0].example(),
        };
        events = battle.decide(seat, &action, &mut dice, &chance);
        assert!(!events.is_empty(), "a legal action brings something about");
    }
}

/// So many duels, on all cores.
fn season(variant: &'static Variant, play: Play, duels: usize, seed: u64) -> Tally {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || {
            let mut tally = Tally::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= duels {
                    return tally;
                }
                let (first_won, salvos) = duel(variant, play, seed << 40 | number as u64);
                tally.duels += 1;
                tally.turns += salvos;
                tally.first += u64::from(first_won == Some(true));
                tally.drawn += u64::from(first_won.is_none());
            }
        };
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|worker| worker.join().expect("a worker")).fold(Tally::default(), |sum, part| Tally {
            duels: sum.duels + part.duels,
            first: sum.first + part.first,
            drawn: sum.drawn + part.drawn,
            turns: sum.turns + part.turns,
        })
    })
}

/// Prints, as Markdown, what share of the duels of each variant with guns the first player wins.
pub fn table(duels: usize, seed: u64) {
    println!("| variant | first wins, counting | salvos a duel | first wins, by lot | salvos a duel |");
    println!("|---|---|---|---|---|");
    for variant in variants().iter().filter(|variant| matches!(variant.rule_set(), RuleSet::Gunnery(_))) {
        let columns = [Play::Counting, Play::Lot].map(|play| {
            let tally = season(variant, play, duels, seed);
            let played = tally.duels as f64;
            // A draw is half a win; 95 % of such samples lie so near to the true share.
            let share = (tally.first as f64 + tally.drawn as f64 / 2.0) / played;
            let within = 1.96 * (share * (1.0 - share) / played).sqrt();
            format!("{:.1} % ± {:.1} | {:.0}", share * 100.0, within * 100.0, tally.turns as f64 / played)
        });
        println!("| `{}` | {} |", variant.id, columns.join(" | "));
    }
}
