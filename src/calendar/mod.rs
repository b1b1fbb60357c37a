//! A player's calendar: time zone, night, days off, vacations, and reminder settings.
//!
//! | topic | content | file |
//! |---|---|---|
//! | types, plans | the types of a calendar, the allowance, plans | the crate [`broadside_contests`] |
//! | booking | vacations within the allowance | [`vacations`] |
//! | feed | deadlines for a calendar program, behind a secret URL | [`feed`] |
//!
//! Matches read plans here and write them into their logs; nothing here depends on matches. A change is stored with a
//! queue entry (`replanning_queue`) for replanning running matches, which `matches::replan` does. For a vacation booked
//! ahead, the entry is due when the vacation begins: until then it is in no plan, and private.

pub mod feed;
pub(crate) mod store;
pub mod vacations;

use std::collections::BTreeMap;

use broadside_rules::Time;

pub use broadside_contests::calendar::{Calendar, DaysOff, Night, Share, Span, TimeOfDay, Zone};
pub use broadside_contests::rest_plan::CalendarChange;
pub use broadside_contests::{icalendar as ics, rest_plan as plan, vacation_allowance as bank};

use crate::accounts;
use crate::calendar::store::Vacations;
use crate::context::Context;
use crate::db::{Conn, PublicRead, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, VacationId};

/// Delay in milliseconds after which a change of nights and days off applies to running matches.
const CHANGES_COUNT_AFTER_MS: i64 = 7 * bank::DAY_MS;

/// A vacation from `from` (inclusive) until `until` (exclusive).
#[derive(Clone, Debug, PartialEq)]
pub struct Vacation {
    pub id: VacationId,
    pub from: Time,
    pub until: Time,
    /// True if the service began it because time was running out.
    pub automatic: bool,
}

impl Default for Vacation {
    fn default() -> Self {
        Self { id: VacationId(uuid::Uuid::nil()), from: Time(0), until: Time(0), automatic: false }
    }
}

impl Vacation {
    pub fn span(&self) -> Span {
        Span { from: self.from, until: self.until }
    }

    pub fn is_on(&self, at: Time) -> bool {
        self.span().contains(at)
    }
}

/// The calendar of an account, with its vacations.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountCalendar {
    pub account: AccountId,
    /// The creation time of the account, from which vacation is earned.
    pub since: Time,
    pub calendar: Calendar,
    /// All vacations, or those in the requested time.
    pub vacations: Vec<Vacation>,
    /// The last change of nights and days off, with the old ones, which apply to then running matches until the change
    /// does; `None` if they were never changed.
    pub change: Option<CalendarChange>,
    /// True if the account has a feed of its deadlines.
    pub has_feed: bool,
}

impl AccountCalendar {
    /// The longest vacation that could begin now, in seconds.
    pub fn vacation_left_s(&self, now: Time) -> u32 {
        bank::longest_s(self.since, &self.spans(), now)
    }

    pub fn spans(&self) -> Vec<Span> {
        self.vacations.iter().map(Vacation::span).collect()
    }

    /// The span of the vacation in progress at `at`; empty if there is none.
    pub fn span_on(&self, at: Time) -> Vec<Span> {
        self.spans().into_iter().filter(|span| span.contains(at)).collect()
    }

    /// The change to another calendar. In running matches its nights and days off apply a week from now, so that
    /// players can't take a day off just when it helps them; immediately if none were ever set.
    fn change_to(&self, calendar: &Calendar, now: Time) -> Option<CalendarChange> {
        if calendar.rests_as(&self.calendar) {
            return self.change.clone();
        }
        let first = self.change.is_none() && self.calendar.rests_as(&Calendar::default());
        let counts_from = if first { now } else { now.plus_ms(CHANGES_COUNT_AFTER_MS) };
        Some(CalendarChange::after(self.change.as_ref(), &self.calendar, counts_from, now))
    }
}

/// The time zone of a stored name. A name since removed from the time zone database counts as UTC: no match may stop
/// for it.
pub fn stored_zone(name: &str) -> Zone {
    name.parse().unwrap_or_else(|_| {
        tracing::warn!(name, "a player's time zone is no longer in the database of time zones; UTC is used instead");
        Zone::unknown(name.to_owned())
    })
}

/// The account's calendar, with all its vacations.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<AccountCalendar> {
    let found = store::find_all(conn, &[account], Vacations::All).await?.pop();
    // The token was valid a moment ago; if the account is deleted by now, the token is invalid.
    found.ok_or_else(|| Error::plain(&problem::TOKEN_UNKNOWN))
}

/// The calendars of these accounts for plans made at `at`: only with vacations in progress then, since plans are
/// public. A deleted account has the default calendar.
pub async fn for_plans(conn: &mut Conn, accounts: &[AccountId], at: Time) -> Result<Vec<AccountCalendar>> {
    for_plans_between(conn, accounts, at, at).await
}

/// Like [`for_plans`], for plans made at some time from `at` until `now`.
pub async fn for_plans_between(
    conn: &mut Conn,
    accounts: &[AccountId],
    at: Time,
    now: Time,
) -> Result<Vec<AccountCalendar>> {
    let found = store::find_all(conn, accounts, Vacations::Begun { from: at, until: now }).await?;
    let nothing = |account| AccountCalendar {
        account,
        since: at,
        calendar: Calendar::default(),
        vacations: Vec::new(),
        change: None,
        has_feed: false,
    };
    let of = |account: &AccountId| {
        found.iter().find(|known| known.account == *account).cloned().unwrap_or_else(|| nothing(*account))
    };
    Ok(accounts.iter().map(of).collect())
}

/// Like [`for_plans`], and locks the calendars until the transaction ends, so that a match starting now either has the
/// changed calendar or is found by the replanning.
pub async fn lock_for_new_match(tx: &mut Tx, accounts: &[AccountId], at: Time) -> Result<Vec<AccountCalendar>> {
    store::lock_shared(tx, accounts).await?;
    for_plans(tx, accounts, at).await
}

pub async fn change(ctx: &Context, account: AccountId, calendar: &Calendar) -> Result<AccountCalendar> {
    let mut tx = ctx.db.begin().await?;
    lock_for_change(&mut tx, account, ctx.clock.now()).await?;
    let before = find(&mut tx, account).await?;
    let change = before.change_to(calendar, ctx.clock.now());
    store::set(&mut tx, account, calendar, change.as_ref()).await?;
    let known = find(&mut tx, account).await?;
    tx.commit().await?;
    Ok(known)
}

/// Locks the account's calendar for a change, and queues its matches for replanning from `at` on.
pub(crate) async fn lock_for_change(tx: &mut Tx, account: AccountId, at: Time) -> Result<()> {
    lock(tx, account).await?;
    store::note_change(tx, account, at).await
}

async fn lock(tx: &mut Tx, account: AccountId) -> Result<()> {
    if !accounts::store::accounts::lock_shared(tx, account).await? {
        return Err(Error::plain(&problem::TOKEN_UNKNOWN));
    }
    store::lock(tx, account).await
}

/// The vacations of these accounts that began by `now` and weren't over at `since`.
pub async fn begun_since(
    conn: &mut Conn,
    accounts: &[AccountId],
    since: Time,
    now: Time,
) -> Result<Vec<(AccountId, Vacation)>> {
    store::vacations(conn, accounts, Vacations::Begun { from: since, until: now }).await
}

/// The end of the account's current vacation; `None` if it isn't on vacation. (A vacation that follows is private until
/// it begins.)
pub async fn on_vacation_until(conn: &mut PublicRead, account: AccountId, now: Time) -> Result<Option<Time>> {
    Ok(on_vacation_among(conn, &[account], now).await?.remove(&account))
}

/// The time zone name of an account's calendar, for display.
pub async fn time_zone(conn: &mut PublicRead, account: AccountId) -> Result<String> {
    let name = store::time_zone(conn, account).await?;
    Ok(name.map_or_else(|| Calendar::default().time_zone, |name| stored_zone(&name)).name().to_owned())
}

/// Those of these accounts that are on vacation.
pub async fn on_vacation_among(
    conn: &mut PublicRead,
    accounts: &[AccountId],
    now: Time,
) -> Result<BTreeMap<AccountId, Time>> {
    let on = store::vacations(conn, accounts, Vacations::At(now)).await?;
    Ok(on.into_iter().map(|(account, vacation)| (account, vacation.until)).collect())
}

/// Deletes the calendar of an account that is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::forget(tx, account).await
}
