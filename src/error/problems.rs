//! The catalogue of problems: every code that the service answers with, its kind, and the texts of its page at
//! `/problems/<code>`. Those of the games come from the rules.

use std::sync::LazyLock;

use broadside_rules::illegal;

/// The kind of a problem; it decides the HTTP status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The request could not be read at all.
    Malformed,
    /// There is no token, or it is not valid.
    Unauthenticated,
    /// The caller is signed in but not allowed to.
    Forbidden,
    /// It does not exist, or the caller may not know that it does.
    NotFound,
    /// The path exists, the method doesn't.
    WrongMethod,
    /// It existed once and is no longer stored.
    Gone,
    /// Another request was faster, or the resource is in another state by now.
    Conflict,
    /// The body is too large.
    TooLarge,
    /// The body didn't come in time.
    TooSlow,
    /// The body is not JSON by its media type.
    WrongMediaType,
    /// Readable, but not acceptable: every fault is named.
    Unacceptable,
    /// Too many requests for now.
    TooMany,
    /// A fault of the service.
    Internal,
    /// The database can't be reached at the moment; nothing has been lost.
    Unavailable,
}

/// One entry of the catalogue of problems: each has a page of its own at `/problems/<code>`.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The stable code, which is also the last part of the problem's `type`.
    pub code: &'static str,
    /// Decides the HTTP status.
    pub kind: ProblemKind,
    /// A short title that doesn't change from case to case.
    pub title: &'static str,
    /// What has happened.
    pub meaning: &'static str,
    /// What the caller can do.
    pub remedy: &'static str,
}

impl Problem {
    /// Whether a token was sent and is the problem: `invalid_token` of RFC 6750.
    pub fn is_about_a_token(&self) -> bool {
        self.kind == ProblemKind::Unauthenticated && self.code.starts_with("token-") && self.code != "token-missing"
    }
}

macro_rules! problems {
    ($($name:ident $kind:ident $code:literal $title:literal $meaning:literal $remedy:literal)+) => {
        /// The problems of the service itself; those of the rules come from [`illegal::CODES`].
        pub mod problem {
            use super::{ProblemKind, Problem};
            $(
                #[doc = $meaning]
                pub static $name: Problem =
                    Problem { code: $code, kind: ProblemKind::$kind, title: $title, meaning: $meaning, remedy: $remedy };
            )+
            pub(super) static OF_THE_SERVICE: &[&Problem] = &[$(&$name),+];
        }
    };
}

problems! {
    MALFORMED_JSON Malformed "malformed-json" "The body is not JSON"
        "The body could not be read as a JSON document."
        "Send one JSON object, in UTF-8."
    MALFORMED_ID Malformed "malformed-id" "Not an id"
        "An id in the path is not a UUID."
        "Take the id as another answer gave it."
    MALFORMED_HEADER Malformed "malformed-header" "A header can't be read"
        "A header of the request has a value that can't be used."
        "See the detail, which names the header."
    NOT_SIGNED_IN Unauthenticated "token-missing" "Sign in first"
        "This operation needs a token, and the request has none."
        "Send `Authorization: Bearer <token>` with the access token of a session or a personal access token."
    TOKEN_MALFORMED Unauthenticated "token-malformed" "This is no token"
        "What stands in the Authorization header is no token of this service: a piece may be missing, or `Bearer`."
        "Send `Authorization: Bearer <token>` with the whole token, as it was given."
    TOKEN_EXPIRED Unauthenticated "token-expired" "The token has expired"
        "The access token was good, and its time is over."
        "Get the next one with the refresh token: POST /v1/sessions/refresh."
    TOKEN_INVALID Unauthenticated "token-invalid" "The token was not made here"
        "The signature or the contents of the token are not those of this server."
        "Check that the token belongs to this server, and sign in again."
    TOKEN_UNKNOWN Unauthenticated "token-unknown" "The token is not good any more"
        "The token was revoked, its session has ended, its time is over, or it never was one."
        "Sign in again, or make a new personal access token."
    WRONG_CREDENTIALS Unauthenticated "invalid-credentials" "Name and password don't match"
        "No account has this name and this password."
        "Check both; names don't mind case, passwords do."
    REFRESH_TOKEN_REUSED Unauthenticated "refresh-token-reused" "A refresh token was used twice"
        "A refresh token can be used once. A second use means that somebody has a copy, so the session was ended."
        "Sign in again."
    INSUFFICIENT_SCOPE Forbidden "insufficient-scope" "The token may not do this"
        "The personal access token lacks the scope that this operation needs."
        "Make a token with the scope that the detail names, or use the access token of a session."
    SESSION_REQUIRED Forbidden "session-required" "This needs a session"
        "The operation is not open to personal access tokens, whatever their scopes."
        "Sign in, and use the access token of the session."
    ACCOUNT_SUSPENDED Forbidden "account-suspended" "The account is suspended"
        "A moderator has suspended the account. It may finish its matches, read, and manage itself, but begin nothing new."
        "See `suspension` for its end and its reason. To contest it, write to the operator of the server."
    GUEST_NOT_ALLOWED Forbidden "guest-not-allowed" "Guests may not do this"
        "The caller is a guest, and this is for accounts with a password."
        "Give the account a password: POST /v1/account/claim. It keeps its name and its matches."
    GUESTS_OFF Conflict "guests-disabled" "This server has no guests"
        "The operator lets nobody play without an account."
        "Make an account: POST /v1/accounts. A name and a password are enough."
    HTTPS_REQUIRED Conflict "https-required" "OAuth needs HTTPS"
        "The server is reached by http, where a password or a code could be read on the way."
        "Use a personal access token, or ask the operator for https (--public-url)."
    FOREIGN_FORM Forbidden "foreign-form" "The form was not on a page of this server"
        "The form comes from another site, from an old page, or from a page of somebody else's session."
        "Go back to the app and begin again."
    ALREADY_DONE Conflict "already-done" "It is done already"
        "Another request was faster, or there is nothing to do. Nothing has been changed."
        "Read it again, and decide again."
    MATCH_STATE_CHANGED Conflict "match-state-changed" "The match is in another state"
        "The match is not in the state that the request names: another request was faster. Nothing has been changed."
        "Read the match again, and decide again."
    ROLE_MISSING Forbidden "role-required" "This needs a role"
        "The operation is for accounts with a role that the caller's account doesn't have."
        "Only the operator of the server gives roles."
    NOT_A_BOT Conflict "not-a-bot" "The account is not marked as a bot"
        "Only accounts that say of themselves that a program plays can do this."
        "If a program plays, say so: PATCH /v1/account with `\"bot\": true`."
    NOT_FOUND NotFound "not-found" "There is nothing here"
        "What was asked for does not exist, or the caller may not know that it does."
        "Check the path and the id."
    WRONG_METHOD WrongMethod "method-not-allowed" "Not with this method"
        "The path exists, but not for this method."
        "See the `Allow` header, or the OpenAPI document."
    CURSOR_TOO_OLD Gone "cursor-too-old" "The cursor is too old"
        "Events behind this cursor are no longer kept: they are kept for 30 days, and the newest 1000 for longer."
        "Begin again without a cursor, and read /v1/turns and the matches to see where they stand."
    LOG_REWOUND Gone "log-rewound" "The logs have been put back"
        "The cursor is from before the service was restored to an earlier time: numbers were given again, and mean \
         something else now."
        "Read anew what you follow (/v1/turns and the matches), then go on from `next_cursor` of this answer."
    USERNAME_TAKEN Conflict "username-taken" "The name is taken"
        "Another account has this name; case makes no difference."
        "Choose another."
    CHALLENGE_CLOSED Conflict "challenge-closed" "The challenge is no longer open"
        "It has been accepted, declined or withdrawn, or its time is over."
        "Read the challenge again: its status says what happened to it."
    SEAT_TAKEN Conflict "seat-taken" "The seat is taken"
        "Another player was faster, or the caller has this seat already."
        "Read the challenge again and take a free seat, or look for another one."
    NATION_TAKEN Conflict "nation-taken" "The nation is taken"
        "Another player of this match has chosen it."
        "Read the challenge again and choose another one, or leave the choice to the lot."
    CHANCE_COMMITMENT_CHANGED Conflict "chance-commitment-changed" "The commitment to chance has changed"
        "The challenge has committed to another seed of chance than the caller was shown before. Nothing has happened."
        "Read the challenge again. If its `chance_commitment` has really changed, don't play here: it never may."
    STALE_VERSION Conflict "stale-version" "The match has moved on"
        "The request names a version of the match that is no longer the current one."
        "Read the match again, decide again, and send the new version."
    STALE_REVISION Conflict "stale-revision" "It has another revision"
        "It was changed from elsewhere since the caller read it. Nothing has been overwritten."
        "Read it again, bring in what you have changed, and send it with the new revision."
    CONCURRENT_ACTION Conflict "concurrent-action" "Somebody acted at the same moment"
        "Another action reached the match first, so this one was not carried out."
        "Read the match again and decide again."
    WEBHOOK_OFF Conflict "webhook-disabled" "The webhook is switched off"
        "Nothing is sent to a webhook that is switched off, by its owner or by the service."
        "Correct the cause, and switch it on with PATCH; it continues with the newest event."
    VACATION_OVER Conflict "vacation-over" "The vacation is over"
        "What has passed of a vacation can't be taken back, and all of it has."
        "Read the calendar: it lists the vacations that are not over."
    TOURNAMENT_CLOSED Conflict "tournament-closed" "The tournament is no longer open"
        "It has started already, or it is over, or it was called off."
        "Read the tournament again: its status says where it stands."
    TOO_FEW_PLAYERS Conflict "too-few-players" "There are too few players"
        "Fewer players have joined than the tournament needs to start."
        "Wait for more, or cancel it."
    TOO_MANY_OPEN Conflict "quota-exceeded" "Too many of them at once"
        "The account has as many of these as it may have."
        "End or withdraw one first."
    RULESET_EXISTS Conflict "rule-set-exists" "There is such a rule set"
        "A variant or a named rule set has the same parameters, and parameters have one name."
        "`errors` names it: play that one, or change a parameter."
    LADDER_CLOSED Conflict "ladder-closed" "The ladder is closed"
        "The ladder was closed by its creator, by an organizer, or because nobody used it."
        "Read the ladder for the reason, and look for another one: GET /v1/ladders?open=true."
    NOT_A_MEMBER Conflict "not-a-member" "You are not a member"
        "The caller takes no part in this ladder."
        "Join it first, or read GET /v1/account/ladders for those that you take part in."
    MAIL_UNAVAILABLE Conflict "mail-unavailable" "This server sends no mail"
        "The operator has set no server for mail, so nothing can be sent."
        "Follow /v1/events instead, or ask the operator."
    NO_ADDRESS Conflict "email-missing" "There is no address"
        "The account has no e-mail address to which anything could be sent."
        "Give it one with PATCH /v1/account first."
    BODY_TOO_SLOW TooSlow "request-timeout" "The body came too slowly"
        "The whole body must arrive within ten seconds. Nothing has been done."
        "Send the request again, over a new connection."
    BODY_TOO_LARGE TooLarge "content-too-large" "The body is too large"
        "A request body may have 64 KiB at most."
        "Send less."
    NOT_JSON WrongMediaType "unsupported-media-type" "The body must be JSON"
        "The media type of the body is not application/json."
        "Send `Content-Type: application/json`."
    INVALID_REQUEST Unacceptable "validation-failed" "The request can't be accepted as it is"
        "One or more fields are missing, unknown, or have a value that is not allowed."
        "`errors` names every fault with a pointer to its place."
    INVALID_RULE_SET Unacceptable "invalid-rule-set" "The rule set can't be played"
        "The rule set is out of bounds, contradicts itself, or has no legal deployment."
        "`errors` names every fault. POST /v1/rule-sets/check tries a rule set without opening anything."
    IDEMPOTENCY_KEY_REUSED Unacceptable "idempotency-key-reused" "The key belongs to another request"
        "The same Idempotency-Key came with a different request within 24 hours."
        "Use a new key for a new request."
    NOT_A_PLAYER Forbidden "not-a-player" "You don't play in this match"
        "Only a player of the match can do this; the caller may only watch."
        "Play a match of your own: GET /v1/challenges lists the open offers."
    CLOSED_TO_SPECTATORS Forbidden "closed-to-spectators" "The match is closed to spectators"
        "The players keep this match to themselves."
        "Nothing: it stays so, also after the end."
    NOT_A_PARTICIPANT Forbidden "not-a-participant" "You don't play in this tournament"
        "Only a player of the tournament can do this, and the caller is none, or no longer."
        "Read the tournament again: its standings list the players."
    NOT_THE_CHALLENGED Forbidden "not-the-challenged-player" "The challenge is for somebody else"
        "Only the player to whom a challenge is addressed can answer it."
        "Make a challenge of your own, or take a free seat in an open one."
    NOT_THE_CREATOR Forbidden "not-the-creator" "Only its creator can do this"
        "Somebody else has created it, and the caller has no role that stands in for them."
        "Ask its creator or an organizer."
    CONFLICT_OF_INTEREST Forbidden "conflict-of-interest" "It concerns yourself"
        "A role can't be used in a case in which its holder takes part."
        "Leave it to somebody else with the role."
    ALREADY_JOINED Conflict "already-joined" "You take part already"
        "The caller has a seat there already."
        "Read it again: it shows the caller's seat."
    TOO_EARLY_TO_START Conflict "too-early-to-start" "It can't start yet"
        "The terms of the tournament say when it starts."
        "See `starts_at` and `registration_ends_at`."
    PLAYER_HAS_ROLE Conflict "player-has-role" "The player has a role"
        "People with a role can't be suspended while they have it."
        "Ask the operator to take the role first."
    OWN_ACCOUNT Unacceptable "own-account" "This is your own account"
        "Nobody can do this to themselves."
        "Name another player."
    OWN_MESSAGE Unacceptable "own-message" "This is your own message"
        "Nobody can report what they wrote themselves."
        "Report a message of somebody else."
    OWN_RULE_SET Unacceptable "own-rule-set" "This is your own rule set"
        "Nobody can report what they have published themselves."
        "Report a rule set of somebody else."
    PLAYER_BLOCKED Unacceptable "player-blocked" "You block this player"
        "The caller blocks the player whom they want to meet."
        "End the block first: DELETE /v1/account/blocks/{username}."
    OPPONENT_UNAVAILABLE Unacceptable "opponent-unavailable" "The opponent can't be challenged"
        "The opponent of that match doesn't accept another match."
        "Look for another opponent."
    REMATCH_NEEDS_TWO Unacceptable "rematch-needs-two-seats" "Only matches of two seats have a rematch"
        "The match had more than two seats, and a challenge is addressed to one player at most."
        "Open a challenge with as many seats, and pass on its link."
    NOT_RELIABLE_ENOUGH Unacceptable "not-reliable-enough" "The challenge asks for a more reliable player"
        "The share of the caller's finished matches that were not lost on time is less than the challenge demands."
        "See the detail for both figures; every match that is not lost on time raises one's own."
    CHALLENGE_NOT_ALLOWED Unacceptable "opponent-not-challengeable" "This member can't be challenged now"
        "The terms of the ladder don't let the caller challenge this member at this moment, for one or several reasons."
        "`errors` names every reason; GET /v1/ladders/{id}/opponents lists them, and who may be challenged, beforehand."
    LADDER_HAS_NO_PLACES NotFound "not-a-position-ladder" "The ladder has no places"
        "Members challenge each other only on a position ladder; on this ladder the service pairs them."
        "Look at `form` of the ladder. On a rating ladder there is nothing to do but to play."
    NOT_ELIGIBLE Unacceptable "not-eligible" "This account may not take part"
        "The terms don't let the caller take part, for one or several reasons."
        "`errors` names every reason by its code; the ladder or tournament shows them beforehand as `eligibility`."
    MATCH_NOT_FINISHED Unacceptable "match-not-finished" "The match is still being played"
        "What was asked for is shown only when the match is over."
        "Wait for the end."
    TOO_MANY_REQUESTS TooMany "too-many-requests" "Too many requests"
        "The budget for this kind of request is used up for now."
        "Wait for as many seconds as `Retry-After` says. The RateLimit headers show the budget beforehand."
    TOO_MANY_STREAMS TooMany "too-many-streams" "Too many streams at once"
        "The account has as many open streams and waiting requests for events on this server as it may have."
        "Close one. The stream of a client that has disconnected is released when a keep-alive finds it gone."
    INTERNAL Internal "internal-error" "Internal error"
        "The service failed unexpectedly. Nothing was left half done."
        "Try again. If the error persists, tell the operator the request_id."
    OVERLOADED Unavailable "overloaded" "Too much to do"
        "The server has more work of this sort than it can do in time, so it has not begun this. Nothing has been changed."
        "Try again after as many seconds as `Retry-After` says. Moves, sign-ins and refreshes have room of their own."
    UNAVAILABLE Unavailable "unavailable" "Temporarily unavailable"
        "The database can't be reached, or the service is stopping. Nothing has been lost."
        "Try again after `Retry-After` seconds; an Idempotency-Key makes that safe for every POST."
}

/// Every problem that the service can answer with, those of the rules included.
pub static CATALOGUE: LazyLock<Vec<Problem>> = LazyLock::new(|| {
    // What the service asks itself as well is a problem of its own, with its status.
    let is_ours = |code: &str| problem::OF_THE_SERVICE.iter().any(|problem| problem.code == code);
    let of_the_rules = illegal::CODES.iter().filter(|entry| !is_ours(entry.code)).map(|entry| Problem {
        code: entry.code,
        kind: ProblemKind::Unacceptable,
        title: entry.title,
        meaning: entry.meaning,
        remedy: entry.what_to_do,
    });
    problem::OF_THE_SERVICE.iter().map(|problem| **problem).chain(of_the_rules).collect()
});

/// The catalogue's entry for `code`, if there is one.
pub fn find_problem(code: &str) -> Option<Problem> {
    CATALOGUE.iter().find(|problem| problem.code == code).copied()
}
