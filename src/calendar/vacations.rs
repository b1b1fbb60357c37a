//! Vacations: booked, canceled, and begun automatically, always under the lock of the account's calendar.

use broadside_rules::{Fault, Time};

use super::bank::{self, DAY_MS, MIN_VACATION_MS};
use super::{Span, Vacation, find, lock, lock_for_change};
use crate::accounts;
use crate::calendar::store;
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events::kinds::VacationStartedEvent;
use crate::events::{self};
use crate::ids::{AccountId, VacationId};

/// Longest time before the start of a vacation booked ahead, in days.
const AHEAD_DAYS: i64 = 366;

/// Books a vacation, by default from this second on. Fails with all its faults: in the past, too short, overlapping
/// another one, or not earned.
pub async fn book(tx: &mut Tx, ctx: &Context, account: AccountId, from: Option<Time>, until: Time) -> Result<Vacation> {
    lock_for_change(tx, account, from.unwrap_or(Time(0)).max(ctx.clock.now())).await?;
    let known = find(tx, account).await?;
    let now = this_second(ctx.clock.now());
    let vacation = Vacation { id: ctx.new_id(), from: from.unwrap_or(now), until, automatic: false };
    let faults = faults(&vacation, known.since, &known.vacations, now);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    store::insert_vacation(tx, account, &vacation).await?;
    Ok(vacation)
}

fn faults(vacation: &Vacation, since: Time, others: &[Vacation], now: Time) -> Vec<Fault> {
    let fault = |pointer: &str, code, detail: String| Fault { pointer: pointer.to_owned(), code, detail };
    let mut faults = Vec::new();
    let Vacation { from, until, .. } = *vacation;
    if from < now {
        faults.push(fault("/starts_at", "in-the-past", format!("must not be in the past; it is {now}")));
    }
    if from > now.plus_ms(AHEAD_DAYS * DAY_MS) {
        faults.push(fault("/starts_at", "out-of-range", format!("must be within {AHEAD_DAYS} days")));
    }
    if until.millis_since(from) < MIN_VACATION_MS {
        faults.push(fault("/ends_at", "vacation-too-short", "must be at least an hour after it begins".to_owned()));
    }
    if let Some(other) = others.iter().find(|other| other.from < until && from < other.until) {
        let detail = format!("overlaps with the vacation from {} until {}", other.from, other.until);
        faults.push(fault("/starts_at", "vacation-overlaps", detail));
    }
    let booked: Vec<Span> = others.iter().map(Vacation::span).collect();
    if faults.is_empty() && !bank::pays(since, &[&booked[..], &[vacation.span()]].concat()) {
        let longest_s = bank::longest_s(since, &booked, from);
        let detail = format!("is not earned: beginning at {from}, there are {longest_s} seconds of vacation to take");
        faults.push(fault("/ends_at", "not-enough-vacation", detail));
    }
    faults
}

fn this_second(time: Time) -> Time {
    Time(time.0.div_euclid(1000) * 1000)
}

/// Cancels a vacation, or the rest of it once it has begun. Fails with `vacation-over` if it has ended.
pub async fn take_back(ctx: &Context, account: AccountId, id: VacationId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    match taken_back(&mut tx, ctx, account, id).await {
        Ok(()) => tx.commit().await,
        // Roll back now, to release the lock of the calendar.
        Err(error) => {
            tx.roll_back().await?;
            Err(error)
        }
    }
}

async fn taken_back(tx: &mut Tx, ctx: &Context, account: AccountId, id: VacationId) -> Result<()> {
    lock(tx, account).await?;
    let now = ctx.clock.now();
    let known = find(tx, account).await?;
    let vacation = known.vacations.iter().find(|vacation| vacation.id == id).ok_or_else(Error::not_found)?;
    if vacation.until <= now {
        return Err(Error::plain(&problem::VACATION_OVER));
    }
    if vacation.from > now {
        // No match knows of it.
        store::forget_change(tx, account, vacation.from).await?;
        store::delete_vacation(tx, account, id).await
    } else {
        store::note_change(tx, account, now).await?;
        store::end_vacation(tx, account, id, now).await
    }
}

/// Begins a one-day vacation for an account with automatic vacations whose time is running out; shorter if a booked one
/// begins earlier. Does nothing if the account no longer wants it, is on vacation, or hasn't earned a day. Returns true
/// if the account is on vacation now, so that its deadlines have moved or are about to.
pub async fn begin_by_itself(ctx: &Context, account: AccountId, now: Time) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    if !accounts::store::accounts::lock_shared(&mut tx, account).await? {
        tx.roll_back().await?;
        return Ok(false);
    }
    store::lock(&mut tx, account).await?;
    let known = find(&mut tx, account).await?;
    let busy = known.vacations.iter().any(|vacation| vacation.is_on(now));
    let earned = i64::from(known.vacation_left_s(now)) * 1000 >= DAY_MS;
    if !known.calendar.automatic_vacation || busy || !earned {
        tx.roll_back().await?;
        return Ok(busy);
    }
    let next = known.vacations.iter().map(|vacation| vacation.from).filter(|from| *from > now).min();
    let until = now.plus_ms(DAY_MS).min(next.unwrap_or(Time(i64::MAX)));
    let vacation = Vacation { id: ctx.new_id(), from: now, until, automatic: true };
    store::insert_vacation(&mut tx, account, &vacation).await?;
    store::note_change(&mut tx, account, now).await?;
    let event = VacationStartedEvent::at(now, vacation.from, vacation.until, vacation.automatic).into();
    events::notify(&mut tx, ctx, events::notification(account, &[event])?).await?;
    tx.commit().await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_a_booking_is_named() {
        let now = Time(1_700_000_000_000);
        let since = now.plus_ms(-365 * DAY_MS);
        let hours = |hours: i64| now.plus_ms(hours * 3_600_000);
        let vacation = |from, until| Vacation { from, until, ..Vacation::default() };
        let codes = |one: Vacation, others: &[Vacation]| -> Vec<&str> {
            faults(&one, since, others, now).iter().map(|fault| fault.code).collect()
        };
        assert!(codes(vacation(now, hours(1)), &[]).is_empty());
        assert!(codes(vacation(now, hours(30 * 24)), &[]).is_empty());
        assert_eq!(codes(vacation(now, hours(31 * 24)), &[]), ["not-enough-vacation"]);
        assert_eq!(codes(vacation(hours(-1), hours(-1)), &[]), ["in-the-past", "vacation-too-short"]);
        assert_eq!(codes(vacation(hours(367 * 24), hours(368 * 24)), &[]), ["out-of-range"]);
        let booked = [vacation(hours(10), hours(20))];
        assert_eq!(codes(vacation(hours(19), hours(21)), &booked), ["vacation-overlaps"]);
        assert!(codes(vacation(hours(20), hours(21)), &booked).is_empty(), "one after the other");
    }
}
