//! The operations open to guests, among those that need a token. Operations without a token are open to guests as to
//! everybody. The rule that guests play unrated is enforced where a match is agreed on
//! ([`crate::accounts::guests::check_rated`]).

use actix_web::HttpRequest;

use crate::accounts::Identity;
use crate::error::{Error, Result, problem};

/// Method and path.
const OPERATIONS: [(&str, &str); 36] = [
    // Their account
    ("GET", "/v1/account"),
    ("POST", "/v1/account/claim"),
    ("POST", "/v1/account/passkeys/challenges"),
    ("POST", "/v1/account/passkeys"),
    ("GET", "/v1/account/export"),
    ("GET", "/v1/account/calendar"),
    ("GET", "/v1/account/push-subscriptions"),
    ("POST", "/v1/account/push-subscriptions"),
    ("DELETE", "/v1/account/push-subscriptions/{id}"),
    ("GET", "/v1/sessions"),
    ("DELETE", "/v1/sessions/{id}"),
    // Opponents, and players to avoid
    ("POST", "/v1/challenges"),
    ("DELETE", "/v1/challenges/{id}"),
    ("POST", "/v1/challenges/{id}/accept"),
    ("POST", "/v1/challenges/{id}/decline"),
    ("POST", "/v1/matches/{id}/rematch"),
    ("POST", "/v1/abuse-reports/{subject}/{id}"),
    ("GET", "/v1/account/ladders"),
    ("GET", "/v1/account/blocks"),
    ("DELETE", "/v1/account/blocks/{username}"),
    ("PUT", "/v1/account/blocks/{username}"),
    ("GET", "/v1/account/mutes"),
    ("DELETE", "/v1/account/mutes/{username}"),
    ("PUT", "/v1/account/mutes/{username}"),
    // Their matches
    ("GET", "/v1/account/matches"),
    ("GET", "/v1/events"),
    ("POST", "/v1/stream-tickets"),
    ("GET", "/v1/turns"),
    ("POST", "/v1/matches/{id}/actions"),
    ("DELETE", "/v1/matches/{id}/standing-orders"),
    ("GET", "/v1/matches/{id}/standing-orders"),
    ("PUT", "/v1/matches/{id}/standing-orders"),
    ("GET", "/v1/matches/{id}/chat/{room}"),
    ("POST", "/v1/matches/{id}/chat/{room}/{number}/report"),
    ("GET", "/v1/matches/{id}/notes"),
    ("PUT", "/v1/matches/{id}/notes"),
];

/// True if guests may use the operation with this method (in capitals) and path, which needs a token.
pub fn may_ask(method: &str, path: &str) -> bool {
    OPERATIONS.contains(&(method, path))
}

/// Fails with `guest-not-allowed` if a guest uses any other operation.
pub fn check(request: &HttpRequest, who: &Identity) -> Result<()> {
    let pattern = request.match_pattern().unwrap_or_default();
    if !who.guest || may_ask(request.method().as_str(), &pattern) {
        return Ok(());
    }
    Err(Error::plain(&problem::GUEST_NOT_ALLOWED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi;
    use serde_json::json;

    #[test]
    fn the_table_names_operations_that_need_a_token() {
        let contract = openapi::document();
        for (method, path) in OPERATIONS {
            let security = contract["paths"][path][method.to_lowercase()]["security"].as_array().unwrap();
            assert!(!security.is_empty() && !security.contains(&json!({})), "{method} {path} needs no token");
        }
    }
}
