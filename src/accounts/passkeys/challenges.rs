//! Challenges: what an authenticator is asked to sign. One is good for five minutes and once, on every node; only the
//! SHA-256 of the secret by which its client names it is stored.

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

/// How long a challenge is good, in seconds.
pub const CHALLENGE_S: u32 = 300;
/// What its secret begins with.
const PREFIX: &str = "bwc_";

string_enums! {
    pub enum Purpose {
        /// To add a passkey to an account.
        Registration,
        /// To sign in with one.
        SignIn,
    }
}

/// The secret of a challenge. It has no `Debug`: it can't be printed by accident.
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

/// A challenge as the database holds it.
pub struct StoredChallenge {
    pub purpose: Purpose,
    /// Whose passkey must answer it; `None`: anybody's may.
    pub account: Option<AccountId>,
    /// What the answer is the second factor for, by its hash.
    pub sign_in_challenge: Option<TokenHash>,
    /// What judges the answer.
    pub state: Value,
}

impl StoredChallenge {
    pub(super) fn with(purpose: Purpose, account: Option<AccountId>, state: &impl Serialize) -> Result<Self> {
        let state = serde_json::to_value(state).map_err(Error::internal)?;
        Ok(Self { purpose, account, sign_in_challenge: None, state })
    }

    /// What judges the answer, as it was when it was stored.
    pub(super) fn state<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.state).map_err(Error::internal)
    }
}

/// The refusal of a challenge that isn't good, or no longer.
pub(super) fn refused() -> Error {
    Error::new(
        &problem::CHALLENGE_INVALID,
        "The challenge was used, is older than five minutes, or never was one. Ask for another one.",
    )
}

/// Stores a challenge: its secret.
pub(super) async fn open(tx: &mut Tx, accounts: &Accounts, challenge: &StoredChallenge) -> Result<String> {
    let secret = accounts.token_maker.make(PREFIX, accounts.random())?;
    let expires_at = accounts.clock.now().plus_s(CHALLENGE_S);
    store::passkey_challenges::insert(tx, &secrets::hash(&secret), challenge, expires_at).await?;
    Ok(secret)
}

/// Takes a challenge, which is used up whatever comes of it. Fails with `sign-in-challenge-invalid`.
pub(super) async fn take(
    accounts: &Accounts,
    challenge: &PasskeyChallenge,
    purpose: Purpose,
) -> Result<StoredChallenge> {
    // What is invented is not looked up.
    if !accounts.token_maker.has_made(PREFIX, &challenge.text) {
        return Err(refused());
    }
    let mut tx = accounts.db.begin().await?;
    let taken = store::passkey_challenges::take(&mut tx, &challenge.hashed, purpose, accounts.clock.now()).await?;
    tx.commit().await?;
    taken.ok_or_else(refused)
}
