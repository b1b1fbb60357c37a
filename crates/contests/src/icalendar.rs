//! iCalendar (RFC 5545), limited to the needs of deadlines: a calendar of events with a time, a title and a URL.

use broadside_rules::Time;

/// The most bytes of a line without its line break (section 3.1).
const LINE: usize = 75;

/// The time zone of all moments. They don't name it, since they are written in UTC.
const UTC: [(&str, &str); 9] = [
    ("BEGIN", "VTIMEZONE"),
    ("TZID", "Etc/UTC"),
    ("BEGIN", "STANDARD"),
    ("DTSTART", "19700101T000000"),
    ("TZOFFSETFROM", "+0000"),
    ("TZOFFSETTO", "+0000"),
    ("TZNAME", "UTC"),
    ("END", "STANDARD"),
    ("END", "VTIMEZONE"),
];

/// An event without a duration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The event's globally unique id: a later feed with the same id replaces the event.
    pub uid: String,
    /// The time, written in whole seconds.
    pub at: Time,
    /// The title.
    pub summary: String,
    /// The description.
    pub description: String,
    /// The absolute URL of the details.
    pub url: String,
}

/// The text of a calendar with these events, made at `now`.
pub fn calendar(name: &str, moments: &[Moment], now: Time) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| folded(&mut text, &format!("{name}:{value}"));
    line("BEGIN", "VCALENDAR");
    line("VERSION", "2.0");
    line("PRODID", "-//Broadside//Deadlines 1//EN");
    line("CALSCALE", "GREGORIAN");
    line("NAME", &escaped(name));
    line("X-WR-CALNAME", &escaped(name));
    line("REFRESH-INTERVAL;VALUE=DURATION", "PT15M");
    line("X-PUBLISHED-TTL", "PT15M");
    // A calendar needs a component (section 3.6), even without moments.
    for (name, value) in UTC {
        line(name, value);
    }
    for moment in moments {
        line("BEGIN", "VEVENT");
        line("UID", &escaped(&moment.uid));
        line("DTSTAMP", &utc(now));
        line("DTSTART", &utc(moment.at));
        line("SUMMARY", &escaped(&moment.summary));
        line("DESCRIPTION", &escaped(&moment.description));
        line("URL", &moment.url);
        line("TRANSP", "TRANSPARENT");
        line("END", "VEVENT");
    }
    line("END", "VCALENDAR");
    text
}

/// A date-time of form 2 (section 3.3.5): UTC, in whole seconds.
fn utc(at: Time) -> String {
    let whole = Time(at.0.div_euclid(1000) * 1000).to_string();
    let digits: String = whole.chars().take_while(|c| *c != '.').filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{digits}Z")
}

/// A text as a value (section 3.3.11), without control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// Appends a content line, folded between characters (section 3.1).
fn folded(text: &mut String, line: &str) {
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > LINE {
            text.push_str("\r\n ");
            // The space at the start of the next line counts.
            length = 1;
        }
        text.push(c);
        length += c.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unfolded(text: &str) -> String {
        text.replace("\r\n ", "")
    }

    #[test]
    fn a_moment_is_an_event() {
        let moment = Moment {
            uid: "0199c2a8@broadside.test".to_owned(),
            at: Time(1_795_246_200_500),
            summary: "Paper, pens; and \\ships".to_owned(),
            description: "first\nsecond\r\u{7}".to_owned(),
            url: "https://broadside.test/v1/matches/7".to_owned(),
        };
        let text = unfolded(&calendar("Deadlines", &[moment], Time(1_795_246_200_999)));
        let lines: Vec<&str> = text.split("\r\n").collect();
        for wanted in [
            "UID:0199c2a8@broadside.test",
            "DTSTAMP:20261121T073000Z",
            "DTSTART:20261121T073000Z",
            "SUMMARY:Paper\\, pens\\; and \\\\ships",
            "DESCRIPTION:first\\nsecond",
            "URL:https://broadside.test/v1/matches/7",
        ] {
            assert!(lines.contains(&wanted), "{wanted} in {lines:#?}");
        }
        assert_eq!(
            (lines[0], lines[lines.len() - 2], lines[lines.len() - 1]),
            ("BEGIN:VCALENDAR", "END:VCALENDAR", "")
        );
    }

    /// RFC 5545, 3.6: "An iCalendar object MUST include […] at least one calendar component".
    #[test]
    fn a_calendar_without_moments_has_a_component() {
        let text = calendar("Deadlines", &[], Time(0));
        let parts: Vec<&str> = text.split("\r\n").filter_map(|line| line.strip_prefix("BEGIN:")).collect();
        assert!(parts.len() > 1 && parts[0] == "VCALENDAR" && !parts.contains(&"VEVENT"), "{parts:?}");
        for part in parts {
            assert_eq!(text.matches(&format!("END:{part}\r\n")).count(), 1, "{part} ends");
        }
    }

    proptest! {
        #[test]
        fn lines_are_short_and_say_the_same(line in "[\\PC]{0,300}") {
            let mut text = String::new();
            folded(&mut text, &line);
            prop_assert!(text.ends_with("\r\n"));
            prop_assert!(text.trim_end_matches("\r\n").split("\r\n").all(|line| line.len() <= LINE));
            let unfolded = unfolded(&text);
            prop_assert_eq!(unfolded.trim_end_matches("\r\n"), line);
        }
    }
}
