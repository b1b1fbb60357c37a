//! SQL of mail settings and confirmation links. The queue is in [`super::queue`].

use broadside_rules::Time;
use broadside_rules::card::Language;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Email;
use crate::accounts::secrets::TokenHash;
use crate::calendar::{TimeOfDay, stored_zone};
use crate::db::schema::{event_counters, mail_confirmations, mail_settings};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;
use crate::notifications::mail::settings::{
    ConfirmationRequest, Digest, FailedMail, Preferences, Quiet, StoredMailSettings,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = mail_settings, check_for_backend(diesel::pg::Pg))]
pub(crate) struct PreferencesRow {
    kinds: Vec<String>,
    digest: String,
    daily_hour: i16,
    quiet_from: Option<i16>,
    quiet_until: Option<i16>,
    time_zone: String,
    language: String,
}

impl From<PreferencesRow> for Preferences {
    fn from(row: PreferencesRow) -> Self {
        let of_day = |minutes: i16| TimeOfDay::after_midnight(minutes.unsigned_abs());
        let quiet = row.quiet_from.and_then(of_day).zip(row.quiet_until.and_then(of_day));
        Preferences {
            // Kinds unknown to this version are ignored.
            on: row.kinds.iter().filter_map(|kind| kind.parse().ok()).collect(),
            digest: row.digest.parse().unwrap_or(Digest::Immediate),
            daily_hour: u8::try_from(row.daily_hour).unwrap_or_default(),
            quiet: quiet.map(|(from, until)| Quiet { from, until }),
            zone: stored_zone(&row.time_zone),
            language: row.language.parse().unwrap_or(Language::English),
        }
    }
}

type Found = (Preferences, Option<String>, Option<FailedMail>);

/// An account's preferences, confirmed address and last failure; `None` if it has no settings.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<Option<Found>> {
    type Row = (PreferencesRow, Option<String>, Option<At>, Option<String>);
    let row: Option<Row> = mail_settings::table
        .find(account.0)
        .select((
            PreferencesRow::as_select(),
            mail_settings::confirmed_address,
            mail_settings::failed_at,
            mail_settings::failure,
        ))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(wanted, confirmed, at, failure)| {
        let failure = at.zip(failure.and_then(|failure| failure.parse().ok()));
        (wanted.into(), confirmed, failure.map(|(at, reason)| FailedMail { at: at.0, reason }))
    }))
}

/// Stores the last failure of the account's mail, or clears it.
pub async fn set_failure(tx: &mut Tx, account: AccountId, failure: Option<FailedMail>) -> Result<()> {
    let at = failure.map(|failure| At(failure.at));
    let row = mail_settings::table.find(account.0).filter(mail_settings::failed_at.is_distinct_from(at));
    let reason = failure.map(|failure| failure.reason.into_str());
    diesel::update(row).set((mail_settings::failed_at.eq(at), mail_settings::failure.eq(reason))).run(tx).await
}

/// Locks the account's row until the transaction ends. If missing, it is created from `new`, and begins at the end of
/// the account's log.
pub async fn lock(tx: &mut Tx, account: AccountId, new: &Preferences, key: &[u8; 32]) -> Result<StoredMailSettings> {
    let newest = newest(tx, account).await?;
    diesel::insert_into(mail_settings::table)
        .values((
            mail_settings::account_id.eq(account.0),
            PreferencesUpdate::of(new),
            mail_settings::unsubscribe_key.eq(key.as_slice()),
            mail_settings::handled_up_to.eq(newest),
            mail_settings::seen_up_to.eq(newest),
        ))
        .on_conflict_do_nothing()
        .run(tx)
        .await?;
    let (wanted, confirmed, key): (PreferencesRow, _, _) = mail_settings::table
        .find(account.0)
        .select((PreferencesRow::as_select(), mail_settings::confirmed_address, mail_settings::unsubscribe_key))
        .for_update()
        .first(tx.sql())
        .await?;
    Ok(StoredMailSettings { preferences: wanted.into(), confirmed, key })
}

/// Locks an existing row; `None` if there is none.
pub async fn lock_known(tx: &mut Tx, account: AccountId) -> Result<Option<StoredMailSettings>> {
    let row: Option<(PreferencesRow, Option<String>, Vec<u8>)> = mail_settings::table
        .find(account.0)
        .select((PreferencesRow::as_select(), mail_settings::confirmed_address, mail_settings::unsubscribe_key))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|(wanted, confirmed, key)| StoredMailSettings { preferences: wanted.into(), confirmed, key }))
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = mail_settings, treat_none_as_null = true)]
struct PreferencesUpdate {
    kinds: Vec<&'static str>,
    digest: &'static str,
    daily_hour: i16,
    quiet_from: Option<i16>,
    quiet_until: Option<i16>,
    time_zone: String,
    language: &'static str,
}

impl PreferencesUpdate {
    fn of(wanted: &Preferences) -> Self {
        let minutes = |of_day: TimeOfDay| i16::try_from(of_day.minutes()).unwrap_or_default();
        Self {
            kinds: wanted.on.iter().map(|topic| topic.into_str()).collect(),
            digest: wanted.digest.into_str(),
            daily_hour: i16::from(wanted.daily_hour),
            quiet_from: wanted.quiet.map(|quiet| minutes(quiet.from)),
            quiet_until: wanted.quiet.map(|quiet| minutes(quiet.until)),
            time_zone: wanted.zone.name().to_owned(),
            language: wanted.language.tag(),
        }
    }
}

/// The queue columns when no mail is waiting, being sent, or being retried.
#[derive(AsChangeset, Default)]
#[diesel(table_name = mail_settings, treat_none_as_null = true)]
pub(crate) struct ClearedQueue {
    sending_up_to: Option<i64>,
    due_at: Option<At>,
    attempts: i32,
    failing_since: Option<At>,
    claim_id: Option<Uuid>,
    claimed_until: Option<At>,
}

/// Replaces an account's preferences. Waiting mail is rescheduled.
pub async fn update_preferences(tx: &mut Tx, account: AccountId, wanted: &Preferences) -> Result<()> {
    diesel::update(mail_settings::table.find(account.0))
        .set((
            PreferencesUpdate::of(wanted),
            mail_settings::seen_up_to.eq(mail_settings::handled_up_to),
            ClearedQueue::default(),
        ))
        .run(tx)
        .await
}

pub async fn unsubscribe(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::update(mail_settings::table.find(account.0))
        .set((mail_settings::kinds.eq(Vec::<String>::new()), ClearedQueue::default()))
        .run(tx)
        .await
}

/// Skips all events of the account so far, and mail being sent.
pub async fn skip_to_newest(tx: &mut Tx, account: AccountId) -> Result<()> {
    let newest = newest(tx, account).await?;
    diesel::update(mail_settings::table.find(account.0))
        .set((mail_settings::handled_up_to.eq(newest), mail_settings::seen_up_to.eq(newest), ClearedQueue::default()))
        .run(tx)
        .await
}

async fn newest(tx: &mut Tx, account: AccountId) -> Result<i64> {
    let newest: Option<i64> =
        event_counters::table.find(account.0).select(event_counters::newest).first(tx.sql()).await.optional()?;
    Ok(newest.unwrap_or_default())
}

pub async fn set_confirmed(tx: &mut Tx, account: AccountId, address: &str) -> Result<()> {
    diesel::update(mail_settings::table.find(account.0)).set(mail_settings::confirmed_address.eq(address)).run(tx).await
}

/// Removes the confirmation, unless it is for the address `unless`. With a new key, unsubscribe links in mails to the
/// old address no longer work.
pub async fn unconfirm(tx: &mut Tx, account: AccountId, unless: Option<&Email>, key: Option<&[u8; 32]>) -> Result<()> {
    let row = mail_settings::table.find(account.0);
    let changed = mail_settings::confirmed_address.is_distinct_from(unless.map(|address| address.as_str().to_owned()));
    diesel::update(row.filter(changed))
        .set((
            mail_settings::confirmed_address.eq(None::<String>),
            key.map(|key| mail_settings::unsubscribe_key.eq(key.to_vec())),
            ClearedQueue::default(),
        ))
        .run(tx)
        .await
}

/// Stores a request for a link, and whether the link is sent.
pub async fn insert_request(
    tx: &mut Tx,
    account: AccountId,
    hash: &TokenHash,
    address: &Email,
    is_sent: bool,
    now: Time,
) -> Result<()> {
    diesel::insert_into(mail_confirmations::table)
        .values((
            mail_confirmations::account_id.eq(account.0),
            mail_confirmations::hash.eq(hash.as_slice()),
            mail_confirmations::address.eq(address.as_str()),
            mail_confirmations::requested_at.eq(At(now)),
            mail_confirmations::sent.eq(is_sent),
        ))
        .run(tx)
        .await
}

type RequestRow = (String, At, Option<At>);

fn request((address, at, used): RequestRow) -> ConfirmationRequest {
    ConfirmationRequest { address: Email::stored(address), at: at.0, used_at: used.map(Time::from) }
}

/// The stored requests, oldest first.
pub async fn requests(conn: &mut Conn, account: AccountId) -> Result<Vec<ConfirmationRequest>> {
    let rows: Vec<RequestRow> = mail_confirmations::table
        .filter(mail_confirmations::account_id.eq(account.0))
        .order(mail_confirmations::requested_at)
        .select((mail_confirmations::address, mail_confirmations::requested_at, mail_confirmations::used_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(request).collect())
}

pub async fn link(conn: &mut Conn, account: AccountId, hash: &TokenHash) -> Result<Option<ConfirmationRequest>> {
    let row: Option<RequestRow> = mail_confirmations::table
        .find((account.0, hash.as_slice()))
        .select((mail_confirmations::address, mail_confirmations::requested_at, mail_confirmations::used_at))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(request))
}

rows! {
    struct Count {
        count: i64,
    }
}

/// The number of links sent to this address since `then`, for all accounts, ignoring case.
pub async fn sent_to(conn: &mut Conn, address: &Email, then: Time) -> Result<i64> {
    let query = "SELECT count(*) AS count FROM mail_confirmations WHERE lower(address) = lower($1) AND requested_at > $2 AND sent";
    let query = sql!(query, address.as_str(), At(then));
    Ok(query.get_result::<Count>(conn.sql()).await?.count)
}

pub async fn use_link(tx: &mut Tx, account: AccountId, hash: &TokenHash, now: Time) -> Result<()> {
    diesel::update(mail_confirmations::table.find((account.0, hash.as_slice())))
        .set(mail_confirmations::used_at.eq(At(now)))
        .run(tx)
        .await
}

/// Deletes requests from before `then`. Returns their number, at most some thousand: call again until it is 0.
pub async fn forget_links_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let forget = "DELETE FROM mail_confirmations WHERE ctid = ANY (ARRAY(SELECT ctid FROM mail_confirmations WHERE requested_at < $1 LIMIT 5000))";
    let forgotten = sql!(forget, At(then)).execute(tx.sql());
    Ok(forgotten.await?)
}

/// Deletes all mail data of an account that is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(mail_settings::table.find(account.0)).run(tx).await?;
    diesel::delete(mail_confirmations::table.filter(mail_confirmations::account_id.eq(account.0))).run(tx).await
}
