//! Adding a passkey.
//!
//! A passkey opens the account, so adding one needs the password, and a code if there is a second factor. A session
//! alone is not enough, except for guests, who have nothing else: the passkey makes theirs a full account.

use serde_json::{Map, Value};
use webauthn_rs::prelude::{CreationChallengeResponse, PasskeyRegistration, RegisterPublicKeyCredential};

use super::challenges::{self, PasskeyChallenge, Purpose, StoredChallenge};
use super::{Passkey, PasskeyName};
use crate::accounts::notices::{self, NoticeKind};
use crate::accounts::second_factor::{self, codes::Code};
use crate::accounts::security_log::{self, About, SecurityEventKind};
use crate::accounts::{Accounts, Identity, Password, account, guests, sessions, store};
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::quotas::{self, Quota};

/// A request to an authenticator for a new passkey.
pub struct CreationChallenge {
    /// The secret that identifies the challenge.
    pub secret: String,
    /// The browser's options (`navigator.credentials.create`).
    pub options: CreationChallengeResponse,
}

/// The browser's answer: `PublicKeyCredential.toJSON()`.
pub struct NewCredential(RegisterPublicKeyCredential);

impl TryFrom<Map<String, Value>> for NewCredential {
    type Error = String;

    fn try_from(fields: Map<String, Value>) -> Result<Self, String> {
        let read = serde_json::from_value(Value::Object(fields)).map(Self);
        read.map_err(|_| "must be what `PublicKeyCredential.toJSON()` gives for a new passkey".to_owned())
    }
}

/// Requests a new passkey. Wrong proofs are faults at `/current_password` and `/code`; guests need none. Fails with
/// `passkeys-unavailable`, and with `quota-exceeded`.
pub async fn challenge(
    accounts: &Accounts,
    who: &Identity,
    password: Option<Password>,
    code: Option<&Code>,
) -> Result<CreationChallenge> {
    let judge = accounts.relying_party.judge()?;
    let mut tx = match password {
        Some(password) => second_factor::confirmed_if_set(accounts, who, password, code).await?,
        None => for_guest(accounts, who).await?,
    };
    if let Err(full) = quotas::check(&mut tx, who.account, accounts.clock.now(), &[Quota::Passkeys]).await {
        // Commits the use of the code, if one was given.
        tx.commit().await?;
        return Err(full);
    }
    let there = store::passkeys::credential_ids(&mut tx, who.account, false).await?;
    let name = who.username.as_str();
    // An authenticator with a passkey for this account makes no second one.
    let started = judge.start_passkey_registration(who.account.0, name, name, Some(there));
    let (options, state) = started.map_err(Error::internal)?;
    let challenge = StoredChallenge::with(Purpose::Registration, Some(who.account), &state)?;
    store::passkey_challenges::delete_of(&mut tx, who.account, Purpose::Registration).await?;
    let secret = challenges::open(&mut tx, accounts, &challenge).await?;
    tx.commit().await?;
    Ok(CreationChallenge { secret, options })
}

/// A transaction for a guest, with the account locked. Other accounts get the error for a missing password.
async fn for_guest(accounts: &Accounts, who: &Identity) -> Result<Tx> {
    let mut tx = accounts.db.begin().await?;
    if !guests::lock(&mut tx, who.account).await? {
        tx.roll_back().await?;
        return Err(Error::invalid_at("/current_password", "missing-field", "is required: the account is no guest's"));
    }
    Ok(tx)
}

fn not_asked() -> Error {
    let detail = "was used, is older than five minutes, or is not one of this account";
    Error::invalid_at("/challenge", "credential-refused", detail)
}

fn refused() -> Error {
    Error::invalid_at("/credential", "credential-refused", "doesn't answer the challenge, or not for this site")
}

/// Adds a new passkey made for a challenge of this account, and turns a guest account into a full one. A credential
/// that doesn't answer the challenge is a fault at `/credential`, and an invalid or expired challenge one at
/// `/challenge`. Fails with `quota-exceeded`, and with `token-unknown` when the session has ended since the caller was
/// identified.
pub async fn register(
    accounts: &Accounts,
    who: &Identity,
    challenge: &PasskeyChallenge,
    credential: &NewCredential,
    name: &PasskeyName,
) -> Result<Passkey> {
    let judge = accounts.relying_party.judge()?;
    // An invalid answer doesn't invalidate the caller's token, as a 401 would suggest.
    let asked = match challenges::take(accounts, challenge, Purpose::Registration).await {
        Ok(asked) if asked.account == Some(who.account) => asked,
        Ok(_) => return Err(not_asked()),
        Err(error) if error.problem().code == problem::CHALLENGE_INVALID.code => return Err(not_asked()),
        Err(error) => return Err(error),
    };
    let state: PasskeyRegistration = asked.state()?;
    let made = judge.finish_passkey_registration(&credential.0, &state).map_err(|why| {
        tracing::info!(%why, "a new passkey was refused");
        refused()
    })?;
    let mut tx = accounts.db.begin().await?;
    store::accounts::lock_exclusively(&mut tx, who.account).await?;
    let added = add(&mut tx, accounts, who, &made, name).await;
    match added {
        Ok(passkey) => {
            tx.commit().await?;
            account::forget_tokens(accounts, who.account);
            Ok(passkey)
        }
        Err(error) => {
            tx.roll_back().await?;
            Err(error)
        }
    }
}

async fn add(
    tx: &mut Tx,
    accounts: &Accounts,
    who: &Identity,
    made: &webauthn_rs::prelude::Passkey,
    name: &PasskeyName,
) -> Result<Passkey> {
    let now = accounts.clock.now();
    // A password change has ended the sessions opened with the old one: their pending registrations end as well.
    sessions::require_living(tx, accounts, who).await?;
    quotas::check(tx, who.account, now, &[Quota::Passkeys]).await?;
    let passkey = Passkey {
        id: accounts.new_id(),
        name: name.as_str().to_owned(),
        created_at: now,
        last_used_at: None,
        cloned_at: None,
    };
    let credential = serde_json::to_value(made).map_err(Error::internal)?;
    let stored = (made.cred_id().as_slice(), &credential);
    // Two accounts with the same key: it was forged.
    if !store::passkeys::insert(tx, who.account, &passkey, stored).await? {
        return Err(refused());
    }
    // The guest gave no proof, which is not enough if the account has got a password meanwhile.
    if who.guest && !guests::claim_with_passkey(tx, accounts, who.account).await? {
        return Err(not_asked());
    }
    let about = About { session: None, subject: Some(&passkey.name) };
    security_log::record(tx, accounts, who.account, SecurityEventKind::PasskeyAdded, about).await?;
    notices::add(tx, accounts, who.account, NoticeKind::PasskeyAdded).await?;
    Ok(passkey)
}
