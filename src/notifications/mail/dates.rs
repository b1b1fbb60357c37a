//! Moments and spans of time in words, in English and in French.

use broadside_rules::Time;
use broadside_rules::card::Language;

use super::when::local;
use crate::calendar::Zone;

/// The days of the week from Monday, by language.
const WEEKDAYS: [[&str; 7]; 2] = [
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
];

const MONTHS: [[&str; 12]; 2] = [
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
];

/// The units of a span, largest first: lengths in seconds, and words by language.
const UNITS: [(u32, [[&str; 2]; 2]); 4] = [
    (86_400, [["day", "days"], ["jour", "jours"]]),
    (3600, [["hour", "hours"], ["heure", "heures"]]),
    (60, [["minute", "minutes"], ["minute", "minutes"]]),
    (1, [["second", "seconds"], ["seconde", "secondes"]]),
];

/// A moment in a time zone, with the day of the week, the zone's name and its offset: `Sunday 22 November 2026, 08:30
/// (Europe/Paris, UTC+1)`.
pub fn moment(language: Language, zone: &Zone, at: Time) -> Option<String> {
    let there = local(zone.rules(), at)?;
    let weekday = usize::try_from(there.weekday().to_monday_zero_offset()).ok()?;
    let month = usize::try_from(there.month() - 1).ok()?;
    let weekday = WEEKDAYS[language as usize].get(weekday)?;
    let month = MONTHS[language as usize].get(month)?;
    let (day, year, time) = (there.day(), there.year(), there.strftime("%H:%M"));
    // The offset distinguishes the two equal hours at the end of summer time.
    let zone = match zone.name() {
        "UTC" => "UTC".to_owned(),
        name => format!("{name}, UTC{}", offset(there.offset().seconds() / 60)),
    };
    Some(match (language, day) {
        (Language::English, _) => format!("{weekday} {day} {month} {year}, {time} ({zone})"),
        (Language::French, 1) => format!("{weekday} 1er {month} {year} à {time} ({zone})"),
        (Language::French, _) => format!("{weekday} {day} {month} {year} à {time} ({zone})"),
    })
}

/// An offset from UTC in minutes: `+1`, `-3:30`.
fn offset(minutes: i32) -> String {
    let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
    let (hours, rest) = (minutes / 60, minutes % 60);
    if rest == 0 { format!("{sign}{hours}") } else { format!("{sign}{hours}:{rest:02}") }
}

/// A span in its two largest units: `1 day 12 hours`.
pub fn span(language: Language, seconds: u32) -> String {
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (length, words) in UNITS {
        let count = rest / length;
        rest %= length;
        if count > 0 {
            // Zero and one are singular in French as well; zero is left out.
            let word = words[language as usize][usize::from(count > 1)];
            parts.push(format!("{count} {word}"));
        }
    }
    parts.truncate(2);
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(language: Language, zone: &str, text: &str) -> String {
        let at = Time(text.parse::<jiff::Timestamp>().unwrap().as_millisecond());
        moment(language, &zone.parse().unwrap(), at).unwrap()
    }

    #[test]
    fn a_moment_has_its_day_of_the_week() {
        let (english, french) = (Language::English, Language::French);
        assert_eq!(
            at(english, "Europe/Paris", "2026-11-22T07:30:00Z"),
            "Sunday 22 November 2026, 08:30 (Europe/Paris, UTC+1)"
        );
        assert_eq!(
            at(french, "Europe/Paris", "2026-11-22T07:30:00Z"),
            "dimanche 22 novembre 2026 à 08:30 (Europe/Paris, UTC+1)"
        );
        // The weekday is the local one, not that of UTC.
        assert_eq!(
            at(english, "Pacific/Apia", "2026-11-22T23:05:00Z"),
            "Monday 23 November 2026, 12:05 (Pacific/Apia, UTC+13)"
        );
        for (zone, shown) in [
            ("America/St_Johns", "04:00 (America/St_Johns, UTC-3:30)"),
            ("Asia/Kathmandu", "13:15 (Asia/Kathmandu, UTC+5:45)"),
            ("Africa/Abidjan", "07:30 (Africa/Abidjan, UTC+0)"),
        ] {
            let said = at(english, zone, "2026-11-22T07:30:00Z");
            assert!(said.ends_with(shown), "{said}");
        }
        // The repeated hour is distinguished.
        let twice = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map(|text| at(english, "Europe/Paris", text));
        assert!(twice[0].ends_with("02:30 (Europe/Paris, UTC+2)") && twice[1].ends_with("02:30 (Europe/Paris, UTC+1)"));
        assert_eq!(at(french, "UTC", "2027-02-01T00:00:00Z"), "lundi 1er février 2027 à 00:00 (UTC)");
        for (month, name) in MONTHS[0].iter().enumerate() {
            let date = at(english, "UTC", &format!("2026-{:02}-15T12:00:00Z", month + 1));
            assert!(date.contains(name), "{date}");
        }
    }

    #[test]
    fn a_span_has_its_two_largest_units() {
        for (seconds, english, french) in [
            (3 * 86_400, "3 days", "3 jours"),
            (86_400 + 43_200, "1 day 12 hours", "1 jour 12 heures"),
            (90, "1 minute 30 seconds", "1 minute 30 secondes"),
            (86_400 + 61, "1 day 1 minute", "1 jour 1 minute"),
            (1, "1 second", "1 seconde"),
            (3600, "1 hour", "1 heure"),
        ] {
            assert_eq!(
                (span(Language::English, seconds), span(Language::French, seconds)),
                (english.into(), french.into())
            );
        }
    }
}
