//! The fate of texts when an account is deleted: every text and JSON column of the schema. A test compares this table
//! with the database, so that no column is forgotten, and tries every line of it.

use Fate::{Deleted, Elsewhere, Erased, Kept, NoWords};

/// The fate of a column when the author of its text deletes the account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// No user text: service text, ids or numbers.
    NoWords,
    /// Set to null.
    Erased {
        /// The column that holds the author.
        owner: &'static str,
    },
    /// The row is deleted.
    Deleted {
        /// The column that holds the author.
        owner: &'static str,
    },
    /// Removed by the capability itself, for this reason.
    Elsewhere(&'static str),
    /// Kept, for this reason.
    Kept(&'static str),
}

/// Columns of a table with the same fate.
pub struct Columns {
    pub table: &'static str,
    pub columns: &'static [&'static str],
    pub fate: Fate,
}

const fn of(table: &'static str, columns: &'static [&'static str], fate: Fate) -> Columns {
    Columns { table, columns, fate }
}

const ACCOUNT: Fate = Elsewhere("they are part of the account, which is anonymised");
const RULES: Fate = Kept("a match is played by them, and its signed record contains them");
const DECISION: Fate = Kept("a decision about another player stays with its reason, whoever has made it");
const NONCE: Fate = Kept("it proves how the random numbers of a match were made");

pub const COLUMNS: &[Columns] = &[
    // Text written by the account.
    of("abuse_reports", &["comment"], Erased { owner: "reporter_id" }),
    of("case_entries", &["text"], Deleted { owner: "author_id" }),
    of("cases", &["appeal"], Erased { owner: "subject_id" }),
    of("challenges", &["message"], Erased { owner: "creator_id" }),
    of("chat_messages", &["text"], Erased { owner: "author_id" }),
    of("contest_announcements", &["text"], Deleted { owner: "author_id" }),
    of("contest_log", &["reason"], Erased { owner: "actor_id" }),
    of("contest_pauses", &["reason"], Erased { owner: "organizer_id" }),
    of("match_notes", &["text", "marks"], Deleted { owner: "account_id" }),
    of("substitutions", &["message"], Erased { owner: "requester_id" }),
    of("tournament_drafts", &["reason"], Erased { owner: "paired_by" }),
    // Text that takes more than one statement to remove.
    of("account_events", &["lines"], Elsewhere("the purge deletes its log, and its words in the logs of others")),
    of("bot_offers", &["description"], Elsewhere("the offer is withdrawn")),
    of("former_players", &["username"], Elsewhere("the name is replaced")),
    of("contest_words", &["words"], Elsewhere("they are those of title and description, folded for the search")),
    of("ladders", &["closed_reason"], Elsewhere("it goes with the organizer who has closed it")),
    of("ladders", &["title", "description"], Elsewhere("they go with the last person who runs it")),
    of("match_seats", &["username"], Elsewhere("the name is replaced")),
    of("named_rule_sets", &["title", "rules_text", "words"], Elsewhere("they are hidden as well")),
    of("registered_apps", &["name", "homepage", "description", "redirect_uris"], Elsewhere("the app is removed")),
    of("standing_orders", &["orders"], Elsewhere("they are deleted")),
    of("tournaments", &["reason"], Elsewhere("it goes with the organizer who has cancelled it")),
    of("tournaments", &["title", "description"], Elsewhere("they go with the last person who runs it")),
    of("webhooks", &["url", "host"], Elsewhere("they are deleted")),
    of("access_tokens", &["name", "scopes"], ACCOUNT),
    of("accounts", &["username", "username_key", "email", "password_hash", "bio", "country", "club"], ACCOUNT),
    of("authorization_codes", &["client_id", "redirect_uri", "scopes"], ACCOUNT),
    of("device_codes", &["client_id", "scopes"], ACCOUNT),
    of("former_usernames", &["username_key"], ACCOUNT),
    of("mail_confirmations", &["address"], ACCOUNT),
    of("mail_settings", &["confirmed_address", "time_zone"], ACCOUNT),
    of("passkey_challenges", &["state"], ACCOUNT),
    of("passkeys", &["credential", "name"], ACCOUNT),
    of("password_reset_links", &["restores"], ACCOUNT),
    of("push_subscriptions", &["endpoint", "host", "name"], ACCOUNT),
    of("security_events", &["program", "system", "network", "subject"], ACCOUNT),
    of("security_notices", &["address", "program", "system", "network"], ACCOUNT),
    of("sessions", &["device", "client_id", "redirect_uri", "program", "system", "network"], ACCOUNT),
    // Text that is kept.
    of(
        "abuse_reports",
        &["title", "text", "username"],
        Kept("what was reported stays for moderators for 180 days: nobody escapes a report"),
    ),
    of("accounts", &["suspension_reason"], DECISION),
    of("revocations", &["details"], Kept("it is written beside the cluster within seconds, and deleted")),
    of("adjudications", &["note"], DECISION),
    of("audit_log", &["reason", "details"], Kept("moderators can see for what somebody has used power over others")),
    of("case_entries", &["details"], Kept("evidence about another player stays as long as the case")),
    of("cases", &["title", "reason", "outcome_reason"], DECISION),
    of("challenge_seats", &["nonce"], NONCE),
    of("challenges", &["rule_set"], RULES),
    of("ladders", &["rule_set"], RULES),
    of("match_seats", &["nonce"], NONCE),
    of("matches", &["rule_set"], RULES),
    of("named_rule_sets", &["rule_set"], RULES),
    of(
        "password_reset_requests",
        &["login"],
        Kept("what was typed where a password was forgotten, until the mail is sent"),
    ),
    of("rating_changes", &["note"], DECISION),
    of("tournaments", &["rule_set"], RULES),
    // Columns without user text.
    of("abuse_reports", &["named_rule_set", "reason", "resolution", "room", "subject"], NoWords),
    of("account_blocks", &["kind"], NoWords),
    of("account_calendars", &["before_time_zone", "time_zone"], NoWords),
    of("account_roles", &["role"], NoWords),
    of("accounts", &["challenges_from"], NoWords),
    of("archive_objects", &["state"], NoWords),
    of("audit_log", &["kind", "named_rule_set"], NoWords),
    of("bot_offers", &["level", "variants"], NoWords),
    of("case_entries", &["evidence"], NoWords),
    of("cases", &["decision", "kind", "outcome", "remedy"], NoWords),
    of("challenge_seats", &["preferred_name"], NoWords),
    of(
        "challenges",
        &["clock", "named_rule_set", "opponent_preferred_name", "reason", "status", "variant", "visibility"],
        NoWords,
    ),
    of("chat_messages", &["room"], NoWords),
    of("chat_rooms", &["room"], NoWords),
    of("contest_announcements", &["kind"], NoWords),
    of("contest_bars", &["kind"], NoWords),
    of("contest_entries", &["kind", "state"], NoWords),
    of("contest_log", &["action", "kind"], NoWords),
    of("contest_organizers", &["kind"], NoWords),
    of("contest_pauses", &["kind", "telling"], NoWords),
    of("device_codes", &["user_code"], NoWords),
    of("job_leases", &["job"], NoWords),
    of("kept_orders", &["rules"], NoWords),
    of("ladder_announcements", &["kind"], NoWords),
    of("ladder_challenges", &["outcome", "status"], NoWords),
    of("ladder_members", &["section", "status"], NoWords),
    of("ladder_position_changes", &["reason"], NoWords),
    of("ladder_standings", &["section"], NoWords),
    of(
        "ladders",
        &["audience", "clock", "entry_limits", "format", "format_terms", "named_rule_set", "ranking", "variant"],
        NoWords,
    ),
    of("leaderboard_samples", &["pool"], NoWords),
    of("log_epoch", &["epoch", "home"], NoWords),
    of("mail_settings", &["digest", "failure", "kinds", "language"], NoWords),
    of("match_heads", &["result", "status"], NoWords),
    of("match_results", &["outcome", "variant"], NoWords),
    of("match_seats", &["preferred_name"], NoWords),
    of("matches", &["clock", "named_rule_set", "pool", "record_key_id", "variant"], NoWords),
    of("named_rule_set_counts", &["hash"], NoWords),
    of("named_rule_sets", &["family", "forked_from", "hash", "variant"], NoWords),
    of("pairings", &["kind"], NoWords),
    of("passkey_challenges", &["purpose"], NoWords),
    of("push_subscriptions", &["kinds", "language"], NoWords),
    of("rating_changes", &["algorithm", "games", "participants", "pool", "reason"], NoWords),
    of("ratings", &["pool"], NoWords),
    of("record_keys", &["kid"], NoWords),
    of("registered_apps", &["scopes"], NoWords),
    of("revocations", &["kind"], NoWords),
    of("security_events", &["kind"], NoWords),
    of("security_notices", &["kind"], NoWords),
    of("sessions", &["scopes"], NoWords),
    of("signing_keys", &["kid"], NoWords),
    of("substitutions", &["asked_by", "status"], NoWords),
    of("tournament_boards", &["bye", "status"], NoWords),
    of("tournament_drafts", &["drawn", "paired"], NoWords),
    of("tournament_players", &["final_standing", "withdrawal_reason"], NoWords),
    of(
        "tournaments",
        &["audience", "clock", "entry_limits", "format", "format_terms", "named_rule_set", "status", "variant"],
        NoWords,
    ),
    of("webhook_deliveries", &["error", "kind", "status"], NoWords),
    of("webhooks", &["disabled_reason", "kinds"], NoWords),
];
