//! SQL for reports of chat messages.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{accounts, chat_reports as reports};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChatReportId, MatchId};
use crate::player::Player;
use crate::social::ChatReport;
use crate::social::reports::{ChatReportOutcome, NamedChatReport, ReportFilter};

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

impl TryFrom<Row> for ChatReport {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let broken = |_| Error::internal(format!("a report about the match {} has an unknown word", row.match_id));
        Ok(Self {
            id: ChatReportId(row.id),
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
pub async fn insert(tx: &mut Tx, report: &ChatReport) -> Result<()> {
    let row = Row {
        match_id: report.match_id.0,
        room: report.room.into_str().to_owned(),
        number: i32::try_from(report.number).map_err(Error::internal)?,
        reporter_id: report.reporter.0,
        author_id: report.author.0,
        text: report.text.clone(),
        reason: report.reason.into_str().to_owned(),
        comment: report.comment.clone(),
        at: At(report.at),
        id: report.id.0,
    };
    diesel::insert_into(reports::table).values(row).on_conflict_do_nothing().run(tx).await
}

/// Every report with the current names, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<NamedChatReport>> {
    named(conn, None, None, i64::MAX).await
}

/// A page of resolved or open reports.
pub async fn page(conn: &mut Conn, filter: ReportFilter, limit: i64) -> Result<Vec<NamedChatReport>> {
    let after = match filter.after {
        None => None,
        Some(id) => {
            let row = reports::table.filter(reports::id.eq(id.0)).select((reports::at, reports::id));
            row.first::<(At, Uuid)>(conn.sql()).await.optional()?
        }
    };
    named(conn, Some(filter.resolved), after, limit).await
}

async fn named(
    conn: &mut Conn,
    resolved: Option<bool>,
    after: Option<(At, Uuid)>,
    limit: i64,
) -> Result<Vec<NamedChatReport>> {
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
    let named = |(row, reporter, author, (at, what)): Found| {
        let report = ChatReport::try_from(row)?;
        let unknown = |_| Error::internal(format!("the report {} has an unknown resolution", report.id));
        let what = what.map(|what| what.parse::<ChatReportOutcome>()).transpose().map_err(unknown)?;
        let (reporter, author) = (player(report.reporter, reporter), player(report.author, author));
        Ok(NamedChatReport { report, reporter, author, resolved: at.map(Time::from).zip(what) })
    };
    rows.into_iter().map(named).collect()
}

/// A report.
pub async fn find(conn: &mut Conn, id: ChatReportId) -> Result<Option<ChatReport>> {
    let row = reports::table.filter(reports::id.eq(id.0)).select(Row::as_select());
    row.first(conn.sql()).await.optional()?.map(ChatReport::try_from).transpose()
}

/// Marks a report as resolved. False: it is resolved already, or there is no such report.
pub async fn resolve(tx: &mut Tx, id: ChatReportId, resolution: ChatReportOutcome, now: Time) -> Result<bool> {
    let open = reports::table.filter(reports::id.eq(id.0)).filter(reports::resolved_at.is_null());
    let set = (reports::resolved_at.eq(At(now)), reports::resolution.eq(resolution.into_str()));
    Ok(diesel::update(open).set(set).execute(tx.sql()).await? == 1)
}

/// The reports of an account.
pub async fn export(conn: &mut Conn, reporter: AccountId) -> Result<Vec<ChatReport>> {
    let rows: Vec<Row> = reports::table
        .filter(reports::reporter_id.eq(reporter.0))
        .order((reports::at, reports::match_id, reports::room, reports::number))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(ChatReport::try_from).collect()
}

/// Erases the comments of all reports of an account.
pub async fn erase_comments(tx: &mut Tx, reporter: AccountId) -> Result<()> {
    let its = reports::table.filter(reports::reporter_id.eq(reporter.0));
    diesel::update(its).set(reports::comment.eq(None::<String>)).run(tx).await
}

/// Deletes reports from before `then`.
pub async fn forget_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(reports::table.filter(reports::at.lt(At(then)))).run(tx).await
}
