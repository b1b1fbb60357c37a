//! What each operation asks of a token, as a table; the contract says it as `security`.
//!
//! The handlers say the same in the types of their arguments (`api/http/auth.rs`), which decide. A test sends requests
//! with tokens of every sort to every operation, and fails when the two differ.

use serde_json::{Value, json};

use super::access::Access::{Anyone, Open, Session, Token, TokenOrTicket, Visitor};
use crate::accounts::Role;
use crate::accounts::Scope::{
    self, AccountRead, AccountWrite, LobbyRead, LobbyWrite, MatchesPlay, MatchesRead, WebhooksRead, WebhooksWrite,
};

/// What an operation asks of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// No token is read: the caller is about to sign in.
    Open,
    /// No token is needed. One that is sent must be good; its scopes make no difference.
    Anyone,
    /// No token is needed. One that is sent may be shown more; a personal one without this scope is shown what
    /// strangers are.
    Visitor(Scope),
    /// A token is needed; a personal one must have this scope.
    Token(Scope),
    /// The same, or a ticket in its place, which opens one stream.
    TokenOrTicket(Scope),
    /// The access token of a session is needed: a personal one won't do.
    Session,
    /// A token of an account with this role is needed; a personal one must have the scope `moderation`.
    Role(Role),
}

/// What every operation asks. One that isn't in the table doesn't pass the tests.
const OPERATIONS: &[(&str, Access)] = &[
    ("get_signing_keys", Anyone),
    ("delete_account", Session),
    ("get_account", Token(AccountRead)),
    ("update_account", Token(AccountWrite)),
    ("list_blocked_players", Token(AccountRead)),
    ("unblock_player", Token(AccountWrite)),
    ("block_player", Token(AccountWrite)),
    ("withdraw_bot_offer", Token(LobbyWrite)),
    ("replace_bot_offer", Token(LobbyWrite)),
    ("list_bots", Anyone),
    ("get_calendar", Token(AccountRead)),
    ("replace_calendar", Token(AccountWrite)),
    ("revoke_calendar_feed", Session),
    ("create_calendar_feed", Session),
    ("export_account", Session),
    ("list_account_ladders", Token(LobbyRead)),
    ("get_mail_settings", Token(AccountRead)),
    ("replace_mail_settings", Token(AccountWrite)),
    ("send_confirmation_mail", Token(AccountWrite)),
    ("list_muted_players", Token(AccountRead)),
    ("unmute_player", Token(AccountWrite)),
    ("mute_player", Token(AccountWrite)),
    ("change_email", Session),
    ("change_password", Session),
    ("change_username", Session),
    ("get_second_factor", Session),
    ("list_security_events", Session),
    ("set_up_second_factor", Session),
    ("confirm_second_factor", Session),
    ("replace_recovery_codes", Session),
    ("disable_second_factor", Session),
    ("list_passkeys", Session),
    ("create_passkey", Session),
    ("create_passkey_challenge", Session),
    ("rename_passkey", Session),
    ("delete_passkey", Session),
    ("get_push_key", Anyone),
    ("list_push_subscriptions", Session),
    ("create_push_subscription", Session),
    ("delete_push_subscription", Session),
    ("list_tokens", Session),
    ("list_players", Anyone),
    ("export_matches", Token(MatchesRead)),
    ("create_stream_ticket", Token(MatchesRead)),
    ("list_apps", Session),
    ("revoke_app", Session),
    ("register_app", Session),
    ("list_registered_apps", Session),
    ("get_registered_app", Session),
    ("update_registered_app", Session),
    ("delete_registered_app", Session),
    ("get_app", Anyone),
    ("create_token", Session),
    ("revoke_token", Session),
    ("create_vacation", Token(AccountWrite)),
    ("cancel_vacation", Token(AccountWrite)),
    ("claim_account", Session),
    ("create_account", Open),
    ("create_guest", Open),
    ("get_calendar_feed", Anyone),
    ("list_challenges", Visitor(LobbyRead)),
    ("create_challenge", Token(LobbyWrite)),
    ("withdraw_challenge", Token(LobbyWrite)),
    ("get_challenge", Visitor(LobbyRead)),
    ("accept_challenge", Token(LobbyWrite)),
    ("decline_challenge", Token(LobbyWrite)),
    ("get_events", TokenOrTicket(MatchesRead)),
    ("list_ladders", Visitor(LobbyRead)),
    ("create_ladder", Token(LobbyWrite)),
    ("get_ladder", Visitor(LobbyRead)),
    ("update_ladder", Token(LobbyWrite)),
    ("add_ladder_organizer", Token(LobbyWrite)),
    ("remove_ladder_organizer", Token(LobbyWrite)),
    ("list_ladder_challenges", Visitor(LobbyRead)),
    ("create_ladder_challenge", Token(LobbyWrite)),
    ("get_ladder_challenge", Visitor(LobbyRead)),
    ("accept_ladder_challenge", Token(LobbyWrite)),
    ("decline_ladder_challenge", Token(LobbyWrite)),
    ("withdraw_ladder_challenge", Token(LobbyWrite)),
    ("close_ladder", Token(LobbyWrite)),
    ("join_ladder", Token(LobbyWrite)),
    ("leave_ladder", Token(LobbyWrite)),
    ("list_ladder_opponents", Token(LobbyRead)),
    ("list_ladder_pairings", Visitor(LobbyRead)),
    ("list_ladder_position_changes", Visitor(LobbyRead)),
    ("list_ladder_seasons", Visitor(LobbyRead)),
    ("get_ladder_standings", Visitor(LobbyRead)),
    ("get_ladder_crosstable", Visitor(LobbyRead)),
    ("list_matches", Visitor(MatchesRead)),
    ("get_match", Visitor(MatchesRead)),
    ("submit_action", Token(MatchesPlay)),
    ("get_match_board", Visitor(MatchesRead)),
    ("list_messages", Token(MatchesRead)),
    ("send_message", Token(MatchesPlay)),
    ("report_message", Token(MatchesPlay)),
    ("get_match_clock", Visitor(MatchesRead)),
    ("get_match_notes", Token(MatchesRead)),
    ("replace_match_notes", Token(MatchesPlay)),
    ("list_match_rating_changes", Visitor(MatchesRead)),
    ("get_match_record", Visitor(MatchesRead)),
    ("request_rematch", Token(LobbyWrite)),
    ("add_match_time", Token(LobbyWrite)),
    ("adjudicate_contest_match", Token(LobbyWrite)),
    ("annul_contest_match", Token(LobbyWrite)),
    ("list_match_reports", Visitor(MatchesRead)),
    ("create_substitution", Token(LobbyWrite)),
    ("list_match_substitutions", Visitor(MatchesRead)),
    ("list_substitutions", Visitor(LobbyRead)),
    ("get_substitution", Visitor(LobbyRead)),
    ("accept_substitution", Token(LobbyWrite)),
    ("decline_substitution", Token(LobbyWrite)),
    ("answer_substitution", Token(LobbyWrite)),
    ("withdraw_substitution", Token(LobbyWrite)),
    ("delete_standing_orders", Token(MatchesPlay)),
    ("get_standing_orders", Token(MatchesRead)),
    ("replace_standing_orders", Token(MatchesPlay)),
    ("list_moderation_actions", Access::Role(Role::Moderator)),
    ("get_fair_play_analysis", Access::Role(Role::Moderator)),
    ("adjudicate_match", Access::Role(Role::Moderator)),
    ("annul_match", Access::Role(Role::Moderator)),
    ("get_moderated_player", Access::Role(Role::Moderator)),
    ("get_player_hit_analysis", Access::Role(Role::Moderator)),
    ("lift_suspension", Access::Role(Role::Moderator)),
    ("suspend_player", Access::Role(Role::Moderator)),
    ("list_abuse_reports", Access::Role(Role::Moderator)),
    ("resolve_abuse_report", Access::Role(Role::Moderator)),
    ("get_moderated_rule_set", Access::Role(Role::Moderator)),
    ("hide_rule_set", Access::Role(Role::Moderator)),
    ("unhide_rule_set", Access::Role(Role::Moderator)),
    ("get_pairing", Visitor(LobbyRead)),
    ("get_player", Anyone),
    ("list_player_matches", Visitor(MatchesRead)),
    ("list_player_honours", Anyone),
    ("list_player_opponents", Anyone),
    ("get_player_statistics", Anyone),
    ("list_player_ratings", Anyone),
    ("get_rating_history", Anyone),
    ("list_pools", Anyone),
    ("get_leaderboard", Anyone),
    ("verify_record", Anyone),
    ("list_rule_sets", Anyone),
    ("create_rule_set", Token(LobbyWrite)),
    ("check_rule_set", Anyone),
    ("get_rule_set", Anyone),
    ("report_rule_set", Token(LobbyWrite)),
    ("list_sessions", Session),
    ("create_session", Open),
    ("complete_sign_in", Open),
    ("create_passkey_session", Open),
    ("create_passkey_sign_in_challenge", Open),
    ("request_password_reset", Open),
    ("complete_password_reset", Open),
    ("refresh_session", Open),
    ("delete_session", Session),
    ("list_account_contest_entries", Token(LobbyRead)),
    ("list_entry_requests", Token(LobbyRead)),
    ("withdraw_entry_request", Token(LobbyWrite)),
    ("accept_entry_request", Token(LobbyWrite)),
    ("decline_entry_request", Token(LobbyWrite)),
    ("list_contest_invitations", Token(LobbyRead)),
    ("invite_to_contest", Token(LobbyWrite)),
    ("delete_contest_invitation", Token(LobbyWrite)),
    ("list_contest_members", Token(LobbyRead)),
    ("remove_contest_member", Token(LobbyWrite)),
    ("warn_contest_member", Token(LobbyWrite)),
    ("lift_contest_bar", Token(LobbyWrite)),
    ("list_contest_log", Token(LobbyRead)),
    ("create_contest_announcement", Token(LobbyWrite)),
    ("list_contest_announcements", Visitor(LobbyRead)),
    ("create_case", Token(LobbyWrite)),
    ("list_cases", Token(LobbyRead)),
    ("get_case", Token(LobbyRead)),
    ("add_case_evidence", Token(LobbyWrite)),
    ("add_case_note", Token(LobbyWrite)),
    ("decide_case", Token(LobbyWrite)),
    ("decide_case_appeal", Token(LobbyWrite)),
    ("list_account_cases", Token(AccountRead)),
    ("appeal_case", Token(AccountWrite)),
    ("report_player", Token(LobbyWrite)),
    ("report_text", Token(LobbyWrite)),
    ("pause_contest", Token(LobbyWrite)),
    ("resume_contest", Token(LobbyWrite)),
    ("list_tournaments", Visitor(LobbyRead)),
    ("create_tournament", Token(LobbyWrite)),
    ("get_tournament", Visitor(LobbyRead)),
    ("update_tournament", Token(LobbyWrite)),
    ("add_tournament_organizer", Token(LobbyWrite)),
    ("remove_tournament_organizer", Token(LobbyWrite)),
    ("cancel_tournament", Token(LobbyWrite)),
    ("extend_tournament_round", Token(LobbyWrite)),
    ("join_tournament", Token(LobbyWrite)),
    ("leave_tournament", Token(LobbyWrite)),
    ("list_tournament_rounds", Visitor(LobbyRead)),
    ("get_tournament_round", Visitor(LobbyRead)),
    ("get_tournament_crosstable", Visitor(LobbyRead)),
    ("get_tournament_report", Visitor(LobbyRead)),
    ("get_tournament_standings", Visitor(LobbyRead)),
    ("get_tournament_bracket", Visitor(LobbyRead)),
    ("list_tournament_byes", Visitor(LobbyRead)),
    ("request_tournament_bye", Token(LobbyWrite)),
    ("withdraw_tournament_bye", Token(LobbyWrite)),
    ("score_late_entry", Token(LobbyWrite)),
    ("get_round_pairings", Token(LobbyRead)),
    ("pair_tournament_round", Token(LobbyWrite)),
    ("release_tournament_round", Token(LobbyWrite)),
    ("start_tournament", Token(LobbyWrite)),
    ("list_turns", Token(MatchesRead)),
    ("list_variants", Anyone),
    ("get_variant", Anyone),
    ("list_webhooks", Token(WebhooksRead)),
    ("create_webhook", Token(WebhooksWrite)),
    ("delete_webhook", Token(WebhooksWrite)),
    ("get_webhook", Token(WebhooksRead)),
    ("update_webhook", Token(WebhooksWrite)),
    ("list_webhook_deliveries", Token(WebhooksRead)),
    ("get_webhook_delivery", Token(WebhooksRead)),
    ("redeliver_webhook_delivery", Token(WebhooksWrite)),
    ("rotate_webhook_secret", Token(WebhooksWrite)),
    ("test_webhook", Token(WebhooksWrite)),
];

/// What the operation of this id asks; none is in the contract without it.
pub fn of(operation: &str) -> Option<Access> {
    OPERATIONS.iter().find(|(id, _)| *id == operation).map(|(_, access)| *access)
}

/// How the 3.1 document names the tokens that any operation takes.
pub const BEARER: &str = "bearer";
/// How it names the access tokens of sessions, where no other will do.
pub const SESSION: &str = "session";
/// How it names the tokens that apps get by OAuth.
pub const OAUTH: &str = "oauth";
/// How it names the tickets that open a stream.
pub const TICKET: &str = "ticket";

impl Access {
    /// The `security` of the operation: ways, of which one is enough. An empty way needs no token;
    /// no way at all: none is read. In 3.1 a way names the scope that a personal token needs.
    pub fn security(self) -> Value {
        match self {
            Self::Open => json!([]),
            Self::Anyone => json!([{}, { BEARER: [] }]),
            Self::Visitor(scope) => json!([{}, { BEARER: [scope.into_str()] }, { OAUTH: [scope.into_str()] }]),
            Self::Token(scope) => json!([{ BEARER: [scope.into_str()] }, { OAUTH: [scope.into_str()] }]),
            Self::TokenOrTicket(scope) => {
                json!([{ BEARER: [scope.into_str()] }, { OAUTH: [scope.into_str()] }, { TICKET: [] }])
            }
            Self::Session => json!([{ SESSION: [] }]),
            Self::Role(_) => {
                let scope = Scope::Moderation.into_str();
                json!([{ BEARER: [scope] }, { OAUTH: [scope] }])
            }
        }
    }

    /// The same for people.
    pub fn sentence(self) -> String {
        match self {
            Self::Open => "No token is read.".to_owned(),
            Self::Anyone => "No token is needed.".to_owned(),
            Self::Visitor(scope) => {
                format!(
                    "No token is needed. A personal one needs the scope `{}` to be shown more than strangers are.",
                    scope.into_str()
                )
            }
            Self::Token(scope) => {
                format!("Needs the token of a session, or a personal one with the scope `{}`.", scope.into_str())
            }
            Self::TokenOrTicket(scope) => {
                let scope = scope.into_str();
                format!(
                    "Needs the token of a session, or a personal one with the scope `{scope}`; for a stream, a `ticket` will do in its place."
                )
            }
            Self::Session => "Needs the token of a session; a personal one is refused.".to_owned(),
            Self::Role(role) => {
                let (role, scope) = (role.into_str(), Scope::Moderation.into_str());
                format!("Needs the role `{role}`, and of a personal token the scope `{scope}`.")
            }
        }
    }

    /// The role that the account needs.
    pub fn role(self) -> Option<Role> {
        match self {
            Self::Role(role) => Some(role),
            _ => None,
        }
    }

    /// Whether a request without a token is refused.
    pub fn needs_token(self) -> bool {
        matches!(self, Self::Token(_) | Self::TokenOrTicket(_) | Self::Session | Self::Role(_))
    }
}

/// Writes it into an operation of the document.
pub fn write(operation: &mut Value) -> Option<Access> {
    let access = of(operation["operationId"].as_str()?)?;
    operation["security"] = access.security();
    let said = operation["description"].as_str().unwrap_or_default();
    operation["description"] = json!(format!("{said}\n\n{}", access.sentence()).trim_start());
    if let Some(role) = access.role() {
        operation["x-required-role"] = json!(role.into_str());
    }
    Some(access)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi;

    #[test]
    fn every_operation_of_the_contract_says_what_it_asks() {
        let contract: Value = serde_json::from_str(&openapi::documents().current).unwrap();
        let mut ids = Vec::new();
        for item in contract["paths"].as_object().unwrap().values() {
            ids.extend(item.as_object().unwrap().values().filter_map(|operation| operation["operationId"].as_str()));
        }
        let mut listed: Vec<_> = OPERATIONS.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, ids);
    }
}
