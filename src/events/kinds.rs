//! The account events of the API: a union of objects, distinguished by `type`.
//!
//! They are brief: clients get details from the match or the challenge they name. Only reports are complete, so that a
//! client can follow a match by them alone. A text written by an account has the type [`Words`], and is the last field
//! of its event.

use broadside_rules::{Outcome, Report, Seat, Time};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};

use super::words::{Probe, WithoutWords, Words};
use crate::epoch::Epoch;
use crate::ids::{
    AccountId, CaseId, ChallengeId, ContestAnnouncementId, ContestLogEntryId, LadderChallengeId, LadderId, MatchId,
    PairingId, SessionId, SubstitutionId, TournamentId, WebhookId,
};
use crate::string_enums::string_enums;

/// Declares the events, each with its number, type and time.
macro_rules! account_events {
    ($($(#[$doc:meta])* $variant:ident $name:ident $kind:literal { $($(#[$fdoc:meta])* $field:ident : $type:ty),* $(,)? })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Serialize, ToSchema)]
            pub struct $name {
                /// Its number in the account's log, from 1, without gaps.
                #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
                number: u64,
                #[doc = concat!("Always `", $kind, "`.")]
                #[schema(schema_with = $name::tag)]
                r#type: &'static str,
                /// When it happened.
                at: Time,
                $($(#[$fdoc])* $field: $type),*
            }

            impl $name {
                /// The event, not numbered yet.
                #[allow(clippy::too_many_arguments, reason = "an event is made of its fields, however many")]
                pub fn at(at: Time, $($field: $type),*) -> Self {
                    Self { number: 0, r#type: $kind, at, $($field),* }
                }

                /// Its `type`.
                pub const KIND: &'static str = $kind;

                fn words(&self) -> Option<(&'static str, &Words)> {
                    None$(.or(Probe(&self.$field).words().map(|words| (stringify!($field), words))))*
                }

                fn tag() -> RefOr<Schema> {
                    let text = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
                    text.enum_values(Some([$kind])).into()
                }
            }

            impl From<$name> for AccountEvent {
                fn from(event: $name) -> Self {
                    Self::$variant(event)
                }
            }
        )+

        /// An event in the log of an account; its `type` says which. New types may come: ignore those that you don't
        /// know.
        #[derive(Clone, Debug, Serialize, ToSchema)]
        #[serde(untagged)]
        pub enum AccountEvent {
            $($(#[$doc])* $variant($name)),+
        }

        impl AccountEvent {
            /// Every `type` that there is.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// Its `type`.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => $kind),+ }
            }

            /// The text written by an account, with the name of its field.
            pub fn words(&self) -> Option<(&'static str, &Words)> {
                match self { $(Self::$variant(event) => event.words()),+ }
            }
        }
    };
}

account_events! {
    /// The first line of a stream: where it begins, and how far the log goes now. It is not in the log; its `number` is
    /// that of the last event before the stream.
    Snapshot SnapshotEvent "snapshot" {
        /// The number of the newest event: events up to it are in the past.
        #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
        newest: u64,
        /// The epoch of the log. With a hyphen and an event's number it is a cursor (`k7m2x9pq-17`): send it as
        /// `after`.
        #[schema(max_length = 8, pattern = "^[a-z2-9]{8}$")]
        epoch: String,
    }
    /// In place of an event that can't be read, because it is damaged or of a newer version: what it said is unknown.
    Unreadable UnreadableEvent "unreadable" {}
    /// A match of yours began: its last seat was taken, or a ladder or a tournament paired you.
    MatchStarted MatchStartedEvent "match-started" {
        /// The match.
        match_id: MatchId,
        /// Your seat.
        seat: Seat,
        /// The variant.
        #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
        variant: String,
        /// The challenge that opened it.
        challenge_id: Option<ChallengeId>,
        /// The pairing of a ladder or a tournament that opened it.
        pairing_id: Option<PairingId>,
    }
    /// A report in a match of yours, as `GET /v1/matches/{id}/reports` lists it.
    Report ReportEvent "report" {
        /// The match.
        match_id: MatchId,
        /// The report; its own `number` counts your reports of this match.
        report: Report,
    }
    /// You must act in a match: your turn has come, or it goes on after your action.
    YourTurn YourTurnEvent "your-turn" {
        /// The match.
        match_id: MatchId,
        /// Your version of the match.
        #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        version: u32,
        /// When your time runs out; null: no limit.
        deadline: Option<Time>,
    }
    /// A match of yours is finished.
    MatchFinished MatchFinishedEvent "match-finished" {
        /// The match.
        match_id: MatchId,
        /// How it ended.
        result: Option<Outcome>,
    }
    /// One of your standing orders was carried out.
    StandingOrderExecuted StandingOrderExecutedEvent "standing-order-executed" {
        /// The match.
        match_id: MatchId,
        /// The revision of the list afterwards.
        #[schema(minimum = 0, maximum = 2_147_483_647, format = Int64)]
        revision: u32,
        /// What was done.
        #[schema(value_type = broadside_rules::Action)]
        action: Value,
    }
    /// One of your standing orders was dropped: it could not be played when its turn came, or its conditions did not
    /// hold.
    StandingOrderDropped StandingOrderDroppedEvent "standing-order-dropped" {
        /// The match.
        match_id: MatchId,
        /// The revision of the list afterwards.
        #[schema(minimum = 0, maximum = 2_147_483_647, format = Int64)]
        revision: u32,
        /// What would have been done.
        #[schema(value_type = broadside_rules::Action)]
        action: Value,
        /// Why: the rule's own code (your turn is left to you then), or `conditions-not-met`.
        #[schema(max_length = 60, pattern = "^[a-z0-9-]+$")]
        code: &'static str,
        /// Why, for people.
        #[schema(max_length = 4096)]
        detail: String,
    }
    /// Somebody wrote in the players' room of a match of yours.
    Chat ChatEvent "chat" {
        /// The match.
        match_id: MatchId,
        /// The room: always `players`, as yet.
        #[schema(max_length = 20, pattern = "^[a-z]+$")]
        room: &'static str,
        /// The author.
        author_id: AccountId,
        /// The message's number in the room.
        #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
        message_number: u32,
        /// The text; null when the author has deleted the account.
        #[schema(value_type = Option<String>, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]*$")]
        text: Words,
    }
    /// Your time in a match is running out: as much of it is left as your calendar says. Once for each deadline.
    DeadlineNear DeadlineNearEvent "deadline-near" {
        /// The match.
        match_id: MatchId,
        /// When your time runs out.
        deadline: Time,
        /// How much of it is left, in seconds in which your clock runs.
        #[schema(minimum = 0, maximum = 1_209_600, format = Int32)]
        time_left_s: u32,
    }
    /// A vacation of yours began by itself, since your time was running out in a match and your calendar asks for it.
    VacationStarted VacationStartedEvent "vacation-started" {
        /// When it began.
        starts_at: Time,
        /// When it ends.
        ends_at: Time,
        /// Always true: a vacation that you book yourself has no event.
        automatic: bool,
    }
    /// Your rating in a pool has changed: a rated match has ended (of paired games, the last), or was annulled or
    /// adjudicated.
    RatingChanged RatingChangedEvent "rating-changed" {
        /// The pool.
        #[schema(max_length = 80, pattern = "^[a-z0-9-]+$")]
        pool: String,
        /// The match; of paired games the first.
        match_id: MatchId,
        /// Of paired games that were rated as one, the second.
        paired_match_id: Option<MatchId>,
        /// The number of the change in your history of the pool.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        change_number: u32,
        /// The rating before.
        #[schema(minimum = 0, maximum = 10000, format = Int32)]
        before: i32,
        /// The rating now.
        #[schema(minimum = 0, maximum = 10000, format = Int32)]
        after: i32,
        /// Why.
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        reason: &'static str,
    }
    /// A player challenges you for your position on a ladder. If you don't answer in time, the challenger gets it.
    LadderChallengeReceived LadderChallengeReceivedEvent "ladder-challenge-received" {
        /// The ladder.
        ladder_id: LadderId,
        /// The challenge.
        challenge_id: LadderChallengeId,
        /// The challenger.
        challenger_id: AccountId,
        /// By when you have to answer; later, if you go on vacation.
        answer_by: Time,
    }
    /// Your challenge for a place on a ladder was accepted: its match has begun.
    LadderChallengeAccepted LadderChallengeAcceptedEvent "ladder-challenge-accepted" {
        /// The ladder.
        ladder_id: LadderId,
        /// The challenge.
        challenge_id: LadderChallengeId,
        /// The pairing in which it is played.
        pairing_id: PairingId,
    }
    /// Your challenge for a place on a ladder was declined.
    LadderChallengeDeclined LadderChallengeDeclinedEvent "ladder-challenge-declined" {
        /// The ladder.
        ladder_id: LadderId,
        /// The challenge.
        challenge_id: LadderChallengeId,
        /// Whether you declined too often, so that the position is the challenger's.
        forfeited: bool,
    }
    /// A challenge of yours or to you for a place on a ladder was not answered in time, and the place is the
    /// challenger's.
    LadderChallengeExpired LadderChallengeExpiredEvent "ladder-challenge-expired" {
        /// The ladder.
        ladder_id: LadderId,
        /// The challenge.
        challenge_id: LadderChallengeId,
    }
    /// A challenge of yours or to you for a place on a ladder is no longer: it was taken back, one of the two has left
    /// the ladder, or it was closed.
    LadderChallengeCancelled LadderChallengeCancelledEvent "ladder-challenge-cancelled" {
        /// The ladder.
        ladder_id: LadderId,
        /// The challenge.
        challenge_id: LadderChallengeId,
    }
    /// Your place on a ladder has changed by a challenge or for being inactive, your own or that of somebody who has
    /// passed you. (When somebody above leaves or falls, you move up, and aren't told.)
    LadderPositionChanged LadderPositionChangedEvent "ladder-position-changed" {
        /// The ladder.
        ladder_id: LadderId,
        /// Your place before.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        from_position: u32,
        /// Your place now.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        to_position: u32,
        /// Why: as the step in the ladder's log says, or `overtaken`.
        #[schema(max_length = 40, pattern = "^[a-z-]+$")]
        reason: &'static str,
        /// The challenge that it follows from.
        challenge_id: Option<LadderChallengeId>,
    }
    /// A substitute is looked for in a match of yours, or you are asked to take over a seat.
    SubstitutionRequested SubstitutionRequestedEvent "substitution-requested" {
        /// The request: `GET /v1/substitutions/{id}`.
        substitution_id: SubstitutionId,
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
        /// Who has asked.
        requester_id: AccountId,
    }
    /// Somebody is ready to take over a seat in a match of yours, or of a contest that you run: agree, or object.
    SubstitutionProposed SubstitutionProposedEvent "substitution-proposed" {
        /// The request.
        substitution_id: SubstitutionId,
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
        /// Who is ready.
        candidate_id: AccountId,
        /// Until when those can answer who decide.
        due_at: Time,
    }
    /// A request for a substitute is over, and the seat was not handed over.
    SubstitutionClosed SubstitutionClosedEvent "substitution-closed" {
        /// The request.
        substitution_id: SubstitutionId,
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
        /// How it ended: `withdrawn`, `declined`, `refused`, `expired` or `not-allowed`.
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        outcome: &'static str,
    }
    /// You have taken over a seat, or your seat was taken over. (The others have the report.)
    SeatHandedOver SeatHandedOverEvent "seat-handed-over" {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
        /// The variant.
        #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
        variant: String,
        /// Who had it.
        former_player_id: AccountId,
        /// Who has it now.
        player_id: AccountId,
    }
    /// Your account was suspended: you may go on with your matches, read, and manage your account, and begin nothing
    /// new.
    AccountSuspended AccountSuspendedEvent "account-suspended" {
        /// Until when; null: for good.
        until: Option<Time>,
        /// Why.
        #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        reason: String,
    }
    /// Your suspension was lifted before its time.
    SuspensionLifted SuspensionLiftedEvent "suspension-lifted" {
    }
    /// Many wrong passwords were given for your account within an hour. Told at most once a day. If they weren't yours,
    /// look at your sessions, and choose a password that you use nowhere else.
    SignInFailures SignInFailuresEvent "sign-in-failures" {
        /// How many, as far as the server that tells you has counted.
        #[schema(minimum = 1, maximum = 4294967295_i64, format = Int64)]
        failures: u32,
    }
    /// A copy of a refresh token of yours was used, so somebody else may have it. The session that it belongs to was
    /// ended, and the personal tokens that were made in it were revoked. If you aren't sure why, choose another
    /// password.
    SessionRevoked SessionRevokedEvent "session-revoked" {
        /// The session that was ended.
        session_id: SessionId,
        /// How many personal tokens were revoked with it.
        #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        revoked_tokens: u32,
    }
    /// A player challenges you, or invites you to a challenge.
    ChallengeReceived ChallengeReceivedEvent "challenge-received" {
        /// The challenge.
        challenge_id: ChallengeId,
        /// The challenger.
        challenger_id: AccountId,
    }
    /// A player has taken a seat in a challenge in which you sit.
    ChallengeAccepted ChallengeAcceptedEvent "challenge-accepted" {
        /// The challenge.
        challenge_id: ChallengeId,
        /// The player.
        player_id: AccountId,
        /// The match, if it was the last seat.
        match_id: Option<MatchId>,
    }
    /// A player has given their seat back in a challenge in which you sit, or declined an invitation to it; it stays
    /// open.
    ChallengeLeft ChallengeLeftEvent "challenge-left" {
        /// The challenge.
        challenge_id: ChallengeId,
        /// The player.
        player_id: AccountId,
    }
    /// Your challenge was declined.
    ChallengeDeclined ChallengeDeclinedEvent "challenge-declined" {
        /// The challenge.
        challenge_id: ChallengeId,
        /// The player.
        player_id: AccountId,
        /// Why, as the challenge says.
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        reason: Option<&'static str>,
    }
    /// A challenge to you, or one in which you sit, was taken back by its creator.
    ChallengeWithdrawn ChallengeWithdrawnEvent "challenge-withdrawn" {
        /// The challenge.
        challenge_id: ChallengeId,
    }
    /// A challenge has expired: yours, one to you, or one in which you sit.
    ChallengeExpired ChallengeExpiredEvent "challenge-expired" {
        /// The challenge.
        challenge_id: ChallengeId,
    }
    /// A season of a ladder in which you take part ends soon: what is over by then counts for it. Told when a tenth of
    /// the season is left, at most three days before its end; once for each end.
    SeasonEndNear SeasonEndNearEvent "season-end-near" {
        /// The ladder.
        ladder_id: LadderId,
        /// The season.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        season: u32,
        /// Your division, from 1, the highest.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        division: u32,
        /// When it ends.
        ends_at: Time,
    }
    /// A season of a ladder in which you take part is over, and the next one has begun.
    SeasonEnded SeasonEndedEvent "season-ended" {
        /// The ladder.
        ladder_id: LadderId,
        /// The season that is over.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        season: u32,
        /// Your final place in your division; null: you had none.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        rank: Option<u32>,
        /// The division in which you have played, from 1, the highest.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        division: u32,
        /// The division in which you play on.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        next_division: u32,
    }
    /// A ladder in which you take part was closed.
    LadderClosed LadderClosedEvent "ladder-closed" {
        /// The ladder.
        ladder_id: LadderId,
        /// Your final place in your division; null: you had none.
        #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
        rank: Option<u32>,
    }
    /// You have missed a pairing of a ladder: lost on time, or not begun. If you miss the next one as well, you are
    /// paired there no more until you join again.
    LadderPairingMissed LadderPairingMissedEvent "ladder-pairing-missed" {
        /// The ladder.
        ladder_id: LadderId,
        /// The pairing.
        pairing_id: PairingId,
    }
    /// You have missed two pairings of a ladder in a row, and are paired there no more until you join again.
    LadderMembershipInactive LadderMembershipInactiveEvent "ladder-member-set-inactive" {
        /// The ladder.
        ladder_id: LadderId,
    }
    /// A tournament in which you play has started. Its rounds have events of their own.
    TournamentStarted TournamentStartedEvent "tournament-started" {
        /// The tournament.
        tournament_id: TournamentId,
        /// Your starting number.
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        starting_number: u16,
    }
    /// The groups of a tournament are over, and its finals are drawn: whether you are in them.
    TournamentGroupsFinished TournamentGroupsFinishedEvent "tournament-groups-finished" {
        /// The tournament.
        tournament_id: TournamentId,
        /// Your group.
        #[schema(minimum = 1, maximum = 128, format = Int32)]
        group: u16,
        /// Your place in it.
        #[schema(minimum = 1, maximum = 16, format = Int32)]
        rank: u16,
        /// Your seed in the finals; null: you are not in them.
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        finals_seed: Option<u16>,
    }
    /// A round of a tournament has started. Your match in it has a `match-started` of its own.
    RoundStarted RoundStartedEvent "round-started" {
        /// The tournament.
        tournament_id: TournamentId,
        /// The round, from 1.
        #[schema(minimum = 1, maximum = 126, format = Int32)]
        round: u16,
        /// Your opponent; null: you have a bye, or sit at a table.
        opponent_id: Option<AccountId>,
        /// In a tournament of the format `tables` the others at your table; empty: you sit out, or another format.
        #[schema(max_items = 6)]
        opponent_ids: Vec<AccountId>,
    }
    /// The time of a round of a tournament is nearly over, and games of yours go on: what becomes of them then is said
    /// by its `at_deadline`. Once for each deadline.
    RoundDeadlineNear RoundDeadlineNearEvent "round-deadline-near" {
        /// The tournament.
        tournament_id: TournamentId,
        /// The round, from 1; of several that are played at once the first.
        #[schema(minimum = 1, maximum = 126, format = Int32)]
        round: u16,
        /// When its time is over.
        due_at: Time,
        /// How many games of yours have to be over by then.
        #[schema(minimum = 1, maximum = 128, format = Int32)]
        unfinished_matches: u16,
    }
    /// Who runs a tournament has moved the deadline of a round, and games of yours go on in it.
    RoundExtended RoundExtendedEvent "round-extended" {
        /// The tournament.
        tournament_id: TournamentId,
        /// The round, from 1.
        #[schema(minimum = 1, maximum = 126, format = Int32)]
        round: u16,
        /// When its time is over now; of several games of yours, the first time.
        due_at: Time,
    }
    /// You have come into a tournament after its start; or an organizer has stated what the rounds are worth that you
    /// have missed.
    TournamentEnteredLate TournamentEnteredLateEvent "tournament-entered-late" {
        /// The tournament.
        tournament_id: TournamentId,
        /// Your starting number.
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        starting_number: u16,
        /// The first round into which you can be drawn.
        #[schema(minimum = 2, maximum = 30, format = Int32)]
        first_round: u16,
        /// How many of the rounds before it are worth half a point.
        #[schema(minimum = 0, maximum = 29, format = Int32)]
        half_point_byes: u16,
    }
    /// Who runs a tournament lets you sit out a round, or has taken that back; or a round could not be drawn without
    /// you, and you play.
    TournamentByeChanged TournamentByeChangedEvent "tournament-bye-changed" {
        /// The tournament.
        tournament_id: TournamentId,
        /// The round, from 1.
        #[schema(minimum = 1, maximum = 30, format = Int32)]
        round: u16,
        /// What has become of the bye: `granted`, `taken-back` or `set-aside` (you play).
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        change: &'static str,
    }
    /// A round of a tournament that you run is drawn, and waits for an organizer who doesn't play in it.
    RoundDrafted RoundDraftedEvent "round-drafted" {
        /// The tournament.
        tournament_id: TournamentId,
        /// The round, from 1.
        #[schema(minimum = 1, maximum = 30, format = Int32)]
        round: u16,
        /// When it begins by itself.
        release_at: Time,
    }
    /// You have missed a board of a tournament: lost on time, or not begun. If you miss the next one as well, you are
    /// withdrawn from the tournament.
    TournamentBoardMissed TournamentBoardMissedEvent "tournament-board-missed" {
        /// The tournament.
        tournament_id: TournamentId,
        /// The round, from 1.
        #[schema(minimum = 1, maximum = 126, format = Int32)]
        round: u16,
    }
    /// You were withdrawn from a tournament; you haven't done so yourself.
    TournamentWithdrawn TournamentWithdrawnEvent "tournament-withdrawn" {
        /// The tournament.
        tournament_id: TournamentId,
        /// Why: `timed-out` (you have lost on time twice in a row) or `account-suspended`.
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        reason: &'static str,
    }
    /// A tournament in which you played is finished.
    TournamentFinished TournamentFinishedEvent "tournament-finished" {
        /// The tournament.
        tournament_id: TournamentId,
        /// Your place, from 1.
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        rank: u16,
    }
    /// A tournament in which you play was called off; it says why. Your matches there go on.
    TournamentCancelled TournamentCancelledEvent "tournament-cancelled" {
        /// The tournament.
        tournament_id: TournamentId,
    }
    /// A tournament that you have joined has other terms: read it again, and leave it if they don't suit you.
    TournamentChanged TournamentChangedEvent "tournament-changed" {
        /// The tournament.
        tournament_id: TournamentId,
        /// What has changed: fields of the tournament.
        #[schema(schema_with = crate::schemas::field_names)]
        fields: Vec<String>,
    }
    /// You run a ladder or a tournament from now on, beside its creator, who has named you.
    ContestOrganizerAdded ContestOrganizerAddedEvent "contest-organizer-added" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
    }
    /// You run a ladder or a tournament no more: its creator has decided so.
    ContestOrganizerRemoved ContestOrganizerRemovedEvent "contest-organizer-removed" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
    }
    /// You are invited to a ladder or a tournament: join it, or decline. `GET /v1/account/contest-entries` lists all of
    /// yours.
    ContestInvited ContestInvitedEvent "contest-invited" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The organizer who has invited you; null: you have asked to join, and now it is open to everybody.
        invited_by_id: Option<AccountId>,
    }
    /// A player has declined your invitation to a ladder or a tournament.
    ContestInvitationDeclined ContestInvitationDeclinedEvent "contest-invitation-declined" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The player.
        player_id: AccountId,
    }
    /// A player asks to join a ladder or a tournament that you run.
    ContestEntryRequested ContestEntryRequestedEvent "contest-entry-requested" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The player.
        player_id: AccountId,
    }
    /// Your request to join a ladder or a tournament was accepted: you are in.
    ContestEntryAccepted ContestEntryAcceptedEvent "contest-entry-accepted" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
    }
    /// Your request to join a ladder or a tournament was declined.
    ContestEntryDeclined ContestEntryDeclinedEvent "contest-entry-declined" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The entry in the log of the contest, by which you can report the reason.
        decision_id: ContestLogEntryId,
        /// Why; null: no reason was given, or its author has deleted the account.
        #[schema(value_type = Option<String>, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        reason: Words,
    }
    /// An organizer has removed you from a ladder or a tournament. Matches that have begun go on.
    ContestMemberRemoved ContestMemberRemovedEvent "contest-member-removed" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// Whether you can't join again.
        barred: bool,
        /// The entry in the log of the contest, by which you can report the reason.
        decision_id: ContestLogEntryId,
        /// Why; null: its author has deleted the account.
        #[schema(value_type = Option<String>, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        reason: Words,
    }
    /// An organizer of a ladder or a tournament of yours warns you.
    ContestMemberWarned ContestMemberWarnedEvent "contest-member-warned" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The entry in the log of the contest, by which you can report the warning.
        decision_id: ContestLogEntryId,
        /// The warning; null: its author has deleted the account.
        #[schema(value_type = Option<String>, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        text: Words,
    }
    /// An organizer has announced something to the members of a ladder or a tournament of yours;
    /// `GET /v1/contests/{id}/announcements` has the text.
    ContestAnnounced ContestAnnouncedEvent "contest-announced" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The announcement.
        announcement_id: ContestAnnouncementId,
    }
    /// A ladder or a tournament of yours is paused: nobody is paired or challenged there, and no clock of its matches
    /// runs.
    ContestPaused ContestPausedEvent "contest-paused" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// When it ends by itself. The ladder or the tournament says why, in its `pause`.
        until: Time,
    }
    /// The pause of a ladder or a tournament of yours is over, or of one that you run and whose pause has ended by
    /// itself: clocks go on with what they had.
    ContestResumed ContestResumedEvent "contest-resumed" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// When it was paused.
        paused_at: Time,
    }
    /// A case about you was decided; `GET /v1/account/cases` has what it is based on, and until when you can appeal.
    CaseDecided CaseDecidedEvent "case-decided" {
        /// The case.
        case_id: CaseId,
        /// The ladder whose organizers have decided it; null: it is no ladder's.
        ladder_id: Option<LadderId>,
        /// The tournament whose organizers have decided it; null: it is no tournament's. Moderators, where both are
        /// null.
        tournament_id: Option<TournamentId>,
        /// What was decided, by the word of `GET /v1/account/cases`.
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        decision: &'static str,
        /// Why.
        #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        reason: String,
    }
    /// Your appeal was decided.
    CaseAppealDecided CaseAppealDecidedEvent "case-appeal-decided" {
        /// The case.
        case_id: CaseId,
        /// The ladder; null: it is no ladder's.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is no tournament's.
        tournament_id: Option<TournamentId>,
        /// `upheld` (the decision stands) or `overturned`.
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        outcome: &'static str,
        /// Why.
        #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        reason: String,
    }
    /// A player has appealed against a decision; it waits for somebody who hasn't made it.
    CaseAppealed CaseAppealedEvent "case-appealed" {
        /// The case.
        case_id: CaseId,
        /// The ladder that you run; null: it is no ladder's.
        ladder_id: Option<LadderId>,
        /// The tournament that you run; null: it is no tournament's. You are a moderator, where both are null.
        tournament_id: Option<TournamentId>,
    }
    /// A player has joined a ladder or a tournament that you run.
    ContestMemberJoined ContestMemberJoinedEvent "contest-member-joined" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The player.
        player_id: AccountId,
    }
    /// A player has left a ladder or a tournament that you run, or was withdrawn from it.
    ContestMemberLeft ContestMemberLeftEvent "contest-member-left" {
        /// The ladder; null: it is a tournament.
        ladder_id: Option<LadderId>,
        /// The tournament; null: it is a ladder.
        tournament_id: Option<TournamentId>,
        /// The player.
        player_id: AccountId,
    }
    /// A tournament that you run, without playing in it, is finished.
    ContestFinished ContestFinishedEvent "contest-finished" {
        /// The ladder: always null, as yet.
        ladder_id: Option<LadderId>,
        /// The tournament.
        tournament_id: Option<TournamentId>,
    }
    /// A webhook of yours was disabled.
    WebhookDisabled WebhookDisabledEvent "webhook-disabled" {
        /// The webhook.
        webhook_id: WebhookId,
        /// Why: `gone` (it answered 410), or `failing` (three days of nothing but failures).
        #[schema(max_length = 20, pattern = "^[a-z-]+$")]
        reason: &'static str,
    }
    /// The test message of a webhook. It is not in the log, and its `number` is 0.
    Ping PingEvent "ping" {
        /// The webhook.
        webhook_id: WebhookId,
    }
    /// A mail to you could not be sent. Its events are in your log.
    MailFailed MailFailedEvent "mail-failed" {
        /// Why.
        reason: MailFailure,
    }
    /// The service was restored from a backup: moves, matches and messages between the two times are lost. Read your
    /// matches again.
    ServiceRestored ServiceRestoredEvent "service-restored" {
        /// The time of the backup.
        backup_at: Time,
        /// When the service was restored.
        restored_at: Time,
    }
}

string_enums! {
    /// Why a mail could not be sent.
    pub enum MailFailure {
        /// The address was refused: it has to be confirmed again.
        Refused,
        /// The mail server could not be used: for a day, or, for a confirmation link, for two minutes.
        GivenUp,
    }
}

impl UnreadableEvent {
    /// In place of the event with this number.
    pub fn in_place_of(number: u64, at: Time) -> AccountEvent {
        Self { number, ..Self::at(at) }.into()
    }
}

impl SnapshotEvent {
    /// The first line of a stream that goes on after event `number`.
    pub fn marker(at: Time, number: u64, newest: u64, epoch: Epoch) -> AccountEvent {
        Self { number, ..Self::at(at, newest, epoch.to_string()) }.into()
    }
}
