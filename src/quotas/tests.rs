//! Tests of the table of quotas against the guide and the schema.

use std::collections::BTreeMap;

use strum::VariantArray;

use super::*;

const GUIDE: &str = include_str!("../../docs/guide/limits.md");
const SCHEMA: &str = include_str!("../db/schema.rs");

#[test]
fn the_table_has_every_quota_in_order() {
    let listed: Vec<Quota> = TABLE.iter().map(|allowance| allowance.quota).collect();
    assert_eq!(listed, Quota::VARIANTS);
}

#[test]
fn the_guide_shows_the_table() {
    let limit = |limit: i64| if limit == 0 { "–".to_owned() } else { limit.to_string() };
    let row = |Allowance { quota, things, limits, .. }: &Allowance| {
        let [member, guest, together] = limits.map(limit);
        format!("| `{}` | {things} | {member} | {guest} | {together} |\n", quota.into_str())
    };
    let head = "| quota | what is counted | an account | a guest | all guests of an address |\n|---|---|---|---|---|\n";
    let table: String = [head.to_owned()].into_iter().chain(TABLE.iter().map(row)).collect();
    assert!(GUIDE.contains(&table), "docs/guide/limits.md lacks this table:\n{table}");
    for most in [LADDERS_OF_ORGANIZER, TOURNAMENTS_OF_ORGANIZER] {
        assert!(GUIDE.contains(&format!("{most} ")), "the guide doesn't say that organizers may have {most}");
    }
}

#[test]
fn a_refusal_says_what_is_full_and_is_known_in_french() {
    use broadside_rules::card::Language;
    for Allowance { quota, limits: [member, _, together], .. } in &TABLE {
        let mut refusals = vec![quota.exceeded(*member, *member)];
        if *together > 0 && *quota != Quota::Guests {
            refusals.push(quota.exceeded_together(*together, *together));
        }
        for refusal in refusals {
            let (english, french) = (refusal.detail(Language::English), refusal.detail(Language::French));
            assert!(english.contains(&refusal.quota().unwrap().limit.to_string()), "{english}");
            for word in [" may have ", " of ", " one ", " open ", "bytes"] {
                assert!(!french.contains(word), "{english}\n{french}");
            }
        }
    }
}

/// The bound on the growth of a table.
enum Bound {
    By(&'static [Quota]),
    /// One row for each account, or a few allowed by its key.
    OfAccount,
    /// Its rows are parts of those of another table, whose key begins its own, in limited numbers.
    PartOf(&'static str),
    /// Accounts add nothing to it.
    Service,
    /// Another bound.
    Otherwise(&'static str),
}

use Bound::{By, OfAccount, Otherwise, PartOf, Service};

/// Every table with its bound.
const BOUNDS: &[(&str, Bound)] = &[
    ("abuse_reports", By(&[Quota::ReportsADay])),
    ("access_tokens", By(&[Quota::Tokens])),
    ("account_blocks", By(&[Quota::Mutes, Quota::Blocks])),
    ("account_calendars", OfAccount),
    ("account_events", Otherwise("kept for 30 days, and the newest thousand of an account for longer")),
    ("account_purges", OfAccount),
    ("account_roles", Otherwise("the operator and moderators give roles, and there are few")),
    ("account_vacations", Otherwise("vacations are earned, and the budget `calendar` counts their changes")),
    ("accounts", Otherwise("the budget `registration` counts them by address, and Quota::Guests counts guests")),
    ("adjudications", Otherwise("umpires and moderators decide matches, each decision a request of theirs")),
    ("archive_objects", Service),
    ("archived_matches", PartOf("matches")),
    ("audit_log", Otherwise("what moderators, organizers and the operator do is kept for ever, with its reason")),
    ("authorization_codes", Otherwise("a code lives for minutes, and consent is asked by a page")),
    ("bot_offers", OfAccount),
    ("case_entries", Otherwise("MAX_EVIDENCE and MAX_NOTES of a case")),
    ("cases", Otherwise("MAX_OPEN of a contest; organizers and moderators open them")),
    ("challenge_invitations", PartOf("challenges")),
    ("challenge_seats", PartOf("challenges")),
    ("challenges", By(&[Quota::OpenChallenges, Quota::ChallengesADay])),
    ("chat_messages", By(&[Quota::MessagesADay])),
    ("chat_rooms", PartOf("matches")),
    ("contest_announcements", Otherwise("MAX_A_DAY of a contest")),
    ("contest_bars", Otherwise("one for each account that was a member of the contest, made by organizers")),
    ("contest_entries", By(&[Quota::EntryRequests])),
    (
        "contest_log",
        Otherwise("warnings and pauses have a limit a day; what else organizers do is kept with its reason"),
    ),
    ("contest_organizers", Otherwise("MAX_ORGANIZERS of a contest")),
    ("contest_pauses", Otherwise("MAX_A_DAY of a contest")),
    ("contest_words", Otherwise("one for each ladder and tournament")),
    ("device_codes", Otherwise("a code lives for minutes, and the budget `sign-in` counts them by address")),
    ("down_times", Service),
    ("event_counters", OfAccount),
    ("follows", By(&[Quota::Follows])),
    ("former_players", PartOf("matches")),
    ("former_usernames", Otherwise("a name changes once in 30 days")),
    ("idempotency_keys", Otherwise("kept for a day; 4 MiB of answers for each address")),
    ("job_leases", Service),
    ("kept_orders", PartOf("matches")),
    ("ladder_announcements", Otherwise("the service makes them, a few for each season")),
    ("ladder_challenges", Otherwise("one at a time for a challenger and for a defender; the defender answers in days")),
    ("ladder_meetings", Otherwise("pairs of members, counted by the service when they are paired")),
    ("ladder_members", By(&[Quota::LadderMemberships])),
    ("ladder_position_changes", Otherwise("one for each challenge that is over, and for members who come and go")),
    ("ladder_positions", PartOf("ladders")),
    ("ladder_seasons", Otherwise("the service begins seasons, the shortest of which lasts days")),
    ("ladder_standings", PartOf("ladders")),
    ("ladders", By(&[Quota::Ladders])),
    ("leaderboard_samples", Otherwise("the service keeps a sample of each pool")),
    ("log_epoch", Service),
    ("mail_confirmations", Otherwise("MAX_SENT and MAX_REQUESTS of an account")),
    ("mail_settings", OfAccount),
    ("match_heads", PartOf("matches")),
    ("match_log", Otherwise("the budget `actions` counts actions, and the rules let no match go on for ever")),
    ("match_notes", By(&[Quota::NoteBytes])),
    ("match_results", PartOf("matches")),
    ("match_results_due", PartOf("matches")),
    ("match_seats", By(&[Quota::Matches])),
    ("matches", By(&[Quota::Matches, Quota::ChallengesADay])),
    ("named_rule_set_counts", Otherwise("one for each row of named_rule_sets")),
    ("named_rule_sets", By(&[Quota::RuleSets])),
    ("node_heartbeats", Service),
    ("page_cookies", Otherwise("one for each session of a browser, and gone with it")),
    ("pairing_games", Otherwise("part of pairings, two games at most")),
    ("pairing_players", Otherwise("part of pairings, one for each seat")),
    ("pairings", Otherwise("the service pairs members of ladders and tournaments, which have quotas and limits")),
    ("passkey_challenges", Otherwise("a challenge lives for minutes, and an account has one of each purpose")),
    ("passkeys", By(&[Quota::Passkeys])),
    ("password_reset_links", Otherwise("links live for hours, and the budget `password-reset` counts them by address")),
    ("password_reset_requests", Otherwise("the budget `password-reset` counts them by address; mailed and deleted")),
    ("pending_resignations", OfAccount),
    ("push_subscriptions", By(&[Quota::PushSubscriptions])),
    ("rating_changes", Otherwise("one for each seat of a rated match that is over, and for each correction")),
    ("ratings", Otherwise("one for each account and pool")),
    ("record_keys", Service),
    ("recovery_codes", Otherwise("RECOVERY_CODES of an account, which new ones replace")),
    ("refresh_tokens", Otherwise("the budget `refresh` counts them by session, with which they go")),
    ("registered_app_names", Otherwise("MOST_NAMES of an account")),
    ("registered_apps", By(&[Quota::RegisteredApps])),
    ("replanning_queue", Otherwise("one for each change of a calendar, until it is done; see account_vacations")),
    ("revocations", Otherwise("a row for what was revoked, each bounded by itself; deleted after 90 days")),
    ("second_factors", OfAccount),
    ("security_events", Otherwise("MOST of an account, half a year old at most")),
    ("security_notices", Otherwise("mailed and deleted; each is about a change that costs a password")),
    ("service_heartbeat", Service),
    ("sessions", Otherwise("the budget `sign-in` counts them by address, and they end; those of apps are Quota::Apps")),
    ("sign_in_challenges", Otherwise("a challenge lives for minutes, and the budget `sign-in` counts them")),
    ("signing_keys", Service),
    (
        "spectators_room_visits",
        Otherwise("one for each account and match that was running when the account read its chat"),
    ),
    ("standing_orders", By(&[Quota::StandingOrderBytes])),
    ("stream_tickets", Otherwise("a ticket lives for seconds")),
    ("substitution_answers", Otherwise("one for each player of a match and substitution")),
    ("substitutions", Otherwise("MAX_A_DAY of a seat")),
    ("token_mac_key", Service),
    ("tournament_boards", PartOf("tournaments")),
    ("tournament_bye_requests", PartOf("tournaments")),
    ("tournament_drafts", PartOf("tournaments")),
    ("tournament_players", By(&[Quota::TournamentEntries])),
    ("tournaments", By(&[Quota::Tournaments])),
    ("vapid_key", Service),
    ("webhook_deliveries", Otherwise("kept as long as events, by webhooks, which have a quota")),
    ("webhooks", By(&[Quota::Webhooks])),
];

struct Table {
    key: Vec<String>,
    columns: Vec<String>,
}

/// The tables in a schema file written by diesel.
fn tables(schema: &str) -> BTreeMap<String, Table> {
    let read = |text: &str| {
        let (name, rest) = text.trim_start().split_once(" (")?;
        let (key, rest) = rest.split_once(") {")?;
        let (columns, _) = rest.split_once('}')?;
        let columns =
            columns.lines().filter_map(|line| line.trim().split_once(" -> ")).map(|(name, _)| name.to_owned());
        let key = key.split(", ").map(str::to_owned).collect();
        Some((name.to_owned(), Table { key, columns: columns.collect() }))
    };
    schema.split("diesel::table! {").skip(1).filter_map(read).collect()
}

/// The fault of a table's bound.
fn complaint(table: &Table, bound: &Bound) -> Option<String> {
    let names = |suffix: &str| table.columns.iter().any(|column| column.ends_with(suffix));
    match bound {
        By(quotas) => quotas.is_empty().then(|| "it names no quota".to_owned()),
        OfAccount => (table.key != ["account_id"]).then(|| "it may have many rows for an account".to_owned()),
        PartOf(whole) => {
            let key = if *whole == "matches" { "match_id" } else { &format!("{}_id", whole.trim_end_matches('s')) };
            (table.key.first().is_none_or(|first| first != key)).then(|| format!("its key does not begin with {key}"))
        }
        Service => {
            let of_somebody = ["account_id", "creator_id", "author_id", "match_id", "contest_id", "session_id"];
            of_somebody.into_iter().find(|column| names(column)).map(|column| format!("it has {column}"))
        }
        Otherwise(reason) => (reason.len() < 15).then(|| "it has no reason".to_owned()),
    }
}

/// The faults of a schema: unbounded tables, and bounds of missing tables.
fn complaints(schema: &str) -> Vec<String> {
    let tables = tables(schema);
    let bounds: BTreeMap<&str, &Bound> = BOUNDS.iter().map(|(name, bound)| (*name, bound)).collect();
    let of_tables = tables.iter().filter_map(|(name, table)| match bounds.get(name.as_str()) {
        None => Some(format!("{name}: nothing says how many rows an account can add")),
        Some(bound) => complaint(table, bound).map(|why| format!("{name}: {why}")),
    });
    let gone = bounds.keys().filter(|name| !tables.contains_key(**name)).map(|name| format!("{name}: is no table"));
    let wholes = BOUNDS.iter().filter_map(|(name, bound)| match bound {
        PartOf(whole) if !matches!(bounds.get(whole), Some(By(_))) => Some(format!("{name}: {whole} has no quota")),
        _ => None,
    });
    of_tables.chain(gone).chain(wholes).collect()
}

#[test]
fn every_table_that_accounts_fill_has_a_limit() {
    let found = complaints(SCHEMA);
    let help = "Name the quota of the table in BOUNDS (src/quotas/tests.rs), or say what else bounds it. What an \
                account can fill without end needs a quota: a row of TABLE, and a check before it is stored.";
    assert!(found.is_empty(), "\n{}\n\n{help}", found.join("\n"));
    assert!(tables(SCHEMA).len() > 80, "the schema can't be read");
    let counted = |quota: &Quota| BOUNDS.iter().any(|(_, bound)| matches!(bound, By(quotas) if quotas.contains(quota)));
    let idle: Vec<&Quota> = Quota::VARIANTS.iter().filter(|quota| !counted(quota)).collect();
    assert_eq!(idle, [&Quota::Guests, &Quota::Apps], "these count rows of tables that have other limits");
}

#[test]
fn a_table_that_nothing_bounds_is_found() {
    let planted = |table: &str| complaints(&format!("{SCHEMA}\ndiesel::table! {{\n    {table}\n}}\n"));
    assert_eq!(
        planted("scribbles (account_id, id) {\n        account_id -> Uuid,\n        id -> Uuid,\n    }"),
        ["scribbles: nothing says how many rows an account can add"]
    );
    let many = SCHEMA.replace("bot_offers (account_id)", "bot_offers (account_id, level)");
    assert_eq!(complaints(&many), ["bot_offers: it may have many rows for an account"]);
    let apart = SCHEMA.replace("tournament_drafts (tournament_id, round)", "tournament_drafts (round)");
    assert_eq!(complaints(&apart), ["tournament_drafts: its key does not begin with tournament_id"]);
    let gone = SCHEMA.replace("    webhooks (account_id, id)", "    hooks (account_id, id)");
    assert_eq!(complaints(&gone).len(), 2);
    let filled = SCHEMA.replace("        holder -> Uuid,", "        account_id -> Uuid,");
    assert_eq!(complaints(&filled), ["job_leases: it has account_id"]);
}
