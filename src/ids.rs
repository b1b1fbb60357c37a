//! Identifiers as types, so that a match id can't be passed as an account id.
//!
//! Every id is a UUIDv7 (RFC 9562). Its first 48 bits are the creation time, so keys that begin with an id are inserted
//! at the end of their index; its last 74 bits are random. [`crate::context::Context::new_id`] creates them.

use core::fmt;
use std::str::FromStr;

use serde::Serialize;
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, utoipa::ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = String, format = Uuid, examples("0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47"))]
        pub struct $name(pub Uuid);

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                // Other spellings of UUIDs are not in the contract.
                let read = if text.len() == 36 { Uuid::try_parse(text).ok() } else { None };
                read.map(Self).ok_or_else(|| "is not a UUID, such as 0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47".to_owned())
            }
        }
    )+};
}

ids! {
    /// Names an account.
    AccountId,
    /// Names a session: one sign-in on one device, and the family of its refresh tokens.
    SessionId,
    /// Names a personal access token (not the token itself, which is shown once).
    TokenId,
    /// Names an app that somebody has registered.
    RegisteredAppId,
    /// Names a passkey.
    PasskeyId,
    /// Names a challenge.
    ChallengeId,
    /// Names a request for a substitute in a match.
    SubstitutionId,
    /// Names a match.
    MatchId,
    /// Names a webhook.
    WebhookId,
    /// Names a delivery of a webhook.
    WebhookDeliveryId,
    /// Names a push subscription: a browser that is told of events.
    PushSubscriptionId,
    /// Names a vacation.
    VacationId,
    /// Names a report of abuse.
    AbuseReportId,
    /// Names a case: what is decided about a player, and why.
    CaseId,
    /// Names what stands in the file of a case: a piece of evidence, or a note.
    CaseEntryId,
    /// Names an entry of the security log of an account.
    SecurityEventId,
    /// Names an entry of the audit log: an action of a moderator, an organizer or the operator.
    ModerationActionId,
    /// Names a pairing: players who meet for a ladder or a tournament, in one match or two.
    PairingId,
    /// Names a challenge for a place on a ladder.
    LadderChallengeId,
    /// Names a ladder.
    LadderId,
    /// Names a tournament.
    TournamentId,
    /// Names a ladder or a tournament, for what is the same for both.
    ContestId,
    /// Names an entry of the log of a contest: what an organizer has done about a member.
    ContestLogEntryId,
    /// Names an announcement to the members of a contest.
    ContestAnnouncementId,
}
