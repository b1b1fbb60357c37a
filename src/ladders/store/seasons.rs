//! SQL of ladder seasons, and of announcements to members.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::ladders::number;
use crate::db::schema::{ladder_announcements, ladder_members, ladder_seasons};
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::announcements::Announcement;
use crate::ladders::{LadderSection, MemberStatus, Season};

pub async fn begin(tx: &mut Tx, ladder: LadderId, season: &Season) -> Result<()> {
    diesel::insert_into(ladder_seasons::table)
        .values((
            ladder_seasons::ladder_id.eq(ladder.0),
            ladder_seasons::season.eq(number(season.number)?),
            ladder_seasons::started_at.eq(At(season.started_at)),
            ladder_seasons::ends_at.eq(season.ends_at.map(At)),
            ladder_seasons::warn_at.eq(season.warn_at().map(At)),
        ))
        .run(tx)
        .await
}

/// Stores new start and end times of the season.
pub async fn replan(tx: &mut Tx, ladder: LadderId, season: &Season) -> Result<()> {
    diesel::update(ladder_seasons::table.find((ladder.0, number(season.number)?)))
        .set((
            ladder_seasons::started_at.eq(At(season.started_at)),
            ladder_seasons::ends_at.eq(season.ends_at.map(At)),
            ladder_seasons::warn_at.eq(season.warn_at().map(At)),
        ))
        .run(tx)
        .await
}

/// The open ladders whose members are now due a warning of the season's end, after the given one, in order of id.
/// Paused contests are left out: their end moves.
pub async fn to_warn(conn: &mut Conn, now: Time, behind: Option<LadderId>, limit: i64) -> Result<Vec<LadderId>> {
    rows! {
        struct Due {
            ladder_id: Uuid,
        }
    }
    let due = "SELECT s.ladder_id FROM ladder_seasons AS s JOIN ladders AS l ON l.id = s.ladder_id AND l.closed_at IS NULL \
         WHERE s.warn_at <= $1 AND s.ladder_id > $2 \
           AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = s.ladder_id AND NOT p.is_over) \
         ORDER BY s.ladder_id LIMIT $3";
    let behind = behind.map_or(Uuid::nil(), |behind| behind.0);
    let rows: Vec<Due> = sql!(due, At(now), behind, limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| LadderId(row.ladder_id)).collect())
}

/// Records that the warning of a season's end has been given. Returns false if it wasn't due.
pub async fn warned(tx: &mut Tx, ladder: LadderId, season: u32) -> Result<bool> {
    let row = ladder_seasons::table.find((ladder.0, number(season)?)).filter(ladder_seasons::warn_at.is_not_null());
    Ok(diesel::update(row).set(ladder_seasons::warn_at.eq(None::<At>)).execute(tx.sql()).await? > 0)
}

/// The planned end of a current season; `None` if it is over, or has no end.
pub async fn end_of(conn: &mut Conn, ladder: LadderId, season: u32) -> Result<Option<Time>> {
    let on = ladder_seasons::table.find((ladder.0, number(season)?)).filter(ladder_seasons::ended_at.is_null());
    let ends_at: Option<Option<At>> = on.select(ladder_seasons::ends_at).first(conn.sql()).await.optional()?;
    Ok(ends_at.flatten().map(Time::from))
}

/// Records that a season is over.
pub async fn end(tx: &mut Tx, ladder: LadderId, season: u32, at: Time) -> Result<()> {
    diesel::update(ladder_seasons::table.find((ladder.0, number(season)?)))
        .set((ladder_seasons::ended_at.eq(At(at)), ladder_seasons::warn_at.eq(None::<At>)))
        .run(tx)
        .await
}

/// A page of a ladder's seasons, newest first.
pub async fn page(conn: &mut PublicRead, ladder: LadderId, before: Option<u32>, limit: i64) -> Result<Vec<Season>> {
    let before = before.map_or(i32::MAX, |before| i32::try_from(before).unwrap_or(i32::MAX));
    let rows: Vec<(i32, At, Option<At>, Option<At>)> = ladder_seasons::table
        .filter(ladder_seasons::ladder_id.eq(ladder.0))
        .filter(ladder_seasons::season.lt(before))
        .order(ladder_seasons::season.desc())
        .limit(limit)
        .select((ladder_seasons::season, ladder_seasons::started_at, ladder_seasons::ends_at, ladder_seasons::ended_at))
        .load(conn.sql())
        .await?;
    let season = |(number, started_at, ends_at, ended_at): (i32, At, Option<At>, Option<At>)| Season {
        number: number.unsigned_abs(),
        started_at: started_at.0,
        ends_at: ends_at.map(Time::from),
        ended_at: ended_at.map(Time::from),
    };
    Ok(rows.into_iter().map(season).collect())
}

/// Moves members of a ladder into these divisions.
pub async fn move_members(tx: &mut Tx, ladder: LadderId, places: &[(AccountId, u32)]) -> Result<()> {
    let accounts: Vec<Uuid> = places.iter().map(|(account, _)| account.0).collect();
    let divisions = places.iter().map(|(_, division)| number(*division)).collect::<Result<Vec<i32>>>()?;
    let update = "UPDATE ladder_members AS m SET division = t.division FROM unnest($2, $3) AS t (account_id, division) \
         WHERE m.ladder_id = $1 AND m.account_id = t.account_id AND m.division <> t.division";
    sql!(update, ladder.0, accounts, divisions).run(tx).await
}

/// Moves the inactive and former members of a section into a division.
pub async fn relegate_absent(tx: &mut Tx, ladder: LadderId, section: LadderSection, division: u32) -> Result<()> {
    let absent = ladder_members::table
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::section.eq(section.into_str()))
        .filter(ladder_members::status.ne(MemberStatus::Active.into_str()));
    diesel::update(absent).set(ladder_members::division.eq(number(division)?)).run(tx).await
}

/// Moves the latest members of a division into the one below it, with their results of the season.
pub async fn move_latest(
    tx: &mut Tx,
    ladder: LadderId,
    season: u32,
    (section, division): (LadderSection, u32),
    count: u32,
) -> Result<()> {
    let update = "WITH latest AS (UPDATE ladder_members SET division = $3 + 1 WHERE ladder_id = $1 AND account_id IN (SELECT account_id FROM ladder_members \
           WHERE ladder_id = $1 AND section = $2 AND division = $3 AND status = 'active' ORDER BY joined_at DESC, account_id DESC LIMIT $4) \
           RETURNING account_id) \
         UPDATE ladder_standings AS s SET division = $3 + 1 FROM latest WHERE s.ladder_id = $1 AND s.season = $5 AND s.account_id = latest.account_id";
    sql!(update, ladder.0, section.into_str(), number(division)?, i64::from(count), number(season)?).run(tx).await
}

pub async fn announce(tx: &mut Tx, announcement: &Announcement) -> Result<()> {
    diesel::insert_into(ladder_announcements::table)
        .values((
            ladder_announcements::id.eq(announcement.id),
            ladder_announcements::ladder_id.eq(announcement.ladder.0),
            ladder_announcements::kind.eq(announcement.topic.into_str()),
            ladder_announcements::season.eq(number(announcement.season)?),
            ladder_announcements::at.eq(At(announcement.at)),
        ))
        .run(tx)
        .await
}

/// Announcements with pending notifications, after the given one, in order of id.
pub async fn pending_announcements(conn: &mut Conn, behind: Option<Uuid>, limit: i64) -> Result<Vec<Uuid>> {
    let ids = ladder_announcements::table
        .filter(ladder_announcements::id.gt(behind.unwrap_or_default()))
        .order(ladder_announcements::id)
        .limit(limit)
        .select(ladder_announcements::id);
    Ok(ids.load(conn.sql()).await?)
}

/// Locks an announcement for the rest of the transaction; `None` if another node is at work on it, or has finished it.
pub async fn lock_announcement(tx: &mut Tx, id: Uuid) -> Result<Option<Announcement>> {
    let row: Option<(Uuid, String, i32, At, Option<Uuid>)> = ladder_announcements::table
        .find(id)
        .select((
            ladder_announcements::ladder_id,
            ladder_announcements::kind,
            ladder_announcements::season,
            ladder_announcements::at,
            ladder_announcements::notified_up_to,
        ))
        .for_update()
        .skip_locked()
        .first(tx.sql())
        .await
        .optional()?;
    let Some((ladder, topic, season, at, told_up_to)) = row else { return Ok(None) };
    let topic = topic.parse().map_err(|_| Error::internal(format!("the announcement {id} is of an unknown kind")))?;
    let (ladder, season, told_up_to) = (LadderId(ladder), season.unsigned_abs(), told_up_to.map(AccountId));
    Ok(Some(Announcement { id, ladder, topic, season, at: at.0, told_up_to }))
}

/// Stores the last notified member.
pub async fn told_up_to(tx: &mut Tx, id: Uuid, account: AccountId) -> Result<()> {
    diesel::update(ladder_announcements::table.find(id))
        .set(ladder_announcements::notified_up_to.eq(account.0))
        .run(tx)
        .await
}

/// Deletes an announcement once all members are notified.
pub async fn delete_announcement(tx: &mut Tx, id: Uuid) -> Result<()> {
    diesel::delete(ladder_announcements::table.find(id)).run(tx).await
}
