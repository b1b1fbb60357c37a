//! SQL for reports of abuse. The columns of a subject that a report isn't about are null.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::texts::{TextKind, WrittenText};
use super::{AbuseReport, AbuseReportFilter, AbuseReportResolution, AbuseSubject, NamedAbuseReport};
use crate::db::schema::{abuse_reports as reports, accounts};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AbuseReportId, AccountId, MatchId};
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
const WHAT: &str = "a report of abuse can't be read; lists leave it out";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = reports, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    reporter_id: Uuid,
    author_id: Uuid,
    match_id: Option<Uuid>,
    room: Option<String>,
    number: Option<i32>,
    named_rule_set: Option<String>,
    title: Option<String>,
    text: Option<String>,
    reason: String,
    comment: Option<String>,
    at: At,
    username: Option<String>,
    subject: Option<String>,
    subject_id: Option<Uuid>,
}

impl TryFrom<Row> for AbuseReport {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let broken = |what: &str| Error::internal(format!("the report {} has {what}", row.id));
        let names = (row.named_rule_set, row.username);
        let text = row.subject.map(|kind| kind.parse().map_err(|_| broken("an unknown subject"))).transpose()?;
        let subject = match (row.match_id, row.room, row.number, names, row.title, row.text) {
            (None, None, None, (None, None), title, words) => {
                let (kind, id) = text.zip(row.subject_id).ok_or_else(|| broken("no subject"))?;
                AbuseSubject::Text { kind, id, title, text: words }
            }
            (Some(match_id), Some(room), Some(number), (None, None), None, Some(text)) => AbuseSubject::Message {
                match_id: MatchId(match_id),
                room: room.parse().map_err(|_| broken("an unknown room"))?,
                number: number.unsigned_abs(),
                text,
            },
            (None, None, None, (Some(hash), None), title, text) => {
                AbuseSubject::RuleSet { hash: hash.parse().map_err(|_| broken("a malformed hash"))?, title, text }
            }
            (None, None, None, (None, Some(username)), club, bio) => AbuseSubject::Profile { username, bio, club },
            _ => return Err(broken("no subject")),
        };
        Ok(Self {
            id: AbuseReportId(row.id),
            subject,
            reporter: AccountId(row.reporter_id),
            author: AccountId(row.author_id),
            reason: row.reason.parse().map_err(|_| broken("an unknown reason"))?,
            comment: row.comment,
            at: row.at.0,
        })
    }
}

/// Stores a report, unless its reporter has reported the subject before.
pub async fn insert(tx: &mut Tx, report: &AbuseReport) -> Result<()> {
    let mut row = Row {
        id: report.id.0,
        reporter_id: report.reporter.0,
        author_id: report.author.0,
        match_id: None,
        room: None,
        number: None,
        named_rule_set: None,
        title: None,
        text: None,
        reason: report.reason.into_str().to_owned(),
        comment: report.comment.clone(),
        at: At(report.at),
        username: None,
        subject: None,
        subject_id: None,
    };
    match &report.subject {
        AbuseSubject::Message { match_id, room, number, text } => {
            row.match_id = Some(match_id.0);
            row.room = Some(room.into_str().to_owned());
            row.number = Some(i32::try_from(*number).map_err(Error::internal)?);
            row.text = Some(text.clone());
        }
        AbuseSubject::RuleSet { hash, title, text } => {
            row.named_rule_set = Some(hash.as_str().to_owned());
            row.title.clone_from(title);
            row.text.clone_from(text);
        }
        AbuseSubject::Profile { username, bio, club } => {
            row.username = Some(username.clone());
            row.title.clone_from(club);
            row.text.clone_from(bio);
        }
        AbuseSubject::Text { kind, id, title, text } => {
            row.subject = Some(kind.into_str().to_owned());
            row.subject_id = Some(*id);
            row.title.clone_from(title);
            row.text.clone_from(text);
        }
    }
    diesel::insert_into(reports::table).values(row).on_conflict_do_nothing().run(tx).await
}

/// Every report with the current names, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Listed<NamedAbuseReport>> {
    named(conn, None, None, i64::MAX).await
}

/// A page of resolved or open reports.
pub async fn page(conn: &mut Conn, filter: AbuseReportFilter, limit: i64) -> Result<Listed<NamedAbuseReport>> {
    let after = match filter.after {
        None => None,
        Some(id) => {
            let row = reports::table.find(id.0).select((reports::at, reports::id));
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
) -> Result<Listed<NamedAbuseReport>> {
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
    wanted = match resolved {
        Some(true) => wanted.filter(reports::resolved_at.is_not_null()),
        Some(false) => wanted.filter(reports::resolved_at.is_null()),
        None => wanted,
    };
    if let Some((at, id)) = after {
        wanted = wanted.filter(reports::at.gt(at).or(reports::at.eq(at).and(reports::id.gt(id))));
    }
    type Named = (String, bool);
    type Found = (Row, Named, Named, (Option<At>, Option<String>));
    let rows: Vec<Found> = wanted.load(conn.sql()).await?;
    let player = |id: AccountId, (username, bot): Named| Player { id, username, bot };
    let named = |(row, reporter, author, (at, what)): Found| {
        let report = AbuseReport::try_from(row)?;
        let unknown = |_| Error::internal(format!("the report {} has an unknown resolution", report.id));
        let what = what.map(|what| what.parse::<AbuseReportResolution>()).transpose().map_err(unknown)?;
        let (reporter, author) = (player(report.reporter, reporter), player(report.author, author));
        Ok(NamedAbuseReport { report, reporter, author, resolved: at.map(Time::from).zip(what) })
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (row.0.id, named(row))))
}

pub async fn find(conn: &mut Conn, id: AbuseReportId) -> Result<Option<AbuseReport>> {
    let row = reports::table.find(id.0).select(Row::as_select());
    row.first(conn.sql()).await.optional()?.map(AbuseReport::try_from).transpose()
}

/// Marks a report as resolved. Returns false if it is already resolved or doesn't exist.
pub async fn resolve(tx: &mut Tx, id: AbuseReportId, resolution: AbuseReportResolution, now: Time) -> Result<bool> {
    let open = reports::table.filter(reports::id.eq(id.0)).filter(reports::resolved_at.is_null());
    let set = (reports::resolved_at.eq(At(now)), reports::resolution.eq(resolution.into_str()));
    Ok(diesel::update(open).set(set).execute(tx.sql()).await? == 1)
}

/// The reports of an account, the oldest first.
pub async fn export(conn: &mut Conn, reporter: AccountId) -> Result<Listed<AbuseReport>> {
    let rows: Vec<Row> = reports::table
        .filter(reports::reporter_id.eq(reporter.0))
        .order((reports::at, reports::id))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.id, AbuseReport::try_from(row))))
}

/// Deletes reports older than `then`.
pub async fn forget_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(reports::table.filter(reports::at.lt(At(then)))).run(tx).await
}

/// The text and its author; `None` if there is no such text.
pub async fn text(conn: &mut Conn, kind: TextKind, id: Uuid) -> Result<Option<WrittenText>> {
    rows! {
        struct TextRow {
            author_id: Uuid,
            title: Option<String>,
            text: Option<String>,
            place: Uuid,
        }
    }
    let query = match kind {
        TextKind::Challenge => {
            "SELECT creator_id AS author_id, NULL::text AS title, message AS text, id AS place FROM challenges WHERE id = $1"
        }
        TextKind::Substitution => {
            "SELECT requester_id AS author_id, NULL::text AS title, message AS text, match_id AS place \
             FROM substitutions WHERE id = $1"
        }
        TextKind::Contest => {
            "SELECT coalesce((SELECT o.account_id FROM contest_organizers AS o WHERE o.contest_id = c.id AND o.leads), c.creator_id) \
               AS author_id, c.title, nullif(concat_ws(E'\\n', c.description, c.reason, \
                 (SELECT string_agg(reason, E'\\n') FROM (SELECT reason FROM contest_pauses \
                   WHERE contest_id = c.id ORDER BY from_at DESC LIMIT 10) AS p), \
                 (SELECT string_agg(reason, E'\\n') FROM (SELECT reason FROM tournament_drafts \
                   WHERE tournament_id = c.id ORDER BY round DESC LIMIT 10) AS d)), '') AS text, c.id AS place \
             FROM (SELECT id, creator_id, title, description, closed_reason AS reason FROM ladders WHERE id = $1 \
               UNION ALL SELECT id, creator_id, title, description, reason FROM tournaments WHERE id = $1) AS c"
        }
        TextKind::Announcement => {
            "SELECT author_id, NULL::text AS title, text, contest_id AS place FROM contest_announcements WHERE id = $1"
        }
        TextKind::Decision => {
            "SELECT actor_id AS author_id, NULL::text AS title, reason AS text, account_id AS place \
             FROM contest_log WHERE id = $1"
        }
        TextKind::App => {
            "SELECT account_id AS author_id, name AS title, nullif(description, '') AS text, account_id AS place \
             FROM registered_apps WHERE id = $1"
        }
    };
    let row: Option<TextRow> = sql!(query, id).get_result(conn.sql()).await.optional()?;
    let read =
        |TextRow { author_id, title, text, place }| WrittenText { author: AccountId(author_id), title, text, place };
    Ok(row.map(read))
}

/// Removes a text, but not the object that it belongs to.
pub async fn remove_text(tx: &mut Tx, kind: TextKind, id: Uuid) -> Result<()> {
    let statements: &[&str] = match kind {
        TextKind::Challenge => &["UPDATE challenges SET message = NULL WHERE id = $1"],
        TextKind::Substitution => &["UPDATE substitutions SET message = NULL WHERE id = $1"],
        TextKind::Contest => &[
            "UPDATE ladders SET closed_reason = NULL WHERE id = $1",
            "UPDATE tournaments SET reason = NULL WHERE id = $1",
            "UPDATE contest_pauses SET reason = NULL WHERE contest_id = $1",
            "UPDATE tournament_drafts SET reason = NULL WHERE tournament_id = $1",
        ],
        TextKind::Announcement => &["DELETE FROM contest_announcements WHERE id = $1"],
        TextKind::Decision => &["UPDATE contest_log SET reason = NULL WHERE id = $1"],
        // The name stays reserved, so nobody takes it again.
        TextKind::App => {
            &["UPDATE registered_apps SET name = 'App ' || right(id::text, 8), description = '' WHERE id = $1"]
        }
    };
    for statement in statements {
        sql!(*statement, id).run(tx).await?;
    }
    Ok(())
}
