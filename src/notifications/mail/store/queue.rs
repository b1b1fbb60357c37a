//! Mails that wait: which accounts have heard of something, what is due, who sends it, and what became of it. And what a mail says of matches and challenges, which is public.
//!
//! The queue is one row an account, in `mail_settings`. A node takes what is due under a lease; if it dies, another takes it when the lease has run out. What a row holds is
//! changed only by whoever has the lease, or by the account's owner, who takes the lease away.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::settings::{AtRest, Wanted};
use crate::accounts::Email;
use crate::db::At;
use crate::db::schema::{accounts, mail_settings};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::notifications::mail::letter::{ChallengeFacts, MatchFacts};
use crate::notifications::mail::post::{Behind, Claimed};

#[derive(QueryableByName)]
struct Unread {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = BigInt)]
    seen: i64,
    #[diesel(sql_type = BigInt)]
    newest: i64,
}

/// Some accounts that want mail, may get it, and have heard of something that nobody has looked at; those behind `after`, in the order of their ids.
///
/// Few of many are behind, and the planner can't know that: told to find the first of them in order, it would go through both indexes row by row. So it finds all of them first.
pub async fn behind(conn: &mut Conn, after: Option<AccountId>, limit: i64) -> Result<Vec<Behind>> {
    let query = diesel::sql_query(
        "WITH behind AS MATERIALIZED (SELECT m.account_id, m.seen_up_to, c.newest FROM mail_settings AS m JOIN event_counters AS c USING (account_id) \
           WHERE c.newest > m.seen_up_to AND m.sending_up_to IS NULL AND m.confirmed_address IS NOT NULL AND m.kinds <> '{}') \
         SELECT account_id, seen_up_to, newest FROM behind WHERE account_id > $1 ORDER BY account_id LIMIT $2",
    );
    let query = query.bind::<SqlUuid, _>(after.map_or(Uuid::nil(), |account| account.0)).bind::<BigInt, _>(limit);
    let rows: Vec<Unread> = query.load(conn.sql()).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = rows.iter().map(|row| row.account_id).collect();
    let wanted: Vec<(Uuid, Wanted)> = mail_settings::table
        .filter(mail_settings::account_id.eq_any(ids))
        .select((mail_settings::account_id, Wanted::as_select()))
        .load(conn.sql())
        .await?;
    let mut wanted: HashMap<Uuid, Wanted> = wanted.into_iter().collect();
    let behind = |row: Unread| {
        Some(Behind {
            account: AccountId(row.account_id),
            preferences: wanted.remove(&row.account_id)?.into(),
            seen: row.seen.unsigned_abs(),
            newest: row.newest.unsigned_abs(),
        })
    };
    Ok(rows.into_iter().filter_map(behind).collect())
}

/// Notes that events up to `seen` have been looked at, and when a mail about them is due; `None`: they are nothing to write about. Nothing happens if somebody else was faster.
pub async fn note(tx: &mut Tx, before: &Behind, seen: u64, due: Option<Time>) -> Result<()> {
    let number = |number: u64| i64::try_from(number).map_err(Error::internal);
    let update = diesel::sql_query(
        "UPDATE mail_settings SET seen_up_to = $3, due_at = least(due_at, $4), \
         handled_up_to = CASE WHEN due_at IS NULL AND $4 IS NULL THEN $3 ELSE handled_up_to END \
         WHERE account_id = $1 AND seen_up_to = $2 AND sending_up_to IS NULL",
    );
    update
        .bind::<SqlUuid, _>(before.account.0)
        .bind::<BigInt, _>(number(before.seen)?)
        .bind::<BigInt, _>(number(seen)?)
        .bind::<Nullable<Timestamptz>, _>(due.map(At))
        .execute(tx.sql())
        .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Taken {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Takes some of what is due, for as long as the lease lasts: those that are due for the longest time first. What another node is taking is passed over.
pub async fn claim(tx: &mut Tx, lease: Uuid, now: Time, until: Time, limit: i64) -> Result<Vec<Claimed>> {
    let take = diesel::sql_query(
        "UPDATE mail_settings SET claim_id = $1, claimed_until = $2, sending_up_to = coalesce(sending_up_to, seen_up_to) \
         WHERE account_id = ANY (ARRAY(SELECT account_id FROM mail_settings \
           WHERE due_at <= $3 AND (claimed_until IS NULL OR claimed_until <= $3) ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)) \
         RETURNING account_id",
    );
    let taken: Vec<Taken> = take
        .bind::<SqlUuid, _>(lease)
        .bind::<Timestamptz, _>(At(until))
        .bind::<Timestamptz, _>(At(now))
        .bind::<BigInt, _>(limit)
        .load(tx.sql())
        .await?;
    if taken.is_empty() {
        return Ok(Vec::new());
    }
    let taken: Vec<Uuid> = taken.into_iter().map(|row| row.account_id).collect();
    type Row = (Uuid, Wanted, String, Option<String>, Vec<u8>, i64, Option<i64>, i32, Option<At>);
    let rows: Vec<Row> = mail_settings::table
        .inner_join(accounts::table.on(accounts::id.eq(mail_settings::account_id)))
        .filter(mail_settings::account_id.eq_any(taken))
        .filter(mail_settings::confirmed_address.eq(accounts::email))
        .order(mail_settings::account_id)
        .select((
            mail_settings::account_id,
            Wanted::as_select(),
            accounts::username,
            accounts::email,
            mail_settings::unsubscribe_key,
            mail_settings::handled_up_to,
            mail_settings::sending_up_to,
            mail_settings::attempts,
            mail_settings::failing_since,
        ))
        .load(tx.sql())
        .await?;
    let claimed = |(account, wanted, username, email, key, from, upto, attempts, since): Row| {
        Some(Claimed {
            account: AccountId(account),
            lease,
            preferences: wanted.into(),
            username,
            address: Email::stored(email?),
            key,
            from: from.unsigned_abs(),
            upto: upto?.unsigned_abs(),
            attempts: attempts.unsigned_abs(),
            failing_since: since.map(Time::from),
        })
    };
    Ok(rows.into_iter().filter_map(claimed).collect())
}

/// Whether what was claimed is still the claimer's, and will be until then.
pub async fn is_leased(conn: &mut Conn, claimed: &Claimed, until: Time) -> Result<bool> {
    let row = mail_settings::table.find(claimed.account.0).filter(mail_settings::claim_id.eq(claimed.lease));
    let held = row.filter(mail_settings::claimed_until.ge(At(until))).count().get_result::<i64>(conn.sql()).await?;
    Ok(held == 1)
}

/// What was claimed is dealt with. False: the lease is lost, and somebody else decides.
pub async fn done(tx: &mut Tx, claimed: &Claimed) -> Result<bool> {
    let upto = i64::try_from(claimed.upto).map_err(Error::internal)?;
    let row = mail_settings::table.find(claimed.account.0).filter(mail_settings::claim_id.eq(claimed.lease));
    let changed = diesel::update(row)
        .set((mail_settings::handled_up_to.eq(upto), mail_settings::seen_up_to.eq(upto), AtRest::default()))
        .execute(tx.sql())
        .await?;
    Ok(changed == 1)
}

/// What was claimed is to be sent at `due`: tried again, if something failed `since`, or put off, if nothing did.
pub async fn later(tx: &mut Tx, claimed: &Claimed, due: Time, attempts: u32, since: Option<Time>) -> Result<()> {
    let row = mail_settings::table.find(claimed.account.0).filter(mail_settings::claim_id.eq(claimed.lease));
    diesel::update(row)
        .set((
            mail_settings::due_at.eq(At(due)),
            mail_settings::attempts.eq(i32::try_from(attempts).unwrap_or(i32::MAX)),
            mail_settings::failing_since.eq(since.map(At)),
            mail_settings::claim_id.eq(None::<Uuid>),
            mail_settings::claimed_until.eq(None::<At>),
        ))
        .execute(tx.sql())
        .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct MatchRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    variant: String,
    #[diesel(sql_type = Integer)]
    to_act: i32,
    #[diesel(sql_type = Array<SqlUuid>)]
    accounts: Vec<Uuid>,
    #[diesel(sql_type = Array<Text>)]
    names: Vec<String>,
}

/// What a mail says of these matches of the account.
pub async fn matches(conn: &mut Conn, account: AccountId, ids: &[MatchId]) -> Result<Vec<MatchFacts>> {
    let query = diesel::sql_query(
        "SELECT m.id, m.variant, h.to_act, s.accounts, s.names FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
         CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, array_agg(username ORDER BY seat) AS names \
           FROM match_seats WHERE match_id = m.id) AS s \
         WHERE m.id = ANY ($1) AND $2 = ANY (s.accounts)",
    );
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let query = query.bind::<Array<SqlUuid>, _>(ids).bind::<SqlUuid, _>(account.0);
    let rows: Vec<MatchRow> = query.load(conn.sql()).await?;
    let facts = |row: MatchRow| {
        let seat = row.accounts.iter().position(|id| *id == account.0)?;
        Some(MatchFacts {
            id: MatchId(row.id),
            variant: row.variant,
            must_act: row.to_act >> seat & 1 == 1,
            seat,
            names: row.names,
        })
    };
    Ok(rows.into_iter().filter_map(facts).collect())
}

#[derive(QueryableByName)]
struct ChallengeRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    variant: String,
    #[diesel(sql_type = Text)]
    username: String,
    #[diesel(sql_type = Bool)]
    stands: bool,
}

/// What a mail says of these challenges.
pub async fn challenges(conn: &mut Conn, ids: &[ChallengeId], now: Time) -> Result<Vec<ChallengeFacts>> {
    let query = diesel::sql_query(
        "SELECT c.id, c.variant, a.username, c.status = 'open' AND c.expires_at > $2 AS stands \
         FROM challenges AS c JOIN accounts AS a ON a.id = c.creator_id WHERE c.id = ANY ($1)",
    );
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let query = query.bind::<Array<SqlUuid>, _>(ids).bind::<Timestamptz, _>(At(now));
    let rows: Vec<ChallengeRow> = query.load(conn.sql()).await?;
    let facts = |row: ChallengeRow| ChallengeFacts {
        id: ChallengeId(row.id),
        variant: row.variant,
        from: row.username,
        stands: row.stands,
    };
    Ok(rows.into_iter().map(facts).collect())
}
