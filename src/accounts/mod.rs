//! Accounts: the identity and authentication of callers.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | register, change, delete | the account and its data | [`account`] |
//! | sign in, refresh, sign out | a session on one device | [`sessions`] |
//! | make, list, revoke | personal access tokens with scopes | [`tokens`] |
//! | make, use up | tickets that open one stream | [`stream_tickets`] |
//! | authentication | from a request's token to an [`Identity`] | [`authentication`] |
//! | let apps act for the account | OAuth 2.1: consent, codes, grants | [`oauth`] |
//! | require more than a password | codes of an authenticator app, recovery codes | [`second_factor`] |
//! | sign in without a password | keys of phones, computers and security keys | [`passkeys`] |
//! | play without a password | guests, who can become full accounts | [`guests`] |
//! | change the password | with the current one, or a passkey | [`password_change`] |
//! | lose the password, change the address | links to the confirmed address | [`recovery`], [`email_change`] |
//! | export | all stored data, for its owner | [`export`] |
//! | review activity | sign-ins with their origins, changes | [`security_log`] |
//! | fill in a profile | a line, a country, a club | [`profiles`] |
//! | change the username | the previous name stays reserved | [`username_change`] |
//! | restrict an account | suspensions, checked when something begins | [`suspension`] |
//! | extend an account | roles, checked where they are needed | [`roles`] |
//!
//! Supporting modules: types for names and addresses ([`names`]), lookalike names ([`lookalikes`]), passwords and
//! their hashes ([`passwords`]), credential checks ([`credentials`]) and limits for wrong passwords
//! ([`login_throttle`]), access tokens ([`jwt`]) and their signing keys ([`keys`]), random secrets ([`secrets`]).
//! Sending mail is deliberately not part of this module: security notices to owners are queued ([`notices`]).

pub mod account;
pub mod authentication;
pub mod credentials;
pub mod email_change;
pub mod export;
pub mod guests;
pub mod jwt;
pub mod keys;
pub mod login_throttle;
pub mod lookalikes;
pub mod names;
pub mod notices;
pub mod oauth;
pub mod passkeys;
pub mod password_change;
pub mod passwords;
pub mod profiles;
pub mod recovery;
pub mod roles;
pub mod second_factor;
pub mod secrets;
pub mod security_log;
pub mod sessions;
pub mod sign_out;
pub(crate) mod store;
pub mod stream_tickets;
pub mod suspension;
pub mod tokens;
pub mod username_change;

pub use account::Account;
pub use authentication::{authenticate, is_recognised};
pub use keys::rotate as rotate_keys;
pub use names::{Device, Email, NamePrefix, NewEmail, NewUsername, Username};
pub use passwords::{NewPassword, Password};
pub use roles::Role;
pub use secrets::RefreshToken;
pub use sessions::SessionSettings;
pub use suspension::Suspension;
pub use tokens::Scope;

use std::ops::Deref;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};
use crate::keys::PublicKey;
use crate::player::Player;

/// Account state: signing keys, cached tokens, failed sign-ins. Dereferences to the [`Context`].
pub struct Accounts {
    context: Arc<Context>,
    keys: keys::TokenKeys,
    token_cache: authentication::TokenCache,
    token_maker: secrets::TokenMaker,
    login_throttle: login_throttle::LoginThrottle,
    session_settings: SessionSettings,
    guest_settings: guests::GuestSettings,
    second_factor: second_factor::SecondFactorSettings,
    relying_party: passkeys::RelyingParty,
}

impl Accounts {
    /// Loads the signing keys and the checksum key, and creates the first ones if there are none. Safe to run on
    /// several nodes at the same time.
    pub async fn open(
        context: Arc<Context>,
        session_settings: SessionSettings,
        guest_settings: guests::GuestSettings,
        second_factor: second_factor::SecondFactorSettings,
        relying_party: passkeys::RelyingParty,
    ) -> Result<Self> {
        let mut tx = context.db.begin().await?;
        let mac_key = store::token_mac_key::find_or_insert(&mut tx, crate::context::random()).await?;
        tx.commit().await?;
        Ok(Self {
            keys: keys::TokenKeys::open(&context.db, &context.clock).await?,
            token_maker: secrets::TokenMaker::with_key(&mac_key)?,
            token_cache: authentication::TokenCache::new(),
            login_throttle: login_throttle::LoginThrottle::default(),
            session_settings,
            guest_settings,
            second_factor,
            relying_party,
            context,
        })
    }
}

impl Accounts {
    /// See [`secrets::TokenMaker::mark`].
    pub fn mark(&self, prefix: &str, text: &str) -> Result<Vec<u8>> {
        self.token_maker.mark(prefix, text)
    }

    /// The service's identity for authenticators.
    pub fn relying_party(&self) -> &passkeys::RelyingParty {
        &self.relying_party
    }
}

impl Deref for Accounts {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// A caller whose token was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    pub account: AccountId,
    /// As of the last look-up.
    pub username: Username,
    pub bot: bool,
    pub guest: bool,
    /// The session of the token; `None` for personal access tokens and apps.
    pub session: Option<SessionId>,
    pub app: Option<ActingApp>,
    /// The scopes of a personal access token or an app; sessions are unrestricted.
    pub scopes: Vec<Scope>,
    /// Roles that the account can't use even if it has them, because they require a second factor.
    pub barred_roles: Vec<Role>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActingApp {
    pub session: SessionId,
    /// The app's own name for itself.
    pub client_id: String,
}

impl Identity {
    /// The session of the token, either the account's own or an app's.
    pub fn any_session(&self) -> Option<SessionId> {
        self.session.or(self.app.as_ref().map(|app| app.session))
    }

    /// True if the token has `scope`; `None` requires a session.
    pub fn may(&self, scope: Option<Scope>) -> bool {
        self.session.is_some() || scope.is_some_and(|scope| self.scopes.contains(&scope))
    }

    pub fn player(&self) -> Player {
        Player { id: self.account, username: self.username.to_string(), bot: self.bot }
    }
}

/// The player with this name; deleted players are indistinguishable from nonexistent ones.
pub async fn find_player(ctx: &Context, name: &Username) -> Result<Player> {
    let mut conn = ctx.db.conn().await?;
    store::accounts::find_player(&mut conn, name).await?.ok_or_else(Error::not_found)
}

/// Players whose names begin with `prefix`, by name, starting after `after`. Deleted ones are left out.
pub async fn search(ctx: &Context, prefix: &NamePrefix, after: Option<&Username>, limit: i64) -> Result<Vec<Player>> {
    let mut conn = ctx.db.conn().await?;
    let after = after.map(Username::key).unwrap_or_default();
    store::search::search(&mut conn, prefix.key(), &after, limit).await
}

/// The account named by a filter, if any. An unknown name yields an id that no account has, so it selects nothing.
pub async fn find_named(ctx: &Context, name: Option<&Username>) -> Result<Option<AccountId>> {
    let Some(name) = name else { return Ok(None) };
    let found = store::accounts::find_player(&mut ctx.db.conn().await?, name).await?;
    Ok(Some(found.map_or(NOBODY, |player| player.id)))
}

const NOBODY: AccountId = AccountId(uuid::Uuid::nil());

/// The public keys that verify access tokens, newest first, as currently stored in the database.
pub async fn published_keys(accounts: &Accounts) -> Result<Vec<PublicKey>> {
    let mut conn = accounts.db.conn().await?;
    let ring = accounts.keys.read_again(&mut conn, accounts.clock.now()).await?;
    Ok(ring.public())
}

/// Deletes expired data, a bounded number of rows at a time, and returns the number of rows. Sessions go 30 days after
/// their end, refresh tokens a week after use (a stolen older one is still refused, but no longer ends the session),
/// authorization codes and password links after a day, stream tickets and given-up app names at their expiry, security
/// logs and former names after their own retention.
pub async fn forget_old(ctx: &Context) -> Result<usize> {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let now = ctx.clock.now();
    let mut tx = ctx.db.begin().await?;
    let sessions = store::sessions::delete_over_before(&mut tx, now.plus_ms(-30 * DAY_MS)).await?;
    let tokens = store::sessions::delete_used_before(&mut tx, now.plus_ms(-7 * DAY_MS)).await?;
    let codes = store::codes::delete_expired_before(&mut tx, now.plus_ms(-DAY_MS)).await?;
    let devices = store::devices::delete_expired_before(&mut tx, now.plus_ms(-DAY_MS)).await?;
    let tickets = store::stream_tickets::delete_over_before(&mut tx, now).await?;
    let links = store::recovery::delete_over_before(&mut tx, now.plus_ms(-DAY_MS)).await?;
    let challenges = store::second_factors::delete_over_before(&mut tx, now).await?;
    let app_names = store::registered_apps::free_over_before(&mut tx, now).await?;
    let events = security_log::forget_old(&mut tx, now).await?;
    let names = username_change::forget_old(&mut tx, now).await?;
    let passkeys = store::passkey_challenges::delete_over_before(&mut tx, now).await?;
    tx.commit().await?;
    Ok(sessions + tokens + codes + devices + tickets + links + challenges + app_names + events + names + passkeys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;
    use uuid::Uuid;

    fn identity(session: bool, scopes: &[Scope]) -> Identity {
        Identity {
            account: AccountId(Uuid::from_u128(1)),
            username: "anna".parse().unwrap(),
            bot: false,
            guest: false,
            session: session.then(|| SessionId(Uuid::from_u128(2))),
            app: None,
            scopes: scopes.to_vec(),
            barred_roles: Vec::new(),
        }
    }

    #[test]
    fn a_session_may_do_everything() {
        let session = identity(true, &[]);
        assert!(session.may(None));
        assert!(Scope::VARIANTS.iter().all(|scope| session.may(Some(*scope))));
    }

    #[test]
    fn a_personal_token_may_do_what_its_scopes_say() {
        let token = identity(false, &[Scope::MatchesRead]);
        assert!(token.may(Some(Scope::MatchesRead)));
        assert!(!token.may(Some(Scope::MatchesPlay)));
        assert!(!token.may(None), "no scope replaces a session");
        assert!(!identity(false, Scope::VARIANTS).may(None));
    }
}
