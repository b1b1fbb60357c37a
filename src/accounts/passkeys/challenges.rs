//! Challenges for authenticators to sign.
//!
//! Each is valid for five minutes and once, on every node; only the SHA-256 of the secret that identifies it is stored.

use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::accounts::secrets::{self, TokenHash};
use crate::accounts::{Accounts, store};
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::string_enums::string_enums;

/// Lifetime of a challenge, in seconds.
pub const CHALLENGE_S: u32 = 300;
/// The prefix of its secret.
const PREFIX: &str = "bwc_";

string_enums! {
    pub enum Purpose {
        /// To add a passkey to an account.
        Registration,
        /// To sign in with one.
        SignIn,
    }
}

/// The secret of a challenge. It has no `Debug`, so that it can't be logged by accident.
pub struct PasskeyChallenge {
    text: String,
    hashed: TokenHash,
}

impl FromStr for PasskeyChallenge {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if secrets::is_well_formed(PREFIX, text) {
            Ok(Self { text: text.to_owned(), hashed: secrets::hash(text) })
        } else {
            Err("must be the secret of a passkey's challenge: bwc_ and 43 characters".to_owned())
        }
    }
}

/// A challenge as stored.
pub struct StoredChallenge {
    pub purpose: Purpose,
    /// The account whose passkey must answer it; `None`: any.
    pub account: Option<AccountId>,
    /// The password sign-in that the answer completes, by its hash.
    pub sign_in_challenge: Option<TokenHash>,
    /// The state of the verifier.
    pub state: Value,
}

impl StoredChallenge {
    pub(super) fn with(purpose: Purpose, account: Option<AccountId>, state: &impl Serialize) -> Result<Self> {
        let state = serde_json::to_value(state).map_err(Error::internal)?;
        Ok(Self { purpose, account, sign_in_challenge: None, state })
    }

    /// The stored state of the verifier.
    pub(super) fn state<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.state).map_err(Error::internal)
    }
}

/// The error for an invalid or expired challenge.
pub(super) fn refused() -> Error {
    Error::new(
        &problem::CHALLENGE_INVALID,
        "The challenge was used, is older than five minutes, or never was one. Ask for another one.",
    )
}

/// Stores a challenge, and returns its secret.
pub(super) async fn open(tx: &mut Tx, accounts: &Accounts, challenge: &StoredChallenge) -> Result<String> {
    let secret = accounts.token_maker.make(PREFIX, accounts.random())?;
    let expires_at = accounts.clock.now().plus_s(CHALLENGE_S);
    store::passkey_challenges::insert(tx, &secrets::hash(&secret), challenge, expires_at).await?;
    Ok(secret)
}

/// Takes a challenge, which is used up in any case. Fails with `sign-in-challenge-invalid`.
pub(super) async fn take(
    accounts: &Accounts,
    challenge: &PasskeyChallenge,
    purpose: Purpose,
) -> Result<StoredChallenge> {
    // Invented secrets are not looked up.
    if !accounts.token_maker.has_made(PREFIX, &challenge.text) {
        return Err(refused());
    }
    let mut tx = accounts.db.begin().await?;
    let taken = store::passkey_challenges::take(&mut tx, &challenge.hashed, purpose, accounts.clock.now()).await?;
    tx.commit().await?;
    taken.ok_or_else(refused)
}
