//! SQL of honours, read from the final standings of seasons and tournaments by an account's keys.

use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{Honour, HonourCursor, HonourKind, PODIUM, SeasonPlace, SeasonWinner};
use crate::db::{At, PublicRead, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::listed::Listed;
use crate::matches::Contest;
use crate::player::Player;

rows! {
    struct Won {
        kind: String,
        contest_id: Uuid,
        title: String,
        season: Option<i32>,
        section: Option<String>,
        division: Option<i32>,
        rank: Option<i32>,
        is_promoted: bool,
        at: At,
    }

    struct Winner {
        season: i32,
        section: String,
        account_id: Uuid,
        username: String,
        bot: bool,
        half_points: i32,
    }
}

/// SQL condition: belongs to the same list as a standing `s`.
const SAME_LIST: &str =
    "b.ladder_id = s.ladder_id AND b.season = s.season AND b.section = s.section AND b.division = s.division";

/// The honours of an account after a cursor, newest first.
pub async fn of_account(
    conn: &mut PublicRead,
    account: AccountId,
    after: HonourCursor,
    limit: i64,
) -> Result<Listed<Honour>> {
    let page = format!(
        "SELECT * FROM ( \
           SELECT 'ladder' AS kind, l.id AS contest_id, l.title, s.season, s.section, s.division, s.rank, \
             coalesce(n.division < s.division, false) AS is_promoted, e.ended_at AS at \
           FROM ladder_standings AS s JOIN ladders AS l ON l.id = s.ladder_id \
             JOIN ladder_seasons AS e ON e.ladder_id = s.ladder_id AND e.season = s.season AND e.ended_at IS NOT NULL \
             LEFT JOIN ladder_standings AS n ON n.ladder_id = s.ladder_id AND n.season = s.season + 1 \
               AND n.account_id = s.account_id AND n.section = s.section \
           WHERE s.account_id = $1 AND l.entry_limits ->> 'visibility' IS NULL AND s.rank IS NOT NULL AND (n.division < s.division \
             OR s.division = 1 AND s.rank <= $2 AND (s.pairings > 0 OR l.format = 'position') \
               AND EXISTS (SELECT FROM ladder_standings AS b WHERE {SAME_LIST} AND b.rank > s.rank) \
               AND EXISTS (SELECT FROM ladder_standings AS b WHERE {SAME_LIST} AND b.pairings > 0)) \
           UNION ALL \
           SELECT 'tournament', t.id, t.title, NULL, NULL, NULL, f.place, false, t.ended_at \
           FROM tournament_players AS p JOIN tournaments AS t ON t.id = p.tournament_id \
             CROSS JOIN LATERAL (SELECT CASE WHEN jsonb_typeof(p.final_standing -> 'place') = 'number' THEN (p.final_standing -> 'place')::int END AS place) AS f \
           WHERE p.account_id = $1 AND t.entry_limits ->> 'visibility' IS NULL AND t.status = 'finished' AND (f.place IS NULL AND p.final_standing IS NOT NULL \
             OR f.place <= $2 AND f.place < t.players AND p.final_standing -> 'struck' IS DISTINCT FROM 'true'::jsonb) \
         ) AS won WHERE (at, contest_id) < ($3, $4) ORDER BY at DESC, contest_id DESC LIMIT $5"
    );
    let podium = i32::try_from(PODIUM).map_err(Error::internal)?;
    let rows: Vec<Won> = sql!(page, account.0, podium, At(after.at), after.contest, limit).load(conn.sql()).await?;
    let rows = rows.into_iter().map(|row| (HonourCursor { at: row.at.0, contest: row.contest_id }, read(row)));
    Listed::of("an honour can't be read; lists leave it out", rows)
}

fn read(row: Won) -> Result<Honour> {
    let unknown = || Error::internal("an honour is for an unknown contest or section");
    let contest = Contest::of(&row.kind, row.contest_id).ok_or_else(unknown)?;
    let place = match (row.season, row.section, row.division) {
        (Some(season), Some(section), Some(division)) => Some(SeasonPlace {
            season: season.unsigned_abs(),
            section: section.parse().map_err(|_| unknown())?,
            division: division.unsigned_abs(),
        }),
        _ => None,
    };
    let rank = row.rank.ok_or_else(|| Error::internal("an honour has no rank"))?;
    let kind = match rank {
        _ if row.is_promoted => HonourKind::Promoted,
        1 => HonourKind::Winner,
        _ => HonourKind::Podium,
    };
    Ok(Honour { kind, contest, title: row.title, season: place, rank: rank.unsigned_abs(), at: row.at.0 })
}

/// The winners of these seasons: the first of each section's highest division.
pub async fn winners(conn: &mut PublicRead, ladder: LadderId, seasons: &[u32]) -> Result<Listed<SeasonWinner>> {
    let seasons = seasons.iter().map(|season| i32::try_from(*season).map_err(Error::internal));
    let seasons = seasons.collect::<Result<Vec<i32>>>()?;
    let first = format!(
        "SELECT s.season, s.section, s.account_id, a.username, a.bot, s.half_points \
         FROM ladder_standings AS s JOIN accounts AS a ON a.id = s.account_id \
         WHERE s.ladder_id = $1 AND s.season = ANY ($2) AND s.division = 1 AND s.rank = 1 \
           AND EXISTS (SELECT FROM ladder_standings AS b WHERE {SAME_LIST} AND b.pairings > 0) ORDER BY s.season, s.section"
    );
    let rows: Vec<Winner> = sql!(first, ladder.0, seasons).load(conn.sql()).await?;
    let read = |row: Winner| {
        let unknown = |_| Error::internal("a standing of a ladder has an unknown section");
        Ok(SeasonWinner {
            season: row.season.unsigned_abs(),
            section: row.section.parse().map_err(unknown)?,
            player: Player { id: AccountId(row.account_id), username: row.username, bot: row.bot },
            half_points: row.half_points.unsigned_abs(),
        })
    };
    Listed::of("a winner can't be read; lists leave it out", rows.into_iter().map(|row| (ladder, read(row))))
}
