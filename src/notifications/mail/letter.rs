//! From events to a mail: what is still true of them, in an order that a person would tell it in.
//!
//! A turn that has been played meanwhile is left out, and a challenge that no longer stands; what happened several times in one match is said once. Of a match the mail says its variant, the
//! names of those who play, the deadline and the result: nothing else comes in here.

use std::collections::BTreeMap;

use broadside_rules::{Outcome, Time, Variant};
use serde::Deserialize;
use uuid::Uuid;

use super::settings::{News, Preferences};
use super::when::local;
use super::words::{self, Ending};
use crate::error::{Error, Result};
use crate::ids::{ChallengeId, MatchId};

/// How many lines a kind of news gets at most.
const LINES: usize = 50;

/// What is known of a match, to be said in a mail.
pub struct MatchFacts {
    /// The match.
    pub id: MatchId,
    /// Its variant's id.
    pub variant: String,
    /// The account's seat, counted from 0.
    pub seat: usize,
    /// The players' names, by seat.
    pub names: Vec<String>,
    /// Whether the account must act now.
    pub must_act: bool,
}

/// What is known of a challenge, to be said in a mail.
pub struct ChallengeFacts {
    /// The challenge.
    pub id: ChallengeId,
    /// Its variant's id.
    pub variant: String,
    /// The name of whoever made it.
    pub from: String,
    /// Whether it still stands.
    pub stands: bool,
}

/// An event, as far as a mail takes it in. Whatever else it holds isn't read.
pub struct Item {
    /// What it is.
    pub news: News,
    /// When it happened.
    pub at: Time,
    /// The match or the challenge.
    pub about: Uuid,
    /// When time runs out.
    deadline: Option<Time>,
    /// How the match ended.
    result: Option<Outcome>,
}

#[derive(Deserialize)]
struct Fields {
    at: Time,
    match_id: Option<Uuid>,
    challenge_id: Option<Uuid>,
    deadline: Option<Time>,
    result: Option<Outcome>,
}

impl Item {
    /// The event of this kind and text, if it is one that a mail can be about.
    pub fn read(kind: &str, json: &str) -> Result<Option<Self>> {
        let Ok(news) = kind.parse::<News>() else { return Ok(None) };
        let Fields { at, match_id, challenge_id, deadline, result } =
            serde_json::from_str(json).map_err(Error::internal)?;
        let about = if news == News::ChallengeReceived { challenge_id } else { match_id };
        Ok(about.map(|about| Self { news, at, about, deadline, result }))
    }
}

/// What there is to say, and to whom.
pub struct Content<'a> {
    /// Who reads it, by name.
    pub reader: &'a str,
    /// What he wants.
    pub preferences: &'a Preferences,
    /// The events, in order.
    pub items: &'a [Item],
    /// What is known of the matches in them.
    pub matches: &'a [MatchFacts],
    /// What is known of the challenges in them.
    pub challenges: &'a [ChallengeFacts],
}

/// A line of a mail: what it is about, in a few words for the subject, and what more there is to say.
struct Line {
    about: String,
    more: String,
    link: String,
}

/// A mail's subject and text; `None` when nothing is left to say. `link` gives the address of a match or a challenge.
pub fn compose(content: &Content<'_>, link: impl Fn(News, Uuid) -> String) -> Option<(String, String)> {
    let tongue = content.preferences.tongue;
    let mut latest: BTreeMap<News, BTreeMap<Uuid, &Item>> = BTreeMap::new();
    for item in content.items.iter().filter(|item| content.preferences.on.contains(&item.news)) {
        // Later ones replace earlier ones: of several turns in a match the last has the deadline that counts.
        latest.entry(item.news).or_default().insert(item.about, item);
    }
    let sections: Vec<(News, Vec<Line>)> = latest
        .into_iter()
        .map(|(news, items)| {
            let lines = items.into_values().filter_map(|item| line(content, item, &link)).collect::<Vec<_>>();
            (news, lines)
        })
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let (first, lines) = sections.first()?;
    let abouts: Vec<&str> = lines.iter().map(|line| line.about.as_str()).collect();
    let mut subject = words::subject(tongue, *first, &abouts);
    if sections.len() > 1 {
        subject.push_str(words::and_more(tongue));
    }
    let mut text = words::greeting(tongue, content.reader);
    for (news, lines) in &sections {
        text += &format!("\n{}\n", words::heading(tongue, *news));
        for Line { about, more, link } in lines.iter().take(LINES) {
            text += &format!("- {about}{more}\n  {link}\n");
        }
        if let Some(rest) = lines.len().checked_sub(LINES).filter(|rest| *rest > 0) {
            text += &words::others(tongue, rest);
        }
    }
    Some((subject, text))
}

fn line(content: &Content<'_>, item: &Item, link: &impl Fn(News, Uuid) -> String) -> Option<Line> {
    let (preferences, tongue) = (content.preferences, content.preferences.tongue);
    let title = |id: &str| Variant::find(id).map_or_else(|| id.to_owned(), |v| v.title(tongue.language()).to_owned());
    let link = link(item.news, item.about);
    if item.news == News::ChallengeReceived {
        let facts = content.challenges.iter().find(|facts| facts.id.0 == item.about && facts.stands)?;
        let about = words::offered(tongue, &title(&facts.variant), &facts.from);
        return Some(Line { about, more: String::new(), link });
    }
    let facts = content.matches.iter().find(|facts| facts.id.0 == item.about)?;
    let others = facts.names.iter().enumerate().filter(|(seat, _)| *seat != facts.seat);
    let others: Vec<&str> = others.map(|(_, name)| name.as_str()).collect();
    let about = words::game(tongue, &title(&facts.variant), &others);
    let more = match item.news {
        News::YourTurn | News::DeadlineNear if !facts.must_act => return None,
        News::YourTurn | News::DeadlineNear => {
            words::until(tongue, item.deadline.and_then(|at| clock(preferences, at)))
        }
        News::MatchFinished => words::ending(tongue, ending(item.result.as_ref(), facts.seat)),
        News::MatchStarted | News::Chat | News::ChallengeReceived => String::new(),
    };
    Some(Line { about, more, link })
}

/// A time as the clock on the reader's wall shows it, with the zone.
fn clock(preferences: &Preferences, at: Time) -> Option<String> {
    let there = local(&preferences.zone.zone(), at)?;
    Some(format!("{} ({})", there.strftime("%Y-%m-%d %H:%M"), preferences.zone.name()))
}

fn ending(result: Option<&Outcome>, seat: usize) -> Ending {
    let Some(result) = result.filter(|result| !result.places.is_empty()) else { return Ending::CalledOff };
    let place = result.places.iter().find(|place| place.seat.index() == seat).map(|place| place.place);
    match (result.winner, result.places.len(), place) {
        (Some(winner), _, _) if winner.index() == seat => Ending::Won,
        (Some(_), 2, _) => Ending::Lost,
        (None, 2, _) => Ending::Drawn,
        (_, _, Some(place)) => Ending::Place(u32::from(place)),
        (_, _, None) => Ending::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::mail::settings::Tongue;

    fn item(kind: &str, about: u128, more: &str) -> Item {
        let key = if kind == "challenge-received" { "challenge_id" } else { "match_id" };
        let json = format!(
            r#"{{"number":1,"type":"{kind}","at":"2026-11-21T07:30:00.000Z","{key}":"{}","text":"say hello\r\nBcc: x",{more}"y":1}}"#,
            Uuid::from_u128(about)
        );
        Item::read(kind, &json).unwrap().unwrap()
    }

    fn facts(id: u128, others: &[&str], must_act: bool) -> MatchFacts {
        let names = ["anna"].iter().chain(others).map(|name| (*name).to_owned()).collect();
        let variant = broadside_rules::variants()[0].id.to_owned();
        MatchFacts { id: MatchId(Uuid::from_u128(id)), variant, seat: 0, names, must_act }
    }

    fn all(tongue: Tongue) -> Preferences {
        let on = News::WORDS.iter().map(|word| word.parse().unwrap()).collect();
        Preferences { on, tongue, zone: "Europe/Paris".parse().unwrap(), ..Preferences::default() }
    }

    fn mail(preferences: &Preferences, items: &[Item], matches: &[MatchFacts]) -> Option<(String, String)> {
        let from = |id, from: &str, stands| ChallengeFacts {
            id: ChallengeId(Uuid::from_u128(id)),
            variant: broadside_rules::variants()[0].id.to_owned(),
            from: from.to_owned(),
            stands,
        };
        let challenges = [from(91, "carl", true), from(92, "dora", false)];
        let content = Content { reader: "anna", preferences, items, matches, challenges: &challenges };
        compose(&content, |news, id| format!("https://x/{}/{}", news.word(), id.as_u128()))
    }

    fn title(tongue: Tongue) -> &'static str {
        broadside_rules::variants()[0].title(tongue.language())
    }

    const UNTIL: &str = r#""deadline":"2026-11-22T07:30:00.000Z","#;

    #[test]
    fn one_turn_is_the_subject() {
        let (subject, text) =
            mail(&all(Tongue::En), &[item("your-turn", 1, UNTIL)], &[facts(1, &["ben"], true)]).unwrap();
        assert_eq!(subject, format!("Your turn: {} against ben", title(Tongue::En)));
        let line = format!(
            "- {} against ben, until 2026-11-22 08:30 (Europe/Paris)\n  https://x/your-turn/1\n",
            title(Tongue::En)
        );
        assert!(text.starts_with("Hello anna,\n") && text.contains(&line), "{text}");
    }

    #[test]
    fn what_is_no_longer_true_is_left_out() {
        let items = [item("your-turn", 1, ""), item("deadline-near", 1, UNTIL), item("challenge-received", 92, "")];
        assert_eq!(mail(&all(Tongue::En), &items, &[facts(1, &["ben"], false)]), None);
        // Nor is anything said of what isn't wanted, or of a match that isn't his.
        let preferences = Preferences { on: vec![News::Chat], ..all(Tongue::En) };
        assert_eq!(mail(&preferences, &items, &[facts(1, &["ben"], true)]), None);
        assert_eq!(mail(&all(Tongue::En), &items, &[]), None);
    }

    #[test]
    fn several_things_are_one_mail_and_each_is_said_once() {
        let items = [
            item("chat", 2, ""),
            item("your-turn", 1, ""),
            item("your-turn", 1, UNTIL),
            item("your-turn", 2, ""),
            item("chat", 2, ""),
            item("challenge-received", 91, ""),
        ];
        let matches = [facts(1, &["ben"], true), facts(2, &["carl", "dora"], true)];
        let (subject, text) = mail(&all(Tongue::En), &items, &matches).unwrap();
        assert_eq!(subject, "Your turn in 2 matches, and more");
        let title = title(Tongue::En);
        for line in [
            format!("- {title} against ben, until 2026-11-22 08:30 (Europe/Paris)\n"),
            format!("- {title} against carl, dora, no time limit\n"),
            format!("- {title}, from carl\n"),
        ] {
            assert_eq!(text.matches(&line).count(), 1, "{line}\n{text}");
        }
        assert_eq!(text.matches("https://x/chat/2").count(), 1, "{text}");
        assert!(!text.contains("hello\r") && !text.contains("Bcc"), "nobody's words: {text}");
    }

    #[test]
    fn a_result_is_the_readers() {
        let over = |result: &str| item("match-finished", 1, &format!(r#""result":{result},"#));
        let places = |one: u8, two: u8| format!(r#""places":[{{"seat":0,"place":{one}}},{{"seat":1,"place":{two}}}]"#);
        for (result, said) in [
            (format!(r#"{{"reason":"time","winner":0,{}}}"#, places(1, 2)), ": you have won"),
            (format!(r#"{{"reason":"time","winner":1,{}}}"#, places(2, 1)), ": you have lost"),
            (format!(r#"{{"reason":"agreement","winner":null,{}}}"#, places(1, 1)), ": a draw"),
            (r#"{"reason":"aborted","winner":null,"places":[]}"#.to_owned(), ": called off"),
            ("null".to_owned(), ": called off"),
        ] {
            let (subject, text) = mail(&all(Tongue::En), &[over(&result)], &[facts(1, &["ben"], false)]).unwrap();
            assert_eq!(subject, format!("A match is over: {} against ben", title(Tongue::En)));
            assert!(text.contains(said), "{result}: {text}");
        }
    }

    #[test]
    fn every_kind_has_words_in_both_languages() {
        for tongue in [Tongue::En, Tongue::Fr] {
            let mut subjects = std::collections::BTreeSet::new();
            for kind in News::WORDS {
                let about = if *kind == "challenge-received" { 91 } else { 1 };
                let (subject, text) =
                    mail(&all(tongue), &[item(kind, about, UNTIL)], &[facts(1, &["ben"], true)]).unwrap();
                assert!(
                    subject.contains(title(tongue)) && text.contains(&format!("https://x/{kind}/{about}")),
                    "{text}"
                );
                subjects.insert(subject);
            }
            assert_eq!(subjects.len(), News::WORDS.len());
        }
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let items: Vec<Item> = (1..=60).map(|id| item("your-turn", id, "")).collect();
        let matches: Vec<MatchFacts> = (1..=60).map(|id| facts(id, &["ben"], true)).collect();
        let (subject, text) = mail(&all(Tongue::En), &items, &matches).unwrap();
        assert_eq!(subject, "Your turn in 60 matches");
        assert_eq!(text.matches("https://x/").count(), 50);
        assert!(text.contains("- and 10 more\n"), "{text}");
    }
}
