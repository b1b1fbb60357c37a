//! A second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when it is lost.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | set up, replace, remove | what the owner of an account does about it | here |
//! | judge a code | once each, and not too many wrong ones | [`codes`] |
//! | sign in | a right password opens a challenge, and a code answers it | [`challenges`] |
//!
//! Nothing goes around it: every way to a session with a password ends in [`challenges`], and a link for a lost
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
/// How long one that was begun may be confirmed, in seconds: a quarter of an hour.
const SETUP_S: u32 = 15 * 60;

/// How second factors are kept, and who needs one.
#[derive(Clone, Debug, Default)]
pub struct SecondFactorSettings {
    pub sealing_key: Option<SealingKey>,
    /// Roles that nobody may use without a second factor.
    pub required_for: Vec<Role>,
}

/// What the owner of an account sees of it.
pub struct SecondFactorStatus {
    /// Since when sign-ins ask for a code; `None`: they don't.
    pub enabled_at: Option<Time>,
    pub recovery_codes_left: u32,
}

/// A second factor that is being set up. (It has no `Debug`: its secret can't be printed by accident.)
pub struct Setup {
    /// The secret in base32, for who types it.
    pub secret: String,
    /// The same as an address for an authenticator app (`otpauth://totp/…`), to be shown as a QR code or a link.
    pub uri: String,
}

/// A second factor as the database holds it.
pub struct StoredFactor {
    /// The secret, sealed if there is a key.
    pub secret: Vec<u8>,
    /// Since when it is asked for; `None`: it is being set up.
    pub enabled_at: Option<Time>,
    /// The time step of the last code that was accepted.
    pub last_step: i64,
    /// How many wrong codes there were
    pub failures: u32,
    pub failures_since: Option<Time>,
    /// When its secret was drawn.
    pub begun_at: Time,
}

/// What personal access tokens become of when sign-ins begin to ask for a code.
pub use account::PersonalTokens;

/// To what a stored secret belongs.
fn owner_of(account: AccountId) -> Vec<u8> {
    [b"totp".as_slice(), account.0.as_bytes()].concat()
}

/// The generator of a stored secret.
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

/// Whether sign-ins ask for a code.
pub(super) async fn is_enabled(conn: &mut Conn, account: AccountId) -> Result<bool> {
    Ok(store::second_factors::find(conn, account).await?.is_some_and(|stored| stored.enabled_at.is_some()))
}

/// Fails with `second-factor-required` when sign-ins ask for a code: nobody is let in by a password alone who has set
/// one up at this very moment.
pub(super) async fn require_none(tx: &mut Tx, account: AccountId) -> Result<()> {
    if is_enabled(tx, account).await? { Err(Error::plain(&problem::SECOND_FACTOR_REQUIRED)) } else { Ok(()) }
}

/// The roles that the account may not use for want of a second factor. Whoever has come with a passkey
/// (`by_passkey`) has shown both.
pub(super) async fn barred_roles(accounts: &Accounts, account: AccountId, by_passkey: bool) -> Result<Vec<Role>> {
    let required = &accounts.second_factor.required_for;
    if required.is_empty() || by_passkey || is_enabled(&mut accounts.db.conn().await?, account).await? {
        return Ok(Vec::new());
    }
    Ok(required.clone())
}

/// Begins to set one up: draws its secret, which counts for nothing before [`confirm`]. Fails with `already-done` when
/// there is one. `issuer` is what the app shows beside the account's name.
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

/// Shows that the app has the secret: from now on sign-ins ask for a code. Every other session ends, those of apps
/// included, since they were opened without one; personal access tokens do as `tokens` says. Returns the recovery
/// codes, which are shown this once. A wrong code is a fault at `/code`; without a set-up of the last quarter of an
/// hour it is `not-found`. Fails with `token-unknown` when the session has ended since the caller was identified.
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

/// Draws new recovery codes in place of those before.
async fn new_recovery_codes(tx: &mut Tx, accounts: &Accounts, account: AccountId) -> Result<Vec<String>> {
    let drawn: Vec<String> = (0..RECOVERY_CODES).map(|_| codes::drawn(accounts.random())).collect();
    let hashes: Vec<_> = drawn.iter().map(|code| codes::hash_of(account, code)).collect();
    store::second_factors::replace_recovery_codes(tx, account, &hashes).await?;
    Ok(drawn.iter().map(|code| codes::shown(code)).collect())
}

/// Replaces the recovery codes, for a caller who has given the password; it needs a code, too. A wrong one is a fault
/// at `/code`, and noted; without a second factor it is `not-found`.
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

/// Removes the second factor; it needs the password and a code, as [`replace_recovery_codes`] does.
pub async fn disable(accounts: &Accounts, who: &Identity, password: Password, code: &Code) -> Result<()> {
    let mut tx = confirmed(accounts, who, password, code).await?;
    remove(&mut tx, accounts, who.account).await?;
    tx.commit().await?;
    // Roles may need it.
    account::forget_tokens(accounts, who.account);
    Ok(())
}

/// Removes a second factor, if there is one, and tells the owner. False: there is none.
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

/// A transaction for whoever has given the password and, if the account has a second factor, a code. A wrong code is
/// counted all the same.
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

/// A transaction for whoever has given the password and a code. A wrong code is counted all the same.
async fn confirmed(accounts: &Accounts, who: &Identity, password: Password, code: &Code) -> Result<Tx> {
    judged(begun(accounts, who, password).await?, accounts, who, code).await
}

/// A transaction for whoever has given the password, in which the account is locked.
async fn begun(accounts: &Accounts, who: &Identity, password: Password) -> Result<Tx> {
    credentials::confirm_password(accounts, who, password, "/current_password").await?;
    let mut tx = accounts.db.begin().await?;
    store::accounts::lock_exclusively(&mut tx, who.account).await?;
    Ok(tx)
}

/// The transaction, if the code is good.
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

/// Refuses a code that isn't good. That it was wrong is noted in the transaction.
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
