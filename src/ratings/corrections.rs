//! Later corrections of ratings: a match is annulled, or adjudicated. The ledger is never rewritten; compensating rows
//! are appended. The new rating is a replay ([`replayed`]), not a sum: subtracting the points of a match would also
//! subtract what later matches have already corrected.
//!
//! Both run in the transaction of an authorized caller (an operator's command, a moderator), which records them in the
//! audit log and notifies the players ([`super::rate::told`]) at its end. A correction of one of two paired games
//! applies to the effect of both.

use std::collections::HashMap;

use broadside_contests::Pool;
use broadside_contests::rating_algorithm::{Algorithm, Entrant, idle_s};
use broadside_rules::Time;

use super::rate::{CountedGame, RatedUnit, after_match};
use super::{Note, PlayerRating, Ranks, RatedGame, RatedSeat, RatingChange, RatingChangeReason};
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, MatchId};
use crate::ratings::store;

/// Replays a player's ledger in a pool, given in the order of its numbers: the player is rated anew from the first
/// match on, without annulled matches, and with the decided places of adjudicated ones. The opponents' ratings are
/// those of the rows. So the time of an annulment or decision makes no difference, and the result can be recomputed
/// from public rows. `None`: a row names an unknown method.
pub(super) fn replayed(pool: &Pool, account: AccountId, ledger: &[&RatingChange]) -> Option<PlayerRating> {
    let mut newest: HashMap<MatchId, &RatingChange> = HashMap::new();
    for row in ledger {
        // An annulment follows the rating that it reverses, and has its revision.
        let before = newest.entry(row.match_id).or_insert(row);
        if row.revision >= before.revision {
            *before = row;
        }
    }
    let rating = Algorithm::of(pool).initial();
    let mut standing = PlayerRating { account, number: 0, rating, matches: 0, rated_at: None };
    for row in ledger.iter().filter(|row| row.reason == RatingChangeReason::Match) {
        let counts = newest.get(&row.match_id).filter(|newest| newest.reason != RatingChangeReason::Annulment);
        let Some(counts) = counts else { continue };
        let algorithm = Algorithm::find(&row.algorithm, row.version)?;
        let entrant = |(seat, decided): (&RatedSeat, &RatedSeat)| {
            let own = seat.seat == row.seat;
            Entrant {
                before: if own { standing.rating } else { seat.before },
                idle_s: if own { idle_s(standing.rated_at, row.at) } else { seat.idle_s },
                place: decided.place,
            }
        };
        let field: Vec<Entrant> = row.field.iter().zip(&counts.field).map(entrant).collect();
        let after = *algorithm.rated(&field).get(usize::from(row.seat))?;
        standing = after_match((&RatingChange { after, ..RatingChange::clone(row) }, &standing));
    }
    standing.number = ledger.last().map_or(0, |row| row.number);
    Some(standing)
}

/// Appends a change to its player's ledger: the change, and the resulting rating.
pub(super) fn appended(change: RatingChange, ledger: &[&RatingChange]) -> Option<(RatingChange, PlayerRating)> {
    let with: Vec<&RatingChange> = ledger.iter().copied().chain([&change]).collect();
    let standing = replayed(&change.pool, change.account, &with)?;
    Some((RatingChange { after: standing.rating, ..change }, standing))
}

/// The annulment of a change; its `after` is not computed yet.
pub(super) fn compensation(
    annulled: &RatingChange,
    standing: &PlayerRating,
    note: Option<&str>,
    at: Time,
) -> RatingChange {
    RatingChange {
        number: standing.number + 1,
        reason: RatingChangeReason::Annulment,
        at,
        before: standing.rating,
        field: Vec::new(),
        games: Vec::new(),
        annuls: Some(annulled.number),
        note: note.map(str::to_owned),
        ..annulled.clone()
    }
}

/// The first rating, with the places decided since; its `after` is not computed yet.
pub(super) fn decision(
    first: &RatingChange,
    ended: &RatedUnit,
    standing: &PlayerRating,
    revision: u16,
    note: &str,
    at: Time,
) -> RatingChange {
    let places = ended.places();
    let seat = |(seat, place): (&RatedSeat, u8)| RatedSeat { place, ..seat.clone() };
    let both = ended.second.iter().flat_map(|second| [&ended.first, second]);
    RatingChange {
        number: standing.number + 1,
        reason: RatingChangeReason::Adjudication,
        revision,
        at,
        before: standing.rating,
        field: first.field.iter().zip(places).map(seat).collect(),
        games: both.map(RatedGame::of).collect(),
        annuls: None,
        note: Some(note.to_owned()),
        ..first.clone()
    }
}

/// The effect of a match on ratings so far.
struct Rated {
    /// The changes of the first rating, by seat.
    first: Vec<RatingChange>,
    /// The changes of the last rating, by seat.
    newest: Vec<RatingChange>,
    /// True if the last rating was reversed.
    annulled: bool,
    /// The time of the last of these changes.
    since: Time,
}

impl Rated {
    fn of(rows: Vec<RatingChange>) -> Option<Self> {
        let newest = rows.iter().map(|row| row.revision).max()?;
        let since = rows.iter().map(|row| row.at).max()?;
        let first = rows.iter().filter(|row| row.reason == RatingChangeReason::Match).cloned().collect();
        let newest = rows.into_iter().filter(|row| row.revision == newest);
        let (annulments, newest): (Vec<RatingChange>, Vec<RatingChange>) =
            newest.partition(|row| row.reason == RatingChangeReason::Annulment);
        Some(Self { first, newest, annulled: !annulments.is_empty(), since })
    }
}

/// The counted result of a match that has changed ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountedAs {
    /// The result of play.
    AsPlayed,
    /// A moderator's later decision.
    AsDecided,
    /// None: the match is annulled.
    Not,
}

/// The counted result of a match, with its time.
pub struct Counted {
    pub counts: CountedAs,
    /// The time of the last rating, decision or annulment of the match or its paired game.
    pub since: Time,
    /// The match, and its paired game.
    pub matches: Vec<MatchId>,
}

/// The counted result of a match, fixed until the end of the transaction by locks on its players' ratings. Fails with
/// `match-not-rated` when the match changed no rating.
pub async fn counted(tx: &mut Tx, match_id: MatchId) -> Result<Counted> {
    let (rated, _) = lock(tx, match_id).await?;
    let decided = rated.newest.iter().any(|row| row.reason == RatingChangeReason::Adjudication);
    let counts = match (rated.annulled, decided) {
        (true, _) => CountedAs::Not,
        (false, true) => CountedAs::AsDecided,
        (false, false) => CountedAs::AsPlayed,
    };
    let matches = rated.first.first().iter().flat_map(|row| [Some(row.match_id), row.paired]).flatten().collect();
    Ok(Counted { counts, since: rated.since, matches })
}

/// A player's locked rating, with their ledger.
struct LockedLedger {
    standing: PlayerRating,
    ledger: Vec<RatingChange>,
}

impl LockedLedger {
    /// Appends a row to the ledger, and returns it completed.
    fn append(&mut self, change: RatingChange) -> Result<RatingChange> {
        let unknown = || Error::internal(format!("a change names the method {} {}", change.algorithm, change.version));
        let ledger: Vec<&RatingChange> = self.ledger.iter().collect();
        let (change, standing) = appended(change.clone(), &ledger).ok_or_else(unknown)?;
        self.ledger.push(change.clone());
        self.standing = standing;
        Ok(change)
    }
}

/// Reads the effect of a match on ratings, and locks the ratings of its players. It is read again after locking,
/// because concurrent corrections hold the same locks.
async fn lock(tx: &mut Tx, match_id: MatchId) -> Result<(Rated, Vec<LockedLedger>)> {
    let nothing = || {
        let why = "it is unrated, not over, aborted, one of paired games of which the other is not over, or unknown";
        Error::new(&problem::MATCH_NOT_RATED, format!("The match {match_id} has changed no rating: {why}."))
    };
    let rated = Rated::of(store::rated_matches::changes_of(tx, match_id).await?).ok_or_else(nothing)?;
    let pool = rated.first.first().ok_or_else(nothing)?.pool;
    let accounts: Vec<AccountId> = rated.first.iter().map(|change| change.account).collect();
    let standings = store::ratings::lock(tx, &pool, Algorithm::of(&pool).initial(), &accounts).await?;
    let rated = Rated::of(store::rated_matches::changes_of(tx, match_id).await?).ok_or_else(nothing)?;
    let mut held = Vec::new();
    for standing in standings {
        held.push(LockedLedger { standing, ledger: store::ratings::ledger(tx, standing.account, &pool).await? });
    }
    Ok((rated, held))
}

/// Writes appended rows, one per player.
async fn write(tx: &mut Tx, changes: &[RatingChange], held: &[LockedLedger]) -> Result<()> {
    let standings: Vec<PlayerRating> = held.iter().map(|held| held.standing).collect();
    store::ratings::write(tx, changes, &standings).await
}

/// Appends the compensating rows, and returns them.
async fn take_back(
    tx: &mut Tx,
    rated: &Rated,
    held: &mut [LockedLedger],
    note: &Note,
    at: Time,
) -> Result<Vec<RatingChange>> {
    let each = rated.newest.iter().zip(held.iter_mut());
    let changes = each.map(|(annulled, held)| {
        let change = compensation(annulled, &held.standing, Some(note.as_str()), at);
        held.append(change)
    });
    let changes = changes.collect::<Result<Vec<RatingChange>>>()?;
    write(tx, &changes, held).await?;
    Ok(changes)
}

async fn mark_changed(tx: &mut Tx, changes: &[RatingChange], annulled: bool) -> Result<()> {
    let Some(change) = changes.first() else { return Ok(()) };
    let matches: Vec<MatchId> = std::iter::once(change.match_id).chain(change.paired).collect();
    store::rated_matches::mark_changed(tx, &matches, annulled).await
}

/// Reverses the effect of a match (with its paired game) on the ratings of its players: each player is rated anew
/// without it. Returns the new rows; none when it was already annulled. Fails with `match-not-rated` when the match
/// changed no rating.
pub async fn annul(tx: &mut Tx, match_id: MatchId, note: &Note, now: Time) -> Result<Vec<RatingChange>> {
    let (rated, mut held) = lock(tx, match_id).await?;
    if rated.annulled {
        return Ok(Vec::new());
    }
    let changes = take_back(tx, &rated, &mut held, note, now).await?;
    mark_changed(tx, &changes, true).await?;
    Ok(changes)
}

/// Makes a finished match count with other places, given by seat: its effect on the ratings is reversed, unless it was
/// already, and its players are rated anew as if it had ended so. Returns the new rows; none when it already counts
/// with these places. The match itself, its log and its result stay unchanged.
///
/// The caller records this in the same transaction (`match-adjudicated`), with the note as its reason: `ratings verify`
/// checks for that.
///
/// Fails with `match-not-rated` when the match changed no rating, and with `validation-failed` when the places don't
/// fit its seats.
pub async fn adjudicate(
    tx: &mut Tx,
    match_id: MatchId,
    places: &Ranks,
    note: &Note,
    now: Time,
) -> Result<Vec<RatingChange>> {
    let (rated, mut held) = lock(tx, match_id).await?;
    let seats = rated.first.len();
    if places.as_slice().len() != seats {
        let detail = format!("The match has {seats} seats: there must be as many places.");
        return Err(Error::new(&problem::INVALID_REQUEST, detail));
    }
    let was = as_rated(&rated.newest, now)?;
    let seated = store::rated_matches::seated(tx, match_id).await?;
    let ended = was.with(match_id, &seated, places.as_slice());
    if !rated.annulled && ended == was {
        return Ok(Vec::new());
    }
    let mut changed = match rated.annulled {
        true => Vec::new(),
        false => take_back(tx, &rated, &mut held, note, now).await?,
    };
    let revision = rated.newest.iter().map(|change| change.revision).max().unwrap_or_default() + 1;
    store::rated_matches::note_adjudication(tx, match_id, revision, places, note, now).await?;
    let each = rated.first.iter().zip(held.iter_mut());
    let anew = each.map(|(first, held)| {
        let change = decision(first, &ended, &held.standing, revision, note.as_str(), now);
        held.append(change)
    });
    let anew = anew.collect::<Result<Vec<RatingChange>>>()?;
    write(tx, &anew, &held).await?;
    changed.extend(anew);
    mark_changed(tx, &changed, false).await?;
    Ok(changed)
}

/// Reconstructs what was rated from its rows.
fn as_rated(rows: &[RatingChange], at: Time) -> Result<RatedUnit> {
    let broken = || Error::internal("a change of a rating names no match");
    let first = rows.first().ok_or_else(broken)?;
    let places = |of: Option<&RatedGame>| {
        of.map_or_else(|| first.field.iter().map(|seat| seat.place).collect(), |game| game.places.clone())
    };
    Ok(RatedUnit {
        pool: first.pool,
        players: rows.iter().map(|row| row.account).collect(),
        first: CountedGame { match_id: first.match_id, places: places(first.games.first()) },
        second: first.paired.map(|match_id| CountedGame { match_id, places: places(first.games.get(1)) }),
        at,
    })
}

impl RatedUnit {
    /// The unit with other places in one of its matches, by its seats, at which these accounts sit.
    pub(super) fn with(&self, match_id: MatchId, seated: &[AccountId], places: &[u8]) -> Self {
        let places = self.by_player(seated, places);
        let mut ended = self.clone();
        let games = std::iter::once(&mut ended.first).chain(ended.second.as_mut());
        for game in games.filter(|game| game.match_id == match_id) {
            game.places.clone_from(&places);
        }
        ended
    }
}
