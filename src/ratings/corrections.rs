//! What is done about a rating later: a match is annulled, or adjudicated. Nothing in the ledger is rewritten; rows
//! that compensate are appended. What they leave isn't a sum but a replay ([`replayed`]): to take back the points that
//! a match brought would take back what later matches have corrected, too.
//!
//! Both are called in a transaction of somebody who has the right to (an operator's command, a moderator), who notes it
//! in the audit log and notifies the players ([`super::rate::told`]) at its end. Paired games go together: what is done
//! to one of them is done to what both have brought.

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

/// A player's rating by their own ledger in a pool, given in the order of its numbers: the player is rated anew from
/// the first match on, without what was annulled, and with the places that were decided where a match was adjudicated.
/// The opponents are those of the rows, with the ratings that they had then. So it makes no difference when something
/// was annulled or decided, and everybody can work it out from public rows. None: a row names a method that isn't
/// known.
pub(super) fn replayed(pool: &Pool, account: AccountId, ledger: &[&RatingChange]) -> Option<PlayerRating> {
    let mut newest: HashMap<MatchId, &RatingChange> = HashMap::new();
    for row in ledger {
        // An annulment comes behind what it takes back, and has its revision.
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

/// A change that is appended to its player's ledger, with what it leaves.
pub(super) fn appended(change: RatingChange, ledger: &[&RatingChange]) -> Option<(RatingChange, PlayerRating)> {
    let with: Vec<&RatingChange> = ledger.iter().copied().chain([&change]).collect();
    let standing = replayed(&change.pool, change.account, &with)?;
    Some((RatingChange { after: standing.rating, ..change }, standing))
}

/// The annulment of a change; what is after it is still to be found.
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

/// What was rated first, with the places that were decided since; what is after it is still to be found.
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

/// What a match has done to ratings so far.
struct Rated {
    /// The first time that it was rated, by seat.
    first: Vec<RatingChange>,
    /// The changes of the last time that it was rated, by seat.
    newest: Vec<RatingChange>,
    /// Whether that was taken back.
    annulled: bool,
    /// When the last of this was done.
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

/// What a match that has changed ratings counts as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountedAs {
    /// As it was played.
    AsPlayed,
    /// As a moderator has decided after its end.
    AsDecided,
    /// Not at all: it is annulled.
    Not,
}

/// What a match counts as, and since when.
pub struct Counted {
    pub counts: CountedAs,
    /// When it was rated, decided or annulled last, or the game that it is paired with.
    pub since: Time,
    /// The match, and the one that it is paired with.
    pub matches: Vec<MatchId>,
}

/// What a match counts as, until the end of the transaction: the standings of its players are locked. Fails with
/// `match-not-rated` when no rating was changed by that match.
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

/// A player's rating, locked, with their ledger.
struct LockedLedger {
    standing: PlayerRating,
    ledger: Vec<RatingChange>,
}

impl LockedLedger {
    /// Appends a row to the ledger, and returns it as it has to be.
    fn append(&mut self, change: RatingChange) -> Result<RatingChange> {
        let unknown = || Error::internal(format!("a change names the method {} {}", change.algorithm, change.version));
        let ledger: Vec<&RatingChange> = self.ledger.iter().collect();
        let (change, standing) = appended(change.clone(), &ledger).ok_or_else(unknown)?;
        self.ledger.push(change.clone());
        self.standing = standing;
        Ok(change)
    }
}

/// Reads what a match has done to ratings and locks the standings of its players. It is read again behind the lock: who
/// else deals with it holds the same standings.
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

/// Writes rows that were appended, one for each player.
async fn write(tx: &mut Tx, changes: &[RatingChange], held: &[LockedLedger]) -> Result<()> {
    let standings: Vec<PlayerRating> = held.iter().map(|held| held.standing).collect();
    store::ratings::write(tx, changes, &standings).await
}

/// Appends what compensates, and returns it.
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

/// Takes back what a match (with the game that it is paired with) has done to the ratings of its players: each of them
/// is rated anew without it. Returns the rows; none when it was done before. Fails with `match-not-rated` when no
/// rating was changed by that match.
pub async fn annul(tx: &mut Tx, match_id: MatchId, note: &Note, now: Time) -> Result<Vec<RatingChange>> {
    let (rated, mut held) = lock(tx, match_id).await?;
    if rated.annulled {
        return Ok(Vec::new());
    }
    let changes = take_back(tx, &rated, &mut held, note, now).await?;
    mark_changed(tx, &changes, true).await?;
    Ok(changes)
}

/// Has a finished match count with other places than those that it ended with, given by seat: what it did to the
/// ratings is taken back, if it wasn't before, and each of its players is rated anew as if it had ended so. Returns the
/// rows; none when that is what it counts as already. The match itself, with its log and its result, stays as it was.
///
/// Whoever calls this notes in the same transaction that it was done (`match-adjudicated`), with the note as its
/// reason: `ratings verify` looks for that.
///
/// Fails with `match-not-rated` when no rating was changed by that match, and with `validation-failed` when these
/// aren't the places of its seats.
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

/// What was rated, out of its rows.
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
    /// The same with other places in one of its matches: by its seats, at which these accounts sit.
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
