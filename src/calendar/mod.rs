//! A player's own time: where he lives, when he sleeps, his days off and vacations, when he is warned.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | say, plan | the types of a calendar, the allowance, plans | the crate [`broadside_contests`] |
//! | book | vacations, as far as the allowance pays for them | [`vacations`] |
//! | feed | deadlines for a calendar program, behind a secret address | [`feed`] |
//!
//! Matches ask here for plans and write them into their logs; nothing here knows a match. A change is stored together with a note that running matches have
//! to be planned anew (`replanning_queue`); `matches::replan` does that.

pub mod feed;
pub(crate) mod store;
pub mod vacations;

use std::collections::BTreeSet;

use broadside_rules::Time;

pub use broadside_contests::calendar::{Calendar, DaysOff, Night, Share, Span, TimeOfDay, Zone};
pub use broadside_contests::{icalendar as ics, rest_plan as plan, vacation_allowance as bank};

use crate::accounts;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, VacationId};

/// So long after somebody has changed his nights and days off they count in matches that run.
const CHANGES_COUNT_AFTER_MS: i64 = 7 * bank::DAY_MS;

/// A vacation: from `from` on, until before `until`.
#[derive(Clone, Debug, PartialEq)]
pub struct Vacation {
    /// Its name.
    pub id: VacationId,
    /// When it begins.
    pub from: Time,
    /// When it is over.
    pub until: Time,
    /// Whether it began by itself.
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

    /// Whether it is on.
    pub fn is_on(&self, at: Time) -> bool {
        self.span().contains(at)
    }
}

/// All that is known of an account's time.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Whose.
    pub account: AccountId,
    /// Since when there is the account: the bank of vacation counts from there.
    pub since: Time,
    /// What he says.
    pub calendar: Calendar,
    /// His vacations: all of them, or those that were not over at some time.
    pub vacations: Vec<Vacation>,
    /// From when on his nights and days off count in matches that ran when he changed them; none: he never did.
    pub counts_from: Option<Time>,
    /// Whether there is an address for his deadlines.
    pub has_feed: bool,
}

impl Known {
    /// The longest vacation that could begin now, in seconds.
    pub fn vacation_left_s(&self, now: Time) -> u32 {
        bank::longest_s(self.since, &self.spans(), now)
    }

    /// The times that the vacations take.
    pub fn spans(&self) -> Vec<Span> {
        self.vacations.iter().map(Vacation::span).collect()
    }

    /// From when on the nights and days off of this calendar count in matches that run: a week from now, so that nobody has just today and tomorrow off
    /// whenever the others think; at once, if he has never said anything.
    fn counts_from_with(&self, calendar: &Calendar, now: Time) -> Option<Time> {
        if calendar.rests_as(&self.calendar) {
            return self.counts_from;
        }
        let first = self.counts_from.is_none() && self.calendar.rests_as(&Calendar::default());
        Some(if first { now } else { now.plus_ms(CHANGES_COUNT_AFTER_MS) })
    }
}

/// The zone of a stored name. A name that the database of time zones has lost since counts as UTC: no match may stop for it.
pub fn stored_zone(name: &str) -> Zone {
    name.parse().unwrap_or_else(|_| {
        tracing::warn!(name, "a player's time zone is no longer in the database of time zones; UTC stands in for it");
        Zone::unknown(name.to_owned())
    })
}

/// The account's calendar, with every vacation that it has had.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<Known> {
    let found = store::of(conn, &[account], None).await?.pop();
    // Its token was good a moment ago; if the account is gone by now, so is the token.
    found.ok_or_else(|| Error::plain(&problem::TOKEN_REFUSED))
}

/// The calendars of these accounts, for plans: with the vacations that are not over at `at`. Of a deleted account, what somebody has who never said anything.
pub async fn for_plans(conn: &mut Conn, accounts: &[AccountId], at: Time) -> Result<Vec<Known>> {
    let found = store::of(conn, accounts, Some(at)).await?;
    let nothing = |account| Known {
        account,
        since: at,
        calendar: Calendar::default(),
        vacations: Vec::new(),
        counts_from: None,
        has_feed: false,
    };
    let of = |account: &AccountId| {
        found.iter().find(|known| known.account == *account).cloned().unwrap_or_else(|| nothing(*account))
    };
    Ok(accounts.iter().map(of).collect())
}

/// The same, and nobody changes them before the transaction has ended: so a match that begins now either has the new calendar, or is there to be planned anew.
pub async fn for_a_beginning(tx: &mut Tx, accounts: &[AccountId], at: Time) -> Result<Vec<Known>> {
    store::hold(tx, accounts).await?;
    for_plans(tx, accounts, at).await
}

/// Replaces what the account says of its time.
pub async fn change(ctx: &Context, account: AccountId, calendar: &Calendar) -> Result<Known> {
    let mut tx = ctx.db.begin().await?;
    begin_change(&mut tx, ctx, account).await?;
    let before = find(&mut tx, account).await?;
    let counts_from = before.counts_from_with(calendar, ctx.clock.now());
    store::set(&mut tx, account, calendar, counts_from).await?;
    let known = find(&mut tx, account).await?;
    tx.commit().await?;
    Ok(known)
}

/// Locks the account's calendar for a change, and notes that its matches have to be planned anew.
pub(crate) async fn begin_change(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<()> {
    if !accounts::store::accounts::lock_shared(tx, account).await? {
        return Err(Error::plain(&problem::TOKEN_REFUSED));
    }
    store::lock(tx, account).await?;
    store::queue(tx, account, ctx.clock.now()).await
}

/// The vacations of these accounts that were not over at `at`, those to come included.
pub async fn vacations_of(conn: &mut Conn, accounts: &[AccountId], at: Time) -> Result<Vec<(AccountId, Vacation)>> {
    store::vacations(conn, accounts, Some(at)).await
}

/// Until when the account is on vacation, if it is: the end of the last of those that follow one another.
pub async fn on_vacation_until(conn: &mut Conn, account: AccountId, now: Time) -> Result<Option<Time>> {
    let mut coming = store::vacations(conn, &[account], Some(now)).await?;
    coming.sort_unstable_by_key(|(_, vacation)| vacation.from);
    let (mut until, mut found) = (now, false);
    for (_, vacation) in coming.iter().filter(|(_, vacation)| vacation.until > now) {
        if vacation.from > until {
            break;
        }
        (until, found) = (until.max(vacation.until), true);
    }
    Ok(found.then_some(until))
}

/// Who of these accounts is on vacation.
pub async fn who_is_away(conn: &mut Conn, accounts: &[AccountId], now: Time) -> Result<BTreeSet<AccountId>> {
    let vacations = store::vacations(conn, accounts, Some(now)).await?;
    Ok(vacations.into_iter().filter(|(_, vacation)| vacation.is_on(now)).map(|(account, _)| account).collect())
}

/// Forgets all of it, since the account is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::forget(tx, account).await
}
