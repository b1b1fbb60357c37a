//! Matches: their terms, their log, who sits where, and the lists.

use broadside_contests::RuleSetHash;
use broadside_rules::record::Format;
use broadside_rules::{Clock, Nonce, RuleSet, Time, Variant};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::Integer;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::entries::MatchHead;
use super::hand_over::{FORMER, former};
use crate::db::schema::{former_players, match_heads, match_log, match_seats, matches};
use crate::db::{At, Conn, PublicRead, Run, Selected, Tx, prepared_once, selected, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches::access::Access;
use crate::matches::{Contest, MatchTerms, PairingRef, StoredMatch, stored_hash, stored_wish};
use crate::player::Player;
use crate::ratings::store::rated_matches;

/// Stores a new match: its terms, who sits where, and the first entry of its log.
pub async fn insert(
    tx: &mut Tx,
    terms: &MatchTerms,
    challenge: Option<ChallengeId>,
    entry: &[u8],
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
            match_heads::timed_out.eq(head.timed_out),
        ))
        .execute(conn)
        .await?;
    diesel::insert_into(match_log::table)
        .values((match_log::match_id.eq(terms.id.0), match_log::seq.eq(1), match_log::entry.eq(entry)))
        .execute(conn)
        .await?;
    insert_seats(tx, terms).await
}

/// Stores who sits where.
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

/// Everything that is stored of one match, in one statement.
struct Load(Uuid);

impl QueryFragment<Pg> for Load {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT m.variant, m.rule_set, m.clock, m.rated, m.spectators, m.example_seed, m.chance_seed, m.record_key_id, m.record_format, m.created_at, \
             s.accounts, s.names, s.bots, s.wishes, s.nonces, s.ratings, f.former, e.entries, h.side_version, m.pool, r.changes, g.kind, g.contest_id, m.pairing_id, g.game, g.games, m.named_rule_set FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
             CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, \
               array_agg(username ORDER BY seat) AS names, array_agg(bot ORDER BY seat) AS bots, \
               array_agg(preferred_name ORDER BY seat) AS wishes, array_agg(nonce ORDER BY seat) AS nonces, array_agg(rating ORDER BY seat) AS ratings \
               FROM match_seats WHERE match_id = m.id) AS s \
             CROSS JOIN LATERAL (",
        );
        out.push_sql(FORMER);
        out.push_sql(
            "WHERE match_id = m.id) AS f \
             CROSS JOIN LATERAL (SELECT array_agg(entry ORDER BY seq) AS entries \
               FROM match_log WHERE match_id = m.id) AS e \
             CROSS JOIN LATERAL (SELECT jsonb_agg(jsonb_build_array(s.seat, c.revision, c.reason, c.before_rating, c.after_rating) ORDER BY s.seat) AS changes \
               FROM rating_changes AS c JOIN match_seats AS s ON s.match_id = m.id AND coalesce(s.first_account_id, s.account_id) = c.account_id \
               WHERE c.match_id = m.id OR c.paired_match_id = m.id) AS r \
             LEFT JOIN LATERAL (SELECT p.kind, p.contest_id, p.games, g.game FROM pairings AS p JOIN pairing_games AS g ON g.pairing_id = p.id \
               WHERE p.id = m.pairing_id AND g.match_id = m.id) AS g ON true WHERE m.id = ",
        );
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)
    }
}

prepared_once!(Load -> <Loaded as Selected>::Sql, Mark -> (Integer, Integer));

selected! {
    struct Loaded {
        variant: String,
        rules: Value,
        clock: Value,
        rated: bool,
        spectators: bool,
        example_seed: Vec<u8>,
        chance_seed: Vec<u8>,
        record_key_id: String,
        record_format: i16,
        created_at: At,
        accounts: Vec<Uuid>,
        names: Vec<String>,
        bots: Vec<bool>,
        wishes: Vec<Option<String>>,
        nonces: Vec<Option<String>>,
        ratings: Vec<Option<i32>>,
        former: Option<Value>,
        entries: Vec<Vec<u8>>,
        side_version: i32,
        pool: Option<String>,
        changes: Option<Value>,
        kind: Option<String>,
        contest: Option<Uuid>,
        pairing: Option<Uuid>,
        game: Option<i16>,
        games: Option<i16>,
        named_rule_set: Option<String>,
    }
}

/// The match with its whole log.
pub async fn load(conn: &mut Conn, id: MatchId) -> Result<Option<StoredMatch>> {
    read(conn, id).await
}

/// A match that is over, with its whole log, which nothing changes any more. `not-found`: a replica doesn't have all of
/// it yet.
pub async fn load_ended(conn: &mut PublicRead, access: &Access) -> Result<StoredMatch> {
    let found = read(conn, access.id).await?.ok_or_else(Error::not_found)?;
    if access.is_over && (!conn.is_replica() || access.is_of(found.entries.len(), found.edition)) {
        return Ok(found);
    }
    Err(Error::not_found())
}

async fn read(conn: &mut PublicRead, id: MatchId) -> Result<Option<StoredMatch>> {
    let loaded: Option<Loaded> = Load(id.0).get_result(conn.sql()).await.optional()?;
    let Some(row) = loaded else { return Ok(None) };
    let broken = |what: &str| Error::internal(format!("the match {id} has {what}"));
    let pairing = pairing_ref(&row).map_err(|()| broken("an unknown pairing"))?;
    let players = row.accounts.into_iter().zip(row.names).zip(row.bots);
    let players = players.map(|((id, username), bot)| Player { id: AccountId(id), username, bot }).collect();
    let rules = serde_json::from_value::<RuleSet>(row.rules).map_err(Error::internal)?;
    let seed: [u8; 32] = row.example_seed.try_into().map_err(|_| broken("a seed of the wrong length"))?;
    let format = u32::try_from(row.record_format).ok().and_then(Format::known);
    let wishes = row.wishes.iter().map(|wish| stored_wish(&rules, wish.as_deref()));
    Ok(Some(StoredMatch {
        id,
        variant: Variant::find(&row.variant).ok_or_else(|| broken("an unknown variant"))?,
        clock: serde_json::from_value::<Clock>(row.clock).map_err(Error::internal)?,
        named: stored_hash(row.named_rule_set.as_deref())?,
        rated: row.rated,
        spectators: row.spectators,
        seed,
        chance_seed: row.chance_seed.try_into().map_err(|_| broken("a chance seed of the wrong length"))?,
        record_format: format.ok_or_else(|| broken("an unknown record format"))?,
        record_key: row.record_key_id,
        created_at: row.created_at.0,
        players,
        former: former(row.former)?,
        wishes: wishes.collect::<Result<_>>()?,
        nonces: row.nonces.iter().map(|nonce| nonce.as_deref().and_then(Nonce::new)).collect(),
        rules,
        entries: row.entries,
        edition: row.side_version.unsigned_abs(),
        pool: row.pool.map(|pool| pool.parse().map_err(|_| broken("an unknown pool"))).transpose()?,
        ratings: row.ratings,
        changed: rated_matches::read(row.changes)?,
        pairing,
    }))
}

/// What the match is played for.
fn pairing_ref(row: &Loaded) -> std::result::Result<Option<PairingRef>, ()> {
    let Some(pairing) = row.pairing else { return Ok(None) };
    let read = || {
        Some(PairingRef {
            id: pairing.into(),
            contest: Contest::of(row.kind.as_deref()?, row.contest?)?,
            game: u8::try_from(row.game?).ok()?,
            games: u8::try_from(row.games?).ok()?,
        })
    };
    read().map(Some).ok_or(())
}

/// What tells whether a match in memory is still the current one.
struct Mark(Uuid);

impl QueryFragment<Pg> for Mark {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT seq, side_version FROM match_heads WHERE match_id = ");
        out.push_bind_param::<diesel::sql_types::Uuid, _>(&self.0)
    }
}

/// The number of entries in the match's log, and its edition: what tells whether a match in memory is still the current
/// one.
pub async fn mark(conn: &mut Conn, id: MatchId) -> Result<Option<(u32, u32)>> {
    let mark: Option<(i32, i32)> = Mark(id.0).get_result(conn.sql()).await.optional()?;
    Ok(mark.map(|(seq, edition)| (seq.unsigned_abs(), edition.unsigned_abs())))
}

/// The head as it is stored, and the number of entries that it believes in.
pub async fn head(conn: &mut Conn, id: MatchId) -> Result<Option<(u32, StoredHead)>> {
    type Row = (i32, String, i32, Option<At>, Option<At>, Option<At>, Option<Value>, i32);
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
            match_heads::timed_out,
        ))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(seq, status, to_act, deadline, started_at, finished_at, result, timed_out)| {
        let time = |at: Option<At>| at.map(Time::from);
        let head = StoredHead {
            status,
            to_act,
            deadline: time(deadline),
            started_at: time(started_at),
            finished_at: time(finished_at),
            result,
            timed_out,
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
    timed_out: i32,
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
            timed_out: head.timed_out,
        }
    }
}

/// Ids of matches, ascending, after `after`: for going through all of them.
pub async fn ids_after(conn: &mut Conn, after: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>> {
    let mut query = matches::table.select(matches::id).into_boxed();
    if let Some(after) = after {
        query = query.filter(matches::id.gt(after.0));
    }
    let ids: Vec<Uuid> = query.order(matches::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Ids of matches in which time may run out, ascending, after `after`.
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

/// Matches whose time to be looked at has come, the most overdue first.
pub async fn due(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_heads::table
        .filter(match_heads::check_at.is_not_null())
        .filter(match_heads::check_at.le(At(now)))
        .order(match_heads::check_at)
        .select(match_heads::match_id)
        .limit(limit)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Puts the next look at a match off, and locks its head. False: it has no longer `seq` entries.
pub async fn sleep(tx: &mut Tx, id: MatchId, seq: u32, until: Option<Time>) -> Result<bool> {
    let seq = i32::try_from(seq).map_err(Error::internal)?;
    let unchanged = match_heads::table.filter(match_heads::match_id.eq(id.0)).filter(match_heads::seq.eq(seq));
    let slept = diesel::update(unchanged).set(match_heads::check_at.eq(until.map(At))).execute(tx.sql()).await?;
    Ok(slept == 1)
}

/// Has these matches looked at now, if a clock runs in them. Their heads are locked in the order in which moves lock
/// them.
pub async fn wake(tx: &mut Tx, ids: &[MatchId], now: Time) -> Result<()> {
    let wake = "WITH locked AS MATERIALIZED (SELECT match_id FROM match_heads WHERE match_id = ANY ($1) AND check_at > $2 ORDER BY match_id FOR UPDATE) \
         UPDATE match_heads AS h SET check_at = $2 FROM locked WHERE h.match_id = locked.match_id";
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sql!(wake, ids, At(now)).run(tx).await
}

/// The running matches of an account.
pub async fn running_of(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_seats::table
        .filter(match_seats::account_id.eq(account.0))
        .filter(match_seats::running)
        .select(match_seats::match_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Replaces the account's name in its matches, and marks them as changed.
/// Their heads are locked in the order in which moves lock them.
pub async fn replace_names(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    let mark = "WITH locked AS MATERIALIZED (SELECT match_id FROM match_heads WHERE match_id IN \
           (SELECT match_id FROM match_seats WHERE account_id = $1 UNION SELECT match_id FROM former_players WHERE account_id = $1) ORDER BY match_id FOR UPDATE) \
         UPDATE match_heads AS h SET side_version = h.side_version + 1 FROM locked WHERE h.match_id = locked.match_id";
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

/// Locks the head of a match for the rest of the transaction.
pub async fn lock_head(tx: &mut Tx, id: MatchId) -> Result<()> {
    let head = match_heads::table.find(id.0).select(match_heads::match_id).for_no_key_update();
    head.first::<uuid::Uuid>(tx.sql()).await.optional()?;
    Ok(())
}
