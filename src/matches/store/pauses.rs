//! The SQL of contest pauses for matches: the pauses, and their recording in running matches. The authors of pauses are
//! stored elsewhere.

use broadside_rules::{Pause, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::contest_pauses;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::MatchId;
use crate::matches::Contest;

rows! {
    struct MatchRow {
        id: Uuid,
    }
}

/// The pauses of a contest that end after a time, in order.
pub async fn of_contest(conn: &mut Conn, contest: Contest, since: Time) -> Result<Vec<Pause>> {
    let rows: Vec<(At, At)> = contest_pauses::table
        .filter(contest_pauses::contest_id.eq(contest.id()))
        .filter(contest_pauses::until_at.ge(At(since)))
        .order((contest_pauses::from_at, contest_pauses::id))
        .select((contest_pauses::from_at, contest_pauses::until_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(from, until)| Pause { from: from.0, until: until.0 }).collect())
}

/// A pause whose current state is not yet recorded in all running matches.
pub struct UntoldPause {
    pub id: Uuid,
    pub contest: Contest,
    /// The end to record.
    pub until: Time,
}

/// Such pauses, after the given one.
pub async fn untold(conn: &mut Conn, behind: Option<Uuid>, limit: i64) -> Result<Vec<UntoldPause>> {
    let rows: Vec<(Uuid, String, Uuid, At)> = contest_pauses::table
        .filter(diesel::dsl::not(contest_pauses::matches_told))
        .filter(contest_pauses::id.gt(behind.unwrap_or_default()))
        .order(contest_pauses::id)
        .limit(limit)
        .select((contest_pauses::id, contest_pauses::kind, contest_pauses::contest_id, contest_pauses::until_at))
        .load(conn.sql())
        .await?;
    let read = |(id, kind, contest, until): (Uuid, String, Uuid, At)| {
        Some(UntoldPause { id, contest: Contest::of(&kind, contest)?, until: until.0 })
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// The running matches of a contest, after the given one.
pub async fn running(conn: &mut Conn, contest: Contest, behind: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>> {
    let query = "SELECT g.match_id AS id FROM pairings AS p JOIN pairing_games AS g ON g.pairing_id = p.id \
         JOIN match_heads AS h ON h.match_id = g.match_id \
         WHERE p.contest_id = $1 AND h.finished_at IS NULL AND g.match_id > $2 ORDER BY g.match_id LIMIT $3";
    let behind = behind.map_or(Uuid::nil(), |behind| behind.0);
    let rows: Vec<MatchRow> = sql!(query, contest.id(), behind, limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| MatchId(row.id)).collect())
}

/// Marks a pause with this end as recorded in all running matches; if the end has changed meanwhile, it is recorded
/// again.
pub async fn told(tx: &mut Tx, pause: &UntoldPause) -> Result<()> {
    let same = contest_pauses::table.find(pause.id).filter(contest_pauses::until_at.eq(At(pause.until)));
    diesel::update(same).set(contest_pauses::matches_told.eq(true)).run(tx).await
}
