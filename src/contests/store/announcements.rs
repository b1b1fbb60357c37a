//! SQL of announcements to the members of a contest.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::contests::Contest;
use crate::contests::announcements::{ContestAnnouncement, ToTell};
use crate::db::schema::{accounts, contest_announcements, ladder_members, tournament_players};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ContestAnnouncementId};
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
const WHAT: &str = "an announcement can't be read; lists leave it out";

/// Stores an announcement; no member is notified yet.
pub async fn insert(tx: &mut Tx, announcement: &ContestAnnouncement) -> Result<()> {
    diesel::insert_into(contest_announcements::table)
        .values((
            contest_announcements::id.eq(announcement.id.0),
            contest_announcements::contest_id.eq(announcement.contest.id()),
            contest_announcements::kind.eq(announcement.contest.word()),
            contest_announcements::author_id.eq(announcement.author.id.0),
            contest_announcements::text.eq(&announcement.text),
            contest_announcements::at.eq(At(announcement.at)),
            contest_announcements::is_told.eq(false),
        ))
        .run(tx)
        .await
}

/// The number of a contest's announcements since a time.
pub async fn count_since(conn: &mut Conn, contest: Contest, since: Time) -> Result<i64> {
    let recent = contest_announcements::table
        .filter(contest_announcements::contest_id.eq(contest.id()))
        .filter(contest_announcements::at.gt(At(since)));
    Ok(recent.count().get_result(conn.sql()).await?)
}

type Row = (Uuid, Uuid, String, String, At, (Uuid, String, bool));

fn read((id, contest, kind, text, at, (author, username, bot)): Row) -> Result<ContestAnnouncement> {
    Ok(ContestAnnouncement {
        id: ContestAnnouncementId(id),
        contest: contest_of(&kind, contest)?,
        author: Player { id: AccountId(author), username, bot },
        text,
        at: at.0,
    })
}

fn contest_of(kind: &str, id: Uuid) -> Result<Contest> {
    Contest::of(kind, id).ok_or_else(|| Error::internal("an announcement is for an unknown kind of contest"))
}

/// The announcements of a contest before the given one, newest first.
pub async fn page(
    conn: &mut Conn,
    contest: Contest,
    before: Option<ContestAnnouncementId>,
    limit: i64,
) -> Result<Listed<ContestAnnouncement>> {
    let rows: Vec<Row> = contest_announcements::table
        .inner_join(accounts::table.on(accounts::id.eq(contest_announcements::author_id)))
        .filter(contest_announcements::contest_id.eq(contest.id()))
        .filter(contest_announcements::id.lt(before.map_or(Uuid::max(), |before| before.0)))
        .order(contest_announcements::id.desc())
        .limit(limit)
        .select((
            contest_announcements::id,
            contest_announcements::contest_id,
            contest_announcements::kind,
            contest_announcements::text,
            contest_announcements::at,
            (accounts::id, accounts::username, accounts::bot),
        ))
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.0, read(row))))
}

/// The announcements by an account, oldest first.
pub async fn of_author(conn: &mut Conn, author: AccountId) -> Result<Listed<ContestAnnouncement>> {
    let rows: Vec<Row> = contest_announcements::table
        .inner_join(accounts::table.on(accounts::id.eq(contest_announcements::author_id)))
        .filter(contest_announcements::author_id.eq(author.0))
        .order(contest_announcements::id)
        .select((
            contest_announcements::id,
            contest_announcements::contest_id,
            contest_announcements::kind,
            contest_announcements::text,
            contest_announcements::at,
            (accounts::id, accounts::username, accounts::bot),
        ))
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.0, read(row))))
}

/// SQL condition: an announcement has pending notifications. Must match [`to_tell`].
pub const TO_TELL: &str = "EXISTS (SELECT FROM contest_announcements WHERE NOT is_told)";

/// Announcements with pending notifications, after the given one.
pub async fn to_tell(
    conn: &mut Conn,
    behind: Option<ContestAnnouncementId>,
    limit: i64,
) -> Result<Vec<ContestAnnouncementId>> {
    let ids: Vec<Uuid> = contest_announcements::table
        .filter(diesel::dsl::not(contest_announcements::is_told))
        .filter(contest_announcements::id.gt(behind.map_or(Uuid::nil(), |behind| behind.0)))
        .order(contest_announcements::id)
        .limit(limit)
        .select(contest_announcements::id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(ContestAnnouncementId).collect())
}

/// Locks an announcement for the rest of the transaction; `None` if another node is at work on it, or all members are
/// notified.
pub async fn lock(tx: &mut Tx, id: ContestAnnouncementId) -> Result<Option<ToTell>> {
    let row: Option<(Uuid, String, Uuid, At, Option<Uuid>)> = contest_announcements::table
        .find(id.0)
        .filter(diesel::dsl::not(contest_announcements::is_told))
        .select((
            contest_announcements::contest_id,
            contest_announcements::kind,
            contest_announcements::author_id,
            contest_announcements::at,
            contest_announcements::notified_up_to,
        ))
        .for_update()
        .skip_locked()
        .first(tx.sql())
        .await
        .optional()?;
    let Some((contest, kind, author, at, told_up_to)) = row else { return Ok(None) };
    Ok(Some(ToTell {
        contest: contest_of(&kind, contest)?,
        at: at.0,
        author: AccountId(author),
        told_up_to: told_up_to.map(AccountId),
    }))
}

/// The next members to notify: those who take part, after an account, in order of id.
pub async fn members(
    conn: &mut Conn,
    contest: Contest,
    behind: Option<AccountId>,
    limit: i64,
) -> Result<Vec<AccountId>> {
    let behind = behind.map_or(Uuid::nil(), |behind| behind.0);
    let ids: Vec<Uuid> = match contest {
        Contest::Ladder(id) => {
            ladder_members::table
                .filter(ladder_members::ladder_id.eq(id.0))
                .filter(ladder_members::status.ne("left"))
                .filter(ladder_members::account_id.gt(behind))
                .order(ladder_members::account_id)
                .limit(limit)
                .select(ladder_members::account_id)
                .load(conn.sql())
                .await?
        }
        Contest::Tournament(id) => {
            tournament_players::table
                .filter(tournament_players::tournament_id.eq(id.0))
                .filter(tournament_players::withdrawn_at.is_null())
                .filter(tournament_players::account_id.gt(behind))
                .order(tournament_players::account_id)
                .limit(limit)
                .select(tournament_players::account_id)
                .load(conn.sql())
                .await?
        }
    };
    Ok(ids.into_iter().map(AccountId).collect())
}

/// Stores the last notified member; `None` once all are.
pub async fn told(tx: &mut Tx, id: ContestAnnouncementId, up_to: Option<AccountId>) -> Result<()> {
    let one = diesel::update(contest_announcements::table.find(id.0));
    match up_to {
        Some(account) => one.set(contest_announcements::notified_up_to.eq(account.0)).run(tx).await,
        None => one.set(contest_announcements::is_told.eq(true)).run(tx).await,
    }
}
