//! What is done about a rating later: a match is annulled, or adjudicated. Nothing in the ledger is rewritten; rows that compensate are appended.
//!
//! Both are called in a transaction of somebody who has the right to (an operator's command, a moderator), who writes down that he did it and tells the
//! players ([`super::rate::told`]) at its end. Paired games go together: what is done to one of them is done to what both have brought.

use broadside_rules::Time;

use super::algorithm::Algorithm;
use super::rate::{Ended, Game, Why, after_match, changes};
use super::{Change, Note, Places, RatedSeat, Reason, Standing};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, MatchId};
use crate::store::{self, Tx};

/// What the annulment of a change does to its player's standing; none if the change names a method that isn't known.
pub(super) fn compensation(annulled: &Change, standing: &Standing, note: Option<&str>, at: Time) -> Option<Change> {
    let algorithm = Algorithm::find(&annulled.algorithm, annulled.version)?;
    let idle_s = annulled.field.get(usize::from(annulled.seat)).and_then(|seat| seat.idle_s);
    Some(Change {
        account: standing.account,
        pool: annulled.pool,
        number: standing.number + 1,
        match_id: annulled.match_id,
        paired: annulled.paired,
        seat: annulled.seat,
        reason: Reason::Annulment,
        revision: annulled.revision,
        algorithm: annulled.algorithm.clone(),
        version: annulled.version,
        at,
        before: standing.rating,
        after: algorithm.annulled(standing.rating, annulled.before, idle_s, annulled.after),
        field: Vec::new(),
        games: Vec::new(),
        annuls: Some(annulled.number),
        note: note.map(str::to_owned),
    })
}

/// The standing that an annulment leaves: it is no play, so his idle time goes on.
pub(super) fn after_annulment((change, before): (&Change, &Standing)) -> Standing {
    Standing { number: change.number, rating: change.after, matches: before.matches.saturating_sub(1), ..*before }
}

/// What a match has done to ratings so far: the last time that it was rated, by seat, and whether that was taken back.
struct Rated {
    changes: Vec<Change>,
    annulled: bool,
}

impl Rated {
    fn of(rows: Vec<Change>) -> Option<Self> {
        let newest = rows.iter().map(|row| row.revision).max()?;
        let newest = rows.into_iter().filter(|row| row.revision == newest);
        let (annulments, changes): (Vec<Change>, Vec<Change>) = newest.partition(|row| row.reason == Reason::Annulment);
        Some(Self { changes, annulled: !annulments.is_empty() })
    }

    fn accounts(&self) -> Vec<AccountId> {
        self.changes.iter().map(|change| change.account).collect()
    }
}

/// Reads what a match has done to ratings and locks the standings of its players. It is read again behind the lock: who else deals with it holds the same standings.
async fn lock(tx: &mut Tx, match_id: MatchId) -> Result<(Rated, Vec<Standing>)> {
    let nothing = || {
        let why = "it is unrated, not over, aborted, one of paired games of which the other is not over, or unknown";
        Error::new(&problem::NOT_FOUND, format!("The match {match_id} has changed no rating: {why}."))
    };
    let rated = Rated::of(store::rated_matches::changes_of(tx, match_id).await?).ok_or_else(nothing)?;
    let pool = rated.changes.first().ok_or_else(nothing)?.pool;
    let standings = store::ratings::lock(tx, &pool, Algorithm::of(&pool).first(), &rated.accounts()).await?;
    let rated = Rated::of(store::rated_matches::changes_of(tx, match_id).await?).ok_or_else(nothing)?;
    Ok((rated, standings))
}

/// Appends what compensates, and returns it with the standings that it leaves.
async fn take_back(
    tx: &mut Tx,
    rated: &Rated,
    standings: &[Standing],
    note: &Note,
    at: Time,
) -> Result<(Vec<Change>, Vec<Standing>)> {
    let each = rated.changes.iter().zip(standings).map(|(change, standing)| {
        let unknown = || Error::internal(format!("a change names the method {} {}", change.algorithm, change.version));
        compensation(change, standing, Some(note.as_str()), at).ok_or_else(unknown)
    });
    let changes = each.collect::<Result<Vec<Change>>>()?;
    let after: Vec<Standing> = changes.iter().zip(standings).map(after_annulment).collect();
    store::ratings::write(tx, &changes, &after).await?;
    Ok((changes, after))
}

async fn mark_changed(tx: &mut Tx, changes: &[Change]) -> Result<()> {
    let Some(change) = changes.first() else { return Ok(()) };
    let matches: Vec<MatchId> = std::iter::once(change.match_id).chain(change.paired).collect();
    store::rated_matches::mark_changed(tx, &matches).await
}

/// Takes back what a match (with the game that it is paired with) has done to the ratings of its players. Returns the rows; none when it was done
/// before. Fails with `not-found` when no rating was changed by that match.
pub async fn annul(tx: &mut Tx, match_id: MatchId, note: &Note, now: Time) -> Result<Vec<Change>> {
    let (rated, standings) = lock(tx, match_id).await?;
    if rated.annulled {
        return Ok(Vec::new());
    }
    let (changes, _) = take_back(tx, &rated, &standings, note, now).await?;
    mark_changed(tx, &changes).await?;
    Ok(changes)
}

/// Has a finished match count with other places than those that it ended with, given by seat: what it did to the ratings is taken back, if it wasn't
/// before, and its players are rated anew. Returns the rows; none when that is what it counts as already. The match itself, with its log and its result, stays as it was.
///
/// Whoever calls this notes in the same transaction that it was done (`match-adjudicated`), with the note as its reason: `ratings verify` looks for that.
///
/// Fails with `not-found` when no rating was changed by that match, and with `invalid-request` when these aren't the places of its seats.
pub async fn adjudicate(
    tx: &mut Tx,
    match_id: MatchId,
    places: &Places,
    note: &Note,
    now: Time,
) -> Result<Vec<Change>> {
    let (rated, standings) = lock(tx, match_id).await?;
    let seats = rated.changes.len();
    if places.as_slice().len() != seats {
        let detail = format!("The match has {seats} seats: there must be as many places.");
        return Err(Error::new(&problem::INVALID_REQUEST, detail));
    }
    let was = as_rated(&rated.changes, now)?;
    let ended = with_places(tx, &was, match_id, places).await?;
    if !rated.annulled && ended == was {
        return Ok(Vec::new());
    }
    let (mut changed, standings) = match rated.annulled {
        true => (Vec::new(), standings),
        false => take_back(tx, &rated, &standings, note, now).await?,
    };
    let revision = rated.changes.iter().map(|change| change.revision).max().unwrap_or_default() + 1;
    store::rated_matches::note_adjudication(tx, match_id, revision, places, note, now).await?;
    let why = Why { reason: Reason::Adjudication, revision, note: Some(note.as_str()) };
    let anew = changes(Algorithm::of(&ended.pool), &ended, &standings, &why);
    let after: Vec<Standing> = anew.iter().zip(&standings).map(after_match).collect();
    store::ratings::write(tx, &anew, &after).await?;
    changed.extend(anew);
    mark_changed(tx, &changed).await?;
    Ok(changed)
}

/// What was rated, out of its rows.
fn as_rated(rows: &[Change], at: Time) -> Result<Ended> {
    let broken = || Error::internal("a change of a rating names no match");
    let first = rows.first().ok_or_else(broken)?;
    let places = |of: Option<&super::RatedGame>| {
        of.map_or_else(|| first.field.iter().map(|seat: &RatedSeat| seat.place).collect(), |game| game.places.clone())
    };
    Ok(Ended {
        pool: first.pool,
        players: rows.iter().map(|row| row.account).collect(),
        first: Game { match_id: first.match_id, places: places(first.games.first()) },
        second: first.paired.map(|match_id| Game { match_id, places: places(first.games.get(1)) }),
        at,
    })
}

/// The same with other places in one match, which are given by its seats.
async fn with_places(tx: &mut Tx, was: &Ended, match_id: MatchId, places: &Places) -> Result<Ended> {
    let seated = store::rated_matches::seated(tx, match_id).await?;
    Ok(was.with(match_id, &seated, places.as_slice()))
}

impl Ended {
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
