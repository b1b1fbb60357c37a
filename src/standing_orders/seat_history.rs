//! How a match stood for one seat after some entry, with the reports up to it. It is folded from the log: the state in
//! memory has only the newest entry, and no reports.

use std::collections::BTreeMap;

use broadside_rules::view_model::SeatState;
use broadside_rules::{Action, Clock, Report, Rest, Seat, Time, View, Viewer};
use serde_json::{Map, Value};

use super::tree::{Delay, StandingOrder, kind};
use crate::error::{Error, Result};
use crate::matches::StoredMatch;
use crate::matches::match_state::{MatchState, entry};
use crate::matches::notify::must_act;

/// The usual delay takes no more than this part of a bank: a twentieth.
const BANK_SHARE: i64 = 20;

/// How a match stood for one seat.
pub(super) struct SeatHistory {
    state: MatchState,
    seat: Seat,
    /// Since when the seat has had to act, without a step of its own; `None`: it hasn't to.
    pub since: Option<Time>,
    /// Whether its own step was the last before that: its turn is under way.
    pub is_step: bool,
    told: Vec<Report>,
    /// Where the reports from its last action of each type on begin.
    from: BTreeMap<String, usize>,
}

impl SeatHistory {
    /// After the first `length` entries of a stored match.
    pub fn of(mut stored: StoredMatch, length: usize, seat: Seat) -> Result<Self> {
        let entries = std::mem::take(&mut stored.entries);
        let state = MatchState::fold(stored, 0)?;
        let mut history = Self { state, seat, since: None, is_step: false, told: Vec::new(), from: BTreeMap::new() };
        for bytes in entries.iter().take(length) {
            history.take(bytes)?;
        }
        Ok(history)
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        let entry = entry(bytes, &self.state.terms)?;
        let setup = &self.state.terms.setup;
        let asked = entry.events.iter().filter_map(|event| event.asked(setup));
        // What is said at the table is no step of the battle.
        let own: Vec<String> = asked
            .filter(|(seat, action)| *seat == self.seat && !matches!(action, Action::Table(_)))
            .map(|(_, action)| Ok(type_of(&serde_json::to_value(action).map_err(Error::internal)?)))
            .collect::<Result<_>>()?;
        let learnt = self.state.absorb(&entry, bytes);
        let stepped = !own.is_empty();
        self.from.extend(own.into_iter().map(|kind| (kind, self.told.len())));
        self.told.extend(learnt.into_iter().nth(self.seat.index()).unwrap_or_default());
        if !must_act(self.view(), self.seat) {
            self.since = None;
        } else if self.since.is_none() || stepped {
            self.since = Some(entry.at);
            self.is_step = stepped;
        }
        Ok(())
    }

    /// What the seat knows.
    pub fn view(&self) -> &View {
        self.state.view(Viewer::Seat(self.seat))
    }

    /// How many entries have been taken in.
    pub fn length(&self) -> usize {
        self.state.seq as usize
    }

    /// A secret of the match: what follows from it can't be predicted.
    pub fn secret(&self) -> &[u8; 32] {
        &self.state.terms.seed
    }

    /// The types of the actions that the match waits for from the seat.
    pub fn asked(&self) -> Result<Vec<String>> {
        let decisions = self.view().decisions(self.state.terms.seed);
        let examples = decisions.iter().filter(|decision| decision.required()).map(|decision| decision.example());
        let types = examples.map(|action| Ok(type_of(&serde_json::to_value(action).map_err(Error::internal)?)));
        let mut types = types.collect::<Result<Vec<String>>>()?;
        if types.iter().any(|kind| kind.ends_with("deploy")) {
            types.push(DEPLOY_AUTO.to_owned());
        }
        Ok(types)
    }

    /// Whether the seat plays no more part.
    pub fn is_out(&self) -> bool {
        let is_own = |seat: &Seat| *seat == self.seat;
        self.view().seats().iter().any(|view| is_own(&view.seat) && view.state == SeatState::Out)
    }

    /// Whether somebody else has offered something that playing on would decline: a draw.
    pub fn has_an_offer(&self) -> bool {
        self.view().draw_offered_by().is_some_and(|by| by != self.seat)
    }

    /// The seat's rests, as far as they are known: everybody knows them.
    pub fn rests(&self) -> &[Rest] {
        self.state.battle.planned(self.seat)
    }

    /// The delay when the owner has chosen none. Time taken from a bank is lost, so it is a small share of the bank, or
    /// what a move gains.
    pub fn usual_delay(&self) -> Delay {
        match (self.state.terms.setup.clock, self.state.battle.given_ms(self.seat)) {
            (Clock::Bank(bank), Some(given_ms)) => {
                let share_s = u32::try_from(given_ms / 1000 / BANK_SHARE).unwrap_or(u32::MAX);
                Delay::USUAL.within_s(share_s.max(bank.increment_s))
            }
            _ => Delay::USUAL,
        }
    }

    /// When this entry was made, if it follows and is the seat's doing exactly this.
    pub fn does(&self, bytes: &[u8], action: &Map<String, Value>) -> Result<Option<Time>> {
        let entry = entry(bytes, &self.state.terms)?;
        let setup = &self.state.terms.setup;
        let Ok(expected) = Action::parse(setup, &action.clone().into()) else { return Ok(None) };
        let expected = serde_json::to_value(expected).map_err(Error::internal)?;
        // What came of an automatic deployment stands in the log, not that it was one.
        let is_auto = type_of(&expected) == DEPLOY_AUTO;
        let mut asked = entry.events.iter().filter_map(|event| event.asked(setup));
        let is_it = asked.any(|(seat, action)| {
            let made = serde_json::to_value(action).unwrap_or_default();
            seat == self.seat && (made == expected || is_auto && type_of(&made).ends_with("deploy"))
        });
        Ok((is_it && entry.seat == Some(self.seat)).then_some(entry.at))
    }

    /// Whether the conditions of an order hold.
    pub fn holds(&self, order: &StandingOrder) -> bool {
        if order.when.is_empty() {
            return true;
        }
        let from = self.from.get(kind(&order.then.action)).copied().unwrap_or_default();
        let told: Vec<Value> =
            self.told.iter().skip(from).map(|report| serde_json::to_value(report).unwrap_or_default()).collect();
        order.when.iter().all(|condition| condition.holds(&told))
    }
}

/// The type of the action that lets the server place the fleet. Every fleet that waits to be placed may be asked for
/// so.
const DEPLOY_AUTO: &str = "deploy-auto";

fn type_of(action: &Value) -> String {
    action["type"].as_str().unwrap_or_default().to_owned()
}
