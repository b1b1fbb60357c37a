//! Mail: what accounts want, and the links that confirm their addresses. What waits to be sent is in [`super::queue`].

use broadside_rules::Time;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Email;
use crate::accounts::secrets::Hashed;
use crate::db::At;
use crate::db::schema::{event_counters, mail_confirmations, mail_settings};
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::notifications::mail::settings::{Asked, Digest, Kept, Preferences, Quiet, TimeOfDay, Tongue, Zone};

#[derive(Queryable, Selectable)]
#[diesel(table_name = mail_settings, check_for_backend(diesel::pg::Pg))]
pub(crate) struct Wanted {
    kinds: Vec<String>,
    digest: String,
    daily_hour: i16,
    quiet_from: Option<i16>,
    quiet_until: Option<i16>,
    time_zone: String,
    language: String,
}

impl From<Wanted> for Preferences {
    fn from(row: Wanted) -> Self {
        let of_day = |minutes: i16| TimeOfDay(minutes.unsigned_abs());
        let quiet = row.quiet_from.zip(row.quiet_until);
        Preferences {
            // A kind that this version doesn't know is nothing to write about.
            on: row.kinds.iter().filter_map(|kind| kind.parse().ok()).collect(),
            digest: row.digest.parse().unwrap_or(Digest::Each),
            daily_hour: u8::try_from(row.daily_hour).unwrap_or_default(),
            quiet: quiet.map(|(from, until)| Quiet { from: of_day(from), until: of_day(until) }),
            zone: Zone::stored(row.time_zone),
            tongue: row.language.parse().unwrap_or(Tongue::En),
        }
    }
}

/// What an account wants, and the address that it has confirmed; none if it has never said.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<Option<(Preferences, Option<String>)>> {
    let row: Option<(Wanted, Option<String>)> = mail_settings::table
        .find(account.0)
        .select((Wanted::as_select(), mail_settings::confirmed_address))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(wanted, confirmed)| (wanted.into(), confirmed)))
}

/// Takes the account's row for the rest of the transaction; if there is none, it is made of these. It begins where the account's log is now.
pub async fn lock(tx: &mut Tx, account: AccountId, new: &Preferences, key: &[u8; 32]) -> Result<Kept> {
    let newest = newest(tx, account).await?;
    diesel::insert_into(mail_settings::table)
        .values((
            mail_settings::account_id.eq(account.0),
            Wishes::of(new),
            mail_settings::unsubscribe_key.eq(key.as_slice()),
            mail_settings::handled_up_to.eq(newest),
            mail_settings::seen_up_to.eq(newest),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    let (wanted, confirmed, key): (Wanted, _, _) = mail_settings::table
        .find(account.0)
        .select((Wanted::as_select(), mail_settings::confirmed_address, mail_settings::unsubscribe_key))
        .for_update()
        .first(tx.sql())
        .await?;
    Ok(Kept { preferences: wanted.into(), confirmed, key })
}

/// The same of a row that is there already; none if there isn't.
pub async fn lock_known(tx: &mut Tx, account: AccountId) -> Result<Option<Kept>> {
    let row: Option<(Wanted, Option<String>, Vec<u8>)> = mail_settings::table
        .find(account.0)
        .select((Wanted::as_select(), mail_settings::confirmed_address, mail_settings::unsubscribe_key))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|(wanted, confirmed, key)| Kept { preferences: wanted.into(), confirmed, key }))
}

/// What an account wants, as it is stored.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = mail_settings, treat_none_as_null = true)]
struct Wishes {
    kinds: Vec<&'static str>,
    digest: &'static str,
    daily_hour: i16,
    quiet_from: Option<i16>,
    quiet_until: Option<i16>,
    time_zone: String,
    language: &'static str,
}

impl Wishes {
    fn of(wanted: &Preferences) -> Self {
        let minutes = |of_day: TimeOfDay| i16::try_from(of_day.0).unwrap_or_default();
        Self {
            kinds: wanted.on.iter().map(|news| news.word()).collect(),
            digest: wanted.digest.word(),
            daily_hour: i16::from(wanted.daily_hour),
            quiet_from: wanted.quiet.map(|quiet| minutes(quiet.from)),
            quiet_until: wanted.quiet.map(|quiet| minutes(quiet.until)),
            time_zone: wanted.zone.name().to_owned(),
            language: wanted.tongue.word(),
        }
    }
}

/// No mail is waiting, under way, or being tried again.
#[derive(AsChangeset, Default)]
#[diesel(table_name = mail_settings, treat_none_as_null = true)]
pub(crate) struct AtRest {
    sending_up_to: Option<i64>,
    due_at: Option<At>,
    attempts: i32,
    failing_since: Option<At>,
    claim_id: Option<Uuid>,
    claimed_until: Option<At>,
}

/// Replaces what an account wants. When what waits is due is reckoned anew.
pub async fn set(tx: &mut Tx, account: AccountId, wanted: &Preferences) -> Result<()> {
    diesel::update(mail_settings::table.find(account.0))
        .set((Wishes::of(wanted), mail_settings::seen_up_to.eq(mail_settings::handled_up_to), AtRest::default()))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Wants nothing any more.
pub async fn stop(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::update(mail_settings::table.find(account.0))
        .set((mail_settings::kinds.eq(Vec::<String>::new()), AtRest::default()))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Passes over all that the account has heard of so far, and over what is under way.
pub async fn begin_anew(tx: &mut Tx, account: AccountId) -> Result<()> {
    let newest = newest(tx, account).await?;
    diesel::update(mail_settings::table.find(account.0))
        .set((mail_settings::handled_up_to.eq(newest), mail_settings::seen_up_to.eq(newest), AtRest::default()))
        .execute(tx.sql())
        .await?;
    Ok(())
}

async fn newest(tx: &mut Tx, account: AccountId) -> Result<i64> {
    let newest: Option<i64> =
        event_counters::table.find(account.0).select(event_counters::newest).first(tx.sql()).await.optional()?;
    Ok(newest.unwrap_or_default())
}

/// Notes that this address is confirmed.
pub async fn set_confirmed(tx: &mut Tx, account: AccountId, address: &str) -> Result<()> {
    diesel::update(mail_settings::table.find(account.0))
        .set(mail_settings::confirmed_address.eq(address))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Whatever address the account had confirmed, it has to confirm its address again, unless it is still this one. With another key, the links in the mails to that address no longer end
/// those to the next.
pub async fn unconfirm(tx: &mut Tx, account: AccountId, unless: Option<&Email>, key: Option<&[u8; 32]>) -> Result<()> {
    let row = mail_settings::table.find(account.0);
    let changed = mail_settings::confirmed_address.is_distinct_from(unless.map(|address| address.as_str().to_owned()));
    diesel::update(row.filter(changed))
        .set((
            mail_settings::confirmed_address.eq(None::<String>),
            key.map(|key| mail_settings::unsubscribe_key.eq(key.to_vec())),
            AtRest::default(),
        ))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Stores that a link was asked for, and whether it is sent.
pub async fn ask(
    tx: &mut Tx,
    account: AccountId,
    hash: &Hashed,
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
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// The links that are kept, the oldest first.
pub async fn asked(conn: &mut Conn, account: AccountId) -> Result<Vec<Asked>> {
    let rows: Vec<(String, At, Option<At>)> = mail_confirmations::table
        .filter(mail_confirmations::account_id.eq(account.0))
        .order(mail_confirmations::requested_at)
        .select((mail_confirmations::address, mail_confirmations::requested_at, mail_confirmations::used_at))
        .load(conn.sql())
        .await?;
    let asked = |(address, at, used): (String, At, Option<At>)| Asked {
        address: Email::stored(address),
        at: at.0,
        used_at: used.map(Time::from),
    };
    Ok(rows.into_iter().map(asked).collect())
}

/// The link with this secret: where it was sent, when, and when it was used.
pub async fn link(conn: &mut Conn, account: AccountId, hash: &Hashed) -> Result<Option<Asked>> {
    let row: Option<(String, At, Option<At>)> = mail_confirmations::table
        .find((account.0, hash.as_slice()))
        .select((mail_confirmations::address, mail_confirmations::requested_at, mail_confirmations::used_at))
        .first(conn.sql())
        .await
        .optional()?;
    let asked = |(address, at, used): (String, At, Option<At>)| Asked {
        address: Email::stored(address),
        at: at.0,
        used_at: used.map(Time::from),
    };
    Ok(row.map(asked))
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How many links were sent to this address since `then`, whoever asked for them, and in whatever case he wrote it.
pub async fn sent_to(conn: &mut Conn, address: &Email, then: Time) -> Result<i64> {
    let query = diesel::sql_query(
        "SELECT count(*) AS count FROM mail_confirmations WHERE lower(address) = lower($1) AND requested_at > $2 AND sent",
    );
    let query = query.bind::<Text, _>(address.as_str()).bind::<Timestamptz, _>(At(then));
    Ok(query.get_result::<Count>(conn.sql()).await?.count)
}

/// Notes that the link was used.
pub async fn use_link(tx: &mut Tx, account: AccountId, hash: &Hashed, now: Time) -> Result<()> {
    diesel::update(mail_confirmations::table.find((account.0, hash.as_slice())))
        .set(mail_confirmations::used_at.eq(At(now)))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Forgets the links that were asked for before `then`. Returns how many, some thousand at most: call again until it is none.
pub async fn forget_links_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let forget = diesel::sql_query(
        "DELETE FROM mail_confirmations WHERE ctid = ANY (ARRAY(SELECT ctid FROM mail_confirmations WHERE requested_at < $1 LIMIT 5000))",
    );
    let forgotten = forget.bind::<Timestamptz, _>(At(then)).execute(tx.sql());
    Ok(forgotten.await?)
}

/// Forgets everything about an account's mail, since it is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(mail_settings::table.find(account.0)).execute(tx.sql()).await?;
    diesel::delete(mail_confirmations::table.filter(mail_confirmations::account_id.eq(account.0)))
        .execute(tx.sql())
        .await?;
    Ok(())
}
