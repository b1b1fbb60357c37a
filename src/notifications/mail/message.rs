//! Composes a mail from events that are still current, grouped by kind.
//!
//! Turns already played and closed challenges are left out; repeated events of one match or contest appear once. About
//! a match the mail contains the variant, the players' names, the deadline, the result and the change of the
//! recipient's rating; about a challenge its terms. It never contains a user's text.

use std::collections::BTreeMap;

use broadside_rules::card::Language;
use broadside_rules::{Outcome, Variant};
use uuid::Uuid;

use super::event::{MailEvent, MailLog};
use super::facts::Facts;
use super::settings::{MailTopic, Preferences};
use super::texts::{self, MatchResult};
use super::{contest_lines, contest_texts, dates, topic_texts};

/// Most lines for each kind of event.
const MAX_LINES: usize = 50;

pub struct MailContent<'a> {
    pub reader: &'a str,
    pub preferences: &'a Preferences,
    /// The part of the recipient's log that the mail covers.
    pub log: &'a MailLog,
    /// Facts about the subjects of its events.
    pub facts: &'a Facts,
}

/// An entry of a mail: a title, which may be in the subject, more text, and a link.
pub(super) struct Line {
    pub about: String,
    pub more: String,
    pub link: String,
}

/// The first and the last event of one kind about one subject, told as one.
pub(super) struct Told<'a> {
    pub first: &'a MailEvent,
    pub last: &'a MailEvent,
}

/// Entries by kind, then by subject and tournament round.
type ByTopic<'a> = BTreeMap<MailTopic, BTreeMap<(Uuid, Option<u16>), Told<'a>>>;

/// The subject and the text of a mail; `None` if nothing is left to tell. `link` gives the URL for an event.
pub fn compose(content: &MailContent<'_>, link: impl Fn(&MailEvent) -> String) -> Option<(String, String)> {
    let language = content.preferences.language;
    let sections: Vec<(MailTopic, Vec<Line>)> = by_topic(content)
        .into_iter()
        .map(|(topic, told)| {
            let lines = told.into_values().filter_map(|told| line(content, &told, link(told.last))).collect::<Vec<_>>();
            (topic, lines)
        })
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let (first, lines) = sections.first()?;
    let titles: Vec<&str> = lines.iter().map(|line| line.about.as_str()).collect();
    let mut subject = topic_texts::subject(language, *first, &titles);
    if sections.len() > 1 {
        subject.push_str(texts::and_more(language));
    }
    let mut text = texts::greeting(language, content.reader);
    for (topic, lines) in &sections {
        text += &format!("\n{}\n", topic_texts::heading(language, *topic));
        for Line { about, more, link } in lines.iter().take(MAX_LINES) {
            text += &format!("- {about}{more}\n  {link}\n");
        }
        if let Some(rest) = lines.len().checked_sub(MAX_LINES).filter(|rest| *rest > 0) {
            text += &texts::more_lines(language, rest);
        }
    }
    Some((subject, text))
}

/// The events that the recipient wants, each subject once.
fn by_topic<'a>(content: &MailContent<'a>) -> ByTopic<'a> {
    let mut all: ByTopic<'a> = BTreeMap::new();
    for event in content.log.events.iter().filter(|event| content.preferences.on.contains(&event.topic)) {
        // Later events replace earlier ones: of several turns in a match the last one has the current deadline.
        let of_topic = all.entry(event.topic).or_default().entry((event.about, event.fields.round));
        of_topic.and_modify(|told| told.last = event).or_insert(Told { first: event, last: event });
    }
    // A match that has begun and ended since the last mail is told as over.
    let over: Vec<_> = all.get(&MailTopic::MatchFinished).into_iter().flat_map(BTreeMap::keys).copied().collect();
    if let Some(begun) = all.get_mut(&MailTopic::MatchStarted) {
        begun.retain(|about, _| !over.contains(about));
    }
    all
}

/// The headline and the subject of a short notification of an event; `None` if the event is outdated.
pub fn headline(content: &MailContent<'_>, event: &MailEvent) -> Option<(&'static str, String)> {
    let Line { about, more, .. } = line(content, &Told { first: event, last: event }, String::new())?;
    // Times are shown in the reader's time zone, by the receiving device.
    let more = if event.topic == MailTopic::MatchFinished { more } else { String::new() };
    Some((topic_texts::headline(content.preferences.language, event.topic), about + &more))
}

fn line(content: &MailContent<'_>, told: &Told<'_>, link: String) -> Option<Line> {
    let (language, event) = (content.preferences.language, told.last);
    let of_account = |about| Some(Line { about, more: String::new(), link: link.clone() });
    match event.topic {
        MailTopic::SignInFailures => {
            of_account(texts::sign_in_failures(language, event.fields.failures.unwrap_or_default()))
        }
        MailTopic::SessionRevoked => of_account(texts::session_revoked(language).to_owned()),
        MailTopic::CaseDecided | MailTopic::CaseAppealDecided | MailTopic::CaseAppealed => {
            of_account(contest_texts::case(language, event.fields.ladder_id.is_some(), event.fields.tournament_id))
        }
        MailTopic::ChallengeReceived => challenge_line(content, event, link),
        MailTopic::YourTurn
        | MailTopic::DeadlineNear
        | MailTopic::MatchStarted
        | MailTopic::MatchFinished
        | MailTopic::SubstitutionRequested
        | MailTopic::SubstitutionProposed
        | MailTopic::SeatHandedOver
        | MailTopic::Chat => match_line(content, event, link),
        _ => contest_lines::line(content, told, link),
    }
}

fn challenge_line(content: &MailContent<'_>, event: &MailEvent, link: String) -> Option<Line> {
    let (preferences, language) = (content.preferences, content.preferences.language);
    let facts = content.facts.challenges.iter().find(|facts| facts.id.0 == event.about && facts.is_open)?;
    let title = title(language, &facts.variant, facts.has_own_rules);
    let expires = dates::moment(language, &preferences.zone, facts.expires_at);
    Some(Line {
        about: texts::challenge_title(language, &title, &facts.from),
        more: texts::challenge_terms(language, &facts.clock, facts.rated, expires),
        link,
    })
}

fn match_line(content: &MailContent<'_>, event: &MailEvent, link: String) -> Option<Line> {
    let (preferences, language) = (content.preferences, content.preferences.language);
    let facts = content.facts.matches.iter().find(|facts| facts.id.0 == event.about)?;
    let others = facts.names.iter().enumerate().filter(|(seat, _)| Some(*seat) != facts.seat);
    let others: Vec<&str> = others.map(|(_, name)| name.as_str()).collect();
    let title = title(language, &facts.variant, facts.has_own_rules);
    let more = match event.topic {
        MailTopic::YourTurn | MailTopic::DeadlineNear if !facts.must_act => return None,
        MailTopic::YourTurn | MailTopic::DeadlineNear => {
            let deadline = event.fields.deadline.and_then(|at| dates::moment(language, &preferences.zone, at));
            texts::until(language, deadline)
        }
        MailTopic::MatchFinished => {
            let result = event.fields.result.as_ref();
            let said = texts::result(language, match_result(result, facts.seat?), result.map(|result| result.reason));
            said + &rating(content, event.about)
        }
        _ => String::new(),
    };
    Some(Line { about: texts::match_title(language, &title, &others), more, link })
}

/// The change of the recipient's rating by this match; empty if there is none, or not yet.
fn rating(content: &MailContent<'_>, match_id: Uuid) -> String {
    let change = content.log.ratings.iter().find(|change| change.is_of(match_id));
    let language = content.preferences.language;
    change.map(|change| texts::rating(language, change.before, change.after, change.is_of_two())).unwrap_or_default()
}

pub(super) fn title(language: Language, id: &str, has_own_rules: bool) -> String {
    let title = Variant::find(id).map_or_else(|| id.to_owned(), |variant| variant.title(language).to_owned());
    if has_own_rules { texts::own_rules(language, &title) } else { title }
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
mod tests;
