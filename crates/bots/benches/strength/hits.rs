//! The test for hits that are too good: the rate of suspicions of honest players, and the delay for one who sees a
//! ship.
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use broadside_balance::{Hand, play};
use broadside_bots::{HitOdds, Level};
use broadside_contests::fair_play::{HitTest, Salvo};
use broadside_rules::{
    Action, Clock, Decision, Dice, RuleSet, Seat, Setup, Variant, View,
    families::{
        self,
        gunnery::{
            action::Action as GunneryAction,
            decision::{Decision as GunneryDecision, FireDecision},
            report::{DeployedReport, FiredReport, Report},
        },
    },
    text::Label,
};
use serde_json::{Value, json, to_value};

use crate::{Options, hands::Ours, watch::processor_time};

const MATCHES: usize = 100;

/// The cells of the ships of both seats.
type Fleets = Rc<RefCell<[Vec<Vec<Label>>; 2]>>;
/// The salvos of the judged seat.
type Salvos = Rc<RefCell<Vec<Salvo>>>;

/// A player whose fleet is recorded, and whose salvos may be judged.
struct Judged {
    seat: Seat,
    hand: Box<dyn Hand>,
    fleets: Fleets,
    /// The odds, the recorded salvos, and the processor time of the odds; `None`: not judged.
    judged: Option<(Rc<HitOdds>, Salvos, Rc<Cell<Duration>>)>,
    /// The view before the last decision, and the reports until then.
    before: Value,
    told: Vec<Value>,
}

impl Hand for Judged {
    fn hear(&mut self, view: &View, report: &families::Report) {
        match (report, &self.judged) {
            (families::Report::Gunnery(Report::Deployed(DeployedReport { seat, ships: Some(ships), .. })), _)
                if *seat == self.seat =>
            {
                self.fleets.borrow_mut()[seat.index()] = ships.iter().map(|ship| ship.cells.clone()).collect();
            }
            (families::Report::Gunnery(Report::Fired(FiredReport { seat, shots, .. })), Some((odds, salvos, took)))
                if *seat == self.seat =>
            {
                let fired = to_value(report).unwrap();
                let begun = processor_time();
                let expected = odds.hits(&self.before, &self.told, &fired).unwrap().unwrap();
                took.set(took.get() + processor_time().saturating_sub(begun));
                let fleets = self.fleets.borrow();
                let enemy: Vec<&Label> = fleets[seat.other().index()].iter().flatten().collect();
                let hits = shots.iter().filter(|shot| enemy.contains(&&shot.cell)).count();
                salvos.borrow_mut().push(Salvo { shots: shots.len() as u32, hits: hits as u32, expected });
            }
            _ => {}
        }
        self.told.push(to_value(report).unwrap());
        self.hand.hear(view, report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        self.before = json!({
            "viewer": {"seat": view.viewer().seat()}, "version": view.version(), "seas": view.seas(), "decisions": [],
        });
        self.hand.choose(view, dice)
    }
}

/// The kinds of judged players.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Fires like the level.
    Honest,
    /// Sees one ship of the enemy, and fires at it after this many salvos without a hit.
    Sees { after: u32 },
}

impl Kind {
    pub const CHEATS: [Self; 4] =
        [Self::Sees { after: 0 }, Self::Sees { after: 2 }, Self::Sees { after: 5 }, Self::Sees { after: 10 }];
}

/// The possible target cells of a seat, with the least and the most shots; `None`: it isn't its turn to fire.
fn fire(view: &View, dice: &mut Dice) -> Option<FireDecision> {
    view.decisions(dice.bytes()).into_iter().find_map(|decision| match decision {
        Decision::Family(families::Decision::Gunnery(GunneryDecision::Fire(fire))) => Some(fire),
        _ => None,
    })
}

/// A cheat who sees one ship of the enemy, and fires at it after some salvos without a hit.
struct Peeking {
    seat: Seat,
    hand: Box<dyn Hand>,
    fleets: Fleets,
    after: u32,
    /// The number of salvos without a hit; `None`: one has hit, and the rest is honest.
    missed: Option<u32>,
}

impl Hand for Peeking {
    fn hear(&mut self, view: &View, report: &families::Report) {
        if let families::Report::Gunnery(Report::Fired(FiredReport { seat, shots, .. })) = report
            && *seat == self.seat
        {
            let fleets = self.fleets.borrow();
            let enemy: Vec<&Label> = fleets[seat.other().index()].iter().flatten().collect();
            let hit = shots.iter().any(|shot| enemy.contains(&&shot.cell));
            self.missed = self.missed.filter(|_| !hit).map(|missed| missed + 1);
        }
        self.hand.hear(view, report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let action = self.hand.choose(view, dice);
        if self.missed.is_none_or(|missed| missed < self.after) {
            return action;
        }
        let Some(fire) = fire(view, dice) else { return action };
        let fleets = self.fleets.borrow();
        let Some(ship) = fleets[self.seat.other().index()].first() else { return action };
        let seen = ship.iter().filter(|cell| fire.targets.contains(cell));
        let cells: Vec<Label> = seen.take(usize::from(fire.shots.max)).cloned().collect();
        if cells.len() < usize::from(fire.shots.min) || cells.is_empty() {
            return action;
        }
        Some(Action::Family(families::Action::Gunnery(GunneryAction::fire_at(fire.target, cells))))
    }
}

/// An enemy that places its fleet like the level and fires at water, so that the judged seat fires until the fleet is
/// sunk: no time is spent on unjudged salvos.
struct Harmless {
    seat: Seat,
    hand: Box<dyn Hand>,
    fleets: Fleets,
}

impl Hand for Harmless {
    fn hear(&mut self, view: &View, report: &families::Report) {
        self.hand.hear(view, report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let Some(fire) = fire(view, dice) else { return self.hand.choose(view, dice) };
        let fleets = self.fleets.borrow();
        let prey: Vec<&Label> = fleets[self.seat.other().index()].iter().flatten().collect();
        let mut cells = fire.targets.clone();
        cells.sort_by_key(|cell| prey.contains(&cell));
        cells.truncate(usize::from(fire.shots.max));
        Some(Action::Family(families::Action::Gunnery(GunneryAction::fire_at(fire.target, cells))))
    }
}

/// The measurements of one player after the other.
struct Suspicion {
    test: HitTest,
    /// The number of matches until the suspicion.
    after: Option<usize>,
    played: usize,
    /// The processor time of the odds.
    took: Duration,
}

/// A player's matches, one after the other; those of a cheat until the suspicion.
fn career(rules: &RuleSet, level: Level, kind: Kind, seed: u64) -> Suspicion {
    let odds = Rc::new(HitOdds::new(rules, seed).unwrap());
    let mut suspicion = Suspicion { test: HitTest::default(), after: None, played: 0, took: Duration::ZERO };
    let took = Rc::new(Cell::default());
    for number in 0..MATCHES {
        let seed = seed << 16 | number as u64;
        let (fleets, salvos) = (Fleets::default(), Salvos::default());
        let ours = Seat((number % 2) as u8);
        let seated = |seat: Seat| -> Box<dyn Hand> {
            let own = if seat == ours { level } else { Level::Normal };
            let hand: Box<dyn Hand> = Box::new(Ours::new(rules, own, seed ^ u64::from(seat.0) << 60));
            let hand: Box<dyn Hand> = match kind {
                _ if seat != ours => Box::new(Harmless { seat, hand, fleets: fleets.clone() }),
                Kind::Honest => hand,
                Kind::Sees { after } => {
                    Box::new(Peeking { seat, hand, fleets: fleets.clone(), after, missed: Some(0) })
                }
            };
            let judged = (seat == ours).then(|| (odds.clone(), salvos.clone(), took.clone()));
            Box::new(Judged { seat, hand, fleets: fleets.clone(), judged, before: Value::Null, told: Vec::new() })
        };
        play(&Setup::new(rules.clone(), Clock::none()), seed, &seated).expect("every answer is legal");
        suspicion.test.take_in(&salvos.borrow());
        suspicion.played += 1;
        if suspicion.test.is_suspect() {
            suspicion.after = suspicion.after.or(Some(number + 1));
            if matches!(kind, Kind::Sees { .. }) {
                break;
            }
        }
    }
    suspicion.took = took.get();
    suspicion
}

/// Plays as many careers as there are matches for, and prints the results.
pub fn suspects(variant: &Variant, rules: &RuleSet, level: Level, kind: Kind, options: &Options) {
    if HitOdds::new(rules, 0).is_none() {
        return;
    }
    let players = (options.games / MATCHES).max(1);
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= players {
                        return;
                    }
                    let suspicion = career(rules, level, kind, options.seed << 32 | number as u64);
                    all.lock().unwrap().push(suspicion);
                }
            });
        }
    });
    let all = all.into_inner().unwrap();
    let sum = |of: fn(&HitTest) -> f64| all.iter().map(|one| of(&one.test)).sum::<f64>();
    let ratio = sum(|test| test.hits() as f64) / sum(HitTest::expected);
    let most = all.iter().map(|one| one.test.evidence()).fold(0.0, f64::max);
    let reached = [10.0, 100.0, 1000.0].map(|n| all.iter().filter(|one| one.test.evidence() >= n).count().to_string());
    let mut after: Vec<usize> = all.iter().filter_map(|one| one.after).collect();
    after.sort_unstable();
    let middle = after.get(players / 2).map_or("-".to_owned(), ToString::to_string);
    let who = match kind {
        Kind::Honest => "honest".to_owned(),
        Kind::Sees { after } => format!("sees a ship, fires at it after {after} misses"),
    };
    let (found, reached) = (after.len(), reached.join(", "));
    let played: usize = all.iter().map(|one| one.played).sum();
    let took_ms = all.iter().map(|one| one.took.as_secs_f64()).sum::<f64>() * 1e3 / played as f64;
    println!(
        "| {} | {}, {who} | {} | {took_ms:.1} | {ratio:.3} | {most:.1e} | {reached} | {found} of {players} | {middle} |",
        variant.id,
        level.name(),
        played
    );
}
