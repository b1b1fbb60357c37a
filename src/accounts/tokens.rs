//! Personal access tokens: for programs that act for an account without its password, each with only the scopes it
//! needs.

use broadside_rules::Time;

use super::Identity;
use super::secrets::{self, PERSONAL_PREFIX, TokenHash};
use super::security_log::{self, About, SecurityEventKind};
use crate::accounts::{Accounts, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, TokenId};
use crate::quotas::{self, Quota};
use crate::string_enums::string_enums;
use crate::texts::{line, texts};

string_enums! {
    /// What a personal access token may be allowed to do.
    pub enum Scope {
        /// Read the account, its e-mail address included.
        AccountRead = "account:read",
        /// Change what the account says of its owner.
        AccountWrite = "account:write",
        /// Read challenges as the account.
        LobbyRead = "lobby:read",
        /// Open, accept, decline and withdraw challenges.
        LobbyWrite = "lobby:write",
        /// Read all that the account sees in its matches, its hidden fleets included.
        MatchesRead = "matches:read",
        /// Act in matches.
        MatchesPlay = "matches:play",
        /// Read webhooks and their deliveries.
        WebhooksRead = "webhooks:read",
        /// Make, change and delete webhooks. A webhook receives all that can be read of matches, also after the token
        /// is revoked.
        WebhooksWrite = "webhooks:write",
        /// Use the account's roles, if it has any.
        Moderation = "moderation",
    }
}

texts! {
    /// What its owner calls a token: 1 to 60 characters on one line, not all of them blank.
    pub struct TokenName: |text| line(text, 1, 60);
}

/// A personal access token as its owner sees it, without its text.
#[derive(Clone)]
pub struct PersonalToken {
    pub id: TokenId,
    /// The owner's name for it.
    pub name: String,
    pub scopes: Vec<Scope>,
    pub created_at: Time,
    pub last_used_at: Option<Time>,
    /// The expiry, if any.
    pub expires_at: Option<Time>,
}

/// The account behind a personal access token, as stored.
pub struct TokenHolder {
    pub identity: Identity,
    pub last_used_at: Option<Time>,
    /// The expiry, if any.
    pub expires_at: Option<Time>,
}

/// A new token. Its text is shown once and not stored.
pub struct NewPersonalToken {
    pub token: String,
    pub stored: PersonalToken,
}

pub struct TokenRequest {
    /// The owner's name for it.
    pub name: TokenName,
    /// At least one.
    pub scopes: Vec<Scope>,
    /// The lifetime in seconds, if limited.
    pub expires_in_s: Option<u32>,
}

/// Makes a token in the caller's session. Fails with `token-unknown` when the session has ended since the caller was
/// identified (so that a session ended after a theft leaves no token behind), and with `quota-exceeded`.
pub async fn make(tx: &mut Tx, accounts: &Accounts, who: &Identity, wanted: TokenRequest) -> Result<NewPersonalToken> {
    if wanted.scopes.is_empty() {
        return Err(Error::invalid_at("/scopes", "invalid-value", "must name at least one scope"));
    }
    let now = accounts.clock.now();
    // The account's row is locked, so that two concurrent requests can't both take the last place.
    store::accounts::lock_exclusively(tx, who.account).await?;
    let session = who.session.ok_or_else(|| Error::plain(&problem::SESSION_REQUIRED))?;
    if !store::sessions::lock_living(tx, who.account, session, now).await? {
        return Err(Error::plain(&problem::TOKEN_UNKNOWN));
    }
    quotas::check(tx, who.account, now, &[Quota::Tokens]).await?;
    let mut scopes = wanted.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    let token = accounts.token_maker.make(PERSONAL_PREFIX, accounts.random())?;
    let stored = PersonalToken {
        id: accounts.new_id(),
        name: wanted.name.0,
        scopes,
        created_at: now,
        last_used_at: None,
        expires_at: wanted.expires_in_s.map(|seconds| now.plus_s(seconds)),
    };
    store::tokens::insert(tx, (who.account, session), &stored, &secrets::hash(&token)).await?;
    let about = About { session: Some(session), subject: Some(&stored.name) };
    security_log::record(tx, accounts, who.account, SecurityEventKind::TokenMade, about).await?;
    Ok(NewPersonalToken { token, stored })
}

/// A page of the account's tokens, newest first; expired ones stay until they are revoked.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    before: Option<TokenId>,
    limit: i64,
) -> Result<Vec<PersonalToken>> {
    store::tokens::page(conn, account, before, limit).await
}

/// Revokes one of the caller's tokens. `not-found` for other accounts' tokens.
pub async fn revoke(accounts: &Accounts, who: &Identity, id: TokenId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    let Some((hashed, name)) = store::tokens::delete(&mut tx, who.account, id).await? else {
        tx.roll_back().await?;
        return Err(Error::not_found());
    };
    let about = About { session: who.session, subject: Some(&name) };
    security_log::record(&mut tx, accounts, who.account, SecurityEventKind::TokenRevoked, about).await?;
    tx.commit().await?;
    if let Ok(hashed) = TokenHash::try_from(hashed.as_slice()) {
        accounts.token_cache.forget_token(&hashed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn scopes_are_read_back_by_name() {
        for &scope in <Scope as VariantArray>::VARIANTS {
            assert_eq!(scope.into_str().parse::<Scope>(), Ok(scope));
        }
        assert!("matches:*".parse::<Scope>().unwrap_err().0.contains("matches:play"));
    }

    #[test]
    fn a_token_has_a_printable_name() {
        assert!("my bot".parse::<TokenName>().is_ok());
        for bad in ["", "   ", "a\nb", "a\0", &"x".repeat(61)] {
            assert!(bad.parse::<TokenName>().is_err(), "{bad:?}");
        }
    }
}
