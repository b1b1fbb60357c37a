//! An operator's check: every rating of a pool is worked out again from the ledger and from the results of its matches, and compared.
//!
//! Nothing in the ledger is believed but what is said there of the order (each player's numbers) and of the time. Players begin as newcomers; a match is
//! rated when it is next for all of its players, by the places that the match itself ended with, from the ratings that were worked out so far. Paired games are
//! rated once both are over, by the points of both. The logs of the matches are another check's (`broadside audit`): this one believes their results.
//!
//! An adjudication gives a match other places than its log, so there is nothing in the game to compare it with. It is compared with the decision, which is
//! written down beside the ledger in the same transaction, and with the log of moderation, which has to know of one for the same reason. Who can write all three can forge it.

use std::collections::{BTreeMap, HashMap};

use broadside_rules::Time;

use super::algorithm::Algorithm;
use super::rate::{Ended, Sat, Why, after_match, changes};
use super::redress::{after_annulment, compensation};
use super::{Change, Pool, Rating, Reason, Standing};
use crate::error::Result;
use crate::ids::{AccountId, MatchId};
use crate::store::{self, Db};

/// By how much a figure may differ. Whoever works it out elsewhere rounds the last digits of a logarithm otherwise; that is a ten-millionth of this.
const TOLERANCE: f64 = 1e-6;

/// A match that was made for a pool, or paired games.
pub struct Unit {
    /// The matches, in their order.
    pub games: Vec<Sat>,
    /// Whether all of them are over.
    pub over: bool,
}

/// What a moderator has decided that a match counts as.
pub struct Decision {
    /// The match.
    pub match_id: MatchId,
    /// Of the changes that it has made.
    pub revision: u16,
    /// By seat.
    pub places: Vec<u8>,
    /// Why.
    pub note: String,
    /// When.
    pub at: Time,
    /// Whether the log of moderation says that somebody did this, for this reason.
    pub logged: bool,
}

/// All of a pool, at one moment.
pub struct Books {
    /// The ledger, by account and number.
    pub changes: Vec<Change>,
    /// The matches that were made for it.
    pub units: Vec<Unit>,
    /// What was decided on them, in its order for each.
    pub decisions: Vec<Decision>,
    /// How players stand.
    pub standings: Vec<Standing>,
}

/// What a check found.
#[derive(Debug, Default, PartialEq)]
pub struct Findings {
    /// How many changes were worked out again.
    pub changes: usize,
    /// Of how many players.
    pub players: usize,
    /// The first thing that is wrong.
    pub wrong: Option<String>,
}

/// Checks the books of a pool.
pub async fn verify(db: &Db, pool: &Pool) -> Result<Findings> {
    let books = store::rating_audit::books(db, pool).await?;
    let changes = books.changes.len();
    let players = books.standings.iter().filter(|standing| standing.number > 0).count();
    Ok(Findings { changes, players, wrong: check(pool, &books).err() })
}

/// The rows of one rating of one match, or of its annulment.
type Key = (MatchId, Reason, u16);

/// What is wrong first, going through the ledger in the order in which it was written.
fn check(pool: &Pool, books: &Books) -> std::result::Result<(), String> {
    let due = due(pool, books);
    let mut ledgers: BTreeMap<AccountId, Ledger<'_>> = BTreeMap::new();
    for change in &books.changes {
        ledgers.entry(change.account).or_insert_with(|| Ledger::new(pool, change.account)).rows.push(change);
    }
    let mut rows_of: HashMap<Key, Vec<&Change>> = HashMap::new();
    books.changes.iter().for_each(|change| rows_of.entry(key(change)).or_default().push(change));
    rows_of.values_mut().for_each(|rows| rows.sort_unstable_by_key(|change| change.seat));
    // Whatever is next for all of its players comes next.
    let mut waiting: Vec<AccountId> = ledgers.keys().rev().copied().collect();
    while let Some(account) = waiting.pop() {
        let Some(next) = ledgers.get(&account).and_then(Ledger::next) else { continue };
        let rows = &rows_of[&key(next)];
        let is_next = |row: &&Change| {
            ledgers.get(&row.account).and_then(Ledger::next).is_some_and(|next| std::ptr::eq(next, *row))
        };
        if !rows.iter().all(is_next) {
            continue;
        }
        match next.reason {
            Reason::Match => judge_rating(&mut ledgers, rows, due.get(&next.match_id))?,
            Reason::Adjudication => {
                judge_order(rows, &rows_of)?;
                judge_rating(&mut ledgers, rows, due.get(&next.match_id))?;
            }
            Reason::Annulment => judge_annulment(&mut ledgers, rows, &rows_of)?,
        }
        waiting.extend(rows.iter().map(|row| row.account));
    }
    for ledger in ledgers.values() {
        if let Some(row) = ledger.next() {
            return Err(format!("{}: it comes neither before nor after other changes of its match", name(row)));
        }
    }
    for (match_id, due) in &due {
        if !rows_of.contains_key(&(*match_id, Reason::Match, 0)) {
            return Err(format!("the match {match_id} has ended, and changed no rating in {pool}"));
        }
        if let Some(decision) =
            due.decisions.iter().find(|one| !rows_of.contains_key(&(*match_id, Reason::Adjudication, one.revision)))
        {
            return Err(format!("the match {} was adjudicated, and changed no rating in {pool}", decision.match_id));
        }
    }
    judge_standings(pool, &ledgers, &books.standings)
}

fn key(change: &Change) -> Key {
    (change.match_id, change.reason, change.revision)
}

/// What has to be in the ledger of one match, or of paired games.
struct Due<'a> {
    ended: Ended,
    games: &'a [Sat],
    decisions: Vec<&'a Decision>,
}

/// What has to be in the ledger, by the first match that counts.
fn due<'a>(pool: &Pool, books: &'a Books) -> HashMap<MatchId, Due<'a>> {
    let mut decisions: HashMap<MatchId, Vec<&Decision>> = HashMap::new();
    books.decisions.iter().for_each(|one| decisions.entry(one.match_id).or_default().push(one));
    let over = books.units.iter().filter(|unit| unit.over);
    let each = over.filter_map(|unit| {
        let ended = Ended::of(*pool, unit.games.clone(), Time(0))?;
        let mut decisions: Vec<&Decision> =
            ended.matches().filter_map(|id| decisions.get(&id)).flatten().copied().collect();
        decisions.sort_unstable_by_key(|one| one.revision);
        Some((ended.first.match_id, Due { ended, games: &unit.games, decisions }))
    });
    each.collect()
}

impl Due<'_> {
    /// What had to be rated the first time, or after so many decisions.
    fn after(&self, revision: u16) -> Ended {
        let decided = self.decisions.iter().filter(|one| one.revision <= revision);
        decided.fold(self.ended.clone(), |ended, one| {
            let seats = self.games.iter().find(|game| game.match_id == one.match_id).map(|game| game.seats.as_slice());
            ended.with(one.match_id, seats.unwrap_or_default(), &one.places)
        })
    }
}

/// The ledger of one player, and how far it has been gone through.
struct Ledger<'a> {
    rows: Vec<&'a Change>,
    standing: Standing,
}

impl<'a> Ledger<'a> {
    fn new(pool: &Pool, account: AccountId) -> Self {
        let rating = Algorithm::of(pool).first();
        Self { rows: Vec::new(), standing: Standing { account, number: 0, rating, matches: 0, rated_at: None } }
    }

    fn next(&self) -> Option<&'a Change> {
        self.rows.get(self.standing.number as usize).copied()
    }
}

type Ledgers<'a> = BTreeMap<AccountId, Ledger<'a>>;

fn standings(ledgers: &Ledgers<'_>, rows: &[&Change]) -> Vec<Standing> {
    rows.iter().filter_map(|row| ledgers.get(&row.account).map(|ledger| ledger.standing)).collect()
}

fn judge_rating(ledgers: &mut Ledgers<'_>, rows: &[&Change], due: Option<&Due<'_>>) -> std::result::Result<(), String> {
    let first = rows[0];
    let due = due.ok_or_else(|| {
        format!(
            "{}: no match of this pool with that id has ended with a result, by itself or with its pair",
            name(first)
        )
    })?;
    let decided = due.decisions.iter().find(|one| one.revision == first.revision);
    if let (Reason::Adjudication, None) = (first.reason, decided) {
        return Err(format!("{}: nobody has decided so", name(first)));
    }
    if decided.is_some_and(|one| !one.logged) {
        return Err(format!("{}: the log of moderation doesn't know of it", name(first)));
    }
    let accounts: Vec<AccountId> = rows.iter().map(|row| row.account).collect();
    let ended = Ended { at: decided.map_or(first.at, |one| one.at), ..due.after(first.revision) };
    if accounts != ended.players {
        return Err(format!("{}: these are not the players of the match, seat by seat", name(first)));
    }
    let algorithm = Algorithm::find(&first.algorithm, first.version)
        .ok_or_else(|| format!("{}: the method {} {} is not known", name(first), first.algorithm, first.version))?;
    let note = decided.map(|one| one.note.as_str());
    let why = Why { reason: first.reason, revision: first.revision, note };
    let before = standings(ledgers, rows);
    let due = changes(algorithm, &ended, &before, &why);
    for (row, due) in rows.iter().zip(&due) {
        compare(row, due)?;
    }
    // What was worked out goes on, not what is written.
    due.iter().zip(&before).map(after_match).for_each(|standing| take(ledgers, standing));
    Ok(())
}

/// Who is rated anew was rated before, and that was taken back.
fn judge_order(rows: &[&Change], rows_of: &HashMap<Key, Vec<&Change>>) -> std::result::Result<(), String> {
    for row in rows {
        let before = row.revision.checked_sub(1).and_then(|revision| {
            let annulled = rows_of.get(&(row.match_id, Reason::Annulment, revision))?;
            annulled.iter().find(|annulment| annulment.account == row.account && annulment.number < row.number)
        });
        if before.is_none() {
            return Err(format!("{}: what its match did before was not taken back first", name(row)));
        }
    }
    Ok(())
}

fn judge_annulment(
    ledgers: &mut Ledgers<'_>,
    rows: &[&Change],
    rows_of: &HashMap<Key, Vec<&Change>>,
) -> std::result::Result<(), String> {
    let first = rows[0];
    let rated = |reason| rows_of.get(&(first.match_id, reason, first.revision));
    let annulled = rated(Reason::Match).or_else(|| rated(Reason::Adjudication));
    let annulled = annulled.map(Vec::as_slice).unwrap_or_default();
    if annulled.len() != rows.len() {
        return Err(format!(
            "{}: it takes back {} changes where the match made {}",
            name(first),
            rows.len(),
            annulled.len()
        ));
    }
    let before = standings(ledgers, rows);
    let mut after = Vec::new();
    for ((row, standing), annulled) in rows.iter().zip(&before).zip(annulled) {
        if row.annuls != Some(annulled.number) || annulled.number >= row.number {
            return Err(format!("{}: it doesn't take back the change {} of its match", name(row), annulled.number));
        }
        let due = compensation(annulled, standing, row.note.as_deref(), row.at);
        let due = due.ok_or_else(|| format!("{}: its method is not known", name(row)))?;
        compare(row, &due)?;
        after.push(after_annulment((&due, standing)));
    }
    after.into_iter().for_each(|standing| take(ledgers, standing));
    Ok(())
}

fn take(ledgers: &mut Ledgers<'_>, standing: Standing) {
    if let Some(ledger) = ledgers.get_mut(&standing.account) {
        ledger.standing = standing;
    }
}

/// A row of the ledger, against what it has to say.
fn compare(row: &Change, due: &Change) -> std::result::Result<(), String> {
    let wrong =
        |what: &str, is: String, due: String| Err(format!("{}: {what} is {is}, and has to be {due}", name(row)));
    if row.number != due.number || row.seat != due.seat {
        let place = |change: &Change| format!("{} (seat {})", change.number, change.seat);
        return wrong("the number", place(row), place(due));
    }
    for (what, is, due) in [("the rating before", row.before, due.before), ("the rating after", row.after, due.after)] {
        if !alike(is, due) {
            return wrong(what, format!("{is:?}"), format!("{due:?}"));
        }
    }
    let same = |(is, due): (&super::RatedSeat, &super::RatedSeat)| {
        let rest = |seat: &super::RatedSeat| (seat.seat, seat.player.clone(), seat.place, seat.number, seat.idle_s);
        rest(is) == rest(due) && alike(is.before, due.before)
    };
    if row.field.len() != due.field.len() || !row.field.iter().zip(&due.field).all(same) {
        return wrong("the field", format!("{:?}", row.field), format!("{:?}", due.field));
    }
    if (row.paired, &row.games) != (due.paired, &due.games) {
        let pair = |change: &Change| format!("{:?} with {:?}", change.games, change.paired);
        return wrong("the pair of games", pair(row), pair(due));
    }
    if row.note != due.note {
        return wrong("the note", format!("{:?}", row.note), format!("{:?}", due.note));
    }
    if (&row.algorithm, row.version, row.at) != (&due.algorithm, due.version, due.at) {
        let kind = |change: &Change| format!("{} {} at {}", change.algorithm, change.version, change.at);
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

fn judge_standings(pool: &Pool, ledgers: &Ledgers<'_>, standings: &[Standing]) -> std::result::Result<(), String> {
    let stored: HashMap<AccountId, &Standing> = standings.iter().map(|standing| (standing.account, standing)).collect();
    for (account, ledger) in ledgers {
        let due = &ledger.standing;
        let right = stored.get(account).is_some_and(|is| {
            (is.number, is.matches, is.rated_at) == (due.number, due.matches, due.rated_at)
                && alike(is.rating, due.rating)
        });
        if !right {
            let is = stored.get(account);
            return Err(format!("the standing of {account} in {pool} is {is:?}, and has to be {due:?}"));
        }
    }
    let unfounded = standings.iter().find(|standing| standing.number > 0 && !ledgers.contains_key(&standing.account));
    unfounded
        .map_or(Ok(()), |standing| Err(format!("{} stands in {pool} without a change in the ledger", standing.account)))
}

/// A row, so that it can be found.
fn name(row: &Change) -> String {
    format!(
        "change {} of {} in {} ({} of the match {})",
        row.number,
        row.account,
        row.pool,
        row.reason.word(),
        row.match_id
    )
}
