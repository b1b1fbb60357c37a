//! SQL of ladder standings: each member's results in a season, and their place in their section and division.
//!
//! The order is one tuple, ascending: negated score, tie-break, negated wins, start of membership, account. Pages and
//! places follow it. Score and tie-break result from the ladder's ranking ([`broadside_contests::ranking`]); on a
//! position ladder the order is that of the positions.

use broadside_contests::ranking::{Gain, RankingRule, Tally};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::ladders::{number, small};
use crate::db::schema::ladder_standings;
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::standings::{LadderStanding, StandingKey, StandingsList};
use crate::ladders::{Ladder, LadderFormat, LadderMember, LadderSection};
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
const WHAT: &str = "a standing of a ladder can't be read; lists leave it out";

const INSERT: &str = "INSERT INTO ladder_standings (ladder_id, season, account_id, section, division, since, half_points, pairings, games, won, drawn, lost, \
     best_results, score, tie_break)";
/// The columns of a member without a result, except the tie-break.
const FRESH: &str = "0, 0, 0, 0, 0, 0, '{}', 0";

/// Inserts a member's row of a season, unless it exists.
pub async fn begin(tx: &mut Tx, ladder: &Ladder, season: u32, member: &LadderMember) -> Result<()> {
    let insert = format!("{INSERT} VALUES ($1, $2, $3, $4, $5, $6, {FRESH}, $7) ON CONFLICT DO NOTHING");
    sql!(
        insert,
        ladder.id.0,
        number(season)?,
        member.account.0,
        member.section.into_str(),
        number(member.division)?,
        At(member.joined_at),
        fresh_tie_break(ladder.terms.ranking)?
    )
    .run(tx)
    .await
}

/// Inserts the row of every active member in a season.
pub async fn begin_all(tx: &mut Tx, ladder: &Ladder, season: u32) -> Result<()> {
    let insert = format!(
        "{INSERT} SELECT ladder_id, $2, account_id, section, division, joined_at, {FRESH}, $3 FROM ladder_members \
         WHERE ladder_id = $1 AND status = 'active' ON CONFLICT DO NOTHING"
    );
    sql!(insert, ladder.id.0, number(season)?, fresh_tie_break(ladder.terms.ranking)?).run(tx).await
}

/// The tie-break of a member without a result.
fn fresh_tie_break(rule: RankingRule) -> Result<i32> {
    number(Tally::default().tie_break(rule))
}

/// Adds the result of a pairing to a member's row. The ladder is locked, so there is no other writer.
pub async fn add(tx: &mut Tx, ladder: &Ladder, season: u32, account: AccountId, gain: &Gain) -> Result<()> {
    use ladder_standings as s;
    let key = (ladder.id.0, number(season)?, account.0);
    let found: (i32, i32, i32, i32, i32, i32, Vec<i16>) = s::table
        .find(key)
        .select((s::half_points, s::pairings, s::games, s::won, s::drawn, s::lost, s::best_results))
        .first(tx.sql())
        .await?;
    let (half_points, pairings, games, won, drawn, lost, best) = found;
    let best = best.into_iter().map(|half| u32::from(half.unsigned_abs())).collect();
    let [half_points, pairings, games] = [half_points, pairings, games].map(i32::unsigned_abs);
    let [won, drawn, lost] = [won, drawn, lost].map(i32::unsigned_abs);
    let mut tally = Tally { half_points, pairings, games, won, drawn, lost, best };
    tally.add(gain, ladder.terms.ranking);
    diesel::update(s::table.find(key))
        .set((
            s::half_points.eq(number(tally.half_points)?),
            s::pairings.eq(number(tally.pairings)?),
            s::games.eq(number(tally.games)?),
            s::won.eq(number(tally.won)?),
            s::drawn.eq(number(tally.drawn)?),
            s::lost.eq(number(tally.lost)?),
            s::best_results.eq(tally.best.iter().map(|half| small(*half)).collect::<Result<Vec<i16>>>()?),
            s::score.eq(i64::try_from(tally.score(ladder.terms.ranking)).map_err(Error::internal)?),
            s::tie_break.eq(number(tally.tie_break(ladder.terms.ranking))?),
        ))
        .run(tx)
        .await
}

/// Deletes the row of a former member without a result in the season.
pub async fn forget_unplayed(tx: &mut Tx, ladder: LadderId, season: u32, account: AccountId) -> Result<()> {
    let row =
        ladder_standings::table.find((ladder.0, number(season)?, account.0)).filter(ladder_standings::pairings.eq(0));
    diesel::delete(row).run(tx).await
}

/// Writes the final places of a finished season: by results, or on a position ladder by the places themselves (former
/// members come after them).
pub async fn finish(tx: &mut Tx, ladder: LadderId, season: u32, form: LadderFormat) -> Result<()> {
    let rank = match form {
        LadderFormat::Rating => {
            "UPDATE ladder_standings AS s SET rank = r.rank FROM (SELECT account_id, (row_number() OVER (PARTITION BY section, division \
               ORDER BY -score, tie_break, -won, since, account_id))::int AS rank FROM ladder_standings WHERE ladder_id = $1 AND season = $2) AS r \
             WHERE s.ladder_id = $1 AND s.season = $2 AND s.account_id = r.account_id"
        }
        LadderFormat::Position => {
            "UPDATE ladder_standings AS s SET rank = r.rank FROM (SELECT t.account_id, (row_number() OVER (ORDER BY p.position NULLS LAST, \
               -t.score, t.tie_break, -t.won, t.since, t.account_id))::int AS rank FROM ladder_standings AS t \
               LEFT JOIN ladder_positions AS p ON p.ladder_id = t.ladder_id AND p.account_id = t.account_id WHERE t.ladder_id = $1 AND t.season = $2) AS r \
             WHERE s.ladder_id = $1 AND s.season = $2 AND s.account_id = r.account_id"
        }
    };
    sql!(rank, ladder.0, number(season)?).run(tx).await
}

rows! {
    struct Row {
        account_id: Uuid,
        username: String,
        bot: bool,
        section: String,
        division: i32,
        half_points: i32,
        pairings: i32,
        games: i32,
        won: i32,
        drawn: i32,
        lost: i32,
        best_results: Vec<i16>,
        score: i64,
        tie_break: i32,
        since: At,
        rank: Option<i32>,
    }
}

const COLUMNS: &str = "s.account_id, a.username, a.bot, s.section, s.division, s.half_points, s.pairings, s.games, \
     s.won, s.drawn, s.lost, s.best_results, s.score, s.tie_break, s.since, s.rank FROM ladder_standings AS s JOIN accounts AS a ON a.id = s.account_id";

impl Row {
    fn read(self) -> Result<LadderStanding> {
        let section =
            self.section.parse().map_err(|_| Error::internal("a standing of a ladder has an unknown section"))?;
        Ok(LadderStanding {
            player: Player { id: AccountId(self.account_id), username: self.username, bot: self.bot },
            section,
            division: self.division.unsigned_abs(),
            tally: Tally {
                half_points: self.half_points.unsigned_abs(),
                pairings: self.pairings.unsigned_abs(),
                games: self.games.unsigned_abs(),
                won: self.won.unsigned_abs(),
                drawn: self.drawn.unsigned_abs(),
                lost: self.lost.unsigned_abs(),
                best: self.best_results.iter().map(|half| u32::from(half.unsigned_abs())).collect(),
            },
            score: self.score.unsigned_abs(),
            tie_break: self.tie_break.unsigned_abs(),
            since: self.since.0,
            final_rank: self.rank.map(i32::unsigned_abs),
        })
    }
}

/// A member's standing in a season.
pub async fn of(
    conn: &mut PublicRead,
    ladder: LadderId,
    season: u32,
    account: AccountId,
) -> Result<Option<LadderStanding>> {
    let one = format!("SELECT {COLUMNS} WHERE s.ladder_id = $1 AND s.season = $2 AND s.account_id = $3");
    let one: Option<Row> = sql!(one, ladder.0, number(season)?, account.0).get_result(conn.sql()).await.optional()?;
    one.map(Row::read).transpose()
}

/// Every standing of a season, for the audit.
pub async fn of_season(conn: &mut Conn, ladder: LadderId, season: u32) -> Result<Vec<LadderStanding>> {
    let all = format!("SELECT {COLUMNS} WHERE s.ladder_id = $1 AND s.season = $2");
    let rows: Vec<Row> = sql!(all, ladder.0, number(season)?).load(conn.sql()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// Every standing of an account with ladder and season, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<(LadderId, u32, LadderStanding)>> {
    let keys: Vec<(Uuid, i32)> = ladder_standings::table
        .filter(ladder_standings::account_id.eq(account.0))
        .order((ladder_standings::ladder_id, ladder_standings::season))
        .select((ladder_standings::ladder_id, ladder_standings::season))
        .load(conn.sql())
        .await?;
    let all = format!("SELECT {COLUMNS} WHERE s.account_id = $1 ORDER BY s.ladder_id, s.season");
    let rows: Vec<Row> = sql!(all, account.0).load(conn.sql()).await?;
    let whole = |((ladder, season), row): ((Uuid, i32), Row)| {
        let standing = row.read().map(|standing| (LadderId(ladder), season.unsigned_abs(), standing));
        (ladder, standing)
    };
    Listed::of(WHAT, keys.into_iter().zip(rows).map(whole))
}

/// The points of these members in a season.
pub async fn points(
    conn: &mut Conn,
    ladder: LadderId,
    season: u32,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, u32)>> {
    let ids: Vec<Uuid> = accounts.iter().map(|account| account.0).collect();
    let rows: Vec<(Uuid, i32)> = ladder_standings::table
        .filter(ladder_standings::ladder_id.eq(ladder.0))
        .filter(ladder_standings::season.eq(number(season)?))
        .filter(ladder_standings::account_id.eq_any(ids))
        .select((ladder_standings::account_id, ladder_standings::half_points))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(account, points)| (AccountId(account), points.unsigned_abs())).collect())
}

/// The members of a position ladder by place, after a given place, each with their results in the current season.
pub async fn by_place(
    conn: &mut PublicRead,
    ladder: LadderId,
    season: u32,
    after: u32,
    limit: i64,
) -> Result<Listed<(u32, LadderStanding)>> {
    let page = "SELECT p.account_id, a.username, a.bot, coalesce(s.section, 'all') AS section, coalesce(s.division, 1) AS division, \
           coalesce(s.half_points, 0) AS half_points, coalesce(s.pairings, 0) AS pairings, coalesce(s.games, 0) AS games, \
           coalesce(s.won, 0) AS won, coalesce(s.drawn, 0) AS drawn, coalesce(s.lost, 0) AS lost, \
           coalesce(s.best_results, '{}') AS best_results, coalesce(s.score, 0) AS score, coalesce(s.tie_break, 0) AS tie_break, coalesce(s.since, m.joined_at) AS since, p.position AS rank \
         FROM ladder_positions AS p JOIN accounts AS a ON a.id = p.account_id \
         JOIN ladder_members AS m ON m.ladder_id = p.ladder_id AND m.account_id = p.account_id \
         LEFT JOIN ladder_standings AS s ON s.ladder_id = p.ladder_id AND s.season = $2 AND s.account_id = p.account_id \
         WHERE p.ladder_id = $1 AND p.position > $3 ORDER BY p.position LIMIT $4";
    ranked_page(conn, page, ladder, season, after, limit).await
}

/// The final places of a season of a position ladder, after a given one.
pub async fn by_rank(
    conn: &mut PublicRead,
    ladder: LadderId,
    season: u32,
    after: u32,
    limit: i64,
) -> Result<Listed<(u32, LadderStanding)>> {
    let page =
        format!("SELECT {COLUMNS} WHERE s.ladder_id = $1 AND s.season = $2 AND s.rank > $3 ORDER BY s.rank LIMIT $4");
    ranked_page(conn, &page, ladder, season, after, limit).await
}

async fn ranked_page(
    conn: &mut PublicRead,
    page: &str,
    ladder: LadderId,
    season: u32,
    after: u32,
    limit: i64,
) -> Result<Listed<(u32, LadderStanding)>> {
    let rows: Vec<Row> =
        sql!(page, ladder.0, number(season)?, i32::try_from(after).unwrap_or(i32::MAX), limit).load(conn.sql()).await?;
    let ranked = |row: Row| {
        let rank = row.rank.unwrap_or_default().unsigned_abs();
        (rank, row.read().map(|standing| (rank, standing)))
    };
    Listed::of(WHAT, rows.into_iter().map(ranked))
}

/// The order of a list, best first.
const ORDER: &str = "(-s.score, s.tie_break, -s.won, s.since, s.account_id)";
const OF_LIST: &str = "s.ladder_id = $1 AND s.season = $2 AND s.section = $3 AND s.division = $4";

/// The rows beside a place in a list: after it, best first; before it, worst first.
async fn beside(
    conn: &mut PublicRead,
    list: &StandingsList,
    key: &StandingKey,
    behind: bool,
    limit: i64,
) -> Result<Vec<LadderStanding>> {
    let (than, way) = if behind { (">", "ASC") } else { ("<", "DESC") };
    let order = format!("-s.score {way}, s.tie_break {way}, -s.won {way}, s.since {way}, s.account_id {way}");
    let page =
        format!("SELECT {COLUMNS} WHERE {OF_LIST} AND {ORDER} {than} ($5, $6, $7, $8, $9) ORDER BY {order} LIMIT $10");
    let rows: Vec<Row> = sql!(
        page,
        list.ladder.0,
        number(list.season)?,
        list.section.into_str(),
        number(list.division)?,
        -i64::try_from(key.score).map_err(Error::internal)?,
        number(key.tie_break)?,
        -number(key.won)?,
        At(key.since),
        key.account.0,
        limit
    )
    .load(conn.sql())
    .await?;
    rows.into_iter().map(Row::read).collect()
}

/// The rows after a place, best first; without a place, from the beginning.
pub async fn behind(
    conn: &mut PublicRead,
    list: &StandingsList,
    key: Option<&StandingKey>,
    limit: i64,
) -> Result<Vec<LadderStanding>> {
    beside(conn, list, key.unwrap_or(&StandingKey::TOP), true, limit).await
}

/// The rows just before a place, best first.
pub async fn just_before(
    conn: &mut PublicRead,
    list: &StandingsList,
    key: &StandingKey,
    limit: i64,
) -> Result<Vec<LadderStanding>> {
    let mut found = beside(conn, list, key, false, limit).await?;
    found.reverse();
    Ok(found)
}

rows! {
    struct Count {
        before: i64,
    }
}

/// The number of rows before a place.
pub async fn count_before(conn: &mut PublicRead, list: &StandingsList, key: &StandingKey) -> Result<u32> {
    let count = format!(
        "SELECT count(*) AS before FROM ladder_standings AS s WHERE {OF_LIST} AND {ORDER} < ($5, $6, $7, $8, $9)"
    );
    let count: Count = sql!(
        count,
        list.ladder.0,
        number(list.season)?,
        list.section.into_str(),
        number(list.division)?,
        -i64::try_from(key.score).map_err(Error::internal)?,
        number(key.tie_break)?,
        -number(key.won)?,
        At(key.since),
        key.account.0
    )
    .get_result(conn.sql())
    .await?;
    Ok(u32::try_from(count.before).unwrap_or(u32::MAX))
}

/// The active members of a ladder in the ranking of a finished season: section, division, account, and whether they
/// have played; sorted by section, division and place.
pub async fn ranked(
    conn: &mut Conn,
    ladder: LadderId,
    season: u32,
) -> Result<Vec<(LadderSection, u32, AccountId, bool)>> {
    rows! {
        struct Ranked {
            section: String,
            division: i32,
            account_id: Uuid,
            has_played: bool,
        }
    }
    // Members who rejoined in another section, or have no row of the season, come last.
    let ranked = "SELECT m.section, m.division, m.account_id, coalesce(s.pairings > 0, false) AS has_played FROM ladder_members AS m \
         LEFT JOIN ladder_standings AS s ON s.ladder_id = m.ladder_id AND s.season = $2 AND s.account_id = m.account_id \
         WHERE m.ladder_id = $1 AND m.status = 'active' ORDER BY m.section, m.division, s.rank NULLS LAST, m.account_id";
    let rows: Vec<Ranked> = sql!(ranked, ladder.0, number(season)?).load(conn.sql()).await?;
    let read = |row: Ranked| {
        Some((row.section.parse().ok()?, row.division.unsigned_abs(), AccountId(row.account_id), row.has_played))
    };
    Ok(rows.into_iter().filter_map(read).collect())
}
