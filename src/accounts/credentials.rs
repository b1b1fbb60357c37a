//! Checks of names with passwords, counts of failures, and warnings to the owner.

use super::account::{self, Account};
use super::names::Username;
use super::passwords::{self, Password, PasswordCheck};
use super::security_log::{self, About, SecurityEventKind};
use super::{Accounts, Identity, store};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::SignInFailuresEvent;
use crate::ids::AccountId;
use crate::rate_limits::RateLimitKey;
use crate::work_pool::Lane;

/// The minimum time between warnings about wrong passwords, in milliseconds: a day.
const WARN_EVERY_MS: i64 = 24 * 60 * 60 * 1000;

/// An account whose password was verified. Use it for one transaction that starts now: the password may change later.
pub struct VerifiedCredentials {
    pub account: Account,
    pub(super) password_hash: String,
    /// A stronger hash to store in its place.
    pub(super) better_hash: Option<String>,
}

/// Checks a name and a password; `from` is the origin of the request. An unknown name and a wrong password get the same
/// answer (`invalid-credentials`) after the same time; too many failures of one origin at one name get
/// `too-many-requests`.
pub async fn verify_credentials(
    accounts: &Accounts,
    from: RateLimitKey,
    name: &Username,
    password: Password,
) -> Result<VerifiedCredentials> {
    count_try(accounts, from, name)?;
    let judged = judge(accounts, from, name, password).await.inspect_err(|_| {
        // A failed check is no wrong password.
        accounts.login_throttle.take_back(from, &name.key());
    });
    match judged? {
        (PasswordCheck::Right { better_hash }, Some(account), Some(password_hash)) => {
            accounts.login_throttle.forgive(from, &name.key());
            Ok(VerifiedCredentials { account, password_hash, better_hash })
        }
        (_, account, _) => {
            if let (RateLimitKey::Address(_), Some(account)) = (from, account) {
                warn_owner(accounts, account.id, name).await;
            }
            Err(Error::plain(&problem::WRONG_CREDENTIALS))
        }
    }
}

/// The verdict on a password, and the account with this name and its hash, if it exists.
async fn judge(
    accounts: &Accounts,
    from: RateLimitKey,
    name: &Username,
    password: Password,
) -> Result<(PasswordCheck, Option<Account>, Option<String>)> {
    let mut conn = accounts.db.conn().await?;
    let found = store::accounts::credentials(&mut conn, name).await?;
    // Hashing takes long, and others need the connection.
    drop(conn);
    let (account, password_hash) = found.unzip();
    // Callers who aren't signed in share a lane, and delay only each other.
    let lane = if matches!(from, RateLimitKey::Address(_)) { Lane::SignIn } else { Lane::Heavy };
    let verdict = passwords::verify(&accounts.pool, lane, password, password_hash.clone()).await?;
    Ok((verdict, account, password_hash))
}

/// Warns the owner of many wrong passwords, at most once a day. A failure doesn't affect the answer to the last caller.
async fn warn_owner(accounts: &Accounts, account: AccountId, name: &Username) {
    let Some(failures) = accounts.login_throttle.many(&name.key()) else { return };
    let told = async {
        let now = accounts.clock.now();
        let mut tx = accounts.db.begin().await?;
        if !store::accounts::note_warning(&mut tx, account, now, now.plus_ms(-WARN_EVERY_MS)).await? {
            return tx.roll_back().await;
        }
        security_log::record(&mut tx, accounts, account, SecurityEventKind::SignInFailures, About::ACCOUNT).await?;
        let event = SignInFailuresEvent::at(now, failures).into();
        events::notify(&mut tx, accounts, events::notification(account, &[event])?).await?;
        tx.commit().await
    };
    match told.await {
        Ok(()) => tracing::warn!(%account, failures, "many wrong passwords were given for one account"),
        Err(error) => {
            tracing::warn!(%error, cause = error.cause().map(tracing::field::display), "the owner of an account could not be told of wrong passwords");
        }
    }
}

/// Without rate limits (tests, load) failures aren't counted either.
fn count_try(accounts: &Accounts, from: RateLimitKey, name: &Username) -> Result<()> {
    if accounts.rate_limits.is_none() {
        return Ok(());
    }
    accounts.login_throttle.count(from, &name.key(), accounts.clock.now())
}

/// The account of a caller who has proved ownership in another way.
pub(super) async fn of(accounts: &Accounts, who: &Identity) -> Result<VerifiedCredentials> {
    let mut conn = accounts.db.conn().await?;
    let account = account::find(&mut conn, who.account).await?;
    let found = store::accounts::credentials(&mut conn, &account.username).await?;
    let (account, password_hash) = found.ok_or_else(|| Error::plain(&problem::CONCURRENT_ACTION))?;
    Ok(VerifiedCredentials { account, password_hash, better_hash: None })
}

/// Checks the password of a signed-in caller; a wrong one is a fault at `pointer`. Guessing with a stolen access token
/// is no faster than for strangers.
pub async fn confirm_password(
    accounts: &Accounts,
    who: &Identity,
    password: Password,
    pointer: &str,
) -> Result<VerifiedCredentials> {
    // By its current name: the token may have been looked up before a change of the name.
    let account = account::find(&mut accounts.db.conn().await?, who.account).await?;
    if !account.has_password {
        let detail = "is not there: the account has none. Set one with `PUT /v1/account/password` and a passkey first";
        return Err(Error::invalid_at(pointer, "wrong-password", detail));
    }
    let verified = verify_credentials(accounts, RateLimitKey::Account(who.account), &account.username, password).await;
    verified.map_err(|error| {
        if error.problem().code == problem::WRONG_CREDENTIALS.code {
            Error::invalid_at(pointer, "wrong-password", "is not the password of this account")
        } else {
            error
        }
    })
}
