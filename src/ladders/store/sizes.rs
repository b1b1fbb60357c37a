//! SQL of the lengths of standings, checked before all of them are read.

use diesel_async::RunQueryDsl;

use super::ladders::number;
use crate::db::{PublicRead, rows, sql};
use crate::error::Result;
use crate::ladders::standings::StandingsList;

rows! {
    struct Size {
        rows: i64,
    }
}

/// The length of a list, counted up to `most`; with `by_places`, the number of current places on the ladder.
pub async fn of_list(conn: &mut PublicRead, list: &StandingsList, by_places: bool, most: i64) -> Result<u32> {
    let size: Size = if by_places {
        let count =
            "SELECT count(*) AS rows FROM (SELECT FROM ladder_positions WHERE ladder_id = $1 LIMIT $2) AS those";
        sql!(count, list.ladder.0, most).get_result(conn.sql()).await?
    } else {
        let count = "SELECT count(*) AS rows FROM (SELECT FROM ladder_standings \
             WHERE ladder_id = $1 AND season = $2 AND section = $3 AND division = $4 LIMIT $5) AS those";
        let (season, division) = (number(list.season)?, number(list.division)?);
        sql!(count, list.ladder.0, season, list.section.into_str(), division, most).get_result(conn.sql()).await?
    };
    Ok(u32::try_from(size.rows).unwrap_or(u32::MAX))
}
