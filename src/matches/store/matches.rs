//! Matches: their terms, their log, their players, and the lists.

use std::collections::HashMap;

use broadside_contests::RuleSetHash;
use broadside_rules::{Nonce, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::entries::MatchHead;
use crate::db::schema::{former_players, match_heads, match_log, match_seats, matches};
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches::MatchTerms;
use crate::matches::log_chain::LogChain;

/// Stores a new match: its terms, its players, and the first entry of its log.
pub async fn insert(
    tx: &mut Tx,
    terms: &MatchTerms,
    challenge: Option<ChallengeId>,
    (entry, chain): (&[u8], LogChain),
    head: &MatchHead,
) -> Result<()> {
    let conn = tx.sql();
    diesel::insert_into(matches::table)
        .values((
            matches::id.eq(terms.id.0),
            matches::variant.eq(terms.variant.id),
            matches::rule_set.eq(serde_json::to_value(&terms.setup.rules).map_err(Error::internal)?),
            matches::clock.eq(serde_json::to_value(terms.setup.clock).map_err(Error::internal)?),
            matches::rated.eq(terms.rated),
            matches::spectators.eq(terms.spectators),
            matches::example_seed.eq(terms.seed.as_slice()),
            matches::challenge_id.eq(challenge.map(|id| id.0)),
            matches::created_at.eq(At(terms.created_at)),
            matches::chance_seed.eq(terms.chance_seed.as_slice()),
            matches::record_key_id.eq(&terms.record_key),
            matches::record_format.eq(i16::try_from(terms.record_format.number()).map_err(Error::internal)?),
            matches::pool.eq(terms.pool.map(|pool| pool.to_string())),
            matches::pairing_id.eq(terms.pairing.map(|pairing| pairing.id.0)),
            matches::named_rule_set.eq(terms.named.as_ref().map(RuleSetHash::as_str)),
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
            match_heads::check_at.eq(head.wake_at.map(At)),
            match_heads::started_at.eq(head.started_at.map(At)),
        ))
        .execute(conn)
        .await?;
    diesel::insert_into(match_log::table)
        .values((
            match_log::match_id.eq(terms.id.0),
            match_log::seq.eq(1),
            match_log::entry.eq(entry),
            match_log::chain.eq(chain.as_bytes()),
        ))
        .execute(conn)
        .await?;
    insert_seats(tx, terms).await
}

async fn insert_seats(tx: &mut Tx, terms: &MatchTerms) -> Result<()> {
    let seats: Vec<_> = (0_i16..)
        .zip(terms.players.iter().enumerate())
        .map(|(seat, (index, player))| {
            (
                match_seats::match_id.eq(terms.id.0),
                match_seats::seat.eq(seat),
                match_seats::account_id.eq(player.id.0),
                match_seats::username.eq(player.username.as_str()),
                match_seats::bot.eq(player.bot),
                match_seats::running.eq(true),
                match_seats::preferred_name.eq(terms.wish_of(index)),
                match_seats::nonce.eq(terms.nonces.get(index).and_then(Option::as_ref).map(Nonce::as_str)),
                match_seats::rating.eq(terms.ratings.get(index).copied().flatten()),
            )
        })
        .collect();
    diesel::insert_into(match_seats::table).values(seats).run(tx).await
}

/// The stored head, and its number of entries.
pub async fn head(conn: &mut Conn, id: MatchId) -> Result<Option<(u32, StoredHead)>> {
    type Row = (i32, String, i32, Option<At>, Option<At>, Option<At>, Option<Value>, Vec<Uuid>);
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
            match_heads::at_fault,
        ))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(seq, status, to_act, deadline, started_at, finished_at, result, at_fault)| {
        let time = |at: Option<At>| at.map(Time::from);
        let head = StoredHead {
            status,
            to_act,
            deadline: time(deadline),
            started_at: time(started_at),
            finished_at: time(finished_at),
            result,
            at_fault: at_fault.into_iter().map(AccountId).collect(),
        };
        (seq.unsigned_abs(), head)
    }))
}

#[derive(Debug, PartialEq)]
pub struct StoredHead {
    status: String,
    to_act: i32,
    deadline: Option<Time>,
    started_at: Option<Time>,
    pub(in crate::matches) finished_at: Option<Time>,
    pub(in crate::matches) result: Option<Value>,
    at_fault: Vec<AccountId>,
}

impl From<MatchHead> for StoredHead {
    fn from(head: MatchHead) -> Self {
        Self {
            status: head.status.to_owned(),
            to_act: head.to_act,
            deadline: head.deadline,
            started_at: head.started_at,
            finished_at: head.finished_at,
            result: head.result,
            at_fault: head.at_fault,
        }
    }
}

/// Match ids in ascending order, after `after`: for iterating over all of them.
pub async fn ids_after(conn: &mut Conn, after: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>> {
    let mut query = matches::table.select(matches::id).into_boxed();
    if let Some(after) = after {
        query = query.filter(matches::id.gt(after.0));
    }
    let ids: Vec<Uuid> = query.order(matches::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Ids of matches in which time can run out, ascending, after `after`.
pub async fn timed_after(conn: &mut Conn, after: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_heads::table
        .filter(match_heads::check_at.is_not_null())
        .filter(match_heads::match_id.gt(after.map_or(Uuid::nil(), |after| after.0)))
        .order(match_heads::match_id)
        .select(match_heads::match_id)
        .limit(limit)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Matches whose `wake_at` has come, the most overdue first, each with the account in the first of its seats that must
/// act, if any.
pub async fn due(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<(MatchId, Option<AccountId>)>> {
    let due: Vec<(Uuid, i32)> = match_heads::table
        .filter(match_heads::check_at.is_not_null())
        .filter(match_heads::check_at.le(At(now)))
        .order(match_heads::check_at)
        .select((match_heads::match_id, match_heads::to_act))
        .limit(limit)
        .load(conn.sql())
        .await?;
    // Not a join: the planner would scan all seats instead of the due ones.
    let seats: Vec<(Uuid, i16, Uuid)> = match_seats::table
        .filter(match_seats::match_id.eq_any(due.iter().map(|(id, _)| *id).collect::<Vec<_>>()))
        .select((match_seats::match_id, match_seats::seat, match_seats::account_id))
        .load(conn.sql())
        .await?;
    let seats: HashMap<(Uuid, u32), Uuid> =
        seats.into_iter().filter_map(|(id, seat, account)| Some(((id, u32::try_from(seat).ok()?), account))).collect();
    let owner = |id, to_act: i32| seats.get(&(id, to_act.trailing_zeros())).copied().map(AccountId);
    Ok(due.into_iter().map(|(id, to_act)| (MatchId(id), owner(id, to_act))).collect())
}

/// Postpones the next look at a match, and locks its head. False: it no longer has `seq` entries.
pub async fn sleep(tx: &mut Tx, id: MatchId, seq: u32, until: Option<Time>) -> Result<bool> {
    let seq = i32::try_from(seq).map_err(Error::internal)?;
    let unchanged = match_heads::table.filter(match_heads::match_id.eq(id.0)).filter(match_heads::seq.eq(seq));
    let slept = diesel::update(unchanged).set(match_heads::check_at.eq(until.map(At))).execute(tx.sql()).await?;
    Ok(slept == 1)
}

/// Makes these matches due now, if a clock runs in them. Their heads are locked in the same order as by moves.
pub async fn wake(tx: &mut Tx, ids: &[MatchId], now: Time) -> Result<()> {
    let wake = if tx.is_distributed() {
        "UPDATE match_heads SET check_at = $2 WHERE match_id = ANY ($1) AND check_at > $2"
    } else {
        "WITH locked AS MATERIALIZED (SELECT match_id FROM match_heads WHERE match_id = ANY ($1) AND check_at > $2 ORDER BY match_id FOR UPDATE) \
         UPDATE match_heads AS h SET check_at = $2 FROM locked WHERE h.match_id = locked.match_id"
    };
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sql!(wake, ids, At(now)).run(tx).await
}

pub async fn running_of(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_seats::table
        .filter(match_seats::account_id.eq(account.0))
        .filter(match_seats::running)
        .select(match_seats::match_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Replaces the account's name in its matches, and marks them as changed. Their heads are locked in the same order as
/// by moves.
pub async fn replace_names(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    let mark = if tx.is_distributed() {
        "UPDATE match_heads SET side_version = side_version + 1 WHERE match_id IN \
           (SELECT match_id FROM match_seats WHERE account_id = $1 UNION SELECT match_id FROM former_players WHERE account_id = $1)"
    } else {
        "WITH locked AS MATERIALIZED (SELECT match_id FROM match_heads WHERE match_id IN \
           (SELECT match_id FROM match_seats WHERE account_id = $1 UNION SELECT match_id FROM former_players WHERE account_id = $1) ORDER BY match_id FOR UPDATE) \
         UPDATE match_heads AS h SET side_version = h.side_version + 1 FROM locked WHERE h.match_id = locked.match_id"
    };
    sql!(mark, account.0).run(tx).await?;
    diesel::update(former_players::table.filter(former_players::account_id.eq(account.0)))
        .set(former_players::username.eq(name))
        .run(tx)
        .await?;
    diesel::update(match_seats::table.filter(match_seats::account_id.eq(account.0)))
        .set(match_seats::username.eq(name))
        .run(tx)
        .await
}

pub async fn lock_head(tx: &mut Tx, id: MatchId) -> Result<()> {
    let head = match_heads::table.find(id.0).select(match_heads::match_id).for_no_key_update();
    head.first::<uuid::Uuid>(tx.sql()).await.optional()?;
    Ok(())
}
