//! Matches between players, one after another on every core.
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use broadside_rules::{
    Action, Battle, Chance, Dice, Outcome, Report, Seat, Setup, Status, Time, View, Viewer, disclose, families,
};

use super::Effort;

const AT: Time = Time(0);

/// A player, who sees only a view.
pub trait Hand {
    /// Takes in the family's report; the view has learned it already.
    fn hear(&mut self, view: &View, report: &families::Report);

    /// The next action.
    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action>;
}

/// A player by lot, by the examples of the decisions.
pub struct Lot;

impl Hand for Lot {
    fn hear(&mut self, _view: &View, _report: &families::Report) {}

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        view.decisions(dice.bytes()).first().map(|decision| decision.example())
    }
}

/// A finished match.
pub struct Played {
    /// The outcome.
    pub outcome: Outcome,
    /// The first seat to act in the battle.
    pub first: Seat,
    /// The number of actions of the battle.
    pub turns: u64,
}

/// Plays a match between the players that `hand` seats; `None` if one of them has no action, or an illegal one.
#[must_use]
pub fn play(setup: &Setup, seed: u64, hand: &dyn Fn(Seat) -> Box<dyn Hand>) -> Option<Played> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let mut dice = Dice::from_seed(bytes);
    let chance = Chance::new(&dice.bytes(), &[]);
    let mut battle = Battle::new(setup.clone());
    let seats = (0..setup.seats).map(Seat);
    let mut players: Vec<(View, Box<dyn Hand>)> =
        seats.map(|seat| (View::new(setup, Viewer::Seat(seat)), hand(seat))).collect();
    let (mut first, mut turns) = (None, 0);
    let mut events = Battle::open(setup, &chance);
    while !events.is_empty() {
        for event in &events {
            battle.apply(event, AT);
            for (view, player) in &mut players {
                let Some(report) = disclose(setup, event, view.viewer()) else { continue };
                view.learn(&report, AT);
                if let Report::Family(report) = &report {
                    player.hear(view, report);
                }
            }
        }
        if battle.status() == Status::Finished {
            return Some(Played { outcome: battle.outcome()?.clone(), first: first?, turns });
        }
        let seat = battle.to_act().iter().next()?;
        if battle.status() == Status::Playing {
            first = first.or(Some(seat));
            turns += 1;
        }
        let (view, player) = players.get_mut(seat.index())?;
        let action = player.choose(view, &mut dice)?;
        events = battle.decide(seat, &action, &mut dice, &chance);
    }
    None
}

/// Plays matches by their numbers on all cores, until all are played or the time is over; sums up their results.
#[expect(clippy::disallowed_methods, reason = "it measures how long it has been playing")]
pub fn season<T: Send>(
    effort: &Effort,
    total: usize,
    match_of: impl Fn(usize) -> Option<T> + Sync,
    mut add: impl FnMut(T) + Send,
) {
    let began = Instant::now();
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let sum = Mutex::new(&mut add);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while began.elapsed() < effort.time {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= total {
                        return;
                    }
                    if let (Some(played), Ok(mut add)) = (match_of(number), sum.lock()) {
                        add(played);
                    }
                }
            });
        }
    });
}
