//! A player's calendar: time zone, night, days off, vacations, and when to send reminders.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | say, plan | the types of a calendar, the allowance, plans | the crate [`broadside_contests`] |
//! | book | vacations, as far as the allowance pays for them | [`vacations`] |
//! | feed | deadlines for a calendar program, behind a secret address | [`feed`] |
//!
//! Matches read plans here and write them into their logs; nothing here knows a match. A change is stored with a note
//! that running matches must be planned anew (`replanning_queue`); `matches::replan` does that. The note of a vacation
//! that is booked ahead is for the moment at which it begins: until then it is in no plan, and nobody else's business.

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

/// How long after a change of nights and days off they count in running matches, in milliseconds.
const CHANGES_COUNT_AFTER_MS: i64 = 7 * bank::DAY_MS;

/// A vacation: from `from` on, until before `until`.
#[derive(Clone, Debug, PartialEq)]
pub struct Vacation {
    pub id: VacationId,
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
    /// Whether the service began it, since time was running out.
    pub automatic: bool,
}

impl Default for Vacation {
    fn default() -> Self {
        Self { id: VacationId(uuid::Uuid::nil()), from: Time(0), until: Time(0), automatic: false }
    }
}

impl Vacation {
    /// The time that it takes.
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
    /// When the account was created: vacation is earned from then on.
    pub since: Time,
    pub calendar: Calendar,
    /// The vacations: all of them, or those that were on in some time.
    pub vacations: Vec<Vacation>,
    /// The last change of its nights and days off, and what counts in matches that were running then until they do;
    /// `None`: they were never changed.
    pub change: Option<CalendarChange>,
    /// Whether there is a feed of its deadlines.
    pub has_feed: bool,
}

impl AccountCalendar {
    /// The longest vacation that could begin now, in seconds.
    pub fn vacation_left_s(&self, now: Time) -> u32 {
        bank::longest_s(self.since, &self.spans(), now)
    }

    /// The times that the vacations take.
    pub fn spans(&self) -> Vec<Span> {
        self.vacations.iter().map(Vacation::span).collect()
    }

    /// The time that the vacation takes which is on at `at`; empty: none is.
    pub fn span_on(&self, at: Time) -> Vec<Span> {
        self.spans().into_iter().filter(|span| span.contains(at)).collect()
    }

    /// The change to another calendar. In running matches its nights and days off count from a week from now, so that
    /// players can't take today off whenever that helps them; at once, if they have never set any.
    fn change_to(&self, calendar: &Calendar, now: Time) -> Option<CalendarChange> {
        if calendar.rests_as(&self.calendar) {
            return self.change.clone();
        }
        let first = self.change.is_none() && self.calendar.rests_as(&Calendar::default());
        let counts_from = if first { now } else { now.plus_ms(CHANGES_COUNT_AFTER_MS) };
        Some(CalendarChange::after(self.change.as_ref(), &self.calendar, counts_from, now))
    }
}

/// The time zone of a stored name. A name that has since left the database of time zones counts as UTC: no match may
/// stop for it.
pub fn stored_zone(name: &str) -> Zone {
    name.parse().unwrap_or_else(|_| {
        tracing::warn!(name, "a player's time zone is no longer in the database of time zones; UTC is used instead");
        Zone::unknown(name.to_owned())
    })
}

/// The account's calendar, with all its vacations.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<AccountCalendar> {
    let found = store::find_all(conn, &[account], Vacations::All).await?.pop();
    // The token was valid a moment ago; if the account is deleted by now, it is not valid any more.
    found.ok_or_else(|| Error::plain(&problem::TOKEN_UNKNOWN))
}

/// The calendars of these accounts, for plans that are made at `at`: with the vacations that are on then, and no later
/// ones, since everybody sees plans. A deleted account has the default calendar.
pub async fn for_plans(conn: &mut Conn, accounts: &[AccountId], at: Time) -> Result<Vec<AccountCalendar>> {
    for_plans_between(conn, accounts, at, at).await
}

/// The same for plans that are made at some time from `at` until `now`.
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

/// The same, and locks them until the transaction ends. So a match that begins now either has the changed calendar, or
/// is there to be planned anew.
pub async fn lock_for_new_match(tx: &mut Tx, accounts: &[AccountId], at: Time) -> Result<Vec<AccountCalendar>> {
    store::lock_shared(tx, accounts).await?;
    for_plans(tx, accounts, at).await
}

/// Replaces the account's calendar.
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

/// Locks the account's calendar for a change, and notes that its matches must be planned anew from `at` on.
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

/// The vacations of these accounts that have begun by `now` and were not over at `since`.
pub async fn begun_since(
    conn: &mut Conn,
    accounts: &[AccountId],
    since: Time,
    now: Time,
) -> Result<Vec<(AccountId, Vacation)>> {
    store::vacations(conn, accounts, Vacations::Begun { from: since, until: now }).await
}

/// When the current vacation of the account ends; `None`: it is not on vacation. (Whether another one follows is its
/// owner's business until it does.)
pub async fn on_vacation_until(conn: &mut PublicRead, account: AccountId, now: Time) -> Result<Option<Time>> {
    Ok(on_vacation_among(conn, &[account], now).await?.remove(&account))
}

/// The name of the time zone of an account's calendar, for somebody who shows it.
pub async fn time_zone(conn: &mut PublicRead, account: AccountId) -> Result<String> {
    let name = store::time_zone(conn, account).await?;
    Ok(name.map_or_else(|| Calendar::default().time_zone, |name| stored_zone(&name)).name().to_owned())
}

/// The same for some accounts: those that are on vacation.
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
