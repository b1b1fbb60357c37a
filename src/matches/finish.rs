//! The end of a match that counts for more than itself: the one action that is written with a transaction of its own, because it changes its players' ratings, or a
//! ladder or a tournament waits for it.
//!
//! Ratings are worked out from how the players stand, which has to be read under a lock; a statement that gathers moves can't. All that such a statement does for any
//! move is done here for this one, by the same statement, after the ratings: so all of it happens, once, or nothing.

use broadside_rules::{Status, Time, Viewer};

use super::live::Live;
use super::{Part, Rated, SeatRating};
use crate::app::App;
use crate::error::{Error, Result};
use crate::events;
use crate::ratings::Change;
use crate::ratings::rate::{self, Ended};
use crate::store::moves::{self, Move, Written};
use crate::store::{self, Tx};

/// What has to happen with the end of a match.
pub(super) struct Closing {
    /// What is rated.
    rated: Option<Ended>,
    /// Who waits for it.
    part: Option<Part>,
    at: Time,
}

/// What else happens with this entry; none: nothing. `live` has taken it in, `was_over` says whether the match had ended before.
pub(super) fn of(live: &Live, was_over: bool, at: Time) -> Option<Closing> {
    let terms = &live.terms;
    let view = live.view(Viewer::Spectator);
    if was_over || !view.status().is_over() || (terms.pool.is_none() && terms.part.is_none()) {
        return None;
    }
    let outcome = view.result().filter(|_| view.status() == Status::Finished);
    let accounts = terms.players.iter().map(|player| player.id);
    let rated = terms.pool.zip(outcome).map(|(pool, outcome)| Ended {
        match_id: terms.id,
        pool,
        seats: accounts.zip(rate::places(outcome, terms.players.len())).collect(),
        at,
    });
    (rated.is_some() || terms.part.is_some()).then_some(Closing { rated, part: terms.part, at })
}

/// Writes the last move of a match with what else it does. Whose key is spent or whose log has gone on changes nothing.
pub(super) async fn write(app: &App, live: &mut Live, closing: &Closing, mut what: Move) -> Result<Written> {
    let _turn = app.matches.endings.acquire().await.map_err(Error::internal)?;
    let mut tx = app.db.begin().await?;
    // Pairings are locked before standings, these before the match, everywhere, and the counters of events last.
    if let Some(part) = closing.part {
        store::pairings::note_end(&mut tx, part.pairing, closing.at).await?;
    }
    let Some(changes) = rated(&mut tx, closing).await? else {
        tx.roll_back().await?;
        return Ok(Written::Clash);
    };
    let told = rate::told(&changes)?;
    what.told = events::joined(what.told.into_iter().chain(told));
    let rings: Vec<_> = what.told.iter().map(|told| told.account.0).chain([what.match_id.0]).collect();
    match moves::write_in(&mut tx, what).await? {
        Written::Clash => tx.roll_back().await?,
        Written::Lasting => {
            let hints = app.hints.clone();
            tx.afterwards(move || hints.ring(&rings));
            tx.commit().await?;
            let seat = |change: &Change| SeatRating {
                seat: change.seat,
                before: change.before.shown(),
                after: change.after.shown(),
            };
            live.rated = Rated { seats: changes.iter().map(seat).collect(), annulled: false };
            return Ok(Written::Lasting);
        }
    }
    Ok(Written::Clash)
}

/// What is rated of it; none when somebody else has ended the match meanwhile.
async fn rated(tx: &mut Tx, closing: &Closing) -> Result<Option<Vec<Change>>> {
    match &closing.rated {
        Some(ended) => rate::rate(tx, ended).await,
        None => Ok(Some(Vec::new())),
    }
}
