//! Lines of mails about ladders and tournaments: matters that cost something if missed, and ends.

use super::contest_texts as texts;
use super::dates;
use super::event::MailEvent;
use super::facts::ContestFacts;
use super::message::{Line, MailContent, Told, title};
use super::settings::MailTopic;

/// The line on a topic; `None` if it is outdated, or there is nothing to say.
pub(super) fn line(content: &MailContent<'_>, told: &Told<'_>, link: String) -> Option<Line> {
    let (language, event) = (content.preferences.language, told.last);
    let fields = &event.fields;
    match event.topic {
        MailTopic::LadderChallengeReceived
        | MailTopic::LadderPositionChanged
        | MailTopic::LadderPairingMissed
        | MailTopic::LadderMemberSetInactive
        | MailTopic::SeasonEndNear
        | MailTopic::SeasonEnded
        | MailTopic::LadderClosed => of_ladder(content, told, link),
        MailTopic::TournamentStarted => {
            tournament(content, event, link, texts::starting_number(language, fields.starting_number?))
        }
        MailTopic::RoundStarted => {
            is_on(&content.facts.tournaments, event)?;
            let opponent = fields.opponent_id.map(|id| content.facts.names.get(&id).map(String::as_str));
            // A deleted player is called by no name.
            let opponent = opponent.map(|name| name.unwrap_or("?"));
            let said = match fields.opponent_ids.len() {
                0 => texts::round(language, fields.round?, opponent),
                others => texts::round_at_table(language, fields.round?, others + 1),
            };
            tournament(content, event, link, said)
        }
        MailTopic::TournamentBoardMissed => {
            is_on(&content.facts.tournaments, event)?;
            tournament(content, event, link, texts::missed_in(language, fields.round?))
        }
        MailTopic::RoundDeadlineNear | MailTopic::RoundExtended => {
            is_on(&content.facts.tournaments, event)?;
            let until = dates::moment(language, &content.preferences.zone, fields.due_at?);
            tournament(content, event, link, texts::round_ends(language, fields.round?, until))
        }
        MailTopic::RoundDrafted => {
            is_on(&content.facts.tournaments, event)?;
            let until = dates::moment(language, &content.preferences.zone, fields.release_at?);
            tournament(content, event, link, texts::round_waits(language, fields.round?, until))
        }
        MailTopic::TournamentByeChanged => {
            let said = texts::bye(language, fields.round?, fields.change.as_deref()?);
            tournament(content, event, link, said)
        }
        MailTopic::TournamentEnteredLate => {
            is_on(&content.facts.tournaments, event)?;
            tournament(content, event, link, texts::entered_late(language, fields.first_round?))
        }
        MailTopic::TournamentWithdrawn => {
            let timed_out = fields.reason.as_deref() == Some("timed-out");
            tournament(content, event, link, texts::withdrawn(language, timed_out).to_owned())
        }
        MailTopic::TournamentFinished => tournament(content, event, link, texts::final_place(language, fields.rank)),
        MailTopic::TournamentCancelled => tournament(content, event, link, String::new()),
        MailTopic::ContestPaused => {
            let until = dates::moment(language, &content.preferences.zone, fields.until?);
            either(content, event, link, texts::paused(language, until))
        }
        topic if topic.is_of_contest() => either(content, event, link, String::new()),
        _ => None,
    }
}

/// The line on an event on a ladder.
fn of_ladder(content: &MailContent<'_>, told: &Told<'_>, link: String) -> Option<Line> {
    let (language, event) = (content.preferences.language, told.last);
    let fields = &event.fields;
    match event.topic {
        MailTopic::LadderChallengeReceived => challenged(content, event, link),
        MailTopic::LadderPositionChanged => {
            // Several steps are told as one: from the first place to the last.
            let (from, to) = (told.first.fields.from_position?, fields.to_position?);
            (from != to).then_some(())?;
            ladder(content, event, link, texts::position(language, from, to))
        }
        MailTopic::LadderPairingMissed | MailTopic::LadderMemberSetInactive => {
            is_on(&content.facts.ladders, event)?;
            ladder(content, event, link, String::new())
        }
        MailTopic::SeasonEndNear => {
            is_on(&content.facts.ladders, event)?;
            let until = dates::moment(language, &content.preferences.zone, fields.ends_at?);
            ladder(content, event, link, texts::season_ends(language, fields.season?, until))
        }
        MailTopic::SeasonEnded => {
            let more = texts::season(language, fields.season?, fields.rank, fields.next_division?);
            ladder(content, event, link, more)
        }
        MailTopic::LadderClosed => ladder(content, event, link, texts::final_place(language, fields.rank)),
        _ => None,
    }
}

/// The title of the ladder or the tournament.
fn either(content: &MailContent<'_>, event: &MailEvent, link: String, more: String) -> Option<Line> {
    match event.fields.ladder_id {
        Some(_) => ladder(content, event, link, more),
        None => tournament(content, event, link, more),
    }
}

fn challenged(content: &MailContent<'_>, event: &MailEvent, link: String) -> Option<Line> {
    let (preferences, language) = (content.preferences, content.preferences.language);
    let challenge = content.facts.ladder_challenges.iter().find(|facts| facts.id == event.about && facts.is_open)?;
    let ladder = content.facts.ladders.iter().find(|facts| Some(facts.id) == event.fields.ladder_id)?;
    let until = dates::moment(language, &preferences.zone, challenge.answer_by);
    Some(Line {
        about: texts::ladder(language, &title(language, &ladder.variant, ladder.has_own_rules)),
        more: texts::answer_until(language, &challenge.from, until),
        link,
    })
}

/// Discards the line if the event's contest is over.
fn is_on(all: &[ContestFacts], event: &MailEvent) -> Option<()> {
    all.iter().any(|facts| facts.id == event.about && facts.is_on).then_some(())
}

fn ladder(content: &MailContent<'_>, event: &MailEvent, link: String, more: String) -> Option<Line> {
    let language = content.preferences.language;
    let facts = content.facts.ladders.iter().find(|facts| facts.id == event.about)?;
    let about = texts::ladder(language, &title(language, &facts.variant, facts.has_own_rules));
    Some(Line { about, more, link })
}

fn tournament(content: &MailContent<'_>, event: &MailEvent, link: String, more: String) -> Option<Line> {
    let language = content.preferences.language;
    let facts = content.facts.tournaments.iter().find(|facts| facts.id == event.about)?;
    let about = texts::tournament(language, &title(language, &facts.variant, facts.has_own_rules));
    Some(Line { about, more, link })
}
