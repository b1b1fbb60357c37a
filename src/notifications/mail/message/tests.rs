//! Tests of mail texts.

mod rounds;

mod contests;

use strum::VariantNames;
use uuid::Uuid;

use super::*;
use crate::ids::{ChallengeId, MatchId};
use crate::notifications::mail::facts::{ChallengeFacts, ContestFacts, LadderChallengeFacts, MatchFacts};

fn log(events: &[(&str, u128, &str)]) -> MailLog {
    let mut log = MailLog::default();
    for (kind, about, more) in events {
        let key = match *kind {
            "challenge-received" | "ladder-challenge-received" => "challenge_id",
            kind if kind.starts_with("ladder-") || kind.starts_with("season-") => "ladder_id",
            kind if ["tournament-", "round-", "contest-"].iter().any(|of| kind.starts_with(of)) => "tournament_id",
            _ => "match_id",
        };
        let json = format!(
            r#"{{"number":1,"type":"{kind}","at":"2026-11-21T07:30:00.000Z","{key}":"{}","text":"say hello\r\nBcc: x",{more}"y":1}}"#,
            Uuid::from_u128(*about)
        );
        log.take(kind, &json).unwrap();
    }
    log
}

fn a_match(id: u128, others: &[&str], must_act: bool) -> MatchFacts {
    let names = ["anna"].iter().chain(others).map(|name| (*name).to_owned()).collect();
    let variant = broadside_rules::variants()[0].id.to_owned();
    MatchFacts { id: MatchId(Uuid::from_u128(id)), variant, has_own_rules: false, seat: Some(0), names, must_act }
}

fn all(language: Language) -> Preferences {
    let on = MailTopic::VARIANTS.iter().map(|word| word.parse().unwrap()).collect();
    Preferences { on, language, zone: "Europe/Paris".parse().unwrap(), ..Preferences::default() }
}

/// The test scene: an open challenge by Carl and a closed one by Dora, a ladder (71) with a challenge (75) by Ben, a
/// closed ladder (72), a tournament (81), and a finished one (82).
fn facts(matches: Vec<MatchFacts>) -> Facts {
    let variant = broadside_rules::variants()[0].id.to_owned();
    let challenge = |id, from: &str, is_open| ChallengeFacts {
        id: ChallengeId(Uuid::from_u128(id)),
        variant: variant.clone(),
        has_own_rules: id == 91,
        from: from.to_owned(),
        is_open,
        clock: serde_json::from_value(serde_json::json!({ "kind": "per-move", "move_s": 259_200 })).unwrap(),
        rated: id == 91,
        expires_at: broadside_rules::Time(1_795_930_200_000),
    };
    let contest =
        |id, is_on| ContestFacts { id: Uuid::from_u128(id), variant: variant.clone(), has_own_rules: false, is_on };
    Facts {
        matches,
        challenges: vec![challenge(91, "carl", true), challenge(92, "dora", false)],
        ladders: vec![contest(71, true), contest(72, false)],
        ladder_challenges: vec![LadderChallengeFacts {
            id: Uuid::from_u128(75),
            from: "ben".to_owned(),
            is_open: true,
            answer_by: broadside_rules::Time(1_795_505_400_000),
        }],
        tournaments: vec![contest(81, true), contest(82, false)],
        names: [(Uuid::from_u128(7), "emil".to_owned())].into(),
    }
}

fn mail(preferences: &Preferences, log: &MailLog, matches: Vec<MatchFacts>) -> Option<(String, String)> {
    let facts = facts(matches);
    let content = MailContent { reader: "anna", preferences, log, facts: &facts };
    compose(&content, |event| format!("https://x/{}/{}", event.topic.into_str(), event.about.as_u128()))
}

fn title(language: Language) -> &'static str {
    broadside_rules::variants()[0].title(language)
}

const UNTIL: &str = r#""deadline":"2026-11-22T07:30:00.000Z","#;
const ENGLISH: Language = Language::English;

#[test]
fn one_turn_is_the_subject() {
    let (subject, text) =
        mail(&all(ENGLISH), &log(&[("your-turn", 1, UNTIL)]), vec![a_match(1, &["ben"], true)]).unwrap();
    assert_eq!(subject, format!("Your turn: {} against ben", title(ENGLISH)));
    let line = format!(
        "- {} against ben, until Sunday 22 November 2026, 08:30 (Europe/Paris, UTC+1)\n  https://x/your-turn/1\n",
        title(ENGLISH)
    );
    assert!(text.starts_with("Hello anna,\n") && text.contains(&line), "{text}");
}

#[test]
fn what_is_no_longer_true_is_left_out() {
    let log = log(&[
        ("your-turn", 1, ""),
        ("deadline-near", 1, UNTIL),
        ("challenge-received", 92, ""),
        ("ladder-challenge-received", 76, &format!(r#""ladder_id":"{}","#, Uuid::from_u128(71))),
        ("ladder-pairing-missed", 72, ""),
        ("round-started", 82, r#""round":2,"#),
        ("tournament-board-missed", 82, r#""round":2,"#),
        ("round-deadline-near", 82, r#""round":2,"due_at":"2026-11-24T07:30:00.000Z","#),
        ("ladder-position-changed", 71, r#""from_position":3,"to_position":5,"#),
        ("ladder-position-changed", 71, r#""from_position":5,"to_position":3,"#),
    ]);
    let over = || vec![a_match(1, &["ben"], false)];
    assert_eq!(mail(&all(ENGLISH), &log, over()), None);
    // Unwanted events, and those of other players' matches, are left out, too.
    let preferences = Preferences { on: vec![MailTopic::Chat], ..all(ENGLISH) };
    assert_eq!(mail(&preferences, &log, vec![a_match(1, &["ben"], true)]), None);
    assert_eq!(mail(&all(ENGLISH), &log, Vec::new()), None);
}

#[test]
fn several_things_are_one_mail_and_each_is_said_once() {
    let log = log(&[
        ("chat", 2, ""),
        ("your-turn", 1, ""),
        ("your-turn", 1, UNTIL),
        ("your-turn", 2, ""),
        ("chat", 2, ""),
        ("challenge-received", 91, ""),
    ]);
    let matches = vec![a_match(1, &["ben"], true), a_match(2, &["carl", "dora"], true)];
    let (subject, text) = mail(&all(ENGLISH), &log, matches).unwrap();
    assert_eq!(subject, "Your turn in 2 matches, and more");
    let title = title(ENGLISH);
    for line in [
        format!("- {title} against ben, until Sunday 22 November 2026, 08:30 (Europe/Paris, UTC+1)\n"),
        format!("- {title} against carl, dora, no time limit\n"),
        format!("- rules of a player's own, after {title}, from carl: 3 days for each move; rated; open until "),
    ] {
        assert_eq!(text.matches(&line).count(), 1, "{line}\n{text}");
    }
    assert_eq!(text.matches("https://x/chat/2").count(), 1, "{text}");
    assert!(!text.contains("hello\r") && !text.contains("Bcc"), "nobody's words: {text}");
}

#[test]
fn a_challenge_says_on_what_terms_and_until_when() {
    let terms = |language| mail(&all(language), &log(&[("challenge-received", 91, "")]), Vec::new()).unwrap().1;
    let english =
        ", from carl: 3 days for each move; rated; open until Sunday 29 November 2026, 06:30 (Europe/Paris, UTC+1)\n";
    assert!(terms(ENGLISH).contains(english), "{}", terms(ENGLISH));
    let french = ", de carl : 3 jours par coup ; classée ; ouvert jusqu'au dimanche 29 novembre 2026 à 06:30 (Europe/Paris, UTC+1)\n";
    assert!(terms(Language::French).contains(french), "{}", terms(Language::French));
}

#[test]
fn clocks_are_told_in_words() {
    for (clock, english, french) in [
        (r#"{"kind":"none"}"#, "no clock", "sans pendule"),
        (r#"{"kind":"per-move","move_s":5400}"#, "1 hour 30 minutes for each move", "1 heure 30 minutes par coup"),
        (r#"{"kind":"bank","initial_s":3600,"increment_s":0,"cap_s":3600}"#, "1 hour in all", "1 heure en tout"),
        (
            r#"{"kind":"bank","initial_s":259200,"increment_s":3600,"cap_s":259200}"#,
            "3 days in all, and 1 hour more with each move",
            "3 jours en tout, et 1 heure de plus par coup",
        ),
    ] {
        let clock = serde_json::from_str(clock).unwrap();
        let said = |language| texts::challenge_terms(language, &clock, false, Some("X".to_owned()));
        assert_eq!(said(ENGLISH), format!(": {english}; unrated; open until X"));
        assert_eq!(said(Language::French), format!(" : {french} ; amicale ; ouvert jusqu'au X"));
    }
}

#[test]
fn a_match_that_began_and_ended_meanwhile_is_listed_once() {
    let result =
        r#""result":{"reason":"resignation","winner":0,"places":[{"seat":0,"place":1},{"seat":1,"place":2}]},"#;
    let log = log(&[("match-started", 1, ""), ("match-finished", 1, result), ("match-started", 2, "")]);
    let matches = || vec![a_match(1, &["ben"], false), a_match(2, &["carl"], false)];
    let (_, text) = mail(&all(ENGLISH), &log, matches()).unwrap();
    assert_eq!((text.matches("against ben").count(), text.matches("against carl").count()), (1, 1), "{text}");
    // A recipient without mail about ends is told of the beginning.
    let preferences = Preferences { on: vec![MailTopic::MatchStarted], ..all(ENGLISH) };
    let (subject, _) = mail(&preferences, &log, matches()).unwrap();
    assert_eq!(subject, "2 matches begin");
}

#[test]
fn a_result_is_the_readers_with_its_reason() {
    let over = |result: &str| log(&[("match-finished", 1, &format!(r#""result":{result},"#))]);
    let permits = |one: u8, two: u8| format!(r#""places":[{{"seat":0,"place":{one}}},{{"seat":1,"place":{two}}}]"#);
    for (result, said) in [
        (format!(r#"{{"reason":"time","winner":0,{}}}"#, permits(1, 2)), ": you have won (on time)\n"),
        (format!(r#"{{"reason":"fleet","winner":1,{}}}"#, permits(2, 1)), ": you have lost (a fleet was sunk)\n"),
        (format!(r#"{{"reason":"agreement","winner":null,{}}}"#, permits(1, 1)), ": a draw (by agreement)\n"),
        (r#"{"reason":"aborted","winner":null,"places":[]}"#.to_owned(), ": called off\n"),
        ("null".to_owned(), ": called off\n"),
    ] {
        let (subject, text) = mail(&all(ENGLISH), &over(&result), vec![a_match(1, &["ben"], false)]).unwrap();
        assert_eq!(subject, format!("A match is over: {} against ben", title(ENGLISH)));
        assert!(text.contains(said), "{result}: {text}");
    }
}

#[test]
fn a_result_says_what_it_did_to_the_rating() {
    let result =
        r#""result":{"reason":"resignation","winner":0,"places":[{"seat":0,"place":1},{"seat":1,"place":2}]},"#;
    let changed = |paired: &str, reason: &str| {
        let more = format!(r#""paired_match_id":{paired},"before":1500,"after":1662,"reason":"{reason}","#);
        let log = log(&[("match-finished", 1, result), ("rating-changed", 1, &more)]);
        mail(&all(ENGLISH), &log, vec![a_match(1, &["ben"], false)]).unwrap().1
    };
    let alone = changed("null", "match");
    assert!(alone.contains(": you have won (by resignation), rating 1662 (+162)\n"), "{alone}");
    let paired = changed(&format!("\"{}\"", Uuid::from_u128(2)), "match");
    assert!(paired.contains(", rating 1662 (+162 by both games)\n"), "{paired}");
    let annulled = changed("null", "annulment");
    assert!(annulled.contains(": you have won (by resignation)\n"), "no result of the match: {annulled}");
}

/// An event with its text in a mail, in English and in French.
type Case<'a> = (&'a str, u128, &'a str, &'a str, &'a str);

#[track_caller]
fn is_told(cases: &[Case<'_>]) {
    for (kind, about, more, english, french) in cases {
        let log = log(&[(kind, *about, more)]);
        for (language, said) in [(ENGLISH, english), (Language::French, french)] {
            let (_, text) = mail(&all(language), &log, Vec::new()).unwrap_or_else(|| panic!("{kind} says nothing"));
            assert!(text.contains(&format!("- {}, {said}", title(language))), "{kind}: {text}");
            assert!(text.contains(&format!("https://x/{kind}/{about}")), "{kind}: {text}");
        }
    }
}

#[test]
fn rounds_at_once_are_told_each() {
    let log = log(&[("round-started", 81, r#""round":1,"#), ("round-started", 81, r#""round":2,"#)]);
    assert_eq!(mail(&all(ENGLISH), &log, Vec::new()).unwrap().0, "2 rounds begin");
}

#[test]
fn every_kind_of_the_games_and_of_the_account_has_words_in_both_languages() {
    for language in [ENGLISH, Language::French] {
        let mut subjects = std::collections::BTreeSet::new();
        // Account events have no match to name.
        let failures = log(&[("sign-in-failures", 1, r#""failures":50,"#)]);
        let (subject, text) = mail(&all(language), &failures, Vec::new()).unwrap();
        assert!(subject.contains("50 ") && text.contains("https://x/sign-in-failures/0"), "{text}");
        subjects.insert(subject);
        let (subject, text) = mail(&all(language), &log(&[("session-revoked", 1, "")]), Vec::new()).unwrap();
        assert!(text.contains("https://x/session-revoked/0"), "{text}");
        subjects.insert(subject);
        let of_seats = ["substitution-requested", "substitution-proposed", "seat-handed-over"];
        let of_games = ["your-turn", "deadline-near", "match-started", "match-finished", "challenge-received", "chat"];
        let of_games: Vec<&str> = of_games.into_iter().chain(of_seats).collect();
        for kind in of_games.iter().copied() {
            let about = if kind == "challenge-received" { 91 } else { 1 };
            let log = log(&[(kind, about, UNTIL)]);
            let (subject, text) = mail(&all(language), &log, vec![a_match(1, &["ben"], true)]).unwrap();
            assert!(subject.contains(title(language)) && text.contains(&format!("https://x/{kind}/{about}")), "{text}");
            subjects.insert(subject);
        }
        assert_eq!(subjects.len(), of_games.len() + 2);
    }
}

#[test]
fn a_long_list_is_cut_and_says_so() {
    let events: Vec<(&str, u128, &str)> = (1..=60).map(|id| ("your-turn", id, "")).collect();
    let matches: Vec<MatchFacts> = (1..=60).map(|id| a_match(id, &["ben"], true)).collect();
    let (subject, text) = mail(&all(ENGLISH), &log(&events), matches).unwrap();
    assert_eq!(subject, "Your turn in 60 matches");
    assert_eq!(text.matches("https://x/").count(), 50);
    assert!(text.contains("- and 10 more\n"), "{text}");
}
