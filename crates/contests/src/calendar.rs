//! A player's calendar, as types that parse themselves: time zone, night, days off, and the time of warnings.

use core::fmt;
use core::str::FromStr;

use broadside_rules::Time;
use jiff::civil;
use jiff::tz::TimeZone;

/// The shortest night, in minutes: an hour.
const MIN_NIGHT_MIN: u16 = 60;
/// The longest night, in minutes: ten hours.
const MAX_NIGHT_MIN: u16 = 600;
const DAY_MIN: u16 = 24 * 60;
/// The most days off in a week.
pub const MAX_DAYS_OFF: usize = 2;

/// A span of time from `from` until before `until`, for example a vacation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The start.
    pub from: Time,
    /// The end.
    pub until: Time,
}

impl Span {
    /// Is this time in the span?
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at < self.until
    }
}

/// A player's calendar. The default is that of a player without settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Calendar {
    /// The time zone of nights and days off.
    pub time_zone: Zone,
    /// The player's night.
    pub night: Option<Night>,
    /// The weekdays on which the player doesn't play.
    pub days_off: DaysOff,
    /// The share of the clock's time left at which the player is warned. `None`: never.
    pub warn_at: Option<Share>,
    /// Does a vacation begin automatically before the player loses on time?
    pub automatic_vacation: bool,
}

impl Calendar {
    /// Does it have the same nights and days off as another calendar?
    pub fn rests_as(&self, other: &Self) -> bool {
        (&self.time_zone, self.night, self.days_off) == (&other.time_zone, other.night, other.days_off)
    }
}

impl Default for Calendar {
    fn default() -> Self {
        Self {
            time_zone: Zone::utc(),
            night: None,
            days_off: DaysOff::default(),
            warn_at: Some(Share::STANDARD),
            automatic_vacation: false,
        }
    }
}

/// A time zone of the compiled-in IANA database, or the system's with jiff's `tzdb-zoneinfo`.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Self {
        Self { name: "UTC".to_owned(), rules: TimeZone::UTC }
    }

    /// A zone with this name and the rules of UTC: for a stored name that is no longer in the time zone database.
    pub fn unknown(name: String) -> Self {
        Self { name, rules: TimeZone::UTC }
    }

    /// The IANA name, such as `Europe/Paris`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The offsets from UTC.
    pub fn rules(&self) -> &TimeZone {
        &self.rules
    }
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || "must be a name of the IANA time zone database, such as Europe/Paris or UTC".to_owned();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+');
        if text.is_empty() || text.len() > 64 || !text.bytes().all(allowed) {
            return Err(unknown());
        }
        if text.eq_ignore_ascii_case("utc") {
            return Ok(Self::utc());
        }
        let rules = TimeZone::get(text).map_err(|_| unknown())?;
        // jiff lists `Etc/Unknown` as a zone. The others are files beside the zones: a machine's setting, and an empty
        // one.
        let is_place = |name: &&str| !rules.is_unknown() && !matches!(*name, "Factory" | "localtime" | "posixrules");
        let name = rules.iana_name().filter(is_place).ok_or_else(unknown)?.to_owned();
        Ok(Self { name, rules })
    }
}

/// A time of the day, to the minute: `22:30`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOfDay {
    minutes: u16,
}

impl TimeOfDay {
    /// The time this many minutes after midnight; `None` from 1440 on.
    pub fn after_midnight(minutes: u16) -> Option<Self> {
        (minutes < DAY_MIN).then_some(Self { minutes })
    }

    /// Minutes after midnight.
    pub fn minutes(self) -> u16 {
        self.minutes
    }

    /// The same as jiff's type.
    pub fn civil(self) -> civil::Time {
        let part = |value: u16| i8::try_from(value).unwrap_or_default();
        civil::Time::new(part(self.minutes / 60), part(self.minutes % 60), 0, 0).unwrap_or_default()
    }
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str, below: u16| -> Option<u16> {
            let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|value| digits && *value < below)
        };
        let read = text.split_once(':').and_then(|(hours, minutes)| Some((number(hours, 24)?, number(minutes, 60)?)));
        let (hours, minutes) = read.ok_or_else(|| "must be a time of the day, 00:00 to 23:59".to_owned())?;
        Ok(Self { minutes: hours * 60 + minutes })
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.minutes / 60, self.minutes % 60)
    }
}

/// A night: from one time of the day until another, in local time; one to ten hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Night {
    from: TimeOfDay,
    until: TimeOfDay,
}

impl Night {
    /// The night between these times.
    pub fn new(from: TimeOfDay, until: TimeOfDay) -> Result<Self, String> {
        let length = (until.minutes + DAY_MIN - from.minutes) % DAY_MIN;
        if (MIN_NIGHT_MIN..=MAX_NIGHT_MIN).contains(&length) {
            Ok(Self { from, until })
        } else {
            Err("must be one to ten hours long".to_owned())
        }
    }

    /// The start.
    pub fn from(self) -> TimeOfDay {
        self.from
    }

    /// The end: on the next day, if that is not later than `from`.
    pub fn until(self) -> TimeOfDay {
        self.until
    }
}

/// The days of the week, Monday first.
const WEEK: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Days of the week: bit n is Monday + n.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DaysOff(u8);

impl DaysOff {
    /// Saturday and Sunday.
    pub const WEEKEND: Self = Self(0b110_0000);

    /// The days with these names, each once, at most [`MAX_DAYS_OFF`].
    pub fn named(names: &[String]) -> Result<Self, String> {
        let mut days = Self::default();
        for name in names {
            let day = WEEK.iter().position(|known| known == name);
            let bit = 1 << day.ok_or_else(|| format!("must be days of the week: {}", WEEK.join(", ")))?;
            if days.0 & bit != 0 {
                return Err("must name no day twice".to_owned());
            }
            days.0 |= bit;
        }
        if names.len() > MAX_DAYS_OFF { Err(format!("must be {MAX_DAYS_OFF} at most")) } else { Ok(days) }
    }

    /// As bits: bit n is Monday + n.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The days with these bits; bit 7 is ignored.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0b111_1111)
    }

    /// Are there no days off?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Is this day off?
    pub fn contains(self, day: civil::Weekday) -> bool {
        self.0 >> day.to_monday_zero_offset() & 1 == 1
    }

    /// The names, Monday first.
    pub fn names(self) -> Vec<&'static str> {
        (0..).zip(WEEK).filter(|(day, _)| self.0 >> day & 1 == 1).map(|(_, name)| name).collect()
    }
}

/// A share of a clock's time, in whole percent: 5 to 50.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    percent: u8,
}

impl Share {
    /// The default: 25 percent.
    pub const STANDARD: Self = Self { percent: 25 };

    /// This many percent; `None` if that is not 5 to 50.
    pub fn of_percent(percent: u8) -> Option<Self> {
        (5..=50).contains(&percent).then_some(Self { percent })
    }

    /// In percent.
    pub fn percent(self) -> u8 {
        self.percent
    }

    /// The share of `ms`.
    pub fn of(self, ms: i64) -> i64 {
        ms / 100 * i64::from(self.percent) + ms % 100 * i64::from(self.percent) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_those_of_the_database() {
        assert_eq!("Europe/Paris".parse::<Zone>().unwrap().name(), "Europe/Paris");
        assert_eq!("Asia/Kolkata".parse::<Zone>().unwrap().name(), "Asia/Kolkata");
        assert_eq!("utc".parse::<Zone>().unwrap(), Zone::utc());
        for wrong in [
            "",
            "Mars/Olympus",
            "../../etc/passwd",
            "Etc/Unknown",
            "Europe/Paris ",
            &"A".repeat(65),
            "+01:00",
            "Factory",
            "factory",
            "localtime",
            "posixrules",
            "posix/Europe/Paris",
            "right/Europe/Paris",
        ] {
            assert!(wrong.parse::<Zone>().is_err(), "{wrong:?}");
        }
        let unknown = Zone::unknown("Mars/Olympus".to_owned());
        assert_eq!((unknown.name(), unknown.rules()), ("Mars/Olympus", &TimeZone::UTC));
    }

    #[test]
    fn a_night_has_one_to_ten_hours() {
        let night = |from: &str, until: &str| Night::new(from.parse().unwrap(), until.parse().unwrap());
        for (from, until) in [("22:30", "07:00"), ("00:00", "01:00"), ("23:00", "09:00"), ("12:00", "13:00")] {
            assert!(night(from, until).is_ok(), "{from} {until}");
        }
        for (from, until) in [("22:30", "22:30"), ("00:00", "00:59"), ("23:00", "09:01"), ("07:00", "06:59")] {
            assert!(night(from, until).is_err(), "{from} {until}");
        }
        for wrong in ["24:00", "7:00", "07:60", "0700", "07:00:00", "+7:00", "ab:cd", ""] {
            assert!(wrong.parse::<TimeOfDay>().is_err(), "{wrong:?}");
        }
        assert_eq!("07:05".parse::<TimeOfDay>().unwrap().to_string(), "07:05");
    }

    #[test]
    fn two_days_may_be_off() {
        let days = |names: &[&str]| DaysOff::named(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(days(&["sunday", "saturday"]).unwrap(), DaysOff::WEEKEND);
        assert_eq!(DaysOff::WEEKEND.names(), ["saturday", "sunday"]);
        assert!(days(&[]).unwrap().is_empty());
        for wrong in [&["monday", "monday"][..], &["monday", "tuesday", "sunday"], &["Sunday"], &["everyday"]] {
            assert!(days(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_share_is_reckoned_without_overflow() {
        assert_eq!(Share::STANDARD.of(86_400_000), 21_600_000);
        assert_eq!(Share::of_percent(33).unwrap().of(101), 33);
        assert!(Share::of_percent(4).is_none() && Share::of_percent(51).is_none());
    }
}
