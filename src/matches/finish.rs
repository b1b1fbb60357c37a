//! The end of a match that counts for ratings, a ladder or a tournament, written in its own transaction.
//!
//! New ratings follow from the old ones, which must be read under a lock. The statement that writes many entries can't
//! do that. So this transaction changes the ratings first, and then runs the same statement for this one entry, all or
//! nothing.
//!
//! Paired games are rated together, when the second one ends. Both ends lock the row of the pairing, so the second sees
//! the first.

use broadside_contests::Pool;
use broadside_rules::{Entry, Status, Time, Viewer};

use super::PairingRef;
use super::kept_order::KeptOrder;
use super::match_state::MatchState;
use super::update::Command;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::store::entries::{self, PendingEntry, WriteResult};
use crate::matches::{Matches, store};
use crate::ratings::rate::{self, FinishedGame, RatedUnit};
use crate::ratings::{RatingChange, RatingEffect, SeatRating};
use crate::{events, ratings};

/// The changes at the end of a match besides its log.
pub(super) struct MatchEnd {
    /// The pool in which it is rated; `None`: it is unrated.
    pool: Option<Pool>,
    game: FinishedGame,
    pairing: Option<PairingRef>,
    /// The order of play that its players keep for their next match.
    kept: Option<KeptOrder>,
    at: Time,
}

/// The changes besides the log made by the last entry of `state`; `None`: none. `was_over`: the match had ended before
/// it.
pub(super) fn of(state: &MatchState, was_over: bool, last: &Entry) -> Option<MatchEnd> {
    let terms = &state.terms;
    let view = state.view(Viewer::Spectator);
    if was_over || !view.status().is_over() {
        return None;
    }
    let outcome = view.result().filter(|_| view.status() == Status::Finished);
    let seats: Vec<AccountId> = terms.first_players().map(|player| player.id).collect();
    let places = outcome.map(|outcome| rate::places(outcome, seats.len()));
    let counts = terms.pool.is_some() && places.is_some();
    let game = FinishedGame { match_id: terms.id, seats, places };
    let kept = KeptOrder::of(state, last);
    let changes_more = counts || terms.pairing.is_some() || kept.is_some();
    changes_more.then_some(MatchEnd { pool: terms.pool, game, pairing: terms.pairing, kept, at: last.at })
}

impl MatchEnd {
    /// The end of a match that counts for no rating and no contest.
    pub(super) fn of_nothing_else(state: &MatchState, at: Time) -> Self {
        let game = FinishedGame { match_id: state.terms.id, seats: Vec::new(), places: None };
        Self { pool: None, game, pairing: None, kept: None, at }
    }
}

/// Writes the last entry of a match with its other changes, after those of the command `with`. On a conflict nothing is
/// changed.
pub(super) async fn write<C: Command>(
    matches: &Matches,
    state: &mut MatchState,
    end: &MatchEnd,
    mut what: PendingEntry,
    with: Option<&C>,
) -> Result<WriteResult> {
    let _turn = matches.endings.acquire().await.map_err(Error::internal)?;
    let mut tx = matches.db.begin().await?;
    if let Some(command) = with {
        command.write_first(&mut tx).await?;
    }
    // The common lock order: pairings, ratings, the match, and the event counters last.
    let over_at = match end.pairing {
        Some(pairing) => store::pairing_end::note_end(&mut tx, pairing.id, end.at).await?.unwrap_or(end.at),
        None => end.at,
    };
    let Some(changes) = rated(&mut tx, end, over_at).await? else {
        tx.roll_back().await?;
        return Ok(WriteResult::Conflict);
    };
    if let Some(kept) = &end.kept {
        kept.write(&mut tx).await?;
    }
    let told = rate::told(&changes)?;
    what.told = events::merged(what.told.into_iter().chain(told));
    let rated = changes.first().map(|change| std::iter::once(change.match_id).chain(change.paired));
    let mut changed: Vec<MatchId> = rated.into_iter().flatten().chain([what.match_id]).collect();
    changed.sort();
    changed.dedup();
    if changed.len() > 1 {
        // The paired game that ended before shows the rating change, too.
        ratings::store::rated_matches::mark_changed(&mut tx, &changed, false).await?;
    }
    let rings = what.told.iter().map(|told| told.account.0).chain(changed.iter().map(|id| id.0)).collect::<Vec<_>>();
    match entries::write_in(&mut tx, &what).await? {
        WriteResult::Conflict => {
            tx.roll_back().await?;
            Ok(WriteResult::Conflict)
        }
        WriteResult::Committed => {
            let wakeups = matches.wakeups.clone();
            tx.afterwards(move || wakeups.wake(&rings));
            tx.commit().await?;
            state.rated = RatingEffect { seats: shown(&end.game, &changes), annulled: false, adjudicated: false };
            Ok(WriteResult::Committed)
        }
    }
}

/// The rating changes; paired games were over at `over_at`. `None`: another request has ended the match.
async fn rated(tx: &mut Tx, end: &MatchEnd, over_at: Time) -> Result<Option<Vec<RatingChange>>> {
    let Some(pool) = end.pool else { return Ok(Some(Vec::new())) };
    let games = match end.pairing.filter(|pairing| pairing.games > 1) {
        None => Some(vec![end.game.clone()]),
        Some(pairing) => all_over(tx, pairing, &end.game).await?,
    };
    match games.and_then(|games| RatedUnit::of(pool, games, over_at)) {
        Some(ended) => rate::rate(tx, &ended).await,
        None => Ok(Some(Vec::new())),
    }
}

/// The games of a pairing, in order. `None`: another one is still running.
async fn all_over(tx: &mut Tx, pairing: PairingRef, this: &FinishedGame) -> Result<Option<Vec<FinishedGame>>> {
    let games = ratings::store::rated_matches::games_of(tx, pairing.id).await?;
    let over = |(game, over): (FinishedGame, bool)| {
        if game.match_id == this.match_id { Some(this.clone()) } else { over.then_some(game) }
    };
    Ok(games.into_iter().map(over).collect())
}

/// The rating changes shown for the game, by seat; none for an aborted game.
fn shown(game: &FinishedGame, changes: &[RatingChange]) -> Vec<SeatRating> {
    let counts = |change: &&RatingChange| change.match_id == game.match_id || change.paired == Some(game.match_id);
    let of_seat = |(seat, account): (u8, &AccountId)| {
        let change = changes.iter().filter(counts).find(|change| change.account == *account)?;
        Some(SeatRating { seat, before: change.before.shown(), after: change.after.shown() })
    };
    (0_u8..).zip(&game.seats).filter_map(of_seat).collect()
}
