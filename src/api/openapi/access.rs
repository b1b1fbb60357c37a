//! Access to operations. The `security` of a handler declares it; the contract gets the full form from here.
//!
//! The handlers say the same in the types of their arguments (`api/http/auth.rs`), which decide. A test sends requests
//! with tokens of every sort to every operation, and fails when the two differ.

use serde_json::{Value, json};

use crate::accounts::{Role, Scope};

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

/// How the 3.1 document names the tokens that any operation takes.
pub const BEARER: &str = "bearer";
/// How it names the access tokens of sessions, where no other will do.
pub const SESSION: &str = "session";
/// How it names the tokens that apps get by OAuth.
pub const OAUTH: &str = "oauth";
/// How it names the tickets that open a stream.
pub const TICKET: &str = "ticket";
/// The name of a required role in the `security` of a handler.
const ROLE: &str = "role";

impl Access {
    /// Reads the `security` of a handler:
    ///
    /// | `security` | access |
    /// |---|---|
    /// | `(())` | `Open` |
    /// | `((), ("bearer" = []))` | `Anyone` |
    /// | `((), ("bearer" = ["lobby:read"]))` | `Visitor` |
    /// | `(("bearer" = ["lobby:read"]))` | `Token` |
    /// | `(("bearer" = ["lobby:read"]), ("ticket" = []))` | `TokenOrTicket` |
    /// | `(("session" = []))` | `Session` |
    /// | `(("role" = ["moderator"]))` | `Role` |
    fn declared(security: &Value) -> Option<Self> {
        let ways = security.as_array()?;
        let way = |name: &str| ways.iter().find_map(|way| way.get(name)?.as_array());
        if let Some(role) = way(ROLE) {
            return Some(Self::Role(role.first()?.as_str()?.parse().ok()?));
        }
        if way(SESSION).is_some() {
            return Some(Self::Session);
        }
        let needs_none = ways.iter().any(|way| *way == json!({}));
        let Some(scopes) = way(BEARER) else { return needs_none.then_some(Self::Open) };
        let Some(scope) = scopes.first() else { return needs_none.then_some(Self::Anyone) };
        let scope: Scope = scope.as_str()?.parse().ok()?;
        Some(match (needs_none, way(TICKET)) {
            (true, _) => Self::Visitor(scope),
            (false, None) => Self::Token(scope),
            (false, Some(_)) => Self::TokenOrTicket(scope),
        })
    }

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

/// Writes the full `security` of an operation. None, and no `security`, if the handler's can't be read; a test finds
/// that.
pub fn write(operation: &mut Value) -> Option<Access> {
    let declared = operation["security"].take();
    let access = Access::declared(&declared)?;
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

    #[test]
    fn a_handler_says_what_it_asks() {
        let declared = |security: Value| Access::declared(&security);
        assert_eq!(declared(json!([{}])), Some(Access::Open));
        assert_eq!(declared(json!([{}, { "bearer": [] }])), Some(Access::Anyone));
        let lobby = json!({ "bearer": ["lobby:read"] });
        assert_eq!(declared(json!([{}, lobby])), Some(Access::Visitor(Scope::LobbyRead)));
        assert_eq!(declared(json!([lobby])), Some(Access::Token(Scope::LobbyRead)));
        assert_eq!(declared(json!([lobby, { "ticket": [] }])), Some(Access::TokenOrTicket(Scope::LobbyRead)));
        assert_eq!(declared(json!([{ "session": [] }])), Some(Access::Session));
        assert_eq!(declared(json!([{ "role": ["moderator"] }])), Some(Access::Role(Role::Moderator)));
        let unreadable = [json!([]), json!([{ "bearer": [] }]), json!([{ "bearer": ["no:such"] }]), Value::Null];
        assert!(unreadable.into_iter().all(|security| declared(security).is_none()));
    }

    #[test]
    fn every_operation_of_the_contract_says_what_it_asks() {
        for (path, item) in crate::api::openapi::document()["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                assert!(operation["security"].is_array(), "{method} {path}: its `security` can't be read");
            }
        }
    }
}
