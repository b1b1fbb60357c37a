//! SQL of requests and invitations to contests.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::TAKES_PLAYERS;
use crate::contests::Contest;
use crate::contests::entries::{AccountEntry, Entry, EntryState, NamedEntry};
use crate::db::schema::{accounts, contest_entries, ladder_members, tournament_players};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
const WHAT: &str = "an entry of a contest can't be read; lists leave it out";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = contest_entries, treat_none_as_null = true, check_for_backend(diesel::pg::Pg))]
struct Row {
    contest_id: Uuid,
    account_id: Uuid,
    kind: String,
    state: String,
    wanted_pairings: i16,
    invited_by: Option<Uuid>,
    at: At,
}

impl Row {
    fn read(self) -> Result<Entry> {
        let broken = || Error::internal(format!("an entry of the contest {} can't be read", self.contest_id));
        Ok(Entry {
            contest: Contest::of(&self.kind, self.contest_id).ok_or_else(broken)?,
            account: AccountId(self.account_id),
            state: self.state.parse().map_err(|_| broken())?,
            wanted: u32::from(self.wanted_pairings.unsigned_abs()),
            invited_by: self.invited_by.map(AccountId),
            at: self.at.0,
        })
    }
}

/// The account's entry; `None` if there is none.
pub async fn find(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Entry>> {
    let row = contest_entries::table.find((contest.id(), account.0)).select(Row::as_select());
    let row: Option<Row> = row.first(conn.sql()).await.optional()?;
    row.map(Row::read).transpose()
}

/// Inserts or updates an entry. The contest is locked.
pub async fn put(tx: &mut Tx, entry: &Entry) -> Result<()> {
    let row = Row {
        contest_id: entry.contest.id(),
        account_id: entry.account.0,
        kind: entry.contest.word().to_owned(),
        state: entry.state.into_str().to_owned(),
        wanted_pairings: i16::try_from(entry.wanted).map_err(Error::internal)?,
        invited_by: entry.invited_by.map(|account| account.0),
        at: At(entry.at),
    };
    diesel::insert_into(contest_entries::table)
        .values(&row)
        .on_conflict((contest_entries::contest_id, contest_entries::account_id))
        .do_update()
        .set(&row)
        .run(tx)
        .await
}

pub async fn delete(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<()> {
    diesel::delete(contest_entries::table.find((contest.id(), account.0))).run(tx).await
}

/// True if the account takes part in the contest, or plays in it.
pub async fn takes_part(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    let taking_part = match contest {
        Contest::Ladder(id) => {
            let own = ladder_members::table
                .filter(ladder_members::ladder_id.eq(id.0))
                .filter(ladder_members::account_id.eq(account.0))
                .filter(ladder_members::status.ne("left"));
            diesel::select(exists(own)).get_result(conn.sql()).await?
        }
        Contest::Tournament(id) => {
            let own = tournament_players::table
                .filter(tournament_players::tournament_id.eq(id.0))
                .filter(tournament_players::account_id.eq(account.0));
            diesel::select(exists(own)).get_result(conn.sql()).await?
        }
    };
    Ok(taking_part)
}

rows! {
    struct Found {
        found: bool,
    }
}

/// True if the account has a stake in decisions of the contest: it takes part, has played in the current season of the
/// ladder (and would get its points back), or has a seat in a running match of the contest.
pub async fn has_a_stake(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    if takes_part(conn, contest, account).await? {
        return Ok(true);
    }
    let query = "SELECT EXISTS (SELECT 1 FROM pairings AS p JOIN pairing_players AS y ON y.pairing_id = p.id \
           WHERE p.contest_id = $1 AND y.account_id = $2 \
             AND (p.settled_at IS NULL OR p.season = (SELECT l.season FROM ladders AS l WHERE l.id = $1))) \
         OR EXISTS (SELECT 1 FROM match_seats AS s JOIN pairing_games AS g ON g.match_id = s.match_id \
           JOIN pairings AS p ON p.id = g.pairing_id \
           WHERE s.account_id = $2 AND s.running AND p.contest_id = $1) AS found";
    let found: Found = sql!(query, contest.id(), account.0).get_result(conn.sql()).await?;
    Ok(found.found)
}

/// True if two accounts are paired in the contest, with unfinished games.
pub async fn are_opponents(conn: &mut Conn, contest: Contest, one: AccountId, other: AccountId) -> Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM pairings AS p \
         JOIN pairing_players AS a ON a.pairing_id = p.id JOIN pairing_players AS b ON b.pairing_id = p.id \
         WHERE p.contest_id = $1 AND p.settled_at IS NULL AND a.account_id = $2 AND b.account_id = $3) AS found";
    let found: Found = sql!(query, contest.id(), one.0, other.0).get_result(conn.sql()).await?;
    Ok(found.found)
}

/// True if the account plays a running match of the contest as a substitute.
pub async fn plays_for_another(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM match_seats AS s JOIN pairing_games AS g ON g.match_id = s.match_id \
           JOIN pairings AS p ON p.id = g.pairing_id \
         WHERE s.account_id = $2 AND s.running AND s.first_account_id IS NOT NULL AND p.contest_id = $1) AS found";
    let found: Found = sql!(query, contest.id(), account.0).get_result(conn.sql()).await?;
    Ok(found.found)
}

pub async fn count(conn: &mut Conn, contest: Contest, state: EntryState) -> Result<i64> {
    let all = contest_entries::table
        .filter(contest_entries::contest_id.eq(contest.id()))
        .filter(contest_entries::state.eq(state.into_str()));
    Ok(all.count().get_result(conn.sql()).await?)
}

/// The entries of this state in a contest, oldest first, with their players and the inviting organizers.
pub async fn list(conn: &mut Conn, contest: Contest, state: EntryState, limit: i64) -> Result<Listed<NamedEntry>> {
    let rows: Vec<(Row, (Uuid, String, bool))> = contest_entries::table
        .inner_join(accounts::table.on(accounts::id.eq(contest_entries::account_id)))
        .filter(contest_entries::contest_id.eq(contest.id()))
        .filter(contest_entries::state.eq(state.into_str()))
        .order((contest_entries::at, contest_entries::account_id))
        .limit(limit)
        .select((Row::as_select(), (accounts::id, accounts::username, accounts::bot)))
        .load(conn.sql())
        .await?;
    let named = |(row, (id, username, bot)): (Row, (Uuid, String, bool))| {
        Ok(NamedEntry { entry: row.read()?, player: Player { id: AccountId(id), username, bot } })
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (row.0.account_id, named(row))))
}

rows! {
    struct OwnRow {
        kind: String,
        contest_id: Uuid,
        state: String,
        at: At,
        title: String,
        by_id: Option<Uuid>,
        by_username: Option<String>,
        by_bot: Option<bool>,
    }
}

/// The account's entries in contests that can still be joined, newest first.
pub async fn pending_of(conn: &mut Conn, account: AccountId, limit: i64) -> Result<Listed<AccountEntry>> {
    let query = format!(
        "SELECT e.kind, e.contest_id, e.state, e.at, coalesce(l.title, t.title) AS title, \
           a.id AS by_id, a.username AS by_username, a.bot AS by_bot \
         FROM contest_entries AS e LEFT JOIN ladders AS l ON l.id = e.contest_id AND l.closed_at IS NULL \
           LEFT JOIN tournaments AS t ON t.id = e.contest_id AND {TAKES_PLAYERS} \
           LEFT JOIN accounts AS a ON a.id = e.invited_by \
         WHERE e.account_id = $1 AND e.state IN ('requested', 'invited') AND coalesce(l.id, t.id) IS NOT NULL \
         ORDER BY e.at DESC, e.contest_id LIMIT $2"
    );
    let rows: Vec<OwnRow> = sql!(query, account.0, limit).load(conn.sql()).await?;
    let read = |row: OwnRow| {
        let broken = || Error::internal("an entry of an account can't be read");
        let by = row.by_id.zip(row.by_username).zip(row.by_bot);
        Ok(AccountEntry {
            contest: Contest::of(&row.kind, row.contest_id).ok_or_else(broken)?,
            title: row.title,
            state: row.state.parse().map_err(|_| broken())?,
            at: row.at.0,
            invited_by: by.map(|((id, username), bot)| Player { id: AccountId(id), username, bot }),
        })
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (row.contest_id, read(row))))
}

/// Every entry of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<Entry>> {
    let rows: Vec<Row> = contest_entries::table
        .filter(contest_entries::account_id.eq(account.0))
        .order(contest_entries::contest_id)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.contest_id, row.read())))
}

/// Turns all requests to a contest into invitations. Returns their accounts.
pub async fn invite_requesters(tx: &mut Tx, contest: Contest, now: Time) -> Result<Vec<AccountId>> {
    let requests = contest_entries::table
        .filter(contest_entries::contest_id.eq(contest.id()))
        .filter(contest_entries::state.eq(EntryState::Requested.into_str()));
    let ids: Vec<Uuid> = diesel::update(requests)
        .set((contest_entries::state.eq(EntryState::Invited.into_str()), contest_entries::at.eq(At(now))))
        .returning(contest_entries::account_id)
        .get_results(tx.sql())
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}

/// Deletes the invitations between two accounts.
pub async fn delete_between(tx: &mut Tx, one: AccountId, other: AccountId) -> Result<()> {
    let delete = "DELETE FROM contest_entries WHERE state = 'invited' \
         AND (account_id = $1 AND invited_by = $2 OR account_id = $2 AND invited_by = $1)";
    sql!(delete, one.0, other.0).run(tx).await
}

/// Deletes the entries of an account that is being deleted, and removes it as the inviting organizer.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(contest_entries::table.filter(contest_entries::account_id.eq(account.0))).run(tx).await?;
    diesel::update(contest_entries::table.filter(contest_entries::invited_by.eq(account.0)))
        .set(contest_entries::invited_by.eq(None::<Uuid>))
        .run(tx)
        .await
}
