//! Challenges and their seats.

use std::collections::HashMap;

use broadside_rules::{Clock, Nonce, RuleSet, Time, Variant};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::{challenge_seats, challenges};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::listed::{Listed, only};
use crate::lobby::store::invitations;
use crate::lobby::{Challenge, ChallengeDeclineReason, ChallengeStatus};
use crate::matches::open::{MatchSettings, Participant};
use crate::matches::{stored_hash, stored_wish};
use crate::player::Player;
use crate::ratings::store::ratings::shown;

/// Log message about an unreadable row.
pub const WHAT: &str = "a challenge can't be read; lists leave it out";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = challenges, check_for_backend(diesel::pg::Pg))]
pub(crate) struct ChallengeRow {
    id: Uuid,
    creator_id: Uuid,
    opponent_id: Option<Uuid>,
    variant: String,
    rule_set: Value,
    clock: Value,
    rated: bool,
    spectators: bool,
    seats: i16,
    visibility: String,
    message: Option<String>,
    status: String,
    reason: Option<String>,
    match_id: Option<Uuid>,
    created_at: At,
    expires_at: At,
    chance_seed: Vec<u8>,
    rematch_of: Option<Uuid>,
    opponent_preferred_name: Option<String>,
    min_reliability_percent: Option<i16>,
    named_rule_set: Option<String>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = challenge_seats, check_for_backend(diesel::pg::Pg))]
struct SeatRow {
    challenge_id: Uuid,
    seat: i16,
    account_id: Uuid,
    preferred_name: Option<String>,
    nonce: Option<String>,
}

/// Stores a new challenge with its taken seats.
pub async fn insert(tx: &mut Tx, challenge: &Challenge) -> Result<()> {
    let terms = &challenge.terms;
    let row = ChallengeRow {
        id: challenge.id.0,
        creator_id: challenge.creator.id.0,
        opponent_id: challenge.opponent.as_ref().map(|player| player.id.0),
        variant: terms.variant.id.to_owned(),
        rule_set: serde_json::to_value(&terms.rules).map_err(Error::internal)?,
        clock: serde_json::to_value(terms.clock).map_err(Error::internal)?,
        rated: terms.rated,
        spectators: terms.spectators,
        seats: i16::from(terms.seats),
        visibility: challenge.visibility.into_str().to_owned(),
        message: challenge.message.clone(),
        status: challenge.status.into_str().to_owned(),
        reason: None,
        match_id: None,
        created_at: At(challenge.created_at),
        expires_at: At(challenge.expires_at),
        chance_seed: challenge.chance.to_vec(),
        rematch_of: challenge.rematch_of.map(|id| id.0),
        opponent_preferred_name: challenge
            .counter_wish
            .and_then(|wish| wish_name(&terms.rules, wish))
            .map(str::to_owned),
        min_reliability_percent: challenge.min_reliability_percent.map(i16::from),
        named_rule_set: terms.named.map(|named| named.to_string()),
    };
    diesel::insert_into(challenges::table).values(row).run(tx).await?;
    for seat in 0..challenge.seats.len() {
        insert_seat(tx, challenge, seat).await?;
    }
    invitations::insert(tx, challenge).await
}

/// The stored form of a seat's name.
fn wish_name(rules: &RuleSet, wish: u8) -> Option<&'static str> {
    rules.seat_names().get(usize::from(wish)).copied()
}

/// Stores the player of `seat`, if there is one.
pub async fn insert_seat(tx: &mut Tx, challenge: &Challenge, seat: usize) -> Result<()> {
    let Some(sitter) = challenge.seats.get(seat).and_then(Option::as_ref) else { return Ok(()) };
    diesel::insert_into(challenge_seats::table)
        .values((
            challenge_seats::challenge_id.eq(challenge.id.0),
            challenge_seats::seat.eq(i16::try_from(seat).map_err(Error::internal)?),
            challenge_seats::account_id.eq(sitter.player.id.0),
            challenge_seats::preferred_name.eq(sitter.wish.and_then(|wish| wish_name(&challenge.terms.rules, wish))),
            challenge_seats::nonce.eq(sitter.nonce.as_ref().map(Nonce::as_str)),
        ))
        .run(tx)
        .await
}

pub async fn delete_seat(tx: &mut Tx, id: ChallengeId, who: AccountId) -> Result<()> {
    let its = challenge_seats::table
        .filter(challenge_seats::challenge_id.eq(id.0))
        .filter(challenge_seats::account_id.eq(who.0));
    diesel::delete(its).run(tx).await
}

/// Stores the status of a challenge, the reason for declining, and the match.
pub async fn update_outcome(tx: &mut Tx, challenge: &Challenge) -> Result<()> {
    diesel::update(challenges::table.find(challenge.id.0))
        .set((
            challenges::status.eq(challenge.status.into_str()),
            challenges::reason.eq(challenge.reason.map(|reason| reason.into_str())),
            challenges::match_id.eq(challenge.match_id.map(|id| id.0)),
        ))
        .run(tx)
        .await
}

/// Withdraws every open challenge created by the account.
pub async fn withdraw_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    let open = challenges::table
        .filter(challenges::creator_id.eq(account.0))
        .filter(challenges::status.eq(ChallengeStatus::Open.into_str()));
    diesel::update(open).set(challenges::status.eq(ChallengeStatus::Withdrawn.into_str())).run(tx).await
}

/// Deletes the account's challenges that led to no match.
pub async fn delete_unplayed(tx: &mut Tx, account: AccountId) -> Result<()> {
    let own = challenges::table.filter(challenges::creator_id.eq(account.0));
    diesel::delete(own.filter(challenges::match_id.is_null())).run(tx).await
}

/// The number of unanswered challenges from an account to another one since a time and since their last match. Guests
/// with the same address count together.
pub async fn count_unanswered(conn: &mut Conn, from: AccountId, to: AccountId, since: Time) -> Result<i64> {
    rows! {
        struct Unanswered {
            count: i64,
        }
    }
    let query = "WITH asked AS (SELECT c.status, c.created_at FROM challenges AS c \
           WHERE c.creator_id IN (SELECT $1 UNION SELECT b.id FROM accounts AS a \
             JOIN accounts AS b ON b.guest_origin = a.guest_origin WHERE a.id = $1) \
           AND c.created_at > $3 AND (c.opponent_id = $2 OR EXISTS (SELECT FROM challenge_invitations AS i \
             WHERE i.challenge_id = c.id AND i.account_id = $2))) \
         SELECT count(*) AS count FROM asked WHERE status IN ('open', 'withdrawn', 'expired') AND created_at > \
           coalesce((SELECT max(created_at) FROM asked WHERE status = 'accepted'), '-infinity')";
    let found: Unanswered = sql!(query, from.0, to.0, At(since)).get_result(conn.sql()).await?;
    Ok(found.count)
}

/// Declines every open challenge to the account.
pub async fn decline_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    let open = challenges::table
        .filter(challenges::opponent_id.is_not_distinct_from(account.0))
        .filter(challenges::status.eq(ChallengeStatus::Open.into_str()));
    let declined = (
        challenges::status.eq(ChallengeStatus::Declined.into_str()),
        challenges::reason.eq(ChallengeDeclineReason::Generic.into_str()),
    );
    diesel::update(open).set(declined).run(tx).await
}

/// The open challenges that the account has a seat in, received or is invited to, each locked until the transaction
/// ends.
pub async fn lock_concerning(tx: &mut Tx, account: AccountId) -> Result<Vec<Challenge>> {
    let received = challenges::opponent_id.is_not_distinct_from(account.0);
    let rows: Vec<ChallengeRow> = challenges::table
        .filter(
            received
                .or(challenges::id.eq_any(challenge_ids_of(account)))
                .or(challenges::id.eq_any(invitations::challenge_ids_to(account))),
        )
        .filter(challenges::status.eq(ChallengeStatus::Open.into_str()))
        .order(challenges::id)
        .select(ChallengeRow::as_select())
        .for_update()
        .load(tx.sql())
        .await?;
    Ok(Listed::of(WHAT, assemble(tx, rows).await?)?.items)
}

/// SQL condition: any challenge has expired at the time `$1`, as in [`expired`].
pub const EXPIRED: &str = "EXISTS (SELECT FROM challenges WHERE status = 'open' AND expires_at <= $1)";

rows! {
    struct Due {
        id: Uuid,
    }
}

/// Up to `limit` expired challenges that are not marked yet: the first of each creator, then the second of each. Guests
/// with the same address count as one.
pub async fn expired(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<ChallengeId>> {
    let query = "SELECT c.id FROM challenges AS c JOIN accounts AS a ON a.id = c.creator_id \
         WHERE c.status = 'open' AND c.expires_at <= $1 \
         ORDER BY row_number() OVER (PARTITION BY coalesce(a.guest_origin, uuid_send(a.id)) ORDER BY c.expires_at, c.id), \
           c.expires_at, c.id LIMIT $2";
    let due: Vec<Due> = sql!(query, At(now), limit).load(conn.sql()).await?;
    Ok(due.into_iter().map(|due| ChallengeId(due.id)).collect())
}

#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn challenge_ids_of(account: AccountId) -> _ {
    let of_account: diesel::dsl::Eq<challenge_seats::account_id, Uuid> = challenge_seats::account_id.eq(account.0);
    challenge_seats::table.filter(of_account).select(challenge_seats::challenge_id)
}

/// The open challenges between two accounts, in either direction, each locked until the transaction ends.
pub async fn lock_between(tx: &mut Tx, one: AccountId, other: AccountId) -> Result<Vec<Challenge>> {
    let from = |one: AccountId, other: AccountId| {
        let asked = challenges::opponent_id
            .is_not_distinct_from(other.0)
            .or(challenges::id.eq_any(invitations::challenge_ids_to(other)));
        challenges::creator_id.eq(one.0).and(asked)
    };
    let rows: Vec<ChallengeRow> = challenges::table
        .filter(from(one, other).or(from(other, one)))
        .filter(challenges::status.eq(ChallengeStatus::Open.into_str()))
        .order(challenges::id)
        .select(ChallengeRow::as_select())
        .for_update()
        .load(tx.sql())
        .await?;
    Ok(Listed::of(WHAT, assemble(tx, rows).await?)?.items)
}

/// The challenge that led to this match's rematch, or the open one that offers it.
pub async fn rematch(conn: &mut Conn, of: MatchId, now: Time) -> Result<Option<Challenge>> {
    let row = challenges::table
        .filter(challenges::rematch_of.is_not_distinct_from(of.0))
        .filter(
            challenges::match_id
                .is_not_null()
                .or(challenges::status.eq(ChallengeStatus::Open.into_str()).and(challenges::expires_at.gt(At(now)))),
        )
        .order((challenges::match_id.is_null(), challenges::id.desc()))
        .select(ChallengeRow::as_select());
    let row = row.first(conn.sql()).await.optional()?;
    only(assemble(conn, row.into_iter().collect()).await?)
}

rows! {
    struct Seen {
        seen: bool,
    }
}

/// True if the challenge exists and the viewer may see it. Direct ones are visible to the accounts they concern. If
/// creator or viewer blocks the other, the viewer sees only challenges that already concern them.
pub async fn is_seen(conn: &mut Conn, id: ChallengeId, viewer: Option<AccountId>) -> Result<bool> {
    let asked = "(c.creator_id = $2 OR c.opponent_id = $2 OR EXISTS (SELECT FROM challenge_invitations AS i \
         WHERE i.challenge_id = c.id AND i.account_id = $2))";
    let query = format!(
        "SELECT EXISTS (SELECT FROM challenges AS c WHERE c.id = $1 AND (c.visibility <> 'direct' OR {asked}) \
           AND ({asked} OR EXISTS (SELECT FROM challenge_seats AS s WHERE s.challenge_id = c.id AND s.account_id = $2) \
             OR NOT EXISTS (SELECT FROM account_blocks AS b WHERE b.kind = 'block' AND ( \
               b.account_id = c.creator_id AND b.other_id = $2 OR b.account_id = $2 AND b.other_id = c.creator_id)))) \
         AS seen"
    );
    let found: Seen = sql!(query, id.0, viewer.map(|viewer| viewer.0)).get_result(conn.sql()).await?;
    Ok(found.seen)
}

pub async fn find(conn: &mut Conn, id: ChallengeId) -> Result<Option<Challenge>> {
    let row = challenges::table.find(id.0).select(ChallengeRow::as_select());
    let row = row.first(conn.sql()).await.optional()?;
    only(assemble(conn, row.into_iter().collect()).await?)
}

/// One challenge, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: ChallengeId) -> Result<Option<Challenge>> {
    let row = challenges::table.find(id.0).select(ChallengeRow::as_select()).for_update();
    let row = row.first(tx.sql()).await.optional()?;
    only(assemble(tx, row.into_iter().collect()).await?)
}

/// Every challenge that the account has created, received, was invited to, or has taken a seat in.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Challenge>> {
    let received = challenges::opponent_id.is_not_distinct_from(account.0);
    let mine = challenges::creator_id.eq(account.0).or(received).or(challenges::id.eq_any(challenge_ids_of(account)));
    let mine = mine.or(challenges::id.eq_any(invitations::challenge_ids_to(account)));
    let rows = challenges::table.filter(mine).order(challenges::id).select(ChallengeRow::as_select());
    let rows = rows.load(conn.sql()).await?;
    Listed::of(WHAT, assemble(conn, rows).await?)
}

/// A row with its id, which may be unreadable.
type Assembled = Vec<(Uuid, Result<Challenge>)>;

/// Adds the players and their ratings to the rows.
pub(crate) async fn assemble(conn: &mut Conn, rows: Vec<ChallengeRow>) -> Result<Assembled> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let seat_rows: Vec<SeatRow> = challenge_seats::table
        .filter(challenge_seats::challenge_id.eq_any(&ids))
        .select(SeatRow::as_select())
        .load(conn.sql())
        .await?;
    let invited = invitations::all(conn, &ids).await?;
    let players = rows.iter().flat_map(|row| [Some(row.creator_id), row.opponent_id]).flatten();
    let players = players.chain(seat_rows.iter().map(|seat| seat.account_id));
    let players: Vec<Uuid> = players.chain(invited.iter().map(|(_, account)| *account)).collect();
    let players = crate::accounts::store::accounts::players(conn, &players).await?;
    let read = |row: ChallengeRow| (row.id, challenge(row, &seat_rows, &players));
    let mut found: Assembled = rows.into_iter().map(read).collect();
    for (id, account) in invited {
        if let Some((_, Ok(challenge))) = found.iter_mut().find(|(found, _)| *found == id) {
            challenge.invited.extend(players.get(&account).cloned());
        }
    }
    add_ratings(conn, &mut found).await?;
    Ok(found)
}

/// Adds the current ratings of the seated players.
async fn add_ratings(conn: &mut Conn, challenges: &mut Assembled) -> Result<()> {
    let readable = challenges.iter().filter_map(|(_, challenge)| challenge.as_ref().ok());
    let sitting = readable.flat_map(|challenge| {
        let pool = challenge.terms.pool();
        challenge.seats.iter().flatten().filter_map(move |sitter| Some((sitter.player.id, pool?)))
    });
    let known: HashMap<(AccountId, String), i32> = shown(conn, &sitting.collect::<Vec<_>>()).await?;
    for challenge in challenges.iter_mut().filter_map(|(_, challenge)| challenge.as_mut().ok()) {
        let Some(pool) = challenge.terms.pool() else { continue };
        for sitter in challenge.seats.iter_mut().flatten() {
            sitter.rating = known.get(&(sitter.player.id, pool.to_string())).copied();
        }
    }
    Ok(())
}

fn challenge(row: ChallengeRow, seat_rows: &[SeatRow], players: &HashMap<Uuid, Player>) -> Result<Challenge> {
    let broken = |what: &str| Error::internal(format!("the challenge {} has {what}", row.id));
    let player = |id: Uuid| players.get(&id).cloned().ok_or_else(|| broken("an unknown player"));
    let rules = serde_json::from_value::<RuleSet>(row.rule_set.clone()).map_err(Error::internal)?;
    let mut seats = vec![None; usize::try_from(row.seats).unwrap_or_default()];
    for seat in seat_rows.iter().filter(|seat| seat.challenge_id == row.id) {
        if let Some(place) = usize::try_from(seat.seat).ok().and_then(|seat| seats.get_mut(seat)) {
            *place = Some(Participant {
                player: player(seat.account_id)?,
                wish: stored_wish(&rules, seat.preferred_name.as_deref())?,
                nonce: seat.nonce.as_deref().and_then(Nonce::new),
                rating: None,
            });
        }
    }
    let counter_wish = stored_wish(&rules, row.opponent_preferred_name.as_deref())?;
    let variant = Variant::find(&row.variant).ok_or_else(|| broken("an unknown variant"))?;
    Ok(Challenge {
        id: ChallengeId(row.id),
        creator: player(row.creator_id)?,
        opponent: row.opponent_id.map(player).transpose()?,
        invited: Vec::new(),
        terms: MatchSettings {
            variant,
            rules,
            named: stored_hash(row.named_rule_set.as_deref())?,
            clock: serde_json::from_value::<Clock>(row.clock.clone()).map_err(Error::internal)?,
            rated: row.rated,
            spectators: row.spectators,
            seats: u8::try_from(row.seats).map_err(Error::internal)?,
        },
        visibility: row.visibility.parse().map_err(|_| broken("an unknown visibility"))?,
        message: row.message.clone(),
        status: row.status.parse().map_err(|_| broken("an unknown status"))?,
        reason: row.reason.as_deref().and_then(|reason| reason.parse().ok()),
        seats,
        min_reliability_percent: row.min_reliability_percent.and_then(|percent| u8::try_from(percent).ok()),
        match_id: row.match_id.map(Into::into),
        rematch_of: row.rematch_of.map(MatchId),
        counter_wish,
        created_at: row.created_at.0,
        expires_at: row.expires_at.0,
        chance: row.chance_seed.as_slice().try_into().map_err(|_| broken("a seed of the wrong length"))?,
    })
}
