//! Results of finished matches for each seat, and a player's statistics by variant and by opponent.
//!
//! All of it is read from one index, without a log.

use broadside_rules::Seat;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Bool, Integer, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::db::schema::{match_results, match_results_due};
use crate::db::{At, Conn, PublicRead, Run, Tx, bind_all, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::results::SeatResult;
use crate::matches::statistics::{OpponentCursor, OpponentRecord, Results, Shooting, VariantRecord};
use crate::player::Player;

#[derive(Default)]
pub(super) struct ResultColumns {
    match_ids: Vec<Uuid>,
    seats: Vec<i16>,
    accounts: Vec<Uuid>,
    variants: Vec<String>,
    sides: Vec<i16>,
    outcomes: Vec<&'static str>,
    places: Vec<Option<i16>>,
    played_out: Vec<bool>,
    shots: Vec<Option<i32>>,
    hits: Vec<Option<i32>>,
    finished: Vec<At>,
}

impl ResultColumns {
    pub(super) fn of<'a>(results: impl Iterator<Item = &'a SeatResult>) -> Self {
        let mut all = Self::default();
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        for result in results {
            all.match_ids.push(result.match_id.0);
            all.seats.push(result.seat.0.into());
            all.accounts.push(result.account.0);
            all.variants.push(result.variant.clone());
            all.sides.push(result.side.0.into());
            all.outcomes.push(result.outcome.into_str());
            all.places.push(result.place.map(i16::from));
            all.played_out.push(result.played_out);
            all.shots.push(result.shots.map(|(shots, _)| number(shots)));
            all.hits.push(result.shots.map(|(_, hits)| number(hits)));
            all.finished.push(At(result.finished_at));
        }
        all
    }

    /// The part of the append statement that writes the results of matches ended by it.
    pub(super) fn walk<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(", resulted AS (");
        self.walk_rows(out)?;
        out.push_sql(" WHERE r.match_id = ANY (ARRAY (SELECT match_id FROM moved)) ON CONFLICT DO NOTHING)");
        Ok(())
    }

    fn walk_rows<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        const COLUMNS: &str =
            "(match_id, seat, account_id, variant, side, outcome, place, played_out, shots, hits, finished_at)";
        out.push_sql("INSERT INTO match_results ");
        out.push_sql(COLUMNS);
        out.push_sql(" SELECT r.* FROM unnest(");
        bind_all!(out: Array<SqlUuid> = &self.match_ids, Array<SmallInt> = &self.seats,
            Array<SqlUuid> = &self.accounts, Array<Text> = &self.variants, Array<SmallInt> = &self.sides,
            Array<Text> = &self.outcomes, Array<Nullable<SmallInt>> = &self.places, Array<Bool> = &self.played_out,
            Array<Nullable<Integer>> = &self.shots, Array<Nullable<Integer>> = &self.hits,
            Array<Timestamptz> = &self.finished);
        out.push_sql(") AS r ");
        out.push_sql(COLUMNS);
        Ok(())
    }
}

/// The whole statement, for results without an entry.
impl QueryFragment<Pg> for ResultColumns {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.walk_rows(&mut out)?;
        out.push_sql(" ON CONFLICT DO NOTHING");
        Ok(())
    }
}

impl QueryId for ResultColumns {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

/// Stores the results of matches. Existing ones stay.
pub(super) async fn insert_spread(
    conn: &mut AsyncPgConnection,
    results: impl Iterator<Item = &SeatResult>,
) -> QueryResult<()> {
    ResultColumns::of(results).execute(conn).await.map(|_| ())
}

/// Stores the results of a match. Existing ones stay.
pub async fn insert(tx: &mut Tx, results: &[SeatResult]) -> Result<()> {
    ResultColumns::of(results.iter()).run(tx).await
}

/// Repaired matches to be folded, after the given one, by id.
pub async fn due(conn: &mut Conn, behind: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_results_due::table
        .filter(match_results_due::match_id.gt(behind.map_or(Uuid::nil(), |id| id.0)))
        .order(match_results_due::match_id)
        .limit(limit)
        .select(match_results_due::match_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Records that a repaired match has its results.
pub async fn done(tx: &mut Tx, id: MatchId) -> Result<()> {
    diesel::delete(match_results_due::table.find(id.0)).run(tx).await
}

pub async fn is_any_due(conn: &mut PublicRead) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(match_results_due::table.select(match_results_due::match_id)))
        .get_result(conn.sql())
        .await?)
}

/// True if a match is to be folded.
pub async fn is_due(conn: &mut Conn, id: MatchId) -> Result<bool> {
    let own = match_results_due::table.find(id.0);
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(conn.sql()).await?)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = match_results, check_for_backend(diesel::pg::Pg))]
struct Row {
    match_id: Uuid,
    seat: i16,
    account_id: Uuid,
    variant: String,
    side: i16,
    outcome: String,
    place: Option<i16>,
    played_out: bool,
    shots: Option<i32>,
    hits: Option<i32>,
    finished_at: At,
}

impl Row {
    fn read(self) -> Result<SeatResult> {
        let small = |number: i16| u8::try_from(number).unwrap_or(u8::MAX);
        let id = MatchId(self.match_id);
        let unknown = |_| Error::internal(format!("a result of the match {id} is of an unknown kind"));
        Ok(SeatResult {
            match_id: id,
            seat: Seat(small(self.seat)),
            account: AccountId(self.account_id),
            variant: self.variant,
            side: Seat(small(self.side)),
            outcome: self.outcome.parse().map_err(unknown)?,
            place: self.place.map(small),
            played_out: self.played_out,
            shots: self.shots.map(i32::unsigned_abs).zip(self.hits.map(i32::unsigned_abs)),
            finished_at: self.finished_at.0,
        })
    }
}

/// The stored results of a match, by seat.
pub async fn of_match(conn: &mut Conn, id: MatchId) -> Result<Vec<SeatResult>> {
    let own = match_results::table.filter(match_results::match_id.eq(id.0)).order(match_results::seat);
    let rows: Vec<Row> = own.select(Row::as_select()).load(conn.sql()).await?;
    rows.into_iter().map(Row::read).collect()
}

pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<SeatResult>> {
    let own = match_results::table.filter(match_results::account_id.eq(account.0)).order(match_results::match_id);
    let rows: Vec<Row> = own.select(Row::as_select()).load(conn.sql()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// The newest matches in which an account has fired, with its seat, newest first.
pub async fn newest_shot(conn: &mut Conn, account: AccountId, limit: i64) -> Result<Vec<(MatchId, Seat)>> {
    let own = match_results::table.filter(match_results::account_id.eq(account.0)).filter(match_results::shots.gt(0));
    let newest = own.order((match_results::finished_at.desc(), match_results::match_id.desc())).limit(limit);
    let rows: Vec<(Uuid, i16)> = newest.select((match_results::match_id, match_results::seat)).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|(id, seat)| (MatchId(id), Seat(u8::try_from(seat).unwrap_or(u8::MAX)))).collect())
}

/// The number of an account's finished matches.
pub async fn count(conn: &mut PublicRead, account: AccountId) -> Result<u32> {
    let count = match_results::table.filter(match_results::account_id.eq(account.0)).count();
    let count: i64 = count.get_result(conn.sql()).await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

rows! {
    struct ByVariant {
        variant: String,
        won: i64,
        drawn: i64,
        lost: i64,
        aborted: i64,
        counted: i64,
        shots: i64,
        hits: i64,
        wins: i64,
        shots_of_wins: i64,
    }

    struct ByOpponent {
        account_id: Uuid,
        username: String,
        bot: bool,
        won: i64,
        drawn: i64,
        lost: i64,
        aborted: i64,
        last_at: At,
    }
}

fn results(won: i64, drawn: i64, lost: i64, aborted: i64) -> Results {
    let [won, drawn, lost, aborted] = [won, drawn, lost, aborted].map(counted);
    Results { won, drawn, lost, aborted }
}

fn counted(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// An account's results by variant, the most played first.
pub async fn by_variant(conn: &mut PublicRead, account: AccountId) -> Result<Vec<VariantRecord>> {
    let all = "SELECT variant, count(*) FILTER (WHERE outcome = 'won') AS won, count(*) FILTER (WHERE outcome = 'drawn') AS drawn, \
           count(*) FILTER (WHERE outcome = 'lost') AS lost, count(*) FILTER (WHERE outcome = 'aborted') AS aborted, \
           count(shots) AS counted, coalesce(sum(shots), 0)::bigint AS shots, coalesce(sum(hits), 0)::bigint AS hits, \
           count(shots) FILTER (WHERE outcome = 'won' AND played_out) AS wins, \
           coalesce(sum(shots) FILTER (WHERE outcome = 'won' AND played_out), 0)::bigint AS shots_of_wins \
         FROM match_results WHERE account_id = $1 GROUP BY variant ORDER BY count(*) DESC, variant";
    let rows: Vec<ByVariant> = sql!(all, account.0).load(conn.sql()).await?;
    let read = |row: ByVariant| {
        let shooting = Shooting {
            matches: counted(row.counted),
            shots: row.shots.unsigned_abs(),
            hits: row.hits.unsigned_abs(),
            wins: counted(row.wins),
            shots_of_wins: row.shots_of_wins.unsigned_abs(),
        };
        VariantRecord {
            results: results(row.won, row.drawn, row.lost, row.aborted),
            shooting: (row.counted > 0).then_some(shooting),
            variant: row.variant,
        }
    };
    Ok(rows.into_iter().map(read).collect())
}

/// An account's results by opponent, the most frequent first, after a given one.
pub async fn by_opponent(
    conn: &mut PublicRead,
    account: AccountId,
    variant: Option<&str>,
    after: Option<OpponentCursor>,
    limit: i64,
) -> Result<Vec<OpponentRecord>> {
    // `OFFSET 0` forces look-ups of matches by key: otherwise the planner may read the results of all players.
    let page = "SELECT m.account_id, a.username, a.bot, m.won, m.drawn, m.lost, m.aborted, m.last_at FROM ( \
           SELECT o.account_id, count(*) AS matches, count(*) FILTER (WHERE mine.place < o.place) AS won, \
             count(*) FILTER (WHERE mine.place = o.place) AS drawn, count(*) FILTER (WHERE mine.place > o.place) AS lost, \
             count(*) FILTER (WHERE mine.place IS NULL) AS aborted, max(mine.finished_at) AS last_at \
           FROM match_results AS mine CROSS JOIN LATERAL \
             (SELECT account_id, place FROM match_results WHERE match_id = mine.match_id AND side <> mine.side OFFSET 0) AS o \
           WHERE mine.account_id = $1 AND ($2 IS NULL OR mine.variant = $2) \
           GROUP BY o.account_id HAVING (count(*), o.account_id) < ($3, $4) \
           ORDER BY count(*) DESC, o.account_id DESC LIMIT $5) AS m \
         JOIN accounts AS a ON a.id = m.account_id ORDER BY m.matches DESC, m.account_id DESC";
    let OpponentCursor { matches, account: behind } = after.unwrap_or(OpponentCursor::TOP);
    let rows: Vec<ByOpponent> =
        sql!(page, account.0, variant, i64::from(matches), behind.0, limit).load(conn.sql()).await?;
    let read = |row: ByOpponent| OpponentRecord {
        player: Player { id: AccountId(row.account_id), username: row.username, bot: row.bot },
        results: results(row.won, row.drawn, row.lost, row.aborted),
        last_at: row.last_at.0,
    };
    Ok(rows.into_iter().map(read).collect())
}
