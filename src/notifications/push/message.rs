//! Composes the message about an event: a headline in the reader's language, and a link. Like a mail it contains
//! variant, names and result, but nothing from reports, and no player's text.
//!
//! The push service can't read it, but sees its length, its urgency, and which messages replace each other. So all
//! messages have the same few lengths, and the identifier of a match is specific to the browser.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use broadside_rules::Time;
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId, PushSubscriptionId};
use crate::notifications::mail::Preferences;
use crate::notifications::mail::event::{MailEvent, MailLog};
use crate::notifications::mail::message::{self, MailContent};
use crate::notifications::mail::settings::MailTopic;
use crate::notifications::mail::store::facts;

use super::Subscription;

/// Time that news wait, in seconds: players who continue immediately don't need them.
const WAIT_S: u32 = 15;
/// Age up to which news are told, in seconds: three days.
const FRESH_S: u32 = 3 * 24 * 60 * 60;
/// The least retention time requested of a push service, in seconds.
const MIN_TTL_S: i64 = 60;
/// Messages are padded to a multiple of this many bytes.
const BLOCK: usize = 512;

/// A message before encryption.
pub struct Composed {
    /// JSON, padded with blanks.
    pub plain: Vec<u8>,
    /// Messages with the same topic replace each other (RFC 8030, section 5.4): 32 characters of base64url.
    pub topic: String,
    /// Retention by the push service for an offline browser, in seconds.
    pub ttl_s: u32,
    /// RFC 8030, section 5.3.
    pub urgency: &'static str,
}

/// The content for the browser.
#[derive(Serialize)]
struct Payload<'a> {
    r#type: &'static str,
    title: &'a str,
    body: &'a str,
    /// The page of its link.
    path: String,
    tag: &'a str,
    language: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_id: Option<MatchId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_id: Option<ChallengeId>,
    /// The deadline of the reader's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Time>,
}

/// The place of an event: it replaces earlier events in the same place. News of a match share one place, and its chat
/// has another. Elsewhere an event replaces only events of its kind: a warning about a board doesn't replace news of
/// the next round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    about: Uuid,
    /// `None` for any news of a match.
    topic: Option<MailTopic>,
    round: Option<u16>,
}

/// The place whose earlier events this one replaces.
pub fn place(event: &MailEvent) -> Place {
    let topic = Some(event.topic).filter(|topic| *topic == MailTopic::Chat || !is_of_match(*topic));
    Place { about: event.about, topic, round: topic.and_then(|_| event.round()) }
}

/// The earliest time for telling it. Warnings don't wait.
pub fn due(event: &MailEvent) -> Time {
    if event.topic.is_warning() { event.at } else { event.at.plus_s(WAIT_S) }
}

/// True if it is too old to be news.
pub fn is_old(event: &MailEvent, now: Time) -> bool {
    now > event.at.plus_s(FRESH_S)
}

fn is_of_match(topic: MailTopic) -> bool {
    matches!(
        topic,
        MailTopic::YourTurn
            | MailTopic::DeadlineNear
            | MailTopic::MatchStarted
            | MailTopic::MatchFinished
            | MailTopic::SubstitutionRequested
            | MailTopic::SubstitutionProposed
            | MailTopic::SeatHandedOver
            | MailTopic::Chat
    )
}

/// The message about an event; `None` if the event is outdated.
pub async fn compose(
    conn: &mut Conn,
    account: AccountId,
    subscription: &Subscription,
    event: MailEvent,
    now: Time,
) -> Result<Option<Composed>> {
    let log = MailLog { events: vec![event], ratings: Vec::new() };
    let Some(event) = log.events.first() else { return Ok(None) };
    let facts = facts::of(conn, account, &log, now).await?;
    let preferences = Preferences { language: subscription.language, ..Preferences::default() };
    let content = MailContent { reader: "", preferences: &preferences, log: &log, facts: &facts };
    let Some((title, body)) = message::headline(&content, event) else { return Ok(None) };
    let topic = topic_of(subscription.id, event);
    let payload = Payload {
        r#type: event.topic.into_str(),
        title,
        body: &body,
        path: event.page(),
        tag: &topic,
        language: subscription.language.tag(),
        match_id: is_of_match(event.topic).then_some(MatchId(event.about)),
        challenge_id: (event.topic == MailTopic::ChallengeReceived).then_some(ChallengeId(event.about)),
        deadline: event.deadline(),
    };
    let plain = filled_up(serde_json::to_vec(&payload).map_err(Error::internal)?);
    Ok(Some(Composed { plain, ttl_s: ttl_s(event, now), urgency: urgency(event.topic), topic }))
}

/// Equal for all news of one place, and different for each browser.
fn topic_of(subscription: PushSubscriptionId, event: &MailEvent) -> String {
    let Place { about, topic, round } = place(event);
    let mut hash = Sha256::new_with_prefix(b"broadside: a topic");
    hash.update(subscription.0.as_bytes());
    hash.update(about.as_bytes());
    // Rounds count from 1.
    hash.update(round.unwrap_or_default().to_be_bytes());
    hash.update(topic.map_or("", MailTopic::into_str));
    let hash: [u8; 32] = hash.finalize().into();
    URL_SAFE_NO_PAD.encode(&hash[..24])
}

/// Blanks after a JSON text have no meaning.
fn filled_up(mut json: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(BLOCK), b' ');
    json
}

fn ttl_s(event: &MailEvent, now: Time) -> u32 {
    let end = event.at.plus_s(FRESH_S);
    let end = event.deadline().map_or(end, |deadline| deadline.min(end));
    u32::try_from((end.millis_since(now) / 1000).max(MIN_TTL_S)).unwrap_or(FRESH_S)
}

fn urgency(topic: MailTopic) -> &'static str {
    match topic {
        _ if topic.is_warning() => "high",
        MailTopic::YourTurn | MailTopic::ChallengeReceived | MailTopic::Chat => "normal",
        _ => "low",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, about: u128, more: &str) -> MailEvent {
        let id = Uuid::from_u128(about);
        let json = format!(r#"{{"number":1,"type":"{kind}","at":"2026-11-21T07:30:00.000Z","match_id":"{id}"{more}}}"#);
        let mut log = MailLog::default();
        log.take(kind, &json).unwrap();
        log.events.remove(0)
    }

    #[test]
    fn news_of_a_match_replace_each_other_and_talk_replaces_none() {
        let (one, two) = (PushSubscriptionId(Uuid::from_u128(1)), PushSubscriptionId(Uuid::from_u128(2)));
        let topic = topic_of(one, &event("your-turn", 7, ""));
        assert!(topic.len() == 32 && !topic.contains(['=', '+', '/']), "{topic}");
        assert_eq!(topic, topic_of(one, &event("match-finished", 7, r#","result":null"#)));
        assert_ne!(topic, topic_of(one, &event("chat", 7, "")));
        assert_ne!(topic, topic_of(one, &event("your-turn", 8, "")));
        assert_ne!(topic, topic_of(two, &event("your-turn", 7, "")), "two browsers of one match can't be told so");
    }

    #[test]
    fn news_of_contests_and_accounts_replace_only_their_like() {
        let one = PushSubscriptionId(Uuid::from_u128(1));
        let of = |kind: &str, about: &str, more: &str| {
            let at = "2026-11-21T07:30:00.000Z";
            let json =
                format!(r#"{{"number":1,"type":"{kind}","at":"{at}","{about}":"{}"{more}}}"#, Uuid::from_u128(7));
            let mut log = MailLog::default();
            log.take(kind, &json).unwrap();
            log.events.remove(0)
        };
        let missed = of("tournament-board-missed", "tournament_id", r#","round":1"#);
        let round = |number: u16| of("round-started", "tournament_id", &format!(r#","round":{number}"#));
        let revoked = of("session-revoked", "session_id", r#","revoked_tokens":0"#);
        let failures = of("sign-in-failures", "unused", r#","failures":50"#);
        for (earlier, later) in [
            (&missed, &round(1)),
            (&missed, &round(2)),
            (&round(1), &round(2)),
            (&of("tournament-started", "tournament_id", ""), &round(1)),
            (&of("ladder-pairing-missed", "ladder_id", ""), &of("season-ended", "ladder_id", r#","season":1"#)),
            (&revoked, &failures),
        ] {
            assert_ne!(place(earlier), place(later), "{earlier:?} {later:?}");
            assert_ne!(topic_of(one, earlier), topic_of(one, later), "{earlier:?} {later:?}");
        }
        for (earlier, later) in [(&revoked, &revoked), (&failures, &failures), (&round(2), &round(2))] {
            assert_eq!((place(earlier), topic_of(one, earlier)), (place(later), topic_of(one, later)));
        }
    }

    #[test]
    fn a_message_is_kept_until_the_deadline_or_for_three_days() {
        let now = event("your-turn", 7, "").at;
        let until = |time: &str| event("your-turn", 7, &format!(r#","deadline":"{time}""#));
        assert_eq!(ttl_s(&event("your-turn", 7, ""), now), FRESH_S);
        assert_eq!(ttl_s(&until("2026-11-21T08:30:00.000Z"), now), 3600);
        assert_eq!(ttl_s(&until("2026-11-21T07:30:05.000Z"), now), 60);
        assert_eq!(ttl_s(&until("2026-12-21T07:30:00.000Z"), now), FRESH_S);
        assert!(!is_old(&event("chat", 7, ""), now.plus_s(FRESH_S)));
        assert!(is_old(&event("chat", 7, ""), now.plus_s(FRESH_S + 1)));
    }

    #[test]
    fn the_length_tells_little() {
        assert_eq!([1, 512, 513].map(|length| filled_up(vec![b'x'; length]).len()), [512, 512, 1024]);
    }
}
