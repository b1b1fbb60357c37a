//! SQL for calendars and vacations. The replanning queue has its own file.

mod replanning;

use broadside_rules::{Seat, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::calendar::{AccountCalendar, Calendar, CalendarChange, DaysOff, Night, Share, TimeOfDay, Vacation};
use crate::db::schema::{account_calendars, account_vacations, accounts, match_seats, replanning_queue};
use crate::db::{At, Conn, PublicRead, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId, VacationId};

pub use replanning::{
    CHANGED, accounts_with_changes, changes_of, finish_change, forget_change, note_change, pending_change,
    take_planning,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = account_calendars, check_for_backend(diesel::pg::Pg))]
struct Row {
    time_zone: String,
    night_from: Option<i16>,
    night_until: Option<i16>,
    days_off: i16,
    remind_at_percent: Option<i16>,
    automatic_vacation: bool,
    feed_token_hash: Option<Vec<u8>>,
    effective_from: Option<At>,
    before_time_zone: Option<String>,
    before_night_from: Option<i16>,
    before_night_until: Option<i16>,
    before_days_off: Option<i16>,
    before_effective_from: Option<At>,
}

fn share(percent: Option<i16>) -> Option<Share> {
    percent.and_then(|percent| Share::of_percent(u8::try_from(percent).ok()?))
}

fn night(from: Option<i16>, until: Option<i16>) -> Option<Night> {
    let time = |minutes: Option<i16>| TimeOfDay::after_midnight(u16::try_from(minutes?).ok()?);
    Night::new(time(from)?, time(until)?).ok()
}

fn days_off(bits: i16) -> DaysOff {
    DaysOff::from_bits(u8::try_from(bits).unwrap_or_default())
}

impl Row {
    /// The last change of nights and days off.
    fn change(&self) -> Option<CalendarChange> {
        let before = self.before_time_zone.as_deref().map(|zone| Calendar {
            time_zone: super::stored_zone(zone),
            night: night(self.before_night_from, self.before_night_until),
            days_off: days_off(self.before_days_off.unwrap_or_default()),
            ..Calendar::default()
        });
        let before_since = self.before_effective_from.map(Time::from);
        self.effective_from.map(|from| CalendarChange { counts_from: from.0, before, before_since })
    }
}

impl From<&Row> for Calendar {
    fn from(row: &Row) -> Self {
        Self {
            time_zone: super::stored_zone(&row.time_zone),
            night: night(row.night_from, row.night_until),
            days_off: days_off(row.days_off),
            warn_at: share(row.remind_at_percent),
            automatic_vacation: row.automatic_vacation,
        }
    }
}

/// A selection of vacations.
#[derive(Clone, Copy)]
pub enum Vacations {
    /// All of them, for their owner.
    All,
    /// Those in progress at this time. Later ones are shown only to their owner and enter no plan.
    At(Time),
    /// Those that began by `until` and weren't over at `from`.
    Begun { from: Time, until: Time },
}

/// The calendars of these accounts, except deleted ones, with the selected vacations.
pub async fn find_all(conn: &mut Conn, ids: &[AccountId], which: Vacations) -> Result<Vec<AccountCalendar>> {
    let uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<(Uuid, At, Option<Row>)> = accounts::table
        .left_join(account_calendars::table.on(account_calendars::account_id.eq(accounts::id)))
        .filter(accounts::id.eq_any(uuids))
        .filter(accounts::deleted_at.is_null())
        .select((accounts::id, accounts::created_at, Option::<Row>::as_select()))
        .load(conn.sql())
        .await?;
    let vacations = vacations(conn, ids, which).await?;
    let known = rows.into_iter().map(|(id, since, row)| AccountCalendar {
        account: AccountId(id),
        since: since.0,
        calendar: row.as_ref().map(Calendar::from).unwrap_or_default(),
        vacations: vacations.iter().filter(|(of, _)| of.0 == id).map(|(_, vacation)| vacation.clone()).collect(),
        change: row.as_ref().and_then(Row::change),
        has_feed: row.is_some_and(|row| row.feed_token_hash.is_some()),
    });
    Ok(known.collect())
}

/// The selected vacations of these accounts, in order.
pub async fn vacations(
    conn: &mut PublicRead,
    ids: &[AccountId],
    which: Vacations,
) -> Result<Vec<(AccountId, Vacation)>> {
    let mut query = account_vacations::table
        .filter(account_vacations::account_id.eq_any(ids.iter().map(|id| id.0).collect::<Vec<_>>()))
        .into_boxed();
    let bounds = match which {
        Vacations::All => None,
        Vacations::At(time) => Some((time, time)),
        Vacations::Begun { from, until } => Some((from, until)),
    };
    if let Some((from, until)) = bounds {
        query =
            query.filter(account_vacations::ends_at.gt(At(from))).filter(account_vacations::starts_at.le(At(until)));
    }
    let rows: Vec<(Uuid, Uuid, At, At, bool)> =
        query.order((account_vacations::account_id, account_vacations::starts_at)).load(conn.sql()).await?;
    let vacation = |(account, id, from, until, automatic): (Uuid, Uuid, At, At, bool)| {
        (AccountId(account), Vacation { id: VacationId(id), from: from.0, until: until.0, automatic })
    };
    Ok(rows.into_iter().map(vacation).collect())
}

/// The time zone name of an account's calendar; `None` if it was never set.
pub async fn time_zone(conn: &mut PublicRead, id: AccountId) -> Result<Option<String>> {
    let zone = account_calendars::table.find(id.0).select(account_calendars::time_zone);
    Ok(zone.first(conn.sql()).await.optional()?)
}

/// Ensures that each of these accounts has a row, in account order so that transactions don't deadlock.
async fn ensure(tx: &mut Tx, ids: &[AccountId]) -> Result<Vec<Uuid>> {
    let mut uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    uuids.sort_unstable();
    let insert = "INSERT INTO account_calendars (account_id) SELECT id FROM unnest($1) AS t (id) ORDER BY id ON CONFLICT DO NOTHING";
    sql!(insert, &uuids).run(tx).await?;
    Ok(uuids)
}

/// Locks these calendars against changes until the transaction ends.
pub async fn lock_shared(tx: &mut Tx, ids: &[AccountId]) -> Result<()> {
    let uuids = ensure(tx, ids).await?;
    account_calendars::table
        .filter(account_calendars::account_id.eq_any(uuids))
        .order(account_calendars::account_id)
        .select(account_calendars::account_id)
        .for_share()
        .load::<Uuid>(tx.sql())
        .await?;
    Ok(())
}

/// Locks the account's calendar for the rest of the transaction.
pub async fn lock(tx: &mut Tx, id: AccountId) -> Result<()> {
    ensure(tx, &[id]).await?;
    account_calendars::table
        .find(id.0)
        .select(account_calendars::account_id)
        .for_update()
        .first::<Uuid>(tx.sql())
        .await?;
    Ok(())
}

/// Stores the account's calendar, and the nights and days off that apply to running matches until the new ones do; the
/// row is locked.
pub async fn set(tx: &mut Tx, id: AccountId, calendar: &Calendar, change: Option<&CalendarChange>) -> Result<()> {
    let minutes = |time: TimeOfDay| i16::try_from(time.minutes()).ok();
    let before = change.and_then(|change| change.before.as_ref());
    let before_night = before.and_then(|before| before.night);
    diesel::update(account_calendars::table.find(id.0))
        .set((
            account_calendars::time_zone.eq(calendar.time_zone.name()),
            account_calendars::night_from.eq(calendar.night.and_then(|night| minutes(night.from()))),
            account_calendars::night_until.eq(calendar.night.and_then(|night| minutes(night.until()))),
            account_calendars::days_off.eq(i16::from(calendar.days_off.bits())),
            account_calendars::remind_at_percent.eq(calendar.warn_at.map(|share| i16::from(share.percent()))),
            account_calendars::automatic_vacation.eq(calendar.automatic_vacation),
            account_calendars::effective_from.eq(change.map(|change| At(change.counts_from))),
            account_calendars::before_time_zone.eq(before.map(|before| before.time_zone.name())),
            account_calendars::before_night_from.eq(before_night.and_then(|night| minutes(night.from()))),
            account_calendars::before_night_until.eq(before_night.and_then(|night| minutes(night.until()))),
            account_calendars::before_days_off.eq(before.map(|before| i16::from(before.days_off.bits()))),
            account_calendars::before_effective_from.eq(change.and_then(|change| change.before_since).map(At)),
        ))
        .run(tx)
        .await
}

/// Stores a vacation; the calendar is locked.
pub async fn insert_vacation(tx: &mut Tx, account: AccountId, vacation: &Vacation) -> Result<()> {
    diesel::insert_into(account_vacations::table)
        .values((
            account_vacations::account_id.eq(account.0),
            account_vacations::id.eq(vacation.id.0),
            account_vacations::starts_at.eq(At(vacation.from)),
            account_vacations::ends_at.eq(At(vacation.until)),
            account_vacations::automatic.eq(vacation.automatic),
        ))
        .run(tx)
        .await
}

/// Deletes a vacation that has not begun; the calendar is locked.
pub async fn delete_vacation(tx: &mut Tx, account: AccountId, id: VacationId) -> Result<()> {
    diesel::delete(account_vacations::table.find((account.0, id.0))).run(tx).await
}

/// Ends a vacation that has begun; the calendar is locked.
pub async fn end_vacation(tx: &mut Tx, account: AccountId, id: VacationId, at: Time) -> Result<()> {
    diesel::update(account_vacations::table.find((account.0, id.0)))
        .set(account_vacations::ends_at.eq(At(at)))
        .run(tx)
        .await
}

/// Stores the hash of the secret in the account's feed URL; the calendar is locked.
pub async fn set_feed(tx: &mut Tx, id: AccountId, hash: Option<[u8; 32]>) -> Result<()> {
    diesel::update(account_calendars::table.find(id.0))
        .set(account_calendars::feed_token_hash.eq(hash.map(Vec::from)))
        .run(tx)
        .await
}

/// The account of the feed whose URL has this secret.
pub async fn owner_of_feed(conn: &mut Conn, hash: &[u8; 32]) -> Result<Option<AccountId>> {
    let owner = account_calendars::table.filter(account_calendars::feed_token_hash.eq(hash.as_slice()));
    let owner: Option<Uuid> = owner.select(account_calendars::account_id).first(conn.sql()).await.optional()?;
    Ok(owner.map(AccountId))
}

pub async fn forget(tx: &mut Tx, id: AccountId) -> Result<()> {
    diesel::delete(account_calendars::table.find(id.0)).run(tx).await?;
    let vacations = account_vacations::table.filter(account_vacations::account_id.eq(id.0));
    diesel::delete(vacations).run(tx).await?;
    diesel::delete(replanning_queue::table.filter(replanning_queue::account_id.eq(id.0))).run(tx).await
}

/// A player's preferences for when time is running out.
pub struct ReminderPreferences {
    pub seat: Seat,
    pub account: AccountId,
    /// The share of time left at which to send a reminder; `None` for never.
    pub warn_at: Option<Share>,
    /// True if a vacation begins automatically.
    pub automatic_vacation: bool,
    /// The deadline that the last reminder was about, and when it was sent.
    pub warned: Option<(Time, Time)>,
}

/// The preferences of a match's players for when time is running out, by seat.
pub async fn reminder_preferences(conn: &mut Conn, id: MatchId) -> Result<Vec<ReminderPreferences>> {
    type Found = (i16, Uuid, Option<At>, Option<At>);
    let seats: Vec<Found> = match_seats::table
        .filter(match_seats::match_id.eq(id.0))
        .select((match_seats::seat, match_seats::account_id, match_seats::reminded_deadline, match_seats::reminded_at))
        .load(conn.sql())
        .await?;
    // Not a join: with seats spread over machines, all calendars would be sent to them.
    let accounts = seats.iter().map(|(_, account, ..)| *account);
    let wishes: Vec<(Uuid, Option<i16>, bool)> = account_calendars::table
        .filter(account_calendars::account_id.eq_any(accounts))
        .select((
            account_calendars::account_id,
            account_calendars::remind_at_percent,
            account_calendars::automatic_vacation,
        ))
        .load(conn.sql())
        .await?;
    let preferences = |(seat, account, deadline, at): Found| {
        let default = Calendar::default();
        let (warn_at, automatic_vacation) = match wishes.iter().find(|(whose, ..)| *whose == account) {
            Some((_, percent, automatic)) => (share(*percent), *automatic),
            None => (default.warn_at, default.automatic_vacation),
        };
        let warned = deadline.map(Time::from).zip(at.map(Time::from));
        let seat = Seat(u8::try_from(seat).map_err(Error::internal)?);
        Ok(ReminderPreferences { seat, account: AccountId(account), warn_at, automatic_vacation, warned })
    };
    seats.into_iter().map(preferences).collect()
}

/// Records that the seat is reminded of the deadline. Returns false if it was already.
pub async fn mark_warned(tx: &mut Tx, id: MatchId, seat: Seat, deadline: Time, now: Time) -> Result<bool> {
    let unwarned = match_seats::table
        .find((id.0, i16::from(seat.0)))
        .filter(match_seats::reminded_deadline.is_distinct_from(At(deadline)));
    let marked = diesel::update(unwarned)
        .set((match_seats::reminded_deadline.eq(At(deadline)), match_seats::reminded_at.eq(At(now))))
        .execute(tx.sql())
        .await?;
    Ok(marked == 1)
}
