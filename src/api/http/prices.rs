//! The table of what each operation costs: its price in processor time, and the budget that pays it.
//!
//! A price is the measured cost of a request to the service and PostgreSQL, rounded to a class. Reading a log is priced
//! without any cache. A request is charged before it begins, so a cached answer costs as much as a new one. An
//! operation without an entry fails the tests.

use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::{HttpRequest, web};

use crate::rate_limits::BudgetKind::{
    self, Calendar, General, Orders, PasswordReset, Passwords, Refresh, Registration, SignIn, Webhooks,
};
use crate::rate_limits::Charge;
use crate::rate_limits::Price::{self, Heavy, Huge, Light, Medium};

/// Method, path, price, and the budget that pays it.
const OPERATIONS: &[(&str, &str, Price, BudgetKind)] = &[
    ("GET", "/.well-known/jwks.json", Light, General),
    ("DELETE", "/v1/account", Huge, Passwords),
    ("GET", "/v1/account", Light, General),
    ("PATCH", "/v1/account", Medium, General),
    ("GET", "/v1/account/apps", Light, General),
    ("DELETE", "/v1/account/apps/{id}", Light, General),
    ("GET", "/v1/account/blocks", Light, General),
    ("DELETE", "/v1/account/blocks/{username}", Light, General),
    ("PUT", "/v1/account/blocks/{username}", Light, General),
    ("DELETE", "/v1/account/bot-offer", Light, General),
    ("PUT", "/v1/account/bot-offer", Light, General),
    ("GET", "/v1/account/calendar", Light, General),
    ("PUT", "/v1/account/calendar", Heavy, Calendar),
    ("DELETE", "/v1/account/calendar/feed", Light, Calendar),
    ("POST", "/v1/account/calendar/feed", Medium, Calendar),
    ("POST", "/v1/account/claim", Huge, Passwords),
    ("GET", "/v1/account/export", Huge, General),
    ("GET", "/v1/account/follows", Light, General),
    ("DELETE", "/v1/account/follows/{username}", Light, General),
    ("PUT", "/v1/account/follows/{username}", Light, General),
    ("GET", "/v1/account/ladders", Light, General),
    ("GET", "/v1/account/mail", Light, General),
    ("PUT", "/v1/account/mail", Medium, General),
    ("POST", "/v1/account/mail/confirmation", Light, General),
    ("GET", "/v1/account/matches", Medium, General),
    ("GET", "/v1/account/mutes", Light, General),
    ("DELETE", "/v1/account/mutes/{username}", Light, General),
    ("PUT", "/v1/account/mutes/{username}", Light, General),
    ("PUT", "/v1/account/email", Huge, Passwords),
    ("PUT", "/v1/account/password", Huge, Passwords),
    ("GET", "/v1/account/registered-apps", Light, General),
    ("POST", "/v1/account/registered-apps", Medium, General),
    ("DELETE", "/v1/account/registered-apps/{id}", Medium, General),
    ("GET", "/v1/account/registered-apps/{id}", Light, General),
    ("PATCH", "/v1/account/registered-apps/{id}", Light, General),
    ("PUT", "/v1/account/username", Huge, Passwords),
    ("GET", "/v1/account/passkeys", Light, General),
    ("POST", "/v1/account/passkeys", Medium, Passwords),
    ("POST", "/v1/account/passkeys/challenges", Huge, Passwords),
    ("DELETE", "/v1/account/passkeys/{id}", Huge, Passwords),
    ("PATCH", "/v1/account/passkeys/{id}", Light, General),
    ("GET", "/v1/account/push-subscriptions", Light, General),
    ("POST", "/v1/account/push-subscriptions", Medium, Webhooks),
    ("DELETE", "/v1/account/push-subscriptions/{id}", Light, Webhooks),
    ("GET", "/v1/account/second-factor", Light, General),
    ("POST", "/v1/account/second-factor", Huge, Passwords),
    ("DELETE", "/v1/account/second-factor", Huge, Passwords),
    ("POST", "/v1/account/second-factor/confirm", Light, Passwords),
    ("POST", "/v1/account/second-factor/recovery-codes", Huge, Passwords),
    ("GET", "/v1/account/security-events", Light, General),
    ("GET", "/v1/account/tokens", Light, General),
    ("POST", "/v1/account/tokens", Light, General),
    ("DELETE", "/v1/account/tokens/{id}", Light, General),
    ("POST", "/v1/account/vacations", Heavy, Calendar),
    ("DELETE", "/v1/account/vacations/{id}", Heavy, Calendar),
    ("POST", "/v1/accounts", Huge, Registration),
    ("GET", "/v1/apps/{id}", Light, General),
    ("GET", "/v1/bots", Medium, General),
    ("GET", "/v1/calendar/{token}.ics", Medium, General),
    ("GET", "/v1/challenges", Light, General),
    ("POST", "/v1/challenges", Medium, General),
    ("DELETE", "/v1/challenges/{id}", Light, General),
    ("GET", "/v1/challenges/{id}", Light, General),
    ("POST", "/v1/challenges/{id}/accept", Medium, General),
    ("POST", "/v1/challenges/{id}/decline", Light, General),
    ("GET", "/v1/account/cases", Medium, General),
    ("POST", "/v1/account/cases/{id}/appeal", Light, General),
    ("GET", "/v1/account/contest-entries", Light, General),
    ("GET", "/v1/cases", Medium, General),
    ("POST", "/v1/cases", Light, General),
    ("GET", "/v1/cases/{id}", Medium, General),
    ("POST", "/v1/cases/{id}/appeal/decide", Heavy, General),
    ("POST", "/v1/cases/{id}/decide", Heavy, General),
    ("POST", "/v1/cases/{id}/evidence", Medium, General),
    ("POST", "/v1/cases/{id}/notes", Light, General),
    ("GET", "/v1/contests/{id}/announcements", Light, General),
    ("POST", "/v1/contests/{id}/announcements", Light, General),
    ("DELETE", "/v1/contests/{id}/bars/{username}", Light, General),
    ("GET", "/v1/contests/{id}/entry-requests", Light, General),
    ("DELETE", "/v1/contests/{id}/entry-request", Light, General),
    ("POST", "/v1/contests/{id}/entry-requests/{username}/accept", Medium, General),
    ("POST", "/v1/contests/{id}/entry-requests/{username}/decline", Light, General),
    ("GET", "/v1/contests/{id}/invitations", Light, General),
    ("GET", "/v1/contests/{id}/log", Light, General),
    ("GET", "/v1/contests/{id}/members", Medium, General),
    ("POST", "/v1/contests/{id}/members/{username}/remove", Medium, General),
    ("POST", "/v1/contests/{id}/members/{username}/warn", Light, General),
    ("POST", "/v1/contests/{id}/pause", Medium, General),
    ("POST", "/v1/contests/{id}/resume", Medium, General),
    ("DELETE", "/v1/contests/{id}/invitations/{username}", Light, General),
    ("PUT", "/v1/contests/{id}/invitations/{username}", Light, General),
    ("GET", "/v1/events", Light, General),
    ("POST", "/v1/guests", Light, Registration),
    ("GET", "/v1/ladders", Light, General),
    ("POST", "/v1/ladders", Medium, General),
    ("GET", "/v1/ladders/{id}", Medium, General),
    ("PATCH", "/v1/ladders/{id}", Medium, General),
    ("DELETE", "/v1/ladders/{id}/organizers/{username}", Medium, General),
    ("PUT", "/v1/ladders/{id}/organizers/{username}", Medium, General),
    ("GET", "/v1/ladders/{id}/opponents", Medium, General),
    ("GET", "/v1/ladders/{id}/challenges", Light, General),
    ("POST", "/v1/ladders/{id}/challenges", Medium, General),
    ("GET", "/v1/ladders/{id}/challenges/{challenge_id}", Light, General),
    ("POST", "/v1/ladders/{id}/challenges/{challenge_id}/accept", Light, General),
    ("POST", "/v1/ladders/{id}/challenges/{challenge_id}/decline", Light, General),
    ("POST", "/v1/ladders/{id}/challenges/{challenge_id}/withdraw", Light, General),
    ("POST", "/v1/ladders/{id}/close", Medium, General),
    ("POST", "/v1/ladders/{id}/join", Medium, General),
    ("POST", "/v1/ladders/{id}/leave", Light, General),
    ("GET", "/v1/ladders/{id}/position-changes", Light, General),
    ("GET", "/v1/ladders/{id}/pairings", Light, General),
    ("GET", "/v1/ladders/{id}/seasons", Medium, General),
    ("GET", "/v1/ladders/{id}/crosstable", Heavy, General),
    ("GET", "/v1/ladders/{id}/standings", Medium, General),
    ("GET", "/v1/matches", Medium, General),
    ("GET", "/v1/matches/{id}", Light, General),
    ("POST", "/v1/matches/{id}/actions", Light, Orders),
    ("GET", "/v1/matches/{id}/board", Medium, General),
    ("GET", "/v1/matches/{id}/chat/{room}", Light, General),
    ("POST", "/v1/matches/{id}/chat/{room}", Light, General),
    ("POST", "/v1/matches/{id}/chat/{room}/{number}/report", Light, General),
    ("GET", "/v1/matches/{id}/clock", Light, General),
    ("GET", "/v1/matches/{id}/notes", Light, General),
    ("PUT", "/v1/matches/{id}/notes", Light, General),
    ("GET", "/v1/matches/{id}/rating-changes", Light, General),
    ("GET", "/v1/matches/{id}/record", Heavy, General),
    ("POST", "/v1/matches/{id}/rematch", Medium, General),
    ("POST", "/v1/matches/{id}/add-time", Heavy, General),
    ("POST", "/v1/matches/{id}/adjudicate", Heavy, General),
    ("POST", "/v1/matches/{id}/annul", Heavy, General),
    ("POST", "/v1/matches/{id}/substitutions", Heavy, General),
    ("GET", "/v1/matches/{id}/substitutions", Light, General),
    ("GET", "/v1/substitutions", Medium, General),
    ("GET", "/v1/substitutions/{id}", Light, General),
    ("DELETE", "/v1/substitutions/{id}", Heavy, General),
    ("POST", "/v1/substitutions/{id}/accept", Heavy, General),
    ("POST", "/v1/substitutions/{id}/answer", Heavy, General),
    ("POST", "/v1/substitutions/{id}/decline", Heavy, General),
    ("GET", "/v1/matches/{id}/reports", Heavy, General),
    ("DELETE", "/v1/matches/{id}/standing-orders", Light, General),
    ("GET", "/v1/matches/{id}/standing-orders", Light, General),
    ("PUT", "/v1/matches/{id}/standing-orders", Medium, General),
    ("GET", "/v1/moderation/actions", Light, General),
    ("GET", "/v1/moderation/abuse-reports", Medium, General),
    ("POST", "/v1/moderation/abuse-reports/{id}/resolve", Light, General),
    ("GET", "/v1/moderation/fair-play", Huge, General),
    ("POST", "/v1/moderation/matches/{id}/adjudicate", Heavy, General),
    ("POST", "/v1/moderation/matches/{id}/annul", Heavy, General),
    ("GET", "/v1/moderation/players/{username}", Light, General),
    ("GET", "/v1/moderation/players/{username}/hit-analysis", Medium, General),
    ("POST", "/v1/moderation/players/{username}/lift-suspension", Light, General),
    ("POST", "/v1/moderation/players/{username}/suspend", Medium, General),
    ("GET", "/v1/moderation/rule-sets/{hash}", Medium, General),
    ("POST", "/v1/moderation/rule-sets/{hash}/hide", Light, General),
    ("POST", "/v1/moderation/rule-sets/{hash}/unhide", Light, General),
    ("GET", "/v1/pairings/{id}", Light, General),
    ("POST", "/v1/password-resets", Light, PasswordReset),
    ("POST", "/v1/password-resets/complete", Heavy, SignIn),
    ("GET", "/v1/players", Light, General),
    ("GET", "/v1/players/{username}", Light, General),
    ("GET", "/v1/players/{username}/matches", Medium, General),
    ("GET", "/v1/players/{username}/honours", Medium, General),
    ("GET", "/v1/players/{username}/opponents", Heavy, General),
    ("GET", "/v1/players/{username}/statistics", Heavy, General),
    ("GET", "/v1/players/{username}/ratings", Light, General),
    ("GET", "/v1/players/{username}/ratings/{pool}/history", Medium, General),
    ("GET", "/v1/pools", Light, General),
    ("GET", "/v1/pools/{pool}/leaderboard", Medium, General),
    ("GET", "/v1/push-key", Light, General),
    ("POST", "/v1/records/verify", Heavy, General),
    ("GET", "/v1/rule-sets", Medium, General),
    ("POST", "/v1/rule-sets", Heavy, General),
    ("POST", "/v1/rule-sets/check", Heavy, General),
    ("GET", "/v1/rule-sets/{hash}", Medium, General),
    ("POST", "/v1/players/{username}/report", Light, General),
    ("POST", "/v1/abuse-reports/{subject}/{id}", Light, General),
    ("POST", "/v1/rule-sets/{hash}/report", Light, General),
    ("GET", "/v1/sessions", Light, General),
    ("POST", "/v1/sessions", Heavy, SignIn),
    ("POST", "/v1/sessions/refresh", Light, Refresh),
    ("POST", "/v1/sessions/passkey", Medium, SignIn),
    ("POST", "/v1/sessions/passkey/challenges", Light, SignIn),
    ("POST", "/v1/sessions/second-factor", Light, SignIn),
    ("DELETE", "/v1/sessions/{id}", Light, General),
    ("POST", "/v1/stream-tickets", Light, General),
    ("GET", "/v1/tournaments", Light, General),
    ("POST", "/v1/tournaments", Medium, General),
    ("GET", "/v1/tournaments/{id}", Medium, General),
    ("GET", "/v1/tournaments/{id}/bracket", Medium, General),
    ("PATCH", "/v1/tournaments/{id}", Medium, General),
    ("DELETE", "/v1/tournaments/{id}/organizers/{username}", Medium, General),
    ("PUT", "/v1/tournaments/{id}/organizers/{username}", Medium, General),
    ("POST", "/v1/tournaments/{id}/cancel", Medium, General),
    ("POST", "/v1/tournaments/{id}/join", Medium, General),
    ("POST", "/v1/tournaments/{id}/leave", Light, General),
    ("GET", "/v1/tournaments/{id}/rounds", Medium, General),
    ("GET", "/v1/tournaments/{id}/rounds/{number}", Medium, General),
    ("POST", "/v1/tournaments/{id}/rounds/{number}/extend", Medium, General),
    ("GET", "/v1/tournaments/{id}/byes", Light, General),
    ("GET", "/v1/tournaments/{id}/crosstable", Heavy, General),
    ("PUT", "/v1/tournaments/{id}/late-entries/{username}", Medium, General),
    ("DELETE", "/v1/tournaments/{id}/rounds/{number}/byes/{username}", Medium, General),
    ("PUT", "/v1/tournaments/{id}/rounds/{number}/byes/{username}", Medium, General),
    ("GET", "/v1/tournaments/{id}/rounds/{number}/pairings", Medium, General),
    ("PUT", "/v1/tournaments/{id}/rounds/{number}/pairings", Medium, General),
    ("POST", "/v1/tournaments/{id}/rounds/{number}/release", Medium, General),
    ("GET", "/v1/tournaments/{id}/report", Heavy, General),
    ("GET", "/v1/tournaments/{id}/standings", Medium, General),
    ("POST", "/v1/tournaments/{id}/start", Heavy, General),
    ("GET", "/v1/turns", Light, General),
    ("GET", "/v1/variants", Light, General),
    ("GET", "/v1/variants/{id}", Light, General),
    ("GET", "/v1/webhooks", Light, General),
    ("POST", "/v1/webhooks", Light, Webhooks),
    ("DELETE", "/v1/webhooks/{id}", Light, Webhooks),
    ("GET", "/v1/webhooks/{id}", Light, General),
    ("PATCH", "/v1/webhooks/{id}", Light, Webhooks),
    ("GET", "/v1/webhooks/{id}/deliveries", Light, General),
    ("GET", "/v1/webhooks/{id}/deliveries/{delivery_id}", Light, General),
    ("POST", "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", Light, Webhooks),
    ("POST", "/v1/webhooks/{id}/secret", Light, Webhooks),
    ("POST", "/v1/webhooks/{id}/test", Light, Webhooks),
];

static TABLE: LazyLock<HashMap<(&str, &str), Charge>> = LazyLock::new(|| {
    let row =
        |(method, path, price, budget): &(_, _, _, _)| ((*method, *path), Charge { price: *price, budget: *budget });
    OPERATIONS.iter().map(row).collect()
});

/// The charge for an action without effect: a dry run, or a refused action. It is judged, and its answer is made.
pub const FRUITLESS_ACTION: Charge = Charge { price: Medium, budget: General };

/// The charge for a request. Requests outside the contract are light.
pub fn charge_of(request: &HttpRequest) -> Charge {
    let pattern = request.match_pattern().unwrap_or_default();
    let charge = price_list(request.method().as_str(), &pattern).unwrap_or(Charge::LIGHT);
    if charge.budget == Orders && is_dry_run(request.query_string()) { FRUITLESS_ACTION } else { charge }
}

/// True if the query asks for a dry run, parsed as the handler parses it.
fn is_dry_run(query: &str) -> bool {
    let pairs = web::Query::<Vec<(String, String)>>::from_query(query);
    pairs.is_ok_and(|pairs| pairs.iter().any(|(name, value)| name == "dry_run" && value == "true"))
}

/// The charge for an operation of the contract, by its method and its path with the names of its parameters.
pub fn price_list(method: &str, path: &str) -> Option<Charge> {
    TABLE.get(&(method, path)).copied()
}

/// The charge for making a record, for any operation that makes one.
pub fn of_record() -> Charge {
    Charge { price: Heavy, budget: General }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi;

    #[test]
    fn every_operation_of_the_contract_has_one_price() {
        let contract = openapi::document();
        let mut operations = Vec::new();
        for (path, item) in contract["paths"].as_object().unwrap() {
            operations.extend(item.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())));
        }
        let mut priced: Vec<_> =
            OPERATIONS.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned())).collect();
        operations.sort();
        priced.sort();
        assert_eq!(priced, operations);
    }

    #[test]
    fn reading_is_charged_by_its_price_and_moves_apart() {
        for &(method, path, price, budget) in OPERATIONS {
            let is_move = path == "/v1/matches/{id}/actions";
            assert_eq!(budget == Orders, is_move, "{method} {path}");
            assert!(!is_move || price == Light);
            if method == "GET" {
                assert_eq!(budget, General, "{path}");
            }
        }
    }
}
