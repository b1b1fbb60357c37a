//! The single path by which matches change, and by which they are read.
//!
//! [`Matches::update`] lets one request at a time change a match on this node. Commands are judged on the state in
//! memory. An entry is absorbed by a copy of that state, because what is written (the head, the notifications) follows
//! from the state after the entry. The copy is published only after the write has committed. If the write fails, finds
//! a longer log, or the request is cancelled, the copy is dropped. So a published state never holds more than the
//! database does; it may hold less, and then the guarded write fails and the log is read again.
//!
//! [`Matches::read`] takes no lock: it asks the database for the length of the log, and absorbs entries added by other
//! nodes. A reader waits for other readers or the current writer only when the whole log must be read.

use std::sync::Arc;

use broadside_rules::{Dice, Entry, Event, Report, Time, proof};

use super::cell::MatchCell;
use super::finish::{self, MatchEnd};
use super::match_state::{MatchSnapshot, MatchState};
use super::results;
use super::store::entries::{PendingEntry, WriteResult};
use super::store::logged::LoggedEntry;
use super::store::tail::Tail;
use super::{Matches, down_times, fold_price, notify, pauses, plans, replan, store};
use crate::context::Context;
use crate::db::Tx;
use crate::epoch::Epoch;
use crate::error::{Error, ProblemKind, Result, problem};
use crate::events::{self, Notification};
use crate::idempotency::{self, Claim};
use crate::ids::{AccountId, MatchId};
use crate::work_pool::Lane;

/// The maximum number of times that a command is judged when other writers are faster.
const ATTEMPTS: usize = 4;

/// The number of other nodes' entries to absorb directly; if a log has grown by more, it is folded in the pool.
const ABSORBED_AT_ONCE: usize = 16;

/// A command that may change a match.
pub(super) trait Command {
    /// True if [`Command::write_first`] writes.
    const IN_TRANSACTION: bool = false;

    /// Judges from its arguments alone: the entry to write, `None` when there is nothing to do, or the refusal. `now`
    /// is never before the last entry, even if this node's clock was set back since. `dice` makes fresh dice for the
    /// action's random decisions.
    fn judge(&self, state: &MatchState, now: Time, dice: &dyn Fn() -> Dice) -> Result<Option<Entry>>;

    /// The idempotency key that the entry spends.
    fn claim(&self, _state: &MatchState) -> Option<&Claim> {
        None
    }

    /// Applies the entry's changes outside the log to the state that has absorbed it.
    fn settle(&self, _next: &mut MatchState) {}

    /// Notifications in addition to the entry's own, sent before them.
    fn told(&self, _next: &MatchState, _at: Time) -> Result<Vec<Notification>> {
        Ok(Vec::new())
    }

    /// Writes further data in the entry's transaction, before the entry.
    async fn write_first(&self, _tx: &mut Tx) -> Result<()> {
        Ok(())
    }
}

/// The outcome of a command.
pub(super) enum Updated {
    /// Its entry is in the log: the resulting state, and the new reports of each viewer.
    Written(Arc<MatchState>, Vec<Vec<Report>>),
    /// There was nothing to do in this state, which was current at the time of the judgement.
    Unchanged(Arc<MatchState>),
    /// A request with the same idempotency key was already executed: the number of its entry.
    DoneBefore(u32),
}

impl Matches {
    /// The match as `account` (or an anonymous viewer) may see it, no older than this call. `not-found` when it doesn't
    /// exist or is closed to spectators.
    pub async fn read(&self, id: MatchId, account: Option<AccountId>) -> Result<MatchSnapshot> {
        self.viewer(id, account).await?;
        let epoch = self.epochs.current();
        MatchSnapshot::of(self.current(id).await?, account, epoch)
    }

    /// Judges a command without writing its entry. It acts as a reader and uses neither the turn nor the players' lane,
    /// except to write entries of the clock that are due first.
    pub(super) async fn try_out<C: Command>(&self, id: MatchId, command: &C) -> Result<Updated> {
        let state = self.current(id).await?;
        let now = state.not_before_last(self.clock.now());
        if due(self, &state, now).await?.is_some() {
            return self.update(id, command).await;
        }
        command.judge(&state, now, &|| Dice::from_seed(self.random()))?;
        Ok(Updated::Unchanged(state))
    }

    /// Executes a command, or returns the reason of its refusal.
    pub(super) async fn update<C: Command>(&self, id: MatchId, command: &C) -> Result<Updated> {
        let cell = self.cell(id);
        let _turn = cell.turn.lock().await;
        let known = cell.newest();
        let is_current = known.is_none();
        let mut state = match known {
            Some(state) => state,
            None => self.load(id, &cell, Lane::Play).await?,
        };
        let refused = match self.carry_out(&cell, &mut state, is_current, command).await {
            Err(error) => error,
            done => return done,
        };
        // The refusal may be due to an earlier execution, whose answer must then be repeated. (After a broken
        // connection that execution may be recent, and be lost with the primary: the next request will show it.)
        match command.claim(&state).filter(|_| refused.problem().kind != ProblemKind::Unavailable) {
            Some(claim) => entry_of_claim(self, claim).await?.map(Updated::DoneBefore).ok_or(refused),
            None => Err(refused),
        }
    }

    /// Judges and writes, and repeats if other writers were faster. Entries of the clock that are due come first.
    async fn carry_out<C: Command>(
        &self,
        cell: &MatchCell,
        state: &mut Arc<MatchState>,
        mut is_current: bool,
        command: &C,
    ) -> Result<Updated> {
        for _ in 0..ATTEMPTS {
            let now = state.not_before_last(self.clock.now());
            let due = due(self, state, now).await?;
            let own = due.is_none().then_some(command);
            let judged = match due {
                Some(entry) => Ok(Some(entry)),
                None => command.judge(state, now, &|| Dice::from_seed(self.random())),
            };
            if let Ok(Some(entry)) = judged {
                is_current = true;
                match self.write(cell, state, entry, own).await? {
                    Some((next, learnt)) if own.is_some() => return Ok(Updated::Written(next, learnt)),
                    Some((next, _)) => *state = next,
                    None => {
                        let newest = self.current_in_turn(state.terms.id, cell).await?;
                        // Unless the log has grown, the idempotency key is spent or the log is damaged.
                        if Arc::ptr_eq(&newest, state) {
                            self.stored(state.terms.id).await?;
                            break;
                        }
                        *state = newest;
                    }
                }
                continue;
            }
            // Memory may be behind another node, and a refusal must be based on current state.
            if !is_current {
                is_current = true;
                let newest = self.current_in_turn(state.terms.id, cell).await?;
                if !Arc::ptr_eq(&newest, state) {
                    *state = newest;
                    continue;
                }
            }
            return judged.map(|_| Updated::Unchanged(Arc::clone(state)));
        }
        Err(Error::plain(&problem::CONCURRENT_ACTION))
    }

    /// Writes an entry and publishes the resulting state. `None`: nothing was written, because the log was longer than
    /// `state` says, or the key is spent.
    pub(super) async fn write<C: Command>(
        &self,
        cell: &MatchCell,
        state: &MatchState,
        mut entry: Entry,
        command: Option<&C>,
    ) -> Result<Option<(Arc<MatchState>, Vec<Vec<Report>>)>> {
        if entry.at < state.last_at {
            return Err(Error::internal("an entry would be older than the one before it"));
        }
        entry.events = sealed(self, state, entry.events);
        let entry = plans::completed(self, state, entry).await?;
        let (bytes, at, was_over) = (entry.to_bytes(), entry.at, state.battle.status().is_over());
        let mut next = state.clone();
        let learnt = next.absorb(&entry, &bytes);
        let before = notify::seats_before(state);
        let mut told = Vec::new();
        if let Some(command) = command {
            command.settle(&mut next);
            told = command.told(&next, at)?;
        }
        let news = notify::accounts(&next, &before, &entry, &learnt)?;
        let told = if told.is_empty() { news } else { events::merged(told.into_iter().chain(news)) };
        let spends = command.and_then(|command| command.claim(state)).map(|claim| (claim.id, claim.fingerprint));
        let (match_id, seq, head, chain) = (next.terms.id, next.seq, next.head(), [state.log, next.log]);
        let results = if was_over { Vec::new() } else { results::of(&next) };
        let what = PendingEntry { match_id, seq, entry: bytes, chain, head, spends, at, told, results };
        let with = command.filter(|_| C::IN_TRANSACTION);
        let written = match finish::of(&next, was_over, &entry) {
            None if with.is_none() => self.writer.write(what).await?,
            end => {
                let end = end.unwrap_or_else(|| MatchEnd::of_nothing_else(&next, at));
                finish::write(self, &mut next, &end, what, with).await?
            }
        };
        if written == WriteResult::Conflict {
            return Ok(None);
        }
        metrics::counter!("moves_total").increment(1);
        let next = Arc::new(next);
        cell.offer(&next);
        Ok(Some((next, learnt)))
    }

    /// The state of a match for a reader, no older than this call.
    pub(super) async fn current(&self, id: MatchId) -> Result<Arc<MatchState>> {
        let cell = self.cell(id);
        if let Some(state) = self.confirmed(id, &cell).await? {
            return Ok(state);
        }
        // The whole log must be read. A request of this node that has just written the missing part is about to publish
        // it.
        if cell.newest().is_some() && cell.turn.try_lock().is_err() {
            drop(cell.turn.lock().await);
            if let Some(state) = self.confirmed(id, &cell).await? {
                return Ok(state);
            }
        }
        self.load(id, &cell, Lane::Heavy).await
    }

    /// [`Self::current`] for the request that holds the turn.
    async fn current_in_turn(&self, id: MatchId, cell: &MatchCell) -> Result<Arc<MatchState>> {
        match self.confirmed(id, cell).await? {
            Some(state) => Ok(state),
            None => self.load(id, cell, Lane::Play).await,
        }
    }

    /// Reads and folds the log, once for all concurrent readers. A move doesn't wait for readers, whose lane may be
    /// busy: it folds the log itself.
    async fn load(&self, id: MatchId, cell: &MatchCell, lane: Lane) -> Result<Arc<MatchState>> {
        let _loading = match cell.loading.try_lock() {
            Ok(loading) => Some(loading),
            Err(_) if lane == Lane::Play => None,
            Err(_) => {
                let loading = cell.loading.lock().await;
                if let Some(state) = self.confirmed(id, cell).await? {
                    return Ok(state);
                }
                Some(loading)
            }
        };
        // On the heap, because the stored match is large, and this call is deep in every request about a match.
        let stored = Box::pin(self.stored(id)).await?.ok_or_else(Error::not_found)?;
        fold_price::charge(self, &stored, usize::MAX)?;
        let state = Arc::new(self.pool.run(lane, move || MatchState::fold(stored, usize::MAX)).await??);
        cell.offer(&state);
        Ok(state)
    }

    /// The state in memory, updated with entries of other nodes. `None`: the whole log must be read.
    async fn confirmed(&self, id: MatchId, cell: &MatchCell) -> Result<Option<Arc<MatchState>>> {
        let Some(known) = cell.newest() else { return Ok(None) };
        let mut conn = self.db.conn().await?;
        let Some(Tail { mark, entries }) = store::tail::since(&mut conn, id, known.mark()).await? else {
            return Ok(None);
        };
        drop(conn);
        // The state in memory was in the database earlier. If it is missing now, a failover has lost it, or the match
        // is damaged.
        let remembers_lost = match entries.first() {
            Some(last) => known.log != *last.chain(),
            None => known.is_beyond(mark),
        };
        if remembers_lost {
            Box::pin(self.stored(id)).await?;
            Box::pin(self.end_epoch(cell.epoch())).await?;
            return Ok(None);
        }
        let is_archived = known.battle.status().is_over();
        if entries.is_empty() && mark == known.mark() && !is_archived {
            return Ok(None);
        }
        // Memory is read after the database, so that it includes entries that this node has just written.
        if let Some(newest) = cell.newest().filter(|state| state.includes(mark)) {
            return Ok(Some(newest));
        }
        let newer = entries.get(1..).unwrap_or_default();
        if newer.is_empty() || newer.len() > ABSORBED_AT_ONCE {
            return Ok(None);
        }
        let (mut before, mut chain) = (known.seq as usize, known.log);
        for entry in newer {
            if !entry.follows(before, &mut chain) {
                return Ok(None);
            }
            before += 1;
        }
        if before != mark.0 as usize {
            return Ok(None);
        }
        let newer: Vec<&[u8]> = newer.iter().map(LoggedEntry::entry).collect();
        let state = known.with(&newer)?.map(Arc::new);
        state.iter().for_each(|state| cell.offer(state));
        Ok(state)
    }
}

impl Matches {
    /// Ends an epoch in which this node has seen data that the database no longer has. The service's own heartbeats are
    /// checked first, because they concern every match.
    async fn end_epoch(&self, over: Epoch) -> Result<()> {
        self.heartbeat.beat().await?;
        if self.epochs.current() == over {
            self.epochs.end(&self.db, over, self.clock.now()).await?;
        }
        Ok(())
    }
}

/// The clock's entry that is due before any other action: downtime, a time-out, or the pause or plans that precede it.
async fn due(ctx: &Context, state: &MatchState, now: Time) -> Result<Option<Entry>> {
    if let Some(rested) = down_times::entry(ctx, state, now)? {
        return Ok(Some(rested));
    }
    let events = state.battle.expire(now);
    if events.is_empty() {
        return Ok(None);
    }
    if let Some(paused) = pauses::entry(ctx, state, now).await? {
        return Ok(Some(paused));
    }
    let plan = replan::before_time_is_over(ctx, state, now).await?;
    Ok(Some(plan.unwrap_or(Entry { at: now, seat: None, events })))
}

/// The events, with commitments to their secrets. The salts come from separate dice, so that the number of draws for a
/// deployment reveals nothing.
fn sealed(ctx: &Context, state: &MatchState, events: Vec<Event>) -> Vec<Event> {
    // Most events are public, and need no salt.
    if !events.iter().any(Event::is_secret) {
        return events;
    }
    proof::seal(&state.terms.setup, events, &mut Dice::from_seed(ctx.random()))
}

/// The number of the entry that spent an idempotency key, confirmed to be as durable as an acknowledged one. `None`:
/// the key is unspent. `idempotency-key-reused` when it was used for another request.
pub(crate) async fn entry_of_claim(ctx: &Context, claim: &Claim) -> Result<Option<u32>> {
    let mut conn = ctx.db.conn().await?;
    let Some(held) = idempotency::store::find(&mut conn, claim).await? else { return Ok(None) };
    claim.check(&held)?;
    drop(conn);
    Box::pin(async { idempotency::confirm(ctx.db.begin().await?, claim).await }).await?;
    Ok(held.seq)
}
