//! Authentication: from a request's token to its account.
//!
//! Verifying a signature takes 40 to 120 µs of a core, so a valid token is cached (under its hash) until it expires.
//! The session or the personal token behind it is checked again after 30 seconds: so a sign-out takes
//! effect on every node within that time, and at once on the node that handles it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use broadside_rules::Time;
use quick_cache::sync::Cache;

use super::jwt::Claims;
use super::oauth::apps::AppGrant;
use super::second_factor;
use super::secrets::{self, PERSONAL_PREFIX, TokenHash};
use super::sessions::SessionHolder;
use super::stream_tickets::TicketOrigin;
use super::{ActingApp, Identity, Scope};
use crate::accounts::{Accounts, store};
use crate::context::Context;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};

/// The time for which a cached token is trusted without a check, in milliseconds.
pub(super) const TRUST_MS: i64 = 30_000;
/// The maximum length of a token, in bytes; ours have about 400.
const LONGEST: usize = 2048;
/// The minimum interval between records of a personal token's use, in milliseconds.
const NOTE_EVERY_MS: i64 = 60_000;
/// The maximum number of cached tokens; some hundred bytes each.
const CAPACITY: usize = 100_000;

/// A valid token.
#[derive(Clone)]
struct CachedToken {
    identity: Arc<Identity>,
    expires_at: Time,
    asked_at: Time,
}

/// The tokens that this node has found valid, and those that it has looked up in vain.
pub struct TokenCache {
    tokens: Cache<TokenHash, CachedToken>,
    /// Tokens that looked valid, but were not found.
    refused: Cache<TokenHash, ()>,
    /// Counts invalidations, so that a lookup running during a sign-out doesn't cache the token again.
    forgotten: AtomicU64,
}

impl TokenCache {
    pub fn new() -> Self {
        Self { tokens: Cache::new(CAPACITY), refused: Cache::new(CAPACITY), forgotten: AtomicU64::new(0) }
    }

    /// Removes the tokens of a session that has ended.
    pub fn forget_session(&self, session: SessionId) {
        self.forget(|identity| identity.any_session() == Some(session));
    }

    /// Removes the tokens of an account, except those of the session `kept`.
    pub fn forget_all_but(&self, account: AccountId, kept: Option<SessionId>) {
        self.forget(|identity| identity.account == account && (identity.session.is_none() || identity.session != kept));
    }

    pub fn forget_account(&self, account: AccountId) {
        self.forget(|identity| identity.account == account);
    }

    pub fn forget_token(&self, token: &TokenHash) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.tokens.remove(token);
    }

    fn forget(&self, whom: impl Fn(&Identity) -> bool) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.tokens.retain(|_, remembered| !whom(&remembered.identity));
    }

    /// Caches a token, unless something was invalidated since `then` (a value of [`TokenCache::count`]).
    fn remember(&self, token: TokenHash, found: CachedToken, then: u64) {
        self.tokens.insert(token, found);
        if self.count() != then {
            self.tokens.remove(&token);
        }
    }

    /// The number of invalidations.
    pub(super) fn count(&self) -> u64 {
        self.forgotten.load(Ordering::SeqCst)
    }
}

impl Default for TokenCache {
    fn default() -> Self {
        Self::new()
    }
}

/// True if a token may be looked up without further demands on its sender: it is cached as valid, or its signature or
/// checksum will decide without a look-up. All other tokens could be invented.
pub fn is_recognised(accounts: &Accounts, token: &str) -> bool {
    !secrets::is_well_formed(PERSONAL_PREFIX, token)
        || accounts.token_maker.has_made(PERSONAL_PREFIX, token)
        || accounts.token_cache.tokens.peek(&secrets::hash(token)).is_some()
}

/// The identity behind a bearer token: an access token of a session, or a personal access token.
///
/// Fails with `token-malformed`, `token-invalid`, `token-expired` or `token-unknown`, and with `unavailable` when the
/// database can't be reached.
pub async fn authenticate(accounts: &Accounts, token: &str) -> Result<Arc<Identity>> {
    let is_personal = token.starts_with(PERSONAL_PREFIX);
    let is_whole = token.len() <= LONGEST && (!is_personal || secrets::is_well_formed(PERSONAL_PREFIX, token));
    if !is_whole {
        return Err(Error::plain(&problem::TOKEN_MALFORMED));
    }
    let refused = || Error::plain(&problem::TOKEN_UNKNOWN);
    let now = accounts.clock.now();
    let token_cache = &accounts.token_cache;
    let hashed = secrets::hash(token);
    let known = token_cache.tokens.get(&hashed).filter(|known| now < known.expires_at);
    if let Some(known) = &known
        && (0..TRUST_MS).contains(&now.millis_since(known.asked_at))
    {
        return Ok(Arc::clone(&known.identity));
    }
    // A refused token never becomes valid again: its session has ended, or it was revoked.
    if token_cache.refused.get(&hashed).is_some() {
        return Err(refused());
    }
    let then = token_cache.count();
    let found = if is_personal {
        let found = of_personal_token(accounts, &hashed, now).await;
        found.map(|found| found.map(|(identity, expires_at)| (identity, expires_at, false)))
    } else {
        let remembered = known.as_ref().and_then(CachedToken::claims);
        let claims = match remembered {
            Some(claims) => claims,
            None => accounts.keys.verify(&accounts.db, token, now).await?,
        };
        of_session(accounts, claims, now).await
    };
    match found? {
        Some((identity, expires_at, by_passkey)) => {
            let barred_roles = second_factor::barred_roles(accounts, identity.account, by_passkey).await?;
            let identity = Arc::new(Identity { barred_roles, ..identity });
            let found = CachedToken { identity: Arc::clone(&identity), expires_at, asked_at: now };
            token_cache.remember(hashed, found, then);
            Ok(identity)
        }
        None => {
            token_cache.tokens.remove(&hashed);
            token_cache.refused.insert(hashed, ());
            Err(refused())
        }
    }
}

/// The origin of a valid token, and its expiry, if any.
pub(super) async fn expiry(accounts: &Accounts, token: &str) -> Result<(TicketOrigin, Option<Time>)> {
    let (hashed, now) = (secrets::hash(token), accounts.clock.now());
    if token.starts_with(PERSONAL_PREFIX) {
        let mut conn = accounts.db.conn().await?;
        let found = store::tokens::holder(&mut conn, &hashed, now).await?;
        let found = found.ok_or_else(|| Error::plain(&problem::TOKEN_UNKNOWN))?;
        return Ok((TicketOrigin::PersonalToken(hashed), found.expires_at));
    }
    let remembered = accounts.token_cache.tokens.get(&hashed).and_then(|known| known.claims());
    let claims = match remembered {
        Some(claims) => claims,
        None => accounts.keys.verify(&accounts.db, token, now).await?,
    };
    Ok((TicketOrigin::Session(claims.session), Some(claims.expires_at)))
}

impl CachedToken {
    /// The claims as of the verification of the signature.
    fn claims(&self) -> Option<Claims> {
        let session = self.identity.any_session()?;
        Some(Claims { account: self.identity.account, session, expires_at: self.expires_at })
    }
}

/// The holder of a session, the token's expiry, and whether a passkey opened the session.
async fn of_session(ctx: &Context, claims: Claims, now: Time) -> Result<Option<(Identity, Time, bool)>> {
    let mut conn = ctx.db.conn().await?;
    let holder = store::sessions::holder(&mut conn, claims.account, claims.session, now).await?;
    Ok(holder.map(|holder| {
        let SessionHolder { username, bot, guest, app, by_passkey } = holder;
        let (session, scopes, app) = match app {
            None => (Some(claims.session), <Scope as strum::VariantArray>::VARIANTS.to_vec(), None),
            Some(AppGrant { client_id, scopes }) => {
                (None, scopes, Some(ActingApp { session: claims.session, client_id }))
            }
        };
        let barred_roles = Vec::new();
        let identity = Identity { account: claims.account, username, bot, guest, session, app, scopes, barred_roles };
        (identity, claims.expires_at, by_passkey)
    }))
}

async fn of_personal_token(ctx: &Context, hashed: &TokenHash, now: Time) -> Result<Option<(Identity, Time)>> {
    let mut conn = ctx.db.conn().await?;
    let Some(found) = store::tokens::holder(&mut conn, hashed, now).await? else { return Ok(None) };
    drop(conn);
    let noted_lately = |then: Time| now.millis_since(then) < NOTE_EVERY_MS;
    if !found.last_used_at.is_some_and(noted_lately) {
        note_use(ctx, hashed, now).await;
    }
    let never = Time(i64::MAX);
    Ok(Some((found.identity, found.expires_at.unwrap_or(never))))
}

/// Records the use of a personal token. A failure to do so doesn't refuse the request.
async fn note_use(ctx: &Context, hashed: &TokenHash, now: Time) {
    let noted = async {
        let mut tx = ctx.db.begin().await?;
        store::tokens::note_use(&mut tx, hashed, now).await?;
        tx.commit().await
    };
    if let Err(error) = noted.await {
        tracing::warn!(code = error.problem().code, "the use of a personal token could not be noted");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn remembered(account: u128, session: Option<u128>) -> CachedToken {
        let identity = Identity {
            account: AccountId(Uuid::from_u128(account)),
            username: "anna".parse().unwrap(),
            bot: false,
            guest: false,
            session: session.map(|session| SessionId(Uuid::from_u128(session))),
            app: None,
            scopes: Vec::new(),
            barred_roles: Vec::new(),
        };
        CachedToken { identity: Arc::new(identity), expires_at: Time(1), asked_at: Time(0) }
    }

    fn token_cache() -> TokenCache {
        let token_cache = TokenCache::new();
        for (token, account, session) in [(1, 1, Some(1)), (2, 1, Some(2)), (3, 1, None), (4, 2, Some(3))] {
            token_cache.remember([token; 32], remembered(account, session), token_cache.count());
        }
        token_cache
    }

    fn known(token_cache: &TokenCache) -> Vec<u8> {
        (0..9).filter(|token| token_cache.tokens.get(&[*token; 32]).is_some()).collect()
    }

    #[test]
    fn forgetting_reaches_what_it_names_and_nothing_else() {
        let anna = AccountId(Uuid::from_u128(1));
        let session = SessionId(Uuid::from_u128(1));
        let after = |forget: &dyn Fn(&TokenCache)| {
            let token_cache = token_cache();
            forget(&token_cache);
            known(&token_cache)
        };
        assert_eq!(after(&|_| ()), [1, 2, 3, 4]);
        assert_eq!(after(&|token_cache| token_cache.forget_session(session)), [2, 3, 4]);
        assert_eq!(after(&|token_cache| token_cache.forget_all_but(anna, Some(session))), [1, 4]);
        assert_eq!(after(&|token_cache| token_cache.forget_all_but(anna, None)), [4]);
        assert_eq!(after(&|token_cache| token_cache.forget_account(anna)), [4]);
        assert_eq!(after(&|token_cache| token_cache.forget_token(&[3; 32])), [1, 2, 4]);
    }

    #[test]
    fn a_sign_out_meanwhile_wins() {
        let token_cache = TokenCache::new();
        let then = token_cache.count();
        token_cache.forget_session(SessionId(Uuid::from_u128(1)));
        token_cache.remember([1; 32], remembered(1, Some(1)), then);
        assert!(known(&token_cache).is_empty());
    }
}
