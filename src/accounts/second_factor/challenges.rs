//! Signing in with a second factor: a right password opens a challenge instead of a session, and a code answers it.
//!
//! A challenge is valid for five minutes, once, and for five tries; only the SHA-256 of its secret is stored. A change
//! of the password that opened it ends it.

use std::str::FromStr;

use super::codes::{self, Code, Judged};
use crate::accounts::account::Account;
use crate::accounts::credentials::VerifiedCredentials;
use crate::accounts::names::Device;
use crate::accounts::oauth::page_sessions::{self, PageSession};
use crate::accounts::secrets::{self, TokenHash};
use crate::accounts::security_log::SecurityEventKind;
use crate::accounts::sessions::{self, OpenedSession};
use crate::accounts::{Accounts, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;

/// Lifetime of a challenge, in seconds.
pub const CHALLENGE_S: u32 = 300;
const MOST_TRIES: u32 = 5;
/// The prefix of its secret.
const CHALLENGE_PREFIX: &str = "bsc_";

/// The secret of a challenge. It has no `Debug`, so that it can't be logged by accident.
pub struct ChallengeToken {
    text: String,
    hashed: TokenHash,
}

impl ChallengeToken {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(in crate::accounts) fn hashed(&self) -> &TokenHash {
        &self.hashed
    }

    /// The account that must answer it, while it is valid.
    pub(in crate::accounts) async fn account(&self, conn: &mut Conn, accounts: &Accounts) -> Result<Option<AccountId>> {
        // Invented secrets are not looked up.
        if !accounts.token_maker.has_made(CHALLENGE_PREFIX, &self.text) {
            return Ok(None);
        }
        store::second_factors::challenged(conn, &self.hashed, accounts.clock.now()).await
    }
}

impl FromStr for ChallengeToken {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if secrets::is_well_formed(CHALLENGE_PREFIX, text) {
            Ok(Self { text: text.to_owned(), hashed: secrets::hash(text) })
        } else {
            Err("must be the secret of a challenge: bsc_ and 43 characters".to_owned())
        }
    }
}

/// The result of a right password.
pub enum Opens {
    Session(VerifiedCredentials),
    /// The secret of a challenge.
    Challenge(String),
}

/// Opens a session for these credentials, or, if a second factor is required, a challenge. Fails with
/// `invalid-credentials` if the password has changed since.
pub async fn open(accounts: &Accounts, credentials: VerifiedCredentials) -> Result<Opens> {
    let mut conn = accounts.db.conn().await?;
    if !super::is_enabled(&mut conn, credentials.account.id).await? {
        return Ok(Opens::Session(credentials));
    }
    drop(conn);
    let mut tx = accounts.db.begin().await?;
    let account = sessions::take_credentials(&mut tx, credentials).await?;
    let secret = accounts.token_maker.make(CHALLENGE_PREFIX, accounts.random())?;
    let expires_at = accounts.clock.now().plus_s(CHALLENGE_S);
    store::second_factors::insert_challenge(&mut tx, &secrets::hash(&secret), account.id, expires_at).await?;
    tx.commit().await?;
    Ok(Opens::Challenge(secret))
}

/// Opens a session for a valid answer to a challenge. Fails with `sign-in-challenge-invalid`, `invalid-code` and
/// `too-many-requests`.
pub async fn sign_in(
    accounts: &Accounts,
    challenge: &ChallengeToken,
    code: &Code,
    device: &Device,
) -> Result<OpenedSession> {
    let (mut tx, account) = answered(accounts, challenge, code).await?;
    let kind = SecurityEventKind::SignedInWithCode;
    let opened = sessions::open_own(&mut tx, accounts, account, kind, device).await?;
    tx.commit().await?;
    Ok(opened)
}

/// [`sign_in`] on the service's own pages: the cookie's new value.
pub async fn sign_in_on_pages(
    accounts: &Accounts,
    challenge: &ChallengeToken,
    code: &Code,
    before: Option<&PageSession>,
    device: &Device,
) -> Result<String> {
    let (mut tx, account) = answered(accounts, challenge, code).await?;
    let kind = SecurityEventKind::SignedInWithCode;
    let (_, cookie) = page_sessions::open(&mut tx, accounts, (account.id, kind), before, device).await?;
    tx.commit().await?;
    Ok(cookie)
}

/// Uses up a challenge and a code: the transaction that does so, and the account. A wrong code is counted.
async fn answered(accounts: &Accounts, challenge: &ChallengeToken, code: &Code) -> Result<(Tx, Account)> {
    let refused = || Error::plain(&problem::CHALLENGE_INVALID);
    // Invented secrets are not looked up.
    if !accounts.token_maker.has_made(CHALLENGE_PREFIX, &challenge.text) {
        return Err(refused());
    }
    let now = accounts.clock.now();
    let mut tx = accounts.db.begin().await?;
    let Some(owner) = store::second_factors::challenged(&mut tx, &challenge.hashed, now).await? else {
        tx.roll_back().await?;
        return Err(refused());
    };
    // The account is locked before its data, as in a deletion or password change.
    store::accounts::lock_exclusively(&mut tx, owner).await?;
    let tries = store::second_factors::try_challenge(&mut tx, &challenge.hashed, now).await?;
    let (Some(tries), Some(account)) = (tries, store::accounts::find(&mut tx, owner).await?) else {
        tx.roll_back().await?;
        return Err(refused());
    };
    match codes::judge(&mut tx, accounts, owner, code).await? {
        Judged::Right => {
            store::second_factors::delete_challenge(&mut tx, &challenge.hashed).await?;
            Ok((tx, account))
        }
        Judged::Wrong => {
            if tries >= MOST_TRIES {
                store::second_factors::delete_challenge(&mut tx, &challenge.hashed).await?;
            }
            tx.commit().await?;
            Err(Error::plain(&problem::WRONG_CODE))
        }
        Judged::TooMany(wait_s) => {
            tx.roll_back().await?;
            Err(Error::too_many(wait_s))
        }
        // The factor was removed meanwhile: the password alone suffices in a new sign-in.
        Judged::None => {
            tx.roll_back().await?;
            Err(refused())
        }
    }
}
