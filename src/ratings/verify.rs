//! An operator's check: every rating of a pool is recomputed from the ledger and the results of its matches, and
//! compared.
//!
//! The ledger is trusted only for the order (each player's numbers) and the times. Players begin as newcomers; a match
//! is rated when it is next for all of its players, by its own final places, from the ratings recomputed so far. Paired
//! games are rated once both are over, by the points of both. The match logs are checked separately (`broadside
//! audit`): their results are trusted here.
//!
//! An adjudication gives a match other places than its log, so it can't be compared with the game. It is compared with
//! the decision stored beside the ledger in the same transaction, and with its entry in the audit log. Forging it takes
//! write access to all three.

mod stored_ratings;

use std::collections::{BTreeMap, HashMap};

use broadside_contests::rating_algorithm::Algorithm;
use broadside_contests::{Pool, Rating};
use broadside_rules::Time;

use super::corrections::{appended, compensation, decision};
use super::rate::{FinishedGame, RatedUnit, after_match, changes};
use super::{PlayerRating, RatingChange, RatingChangeReason};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::ratings::store;

/// The tolerated difference between figures. Other implementations round the last digits of a logarithm differently;
/// that is a ten-millionth of this.
const TOLERANCE: f64 = 1e-6;

pub use stored_ratings::StoredRating;

/// A match of the pool, or two paired games.
pub struct PlayedUnit {
    /// In order.
    pub games: Vec<FinishedGame>,
    /// True if all games are over.
    pub over: bool,
    /// The end of the last game.
    pub ended_at: Option<Time>,
}

/// A moderator's decision on the counted result of a match.
pub struct Decision {
    pub match_id: MatchId,
    /// The revision of its rating changes.
    pub revision: u16,
    /// The decided ranks, by seat, from 1.
    pub places: Vec<u8>,
    pub note: String,
    pub at: Time,
    /// True if the audit log has a matching entry with this reason.
    pub logged: bool,
}

/// The data of a pool, at one moment.
pub struct PoolBooks {
    /// The ledger, by account and number.
    pub changes: Vec<RatingChange>,
    /// The matches of the pool.
    pub units: Vec<PlayedUnit>,
    /// The decisions on them, in the order of each match.
    pub decisions: Vec<Decision>,
    pub standings: Vec<StoredRating>,
}

/// The result of a check.
#[derive(Debug, Default, PartialEq)]
pub struct RatingsCheck {
    /// The number of changes that were recomputed.
    pub changes: usize,
    pub players: usize,
    /// The first error.
    pub wrong: Option<String>,
}

/// The pools with stored data: first those of the variants, in their order. Fails when a stored pool is invalid.
pub async fn pools(db: &Db) -> Result<Vec<Pool>> {
    let unknown = |name: &String| Error::internal(format!("something is stored of {name}, which can be no pool"));
    let stored = store::audit::pools(&mut db.conn().await?).await?;
    let stored = stored.iter().map(|name| name.parse().map_err(|_| unknown(name))).collect::<Result<Vec<Pool>>>()?;
    let named = stored.iter().copied().filter(|pool| pool.rule_set().is_some());
    Ok(Pool::all().filter(|pool| stored.contains(pool)).chain(named).collect())
}

pub async fn verify(db: &Db, pool: &Pool) -> Result<RatingsCheck> {
    let books = store::audit::books(db, pool).await?;
    let changes = books.changes.len();
    let players = books.standings.len();
    Ok(RatingsCheck { changes, players, wrong: check(pool, &books).err() })
}

/// The rows of one rating of one match, or of its annulment.
type RowsKey = (MatchId, RatingChangeReason, u16);

/// The first error, in the order in which the ledger was written.
fn check(pool: &Pool, books: &PoolBooks) -> std::result::Result<(), String> {
    let due = due(pool, books);
    let mut ledgers: BTreeMap<AccountId, Ledger<'_>> = BTreeMap::new();
    for change in &books.changes {
        ledgers.entry(change.account).or_insert_with(|| Ledger::new(pool, change.account)).rows.push(change);
    }
    let mut rows_of: HashMap<RowsKey, Vec<&RatingChange>> = HashMap::new();
    books.changes.iter().for_each(|change| rows_of.entry(key(change)).or_default().push(change));
    rows_of.values_mut().for_each(|rows| rows.sort_unstable_by_key(|change| change.seat));
    // A unit that is next for all of its players comes next.
    let mut waiting: Vec<AccountId> = ledgers.keys().rev().copied().collect();
    while let Some(account) = waiting.pop() {
        let Some(next) = ledgers.get(&account).and_then(Ledger::next) else { continue };
        let rows = &rows_of[&key(next)];
        let is_next = |row: &&RatingChange| {
            ledgers.get(&row.account).and_then(Ledger::next).is_some_and(|next| std::ptr::eq(next, *row))
        };
        if !rows.iter().all(is_next) {
            continue;
        }
        match next.reason {
            RatingChangeReason::Match => judge_match(pool, &mut ledgers, rows, &due)?,
            RatingChangeReason::Adjudication => judge_decision(&mut ledgers, rows, &due, &rows_of)?,
            RatingChangeReason::Annulment => judge_annulment(&mut ledgers, rows, &rows_of)?,
        }
        waiting.extend(rows.iter().map(|row| row.account));
    }
    for ledger in ledgers.values() {
        if let Some(row) = ledger.next() {
            return Err(format!("{}: it comes neither before nor after other changes of its match", name(row)));
        }
    }
    for (match_id, due) in &due {
        if !rows_of.contains_key(&(*match_id, RatingChangeReason::Match, 0)) {
            return Err(format!("the match {match_id} has ended, and changed no rating in {pool}"));
        }
        if let Some(decision) = due
            .decisions
            .iter()
            .find(|one| !rows_of.contains_key(&(*match_id, RatingChangeReason::Adjudication, one.revision)))
        {
            return Err(format!("the match {} was adjudicated, and changed no rating in {pool}", decision.match_id));
        }
    }
    let due: BTreeMap<AccountId, PlayerRating> =
        ledgers.iter().map(|(account, ledger)| (*account, ledger.standing)).collect();
    stored_ratings::judge(pool, &due, &books.standings)
}

fn key(change: &RatingChange) -> RowsKey {
    (change.match_id, change.reason, change.revision)
}

/// The expected ledger rows of a match, or of paired games.
struct Due<'a> {
    ended: RatedUnit,
    games: &'a [FinishedGame],
    decisions: Vec<&'a Decision>,
}

/// The expected ledger rows, by the first counted match.
fn due<'a>(pool: &Pool, books: &'a PoolBooks) -> HashMap<MatchId, Due<'a>> {
    let mut decisions: HashMap<MatchId, Vec<&Decision>> = HashMap::new();
    books.decisions.iter().for_each(|one| decisions.entry(one.match_id).or_default().push(one));
    let over = books.units.iter().filter(|unit| unit.over);
    let each = over.filter_map(|unit| {
        let ended = RatedUnit::of(*pool, unit.games.clone(), unit.ended_at?)?;
        let mut decisions: Vec<&Decision> =
            ended.matches().filter_map(|id| decisions.get(&id)).flatten().copied().collect();
        decisions.sort_unstable_by_key(|one| one.revision);
        Some((ended.first.match_id, Due { ended, games: &unit.games, decisions }))
    });
    each.collect()
}

impl Due<'_> {
    /// The unit as rated at `revision`: the first time, or after that many decisions.
    fn after(&self, revision: u16) -> RatedUnit {
        let decided = self.decisions.iter().filter(|one| one.revision <= revision);
        decided.fold(self.ended.clone(), |ended, one| {
            let seats = self.games.iter().find(|game| game.match_id == one.match_id).map(|game| game.seats.as_slice());
            ended.with(one.match_id, seats.unwrap_or_default(), &one.places)
        })
    }
}

/// The ledger of one player, and the position of the check in it.
struct Ledger<'a> {
    rows: Vec<&'a RatingChange>,
    standing: PlayerRating,
}

impl<'a> Ledger<'a> {
    fn new(pool: &Pool, account: AccountId) -> Self {
        let rating = Algorithm::of(pool).initial();
        Self { rows: Vec::new(), standing: PlayerRating { account, number: 0, rating, matches: 0, rated_at: None } }
    }

    fn next(&self) -> Option<&'a RatingChange> {
        self.rows.get(self.standing.number as usize).copied()
    }

    /// The method's version in the newest change so far.
    fn version(&self) -> Option<u32> {
        self.rows.get(self.standing.number.checked_sub(1)? as usize).map(|row| row.version)
    }
}

type Ledgers<'a> = BTreeMap<AccountId, Ledger<'a>>;

fn standings(ledgers: &Ledgers<'_>, rows: &[&RatingChange]) -> Vec<PlayerRating> {
    rows.iter().filter_map(|row| ledgers.get(&row.account).map(|ledger| ledger.standing)).collect()
}

/// The match that rows refer to, if they name its players, seat by seat.
fn due_of<'d, 'a>(
    due: &'d HashMap<MatchId, Due<'a>>,
    rows: &[&RatingChange],
) -> std::result::Result<&'d Due<'a>, String> {
    let first = rows[0];
    let due = due.get(&first.match_id).ok_or_else(|| {
        format!(
            "{}: no match of this pool with that id has ended with a result, by itself or with its pair",
            name(first)
        )
    })?;
    if !rows.iter().map(|row| row.account).eq(due.ended.players.iter().copied()) {
        return Err(format!("{}: these are not the players of the match, seat by seat", name(first)));
    }
    Ok(due)
}

/// Checks the rows of a finished match.
fn judge_match(
    pool: &Pool,
    ledgers: &mut Ledgers<'_>,
    rows: &[&RatingChange],
    due: &HashMap<MatchId, Due<'_>>,
) -> std::result::Result<(), String> {
    let first = rows[0];
    let ended = due_of(due, rows)?.ended.clone();
    let algorithm = Algorithm::find(&first.algorithm, first.version)
        .filter(|algorithm| algorithm.name == Algorithm::of(pool).name)
        .ok_or_else(|| {
            format!("{}: the method {} {} is not one of this pool", name(first), first.algorithm, first.version)
        })?;
    let newest = rows.iter().filter_map(|row| ledgers.get(&row.account)?.version()).max();
    if newest.is_some_and(|newest| newest > first.version) {
        return Err(format!(
            "{}: the method's version {} is older than that of a change before",
            name(first),
            first.version
        ));
    }
    let before = standings(ledgers, rows);
    let due = changes(algorithm, &ended, &before);
    for (row, due) in rows.iter().zip(&due) {
        compare(row, due)?;
    }
    // The check continues from the recomputed values, not the stored ones.
    due.iter().zip(&before).map(after_match).for_each(|standing| take(ledgers, standing));
    Ok(())
}

/// Checks the rows of a decision: the earlier rating was reversed, and a decision is on record.
fn judge_decision(
    ledgers: &mut Ledgers<'_>,
    rows: &[&RatingChange],
    due: &HashMap<MatchId, Due<'_>>,
    rows_of: &HashMap<RowsKey, Vec<&RatingChange>>,
) -> std::result::Result<(), String> {
    let first = rows[0];
    let due = due_of(due, rows)?;
    let decided = due.decisions.iter().find(|one| one.revision == first.revision);
    let decided = decided.ok_or_else(|| format!("{}: nobody has decided so", name(first)))?;
    if !decided.logged {
        return Err(format!("{}: the audit log doesn't know of it", name(first)));
    }
    let behind = |reason, revision| rows_of.get(&(first.match_id, reason, revision)).map(Vec::as_slice);
    let annulled = first.revision.checked_sub(1).and_then(|before| behind(RatingChangeReason::Annulment, before));
    let rated = behind(RatingChangeReason::Match, 0).filter(|rated| rated.len() == rows.len()).unwrap_or_default();
    let ended = due.after(first.revision);
    for (row, rated) in rows.iter().zip(rated) {
        let is_his = |one: &&RatingChange| one.account == row.account && one.number < row.number;
        if !annulled.is_some_and(|annulled| annulled.iter().any(is_his)) || !is_his(rated) {
            return Err(format!("{}: what its match did before was not taken back first", name(row)));
        }
        append(ledgers, row, |standing| {
            decision(rated, &ended, standing, decided.revision, &decided.note, decided.at)
        })?;
    }
    Ok(())
}

fn judge_annulment(
    ledgers: &mut Ledgers<'_>,
    rows: &[&RatingChange],
    rows_of: &HashMap<RowsKey, Vec<&RatingChange>>,
) -> std::result::Result<(), String> {
    let first = rows[0];
    let rated = |reason| rows_of.get(&(first.match_id, reason, first.revision));
    let annulled = rated(RatingChangeReason::Match).or_else(|| rated(RatingChangeReason::Adjudication));
    let annulled = annulled.map(Vec::as_slice).unwrap_or_default();
    if annulled.len() != rows.len() {
        return Err(format!(
            "{}: it takes back {} changes where the match made {}",
            name(first),
            rows.len(),
            annulled.len()
        ));
    }
    for (row, annulled) in rows.iter().zip(annulled) {
        let own = row.account == annulled.account && annulled.number < row.number;
        if !own || row.annuls != Some(annulled.number) {
            return Err(format!("{}: it doesn't take back the change {} of its match", name(row), annulled.number));
        }
        append(ledgers, row, |standing| compensation(annulled, standing, row.note.as_deref(), row.at))?;
    }
    Ok(())
}

/// Recomputes and compares the outcome of a row that no match has made.
fn append(
    ledgers: &mut Ledgers<'_>,
    row: &RatingChange,
    due: impl FnOnce(&PlayerRating) -> RatingChange,
) -> std::result::Result<(), String> {
    let missing = || format!("{}: its method is not known", name(row));
    let ledger = ledgers.get_mut(&row.account).ok_or_else(missing)?;
    let before = ledger.rows.get(..ledger.standing.number as usize).unwrap_or_default();
    let (due, standing) = appended(due(&ledger.standing), before).ok_or_else(missing)?;
    compare(row, &due)?;
    ledger.standing = standing;
    Ok(())
}

fn take(ledgers: &mut Ledgers<'_>, standing: PlayerRating) {
    if let Some(ledger) = ledgers.get_mut(&standing.account) {
        ledger.standing = standing;
    }
}

/// Compares a row of the ledger with the expected one.
fn compare(row: &RatingChange, due: &RatingChange) -> std::result::Result<(), String> {
    let wrong =
        |what: &str, is: String, due: String| Err(format!("{}: {what} is {is}, and has to be {due}", name(row)));
    if row.number != due.number || row.seat != due.seat {
        let place = |change: &RatingChange| format!("{} (seat {})", change.number, change.seat);
        return wrong("the number", place(row), place(due));
    }
    for (what, is, due) in [("the rating before", row.before, due.before), ("the rating after", row.after, due.after)] {
        if !alike(is, due) {
            return wrong(what, format!("{is:?}"), format!("{due:?}"));
        }
    }
    let same = |(is, due): (&super::RatedSeat, &super::RatedSeat)| {
        let rest = |seat: &super::RatedSeat| (seat.seat, seat.player_id.clone(), seat.place, seat.number, seat.idle_s);
        rest(is) == rest(due) && alike(is.before, due.before)
    };
    if row.field.len() != due.field.len() || !row.field.iter().zip(&due.field).all(same) {
        return wrong("the field", format!("{:?}", row.field), format!("{:?}", due.field));
    }
    if (row.paired, &row.games) != (due.paired, &due.games) {
        let pair = |change: &RatingChange| format!("{:?} with {:?}", change.games, change.paired);
        return wrong("the pair of games", pair(row), pair(due));
    }
    if row.note != due.note {
        return wrong("the note", format!("{:?}", row.note), format!("{:?}", due.note));
    }
    if (&row.algorithm, row.version, row.at) != (&due.algorithm, due.version, due.at) {
        let kind = |change: &RatingChange| format!("{} {} at {}", change.algorithm, change.version, change.at);
        return wrong("the method", kind(row), kind(due));
    }
    Ok(())
}

fn alike(one: Rating, two: Rating) -> bool {
    let close = |one: f64, two: f64| (one - two).abs() <= TOLERANCE;
    let volatility = match (one.volatility, two.volatility) {
        (Some(one), Some(two)) => close(one, two),
        (one, two) => one == two,
    };
    close(one.rating, two.rating) && close(one.deviation, two.deviation) && volatility
}

/// Identifies a row in messages.
fn name(row: &RatingChange) -> String {
    format!(
        "change {} of {} in {} ({} of the match {})",
        row.number,
        row.account,
        row.pool,
        row.reason.into_str(),
        row.match_id
    )
}
