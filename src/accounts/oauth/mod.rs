//! OAuth 2.1: apps that act for an account without its password.
//!
//! Apps are public clients and need no registration: any `client_id` is accepted, and PKCE (RFC 7636, S256) proves that
//! a code is exchanged by the app that requested it. Apps shown with a name and an owner are [`registered`]. A grant is
//! a session of the app with scopes: the family of its refresh tokens ([`super::sessions`]), listed and revoked in
//! [`apps`]. Users sign in and consent on pages of the service, which have cookie sessions ([`page_sessions`]); the API
//! has no cookies. One client is the service's own page ([`own_page`]), and gets a session instead of scopes.
//!
//! `api/oauth` has the HTTP pages and endpoints.

pub mod apps;
pub mod codes;
pub mod devices;
pub mod own_page;
pub mod page_sessions;
pub mod registered;
pub mod request;

use broadside_rules::card::Language;

use crate::error::{Error, ProblemKind, problem};

/// The refusal of an app's request: a code of RFC 6749 (5.2), and a sentence for the app's developers.
#[derive(Debug)]
pub struct OAuthError {
    /// Such as `invalid_grant`.
    pub code: &'static str,
    pub description: String,
}

impl OAuthError {
    pub fn new(code: &'static str, description: impl Into<String>) -> Self {
        Self { code, description: description.into() }
    }

    /// The request is malformed or incomplete.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new("invalid_request", description)
    }

    /// The grant is invalid, expired, or for another app.
    pub fn invalid_grant(description: impl Into<String>) -> Self {
        Self::new("invalid_grant", description)
    }
}

/// The reason why an app gets no tokens.
pub enum Refusal {
    /// An error of the app, or its owner's decision.
    OfTheApp(OAuthError),
    OfTheService(Error),
}

impl From<OAuthError> for Refusal {
    fn from(error: OAuthError) -> Self {
        Self::OfTheApp(error)
    }
}

impl From<Error> for Refusal {
    /// Missing permissions and exceeded app quotas become `invalid_grant`; all other errors stay as they are.
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
