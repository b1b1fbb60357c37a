//! SQL of the number and the time of meetings of two members: a row for each pair, written when a pairing is settled.
//! Writing callers have locked the ladder's row.

use broadside_contests::meetings::{MeetingLimits, Meetings};
use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::ladders::number;
use crate::db::schema::ladder_meetings;
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::Result;
use crate::ids::{AccountId, LadderId};
use crate::ladders::Ladder;

/// Two accounts in storage order.
fn pair(one: AccountId, other: AccountId) -> (Uuid, Uuid) {
    (one.0.min(other.0), one.0.max(other.0))
}

/// Records a meeting of each two of these players, in a pairing that ended at `over_at`. `counts`: it has a result,
/// which counts for the season.
pub async fn note(
    tx: &mut Tx,
    ladder: LadderId,
    season: u32,
    players: &[AccountId],
    counts: bool,
    over_at: Time,
) -> Result<()> {
    let statement = "INSERT INTO ladder_meetings AS m (ladder_id, low_id, high_id, season, meetings, last_at) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (ladder_id, low_id, high_id) DO UPDATE SET season = excluded.season, last_at = greatest(m.last_at, excluded.last_at), \
           meetings = excluded.meetings + CASE WHEN m.season = excluded.season THEN m.meetings ELSE 0 END";
    for (at, one) in players.iter().enumerate() {
        for other in players.iter().skip(at + 1) {
            let (low, high) = pair(*one, *other);
            sql!(statement, ladder.0, low, high, number(season)?, i32::from(counts), At(over_at)).run(tx).await?;
        }
    }
    Ok(())
}

type Row = (Uuid, Uuid, i32, i32, At);

fn read(ladder: &Ladder, row: &Row) -> Result<(AccountId, AccountId, Meetings)> {
    let (low, high, season, meetings, last_at) = *row;
    let count = if season == number(ladder.season.number)? { meetings.unsigned_abs() } else { 0 };
    Ok((AccountId(low), AccountId(high), Meetings { count, last_at: last_at.0 }))
}

/// Those pairs of these accounts that may not meet again yet, with their meetings. Each pair is listed once.
pub async fn barring(
    conn: &mut Conn,
    ladder: &Ladder,
    limits: MeetingLimits,
    accounts: &[AccountId],
    now: Time,
) -> Result<Vec<(AccountId, AccountId, Meetings)>> {
    use ladder_meetings::{high_id, ladder_id, last_at, low_id, meetings, season};
    let ids: Vec<Uuid> = accounts.iter().map(|account| account.0).collect();
    let since = now.plus_ms(-i64::from(limits.no_return_s) * 1000);
    let most = limits.max_meetings.map_or(Ok(i32::MAX), number)?;
    let rows: Vec<Row> = ladder_meetings::table
        .filter(ladder_id.eq(ladder.id.0))
        .filter(low_id.eq_any(&ids).and(high_id.eq_any(&ids)))
        .filter(last_at.gt(At(since)).or(season.eq(number(ladder.season.number)?).and(meetings.ge(most))))
        .select((low_id, high_id, season, meetings, last_at))
        .load(conn.sql())
        .await?;
    rows.iter().map(|row| read(ladder, row)).collect()
}

/// The numbers of the member's results against each of these others in the current season.
pub async fn counts(
    conn: &mut Conn,
    ladder: &Ladder,
    account: AccountId,
    others: &[AccountId],
) -> Result<Vec<(AccountId, u32)>> {
    use ladder_meetings::{high_id, ladder_id, last_at, low_id, meetings, season};
    let ids: Vec<Uuid> = others.iter().map(|other| other.0).collect();
    let rows: Vec<Row> = ladder_meetings::table
        .filter(ladder_id.eq(ladder.id.0))
        .filter(low_id.eq(account.0).and(high_id.eq_any(&ids)).or(high_id.eq(account.0).and(low_id.eq_any(&ids))))
        .select((low_id, high_id, season, meetings, last_at))
        .load(conn.sql())
        .await?;
    let other = |low: AccountId, high: AccountId| if low == account { high } else { low };
    let count = |row: &Row| read(ladder, row).map(|(low, high, met)| (other(low, high), met.count));
    rows.iter().map(count).collect()
}

/// An account's opponents on its ladders: ladder, opponent, the season of the last meeting, the number of results in
/// it, and the time of the last meeting. For its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<(LadderId, AccountId, u32, u32, Time)>> {
    use ladder_meetings::{high_id, ladder_id, last_at, low_id, meetings, season};
    let rows: Vec<(Uuid, Uuid, Uuid, i32, i32, At)> = ladder_meetings::table
        .filter(low_id.eq(account.0).or(high_id.eq(account.0)))
        .order((ladder_id, low_id, high_id))
        .select((ladder_id, low_id, high_id, season, meetings, last_at))
        .load(conn.sql())
        .await?;
    let other = |low: Uuid, high: Uuid| AccountId(if low == account.0 { high } else { low });
    let one = |(ladder, low, high, number, count, at): (Uuid, Uuid, Uuid, i32, i32, At)| {
        (LadderId(ladder), other(low, high), number.unsigned_abs(), count.unsigned_abs(), at.0)
    };
    Ok(rows.into_iter().map(one).collect())
}

/// Every pair of a ladder with results in the current season, and their number. For the audit.
pub async fn of_season(conn: &mut Conn, ladder: &Ladder) -> Result<Vec<(AccountId, AccountId, u32)>> {
    use ladder_meetings::{high_id, ladder_id, low_id, meetings, season};
    let rows: Vec<(Uuid, Uuid, i32)> = ladder_meetings::table
        .filter(ladder_id.eq(ladder.id.0))
        .filter(season.eq(number(ladder.season.number)?))
        .filter(meetings.gt(0))
        .select((low_id, high_id, meetings))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(low, high, count)| (AccountId(low), AccountId(high), count.unsigned_abs())).collect())
}
