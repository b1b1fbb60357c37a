//! A finished match is rated, and an annulled one is taken back: the only two things that change a rating.
//!
//! The rows of the players' standings are locked first, in the order of the accounts, and stay locked until the commit. So when several matches of one
//! player end at once, on whatever nodes, one comes after the other; the order that counts is that of the numbers in the ledger, which are given here.

use broadside_rules::{Outcome, Seat, Time};

use super::algorithm::{Algorithm, Entrant, idle_s};
use super::{Change, Note, Pool, RatedSeat, Reason, Standing};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::events::kinds::RatingChangedEvent;
use crate::events::{self, Told};
use crate::ids::{AccountId, MatchId};
use crate::store::{self, Tx};

/// A rated match that has just ended.
pub struct Ended {
    /// The match.
    pub match_id: MatchId,
    /// The pool in which it counts.
    pub pool: Pool,
    /// Whose each seat was, and the place that it took.
    pub seats: Vec<(AccountId, u8)>,
    /// When it ended.
    pub at: Time,
}

/// The place of each seat; who has none shares the last.
pub fn places(outcome: &Outcome, seats: usize) -> Vec<u8> {
    let last = u8::try_from(seats).unwrap_or(u8::MAX);
    (0..last).map(|seat| outcome.place_of(Seat(seat)).unwrap_or(last)).collect()
}

/// Rates a match in the transaction that ends it: one change a seat, in their order. Before anything else of the match is locked: whoever waits for a
/// standing holds neither a match nor a counter of events.
///
/// None when it was rated before: whoever ended it at the same moment held the same standings, and was first.
///
/// A player whose account is deleted is rated like anybody else, since his opponents are rated by it; but nobody sees his standing any more.
pub async fn rate(tx: &mut Tx, ended: &Ended) -> Result<Option<Vec<Change>>> {
    let algorithm = Algorithm::of(&ended.pool);
    let accounts: Vec<AccountId> = ended.seats.iter().map(|(account, _)| *account).collect();
    let standings = store::ratings::lock(tx, &ended.pool, algorithm.first(), &accounts).await?;
    if !store::ratings::changes_by(tx, ended.match_id, Reason::Match).await?.is_empty() {
        return Ok(None);
    }
    let changes = changes(algorithm, ended, &standings);
    store::ratings::write(tx, &changes, &changes.iter().zip(&standings).map(after_match).collect::<Vec<_>>()).await?;
    Ok(Some(changes))
}

/// What a match does to its players' standings, which are given by seat.
pub(super) fn changes(algorithm: &Algorithm, ended: &Ended, standings: &[Standing]) -> Vec<Change> {
    let seats = (0_u8..).zip(&ended.seats).zip(standings);
    let field: Vec<RatedSeat> = seats
        .map(|((seat, (account, place)), standing)| RatedSeat {
            seat,
            player: account.to_string(),
            place: *place,
            number: standing.number + 1,
            before: standing.rating,
            idle_s: idle_s(standing, ended.at),
        })
        .collect();
    let entrants: Vec<Entrant> =
        field.iter().map(|seat| Entrant { before: seat.before, idle_s: seat.idle_s, place: seat.place }).collect();
    let after = algorithm.rated(&entrants);
    let all = field.iter().zip(standings).zip(after);
    all.map(|((seat, standing), after)| Change {
        account: standing.account,
        pool: ended.pool,
        number: seat.number,
        match_id: ended.match_id,
        seat: seat.seat,
        reason: Reason::Match,
        algorithm: algorithm.name.to_owned(),
        version: algorithm.version,
        at: ended.at,
        before: seat.before,
        after,
        field: field.clone(),
        annuls: None,
        note: None,
    })
    .collect()
}

/// The standing that a match's change leaves.
pub(super) fn after_match((change, before): (&Change, &Standing)) -> Standing {
    Standing {
        account: before.account,
        number: change.number,
        rating: change.after,
        matches: before.matches + 1,
        rated_at: before.rated_at.max(Some(change.at)),
    }
}

/// What the annulment of a change does to its player's standing; none if the change names a method that isn't known.
pub(super) fn compensation(annulled: &Change, standing: &Standing, note: Option<&str>, at: Time) -> Option<Change> {
    let algorithm = Algorithm::find(&annulled.algorithm, annulled.version)?;
    let idle_s = annulled.field.get(usize::from(annulled.seat)).and_then(|seat| seat.idle_s);
    Some(Change {
        account: standing.account,
        pool: annulled.pool,
        number: standing.number + 1,
        match_id: annulled.match_id,
        seat: annulled.seat,
        reason: Reason::Annulment,
        algorithm: annulled.algorithm.clone(),
        version: annulled.version,
        at,
        before: standing.rating,
        after: algorithm.annulled(standing.rating, annulled.before, idle_s, annulled.after),
        field: Vec::new(),
        annuls: Some(annulled.number),
        note: note.map(str::to_owned),
    })
}

/// The standing that an annulment leaves: it is no play, so his idle time goes on.
pub(super) fn after_annulment((change, before): (&Change, &Standing)) -> Standing {
    Standing { number: change.number, rating: change.after, matches: before.matches.saturating_sub(1), ..*before }
}

/// Takes back what a match has done to the ratings of its players, by rows that compensate. Returns them; none when it was done before. Fails with `not-found`
/// when no rating was changed by that match.
pub async fn annul(app: &App, match_id: MatchId, note: &Note) -> Result<Vec<Change>> {
    let mut tx = app.db.begin().await?;
    let annulled = store::ratings::changes_by(&mut tx, match_id, Reason::Match).await?;
    let Some(first) = annulled.first() else {
        let detail =
            format!("The match {match_id} has changed no rating: it is unrated, not over, aborted, or unknown.");
        return Err(Error::new(&problem::NOT_FOUND, detail));
    };
    let (pool, at) = (first.pool, app.clock.now());
    let accounts: Vec<AccountId> = annulled.iter().map(|change| change.account).collect();
    let standings = store::ratings::lock(&mut tx, &pool, Algorithm::of(&pool).first(), &accounts).await?;
    // Asked only now: who else annuls it holds the same standings.
    if !store::ratings::changes_by(&mut tx, match_id, Reason::Annulment).await?.is_empty() {
        tx.roll_back().await?;
        return Ok(Vec::new());
    }
    let each = annulled.iter().zip(&standings).map(|(change, standing)| {
        let unknown = || Error::internal(format!("a change names the method {} {}", change.algorithm, change.version));
        compensation(change, standing, Some(note.as_str()), at).ok_or_else(unknown)
    });
    let changes = each.collect::<Result<Vec<Change>>>()?;
    let after: Vec<Standing> = changes.iter().zip(&standings).map(after_annulment).collect();
    store::ratings::write(&mut tx, &changes, &after).await?;
    store::ratings::mark_changed(&mut tx, match_id).await?;
    let told = told(&changes)?;
    events::tell(&mut tx, app, told).await?;
    tx.commit().await?;
    Ok(changes)
}

/// What the players hear of it.
pub fn told(changes: &[Change]) -> Result<Vec<Told>> {
    let each = changes.iter().map(|change| {
        let (before, after) = (change.before.shown(), change.after.shown());
        let (pool, reason) = (change.pool.to_string(), change.reason.word());
        let event =
            RatingChangedEvent::at(change.at, pool, change.match_id, change.number, before, after, reason).into();
        events::told(change.account, &[event])
    });
    each.filter_map(Result::transpose).collect()
}

/// Takes a deleted account from the leaderboards, for good. Its changes stay in the ledger, without a name: its opponents' ratings follow from them.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::ratings::unlist(tx, account).await
}
