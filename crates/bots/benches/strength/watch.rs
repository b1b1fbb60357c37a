//! Players under measurement, and a harmless enemy.
use std::{cell::RefCell, rc::Rc, time::Duration};

use broadside_balance::Hand;
use broadside_rules::{
    Action, Decision, Dice, Seat, View,
    families::{
        self,
        gunnery::{
            action::Action as GunneryAction,
            decision::Decision as GunneryDecision,
            report::{DeployedReport, FiredReport, Report},
        },
    },
    text::Label,
};

/// The processor time of this thread, which other threads don't affect, unlike wall time.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The measurements of a seat.
#[derive(Default, Clone)]
pub struct Watched {
    pub shots: u32,
    pub turns: u32,
    fleet: Vec<Label>,
    /// The processor time of each answer.
    pub times: Vec<Duration>,
}

pub type Shared = Rc<RefCell<Watched>>;

/// A player under measurement.
pub struct Watching {
    pub seat: Seat,
    pub hand: Box<dyn Hand>,
    pub watched: Shared,
}

impl Hand for Watching {
    fn hear(&mut self, view: &View, report: &families::Report) {
        let mut watched = self.watched.borrow_mut();
        match report {
            families::Report::Gunnery(Report::Deployed(DeployedReport { seat, ships: Some(ships), .. }))
                if *seat == self.seat =>
            {
                watched.fleet = ships.iter().flat_map(|ship| ship.cells.clone()).collect();
            }
            families::Report::Gunnery(Report::Fired(FiredReport { seat, shots, .. })) if *seat == self.seat => {
                watched.shots += shots.len() as u32;
                watched.turns += 1;
            }
            families::Report::Gunnery(Report::Scanned(report)) if report.seat == self.seat => watched.turns += 1,
            _ => {}
        }
        drop(watched);
        self.hand.hear(view, report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let begun = processor_time();
        let action = self.hand.choose(view, dice);
        self.watched.borrow_mut().times.push(processor_time().saturating_sub(begun));
        action
    }
}

/// An enemy that is harmless as long as it can be: it fires at empty cells.
pub struct Lamb {
    pub prey: Shared,
}

impl Hand for Lamb {
    fn hear(&mut self, _view: &View, _report: &families::Report) {}

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let decisions = view.decisions(dice.bytes());
        let fire = decisions.iter().find_map(|decision| match decision {
            Decision::Family(families::Decision::Gunnery(GunneryDecision::Fire(fire))) => Some(fire.clone()),
            _ => None,
        });
        let Some(fire) = fire else { return decisions.first().map(Decision::example) };
        let fleet = &self.prey.borrow().fleet;
        let mut targets = fire.targets.clone();
        dice.shuffle(&mut targets);
        targets.sort_by_key(|cell| fleet.contains(cell));
        targets.truncate(usize::from(fire.shots.max));
        Some(Action::Family(families::Action::Gunnery(GunneryAction::fire_at(fire.target, targets))))
    }
}
