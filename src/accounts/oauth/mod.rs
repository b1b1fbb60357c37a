//! OAuth 2.1: apps that act for an account without its password.
//!
//! Apps are public clients and need no registration: any `client_id` will do, and PKCE (RFC 7636, S256) proves that who
//! exchanges a code is who asked for it. Those that want to be shown with a name and an owner are [`registered`]. What
//! an account lets an app do is a session of the app's own, with scopes: the family of its refresh tokens
//! ([`super::sessions`]), listed and revoked in [`apps`]. People sign in and consent on pages of the service, which
//! have a session by cookie ([`page_sessions`]); the API has no cookies. One client is the
//! service's own page ([`own_page`]), and gets a session instead of scopes.
//!
//! Here is no HTTP: `api/oauth` has the pages and the endpoints.

pub mod apps;
pub mod codes;
pub mod devices;
pub mod own_page;
pub mod page_sessions;
pub mod registered;
pub mod request;

use broadside_rules::card::Language;

use crate::error::{Error, ProblemKind, problem};

/// Why a request of an app is refused: a code of RFC 6749 (5.2), and a sentence for the app's developers.
#[derive(Debug)]
pub struct OAuthError {
    /// The code, such as `invalid_grant`.
    pub code: &'static str,
    pub description: String,
}

impl OAuthError {
    pub fn new(code: &'static str, description: impl Into<String>) -> Self {
        Self { code, description: description.into() }
    }

    /// The request can't be read, or lacks something.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new("invalid_request", description)
    }

    /// What was granted isn't good, or no longer, or not for this app.
    pub fn invalid_grant(description: impl Into<String>) -> Self {
        Self::new("invalid_grant", description)
    }
}

/// Why an app gets no tokens.
pub enum Refusal {
    /// The app's fault, or its owner's will.
    OfTheApp(OAuthError),
    OfTheService(Error),
}

impl From<OAuthError> for Refusal {
    fn from(error: OAuthError) -> Self {
        Self::OfTheApp(error)
    }
}

impl From<Error> for Refusal {
    /// What the caller may not do is `invalid_grant`, and so is one app too many; everything else stays what it is.
    fn from(error: Error) -> Self {
        match error.problem().kind {
            _ if error.problem().code == problem::TOO_MANY_OPEN.code => {
                Self::OfTheApp(OAuthError::invalid_grant(error.detail(Language::English).as_ref()))
            }
            ProblemKind::Unauthenticated | ProblemKind::Forbidden => {
                Self::OfTheApp(OAuthError::invalid_grant(error.problem().meaning_in(Language::English)))
            }
            _ => Self::OfTheService(error),
        }
    }
}
