//! An operator's repair of a damaged match: if the log is whole, the head is rewritten from it; otherwise the match is
//! aborted without a result, because its players can't continue with missing actions.

use std::sync::Arc;

use broadside_rules::{Dice, Entry, Time};

use super::log_chain::LogChain;
use super::match_state::{MatchState, entry, terms};
use super::store::load;
use super::store::logged::LoggedEntry;
use super::store::matches::StoredHead;
use super::update::Command;
use crate::archive::object::digits_of;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::MatchId;
use crate::matches::{Matches, StoredMatch, store};

/// The outcome of a repair.
#[derive(Debug)]
pub enum Repaired {
    /// No change: log and head are whole and agree.
    Sound,
    /// No change: the match is over, but its log is damaged. Its result stays as it is.
    Over,
    HeadRewritten,
    Aborted {
        /// The number of remaining log entries.
        kept: u32,
        /// The removed entries: their numbers, and their bytes in hexadecimal digits.
        removed: Vec<(i32, String)>,
    },
}

/// A match as stored in its rows.
struct Found {
    state: MatchState,
    rows: Vec<LoggedEntry>,
    /// The number of entries in the head.
    seq: u32,
}

/// Repairs a match. `noted` records the repair in the audit log, in the same transaction.
pub async fn repair(
    matches: &Matches,
    id: MatchId,
    noted: impl AsyncFn(&mut Tx, &'static str) -> Result<()>,
) -> Result<Repaired> {
    let mut conn = matches.db.conn().await?;
    let loaded = load::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    let head = store::matches::head(&mut conn, id).await?.map(|(_, head)| head).ok_or_else(Error::not_found)?;
    drop(conn);
    if loaded.archived.is_some() {
        return matches.stored(id).await.map(|_| Repaired::Sound);
    }
    let (stored, rows, seq) = loaded.in_parts()?;
    let found = Found { state: folded(stored, &rows)?, rows, seq };
    let is_whole = found.state.seq as usize == found.rows.len() && found.state.seq >= seq && found.state.seq > 0;
    if is_whole {
        return rewrite(matches, id, &found, &head, noted).await;
    }
    if head.finished_at.is_some() || found.state.battle.status().is_over() {
        return Ok(Repaired::Over);
    }
    abort(matches, found, noted).await
}

/// The match up to the first gap or damaged entry of its log.
fn folded(mut stored: StoredMatch, rows: &[LoggedEntry]) -> Result<MatchState> {
    // The repair makes a new edition.
    stored.edition += 1;
    let rated = std::mem::take(&mut stored.changed);
    let mut chain = LogChain::new(&stored.chance_seed);
    let mut state = MatchState::new(Arc::new(terms(stored)?));
    state.rated = rated;
    for (before, row) in rows.iter().enumerate() {
        if !row.follows(before, &mut chain) {
            break;
        }
        match entry(row.entry(), &state.terms) {
            Ok(entry) if entry.at >= state.last_at => state.absorb(&entry, row.entry()),
            _ => break,
        };
    }
    Ok(state)
}

async fn rewrite(
    matches: &Matches,
    id: MatchId,
    found: &Found,
    head: &StoredHead,
    noted: impl AsyncFn(&mut Tx, &'static str) -> Result<()>,
) -> Result<Repaired> {
    let (state, is_over) = (&found.state, found.state.battle.status().is_over());
    let mut tx = matches.db.begin().await?;
    must_be_as_found(&mut tx, id, found).await?;
    let has_running_seats = store::repair::has_running_seats(&mut tx, id).await?;
    if state.seq == found.seq && StoredHead::from(state.head()) == *head && has_running_seats != is_over {
        return tx.roll_back().await.map(|()| Repaired::Sound);
    }
    store::repair::rewrite_head(&mut tx, id, state.seq, &state.head()).await?;
    noted(&mut tx, "head-rewritten").await?;
    let wakeups = matches.wakeups.clone();
    tx.afterwards(move || wakeups.wake(&[id.0]));
    tx.commit().await?;
    Ok(Repaired::HeadRewritten)
}

async fn must_be_as_found(tx: &mut Tx, id: MatchId, found: &Found) -> Result<()> {
    if store::repair::lock(tx, id, found.seq, found.rows.len()).await? {
        return Ok(());
    }
    Err(Error::new(&problem::CONCURRENT_ACTION, "The match has changed meanwhile: repair it again."))
}

/// Removes unreadable entries, and ends the match.
struct Abort<'a, Noted> {
    found: &'a Found,
    noted: Noted,
}

impl<Noted: AsyncFn(&mut Tx, &'static str) -> Result<()>> Command for Abort<'_, Noted> {
    const IN_TRANSACTION: bool = true;

    fn judge(&self, state: &MatchState, at: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        let events = state.battle.adjudicate_without_result();
        Ok(Some(Entry { at, seat: None, events }))
    }

    async fn write_first(&self, tx: &mut Tx) -> Result<()> {
        let state = &self.found.state;
        must_be_as_found(tx, state.terms.id, self.found).await?;
        store::repair::cut(tx, state.terms.id, state.seq).await?;
        (self.noted)(tx, "aborted").await
    }
}

async fn abort(
    matches: &Matches,
    found: Found,
    noted: impl AsyncFn(&mut Tx, &'static str) -> Result<()>,
) -> Result<Repaired> {
    let state = &found.state;
    let command = Abort { found: &found, noted };
    let judged =
        command.judge(state, state.not_before_last(matches.clock.now()), &|| Dice::from_seed(matches.random()))?;
    let entry = judged.ok_or_else(|| Error::internal("an end of a match brought nothing about"))?;
    let cell = matches.cell(state.terms.id);
    if matches.write(&cell, state, entry, Some(&command)).await?.is_none() {
        return Err(Error::plain(&problem::CONCURRENT_ACTION));
    }
    let lost = found.rows.get(state.seq as usize..).unwrap_or_default();
    let removed = lost.iter().map(|row| (row.number(), digits_of(row.entry()))).collect();
    Ok(Repaired::Aborted { kept: state.seq, removed })
}
