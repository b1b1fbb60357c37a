//! SQL of organizers' actions on members, and of their log.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::contests::Contest;
use crate::contests::members::{ContestMember, Decision, LogAction, LoggedAction};
use crate::db::schema::{contest_bars, contest_log};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ContestLogEntryId};
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
const WHAT: &str = "an action of an organizer can't be read; lists leave it out";

/// Bars an account from joining the contest.
pub async fn bar(tx: &mut Tx, contest: Contest, account: AccountId, now: Time) -> Result<()> {
    diesel::insert_into(contest_bars::table)
        .values((
            contest_bars::contest_id.eq(contest.id()),
            contest_bars::account_id.eq(account.0),
            contest_bars::kind.eq(contest.word()),
            contest_bars::barred_at.eq(At(now)),
        ))
        .on_conflict_do_nothing()
        .run(tx)
        .await
}

/// Lifts an account's bar; with a time, only a bar made at that time or earlier. Returns false if nothing was lifted.
pub async fn lift_bar(tx: &mut Tx, contest: Contest, account: AccountId, made_by: Option<Time>) -> Result<bool> {
    let own = contest_bars::table.find((contest.id(), account.0));
    Ok(match made_by {
        None => diesel::delete(own).execute(tx.sql()).await?,
        Some(then) => diesel::delete(own.filter(contest_bars::barred_at.le(At(then)))).execute(tx.sql()).await?,
    } > 0)
}

/// True if the account is barred from joining the contest.
pub async fn is_barred(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    let own = contest_bars::table.find((contest.id(), account.0));
    Ok(diesel::select(exists(own)).get_result(conn.sql()).await?)
}

/// Logs an organizer's action.
pub async fn note(tx: &mut Tx, id: ContestLogEntryId, decision: &Decision) -> Result<()> {
    diesel::insert_into(contest_log::table)
        .values((
            contest_log::id.eq(id.0),
            contest_log::contest_id.eq(decision.contest.id()),
            contest_log::kind.eq(decision.contest.word()),
            contest_log::action.eq(decision.action.into_str()),
            contest_log::actor_id.eq(decision.actor.0),
            contest_log::account_id.eq(decision.account.0),
            contest_log::reason.eq(decision.reason.as_deref()),
            contest_log::at.eq(At(decision.at)),
        ))
        .run(tx)
        .await
}

/// The number of a member's warnings in the contest since a time.
pub async fn warnings(conn: &mut Conn, contest: Contest, account: AccountId, since: Time) -> Result<i64> {
    let own = contest_log::table
        .filter(contest_log::contest_id.eq(contest.id()))
        .filter(contest_log::account_id.eq(account.0))
        .filter(contest_log::action.eq(LogAction::Warned.into_str()))
        .filter(contest_log::at.gt(At(since)));
    Ok(own.count().get_result(conn.sql()).await?)
}

rows! {
    struct MemberRow {
        id: Uuid,
        username: String,
        bot: bool,
        joined_at: Option<At>,
        status: String,
        is_barred: bool,
        warnings: i64,
    }

    struct LogRow {
        id: Uuid,
        action: String,
        actor_id: Uuid,
        actor_name: String,
        actor_bot: bool,
        account_id: Uuid,
        username: String,
        bot: bool,
        reason: Option<String>,
        at: At,
    }

    struct OwnRow {
        contest_id: Uuid,
        kind: String,
        action: String,
        actor_id: Uuid,
        reason: Option<String>,
        at: At,
    }
}

/// Members and barred players of a contest after an account, in order of id.
pub async fn page(
    conn: &mut Conn,
    contest: Contest,
    behind: Option<AccountId>,
    limit: i64,
) -> Result<Listed<ContestMember>> {
    let query = "SELECT a.id, a.username, a.bot, coalesce(l.joined_at, p.joined_at) AS joined_at, \
           CASE WHEN l.status <> 'left' THEN l.status WHEN p.account_id IS NULL THEN 'left' \
             WHEN p.withdrawn_at IS NULL THEN 'active' ELSE 'withdrawn' END AS status, \
           b.account_id IS NOT NULL AS is_barred, \
           (SELECT count(*) FROM contest_log AS g WHERE g.account_id = a.id AND g.contest_id = $1 AND g.action = 'warned') \
             AS warnings \
         FROM accounts AS a LEFT JOIN ladder_members AS l ON l.ladder_id = $1 AND l.account_id = a.id \
           LEFT JOIN tournament_players AS p ON p.tournament_id = $1 AND p.account_id = a.id \
           LEFT JOIN contest_bars AS b ON b.contest_id = $1 AND b.account_id = a.id \
         WHERE a.id > $2 AND a.id IN (SELECT account_id FROM ladder_members WHERE ladder_id = $1 AND status <> 'left' \
           UNION SELECT account_id FROM tournament_players WHERE tournament_id = $1 \
           UNION SELECT account_id FROM contest_bars WHERE contest_id = $1) ORDER BY a.id LIMIT $3";
    let behind = behind.map_or(Uuid::nil(), |behind| behind.0);
    let rows: Vec<MemberRow> = sql!(query, contest.id(), behind, limit).load(conn.sql()).await?;
    let read = |row: MemberRow| {
        Ok(ContestMember {
            player: Player { id: AccountId(row.id), username: row.username, bot: row.bot },
            joined_at: row.joined_at.map(Time::from),
            status: row.status.parse().map_err(|_| Error::internal("a member has an unknown status"))?,
            barred: row.is_barred,
            warnings: u32::try_from(row.warnings).unwrap_or(u32::MAX),
        })
    };
    Listed::of(
        "a member of a contest can't be read; lists leave it out",
        rows.into_iter().map(|row| (row.id, read(row))),
    )
}

/// The log of organizers' actions in a contest before an entry, newest first.
pub async fn log(
    conn: &mut Conn,
    contest: Contest,
    before: Option<ContestLogEntryId>,
    limit: i64,
) -> Result<Listed<LoggedAction>> {
    let query = "SELECT g.id, g.action, g.reason, g.at, o.id AS actor_id, o.username AS actor_name, o.bot AS actor_bot, \
           a.id AS account_id, a.username, a.bot \
         FROM contest_log AS g JOIN accounts AS o ON o.id = g.actor_id JOIN accounts AS a ON a.id = g.account_id \
         WHERE g.contest_id = $1 AND g.id < $2 ORDER BY g.id DESC LIMIT $3";
    let before = before.map_or(Uuid::max(), |before| before.0);
    let rows: Vec<LogRow> = sql!(query, contest.id(), before, limit).load(conn.sql()).await?;
    let read = |row: LogRow| {
        Ok(LoggedAction {
            id: ContestLogEntryId(row.id),
            action: row.action.parse().map_err(|_| Error::internal("an organizer has done something unknown"))?,
            actor: Player { id: AccountId(row.actor_id), username: row.actor_name, bot: row.actor_bot },
            player: Player { id: AccountId(row.account_id), username: row.username, bot: row.bot },
            reason: row.reason,
            at: row.at.0,
        })
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (row.id, read(row))))
}

/// The organizers' decisions about an account, and its own decisions as one, oldest first.
pub async fn decisions_of(conn: &mut Conn, account: AccountId) -> Result<Listed<Decision>> {
    let query =
        "SELECT contest_id, kind, action, actor_id, reason, at FROM contest_log WHERE account_id = $1 ORDER BY id";
    let rows: Vec<OwnRow> = sql!(query, account.0).load(conn.sql()).await?;
    let read = |row: OwnRow| {
        let broken = || Error::internal("what an organizer has done can't be read");
        Ok(Decision {
            contest: Contest::of(&row.kind, row.contest_id).ok_or_else(broken)?,
            action: row.action.parse().map_err(|_| broken())?,
            actor: AccountId(row.actor_id),
            account,
            reason: row.reason,
            at: row.at.0,
        })
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (row.contest_id, read(row))))
}

/// Lifts the bars of an account that is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(contest_bars::table.filter(contest_bars::account_id.eq(account.0))).run(tx).await
}
