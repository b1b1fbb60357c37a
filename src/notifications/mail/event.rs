//! The events of an account's log as read for mail, with their fields.

use broadside_rules::{Outcome, Time};
use serde::Deserialize;
use uuid::Uuid;

use super::settings::MailTopic;
use crate::error::{Error, Result};

#[derive(Debug)]
pub struct MailEvent {
    pub topic: MailTopic,
    pub at: Time,
    /// The id of the match, challenge, ladder or tournament; nil for an event about the account.
    pub about: Uuid,
    pub(super) fields: EventFields,
}

impl MailEvent {
    pub fn deadline(&self) -> Option<Time> {
        self.fields.deadline.or(self.fields.due_at)
    }

    pub fn round(&self) -> Option<u16> {
        self.fields.round
    }

    /// The web page about the event's subject.
    pub fn page(&self) -> String {
        let id = self.about;
        match self.topic {
            MailTopic::YourTurn
            | MailTopic::DeadlineNear
            | MailTopic::MatchStarted
            | MailTopic::MatchFinished
            | MailTopic::SubstitutionRequested
            | MailTopic::SubstitutionProposed
            | MailTopic::SeatHandedOver
            | MailTopic::Chat => format!("/match/{id}"),
            MailTopic::ChallengeReceived => format!("/challenge/{id}"),
            MailTopic::LadderChallengeReceived => format!("/ladders/{}", self.fields.ladder_id.unwrap_or_default()),
            MailTopic::LadderPairingMissed
            | MailTopic::LadderMemberSetInactive
            | MailTopic::LadderPositionChanged
            | MailTopic::SeasonEndNear
            | MailTopic::SeasonEnded
            | MailTopic::LadderClosed => format!("/ladders/{id}"),
            MailTopic::TournamentBoardMissed
            | MailTopic::RoundDeadlineNear
            | MailTopic::RoundExtended
            | MailTopic::RoundDrafted
            | MailTopic::TournamentByeChanged
            | MailTopic::TournamentEnteredLate
            | MailTopic::TournamentWithdrawn
            | MailTopic::TournamentStarted
            | MailTopic::RoundStarted
            | MailTopic::TournamentFinished
            | MailTopic::TournamentCancelled => format!("/tournaments/{id}"),
            MailTopic::ContestInvited
            | MailTopic::ContestEntryAccepted
            | MailTopic::ContestEntryDeclined
            | MailTopic::ContestMemberRemoved
            | MailTopic::ContestMemberWarned
            | MailTopic::ContestAnnounced
            | MailTopic::ContestPaused
            | MailTopic::ContestResumed => match self.fields.ladder_id {
                Some(ladder) => format!("/ladders/{ladder}"),
                None => format!("/tournaments/{id}"),
            },
            MailTopic::CaseDecided | MailTopic::CaseAppealDecided => "/account/cases".to_owned(),
            MailTopic::CaseAppealed => format!("/cases/{id}"),
            MailTopic::SignInFailures | MailTopic::SessionRevoked => "/account".to_owned(),
        }
    }
}

/// The fields of an event used in mails. Other fields are not read.
#[derive(Debug, Deserialize)]
pub(super) struct EventFields {
    at: Time,
    match_id: Option<Uuid>,
    challenge_id: Option<Uuid>,
    case_id: Option<Uuid>,
    pub ladder_id: Option<Uuid>,
    pub tournament_id: Option<Uuid>,
    /// The opponent in a round of a tournament; `None` for a bye.
    pub opponent_id: Option<Uuid>,
    /// The other players at a table.
    #[serde(default)]
    pub opponent_ids: Vec<Uuid>,
    pub deadline: Option<Time>,
    pub due_at: Option<Time>,
    pub ends_at: Option<Time>,
    /// The end of a pause.
    pub until: Option<Time>,
    pub result: Option<Outcome>,
    /// The number of wrong passwords.
    pub failures: Option<u32>,
    /// The former position on a ladder.
    pub from_position: Option<u32>,
    /// The present position on a ladder.
    pub to_position: Option<u32>,
    pub season: Option<u32>,
    /// The final place in a season or a tournament, if any.
    pub rank: Option<u32>,
    /// The player's next division.
    pub next_division: Option<u32>,
    pub round: Option<u16>,
    pub starting_number: Option<u16>,
    /// The first round of a late entrant.
    pub first_round: Option<u16>,
    /// The time when a waiting round begins automatically.
    pub release_at: Option<Time>,
    /// The change of a bye.
    pub change: Option<String>,
    /// The reason of a withdrawal.
    pub reason: Option<String>,
}

/// The change of the recipient's rating by a rated match, or by two paired games together.
#[derive(Debug, Deserialize)]
pub struct RatingMove {
    match_id: Uuid,
    paired_match_id: Option<Uuid>,
    pub before: i32,
    pub after: i32,
    reason: String,
}

impl RatingMove {
    /// True if it was made by this match, alone or in a pair.
    pub fn is_of(&self, match_id: Uuid) -> bool {
        self.match_id == match_id || self.paired_match_id == Some(match_id)
    }

    /// True if it was made by two paired games.
    pub fn is_of_two(&self) -> bool {
        self.paired_match_id.is_some()
    }
}

/// A part of an account's log, as far as it concerns mail.
#[derive(Debug, Default)]
pub struct MailLog {
    /// The events that mail can be about, in order.
    pub events: Vec<MailEvent>,
    /// Rating changes by finished matches.
    pub ratings: Vec<RatingMove>,
}

impl MailLog {
    /// Adds the event of this type and JSON, if it concerns mail.
    pub fn take(&mut self, kind: &str, json: &str) -> Result<()> {
        if kind == "rating-changed" {
            let change: RatingMove = serde_json::from_str(json).map_err(Error::internal)?;
            // A moderator's later decision isn't a result of the match.
            self.ratings.extend((change.reason == "match").then_some(change));
            return Ok(());
        }
        let Ok(topic) = kind.parse::<MailTopic>() else { return Ok(()) };
        let fields: EventFields = serde_json::from_str(json).map_err(Error::internal)?;
        let about = match topic {
            MailTopic::ChallengeReceived | MailTopic::LadderChallengeReceived => fields.challenge_id,
            MailTopic::CaseDecided | MailTopic::CaseAppealDecided | MailTopic::CaseAppealed => fields.case_id,
            MailTopic::SignInFailures | MailTopic::SessionRevoked => Some(Uuid::nil()),
            MailTopic::ContestInvited
            | MailTopic::ContestEntryAccepted
            | MailTopic::ContestEntryDeclined
            | MailTopic::ContestMemberRemoved
            | MailTopic::ContestMemberWarned
            | MailTopic::ContestAnnounced
            | MailTopic::ContestPaused
            | MailTopic::ContestResumed => fields.ladder_id.or(fields.tournament_id),
            MailTopic::YourTurn
            | MailTopic::DeadlineNear
            | MailTopic::MatchStarted
            | MailTopic::MatchFinished
            | MailTopic::SubstitutionRequested
            | MailTopic::SubstitutionProposed
            | MailTopic::SeatHandedOver
            | MailTopic::Chat => fields.match_id,
            MailTopic::LadderPairingMissed
            | MailTopic::LadderMemberSetInactive
            | MailTopic::LadderPositionChanged
            | MailTopic::SeasonEndNear
            | MailTopic::SeasonEnded
            | MailTopic::LadderClosed => fields.ladder_id,
            MailTopic::TournamentBoardMissed
            | MailTopic::RoundDeadlineNear
            | MailTopic::RoundExtended
            | MailTopic::RoundDrafted
            | MailTopic::TournamentByeChanged
            | MailTopic::TournamentEnteredLate
            | MailTopic::TournamentWithdrawn
            | MailTopic::TournamentStarted
            | MailTopic::RoundStarted
            | MailTopic::TournamentFinished
            | MailTopic::TournamentCancelled => fields.tournament_id,
        };
        self.events.extend(about.map(|about| MailEvent { topic, at: fields.at, about, fields }));
        Ok(())
    }

    /// The distinct ids that the events of some topics are about.
    pub fn about(&self, topics: &[MailTopic]) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> =
            self.events.iter().filter(|event| topics.contains(&event.topic)).map(|event| event.about).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The distinct ladders in events.
    pub fn ladders(&self) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> = self.events.iter().filter_map(|event| event.fields.ladder_id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The distinct opponents in events.
    pub fn opponents(&self) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> = self.events.iter().filter_map(|event| event.fields.opponent_id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}
