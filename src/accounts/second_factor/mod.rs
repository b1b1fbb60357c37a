//! A second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when it is lost.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | set up, replace, remove | management by the account's owner | here |
//! | judge a code | single use, limited wrong attempts | [`codes`] |
//! | sign in | a right password opens a challenge, and a code answers it | [`challenges`] |
//!
//! It can't be bypassed: every way to a session with a password ends in [`challenges`], and a link for a lost
//! password signs nobody in. Only its owner (with the password and a code) or the operator removes it.

pub mod challenges;
pub mod codes;

use broadside_rules::Time;
use totp_rs::{Builder, Totp};

use self::codes::{Code, Judged};
use super::credentials::{self, VerifiedCredentials};
use super::notices::{self, NoticeKind};
use super::security_log::{self, About, SecurityEventKind};
use super::sessions::{self, take_confirmed};
use super::{Accounts, Identity, Password, Role, account, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::sealing::{self, SealingKey};

const RECOVERY_CODES: usize = 10;
/// Time to confirm a new second factor, in seconds: a quarter of an hour.
const SETUP_S: u32 = 15 * 60;

/// Encryption of stored second factors, and the roles that require one.
#[derive(Clone, Debug, Default)]
pub struct SecondFactorSettings {
    pub sealing_key: Option<SealingKey>,
    /// Roles that can't be used without a second factor.
    pub required_for: Vec<Role>,
}

/// The second factor as its owner sees it.
pub struct SecondFactorStatus {
    /// The time since which sign-ins require a code; `None`: they don't.
    pub enabled_at: Option<Time>,
    pub recovery_codes_left: u32,
}

/// A second factor that is being set up. It has no `Debug`, so that its secret can't be logged by accident.
pub struct Setup {
    /// The secret in base32, for manual entry.
    pub secret: String,
    /// The secret as an `otpauth://totp/…` URI for authenticator apps, to be shown as a QR code or a link.
    pub uri: String,
}

/// A second factor as stored.
pub struct StoredFactor {
    /// The secret, encrypted if a key is configured.
    pub secret: Vec<u8>,
    /// The time since which it is required; `None`: it is being set up.
    pub enabled_at: Option<Time>,
    /// The time step of the last accepted code.
    pub last_step: i64,
    /// The number of wrong codes.
    pub failures: u32,
    pub failures_since: Option<Time>,
    /// The time when its secret was drawn.
    pub begun_at: Time,
}

/// The effect of enabling the second factor on personal access tokens.
pub use account::PersonalTokens;

/// The context to which an encrypted secret is bound.
fn owner_of(account: AccountId) -> Vec<u8> {
    [b"totp".as_slice(), account.0.as_bytes()].concat()
}

/// The code generator of a stored secret.
fn totp(accounts: &Accounts, account: AccountId, stored: &StoredFactor) -> Result<Totp> {
    let key = accounts.second_factor.sealing_key.as_ref();
    let secret = sealing::open(&stored.secret, &owner_of(account), key);
    let secret = secret.ok_or_else(|| {
        Error::internal("a second factor can't be opened: is the sealing key the one that it was sealed with?")
    })?;
    Builder::new().with_secret(secret).build().map_err(Error::internal)
}

pub async fn status(conn: &mut Conn, account: AccountId) -> Result<SecondFactorStatus> {
    let stored = store::second_factors::find(conn, account).await?;
    let enabled_at = stored.and_then(|stored| stored.enabled_at);
    let left = store::second_factors::recovery_codes_left(conn, account).await?;
    Ok(SecondFactorStatus { enabled_at, recovery_codes_left: left })
}

/// True if sign-ins require a code.
pub(super) async fn is_enabled(conn: &mut Conn, account: AccountId) -> Result<bool> {
    Ok(store::second_factors::find(conn, account).await?.is_some_and(|stored| stored.enabled_at.is_some()))
}

/// Fails with `second-factor-required` when sign-ins require a code: it may have been set up while the password was
/// being checked.
pub(super) async fn require_none(tx: &mut Tx, account: AccountId) -> Result<()> {
    if is_enabled(tx, account).await? { Err(Error::plain(&problem::SECOND_FACTOR_REQUIRED)) } else { Ok(()) }
}

/// The roles that the account can't use because it lacks a second factor. A passkey sign-in (`by_passkey`) counts as
/// two factors.
pub(super) async fn barred_roles(accounts: &Accounts, account: AccountId, by_passkey: bool) -> Result<Vec<Role>> {
    let required = &accounts.second_factor.required_for;
    if required.is_empty() || by_passkey || is_enabled(&mut accounts.db.conn().await?, account).await? {
        return Ok(Vec::new());
    }
    Ok(required.clone())
}

/// Begins a setup: draws the secret, which has no effect before [`confirm`]. Fails with `already-done` when there is a
/// second factor. The app shows `issuer` beside the account's name.
pub async fn set_up(tx: &mut Tx, accounts: &Accounts, credentials: VerifiedCredentials, issuer: &str) -> Result<Setup> {
    let account = take_confirmed(tx, credentials).await?;
    if is_enabled(tx, account.id).await? {
        return Err(Error::new(&problem::ALREADY_DONE, "There is a second factor already; remove it first."));
    }
    let secret: [u8; 20] = accounts.random();
    let key = accounts.second_factor.sealing_key.as_ref();
    let sealed = sealing::seal(&secret, &owner_of(account.id), key, accounts.random())?;
    store::second_factors::begin(tx, account.id, &sealed, accounts.clock.now()).await?;
    let named = Builder::new().with_secret(secret).with_account_name(account.username.as_str());
    let totp = named.with_issuer(Some(issuer)).build().map_err(Error::internal)?;
    Ok(Setup { secret: totp.secret().to_base32(), uri: totp.to_url().map_err(Error::internal)? })
}

/// Proves that the app has the secret: from now on sign-ins require a code. Every other session ends, including those
/// of apps, because it was opened without one; `tokens` decides on personal access tokens. Returns the recovery codes,
/// which are shown only once. A wrong code is a fault at `/code`; without a setup begun in the last quarter of an hour,
/// it is `not-found`. Fails with `token-unknown` when the session has ended since the caller was identified.
pub async fn confirm(
    tx: &mut Tx,
    accounts: &Accounts,
    who: &Identity,
    code: &Code,
    tokens: PersonalTokens,
) -> Result<Vec<String>> {
    let now = accounts.clock.now();
    store::accounts::lock_exclusively(tx, who.account).await?;
    sessions::require_living(tx, accounts, who).await?;
    let pending = store::second_factors::lock(tx, who.account).await?;
    let is_fresh = |pending: &StoredFactor| pending.enabled_at.is_none() && now < pending.begun_at.plus_s(SETUP_S);
    let Some(pending) = pending.filter(is_fresh) else {
        return Err(Error::not_found());
    };
    let totp = totp(accounts, who.account, &pending)?;
    let Some(step) = codes::step_of(&totp, code, now) else {
        return Err(wrong_code());
    };
    store::second_factors::enable(tx, who.account, step, now).await?;
    let codes = new_recovery_codes(tx, accounts, who.account).await?;
    store::sessions::end_all(tx, who.account, who.session, now).await?;
    store::codes::delete_all(tx, who.account).await?;
    store::devices::delete_all(tx, who.account).await?;
    if tokens == PersonalTokens::Revoke {
        store::tokens::delete_all(tx, who.account).await?;
    }
    let kind = SecurityEventKind::SecondFactorEnabled;
    security_log::record(tx, accounts, who.account, kind, About::ACCOUNT).await?;
    notices::add(tx, accounts, who.account, NoticeKind::SecondFactorEnabled).await?;
    Ok(codes)
}

/// Replaces the recovery codes by new ones.
async fn new_recovery_codes(tx: &mut Tx, accounts: &Accounts, account: AccountId) -> Result<Vec<String>> {
    let drawn: Vec<String> = (0..RECOVERY_CODES).map(|_| codes::drawn(accounts.random())).collect();
    let hashes: Vec<_> = drawn.iter().map(|code| codes::hash_of(account, code)).collect();
    store::second_factors::replace_recovery_codes(tx, account, &hashes).await?;
    Ok(drawn.iter().map(|code| codes::shown(code)).collect())
}

/// Replaces the recovery codes. Requires the password and a code. A wrong code is a fault at `/code`, and counted;
/// without a second factor it is `not-found`.
pub async fn replace_recovery_codes(
    tx: &mut Tx,
    accounts: &Accounts,
    who: &Identity,
    code: &Code,
) -> Result<Vec<String>> {
    store::accounts::lock_exclusively(tx, who.account).await?;
    judge(tx, accounts, who, code).await?;
    let codes = new_recovery_codes(tx, accounts, who.account).await?;
    let kind = SecurityEventKind::RecoveryCodesReplaced;
    security_log::record(tx, accounts, who.account, kind, About::ACCOUNT).await?;
    notices::add(tx, accounts, who.account, NoticeKind::RecoveryCodesReplaced).await?;
    Ok(codes)
}

/// Removes the second factor. Requires the password and a code, like [`replace_recovery_codes`].
pub async fn disable(accounts: &Accounts, who: &Identity, password: Password, code: &Code) -> Result<()> {
    let mut tx = confirmed(accounts, who, password, code).await?;
    remove(&mut tx, accounts, who.account).await?;
    tx.commit().await?;
    // Available roles may depend on it.
    account::forget_tokens(accounts, who.account);
    Ok(())
}

/// Removes the second factor and notifies the owner. False: there is none.
pub async fn remove(tx: &mut Tx, accounts: &Accounts, account: AccountId) -> Result<bool> {
    let was_enabled = is_enabled(tx, account).await?;
    store::second_factors::delete(tx, account).await?;
    if was_enabled {
        let kind = SecurityEventKind::SecondFactorDisabled;
        security_log::record(tx, accounts, account, kind, About::ACCOUNT).await?;
        notices::add(tx, accounts, account, NoticeKind::SecondFactorDisabled).await?;
    }
    Ok(was_enabled)
}

/// Begins a transaction after checking the password and, if the account has a second factor, a code. A wrong code is
/// counted even though the call fails.
pub(super) async fn confirmed_if_set(
    accounts: &Accounts,
    who: &Identity,
    password: Password,
    code: Option<&Code>,
) -> Result<Tx> {
    let mut tx = begun(accounts, who, password).await?;
    if !is_enabled(&mut tx, who.account).await? {
        return Ok(tx);
    }
    let Some(code) = code else {
        tx.roll_back().await?;
        return Err(Error::invalid_at("/code", "missing-field", "is required: the account has a second factor"));
    };
    judged(tx, accounts, who, code).await
}

/// Begins a transaction after checking the password and a code. A wrong code is counted even though the call fails.
async fn confirmed(accounts: &Accounts, who: &Identity, password: Password, code: &Code) -> Result<Tx> {
    judged(begun(accounts, who, password).await?, accounts, who, code).await
}

/// Begins a transaction after checking the password, with the account locked.
async fn begun(accounts: &Accounts, who: &Identity, password: Password) -> Result<Tx> {
    credentials::confirm_password(accounts, who, password, "/current_password").await?;
    let mut tx = accounts.db.begin().await?;
    store::accounts::lock_exclusively(&mut tx, who.account).await?;
    Ok(tx)
}

/// The transaction, if the code is valid.
async fn judged(mut tx: Tx, accounts: &Accounts, who: &Identity, code: &Code) -> Result<Tx> {
    match judge(&mut tx, accounts, who, code).await {
        Ok(()) => Ok(tx),
        Err(error) if error.is_noted() => {
            tx.commit().await?;
            Err(error)
        }
        Err(error) => {
            tx.roll_back().await?;
            Err(error)
        }
    }
}

/// Refuses an invalid code, and records it in the transaction.
async fn judge(tx: &mut Tx, accounts: &Accounts, who: &Identity, code: &Code) -> Result<()> {
    match codes::judge(tx, accounts, who.account, code).await? {
        Judged::Right => Ok(()),
        Judged::Wrong => Err(wrong_code().noted()),
        Judged::TooMany(wait_s) => Err(Error::too_many(wait_s)),
        Judged::None => Err(Error::not_found()),
    }
}

fn wrong_code() -> Error {
    Error::invalid_at("/code", "wrong-code", "is not a code that is good now")
}
