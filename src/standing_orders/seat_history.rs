//! A seat's view of a match after a given entry, with the reports up to it. Folded from the log, because the state in
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

/// The default delay is at most this fraction of a time bank: a twentieth.
const BANK_SHARE: i64 = 20;

pub(super) struct SeatHistory {
    state: MatchState,
    seat: Seat,
    /// The time since which the seat must act, excluding its own steps; `None`: it needn't act.
    pub since: Option<Time>,
    /// True if the seat's own step came just before, so that its turn continues.
    pub is_step: bool,
    told: Vec<Report>,
    /// By action type, the index of the first report since the seat's last action of that type.
    from: BTreeMap<String, usize>,
}

impl SeatHistory {
    /// The history after the first `length` entries of a stored match.
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
        // Table talk (resignations, offers) is no step of the battle.
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

    pub fn view(&self) -> &View {
        self.state.view(Viewer::Seat(self.seat))
    }

    /// The number of absorbed entries.
    pub fn length(&self) -> usize {
        self.state.seq as usize
    }

    /// A secret of the match, for unpredictable derived values.
    pub fn secret(&self) -> &[u8; 32] {
        &self.state.terms.seed
    }

    /// The action types that the match awaits from the seat.
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

    /// True if the seat is out of the battle.
    pub fn is_out(&self) -> bool {
        let is_own = |seat: &Seat| *seat == self.seat;
        self.view().seats().iter().any(|view| is_own(&view.seat) && view.state == SeatState::Out)
    }

    /// True if another player has made an offer (a draw) that playing on would decline.
    pub fn has_an_offer(&self) -> bool {
        self.view().draw_offered_by().is_some_and(|by| by != self.seat)
    }

    /// The seat's known rests, which are public.
    pub fn rests(&self) -> &[Rest] {
        self.state.battle.planned(self.seat)
    }

    /// The default delay. Time taken from a bank is lost, so it is a small share of the bank, or of the time that a
    /// move gains.
    pub fn usual_delay(&self) -> Delay {
        match (self.state.terms.setup.clock, self.state.battle.given_ms(self.seat)) {
            (Clock::Bank(bank), Some(given_ms)) => {
                let share_s = u32::try_from(given_ms / 1000 / BANK_SHARE).unwrap_or(u32::MAX);
                Delay::USUAL.within_s(share_s.max(bank.increment_s))
            }
            _ => Delay::USUAL,
        }
    }

    /// The time of the given entry, if it follows and is exactly this action of the seat.
    pub fn does(&self, bytes: &[u8], action: &Map<String, Value>) -> Result<Option<Time>> {
        let entry = entry(bytes, &self.state.terms)?;
        let setup = &self.state.terms.setup;
        let Ok(expected) = Action::parse(setup, &action.clone().into()) else { return Ok(None) };
        let expected = serde_json::to_value(expected).map_err(Error::internal)?;
        // The log has the outcome of an automatic deployment, but not that it was automatic.
        let is_auto = type_of(&expected) == DEPLOY_AUTO;
        let mut asked = entry.events.iter().filter_map(|event| event.asked(setup));
        let is_it = asked.any(|(seat, action)| {
            let made = serde_json::to_value(action).unwrap_or_default();
            seat == self.seat && (made == expected || is_auto && type_of(&made).ends_with("deploy"))
        });
        Ok((is_it && entry.seat == Some(self.seat)).then_some(entry.at))
    }

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

/// The action type that lets the server place the fleet. It is accepted for every fleet that waits to be placed.
const DEPLOY_AUTO: &str = "deploy-auto";

fn type_of(action: &Value) -> String {
    action["type"].as_str().unwrap_or_default().to_owned()
}
