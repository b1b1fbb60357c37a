//! Messages that were reported to the operator.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::At;
use crate::db::schema::{accounts, chat_reports as reports};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId, ReportId};
use crate::player::Player;
use crate::social::Filed;
use crate::social::reports::{Listed, Resolution, Which};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = reports, check_for_backend(diesel::pg::Pg))]
struct Row {
    match_id: Uuid,
    room: String,
    number: i32,
    reporter_id: Uuid,
    author_id: Uuid,
    text: String,
    reason: String,
    comment: Option<String>,
    at: At,
    id: Uuid,
}

impl TryFrom<Row> for Filed {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let broken = |_| Error::internal(format!("a report about the match {} has an unknown word", row.match_id));
        Ok(Self {
            id: ReportId(row.id),
            match_id: MatchId(row.match_id),
            room: row.room.parse().map_err(broken)?,
            number: row.number.unsigned_abs(),
            reporter: AccountId(row.reporter_id),
            author: AccountId(row.author_id),
            reason: row.reason.parse().map_err(broken)?,
            text: row.text,
            comment: row.comment,
            at: row.at.0,
        })
    }
}

/// Stores a report, unless its reporter has reported the message before.
pub async fn insert(tx: &mut Tx, filed: &Filed) -> Result<()> {
    let row = Row {
        match_id: filed.match_id.0,
        room: filed.room.word().to_owned(),
        number: i32::try_from(filed.number).map_err(Error::internal)?,
        reporter_id: filed.reporter.0,
        author_id: filed.author.0,
        text: filed.text.clone(),
        reason: filed.reason.word().to_owned(),
        comment: filed.comment.clone(),
        at: At(filed.at),
        id: filed.id.0,
    };
    diesel::insert_into(reports::table).values(row).on_conflict_do_nothing().execute(tx.sql()).await?;
    Ok(())
}

/// Every report with the names of today, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<Listed>> {
    listed(conn, None, None, i64::MAX).await
}

/// Some of them: those that somebody has dealt with, or the others.
pub async fn page(conn: &mut Conn, which: Which, limit: i64) -> Result<Vec<Listed>> {
    let after = match which.after {
        None => None,
        Some(id) => {
            let row = reports::table.filter(reports::id.eq(id.0)).select((reports::at, reports::id));
            row.first::<(At, Uuid)>(conn.sql()).await.optional()?
        }
    };
    listed(conn, Some(which.resolved), after, limit).await
}

async fn listed(conn: &mut Conn, resolved: Option<bool>, after: Option<(At, Uuid)>, limit: i64) -> Result<Vec<Listed>> {
    let (reporters, authors) = diesel::alias!(accounts as reporters, accounts as authors);
    let mut wanted = reports::table
        .inner_join(reporters.on(reporters.field(accounts::id).eq(reports::reporter_id)))
        .inner_join(authors.on(authors.field(accounts::id).eq(reports::author_id)))
        .order((reports::at, reports::id))
        .limit(limit)
        .select((
            Row::as_select(),
            (reporters.field(accounts::username), reporters.field(accounts::bot)),
            (authors.field(accounts::username), authors.field(accounts::bot)),
            (reports::resolved_at, reports::resolution),
        ))
        .into_boxed();
    if let Some(resolved) = resolved {
        wanted = match resolved {
            true => wanted.filter(reports::resolved_at.is_not_null()),
            false => wanted.filter(reports::resolved_at.is_null()),
        };
    }
    if let Some((at, id)) = after {
        wanted = wanted.filter(reports::at.gt(at).or(reports::at.eq(at).and(reports::id.gt(id))));
    }
    type Named = (String, bool);
    type Found = (Row, Named, Named, (Option<At>, Option<String>));
    let rows: Vec<Found> = wanted.load(conn.sql()).await?;
    let player = |id: AccountId, (username, bot): Named| Player { id, username, bot };
    let listed = |(row, reporter, author, (at, what)): Found| {
        let filed = Filed::try_from(row)?;
        let unknown = |_| Error::internal(format!("the report {} has an unknown resolution", filed.id));
        let what = what.map(|what| what.parse::<Resolution>()).transpose().map_err(unknown)?;
        let (reporter, author) = (player(filed.reporter, reporter), player(filed.author, author));
        Ok(Listed { filed, reporter, author, resolved: at.map(Time::from).zip(what) })
    };
    rows.into_iter().map(listed).collect()
}

/// A report.
pub async fn find(conn: &mut Conn, id: ReportId) -> Result<Option<Filed>> {
    let row = reports::table.filter(reports::id.eq(id.0)).select(Row::as_select());
    row.first(conn.sql()).await.optional()?.map(Filed::try_from).transpose()
}

/// Notes what was done about a report. False: that was noted before, or there is no such report.
pub async fn resolve(tx: &mut Tx, id: ReportId, resolution: Resolution, now: Time) -> Result<bool> {
    let open = reports::table.filter(reports::id.eq(id.0)).filter(reports::resolved_at.is_null());
    let set = (reports::resolved_at.eq(At(now)), reports::resolution.eq(resolution.word()));
    Ok(diesel::update(open).set(set).execute(tx.sql()).await? == 1)
}

/// What an account has reported.
pub async fn all_of(conn: &mut Conn, reporter: AccountId) -> Result<Vec<Filed>> {
    let rows: Vec<Row> = reports::table
        .filter(reports::reporter_id.eq(reporter.0))
        .order((reports::at, reports::match_id, reports::room, reports::number))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Filed::try_from).collect()
}

/// Takes the comments out of everything that an account has reported.
pub async fn blank(tx: &mut Tx, reporter: AccountId) -> Result<()> {
    let its = reports::table.filter(reports::reporter_id.eq(reporter.0));
    diesel::update(its).set(reports::comment.eq(None::<String>)).execute(tx.sql()).await?;
    Ok(())
}

/// Forgets what was reported before `then`.
pub async fn forget_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(reports::table.filter(reports::at.lt(At(then)))).execute(tx.sql()).await?;
    Ok(())
}
