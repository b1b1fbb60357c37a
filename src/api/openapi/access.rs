//! Access to operations. A handler declares it in its `security`; this module writes the full form into the contract.
//!
//! The types of a handler's arguments (`api/http/auth.rs`) decide. A test sends requests with tokens of every kind to
//! every operation, and fails if the declaration differs from them.

use serde_json::{Value, json};

use crate::accounts::{Role, Scope};

/// An operation's requirement for tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// No token is read: the caller is about to sign in.
    Open,
    /// A token is optional. If sent, it must be valid; its scopes make no difference.
    Anyone,
    /// A token is optional, and may get a fuller answer. A personal one without this scope gets the stranger's view.
    Visitor(Scope),
    /// A token is required; a personal one must have this scope.
    Token(Scope),
    /// Like `Token`; a ticket that opens one stream is accepted instead.
    TokenOrTicket(Scope),
    /// The access token of a session is required; a personal one is refused.
    Session,
    /// A token of an account with this role is required; a personal one must have the scope `moderation`.
    Role(Role),
}

/// The 3.1 document's name of the tokens that any operation takes.
pub const BEARER: &str = "bearer";
/// The name of access tokens of sessions, for operations that take no other.
pub const SESSION: &str = "session";
/// The name of the tokens that apps get by OAuth.
pub const OAUTH: &str = "oauth";
/// The name of the tickets that open a stream.
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

    /// The `security` of the operation: alternatives, one of which is enough. An empty alternative needs no token;
    /// without alternatives no token is read. In 3.1 an alternative names the scope that a personal token needs.
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

    /// The requirement as a sentence for people.
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

    pub fn role(self) -> Option<Role> {
        match self {
            Self::Role(role) => Some(role),
            _ => None,
        }
    }

    /// True if a request without a token is refused.
    pub fn needs_token(self) -> bool {
        matches!(self, Self::Token(_) | Self::TokenOrTicket(_) | Self::Session | Self::Role(_))
    }
}

/// Writes the full `security` of an operation. Returns `None`, and writes none, if the handler's is unreadable; a test
/// finds that.
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
