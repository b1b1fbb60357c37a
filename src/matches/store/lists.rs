//! Lists and counts of matches: public facts, read from the heads without folding logs.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::dsl::count_star;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::hand_over::{FORMER, former};
use crate::db::schema::{former_players, match_heads, match_seats};
use crate::db::{At, Conn, PublicRead, Selected, prepared_once, selected};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::listed::Listed;
use crate::matches::{ContestFilter, MatchCounts, MatchFilter, MatchSummary, stored_hash};
use crate::player::Player;

/// Log message about an unreadable row.
const WHAT: &str = "a match can't be listed; lists leave it out";

/// The number of running matches of each account; accounts without any are left out.
pub async fn running_of(conn: &mut Conn, accounts: &[AccountId]) -> Result<HashMap<AccountId, u32>> {
    let ids: Vec<Uuid> = accounts.iter().map(|id| id.0).collect();
    let playing = match_seats::table.filter(match_seats::account_id.eq_any(ids)).filter(match_seats::running);
    let counted: Vec<(Uuid, i64)> = playing
        .group_by(match_seats::account_id)
        .select((match_seats::account_id, count_star()))
        .load(conn.sql())
        .await?;
    Ok(counted.into_iter().map(|(id, count)| (AccountId(id), u32::try_from(count).unwrap_or(u32::MAX))).collect())
}

/// The account's numbers of matches, and its reliability.
pub async fn counts(conn: &mut PublicRead, account: AccountId) -> Result<MatchCounts> {
    let counts: (i64, i64, i64, i64) = CountsOf(account.0).get_result(conn.sql()).await?;
    let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    let [running, finished, counted, at_fault] = <[i64; 4]>::from(counts).map(number);
    Ok(MatchCounts { running, finished, counted, at_fault })
}

/// The players responsible for a time-out in any of these matches.
pub async fn at_fault(conn: &mut Conn, matches: &[MatchId]) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = matches.iter().map(|id| id.0).collect();
    let of_matches = match_heads::table.filter(match_heads::match_id.eq_any(ids)).select(match_heads::at_fault);
    let accounts: Vec<Vec<Uuid>> = of_matches.load(conn.sql()).await?;
    Ok(accounts.into_iter().flatten().map(AccountId).collect())
}

/// The former players of these matches.
pub async fn former_players(conn: &mut Conn, matches: &[MatchId]) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = matches.iter().map(|id| id.0).collect();
    let of_matches = former_players::table.filter(former_players::match_id.eq_any(ids));
    let accounts: Vec<Uuid> = of_matches.select(former_players::account_id).load(conn.sql()).await?;
    Ok(accounts.into_iter().map(AccountId).collect())
}

struct CountsOf(Uuid);

impl QueryFragment<Pg> for CountsOf {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT count(*) FILTER (WHERE own.running), count(*) FILTER (WHERE own.seated AND own.status = 'finished'), \
             count(*) FILTER (WHERE own.counts), count(*) FILTER (WHERE own.counts AND own.is_at_fault) \
             FROM (SELECT m.spectators IS TRUE AS running, s.seated, h.status, s.account_id = ANY (h.at_fault) AS is_at_fault, NOT h.annulled \
               AND (h.status = 'finished' OR h.status = 'aborted' AND s.account_id = ANY (h.at_fault)) AS counts \
             FROM (SELECT match_id, account_id, running, true AS seated FROM match_seats WHERE account_id = ",
        );
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)?;
        out.push_sql(" UNION ALL SELECT match_id, account_id, false, false FROM former_players WHERE account_id = ");
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)?;
        out.push_sql(") AS s JOIN match_heads AS h USING (match_id) LEFT JOIN matches AS m ON m.id = h.match_id AND s.running) AS own");
        Ok(())
    }
}

prepared_once!(CountsOf -> (BigInt, BigInt, BigInt, BigInt));

/// The list of matches, one row per match. It contains only public data, and is ordered by creation time, which reveals
/// nothing.
struct List<'a> {
    filter: &'a MatchFilter,
    pool: Option<String>,
    /// The first ids of the beginning and of the end of the creation period.
    from: Option<Uuid>,
    until: Option<Uuid>,
    contest: Option<PlayedFor>,
}

/// The contest that matches belong to, and its season or round.
struct PlayedFor {
    kind: &'static str,
    id: Uuid,
    season: Option<i32>,
    round: Option<i32>,
}

impl PlayedFor {
    fn of(filter: ContestFilter) -> Self {
        let ContestFilter { contest, season, round } = filter;
        let season = season.map(|season| i32::try_from(season).unwrap_or(i32::MAX));
        Self { kind: contest.word(), id: contest.id(), season, round: round.map(i32::from) }
    }
}

impl QueryFragment<Pg> for List<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // Absent filters are null, so that the statement is always the same.
        let MatchFilter { player, variant, named, status, to_act, viewer, before, limit, .. } = self.filter;
        out.push_sql("SELECT m.id, m.variant, m.rated, m.spectators, m.created_at, h.status, h.to_act, h.deadline, h.started_at, h.finished_at, h.result, \
             s.accounts, s.names, s.bots, f.former, m.named_rule_set, h.seq, h.side_version FROM ");
        if let Some(player) = player {
            out.push_sql("(SELECT match_id, seat FROM match_seats WHERE account_id = ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&player.0)?;
            if to_act.is_some() {
                out.push_sql(" AND running");
            } else if self.filter.result.is_none() {
                // Results count for the players at the end.
                out.push_sql(" UNION ALL SELECT match_id, seat FROM former_players WHERE account_id = ");
                out.push_bind_param::<diesel::sql_types::Uuid, _>(&player.0)?;
            }
            out.push_sql(") AS mine JOIN matches AS m ON m.id = mine.match_id");
        } else {
            out.push_sql("matches AS m");
        }
        out.push_sql(
            " JOIN match_heads AS h ON h.match_id = m.id CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, \
             array_agg(username ORDER BY seat) AS names, array_agg(bot ORDER BY seat) AS bots FROM match_seats WHERE match_id = m.id) AS s \
             CROSS JOIN LATERAL (",
        );
        out.push_sql(FORMER);
        out.push_sql("WHERE match_id = m.id) AS f WHERE (m.spectators OR h.finished_at IS NOT NULL");
        if let Some(viewer) = viewer {
            out.push_sql(" OR ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&viewer.0)?;
            out.push_sql(" = ANY (s.accounts)");
        }
        out.push_sql(")");
        if let Some(variant) = variant {
            out.push_sql(" AND m.variant = ");
            out.push_bind_param::<Text, _>(variant)?;
        }
        if let Some(named) = named {
            out.push_sql(" AND m.named_rule_set = ");
            out.push_bind_param::<Text, _>(named.as_str())?;
        }
        if let Some(status) = status {
            out.push_sql(" AND h.status = ");
            out.push_bind_param::<Text, _>(status)?;
        }
        if let Some(account) = to_act {
            out.push_sql(" AND (h.to_act >> (array_position(s.accounts, ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&account.0)?;
            out.push_sql(") - 1)) & 1 = 1");
        }
        self.walk_searched(&mut out)?;
        if let Some(before) = before {
            out.push_sql(" AND m.id < ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&before.0)?;
        }
        out.push_sql(" ORDER BY m.id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(limit)
    }
}

impl List<'_> {
    fn walk_searched<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let MatchFilter { player, rated, result, .. } = self.filter;
        if let Some(rated) = rated {
            out.push_sql(if *rated { " AND m.rated" } else { " AND NOT m.rated" });
        }
        if let Some(pool) = &self.pool {
            out.push_sql(" AND m.pool = ");
            out.push_bind_param::<Text, _>(pool)?;
        }
        if let (Some(result), Some(_)) = (result, player) {
            out.push_sql(
                " AND EXISTS (SELECT 1 FROM match_results AS r WHERE r.match_id = m.id AND r.seat = mine.seat AND r.outcome = '",
            );
            out.push_sql(result.into_str());
            out.push_sql("')");
        }
        if let Some(PlayedFor { kind, id, season, round }) = &self.contest {
            out.push_sql(
                " AND m.id IN (SELECT g.match_id FROM pairings AS p JOIN pairing_games AS g ON g.pairing_id = p.id",
            );
            if let Some(round) = round {
                out.push_sql(" JOIN tournament_boards AS b ON b.pairing_id = p.id AND b.round = ");
                out.push_bind_param::<Integer, _>(round)?;
            }
            out.push_sql(" WHERE p.kind = '");
            out.push_sql(kind);
            out.push_sql("' AND p.contest_id = ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(id)?;
            if let Some(season) = season {
                out.push_sql(" AND p.season = ");
                out.push_bind_param::<Integer, _>(season)?;
            }
            out.push_sql(")");
        }
        // Ids begin with their creation time, so date ranges use the key.
        for (condition, bound) in [(" AND m.id >= ", &self.from), (" AND m.id < ", &self.until)] {
            if let Some(bound) = bound {
                out.push_sql(condition);
                out.push_bind_param::<diesel::sql_types::Uuid, _>(bound)?;
            }
        }
        Ok(())
    }
}

/// The first possible id at this time.
fn first_id(time: Time) -> Uuid {
    let ms = u128::try_from(time.0).unwrap_or_default().min((1 << 48) - 1);
    Uuid::from_u128(ms << 80)
}

impl QueryId for List<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for List<'_> {
    type SqlType = <Row as Selected>::Sql;
}

selected! {
    struct Row {
        id: Uuid,
        variant: String,
        rated: bool,
        spectators: bool,
        created_at: At,
        status: String,
        to_act: i32,
        deadline: Option<At>,
        started_at: Option<At>,
        finished_at: Option<At>,
        result: Option<Value>,
        accounts: Vec<Uuid>,
        names: Vec<String>,
        bots: Vec<bool>,
        former: Option<Value>,
        named_rule_set: Option<String>,
        seq: i32,
        side_version: i32,
    }
}

/// A page of matches, newest first.
pub async fn list(conn: &mut Conn, filter: &MatchFilter) -> Result<Listed<MatchSummary>> {
    read(conn, filter).await
}

/// [`list`] for an anonymous viewer.
pub async fn list_public(conn: &mut PublicRead, filter: &MatchFilter) -> Result<Listed<MatchSummary>> {
    if filter.viewer.is_some() || filter.to_act.is_some() {
        return Err(Error::internal("a public list of matches is nobody's own"));
    }
    read(conn, filter).await
}

async fn read(conn: &mut PublicRead, filter: &MatchFilter) -> Result<Listed<MatchSummary>> {
    let list = List {
        filter,
        pool: filter.pool.map(|pool| pool.to_string()),
        from: filter.from.map(first_id),
        until: filter.until.map(first_id),
        contest: filter.contest.map(PlayedFor::of),
    };
    let rows: Vec<Row> = list.load(conn.sql()).await?;
    let summary = |row: Row| {
        let players = row.accounts.into_iter().zip(row.names).zip(row.bots);
        Ok(MatchSummary {
            id: MatchId(row.id),
            mark: (row.seq.unsigned_abs(), row.side_version.unsigned_abs()),
            variant: row.variant,
            named: stored_hash(row.named_rule_set.as_deref())?,
            rated: row.rated,
            spectators: row.spectators,
            created_at: row.created_at.0,
            status: row.status,
            to_act: row.to_act,
            deadline: row.deadline.map(Time::from),
            started_at: row.started_at.map(Time::from),
            finished_at: row.finished_at.map(Time::from),
            result: row.result,
            players: players.map(|((id, username), bot)| Player { id: AccountId(id), username, bot }).collect(),
            former: former(row.former)?,
        })
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (row.id, summary(row))))
}

/// Matches finished with a result in this period, by id, after a given one.
pub async fn finished_in(
    conn: &mut Conn,
    from: Time,
    until: Time,
    after: Option<MatchId>,
    limit: i64,
) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_heads::table
        .filter(match_heads::status.eq("finished"))
        .filter(match_heads::finished_at.ge(At(from)).and(match_heads::finished_at.lt(At(until))))
        .filter(match_heads::match_id.gt(after.map_or(Uuid::nil(), |id| id.0)))
        .order(match_heads::match_id)
        .limit(limit)
        .select(match_heads::match_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}
