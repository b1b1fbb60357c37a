//! A match folded from its log: the whole truth, each viewer's knowledge, and the chain of public reports. It never
//! leaves this module tree: viewers get a [`MatchSnapshot`].

use std::sync::Arc;

use broadside_rules::event::TableEvent;
use broadside_rules::proof::Chain;
use broadside_rules::report::TableReport;
use broadside_rules::{Battle, Chance, Entry, Event, Report, Seat, Setup, Status, Time, View, Viewer, disclose};

use super::log_chain::LogChain;
use super::tenure::Tenures;
use super::{MatchTerms, RuleSetJson, StoredMatch, ViewSize, damaged, reminders};
use crate::epoch::{Cursor, Epoch};
use crate::error::Result;
use crate::ids::AccountId;
use crate::matches::store::entries::MatchHead;
use crate::ratings::RatingEffect;

#[derive(Clone)]
pub(crate) struct MatchState {
    pub terms: Arc<MatchTerms>,
    pub battle: Battle,
    /// The source of the match's random numbers.
    pub chance: Chance,
    pub seq: u32,
    pub log: LogChain,
    /// The time of the last entry.
    pub last_at: Time,
    /// For each viewer, the version after the last report about more than a player's rests.
    played: Vec<u32>,
    /// The views of the seats, then that of a spectator.
    views: Vec<View>,
    /// The chain of the spectator's reports.
    chain: Chain,
    tenures: Tenures,
    /// The players responsible for a time-out; in an aborted rated match, the player who called it off.
    at_fault: Vec<AccountId>,
    /// The numbers of shots and of hits of each seat.
    shots: Vec<(u32, u32)>,
    /// For each viewer, the number of moves of the battle in the viewer's reports.
    moves: Vec<u32>,
    last_reports: Vec<Option<Arc<Report>>>,
    /// The number of times that each seat's rests were planned.
    plans: Vec<u32>,
    /// The match's effect on its players' ratings.
    pub rated: RatingEffect,
}

impl MatchState {
    pub fn new(terms: Arc<MatchTerms>) -> Self {
        let seats = (0..terms.setup.seats).map(|seat| Viewer::Seat(Seat(seat)));
        let viewers = seats.chain([Viewer::Spectator]);
        Self {
            played: vec![0; usize::from(terms.setup.seats) + 1],
            shots: vec![(0, 0); usize::from(terms.setup.seats)],
            moves: vec![0; usize::from(terms.setup.seats) + 1],
            last_reports: vec![None; usize::from(terms.setup.seats) + 1],
            plans: vec![0; usize::from(terms.setup.seats)],
            last_at: terms.created_at,
            views: viewers.map(|viewer| View::new(&terms.setup, viewer)).collect(),
            battle: Battle::new(terms.setup.clone()),
            chance: Chance::new(&terms.chance_seed, &terms.nonces),
            chain: Chain::new(terms.record_format, &terms.header()),
            seq: 0,
            log: LogChain::new(&terms.chance_seed),
            tenures: Tenures::of(terms.first_players().map(|player| player.id)),
            at_fault: Vec::new(),
            rated: RatingEffect::default(),
            terms,
        }
    }

    /// Folds the first `length` entries of a stored match.
    pub fn fold(mut stored: StoredMatch, length: usize) -> Result<Self> {
        let entries = std::mem::take(&mut stored.entries);
        let rated = std::mem::take(&mut stored.changed);
        let mut state = Self { rated, ..Self::new(Arc::new(terms(stored)?)) };
        for bytes in entries.iter().take(length) {
            state.absorb(&entry(bytes, &state.terms)?, bytes);
        }
        Ok(state)
    }

    /// Absorbs one log entry, stored as `bytes`, and returns the new reports of each viewer.
    pub fn absorb(&mut self, entry: &Entry, bytes: &[u8]) -> Vec<Vec<Report>> {
        let mut learnt = vec![Vec::new(); self.views.len()];
        let is_of_play = entry.seat.is_some() && entry.events.iter().any(|event| matches!(event, Event::Family(_)));
        let was_playing = self.battle.status() == Status::Playing;
        for event in &entry.events {
            self.assign_fault(event, entry.at);
            self.count_plans(event);
            if let Some((seat, shots, hits)) = event.shots()
                && let Some(own) = self.shots.get_mut(seat.index())
            {
                let more = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
                *own = (own.0.saturating_add(more(shots)), own.1.saturating_add(more(hits)));
            }
            self.battle.apply(event, entry.at);
            for ((view, played), learnt) in self.views.iter_mut().zip(&mut self.played).zip(&mut learnt) {
                let report = disclose_to(&self.terms.setup, view, event, entry.at);
                if view.viewer() == Viewer::Spectator
                    && let Some(report) = &report
                {
                    self.chain.add(report);
                }
                if report.as_ref().is_some_and(|report| !is_of_rests(report)) {
                    *played = view.version();
                }
                learnt.extend(report);
            }
        }
        if let Some(seat) = entry.seat.filter(|_| is_of_play) {
            self.tenures.moved(seat);
        }
        for ((last, moves), learnt) in self.last_reports.iter_mut().zip(&mut self.moves).zip(&learnt) {
            if let Some(report) = learnt.iter().rfind(|report| matches!(report, Report::Family(_))) {
                *last = Some(Arc::new(report.clone()));
                *moves += u32::from(is_of_play && was_playing);
            }
        }
        self.seq += 1;
        self.log = self.log.with(bytes);
        self.last_at = entry.at;
        learnt
    }

    /// The time of an entry written at `at`, but never before the last entry: the clock may have been set back.
    pub fn not_before_last(&self, at: Time) -> Time {
        at.max(self.last_at)
    }

    /// Records the players responsible for an event that is about to be absorbed.
    fn assign_fault(&mut self, event: &Event, at: Time) {
        match event {
            Event::Table(TableEvent::TimedOut { seat }) => {
                self.at_fault.extend(self.tenures.answers(&self.battle, *seat, at));
            }
            Event::Table(TableEvent::SeatHandedOver { seat, player, .. }) => {
                if let Ok(player) = player.parse() {
                    self.tenures.hand_over(&self.battle, *seat, AccountId(player), at);
                }
            }
            Event::Table(TableEvent::Aborted { seat }) => {
                let caller = seat.filter(|_| self.terms.rated).and_then(|seat| self.tenures.player(seat));
                self.at_fault = caller.into_iter().collect();
            }
            _ => {}
        }
    }

    /// The state with more log entries. `None`: they also change data outside the log, which must be read.
    pub fn with(&self, entries: &[&[u8]]) -> Result<Option<Self>> {
        let mut next = self.clone();
        for bytes in entries {
            let entry = entry(bytes, &next.terms)?;
            let of_players = |event: &Event| matches!(event, Event::Table(TableEvent::SeatHandedOver { .. }));
            if entry.events.iter().any(of_players) {
                return Ok(None);
            }
            next.absorb(&entry, bytes);
        }
        Ok((!next.battle.status().is_over()).then_some(next))
    }

    /// True if an action for this version is still valid, because only rests have been reported since.
    pub fn is_meant_for(&self, viewer: Viewer, version: u32) -> bool {
        let played = self.played.get(self.index(viewer)).copied().unwrap_or_default();
        (played..=self.view(viewer).version()).contains(&version)
    }

    pub fn view(&self, viewer: Viewer) -> &View {
        &self.views[self.index(viewer)]
    }

    fn index(&self, viewer: Viewer) -> usize {
        let spectator = self.views.len() - 1;
        viewer.seat().map_or(spectator, |seat| seat.index()).min(spectator)
    }

    /// The current player of a seat.
    pub(super) fn player_of(&self, seat: Seat) -> Option<AccountId> {
        self.tenures.player(seat)
    }

    /// The numbers of a seat's shots and true hits: secret during the match.
    pub(super) fn shots_of(&self, seat: Seat) -> (u32, u32) {
        self.shots.get(seat.index()).copied().unwrap_or_default()
    }

    fn count_plans(&mut self, event: &Event) {
        let (seat, is_plan) = match event {
            Event::Table(TableEvent::RestsPlanned { seat, .. }) => (seat, true),
            Event::Table(TableEvent::SeatHandedOver { seat, .. }) => (seat, false),
            _ => return,
        };
        if let Some(plans) = self.plans.get_mut(seat.index()) {
            *plans = if is_plan { plans.saturating_add(1) } else { 0 };
        }
    }

    pub(super) fn plans_of(&self, seat: Seat) -> u32 {
        self.plans.get(seat.index()).copied().unwrap_or_default()
    }

    /// The extent of the state: the number of entries, and the edition of the data outside the log.
    pub fn mark(&self) -> (u32, u32) {
        (self.seq, self.terms.edition)
    }

    /// True if the state includes everything up to a mark of the store.
    pub fn includes(&self, (seq, edition): (u32, u32)) -> bool {
        self.seq >= seq && self.terms.edition >= edition
    }

    /// True if the state has something beyond a mark of the store. A repair may shorten a log; its edition is then a
    /// later one.
    pub fn is_beyond(&self, (seq, edition): (u32, u32)) -> bool {
        self.terms.edition > edition || self.terms.edition == edition && self.seq > seq
    }

    /// The mark that orders states by age; see [`Self::is_beyond`].
    pub fn age(&self) -> (u32, u32) {
        (self.terms.edition, self.seq)
    }

    pub fn head(&self) -> MatchHead {
        let spectator = self.view(Viewer::Spectator);
        MatchHead {
            status: self.battle.status().as_str(),
            to_act: self.battle.to_act().iter().map(|seat| 1 << seat.0).sum(),
            deadline: self.battle.deadline(),
            started_at: spectator.started_at(),
            finished_at: spectator.finished_at(),
            // Lists are public, so they show the result that a spectator knows.
            result: spectator.result().and_then(|result| serde_json::to_value(result).ok()),
            at_fault: self.at_fault.clone(),
            wake_at: reminders::wake_at(&self.battle),
        }
    }
}

/// A match as one viewer may see it, at one moment. Holding it blocks nothing.
pub struct MatchSnapshot {
    state: Arc<MatchState>,
    viewer: Viewer,
    epoch: Epoch,
}

impl MatchSnapshot {
    /// The match for `account` (or an anonymous viewer), whose seat determines the view. `not-found` for non-players
    /// while a match is closed to spectators.
    pub(super) fn of(state: Arc<MatchState>, account: Option<AccountId>, epoch: Epoch) -> Result<Self> {
        let viewer = state.terms.viewer(account, state.battle.status().is_over())?;
        Ok(Self { state, viewer, epoch })
    }

    /// The position after the viewer's last report.
    pub fn cursor(&self) -> Cursor {
        Cursor::new(self.epoch, self.view().version().into())
    }

    pub(super) fn viewer(&self) -> Viewer {
        self.viewer
    }

    pub fn terms(&self) -> &MatchTerms {
        &self.state.terms
    }

    pub fn view(&self) -> &View {
        self.state.view(self.viewer)
    }

    /// The number of the next move, from 1, counting the moves that were reported to the viewer.
    pub fn move_number(&self) -> u32 {
        self.state.moves.get(self.place()).map_or(1, |moves| moves.saturating_add(1))
    }

    pub fn last_report(&self) -> Option<&Report> {
        self.state.last_reports.get(self.place())?.as_deref()
    }

    /// The index of the viewer: seats first, the spectator last.
    fn place(&self) -> usize {
        match self.viewer {
            Viewer::Seat(seat) => seat.index(),
            Viewer::Spectator => usize::from(self.state.terms.setup.seats),
        }
    }

    /// The extent: the number of entries, and the edition of the data outside the log.
    pub fn mark(&self) -> (u32, u32) {
        self.state.mark()
    }

    /// The chain of public reports so far.
    pub fn chain(&self) -> Chain {
        self.state.chain
    }

    /// The seed of the random numbers, once the match has ended with a result.
    pub fn chance_seed(&self) -> Option<&[u8; 32]> {
        (self.state.battle.status() == Status::Finished).then_some(&self.state.terms.chance_seed)
    }

    pub fn rated(&self) -> &RatingEffect {
        &self.state.rated
    }
}

pub(super) fn terms(stored: StoredMatch) -> Result<MatchTerms> {
    Ok(MatchTerms {
        record_key: stored.record_key,
        record_format: stored.record_format,
        id: stored.id,
        variant: stored.variant,
        rule_set: RuleSetJson::of(&stored.rules)?,
        named: stored.named,
        edition: stored.edition,
        setup: super::registry::setup(stored.rules, stored.clock, &stored.wishes, stored.pairing)?,
        rated: stored.rated,
        pool: stored.pool,
        ratings: stored.ratings,
        pairing: stored.pairing,
        spectators: stored.spectators,
        seed: stored.seed,
        chance_seed: stored.chance_seed,
        nonces: stored.nonces,
        players: stored.players,
        former: stored.former,
        created_at: stored.created_at,
        view_size: ViewSize::default(),
    })
}

/// Parses a log entry of a match. A damaged one is an internal error, and must not stop the service.
pub(crate) fn entry(bytes: &[u8], terms: &MatchTerms) -> Result<Entry> {
    let entry = Entry::from_bytes(bytes).map_err(|_| damaged(terms.id, "an entry of the log can't be read"))?;
    if entry.events.iter().all(|event| event.fits(&terms.setup)) {
        Ok(entry)
    } else {
        Err(damaged(terms.id, "an entry of the log doesn't fit the match"))
    }
}

/// True if the report is only about rests, extra time or a change of players.
fn is_of_rests(report: &Report) -> bool {
    matches!(
        report,
        Report::Table(
            TableReport::RestsPlanned(_)
                | TableReport::ClocksRested(_)
                | TableReport::ClocksPaused(_)
                | TableReport::TimeAdded(_)
                | TableReport::SeatHandedOver(_)
        )
    )
}

/// Discloses the viewer's part of an event to `view`.
pub(crate) fn disclose_to(setup: &Setup, view: &mut View, event: &Event, at: Time) -> Option<Report> {
    let report = disclose(setup, event, view.viewer())?.stamped(view.version() + 1, at);
    view.learn(&report, at);
    Some(report)
}
