//! The table of problems specific to operations, beyond those that follow from their shape.

use super::contest_problems;
use crate::error::{CATALOGUE, Problem, problem as p};

/// Refusals by the rules as a whole: their codes that no fault carries.
fn of_the_rules() -> impl Iterator<Item = Problem> {
    let whole = broadside_rules::illegal::codes().filter(|code| code.whole).map(|code| code.code);
    whole.filter_map(|code| CATALOGUE.iter().find(|problem| problem.code == code).copied())
}

/// The problems specific to an operation.
pub fn of(operation: &str) -> Vec<Problem> {
    let listed = TABLE
        .iter()
        .chain(contest_problems::TABLE)
        .find(|(id, _)| *id == operation)
        .map_or(&[][..], |(_, problems)| *problems);
    let by_rules = of_the_rules().filter(|problem| match operation {
        "submit_action" => true,
        "replace_standing_orders" => ["match-over", "seat-out"].contains(&problem.code),
        _ => false,
    });
    listed.iter().map(|problem| **problem).chain(by_rules).collect()
}

/// The operations, each with the problems specific to it; those of contests are in another table. A test fails if an
/// operation answers with any other problem.
static TABLE: &[(&str, &[&Problem])] = &[
    // Accounts, sessions and tokens.
    ("create_account", &[&p::USERNAME_TAKEN]),
    ("create_guest", &[&p::USERNAME_TAKEN, &p::GUESTS_OFF, &p::TOO_MANY_OPEN]),
    ("claim_account", &[&p::ALREADY_DONE]),
    ("create_session", &[&p::WRONG_CREDENTIALS, &p::SECOND_FACTOR_REQUIRED]),
    ("complete_sign_in", &[&p::WRONG_CODE, &p::CHALLENGE_INVALID]),
    ("create_passkey_challenge", &[&p::PASSKEYS_UNAVAILABLE, &p::TOO_MANY_OPEN]),
    ("create_passkey", &[&p::PASSKEYS_UNAVAILABLE, &p::TOO_MANY_OPEN]),
    ("create_passkey_sign_in_challenge", &[&p::PASSKEYS_UNAVAILABLE, &p::CHALLENGE_INVALID, &p::NOT_FOUND]),
    ("create_passkey_session", &[&p::PASSKEYS_UNAVAILABLE, &p::CHALLENGE_INVALID, &p::PASSKEY_REFUSED]),
    ("set_up_second_factor", &[&p::ALREADY_DONE, &p::CONCURRENT_ACTION]),
    ("confirm_second_factor", &[&p::NOT_FOUND]),
    ("replace_recovery_codes", &[&p::NOT_FOUND]),
    ("disable_second_factor", &[&p::NOT_FOUND]),
    ("refresh_session", &[&p::TOKEN_UNKNOWN, &p::REFRESH_TOKEN_REUSED]),
    ("update_account", &[&p::ACCOUNT_SUSPENDED]),
    ("change_email", &[&p::CONCURRENT_ACTION]),
    ("change_password", &[&p::CONCURRENT_ACTION]),
    (
        "change_username",
        &[&p::ACCOUNT_SUSPENDED, &p::CONCURRENT_ACTION, &p::USERNAME_CHANGED_LATELY, &p::USERNAME_TAKEN],
    ),
    ("request_password_reset", &[&p::MAIL_UNAVAILABLE]),
    ("complete_password_reset", &[&p::RESET_LINK_INVALID]),
    ("create_token", &[&p::TOO_MANY_OPEN]),
    ("register_app", &[&p::ACCOUNT_SUSPENDED, &p::APP_NAME_TAKEN, &p::TOO_MANY_OPEN]),
    ("update_registered_app", &[&p::ACCOUNT_SUSPENDED, &p::APP_NAME_TAKEN]),
    ("follow_player", &[&p::OWN_ACCOUNT, &p::TOO_MANY_OPEN]),
    ("mute_player", &[&p::OWN_ACCOUNT, &p::TOO_MANY_OPEN]),
    ("block_player", &[&p::OWN_ACCOUNT, &p::TOO_MANY_OPEN]),
    ("send_confirmation_mail", &[&p::MAIL_UNAVAILABLE, &p::NO_ADDRESS]),
    ("cancel_vacation", &[&p::VACATION_OVER]),
    // Substitutes.
    (
        "create_substitution",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_A_PLAYER,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::PLAYER_IS_ACTIVE,
            &p::PLAYER_BLOCKED,
            &p::SUBSTITUTE_NOT_ALLOWED,
            &p::SUBSTITUTION_OPEN,
            &p::CLOSED_TO_SPECTATORS,
            &p::MATCH_STATE_CHANGED,
            &p::TOO_MANY_OPEN,
        ],
    ),
    ("list_substitutions", &[&p::NOT_SIGNED_IN, &p::INSUFFICIENT_SCOPE]),
    (
        "accept_substitution",
        &[
            &p::MATCH_DAMAGED,
            &p::ACCOUNT_SUSPENDED,
            &p::GUEST_NOT_ALLOWED,
            &p::PLAYER_BLOCKED,
            &p::SUBSTITUTE_NOT_ALLOWED,
            &p::SUBSTITUTION_CLOSED,
        ],
    ),
    ("decline_substitution", &[&p::MATCH_DAMAGED, &p::SUBSTITUTION_CLOSED]),
    (
        "answer_substitution",
        &[
            &p::MATCH_DAMAGED,
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_A_PLAYER,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::SUBSTITUTION_CLOSED,
        ],
    ),
    ("withdraw_substitution", &[&p::MATCH_DAMAGED, &p::SUBSTITUTION_CLOSED]),
    // Challenges.
    ("replace_bot_offer", &[&p::ACCOUNT_SUSPENDED, &p::NOT_A_BOT]),
    ("list_challenges", &[&p::NOT_SIGNED_IN, &p::INSUFFICIENT_SCOPE]),
    (
        "create_challenge",
        &[&p::INVALID_RULE_SET, &p::ACCOUNT_SUSPENDED, &p::GUEST_NOT_ALLOWED, &p::TOO_MANY_OPEN, &p::PLAYER_BLOCKED],
    ),
    (
        "accept_challenge",
        &[
            &p::GUEST_NOT_ALLOWED,
            &p::ACCOUNT_SUSPENDED,
            &p::CHALLENGE_CLOSED,
            &p::ALREADY_JOINED,
            &p::CHANCE_COMMITMENT_CHANGED,
            &p::NOT_RELIABLE_ENOUGH,
            &p::SEAT_TAKEN,
            &p::NATION_TAKEN,
            &p::TOO_MANY_OPEN,
        ],
    ),
    ("decline_challenge", &[&p::CHALLENGE_CLOSED, &p::NOT_THE_CHALLENGED]),
    ("withdraw_challenge", &[&p::CHALLENGE_CLOSED, &p::NOT_THE_CREATOR]),
    (
        "request_rematch",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_A_PLAYER,
            &p::MATCH_NOT_FINISHED,
            &p::REMATCH_NEEDS_TWO,
            &p::PLAYER_BLOCKED,
            &p::OPPONENT_UNAVAILABLE,
            &p::TOO_MANY_OPEN,
            &p::INVALID_REQUEST,
        ],
    ),
    // Matches.
    ("list_matches", &[&p::NOT_SIGNED_IN, &p::INSUFFICIENT_SCOPE]),
    ("submit_action", &[&p::ILLEGAL_ACTION, &p::NOT_A_PLAYER, &p::STALE_VERSION, &p::CONCURRENT_ACTION]),
    ("get_standing_orders", &[&p::NOT_A_PLAYER]),
    ("replace_standing_orders", &[&p::NOT_A_PLAYER, &p::STALE_REVISION, &p::CONCURRENT_ACTION, &p::TOO_MANY_OPEN]),
    ("delete_standing_orders", &[&p::NOT_A_PLAYER, &p::CONCURRENT_ACTION]),
    ("list_match_reports", &[&p::LOG_REWOUND]),
    ("list_messages", &[&p::LOG_REWOUND, &p::CLOSED_TO_SPECTATORS, &p::MATCH_NOT_FINISHED]),
    (
        "send_message",
        &[&p::ACCOUNT_SUSPENDED, &p::CLOSED_TO_SPECTATORS, &p::MATCH_NOT_FINISHED, &p::NOT_A_PLAYER, &p::TOO_MANY_OPEN],
    ),
    (
        "report_message",
        &[&p::ACCOUNT_SUSPENDED, &p::CLOSED_TO_SPECTATORS, &p::MATCH_NOT_FINISHED, &p::OWN_MESSAGE, &p::TOO_MANY_OPEN],
    ),
    ("replace_match_notes", &[&p::STALE_REVISION, &p::TOO_MANY_OPEN]),
    // Events and webhooks.
    ("get_events", &[&p::MALFORMED_HEADER, &p::CURSOR_TOO_OLD, &p::LOG_REWOUND, &p::TOO_MANY_STREAMS]),
    ("create_webhook", &[&p::TOO_MANY_OPEN]),
    ("create_push_subscription", &[&p::PUSH_UNAVAILABLE, &p::TOO_MANY_OPEN]),
    ("test_webhook", &[&p::WEBHOOK_OFF]),
    ("redeliver_webhook_delivery", &[&p::WEBHOOK_OFF]),
    // Rule sets.
    ("create_rule_set", &[&p::INVALID_RULE_SET, &p::ACCOUNT_SUSPENDED, &p::RULESET_EXISTS, &p::TOO_MANY_OPEN]),
    ("report_rule_set", &[&p::ACCOUNT_SUSPENDED, &p::OWN_RULE_SET, &p::TOO_MANY_OPEN]),
    ("report_player", &[&p::ACCOUNT_SUSPENDED, &p::OWN_ACCOUNT, &p::TOO_MANY_OPEN]),
    ("report_text", &[&p::ACCOUNT_SUSPENDED, &p::OWN_MESSAGE, &p::TOO_MANY_OPEN]),
    // Moderation.
    ("suspend_player", &[&p::OWN_ACCOUNT, &p::PLAYER_HAS_ROLE, &p::ALREADY_DONE, &p::CONFLICT_OF_INTEREST]),
    ("lift_suspension", &[&p::OWN_ACCOUNT, &p::ALREADY_DONE]),
    (
        "annul_contest_match",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::ROLE_MISSING,
            &p::ALREADY_DONE,
            &p::MATCH_NOT_RATED,
        ],
    ),
    (
        "adjudicate_contest_match",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::ROLE_MISSING,
            &p::MATCH_STATE_CHANGED,
            &p::ALREADY_DONE,
            &p::MATCH_NOT_RATED,
        ],
    ),
    (
        "add_match_time",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::CONFLICT_OF_INTEREST, &p::MATCH_STATE_CHANGED],
    ),
    (
        "extend_tournament_round",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::CONFLICT_OF_INTEREST, &p::TOURNAMENT_CLOSED],
    ),
    ("annul_match", &[&p::CONFLICT_OF_INTEREST, &p::ALREADY_DONE, &p::MATCH_NOT_RATED]),
    ("adjudicate_match", &[&p::CONFLICT_OF_INTEREST, &p::MATCH_STATE_CHANGED, &p::ALREADY_DONE, &p::MATCH_NOT_RATED]),
    ("resolve_abuse_report", &[&p::CONFLICT_OF_INTEREST, &p::ALREADY_DONE]),
    ("hide_rule_set", &[&p::CONFLICT_OF_INTEREST, &p::ALREADY_DONE]),
    ("unhide_rule_set", &[&p::CONFLICT_OF_INTEREST, &p::ALREADY_DONE]),
];
