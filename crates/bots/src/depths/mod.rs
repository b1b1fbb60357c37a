//! The player of the hunt for submarines: surface ships with depth charges above, torpedoes from below.
mod hunt;
mod waters;

use broadside_rules::families::depths::{
    Rules,
    rules::{Torpedoes, WithoutMove},
};
use serde_json::Value;

use crate::{
    Level,
    luck::Luck,
    sampler::Effort,
    view::{View, number, texts},
};
use hunt::Hunt;
use waters::{Fleet, Waters};

/// The effort of an answer.
const EFFORT: Effort = Effort { chains: 4, sweeps: 100, kept: 160, share: 1 };
/// The worth of information, for each natural unit.
const KNOWING: f32 = 0.05;
/// The worth of a chance that takes one more move.
const LATER: f32 = 0.6;
/// The number of drawn deployments, of which one is chosen.
const DEPLOYMENTS: usize = 30;
/// The number of turns without a torpedo that halves the fear of torpedoes.
const FEAR: f32 = 6.0;

pub(crate) fn choose(rules: &Rules, view: &View, reports: &[Value], level: Level, luck: &mut Luck) -> Option<Value> {
    let waters = Waters::new(rules);
    if let Some(decision) = view.required("depths-deploy").next() {
        return if level == Level::Easy { None } else { deploy(&waters, decision, luck) };
    }
    if level == Level::Easy {
        return None;
    }
    let hunt = Hunt::new(&waters, view, reports, EFFORT, luck);
    let turn = Turn { waters: &waters, view, hunt, careful: level == Level::Strong, torpedoes: feared(view, reports) };
    turn.choose(luck)
}

/// A deployment with submarines in many lines, and the mine near the ships' way out of port.
fn deploy(waters: &Waters<'_>, decision: &Value, luck: &mut Luck) -> Option<Value> {
    let cells: Vec<&str> = texts(&decision["submarines"]["cells"]).collect();
    let mines: Vec<&str> = texts(&decision["mines"]).collect();
    let mut drawn: Vec<(usize, [&str; 3])> = Vec::new();
    for _ in 0..DEPLOYMENTS {
        let three = [*luck.pick(&cells)?, *luck.pick(&cells)?, *luck.pick(&cells)?];
        let squares: Vec<usize> =
            three.iter().filter_map(|label| waters.cell(label)).map(|cell| waters.above(cell)).collect();
        let reached = |line: &&Vec<usize>| squares.iter().any(|square| line.contains(square));
        let lines = waters.lines.iter().filter(reached).count();
        if three[0] != three[1] && three[0] != three[2] && three[1] != three[2] {
            drawn.push((lines, three));
        }
    }
    drawn.sort_by_key(|(lines, _)| std::cmp::Reverse(*lines));
    drawn.truncate(drawn.len().div_ceil(3));
    let (_, three) = luck.pick(&drawn)?;
    let squares: Vec<usize> =
        three.iter().filter_map(|label| waters.cell(label)).map(|cell| waters.above(cell)).collect();
    let near = |label: &&str| {
        let square = waters.square(label)?;
        (!squares.contains(&square)).then(|| waters.steps_from_port(square))
    };
    let near: Vec<&str> = mines.iter().filter(|label| near(label).is_some_and(|steps| steps <= 3)).copied().collect();
    let mut action = decision["example"].clone();
    action["mine"] = (*luck.pick(&near)?).into();
    action["submarines"] = three.iter().copied().collect();
    Some(action)
}

/// The weight of the enemy's torpedoes: less, the longer it fires none.
fn feared(view: &View, reports: &[Value]) -> f32 {
    let by_enemy = |report: &&Value| report["seat"].as_u64() != view.viewer.seat.map(u64::from);
    let of = |kind: &str| reports.iter().filter(by_enemy).filter(|report| report["type"] == kind).count() as f32;
    ((FEAR + of("torpedoed")) / (FEAR + of("turn-ended"))).min(1.0)
}

/// A turn, or the rest of it.
struct Turn<'t, 'r> {
    waters: &'t Waters<'r>,
    view: &'t View,
    hunt: Hunt,
    /// Does it weigh the danger, and its next positions?
    careful: bool,
    torpedoes: f32,
}

/// A possible step and its worth.
type Step = (f32, Value);

impl Turn<'_, '_> {
    fn choose(&self, luck: &mut Luck) -> Option<Value> {
        let fleet = &self.hunt.own;
        let moving = self.view.required("move").next();
        let charging = self.view.required("charge").next();
        let (mut moves, mut stays) = (Vec::new(), Vec::new());
        if let Some(decision) = moving {
            self.judge_moves(decision, &mut moves);
        }
        if let Some(decision) = charging {
            self.judge_charges(decision, fleet, &mut stays);
        }
        luck.shuffle(&mut moves);
        luck.shuffle(&mut stays);
        let best = |steps: Vec<Step>| steps.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (sail, charge) = (best(moves), best(stays));
        let torpedo = self.torpedo();
        let idle = self.standing(fleet);
        // A turn without a move may have to choose between a charge and torpedoes.
        let either = self.waters.rules.without_move == WithoutMove::ChargeOrTorpedo && moving.is_some();
        let charge =
            charge.filter(|(worth, _)| !either || torpedo.as_ref().is_none_or(|(gain, _)| worth - idle > *gain));
        if let Some((worth, sail)) = sail {
            let staying = charge.as_ref().map_or(idle, |charge| charge.0.max(idle));
            let can_stay = charge.is_some() || torpedo.is_some();
            if worth > staying || !can_stay {
                return Some(sail);
            }
        }
        if let Some((worth, charge)) = charge
            && (worth > idle || torpedo.is_none() && moving.is_some())
        {
            return Some(charge);
        }
        let end = self.view.required("end-turn").next();
        torpedo.map(|(_, torpedo)| torpedo).or_else(|| end.map(|end| end["example"].clone()))
    }

    /// The worth of ending the turn like this.
    fn standing(&self, fleet: &Fleet) -> f32 {
        if !self.careful {
            return 0.0;
        }
        let afloat = fleet.ships.iter().filter(|ship| ship.afloat).count().max(1) as f32;
        let one = self.waters.rules.torpedoes == Torpedoes::One;
        self.hunt.outlook(self.waters, fleet, LATER)
            - self.hunt.danger(self.waters, fleet, one) * self.torpedoes / afloat
    }

    fn judge_moves(&self, decision: &Value, moves: &mut Vec<Step>) {
        let fleet = &self.hunt.own;
        let afloat = fleet.ships.iter().filter(|ship| ship.afloat).count().max(1) as f32;
        for choice in decision["ships"].as_array().into_iter().flatten() {
            let Some(number) = fleet.ships.iter().position(|ship| choice["ship"] == ship.id.as_str()) else { continue };
            for way in choice["ways"].as_array().into_iter().flatten() {
                let Some(to) = way["to"].as_str() else { continue };
                let mut after = fleet.clone();
                let ship = &mut after.ships[number];
                ship.at = self.waters.square(to);
                if ship.at.is_none() {
                    ship.charges = ship.full;
                }
                let charged = ship.at.filter(|_| ship.charges > 0).map(|square| {
                    let mut spent = after.clone();
                    spent.ships[number].charges -= 1;
                    self.standing(&spent) + self.hunt.best_charge(self.waters, square, KNOWING)
                });
                let mined = after.ships[number].at.map_or(0.0, |square| self.hunt.mined(square));
                let worth = charged.unwrap_or(f32::MIN).max(self.standing(&after)) - mined / afloat;
                let mut action = decision["example"].clone();
                action["ship"] = choice["ship"].clone();
                action["path"] = way["path"].clone();
                moves.push((worth, action));
            }
        }
    }

    fn judge_charges(&self, decision: &Value, fleet: &Fleet, charges: &mut Vec<Step>) {
        for choice in decision["ships"].as_array().into_iter().flatten() {
            let Some(number) = fleet.ships.iter().position(|ship| choice["ship"] == ship.id.as_str()) else { continue };
            let Some(square) = fleet.ships[number].at else { continue };
            let mut spent = fleet.clone();
            spent.ships[number].charges = spent.ships[number].charges.saturating_sub(1);
            let after = self.standing(&spent);
            for depth in decision["depths"].as_array().into_iter().flatten() {
                let cell = self.waters.below(square, number_of(depth));
                let mut action = decision["example"].clone();
                action["ship"] = choice["ship"].clone();
                action["depth"] = depth.clone();
                charges.push((after + self.hunt.charge(self.waters, cell, KNOWING), action));
            }
        }
    }

    /// The most effective torpedo, and its worth: most submarines can fire, at the ship with most charges.
    fn torpedo(&self) -> Option<Step> {
        let decision = self.view.required("torpedo").next()?;
        let enemy = &self.hunt.enemy;
        let afloat = enemy.ships.iter().filter(|ship| ship.afloat).count().max(1) as f32;
        let worth = |choice: &&Value| {
            let ship = enemy.ships.iter().find(|ship| choice["target"] == ship.id.as_str());
            (number(&choice["ready"], 1), ship.map_or(0, |ship| ship.charges))
        };
        let best = decision["targets"].as_array()?.iter().max_by_key(worth)?;
        let mut action = decision["example"].clone();
        action["target"] = best["target"].clone();
        action["line"] = best["line"].clone();
        Some((self.waters.sinks(i32::from(number(&best["ready"], 1))) / afloat, action))
    }
}

fn number_of(depth: &Value) -> usize {
    usize::from(number(depth, 100) / 100).saturating_sub(1)
}
