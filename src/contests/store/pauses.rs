//! SQL of contest pauses, except the queries of matches.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::contests::Contest;
use crate::contests::pauses::{ContestPause, PauseNews, ToTell};
use crate::db::schema::contest_pauses;
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::listed::Listed;

rows! {
    struct Due {
        id: Uuid,
    }
}

type Row = (Uuid, Uuid, String, At, At, Option<String>);

const COLUMNS: (
    contest_pauses::id,
    contest_pauses::contest_id,
    contest_pauses::kind,
    contest_pauses::from_at,
    contest_pauses::until_at,
    contest_pauses::reason,
) = (
    contest_pauses::id,
    contest_pauses::contest_id,
    contest_pauses::kind,
    contest_pauses::from_at,
    contest_pauses::until_at,
    contest_pauses::reason,
);

fn read((id, contest, kind, from, until, reason): Row) -> Result<ContestPause> {
    let contest =
        Contest::of(&kind, contest).ok_or_else(|| Error::internal("a pause is of an unknown kind of contest"))?;
    Ok(ContestPause { id, contest, from: from.0, until: until.0, reason })
}

/// Stores a pause that begins; no member is notified yet.
pub async fn insert(tx: &mut Tx, pause: &ContestPause, organizer: Option<AccountId>) -> Result<()> {
    diesel::insert_into(contest_pauses::table)
        .values((
            contest_pauses::id.eq(pause.id),
            contest_pauses::contest_id.eq(pause.contest.id()),
            contest_pauses::kind.eq(pause.contest.word()),
            contest_pauses::organizer_id.eq(organizer.map(|organizer| organizer.0)),
            contest_pauses::reason.eq(&pause.reason),
            contest_pauses::from_at.eq(At(pause.from)),
            contest_pauses::until_at.eq(At(pause.until)),
            contest_pauses::telling.eq(PauseNews::Paused.into_str()),
        ))
        .run(tx)
        .await
}

/// Ends a pause. Members are notified; matches are only updated again if it ends at another time than planned.
pub async fn end(tx: &mut Tx, pause: &ContestPause, at: Time, news: Option<PauseNews>) -> Result<()> {
    let one = diesel::update(contest_pauses::table.find(pause.id));
    one.set((
        contest_pauses::until_at.eq(At(at)),
        contest_pauses::is_over.eq(true),
        contest_pauses::telling.eq(news.map(PauseNews::into_str)),
        contest_pauses::notified_up_to.eq(None::<Uuid>),
    ))
    .run(tx)
    .await?;
    if at == pause.until {
        return Ok(());
    }
    diesel::update(contest_pauses::table.find(pause.id)).set(contest_pauses::matches_told.eq(false)).run(tx).await
}

/// The number of a contest's pauses begun since a time.
pub async fn count_since(conn: &mut Conn, contest: Contest, since: Time) -> Result<i64> {
    let recent = contest_pauses::table
        .filter(contest_pauses::contest_id.eq(contest.id()))
        .filter(contest_pauses::from_at.gt(At(since)));
    Ok(recent.count().get_result(conn.sql()).await?)
}

pub async fn on(conn: &mut PublicRead, contests: &[Uuid]) -> Result<HashMap<Uuid, Result<ContestPause>>> {
    if contests.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = contest_pauses::table
        .filter(contest_pauses::contest_id.eq_any(contests))
        .filter(diesel::dsl::not(contest_pauses::is_over))
        .select(COLUMNS)
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|row| (row.1, read(row))).collect())
}

/// Contests of a kind whose pause should end by now, or that are over themselves, after the given one.
pub async fn due(conn: &mut Conn, kind: &str, now: Time, behind: Option<Uuid>, limit: i64) -> Result<Vec<Uuid>> {
    let query = "SELECT p.contest_id AS id FROM contest_pauses AS p \
         WHERE NOT p.is_over AND p.kind = $1 AND p.contest_id > $3 AND (p.until_at <= $2 \
           OR EXISTS (SELECT FROM ladders AS l WHERE l.id = p.contest_id AND l.closed_at IS NOT NULL) \
           OR EXISTS (SELECT FROM tournaments AS t WHERE t.id = p.contest_id AND t.ended_at IS NOT NULL)) \
         ORDER BY p.contest_id LIMIT $4";
    let behind = behind.unwrap_or_default();
    let rows: Vec<Due> = sql!(query, kind, At(now), behind, limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// SQL condition: a pause has pending notifications. Must match [`to_tell`].
pub const TO_TELL: &str = "EXISTS (SELECT FROM contest_pauses WHERE telling IS NOT NULL)";

/// Pauses with pending notifications, after the given one.
pub async fn to_tell(conn: &mut Conn, behind: Option<Uuid>, limit: i64) -> Result<Vec<Uuid>> {
    Ok(contest_pauses::table
        .filter(contest_pauses::telling.is_not_null())
        .filter(contest_pauses::id.gt(behind.unwrap_or_default()))
        .order(contest_pauses::id)
        .limit(limit)
        .select(contest_pauses::id)
        .load(conn.sql())
        .await?)
}

/// Locks a pause for the rest of the transaction; `None` if another node is at work on it, or all members are notified.
pub async fn lock_to_tell(tx: &mut Tx, id: Uuid) -> Result<Option<ToTell>> {
    let found: Option<(Row, Option<String>, Option<Uuid>)> = contest_pauses::table
        .find(id)
        .filter(contest_pauses::telling.is_not_null())
        .select((COLUMNS, contest_pauses::telling, contest_pauses::notified_up_to))
        .for_update()
        .skip_locked()
        .first(tx.sql())
        .await
        .optional()?;
    let Some((row, Some(telling), told_up_to)) = found else { return Ok(None) };
    let news = telling.parse().map_err(|_| Error::internal("unknown news of a pause"))?;
    Ok(Some(ToTell { pause: read(row)?, news, told_up_to: told_up_to.map(AccountId) }))
}

/// Stores the last notified member; `None` once all are.
pub async fn told(tx: &mut Tx, id: Uuid, up_to: Option<AccountId>) -> Result<()> {
    let one = diesel::update(contest_pauses::table.find(id));
    match up_to {
        Some(account) => one.set(contest_pauses::notified_up_to.eq(account.0)).run(tx).await,
        None => one.set(contest_pauses::telling.eq(None::<String>)).run(tx).await,
    }
}

/// The pauses made by an account, oldest first.
pub async fn of_organizer(conn: &mut Conn, account: AccountId) -> Result<Listed<ContestPause>> {
    let rows: Vec<Row> = contest_pauses::table
        .filter(contest_pauses::organizer_id.eq(account.0))
        .order(contest_pauses::id)
        .select(COLUMNS)
        .load(conn.sql())
        .await?;
    Listed::of("a pause of a contest can't be read; lists leave it out", rows.into_iter().map(|row| (row.0, read(row))))
}
