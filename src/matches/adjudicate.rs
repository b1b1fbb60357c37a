//! Somebody from outside ends a match: the same write as a player's move, with what a moderator notes of it in the same transaction.
//!
//! He is shown nothing for it, and the players are told no more than that it was adjudicated, and how: why is not in the log of the match.

use broadside_rules::{Entry, Event, Seat, Viewer};

use super::match_state::Live;
use super::play::{ATTEMPTS, commit_with, due, is_behind, load};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::idempotency;
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::ratings::rate;

/// How a match is to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// This seat wins.
    Win(Seat),
    /// Those who still play draw.
    Draw,
    /// It has no result, and counts for nobody.
    NoResult,
}

/// What somebody has to know of a match before he judges it: none of it is a secret.
pub struct Facts {
    /// Whether it is over.
    pub over: bool,
    /// Whose each seat is.
    pub players: Vec<AccountId>,
    /// The place of each seat, if it has ended with a result.
    pub places: Option<Vec<u8>>,
}

/// What there is to know of a match; `not-found` if there is no such match.
pub async fn facts(matches: &Matches, id: MatchId) -> Result<Facts> {
    let table = matches.table(id);
    let mut place = table.live.lock().await;
    forget_if_behind(matches, &mut place).await?;
    Ok(facts_of(load(matches, id, &mut place).await?))
}

fn facts_of(live: &Live) -> Facts {
    let players: Vec<AccountId> = live.terms.players.iter().map(|player| player.id).collect();
    let outcome = live.view(Viewer::Spectator).result().filter(|outcome| !outcome.places.is_empty());
    let places = outcome.map(|outcome| rate::places(outcome, players.len()));
    Facts { over: live.battle.status().is_over(), players, places }
}

async fn forget_if_behind(ctx: &Context, place: &mut Option<Live>) -> Result<()> {
    if let Some(live) = place.as_ref()
        && is_behind(ctx, live).await?
    {
        *place = None;
    }
    Ok(())
}

/// Ends a match that is under way; `first` happens first in the transaction that does. False: it is over already, and nothing has happened. With a claim whose
/// request has done it before nothing happens either, and it is true. `not-for-you` when the winner doesn't play any more.
pub async fn end(
    matches: &Matches,
    id: MatchId,
    verdict: Verdict,
    claim: Option<&Claim>,
    first: impl AsyncFn(&mut Tx) -> Result<()>,
) -> Result<bool> {
    let table = matches.table(id);
    let mut place = table.live.lock().await;
    for _ in 0..ATTEMPTS {
        if done_before(matches, claim).await? {
            return Ok(true);
        }
        forget_if_behind(matches, &mut place).await?;
        let live = load(matches, id, &mut place).await?;
        let now = matches.clock.now();
        if live.battle.status().is_over() {
            return Ok(false);
        }
        // What the clock has decided is decided, even if the sweep hasn't come by yet.
        if let Some(entry) = due(matches, live, now).await? {
            super::play::commit(matches, &mut place, entry, None).await?;
            continue;
        }
        let events = events(live, verdict);
        if events.is_empty() {
            return Err(Error::new(&problem::NOT_FOR_YOU, "The winner must be a seat that still plays."));
        }
        let spends = claim.map(|claim| (claim.id, claim.fingerprint));
        let entry = Entry { at: now.max(live.last_at), seat: None, events };
        if commit_with(matches, &mut place, entry, spends, &first).await?.is_some() {
            return Ok(true);
        }
    }
    Err(Error::plain(&problem::CONCURRENT_ACTION))
}

fn events(live: &Live, verdict: Verdict) -> Vec<Event> {
    match verdict {
        Verdict::Win(seat) if seat.0 >= live.terms.setup.seats => Vec::new(),
        Verdict::Win(seat) => live.battle.adjudicate(Some(seat)),
        Verdict::Draw => live.battle.adjudicate(None),
        Verdict::NoResult => live.battle.adjudicate_without_result(),
    }
}

/// Whether the claim's request has ended a match before.
async fn done_before(ctx: &Context, claim: Option<&Claim>) -> Result<bool> {
    let Some(claim) = claim else { return Ok(false) };
    let mut conn = ctx.db.conn().await?;
    let Some(held) = idempotency::store::find(&mut conn, claim).await? else { return Ok(false) };
    claim.check(&held)?;
    Ok(held.seq.is_some())
}
