//! The time at which a mail is due: a minute, an hour or a day after its event, and never in quiet hours. Pure: the
//! time is an argument.
//!
//! Times of day are local times in the account's time zone. A time in a skipped hour falls after the gap; in a repeated
//! hour the second one counts (RFC 5545 and others leave that open).

use broadside_rules::Time;
use jiff::civil::{self, DateTime};
use jiff::tz::{Disambiguation, TimeZone};
use jiff::{Timestamp, ToSpan, Zoned};

use super::settings::{Digest, MailTopic, Preferences, Quiet};

/// Time that a mail waits for further events, in seconds.
pub const GATHER_S: u32 = 60;
/// Time that an hourly mail waits, in seconds.
const HOUR_S: u32 = 3600;

/// The due time of a mail about an event at time `at`. A warning never waits for a digest, because it would come too
/// late.
pub fn due(preferences: &Preferences, topic: MailTopic, at: Time) -> Time {
    let digest = if topic.is_warning() { Digest::Immediate } else { preferences.digest };
    let due = match digest {
        Digest::Immediate => at.plus_s(GATHER_S),
        Digest::Hourly => at.plus_s(HOUR_S),
        Digest::Daily => next(
            preferences.zone.rules(),
            civil::Time::midnight().saturating_add(i64::from(preferences.daily_hour).hours()),
            at,
        ),
    };
    after_quiet(preferences, due)
}

/// `time`, or the end of the quiet hours if it is in them.
pub fn after_quiet(preferences: &Preferences, time: Time) -> Time {
    let Some(quiet) = preferences.quiet else { return time };
    let zone = preferences.zone.rules();
    let is_quiet = |time: Time| local(zone, time).is_some_and(|now| contains(quiet, &now));
    let mut time = time;
    // More than once only if the few minutes outside quiet hours are in a skipped hour.
    for _ in 0..3 {
        if !is_quiet(time) {
            break;
        }
        time = next(zone, quiet.until.civil(), time);
    }
    time
}

fn contains(quiet: Quiet, now: &Zoned) -> bool {
    let minute = u16::from(now.hour().unsigned_abs()) * 60 + u16::from(now.minute().unsigned_abs());
    let (from, until) = (quiet.from.minutes(), quiet.until.minutes());
    if from < until { (from..until).contains(&minute) } else { minute >= from || minute < until }
}

/// The first moment after `time` with this time of day.
fn next(zone: &TimeZone, of_day: civil::Time, time: Time) -> Time {
    let reached = |date: DateTime| {
        let moment = zone.to_ambiguous_zoned(date).disambiguate(Disambiguation::Later).ok()?;
        Some(Time(moment.timestamp().as_millisecond())).filter(|moment| *moment > time)
    };
    let today = local(zone, time).and_then(|now| now.date().to_datetime(of_day).checked_sub(1.day()).ok());
    // From yesterday on: if an hour is repeated around midnight, yesterday's time may be still to come.
    let days = (0..4).filter_map(|days| today?.checked_add(days.days()).ok());
    days.filter_map(reached).next().unwrap_or(time)
}

pub fn local(zone: &TimeZone, time: Time) -> Option<Zoned> {
    Timestamp::from_millisecond(time.0).ok().map(|moment| moment.to_zoned(zone.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::TimeOfDay;
    use proptest::prelude::*;

    fn at(text: &str) -> Time {
        Time(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    fn in_zone(name: &str, digest: Digest, quiet: Option<(&str, &str)>) -> Preferences {
        let quiet = quiet.map(|(from, until)| Quiet { from: from.parse().unwrap(), until: until.parse().unwrap() });
        Preferences { digest, quiet, zone: name.parse().unwrap(), ..Preferences::default() }
    }

    #[track_caller]
    fn is_due(preferences: &Preferences, happened: &str, due_at: &str) {
        assert_eq!(due(preferences, MailTopic::YourTurn, at(happened)), at(due_at));
    }

    #[test]
    fn digests() {
        is_due(&in_zone("UTC", Digest::Immediate, None), "2026-11-21T07:30:00Z", "2026-11-21T07:31:00Z");
        is_due(&in_zone("UTC", Digest::Hourly, None), "2026-11-21T07:30:00Z", "2026-11-21T08:30:00Z");
        let daily = in_zone("Europe/Paris", Digest::Daily, None);
        is_due(&daily, "2026-11-21T06:59:59Z", "2026-11-21T07:00:00Z");
        is_due(&daily, "2026-11-21T07:00:00Z", "2026-11-22T07:00:00Z");
        // A warning doesn't wait for the morning.
        let warned = due(&daily, MailTopic::DeadlineNear, at("2026-11-21T12:00:00Z"));
        assert_eq!(warned, at("2026-11-21T12:01:00Z"));
    }

    #[test]
    fn quiet_hours_put_it_off_to_their_end() {
        let night = in_zone("America/New_York", Digest::Immediate, Some(("22:00", "07:30")));
        is_due(&night, "2026-11-22T02:58:59Z", "2026-11-22T02:59:59Z");
        is_due(&night, "2026-11-22T02:59:00Z", "2026-11-22T12:30:00Z");
        is_due(&night, "2026-11-22T09:00:00Z", "2026-11-22T12:30:00Z");
        is_due(&night, "2026-11-22T12:29:00Z", "2026-11-22T12:30:00Z");
        let noon = in_zone("UTC", Digest::Immediate, Some(("12:00", "14:00")));
        is_due(&noon, "2026-11-22T12:30:00Z", "2026-11-22T14:00:00Z");
        is_due(&noon, "2026-11-22T11:58:00Z", "2026-11-22T11:59:00Z");
        // A digest due in quiet hours comes after them.
        let mut early = in_zone("UTC", Digest::Daily, Some(("22:00", "09:15")));
        early.daily_hour = 6;
        is_due(&early, "2026-11-22T12:00:00Z", "2026-11-23T09:15:00Z");
    }

    #[test]
    fn daylight_saving_moves_with_the_clock_on_the_wall() {
        // In Paris the clocks go from 2 to 3 on 29 March 2026, and from 3 to 2 on 25 October.
        let night = in_zone("Europe/Paris", Digest::Immediate, Some(("22:00", "07:00")));
        is_due(&night, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z");
        is_due(&night, "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z");
        // A skipped end comes after the gap; a repeated one, the second time.
        let to_half_past_two = in_zone("Europe/Paris", Digest::Immediate, Some(("22:00", "02:30")));
        is_due(&to_half_past_two, "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z");
        is_due(&to_half_past_two, "2026-10-25T00:10:00Z", "2026-10-25T01:30:00Z");
        is_due(&to_half_past_two, "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z");
        let daily = in_zone("Europe/Paris", Digest::Daily, None);
        is_due(&daily, "2026-03-28T12:00:00Z", "2026-03-29T06:00:00Z");
        is_due(&daily, "2026-10-24T12:00:00Z", "2026-10-25T07:00:00Z");
    }

    proptest! {
        #[test]
        fn it_is_never_earlier_never_quiet_and_never_later_than_three_days(
            time in 1_600_000_000_000_i64..2_000_000_000_000, from in 0_u16..1440, until in 0_u16..1440,
            digest in 0_usize..3, hour in 0_u8..24, zone in 0_usize..6,
        ) {
            prop_assume!(from != until);
            let zones = ["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"];
            let preferences = Preferences {
                digest: [Digest::Immediate, Digest::Hourly, Digest::Daily][digest],
                daily_hour: hour,
                quiet: Some(Quiet { from: TimeOfDay::after_midnight(from).unwrap(), until: TimeOfDay::after_midnight(until).unwrap() }),
                zone: zones[zone].parse().unwrap(),
                ..Preferences::default()
            };
            let due = due(&preferences, MailTopic::YourTurn, Time(time));
            prop_assert!(due > Time(time));
            prop_assert!(due.0 - time <= 75 * 3_600_000);
            prop_assert_eq!(after_quiet(&preferences, due), due);
        }
    }
}
