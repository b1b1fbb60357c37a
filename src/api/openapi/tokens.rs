//! Security schemes of the contract: tokens of sessions, personal tokens, tokens of apps by OAuth, and tickets for
//! streams.

use serde_json::{Map, Value, json};
use strum::VariantArray;

use super::access;
use crate::accounts::Scope;

const fn allows(scope: Scope) -> &'static str {
    match scope {
        Scope::AccountRead => "Read the account, its mail address included.",
        Scope::AccountWrite => "Change what the account says of its owner.",
        Scope::LobbyRead => "Read challenges, ladders and tournaments as the account.",
        Scope::LobbyWrite => "Open, accept, decline and withdraw challenges; join ladders and tournaments.",
        Scope::MatchesRead => {
            "Read all that the account sees in its matches, also while they run: its hidden fleet, chat and notes."
        }
        Scope::MatchesPlay => "Act in matches, and chat.",
        Scope::WebhooksRead => "Read webhooks and their deliveries.",
        Scope::WebhooksWrite => "Make, change and delete webhooks.",
        Scope::Moderation => "Use the account's roles, if it has any.",
    }
}

/// The security schemes, by the names used in an operation's `security`.
pub fn schemes() -> Value {
    let bearer = |description: &str| json!({ "type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": description });
    let scopes: Map<String, Value> =
        Scope::VARIANTS.iter().map(|scope| (scope.into_str().to_owned(), json!(allows(*scope)))).collect();
    json!({
        access::BEARER: bearer(
            "An access token of a session (a JWT signed with EdDSA, good for 15 minutes, made by the best practice of \
             RFC8725), or a personal access token. Where an operation names a scope, a personal access token needs it; \
             a session's has them all."
        ),
        access::SESSION: bearer(
            "An access token of a session (a JWT signed with EdDSA, good for 15 minutes, made by the best practice of \
             RFC8725). No personal access token will do, whatever its scopes."
        ),
        access::OAUTH: {
            "type": "oauth2",
            "description": "How an app acts for a player without a password of theirs (OAuth 2.1, with PKCE and without a \
                secret): the player consents on the service's page, and the app gets a token with the scopes that were \
                agreed on (a JWT, made by the best practice of RFC8725), to be sent as `Authorization: Bearer`. The \
                metadata (RFC 8414) is at `/.well-known/oauth-authorization-server`; devices without a browser have a \
                flow of their own.",
            "flows": { "authorizationCode": {
                "authorizationUrl": "/oauth/authorize",
                "tokenUrl": "/oauth/token",
                "refreshUrl": "/oauth/token",
                "scopes": scopes,
            } },
        },
        access::TICKET: {
            "type": "apiKey",
            "in": "query",
            "name": "ticket",
            "description": "A ticket that opens one stream of events, once, within 30 seconds (`POST /v1/stream-tickets`): \
                for an `EventSource`, which can't send a token.",
        },
    })
}
