//! Messages that were reported to the operator.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::schema::{accounts, chat_reports as reports};
use super::time::At;
use super::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::talk::Filed;
use crate::talk::reports::Listed;

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
}

impl TryFrom<Row> for Filed {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let broken = |_| Error::internal(format!("a report about the match {} has an unknown word", row.match_id));
        Ok(Self {
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
    };
    diesel::insert_into(reports::table).values(row).on_conflict_do_nothing().execute(&mut *tx.conn.0).await?;
    Ok(())
}

/// Every report with the names of today, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<Listed>> {
    let (reporters, authors) = diesel::alias!(accounts as reporters, accounts as authors);
    let rows: Vec<(Row, String, String)> = reports::table
        .inner_join(reporters.on(reporters.field(accounts::id).eq(reports::reporter_id)))
        .inner_join(authors.on(authors.field(accounts::id).eq(reports::author_id)))
        .order((reports::at, reports::match_id, reports::room, reports::number, reports::reporter_id))
        .select((Row::as_select(), reporters.field(accounts::username), authors.field(accounts::username)))
        .load(&mut *conn.0)
        .await?;
    let listed =
        |(row, reporter, author): (Row, String, String)| Ok(Listed { filed: row.try_into()?, reporter, author });
    rows.into_iter().map(listed).collect()
}

/// What an account has reported.
pub async fn all_of(conn: &mut Conn, reporter: AccountId) -> Result<Vec<Filed>> {
    let rows: Vec<Row> = reports::table
        .filter(reports::reporter_id.eq(reporter.0))
        .order((reports::at, reports::match_id, reports::room, reports::number))
        .select(Row::as_select())
        .load(&mut *conn.0)
        .await?;
    rows.into_iter().map(Filed::try_from).collect()
}

/// Takes the comments out of everything that an account has reported.
pub async fn blank(tx: &mut Tx, reporter: AccountId) -> Result<()> {
    let its = reports::table.filter(reports::reporter_id.eq(reporter.0));
    diesel::update(its).set(reports::comment.eq(None::<String>)).execute(&mut *tx.conn.0).await?;
    Ok(())
}

/// Forgets what was reported before `then`.
pub async fn forget_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(reports::table.filter(reports::at.lt(At(then)))).execute(&mut *tx.conn.0).await?;
    Ok(())
}
