//! The end of a rated match: the one action that is written with a transaction of its own, because it changes its players' ratings, too.
//!
//! Ratings are worked out from how the players stand, which has to be read under a lock; a statement that gathers moves can't. All that such a statement does for any
//! move is done here for this one, by the same statement, after the ratings: so all of it happens, once, or nothing.

use broadside_rules::{Status, Viewer};

use super::live::Live;
use super::{Rated, SeatRating};
use crate::app::App;
use crate::error::Result;
use crate::events;
use crate::ratings::rate::{self, Ended};
use crate::store::moves::{self, Move, Written};

/// What ends with this, if it is a rated match: `live` has taken the last entry in, `was_over` says whether it had ended before.
pub(super) fn of(live: &Live, was_over: bool, at: broadside_rules::Time) -> Option<Ended> {
    let pool = live.terms.pool?;
    let view = live.view(Viewer::Spectator);
    let outcome = view.result().filter(|_| view.status() == Status::Finished && !was_over)?;
    let accounts = live.terms.players.iter().map(|player| player.id);
    let seats = accounts.zip(rate::places(outcome, live.terms.players.len())).collect();
    Some(Ended { match_id: live.terms.id, pool, seats, at })
}

/// Writes the last move of a rated match with what it does to the ratings, which `live` takes in. Whose key is spent or whose log has gone on changes nothing.
pub(super) async fn write(app: &App, live: &mut Live, ended: &Ended, mut what: Move) -> Result<Written> {
    let mut tx = app.db.begin().await?;
    // The standings are locked before the match, everywhere, and the counters of events last.
    let Some(changes) = rate::rate(&mut tx, ended).await? else {
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
            let seat = |change: &crate::ratings::Change| SeatRating {
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
