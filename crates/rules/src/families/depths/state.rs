//! The whole truth of a depths battle, and its judging. Only events leave it; legality is checked elsewhere.
use alloc::{vec, vec::Vec};

use super::{
    Depths,
    action::{Action, ChargeAction, DepthsDeployAction, DepthsMoveAction, TorpedoAction},
    event::{Answer, Event, Hidden, Revealed},
    rules::{Rules, SUBMARINES, ship_number},
    suggest,
    surface::Surface,
    water::{Cell, Line, depth_index},
};
use crate::{
    chance::Draws,
    dice::Dice,
    families::family::{self, Decided},
    outcome::{Outcome, Reason},
    seat::Seat,
    table::Step,
};

#[derive(Clone)]
pub(crate) struct State {
    surface: Surface,
    /// The hidden pieces in each seat's sea, once deployed.
    hidden: [Option<Hidden>; 2],
    /// The seat that has resigned or run out of time.
    left: Option<Seat>,
}

impl family::State<Depths> for State {
    fn new(_rules: &Rules, _seats: u8) -> Self {
        Self { surface: Surface::new(), hidden: [None; 2], left: None }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.surface.first = first;
    }

    /// Removes a seat; with two seats that ends the match.
    fn leave(&mut self, _rules: &Rules, seat: Seat) -> Option<Step> {
        self.left = Some(seat);
        None
    }

    fn after_leaving(&self, _rules: &Rules, reason: Reason) -> Decided<Event> {
        (Vec::new(), self.left.map(|left| Outcome::won_by(left.other(), reason)))
    }

    fn drawn(&self) -> Outcome {
        Outcome::drawn(2)
    }

    fn decide(&self, rules: &Rules, seat: Seat, action: &Action, draws: &mut Draws<'_>) -> Option<Decided<Event>> {
        let event = match action {
            Action::Deploy(deploy) => deployed(rules, seat, deploy)?,
            Action::Move(sail) => self.sail(rules, seat, sail)?,
            Action::Charge(charge) => self.charge(rules, seat, charge)?,
            Action::Torpedo(torpedo) => launch(rules, seat, torpedo, draws)?,
            Action::EndTurn(_) => Event::TurnEnded { seat },
        };
        let mut surface = self.surface.clone();
        fold(&mut surface, rules, &event)?;
        Some((vec![event], surface.outcome(rules)))
    }

    fn deploy_auto(&self, rules: &Rules, _seat: Seat, dice: &mut Dice) -> Option<Action> {
        let (submarines, mine) = suggest::deployment(rules.waters(), dice);
        Some(Action::deploy(submarines, mine))
    }

    fn apply(&mut self, rules: &Rules, event: &Event) -> Option<Step> {
        match event {
            Event::Deployed { seat, submarines, mine } => {
                *self.hidden.get_mut(seat.index())? = Some(Hidden::new(*submarines, *mine));
            }
            Event::Charged { seat, cell, answer: Answer::Hit, .. } => {
                if let Some(hidden) = self.hidden.get_mut(seat.other().index())? {
                    hidden.sink(Cell(*cell));
                }
            }
            _ => {}
        }
        fold(&mut self.surface, rules, event)
    }

    fn reveal(&self) -> Event {
        Event::Revealed { seas: self.hidden.iter().map(|hidden| Revealed { hidden: *hidden }).collect() }
    }
}

impl State {
    /// A ship that ends its move on the enemy's mine is sunk with it.
    fn sail(&self, rules: &Rules, seat: Seat, sail: &DepthsMoveAction) -> Option<Event> {
        let ship = ship_number(&sail.ship)?;
        let waters = rules.waters();
        let path: Option<Vec<u8>> =
            sail.path.iter().map(|label| waters.parse_place(label).map(|place| waters.number(place))).collect();
        let path = path?;
        let enemy = seat.other().index();
        let lies = self.hidden.get(enemy)?.filter(|_| self.surface.exploded[enemy].is_none()).map(|hidden| hidden.mine);
        let mine = path.last().copied() == lies;
        Some(Event::Moved { seat, ship, path, mine })
    }

    /// The result of a charge of this ship at this depth.
    fn charge(&self, rules: &Rules, seat: Seat, charge: &ChargeAction) -> Option<Event> {
        let ship = ship_number(&charge.ship)?;
        let at = self.surface.fleets.get(seat.index())?.get(usize::from(ship))?.at;
        if at.is_port() {
            return None;
        }
        let waters = rules.waters();
        let cell = waters.cell(at, depth_index(charge.depth)?);
        let hidden = self.hidden.get(seat.other().index())?.as_ref()?;
        let near = |lies: &Cell| waters.are_near(rules.charge, cell, *lies);
        let answer = if hidden.afloat().any(|lies| lies == cell) {
            Answer::Hit
        } else {
            match hidden.afloat().filter(near).count() as u8 {
                0 => Answer::Miss,
                count => Answer::Near { count },
            }
        };
        Some(Event::Charged { seat, ship, cell: cell.0, answer })
    }
}

/// Applies the public part of an event.
fn fold(surface: &mut Surface, rules: &Rules, event: &Event) -> Option<Step> {
    match event {
        Event::Deployed { seat, .. } => surface.deploy(*seat),
        Event::Moved { seat, ship, path, mine } => {
            surface.sail(*seat, *ship, rules.waters().place(*path.last()?), *mine)
        }
        Event::Charged { seat, ship, answer, .. } => surface.charge(*seat, *ship, *answer == Answer::Hit),
        Event::Torpedoed { seat, target, line, hit, .. } => surface.torpedo(*seat, *target, Line(*line), *hit),
        Event::TurnEnded { seat } => surface.end_turn(rules, *seat),
        Event::Revealed { .. } => None,
    }
}

fn deployed(rules: &Rules, seat: Seat, deploy: &DepthsDeployAction) -> Option<Event> {
    let waters = rules.waters();
    let cells = deploy.submarines.iter().map(|label| waters.parse_cell(label).map(|cell| cell.0));
    let cells: Option<Vec<u8>> = cells.collect();
    let submarines: [u8; SUBMARINES] = cells?.try_into().ok()?;
    Some(Event::Deployed { seat, submarines, mine: waters.parse_square(&deploy.mine)?.0 })
}

/// Launches a torpedo; chance alone decides whether it hits.
fn launch(rules: &Rules, seat: Seat, torpedo: &TorpedoAction, draws: &mut Draws<'_>) -> Option<Event> {
    let target = ship_number(&torpedo.target)?;
    let line = rules.waters().parse_line(rules.lines, &torpedo.line)?.0;
    let draw = draws.number();
    let drawn = draws.below(rules.torpedo_hits.of.into()) as u8;
    Some(Event::Torpedoed { seat, target, line, draw, drawn, hit: drawn < rules.torpedo_hits.hits })
}
