//! Adding a passkey. It opens the account, so it needs all that opens the account: the password, and a code where there
//! is a second factor. Whoever has only a session adds none, except a guest, who has nothing else: the passkey makes
//! the account one like any other.

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

/// What an authenticator is asked for a new passkey.
pub struct CreationChallenge {
    /// The secret that names the challenge.
    pub secret: String,
    /// What the browser is given (`navigator.credentials.create`).
    pub options: CreationChallengeResponse,
}

/// What a browser has made of it: `PublicKeyCredential.toJSON()`.
pub struct NewCredential(RegisterPublicKeyCredential);

impl TryFrom<Map<String, Value>> for NewCredential {
    type Error = String;

    fn try_from(fields: Map<String, Value>) -> Result<Self, String> {
        let read = serde_json::from_value(Value::Object(fields)).map(Self);
        read.map_err(|_| "must be what `PublicKeyCredential.toJSON()` gives for a new passkey".to_owned())
    }
}

/// Asks for a new passkey. Wrong proofs are faults at `/current_password` and `/code`; a guest needs none. Fails with
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
        // A code that was given is used up.
        tx.commit().await?;
        return Err(full);
    }
    let there = store::passkeys::credential_ids(&mut tx, who.account, false).await?;
    let name = who.username.as_str();
    // An authenticator that has one for this account makes no second one.
    let started = judge.start_passkey_registration(who.account.0, name, name, Some(there));
    let (options, state) = started.map_err(Error::internal)?;
    let challenge = StoredChallenge::with(Purpose::Registration, Some(who.account), &state)?;
    store::passkey_challenges::delete_of(&mut tx, who.account, Purpose::Registration).await?;
    let secret = challenges::open(&mut tx, accounts, &challenge).await?;
    tx.commit().await?;
    Ok(CreationChallenge { secret, options })
}

/// A transaction for a guest, in which the account is locked. For others the password is missing.
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

/// Adds the passkey that an authenticator has made for a challenge of this account, and keeps the account if it is a
/// guest's. A credential that doesn't answer it
/// is a fault at `/credential`, and a challenge that isn't good, or no longer, one at `/challenge`. Fails with
/// `quota-exceeded`, and with `token-unknown` when the session has ended since the caller was identified.
pub async fn register(
    accounts: &Accounts,
    who: &Identity,
    challenge: &PasskeyChallenge,
    credential: &NewCredential,
    name: &PasskeyName,
) -> Result<Passkey> {
    let judge = accounts.relying_party.judge()?;
    // What is wrong with it is no reason to doubt the caller's token, as a 401 would.
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
    // A new password has ended the sessions of whoever knew the old one: what they have begun ends with them.
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
    // Two accounts with one key: somebody has made it by hand.
    if !store::passkeys::insert(tx, who.account, &passkey, stored).await? {
        return Err(refused());
    }
    // A guest has proved nothing, which is too little once the account has a password.
    if who.guest && !guests::claim_with_passkey(tx, accounts, who.account).await? {
        return Err(not_asked());
    }
    let about = About { session: None, subject: Some(&passkey.name) };
    security_log::record(tx, accounts, who.account, SecurityEventKind::PasskeyAdded, about).await?;
    notices::add(tx, accounts, who.account, NoticeKind::PasskeyAdded).await?;
    Ok(passkey)
}
