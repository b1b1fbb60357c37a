//! Ladders are made and closed.
//!
//! Anybody may keep a few; an operator's organizers keep more. One that a player has made and that nobody uses closes by itself.

use super::news::{self, Topic};
use super::{Closed, Ladder, Season, Terms};
use crate::accounts::{Identity, account};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, LadderId};
use crate::store::{self, Tx};
use crate::talk::text::Remark;

/// How many open ladders a player may have made.
pub const OF_PLAYER: i64 = 3;
/// How many an organizer may have made.
pub const OF_ORGANIZER: i64 = 100;
/// A player's ladder closes when it has had fewer than two members for so long, in seconds: 60 days.
pub const LONELY_S: u32 = 60 * 86_400;

/// Makes a ladder. Fails with every fault of its terms, and with `too-many-open`.
pub async fn open(tx: &mut Tx, app: &App, maker: &Identity, terms: Terms, by_operator: bool) -> Result<Ladder> {
    let faults = terms.faults(by_operator);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    account::hold(tx, maker.account).await?;
    let most = if by_operator { OF_ORGANIZER } else { OF_PLAYER };
    // Two requests at the same moment may overstep it by one, as with challenges.
    if store::ladders::count_open(tx, maker.account).await? >= most {
        let detail = format!("An account may keep {most} open ladders: close one first.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let now = app.clock.now();
    let ends_at = terms.season_s.map(|season_s| now.plus_s(season_s));
    let ladder = Ladder {
        id: app.new_id(),
        maker: maker.player(),
        by_operator,
        terms,
        created_at: now,
        season: Season { number: 1, started_at: now, ends_at, ended_at: None },
        closed: None,
    };
    store::ladders::insert(tx, &ladder).await?;
    store::ladder_seasons::begin(tx, ladder.id, &ladder.season).await?;
    Ok(ladder)
}

/// Who closes a ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closer {
    /// A player, who must have made it.
    Maker(AccountId),
    /// Somebody who may close any.
    Organizer,
    /// The service itself.
    Service,
}

/// Closes a ladder for good: its season ends, nobody is paired any more, and what is under way goes on without counting there. All members hear of it. Fails with
/// `not-found`, `not-for-you` and `ladder-closed`.
pub async fn close(tx: &mut Tx, app: &App, id: LadderId, reason: &Remark, closer: Closer) -> Result<Ladder> {
    let mut ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    if matches!(closer, Closer::Maker(account) if account != ladder.maker.id) {
        let detail = "Only who has made a ladder can close it, and the operator's organizers.";
        return Err(Error::new(&problem::NOT_FOR_YOU, detail));
    }
    if ladder.closed.is_some() {
        return Err(Error::plain(&problem::LADDER_CLOSED));
    }
    let closed = Closed { at: app.clock.now(), reason: reason.as_str().to_owned() };
    store::ladders::close(tx, id, &closed).await?;
    store::ladder_standings::finish(tx, id, ladder.season.number, ladder.terms.form.kind()).await?;
    store::ladder_seasons::end(tx, id, ladder.season.number, closed.at).await?;
    news::announce(tx, app, &ladder, Topic::LadderClosed, closed.at).await?;
    ladder.season.ended_at = Some(closed.at);
    ladder.closed = Some(closed);
    Ok(ladder)
}

/// Closes a player's ladder if it has had fewer than two members for too long.
pub(super) async fn close_if_lonely(app: &App, id: LadderId) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let since = match store::ladders::lock(&mut tx, id).await? {
        Some(ladder) if ladder.closed.is_none() && !ladder.by_operator => store::ladders::lonely_since(&mut tx, id).await?,
        _ => None,
    };
    if !since.is_some_and(|since| since.plus_s(LONELY_S) <= app.clock.now()) {
        return tx.roll_back().await;
    }
    let reason = "For 60 days there were fewer than two members.".parse().map_err(Error::internal)?;
    close(&mut tx, app, id, &reason, Closer::Service).await?;
    tx.commit().await
}
