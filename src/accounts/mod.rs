//! Accounts: who callers are, and how they prove it.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | register, change, delete | what is known of an account | [`account`] |
//! | sign in, refresh, sign out | a session on one device | [`sessions`] |
//! | make, list, revoke | personal access tokens with scopes | [`tokens`] |
//! | make, use up | tickets that open one stream | [`stream_tickets`] |
//! | authentication | from a request's token to an [`Identity`] | [`authentication`] |
//! | let apps act for the account | OAuth 2.1: consent, codes, grants | [`oauth`] |
//! | ask for more than a password | codes of an authenticator app, recovery codes | [`second_factor`] |
//! | come without a password | keys of phones, computers and security keys | [`passkeys`] |
//! | play without a password | guests, who may become accounts like others | [`guests`] |
//! | change the password | by the one so far, or a passkey | [`password_change`] |
//! | lose the password, change the address | links to the confirmed address | [`recovery`], [`email_change`] |
//! | take everything along | all that is stored, for its owner | [`export`] |
//! | see what was done | who has signed in from where, what was changed | [`security_log`] |
//! | say something of oneself | a line, a country, a club | [`profiles`] |
//! | be called otherwise | the name before is kept from others | [`username_change`] |
//! | be less than a player | a suspension, asked for where something begins | [`suspension`] |
//! | be more than a player | roles, asked for where they are needed | [`roles`] |
//!
//! Beneath: names and addresses as types ([`names`]), names that look alike ([`lookalikes`]), passwords and their
//! hashes ([`passwords`]), names with passwords that are checked ([`credentials`]) and how often a wrong one may be
//! given ([`login_throttle`]), access tokens ([`jwt`]) and the keys that sign them ([`keys`]), random secrets
//! ([`secrets`]). Mail is deliberately not here: an address is kept, and never written to. What its owner is to be told
//! about the account's security is queued ([`notices`]).

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

/// The accounts: signing keys, remembered tokens, failed sign-ins. It dereferences to the
/// [`Context`].
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
    /// Reads the signing keys and the key of the checksums, and makes the first ones if there are none. Nodes may do so
    /// at the same time.
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

    /// The service as authenticators know it.
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
    /// The username, as of the last look-up.
    pub username: Username,
    /// Whether it is marked as a program.
    pub bot: bool,
    pub guest: bool,
    /// The session of the token; `None` for a personal access token, and for that of an app.
    pub session: Option<SessionId>,
    pub app: Option<ActingApp>,
    /// What a personal access token or an app may do; a session may do everything.
    pub scopes: Vec<Scope>,
    /// The roles that the account may not use, even if it has them: they want a second factor.
    pub barred_roles: Vec<Role>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActingApp {
    pub session: SessionId,
    /// What it calls itself.
    pub client_id: String,
}

impl Identity {
    /// The session that the token belongs to, the account's own or an app's.
    pub fn any_session(&self) -> Option<SessionId> {
        self.session.or(self.app.as_ref().map(|app| app.session))
    }

    /// Whether the token may do what needs `scope`; with `None`, what needs a session.
    pub fn may(&self, scope: Option<Scope>) -> bool {
        self.session.is_some() || scope.is_some_and(|scope| self.scopes.contains(&scope))
    }

    /// The account as others see it.
    pub fn player(&self) -> Player {
        Player { id: self.account, username: self.username.to_string(), bot: self.bot }
    }
}

/// The player of this name; a deleted one can't be told from one who never was.
pub async fn find_player(ctx: &Context, name: &Username) -> Result<Player> {
    let mut conn = ctx.db.conn().await?;
    store::accounts::find_player(&mut conn, name).await?.ok_or_else(Error::not_found)
}

/// Players whose names begin with `prefix`, by name, from behind `after` on. Deleted ones are not found.
pub async fn search(ctx: &Context, prefix: &NamePrefix, after: Option<&Username>, limit: i64) -> Result<Vec<Player>> {
    let mut conn = ctx.db.conn().await?;
    let after = after.map(Username::key).unwrap_or_default();
    store::search::search(&mut conn, prefix.key(), &after, limit).await
}

/// Whom a filter names, if there is one. A name that no player has selects nothing: it stands for an id that no account
/// has.
pub async fn find_named(ctx: &Context, name: Option<&Username>) -> Result<Option<AccountId>> {
    let Some(name) = name else { return Ok(None) };
    let found = store::accounts::find_player(&mut ctx.db.conn().await?, name).await?;
    Ok(Some(found.map_or(NOBODY, |player| player.id)))
}

const NOBODY: AccountId = AccountId(uuid::Uuid::nil());

/// The public keys with which access tokens can be verified, the newest first, as the database has them at this moment.
pub async fn published_keys(accounts: &Accounts) -> Result<Vec<PublicKey>> {
    let mut conn = accounts.db.conn().await?;
    let ring = accounts.keys.read_again(&mut conn, accounts.clock.now()).await?;
    Ok(ring.public())
}

/// Deletes sessions that have been over for 30 days, and refresh tokens that were used more than a week ago: a stolen
/// one that old is refused all the same, only without ending the session. Authorization codes and links for lost
/// passwords go after a day, tickets for streams and names of apps that were given up when their time is over, security
/// logs and former names as they say. A bounded number of rows at a time; returns how many.
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
