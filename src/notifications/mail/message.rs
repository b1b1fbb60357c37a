//! Composes a mail from events: those that are still true, grouped by kind.
//!
//! Turns that were played meanwhile and challenges that are closed are left out; what happened several times in one
//! match is said once. Of a match the mail contains its variant, the players' names, the deadline and the result, and
//! nothing else.

use std::collections::BTreeMap;

use broadside_rules::{Outcome, Time, Variant};
use serde::Deserialize;
use uuid::Uuid;

use super::settings::{MailTopic, Preferences};
use super::texts::{self, MatchResult};
use super::when::local;
use crate::error::{Error, Result};
use crate::ids::{ChallengeId, MatchId};

/// The most lines for each kind of events.
const MAX_LINES: usize = 50;

/// The facts about a match that a mail may contain.
pub struct MatchFacts {
    /// The match.
    pub id: MatchId,
    /// Its variant's id.
    pub variant: String,
    /// Whether it is played by a named rule set that started from the variant.
    pub has_own_rules: bool,
    /// The recipient's seat, from 0.
    pub seat: usize,
    /// The players' names, by seat.
    pub names: Vec<String>,
    /// Whether the recipient must act now.
    pub must_act: bool,
}

/// The facts about a challenge that a mail may contain.
pub struct ChallengeFacts {
    /// The challenge.
    pub id: ChallengeId,
    /// Its variant's id.
    pub variant: String,
    /// Whether it is played by a named rule set that started from the variant.
    pub has_own_rules: bool,
    /// The name of its creator.
    pub from: String,
    /// Whether it is still open.
    pub is_open: bool,
}

/// The fields of an event that a mail uses. Its other fields are not read.
pub struct MailEvent {
    /// Its kind.
    pub topic: MailTopic,
    /// When it happened.
    pub at: Time,
    /// The id of the match or the challenge; nil for an event about the account.
    pub about: Uuid,
    /// The deadline of a turn.
    deadline: Option<Time>,
    /// The result of the match.
    result: Option<Outcome>,
    /// How many wrong passwords were given.
    failures: u32,
}

#[derive(Deserialize)]
struct EventFields {
    at: Time,
    match_id: Option<Uuid>,
    challenge_id: Option<Uuid>,
    deadline: Option<Time>,
    result: Option<Outcome>,
    failures: Option<u32>,
}

impl MailEvent {
    /// The event of this type and JSON; `None` when mail is never about such events.
    pub fn read(kind: &str, json: &str) -> Result<Option<Self>> {
        let Ok(topic) = kind.parse::<MailTopic>() else { return Ok(None) };
        let EventFields { at, match_id, challenge_id, deadline, result, failures } =
            serde_json::from_str(json).map_err(Error::internal)?;
        let about = match topic {
            MailTopic::ChallengeReceived => challenge_id,
            MailTopic::SignInFailures | MailTopic::SessionRevoked => Some(Uuid::nil()),
            _ => match_id,
        };
        let failures = failures.unwrap_or_default();
        Ok(about.map(|about| Self { topic, at, about, deadline, result, failures }))
    }

    /// The deadline of a turn.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }
}

/// The input of a mail.
pub struct MailContent<'a> {
    /// The recipient's name.
    pub reader: &'a str,
    /// The recipient's preferences.
    pub preferences: &'a Preferences,
    /// The events, in order.
    pub events: &'a [MailEvent],
    /// The facts about the matches in the events.
    pub matches: &'a [MatchFacts],
    /// The facts about the challenges in the events.
    pub challenges: &'a [ChallengeFacts],
}

/// An entry of a mail: its title, which may be in the subject, more text, and a link.
struct Line {
    about: String,
    more: String,
    link: String,
}

/// The subject and the text of a mail; `None` when nothing is left to say. `link` gives the URL of a match or a
/// challenge.
pub fn compose(content: &MailContent<'_>, link: impl Fn(MailTopic, Uuid) -> String) -> Option<(String, String)> {
    let language = content.preferences.language;
    let mut latest: BTreeMap<MailTopic, BTreeMap<Uuid, &MailEvent>> = BTreeMap::new();
    for event in content.events.iter().filter(|event| content.preferences.on.contains(&event.topic)) {
        // Later events replace earlier ones: of several turns in a match the last one has the current deadline.
        latest.entry(event.topic).or_default().insert(event.about, event);
    }
    let sections: Vec<(MailTopic, Vec<Line>)> = latest
        .into_iter()
        .map(|(topic, events)| {
            let lines = events.into_values().filter_map(|event| line(content, event, &link)).collect::<Vec<_>>();
            (topic, lines)
        })
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let (first, lines) = sections.first()?;
    let titles: Vec<&str> = lines.iter().map(|line| line.about.as_str()).collect();
    let mut subject = texts::subject(language, *first, &titles);
    if sections.len() > 1 {
        subject.push_str(texts::and_more(language));
    }
    let mut text = texts::greeting(language, content.reader);
    for (topic, lines) in &sections {
        text += &format!("\n{}\n", texts::heading(language, *topic));
        for Line { about, more, link } in lines.iter().take(MAX_LINES) {
            text += &format!("- {about}{more}\n  {link}\n");
        }
        if let Some(rest) = lines.len().checked_sub(MAX_LINES).filter(|rest| *rest > 0) {
            text += &texts::more_lines(language, rest);
        }
    }
    Some((subject, text))
}

/// What a short notification says of an event: a headline, and what it is about; `None` when it is no longer true.
pub fn headline(content: &MailContent<'_>, event: &MailEvent) -> Option<(&'static str, String)> {
    let Line { about, more, .. } = line(content, event, &|_, _| String::new())?;
    // A deadline is shown in the reader's own time zone, where the notification is.
    let more = if event.topic == MailTopic::MatchFinished { more } else { String::new() };
    Some((texts::headline(content.preferences.language, event.topic), about + &more))
}

fn line(content: &MailContent<'_>, event: &MailEvent, link: &impl Fn(MailTopic, Uuid) -> String) -> Option<Line> {
    let (preferences, language) = (content.preferences, content.preferences.language);
    let title = |id: &str, has_own_rules| {
        let title = Variant::find(id).map_or_else(|| id.to_owned(), |v| v.title(language).to_owned());
        if has_own_rules { texts::own_rules(language, &title) } else { title }
    };
    let link = link(event.topic, event.about);
    if event.topic == MailTopic::ChallengeReceived {
        let facts = content.challenges.iter().find(|facts| facts.id.0 == event.about && facts.is_open)?;
        let about = texts::challenge_title(language, &title(&facts.variant, facts.has_own_rules), &facts.from);
        return Some(Line { about, more: String::new(), link });
    }
    if event.topic == MailTopic::SignInFailures {
        let about = texts::sign_in_failures(language, event.failures);
        return Some(Line { about, more: String::new(), link });
    }
    if event.topic == MailTopic::SessionRevoked {
        return Some(Line { about: texts::session_revoked(language).to_owned(), more: String::new(), link });
    }
    let facts = content.matches.iter().find(|facts| facts.id.0 == event.about)?;
    let others = facts.names.iter().enumerate().filter(|(seat, _)| *seat != facts.seat);
    let others: Vec<&str> = others.map(|(_, name)| name.as_str()).collect();
    let about = texts::match_title(language, &title(&facts.variant, facts.has_own_rules), &others);
    let more = match event.topic {
        MailTopic::YourTurn | MailTopic::DeadlineNear if !facts.must_act => return None,
        MailTopic::YourTurn | MailTopic::DeadlineNear => {
            texts::until(language, event.deadline.and_then(|at| local_time(preferences, at)))
        }
        MailTopic::MatchFinished => texts::result(language, match_result(event.result.as_ref(), facts.seat)),
        MailTopic::MatchStarted
        | MailTopic::Chat
        | MailTopic::ChallengeReceived
        | MailTopic::SignInFailures
        | MailTopic::SessionRevoked => String::new(),
    };
    Some(Line { about, more, link })
}

/// A time in the recipient's time zone, with the zone's name.
fn local_time(preferences: &Preferences, at: Time) -> Option<String> {
    let there = local(preferences.zone.rules(), at)?;
    Some(format!("{} ({})", there.strftime("%Y-%m-%d %H:%M"), preferences.zone.name()))
}

fn match_result(result: Option<&Outcome>, seat: usize) -> MatchResult {
    let Some(result) = result.filter(|result| !result.places.is_empty()) else { return MatchResult::CalledOff };
    let place = result.places.iter().find(|place| place.seat.index() == seat).map(|place| place.place);
    match (result.winner, result.places.len(), place) {
        (Some(winner), _, _) if winner.index() == seat => MatchResult::Won,
        (Some(_), 2, _) => MatchResult::Lost,
        (None, 2, _) => MatchResult::Drawn,
        (_, _, Some(place)) => MatchResult::Place(u32::from(place)),
        (_, _, None) => MatchResult::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadside_rules::card::Language;
    use strum::VariantNames;

    fn event(kind: &str, about: u128, more: &str) -> MailEvent {
        let key = if kind == "challenge-received" { "challenge_id" } else { "match_id" };
        let json = format!(
            r#"{{"number":1,"type":"{kind}","at":"2026-11-21T07:30:00.000Z","{key}":"{}","text":"say hello\r\nBcc: x",{more}"y":1}}"#,
            Uuid::from_u128(about)
        );
        MailEvent::read(kind, &json).unwrap().unwrap()
    }

    fn facts(id: u128, others: &[&str], must_act: bool) -> MatchFacts {
        let names = ["anna"].iter().chain(others).map(|name| (*name).to_owned()).collect();
        let variant = broadside_rules::variants()[0].id.to_owned();
        MatchFacts { id: MatchId(Uuid::from_u128(id)), variant, has_own_rules: false, seat: 0, names, must_act }
    }

    fn all(language: Language) -> Preferences {
        let on = MailTopic::VARIANTS.iter().map(|word| word.parse().unwrap()).collect();
        Preferences { on, language, zone: "Europe/Paris".parse().unwrap(), ..Preferences::default() }
    }

    fn mail(preferences: &Preferences, events: &[MailEvent], matches: &[MatchFacts]) -> Option<(String, String)> {
        let from = |id, from: &str, is_open| ChallengeFacts {
            id: ChallengeId(Uuid::from_u128(id)),
            variant: broadside_rules::variants()[0].id.to_owned(),
            has_own_rules: id == 91,
            from: from.to_owned(),
            is_open,
        };
        let challenges = [from(91, "carl", true), from(92, "dora", false)];
        let content = MailContent { reader: "anna", preferences, events, matches, challenges: &challenges };
        compose(&content, |topic, id| format!("https://x/{}/{}", topic.into_str(), id.as_u128()))
    }

    fn title(language: Language) -> &'static str {
        broadside_rules::variants()[0].title(language)
    }

    const UNTIL: &str = r#""deadline":"2026-11-22T07:30:00.000Z","#;

    #[test]
    fn one_turn_is_the_subject() {
        let (subject, text) =
            mail(&all(Language::English), &[event("your-turn", 1, UNTIL)], &[facts(1, &["ben"], true)]).unwrap();
        assert_eq!(subject, format!("Your turn: {} against ben", title(Language::English)));
        let line = format!(
            "- {} against ben, until 2026-11-22 08:30 (Europe/Paris)\n  https://x/your-turn/1\n",
            title(Language::English)
        );
        assert!(text.starts_with("Hello anna,\n") && text.contains(&line), "{text}");
    }

    #[test]
    fn what_is_no_longer_true_is_left_out() {
        let events = [event("your-turn", 1, ""), event("deadline-near", 1, UNTIL), event("challenge-received", 92, "")];
        assert_eq!(mail(&all(Language::English), &events, &[facts(1, &["ben"], false)]), None);
        // Events that the recipient does not want, or of matches of others, are left out, too.
        let preferences = Preferences { on: vec![MailTopic::Chat], ..all(Language::English) };
        assert_eq!(mail(&preferences, &events, &[facts(1, &["ben"], true)]), None);
        assert_eq!(mail(&all(Language::English), &events, &[]), None);
    }

    #[test]
    fn several_things_are_one_mail_and_each_is_said_once() {
        let events = [
            event("chat", 2, ""),
            event("your-turn", 1, ""),
            event("your-turn", 1, UNTIL),
            event("your-turn", 2, ""),
            event("chat", 2, ""),
            event("challenge-received", 91, ""),
        ];
        let matches = [facts(1, &["ben"], true), facts(2, &["carl", "dora"], true)];
        let (subject, text) = mail(&all(Language::English), &events, &matches).unwrap();
        assert_eq!(subject, "Your turn in 2 matches, and more");
        let title = title(Language::English);
        for line in [
            format!("- {title} against ben, until 2026-11-22 08:30 (Europe/Paris)\n"),
            format!("- {title} against carl, dora, no time limit\n"),
            format!("- rules of a player's own, after {title}, from carl\n"),
        ] {
            assert_eq!(text.matches(&line).count(), 1, "{line}\n{text}");
        }
        assert_eq!(text.matches("https://x/chat/2").count(), 1, "{text}");
        assert!(!text.contains("hello\r") && !text.contains("Bcc"), "nobody's words: {text}");
    }

    #[test]
    fn a_result_is_the_readers() {
        let over = |result: &str| event("match-finished", 1, &format!(r#""result":{result},"#));
        let permits = |one: u8, two: u8| format!(r#""places":[{{"seat":0,"place":{one}}},{{"seat":1,"place":{two}}}]"#);
        for (result, said) in [
            (format!(r#"{{"reason":"time","winner":0,{}}}"#, permits(1, 2)), ": you have won"),
            (format!(r#"{{"reason":"time","winner":1,{}}}"#, permits(2, 1)), ": you have lost"),
            (format!(r#"{{"reason":"agreement","winner":null,{}}}"#, permits(1, 1)), ": a draw"),
            (r#"{"reason":"aborted","winner":null,"places":[]}"#.to_owned(), ": called off"),
            ("null".to_owned(), ": called off"),
        ] {
            let (subject, text) =
                mail(&all(Language::English), &[over(&result)], &[facts(1, &["ben"], false)]).unwrap();
            assert_eq!(subject, format!("A match is over: {} against ben", title(Language::English)));
            assert!(text.contains(said), "{result}: {text}");
        }
    }

    #[test]
    fn every_kind_has_words_in_both_languages() {
        for language in [Language::English, Language::French] {
            let mut subjects = std::collections::BTreeSet::new();
            // Of the account there is no match to name.
            let failures = [event("sign-in-failures", 1, r#""failures":50,"#)];
            let (subject, text) = mail(&all(language), &failures, &[]).unwrap();
            assert!(subject.contains("50 ") && text.contains("https://x/sign-in-failures/0"), "{text}");
            subjects.insert(subject);
            let (subject, text) = mail(&all(language), &[event("session-revoked", 1, "")], &[]).unwrap();
            assert!(text.contains("https://x/session-revoked/0"), "{text}");
            subjects.insert(subject);
            let of_matches = |kind: &&&str| !["sign-in-failures", "session-revoked"].contains(*kind);
            for kind in MailTopic::VARIANTS.iter().filter(of_matches) {
                let about = if *kind == "challenge-received" { 91 } else { 1 };
                let (subject, text) =
                    mail(&all(language), &[event(kind, about, UNTIL)], &[facts(1, &["ben"], true)]).unwrap();
                assert!(
                    subject.contains(title(language)) && text.contains(&format!("https://x/{kind}/{about}")),
                    "{text}"
                );
                subjects.insert(subject);
            }
            assert_eq!(subjects.len(), MailTopic::VARIANTS.len());
        }
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let events: Vec<MailEvent> = (1..=60).map(|id| event("your-turn", id, "")).collect();
        let matches: Vec<MatchFacts> = (1..=60).map(|id| facts(id, &["ben"], true)).collect();
        let (subject, text) = mail(&all(Language::English), &events, &matches).unwrap();
        assert_eq!(subject, "Your turn in 60 matches");
        assert_eq!(text.matches("https://x/").count(), 50);
        assert!(text.contains("- and 10 more\n"), "{text}");
    }
}
