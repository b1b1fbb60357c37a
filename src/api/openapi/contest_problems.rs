//! The problems specific to operations of ladders and tournaments: a table like [`super::own_problems`], which reads
//! it.

use crate::error::{Problem, problem as p};

/// The operations, each with the problems specific to it.
pub static TABLE: &[(&str, &[&Problem])] = &[
    // Ladders.
    ("create_ladder", &[&p::INVALID_RULE_SET, &p::ACCOUNT_SUSPENDED, &p::ROLE_MISSING, &p::TOO_MANY_OPEN]),
    (
        "update_ladder",
        &[&p::INVALID_RULE_SET, &p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::TERMS_FIXED, &p::CONCURRENT_ACTION],
    ),
    (
        "add_ladder_organizer",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_THE_CREATOR, &p::OWN_ACCOUNT, &p::PLAYER_BLOCKED, &p::TOO_MANY_OPEN],
    ),
    ("remove_ladder_organizer", &[&p::ACCOUNT_SUSPENDED, &p::NOT_THE_CREATOR]),
    ("join_ladder", &[&p::ACCOUNT_SUSPENDED, &p::NOT_ELIGIBLE, &p::TOO_MANY_OPEN]),
    ("leave_ladder", &[&p::NOT_A_MEMBER]),
    ("close_ladder", &[&p::ACCOUNT_SUSPENDED, &p::NOT_THE_CREATOR, &p::LADDER_CLOSED]),
    ("list_ladder_opponents", &[&p::LADDER_HAS_NO_PLACES, &p::NOT_A_MEMBER]),
    (
        "create_ladder_challenge",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::LADDER_HAS_NO_PLACES,
            &p::LADDER_CLOSED,
            &p::NOT_A_MEMBER,
            &p::CHALLENGE_NOT_ALLOWED,
            &p::CONTEST_PAUSED,
        ],
    ),
    ("list_ladder_challenges", &[&p::LADDER_HAS_NO_PLACES]),
    ("get_ladder_challenge", &[&p::LADDER_HAS_NO_PLACES]),
    ("list_ladder_position_changes", &[&p::LADDER_HAS_NO_PLACES]),
    (
        "accept_ladder_challenge",
        &[&p::ACCOUNT_SUSPENDED, &p::LADDER_CLOSED, &p::NOT_THE_CHALLENGED, &p::CHALLENGE_CLOSED, &p::CONTEST_PAUSED],
    ),
    (
        "decline_ladder_challenge",
        &[&p::LADDER_HAS_NO_PLACES, &p::LADDER_CLOSED, &p::NOT_THE_CHALLENGED, &p::CHALLENGE_CLOSED],
    ),
    (
        "withdraw_ladder_challenge",
        &[&p::LADDER_HAS_NO_PLACES, &p::LADDER_CLOSED, &p::NOT_THE_CREATOR, &p::CHALLENGE_CLOSED],
    ),
    // Tournaments.
    ("create_tournament", &[&p::INVALID_RULE_SET, &p::ACCOUNT_SUSPENDED, &p::TOO_MANY_OPEN]),
    (
        "update_tournament",
        &[&p::INVALID_RULE_SET, &p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::TERMS_FIXED, &p::CONCURRENT_ACTION],
    ),
    (
        "add_tournament_organizer",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_THE_CREATOR, &p::OWN_ACCOUNT, &p::PLAYER_BLOCKED, &p::TOO_MANY_OPEN],
    ),
    ("remove_tournament_organizer", &[&p::ACCOUNT_SUSPENDED, &p::NOT_THE_CREATOR]),
    ("get_tournament_report", &[&p::NO_REPORT_OF_TABLES]),
    ("join_tournament", &[&p::ACCOUNT_SUSPENDED, &p::NOT_ELIGIBLE, &p::TOO_MANY_OPEN]),
    ("leave_tournament", &[&p::NOT_A_PARTICIPANT, &p::TOURNAMENT_CLOSED]),
    (
        "start_tournament",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::TOURNAMENT_CLOSED,
            &p::TOO_EARLY_TO_START,
            &p::TOO_FEW_PLAYERS,
            &p::CONTEST_PAUSED,
        ],
    ),
    (
        "cancel_tournament",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_THE_CREATOR, &p::TOURNAMENT_CLOSED, &p::CONFLICT_OF_INTEREST],
    ),
    (
        "request_tournament_bye",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::NOT_A_PARTICIPANT,
            &p::TOURNAMENT_CLOSED,
            &p::NO_REQUESTED_BYES,
            &p::BYE_REFUSED,
            &p::ROUND_DRAWN,
        ],
    ),
    (
        "withdraw_tournament_bye",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::NOT_A_PARTICIPANT,
            &p::TOURNAMENT_CLOSED,
            &p::NO_REQUESTED_BYES,
            &p::ROUND_DRAWN,
        ],
    ),
    (
        "score_late_entry",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::TOURNAMENT_CLOSED,
            &p::ROUND_DRAWN,
        ],
    ),
    (
        "get_round_pairings",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::CONFLICT_OF_INTEREST, &p::TOURNAMENT_CLOSED],
    ),
    (
        "pair_tournament_round",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::CONFLICT_OF_INTEREST, &p::TOURNAMENT_CLOSED],
    ),
    (
        "release_tournament_round",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::TOURNAMENT_CLOSED,
            &p::CONTEST_PAUSED,
        ],
    ),
    // Both ladders and tournaments.
    ("list_entry_requests", &[&p::NOT_AN_ORGANIZER]),
    ("accept_entry_request", &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::NOT_ELIGIBLE]),
    ("decline_entry_request", &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER]),
    ("list_contest_invitations", &[&p::NOT_AN_ORGANIZER]),
    (
        "invite_to_contest",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::OWN_ACCOUNT,
            &p::PLAYER_BLOCKED,
            &p::PLAYER_BARRED,
            &p::LADDER_CLOSED,
            &p::TOURNAMENT_CLOSED,
            &p::TOO_MANY_OPEN,
        ],
    ),
    ("delete_contest_invitation", &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER]),
    ("list_contest_members", &[&p::NOT_AN_ORGANIZER]),
    (
        "remove_contest_member",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::NOT_THE_CREATOR,
            &p::CONFLICT_OF_INTEREST,
            &p::OWN_ACCOUNT,
            &p::LADDER_CLOSED,
            &p::TOURNAMENT_CLOSED,
        ],
    ),
    (
        "warn_contest_member",
        &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::NOT_THE_CREATOR, &p::OWN_ACCOUNT, &p::TOO_MANY_OPEN],
    ),
    ("lift_contest_bar", &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::NOT_THE_CREATOR, &p::OWN_ACCOUNT]),
    ("list_contest_log", &[&p::NOT_AN_ORGANIZER]),
    (
        "create_case",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::NOT_THE_CREATOR,
            &p::OWN_ACCOUNT,
            &p::TOO_MANY_OPEN,
            &p::NOT_FOUND,
        ],
    ),
    ("list_cases", &[&p::NOT_AN_ORGANIZER]),
    ("get_case", &[&p::ACCOUNT_SUSPENDED]),
    ("add_case_evidence", &[&p::ACCOUNT_SUSPENDED, &p::ROLE_MISSING, &p::WRONG_CASE_STATE, &p::TOO_MANY_OPEN]),
    ("add_case_note", &[&p::ACCOUNT_SUSPENDED, &p::TOO_MANY_OPEN]),
    (
        "decide_case",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::NOT_THE_CREATOR,
            &p::ROLE_MISSING,
            &p::CONFLICT_OF_INTEREST,
            &p::WRONG_CASE_STATE,
            &p::TOO_MANY_OPEN,
            &p::LADDER_CLOSED,
            &p::TOURNAMENT_CLOSED,
            &p::MATCH_STATE_CHANGED,
            &p::ALREADY_DONE,
            &p::MATCH_NOT_RATED,
            &p::PLAYER_HAS_ROLE,
        ],
    ),
    ("decide_case_appeal", &[&p::ACCOUNT_SUSPENDED, &p::CONFLICT_OF_INTEREST, &p::WRONG_CASE_STATE]),
    ("appeal_case", &[&p::WRONG_CASE_STATE]),
    ("create_contest_announcement", &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::TOO_MANY_OPEN]),
    (
        "pause_contest",
        &[
            &p::ACCOUNT_SUSPENDED,
            &p::NOT_AN_ORGANIZER,
            &p::CONFLICT_OF_INTEREST,
            &p::LADDER_CLOSED,
            &p::TOURNAMENT_CLOSED,
            &p::ALREADY_PAUSED,
            &p::TOO_MANY_OPEN,
        ],
    ),
    ("resume_contest", &[&p::ACCOUNT_SUSPENDED, &p::NOT_AN_ORGANIZER, &p::CONFLICT_OF_INTEREST, &p::NOT_PAUSED]),
];
