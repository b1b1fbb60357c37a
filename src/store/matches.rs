//! Matches: their terms, their log, who sits where, and the lists.

use broadside_rules::{Clock, RuleSet, Time, Variant};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Integer, Jsonb, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::moves::Head;
use super::schema::{match_entries, match_heads, match_seats, matches};
use super::time::At;
use super::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches::{Listed, Stored, Tally, Terms, Which};
use crate::player::Player;

/// Stores a new match: its terms, who sits where, and the first entry of its log.
pub async fn insert(
    tx: &mut Tx,
    terms: &Terms,
    challenge: Option<ChallengeId>,
    entry: &[u8],
    head: &Head,
) -> Result<()> {
    let conn = &mut *tx.conn.0;
    diesel::insert_into(matches::table)
        .values((
            matches::id.eq(terms.id.0),
            matches::variant.eq(terms.variant.id),
            matches::rule_set.eq(serde_json::to_value(&terms.setup.rules).map_err(Error::internal)?),
            matches::clock.eq(serde_json::to_value(terms.setup.clock).map_err(Error::internal)?),
            matches::rated.eq(terms.rated),
            matches::spectators.eq(terms.spectators),
            matches::seed.eq(terms.seed.as_slice()),
            matches::challenge_id.eq(challenge.map(|id| id.0)),
            matches::created_at.eq(At(terms.created_at)),
        ))
        .execute(conn)
        .await?;
    diesel::insert_into(match_heads::table)
        .values((
            match_heads::match_id.eq(terms.id.0),
            match_heads::seq.eq(1),
            match_heads::status.eq(head.status),
            match_heads::to_act.eq(head.to_act),
            match_heads::deadline.eq(head.deadline.map(At)),
            match_heads::wake_at.eq(head.deadline.map(At)),
            match_heads::started_at.eq(head.started_at.map(At)),
        ))
        .execute(conn)
        .await?;
    diesel::insert_into(match_entries::table)
        .values((match_entries::match_id.eq(terms.id.0), match_entries::seq.eq(1), match_entries::entry.eq(entry)))
        .execute(conn)
        .await?;
    let seats: Vec<_> = (0_i16..)
        .zip(&terms.players)
        .map(|(seat, player)| {
            (
                match_seats::match_id.eq(terms.id.0),
                match_seats::seat.eq(seat),
                match_seats::account_id.eq(player.id.0),
                match_seats::username.eq(player.username.as_str()),
                match_seats::bot.eq(player.bot),
                match_seats::running.eq(true),
            )
        })
        .collect();
    diesel::insert_into(match_seats::table).values(seats).execute(conn).await?;
    Ok(())
}

/// Everything that is stored of one match, in one statement.
struct Load(Uuid);

impl QueryFragment<Pg> for Load {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT m.variant, m.rule_set, m.clock, m.rated, m.spectators, m.seed, m.created_at, \
             s.accounts, s.names, s.bots, e.entries, h.edition FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
             CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, \
               array_agg(username ORDER BY seat) AS names, array_agg(bot ORDER BY seat) AS bots \
               FROM match_seats WHERE match_id = m.id) AS s \
             CROSS JOIN LATERAL (SELECT array_agg(entry ORDER BY seq) AS entries \
               FROM match_entries WHERE match_id = m.id) AS e WHERE m.id = ",
        );
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)
    }
}

impl QueryId for Load {
    type QueryId = Load;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Load {
    type SqlType = (
        Text,
        Jsonb,
        Jsonb,
        Bool,
        Bool,
        Binary,
        Timestamptz,
        Array<diesel::sql_types::Uuid>,
        Array<Text>,
        Array<Bool>,
        Array<Binary>,
        Integer,
    );
}

type Loaded = (String, Value, Value, bool, bool, Vec<u8>, At, Vec<Uuid>, Vec<String>, Vec<bool>, Vec<Vec<u8>>, i32);

/// The match with its whole log.
pub async fn load(conn: &mut Conn, id: MatchId) -> Result<Option<Stored>> {
    let loaded: Option<Loaded> = Load(id.0).get_result(&mut *conn.0).await.optional()?;
    let Some((variant, rules, clock, rated, spectators, seed, created_at, accounts, names, bots, entries, edition)) =
        loaded
    else {
        return Ok(None);
    };
    let broken = |what: &str| Error::internal(format!("the match {id} has {what}"));
    let players = accounts.into_iter().zip(names).zip(bots);
    let players = players.map(|((id, username), bot)| Player { id: AccountId(id), username, bot }).collect();
    Ok(Some(Stored {
        id,
        variant: Variant::find(&variant).ok_or_else(|| broken("an unknown variant"))?,
        rules: serde_json::from_value::<RuleSet>(rules).map_err(Error::internal)?,
        clock: serde_json::from_value::<Clock>(clock).map_err(Error::internal)?,
        rated,
        spectators,
        seed: seed.try_into().map_err(|_| broken("a seed of the wrong length"))?,
        created_at: created_at.0,
        players,
        entries,
        edition: edition.unsigned_abs(),
    }))
}

/// What tells whether a match in memory is still the current one.
struct Mark(Uuid);

impl QueryFragment<Pg> for Mark {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT seq, edition FROM match_heads WHERE match_id = ");
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)
    }
}

impl QueryId for Mark {
    type QueryId = Mark;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Mark {
    type SqlType = (Integer, Integer);
}

/// The number of entries in the match's log, and its edition: what tells whether a match in memory is still the current one.
pub async fn mark(conn: &mut Conn, id: MatchId) -> Result<Option<(u32, u32)>> {
    let mark: Option<(i32, i32)> = Mark(id.0).get_result(&mut *conn.0).await.optional()?;
    Ok(mark.map(|(seq, edition)| (seq.unsigned_abs(), edition.unsigned_abs())))
}

/// The head as it is stored, and the number of entries that it believes in.
pub async fn head(conn: &mut Conn, id: MatchId) -> Result<Option<(u32, StoredHead)>> {
    type Row = (i32, String, i32, Option<At>, Option<At>, Option<At>, Option<Value>);
    let row: Option<Row> = match_heads::table
        .find(id.0)
        .select((
            match_heads::seq,
            match_heads::status,
            match_heads::to_act,
            match_heads::deadline,
            match_heads::started_at,
            match_heads::finished_at,
            match_heads::result,
        ))
        .first(&mut *conn.0)
        .await
        .optional()?;
    Ok(row.map(|(seq, status, to_act, deadline, started_at, finished_at, result)| {
        let time = |at: Option<At>| at.map(Time::from);
        let head = StoredHead {
            status,
            to_act,
            deadline: time(deadline),
            started_at: time(started_at),
            finished_at: time(finished_at),
            result,
        };
        (seq.unsigned_abs(), head)
    }))
}

/// A head as it is stored.
#[derive(Debug, PartialEq)]
pub struct StoredHead {
    status: String,
    to_act: i32,
    deadline: Option<Time>,
    started_at: Option<Time>,
    finished_at: Option<Time>,
    result: Option<Value>,
}

impl From<Head> for StoredHead {
    fn from(head: Head) -> Self {
        Self {
            status: head.status.to_owned(),
            to_act: head.to_act,
            deadline: head.deadline,
            started_at: head.started_at,
            finished_at: head.finished_at,
            result: head.result,
        }
    }
}

/// Ids of matches, ascending, after `after`: for going through all of them.
pub async fn ids_after(conn: &mut Conn, after: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>> {
    let mut query = matches::table.select(matches::id).into_boxed();
    if let Some(after) = after {
        query = query.filter(matches::id.gt(after.0));
    }
    let ids: Vec<Uuid> = query.order(matches::id).limit(limit).load(&mut *conn.0).await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Matches whose time to be looked at has come, the most overdue first.
pub async fn due(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_heads::table
        .filter(match_heads::wake_at.is_not_null())
        .filter(match_heads::wake_at.le(At(now)))
        .order(match_heads::wake_at)
        .select(match_heads::match_id)
        .limit(limit)
        .load(&mut *conn.0)
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Puts the next look at a match off to its deadline, if it still has `seq` entries.
pub async fn sleep(tx: &mut Tx, id: MatchId, seq: u32, until: Option<Time>) -> Result<()> {
    let seq = i32::try_from(seq).map_err(Error::internal)?;
    let unchanged = match_heads::table.filter(match_heads::match_id.eq(id.0)).filter(match_heads::seq.eq(seq));
    diesel::update(unchanged).set(match_heads::wake_at.eq(until.map(At))).execute(&mut *tx.conn.0).await?;
    Ok(())
}

/// The running matches of an account.
pub async fn running_of(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_seats::table
        .filter(match_seats::account_id.eq(account.0))
        .filter(match_seats::running)
        .select(match_seats::match_id)
        .load(&mut *conn.0)
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Replaces the account's name in its matches, and marks them as changed.
pub async fn blank_names(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    let its = match_seats::table.filter(match_seats::account_id.eq(account.0)).select(match_seats::match_id);
    diesel::update(match_heads::table.filter(match_heads::match_id.eq_any(its)))
        .set(match_heads::edition.eq(match_heads::edition + 1))
        .execute(&mut *tx.conn.0)
        .await?;
    diesel::update(match_seats::table.filter(match_seats::account_id.eq(account.0)))
        .set(match_seats::username.eq(name))
        .execute(&mut *tx.conn.0)
        .await?;
    Ok(())
}

/// How many matches the account has, and how many of them it lost on time.
pub async fn tally(conn: &mut Conn, account: AccountId) -> Result<Tally> {
    let (running, finished, lost_on_time): (i64, i64, i64) = TallyOf(account.0).get_result(&mut *conn.0).await?;
    let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Tally { running: number(running), finished: number(finished), lost_on_time: number(lost_on_time) })
}

struct TallyOf(Uuid);

impl QueryFragment<Pg> for TallyOf {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT count(*) FILTER (WHERE s.running), count(*) FILTER (WHERE h.status = 'finished'), \
             count(*) FILTER (WHERE h.status = 'finished' AND h.result->>'reason' = 'time' \
               AND (h.result->>'winner')::int IS DISTINCT FROM s.seat) \
             FROM match_seats AS s JOIN match_heads AS h USING (match_id) WHERE s.account_id = ",
        );
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)
    }
}

impl QueryId for TallyOf {
    type QueryId = TallyOf;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for TallyOf {
    type SqlType = (BigInt, BigInt, BigInt);
}

/// The list of matches, one row a match. Only what is public stands in it, and it is ordered by the time a match was made, which says nothing.
struct List<'a>(&'a Which);

impl QueryFragment<Pg> for List<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // Filters that are absent are null, so that the statement is the same for all of them.
        let Which { player, variant, status, to_act, viewer, before, limit } = self.0;
        out.push_sql("SELECT m.id, m.variant, m.rated, m.spectators, m.created_at, h.status, h.to_act, h.deadline, h.started_at, h.finished_at, h.result, \
             s.accounts, s.names, s.bots FROM ");
        if let Some(player) = player {
            out.push_sql("(SELECT match_id FROM match_seats WHERE account_id = ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&player.0)?;
            if to_act.is_some() {
                out.push_sql(" AND running");
            }
            out.push_sql(") AS mine JOIN matches AS m ON m.id = mine.match_id");
        } else {
            out.push_sql("matches AS m");
        }
        out.push_sql(
            " JOIN match_heads AS h ON h.match_id = m.id CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, \
             array_agg(username ORDER BY seat) AS names, array_agg(bot ORDER BY seat) AS bots FROM match_seats WHERE match_id = m.id) AS s \
             WHERE (m.spectators OR h.finished_at IS NOT NULL",
        );
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
        if let Some(status) = status {
            out.push_sql(" AND h.status = ");
            out.push_bind_param::<Text, _>(status)?;
        }
        if let Some(account) = to_act {
            out.push_sql(" AND (h.to_act >> (array_position(s.accounts, ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&account.0)?;
            out.push_sql(") - 1)) & 1 = 1");
        }
        if let Some(before) = before {
            out.push_sql(" AND m.id < ");
            out.push_bind_param::<diesel::sql_types::Uuid, _>(&before.0)?;
        }
        out.push_sql(" ORDER BY m.id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(limit)
    }
}

impl QueryId for List<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for List<'_> {
    type SqlType = (
        diesel::sql_types::Uuid,
        Text,
        Bool,
        Bool,
        Timestamptz,
        Text,
        Integer,
        Nullable<Timestamptz>,
        Nullable<Timestamptz>,
        Nullable<Timestamptz>,
        Nullable<Jsonb>,
        Array<diesel::sql_types::Uuid>,
        Array<Text>,
        Array<Bool>,
    );
}

/// A page of matches, the newest first.
pub async fn list(conn: &mut Conn, which: &Which) -> Result<Vec<Listed>> {
    type Row = (
        Uuid,
        String,
        bool,
        bool,
        At,
        String,
        i32,
        Option<At>,
        Option<At>,
        Option<At>,
        Option<Value>,
        Vec<Uuid>,
        Vec<String>,
        Vec<bool>,
    );
    let rows: Vec<Row> = List(which).load(&mut *conn.0).await?;
    let listed = rows.into_iter().map(|row| {
        let (
            id,
            variant,
            rated,
            spectators,
            created,
            status,
            to_act,
            deadline,
            started,
            finished,
            result,
            who,
            names,
            bots,
        ) = row;
        let players = who.into_iter().zip(names).zip(bots);
        Listed {
            id: MatchId(id),
            variant,
            rated,
            spectators,
            created_at: created.0,
            status,
            to_act,
            deadline: deadline.map(Time::from),
            started_at: started.map(Time::from),
            finished_at: finished.map(Time::from),
            result,
            players: players.map(|((id, username), bot)| Player { id: AccountId(id), username, bot }).collect(),
        }
    });
    Ok(listed.collect())
}

/// Where a match stands among the seats of an account (for exports): every match with the seat.
pub async fn seats_of(conn: &mut Conn, account: AccountId) -> Result<Vec<(MatchId, i16)>> {
    let rows: Vec<(Uuid, i16)> = match_seats::table
        .filter(match_seats::account_id.eq(account.0))
        .order(match_seats::match_id)
        .select((match_seats::match_id, match_seats::seat))
        .load(&mut *conn.0)
        .await?;
    Ok(rows.into_iter().map(|(id, seat)| (MatchId(id), seat)).collect())
}
