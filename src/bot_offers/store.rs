//! The SQL of the offers of bots.

use broadside_rules::Time;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{BotFilter, BotOffer};
use crate::db::schema::{accounts, bot_offers as offers};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::player::Player;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = offers, check_for_backend(diesel::pg::Pg), treat_none_as_null = true)]
struct Row {
    level: Option<String>,
    description: Option<String>,
    variants: Option<Vec<String>>,
    custom_rules: bool,
    rated: bool,
    max_seats: i16,
    min_move_s: i32,
    max_matches: i32,
    expires_at: At,
}

impl From<Row> for BotOffer {
    fn from(row: Row) -> Self {
        Self {
            // A level unknown to this version counts as none.
            level: row.level.and_then(|level| level.parse().ok()),
            description: row.description,
            variants: row.variants,
            custom_rules: row.custom_rules,
            rated: row.rated,
            max_seats: u8::try_from(row.max_seats).unwrap_or(2),
            min_move_s: row.min_move_s.unsigned_abs(),
            max_matches: row.max_matches.unsigned_abs(),
            expires_at: row.expires_at.0,
        }
    }
}

/// Replaces the account's offer.
pub async fn replace(tx: &mut Tx, account: AccountId, offer: &BotOffer) -> Result<()> {
    let row = || -> Result<Row> {
        Ok(Row {
            level: offer.level.map(|level| level.into_str().to_owned()),
            description: offer.description.clone(),
            variants: offer.variants.clone(),
            custom_rules: offer.custom_rules,
            rated: offer.rated,
            max_seats: i16::from(offer.max_seats),
            min_move_s: i32::try_from(offer.min_move_s).map_err(Error::internal)?,
            max_matches: i32::try_from(offer.max_matches).map_err(Error::internal)?,
            expires_at: At(offer.expires_at),
        })
    };
    diesel::insert_into(offers::table)
        .values((offers::account_id.eq(account.0), row()?))
        .on_conflict(offers::account_id)
        .do_update()
        .set(row()?)
        .run(tx)
        .await
}

pub async fn delete(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(offers::table.find(account.0)).run(tx).await
}

pub async fn erase_description(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::update(offers::table.find(account.0)).set(offers::description.eq(None::<String>)).run(tx).await
}

/// The account's offer, standing or lapsed.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<Option<BotOffer>> {
    let row = offers::table.find(account.0).select(Row::as_select()).first(conn.sql()).await.optional()?;
    Ok(row.map(BotOffer::from))
}

/// A page of the offers that stand at `now`.
pub async fn list(conn: &mut Conn, filter: &BotFilter, now: Time) -> Result<Vec<(Player, BotOffer)>> {
    let suspended = accounts::suspended_at
        .is_not_null()
        .and(accounts::suspended_until.is_null().or(accounts::suspended_until.gt(At(now)).is_not_distinct_from(true)));
    let mut query = offers::table
        .inner_join(accounts::table.on(accounts::id.eq(offers::account_id)))
        .filter(offers::expires_at.gt(At(now)))
        .filter(accounts::bot)
        .filter(accounts::deleted_at.is_null())
        .filter(not(suspended))
        .select((accounts::id, accounts::username, Row::as_select()))
        .into_boxed();
    if let Some(variant) = filter.variant {
        query = query
            .filter(offers::variants.is_null().or(offers::variants.contains(vec![variant]).is_not_distinct_from(true)));
    }
    if let Some(level) = filter.level {
        query = query.filter(offers::level.is_not_distinct_from(level.into_str()));
    }
    if let Some(after) = filter.after {
        query = query.filter(offers::account_id.gt(after.0));
    }
    let rows: Vec<(Uuid, String, Row)> = query.order(offers::account_id).limit(filter.limit).load(conn.sql()).await?;
    let listed = rows
        .into_iter()
        .map(|(id, username, row)| (Player { id: AccountId(id), username, bot: true }, BotOffer::from(row)));
    Ok(listed.collect())
}
