//! The end of a match that counts for more than itself: the one action that is written with a transaction of its own, because it changes its players' ratings, or a
//! ladder or a tournament waits for it.
//!
//! Ratings are worked out from how the players stand, which has to be read under a lock; a statement that gathers moves can't. All that such a statement does for any
//! move is done here for this one, by the same statement, after the ratings: so all of it happens, once, or nothing.
//!
//! Paired games are rated as one by whichever ends last, however it ends. Both ends hold the row of the pairing, so one sees the other.

use broadside_rules::{Status, Time, Viewer};

use super::Part;
use super::match_state::Live;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::events;
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::matches::store;
use crate::matches::store::moves::{self, Move, Written};
use crate::ratings;
use crate::ratings::rate::{self, Ended, Sat};
use crate::ratings::{Change, Pool, RatingEffect, SeatRating};

/// What has to happen with the end of a match.
pub(super) struct Closing {
    /// Where it counts.
    pool: Option<Pool>,
    /// How it ended.
    game: Sat,
    /// Who waits for it.
    part: Option<Part>,
    at: Time,
}

/// What else happens with this entry; none: nothing. `live` has taken it in, `was_over` says whether the match had ended before.
pub(super) fn of(live: &Live, was_over: bool, at: Time) -> Option<Closing> {
    let terms = &live.terms;
    let view = live.view(Viewer::Spectator);
    if was_over || !view.status().is_over() {
        return None;
    }
    let outcome = view.result().filter(|_| view.status() == Status::Finished);
    let seats: Vec<AccountId> = terms.players.iter().map(|player| player.id).collect();
    let places = outcome.map(|outcome| rate::places(outcome, seats.len()));
    let counts = terms.pool.is_some() && places.is_some();
    let game = Sat { match_id: terms.id, seats, places };
    (counts || terms.part.is_some()).then_some(Closing { pool: terms.pool, game, part: terms.part, at })
}

impl Closing {
    /// The end of a match that counts for nothing else.
    pub(super) fn of_nothing_else(live: &Live, at: Time) -> Self {
        let game = Sat { match_id: live.terms.id, seats: Vec::new(), places: None };
        Self { pool: None, game, part: None, at }
    }
}

/// Writes the last move of a match with what else it does; `first` happens before all of it. Whose key is spent or whose log has gone on changes nothing.
pub(super) async fn write(
    matches: &Matches,
    live: &mut Live,
    closing: &Closing,
    mut what: Move,
    first: impl AsyncFnOnce(&mut Tx) -> Result<()>,
) -> Result<Written> {
    let _turn = matches.endings.acquire().await.map_err(Error::internal)?;
    let mut tx = matches.db.begin().await?;
    first(&mut tx).await?;
    // Pairings are locked before standings, these before the match, everywhere, and the counters of events last.
    if let Some(part) = closing.part {
        store::pairing_end::note_end(&mut tx, part.pairing, closing.at).await?;
    }
    let Some(changes) = rated(&mut tx, closing).await? else {
        tx.roll_back().await?;
        return Ok(Written::Clash);
    };
    let told = rate::told(&changes)?;
    what.told = events::merged(what.told.into_iter().chain(told));
    let rated = changes.first().map(|change| std::iter::once(change.match_id).chain(change.paired));
    let mut changed: Vec<MatchId> = rated.into_iter().flatten().chain([what.match_id]).collect();
    changed.sort();
    changed.dedup();
    if changed.len() > 1 {
        // The game that was over before shows it, too.
        ratings::store::rated_matches::mark_changed(&mut tx, &changed).await?;
    }
    let rings = what.told.iter().map(|told| told.account.0).chain(changed.iter().map(|id| id.0)).collect::<Vec<_>>();
    match moves::write_in(&mut tx, what).await? {
        Written::Clash => {
            tx.roll_back().await?;
            Ok(Written::Clash)
        }
        Written::Lasting => {
            let wakeups = matches.wakeups.clone();
            tx.afterwards(move || wakeups.wake(&rings));
            tx.commit().await?;
            live.rated = RatingEffect { seats: shown(&closing.game, &changes), annulled: false, adjudicated: false };
            Ok(Written::Lasting)
        }
    }
}

/// What is rated of it; none when somebody else has ended the match meanwhile.
async fn rated(tx: &mut Tx, closing: &Closing) -> Result<Option<Vec<Change>>> {
    let Some(pool) = closing.pool else { return Ok(Some(Vec::new())) };
    let games = match closing.part.filter(|part| part.games > 1) {
        None => Some(vec![closing.game.clone()]),
        Some(part) => all_over(tx, part, &closing.game).await?,
    };
    match games.and_then(|games| Ended::of(pool, games, closing.at)) {
        Some(ended) => rate::rate(tx, &ended).await,
        None => Ok(Some(Vec::new())),
    }
}

/// The games of a pairing in their order; none while another of them is under way.
async fn all_over(tx: &mut Tx, part: Part, this: &Sat) -> Result<Option<Vec<Sat>>> {
    let games = ratings::store::rated_matches::games_of(tx, part.pairing).await?;
    let over = |(game, over): (Sat, bool)| {
        if game.match_id == this.match_id { Some(this.clone()) } else { over.then_some(game) }
    };
    Ok(games.into_iter().map(over).collect())
}

/// What a game shows of it, by seat; one that was called off has changed nothing.
fn shown(game: &Sat, changes: &[Change]) -> Vec<SeatRating> {
    let counts = |change: &&Change| change.match_id == game.match_id || change.paired == Some(game.match_id);
    let of_seat = |(seat, account): (u8, &AccountId)| {
        let change = changes.iter().filter(counts).find(|change| change.account == *account)?;
        Some(SeatRating { seat, before: change.before.shown(), after: change.after.shown() })
    };
    (0_u8..).zip(&game.seats).filter_map(of_seat).collect()
}
