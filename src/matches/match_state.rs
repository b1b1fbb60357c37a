//! A match folded from its log: the whole truth, what each viewer knows of it, and the chain of what is public. It never leaves the use case: what may be
//! shown goes out as [`Seen`].

use std::sync::Arc;

use broadside_rules::event::TableEvent;
use broadside_rules::proof::Chain;
use broadside_rules::record::Format;
use broadside_rules::report::TableReport;
use broadside_rules::{Battle, Chance, Entry, Event, Report, Seat, Setup, Status, Time, View, Viewer, disclose};

use super::{Matches, Seen, Stored, Terms, reminders, rule_set_hash};
use crate::error::{Error, Result};
use crate::matches::store::moves::Head;
use crate::ratings::RatingEffect;

/// A match, folded from its log.
pub(crate) struct Live {
    pub terms: Arc<Terms>,
    pub battle: Battle,
    /// What the rules leave to chance is drawn from this.
    pub chance: Chance,
    /// Number of entries in the log.
    pub seq: u32,
    /// When the last of them was made.
    pub last_at: Time,
    /// For each viewer, the version of the last news that was more than somebody's rests.
    played: Vec<u32>,
    /// What each seat knows, and last what a spectator does.
    views: Vec<View>,
    /// The chain of what a spectator was told.
    chain: Chain,
    /// Bit n: seat n ran out of time.
    timed_out: i32,
    /// What the match has done to its players' ratings.
    pub rated: RatingEffect,
}

impl Live {
    /// A match whose log is empty.
    pub fn new(terms: Arc<Terms>) -> Self {
        let seats = (0..terms.setup.seats).map(|seat| Viewer::Seat(Seat(seat)));
        let viewers = seats.chain([Viewer::Spectator]);
        Self {
            played: vec![0; usize::from(terms.setup.seats) + 1],
            last_at: terms.created_at,
            views: viewers.map(|viewer| View::new(&terms.setup, viewer)).collect(),
            battle: Battle::new(terms.setup.clone()),
            chance: Chance::new(&terms.chance_seed, &terms.nonces),
            chain: Chain::new(Format::CURRENT, &terms.header()),
            seq: 0,
            timed_out: 0,
            rated: RatingEffect::default(),
            terms,
        }
    }

    /// Folds the first `length` entries of a stored match.
    pub fn fold(stored: Stored, length: usize, matches: &Matches) -> Result<Self> {
        let record_key = matches.keys.of(&stored)?;
        let terms = Terms {
            id: stored.id,
            variant: stored.variant,
            rule_set_hash: rule_set_hash(&stored.rules)?,
            edition: stored.edition,
            setup: matches.setup(stored.rules, stored.clock, &stored.wishes, stored.part)?,
            rated: stored.rated,
            pool: stored.pool,
            ratings: stored.ratings,
            part: stored.part,
            spectators: stored.spectators,
            seed: stored.seed,
            chance_seed: stored.chance_seed,
            nonces: stored.nonces,
            record_key,
            players: stored.players,
            created_at: stored.created_at,
        };
        let mut live = Self::new(Arc::new(terms));
        live.rated = stored.changed;
        for bytes in stored.entries.iter().take(length) {
            live.absorb(&entry(bytes, &live.terms)?);
        }
        Ok(live)
    }

    /// Takes in one entry of the log, and returns what each viewer learns of it.
    pub fn absorb(&mut self, entry: &Entry) -> Vec<Vec<Report>> {
        let mut learnt = vec![Vec::new(); self.views.len()];
        for event in &entry.events {
            if let Event::Table(TableEvent::TimedOut { seat }) = event {
                self.timed_out |= 1 << seat.0;
            }
            self.battle.apply(event, entry.at);
            for ((view, played), learnt) in self.views.iter_mut().zip(&mut self.played).zip(&mut learnt) {
                let report = tell(&self.terms.setup, view, event, entry.at);
                if view.viewer() == Viewer::Spectator
                    && let Some(report) = &report
                {
                    self.chain.add(report);
                }
                if report.as_ref().is_some_and(|report| !matches!(report, Report::Table(TableReport::RestsPlanned(_))))
                {
                    *played = view.version();
                }
                learnt.extend(report);
            }
        }
        self.seq += 1;
        self.last_at = entry.at;
        learnt
    }

    /// Whether an action that is meant for this version still is: nothing but rests has been planned since.
    pub fn is_meant_for(&self, viewer: Viewer, version: u32) -> bool {
        let played = self.played.get(self.index(viewer)).copied().unwrap_or_default();
        (played..=self.view(viewer).version()).contains(&version)
    }

    /// What `viewer` knows.
    pub fn view(&self, viewer: Viewer) -> &View {
        &self.views[self.index(viewer)]
    }

    fn index(&self, viewer: Viewer) -> usize {
        let spectator = self.views.len() - 1;
        viewer.seat().map_or(spectator, |seat| seat.index()).min(spectator)
    }

    /// The match as `viewer` may see it.
    pub fn seen(&self, viewer: Viewer) -> Seen<'_> {
        let ended = self.battle.status() == Status::Finished;
        let chance_seed = ended.then_some(&self.terms.chance_seed);
        Seen { terms: &self.terms, view: self.view(viewer), chain: self.chain, chance_seed, rated: &self.rated }
    }

    /// What lists and the clock need to know.
    pub fn head(&self) -> Head {
        let spectator = self.view(Viewer::Spectator);
        Head {
            status: self.battle.status().as_str(),
            to_act: self.battle.to_act().iter().map(|seat| 1 << seat.0).sum(),
            deadline: self.battle.deadline(),
            started_at: spectator.started_at(),
            finished_at: spectator.finished_at(),
            // What a spectator knows of the end: lists are public.
            result: spectator.result().and_then(|result| serde_json::to_value(result).ok()),
            timed_out: self.timed_out,
            wake_at: reminders::wake_at(&self.battle),
        }
    }
}

/// An entry of the log of a match. One that is damaged is a fault of ours, and must not take the service down.
pub(crate) fn entry(bytes: &[u8], terms: &Terms) -> Result<Entry> {
    let damaged = || Error::internal(format!("the log of the match {} is damaged", terms.id));
    let entry = Entry::from_bytes(bytes).map_err(|_| damaged())?;
    if entry.events.iter().all(|event| event.fits(&terms.setup)) { Ok(entry) } else { Err(damaged()) }
}

/// Tells `view` what it may know of an event.
pub(crate) fn tell(setup: &Setup, view: &mut View, event: &Event, at: Time) -> Option<Report> {
    let report = disclose(setup, event, view.viewer())?.stamped(view.version() + 1, at);
    view.learn(&report, at);
    Some(report)
}
