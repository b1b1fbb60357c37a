//! Signing in with a passkey: without name and password, or as the second factor after the password.
//!
//! Without a name, the service doesn't reveal which accounts have passkeys: the authenticator knows its key's account
//! and names it in the answer. After a password the challenge lists the account's keys, and only they are accepted.

use serde_json::{Map, Value};
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey as Credential, PublicKeyCredential, RequestChallengeResponse, WebauthnError,
};

use super::StoredPasskey;
use super::challenges::{self, PasskeyChallenge, Purpose, StoredChallenge};
use crate::accounts::account::{self, Account};
use crate::accounts::names::Device;
use crate::accounts::notices::{self, NoticeKind};
use crate::accounts::oauth::page_sessions::{self, PageSession};
use crate::accounts::second_factor::challenges::ChallengeToken;
use crate::accounts::security_log::{self, About, SecurityEventKind};
use crate::accounts::sessions::{self, OpenedSession};
use crate::accounts::{Accounts, Identity, store};
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, PasskeyId};

/// A request to an authenticator.
pub struct RequestChallenge {
    /// The secret that identifies the challenge.
    pub secret: String,
    /// The browser's options (`navigator.credentials.get`).
    pub options: RequestChallengeResponse,
    /// The accepted credentials; empty: any.
    pub allowed: Vec<Vec<u8>>,
}

/// The authenticator's answer: `PublicKeyCredential.toJSON()`.
pub struct Assertion(PublicKeyCredential);

impl TryFrom<Map<String, Value>> for Assertion {
    type Error = String;

    fn try_from(fields: Map<String, Value>) -> Result<Self, String> {
        let read = serde_json::from_value(Value::Object(fields)).map(Self);
        read.map_err(|_| "must be what `PublicKeyCredential.toJSON()` gives for a passkey".to_owned())
    }
}

impl Assertion {
    /// True if it names the key's account as `owner`. It may omit the account if it was asked for this one.
    fn is_of(&self, owner: AccountId, asked: Option<AccountId>) -> bool {
        match self.0.get_user_unique_id() {
            Some(handle) => handle == owner.0.as_bytes() && asked.is_none_or(|asked| asked == owner),
            None => asked == Some(owner),
        }
    }
}

/// Requests a passkey: of any account, or after a right password, of that account. Fails with `passkeys-unavailable`;
/// after a password with `sign-in-challenge-invalid`, and with `not-found` if there is none.
pub async fn challenge(accounts: &Accounts, after: Option<&ChallengeToken>) -> Result<RequestChallenge> {
    let judge = accounts.relying_party.judge()?;
    let (options, state) = judge.start_discoverable_authentication().map_err(Error::internal)?;
    let mut tx = accounts.db.begin().await?;
    let mut challenge = StoredChallenge::with(Purpose::SignIn, None, &state)?;
    let mut allowed = Vec::new();
    if let Some(token) = after {
        let Some(owner) = token.account(&mut tx, accounts).await? else {
            tx.roll_back().await?;
            return Err(Error::plain(&problem::CHALLENGE_INVALID));
        };
        allowed = store::passkeys::credential_ids(&mut tx, owner, true).await?;
        if allowed.is_empty() {
            tx.roll_back().await?;
            return Err(Error::new(&problem::NOT_FOUND, "The account has no passkey."));
        }
        challenge.account = Some(owner);
        challenge.sign_in_challenge = Some(*token.hashed());
        store::passkey_challenges::delete_of(&mut tx, owner, Purpose::SignIn).await?;
    }
    let secret = challenges::open(&mut tx, accounts, &challenge).await?;
    tx.commit().await?;
    Ok(RequestChallenge { secret, options, allowed })
}

/// True if a passkey can complete this sign-in after the password.
pub async fn may_answer(accounts: &Accounts, challenge: &ChallengeToken) -> Result<bool> {
    if !accounts.relying_party.is_available() {
        return Ok(false);
    }
    let mut conn = accounts.db.conn().await?;
    match challenge.account(&mut conn, accounts).await? {
        Some(owner) => Ok(!store::passkeys::credential_ids(&mut conn, owner, true).await?.is_empty()),
        None => Ok(false),
    }
}

/// Opens a session for a valid answer. Fails with `passkeys-unavailable`, `sign-in-challenge-invalid` and
/// `invalid-passkey`.
pub async fn sign_in(
    accounts: &Accounts,
    challenge: &PasskeyChallenge,
    assertion: &Assertion,
    device: &Device,
) -> Result<OpenedSession> {
    let (mut tx, account, passkey) = answered(accounts, challenge, assertion).await?;
    let kind = SecurityEventKind::SignedInWithPasskey;
    let opened = sessions::open_own(&mut tx, accounts, account, kind, device).await?;
    store::passkeys::note_session(&mut tx, opened.session, passkey).await?;
    tx.commit().await?;
    Ok(opened)
}

/// [`sign_in`] on the service's own pages: the cookie's new value.
pub async fn sign_in_on_pages(
    accounts: &Accounts,
    challenge: &PasskeyChallenge,
    assertion: &Assertion,
    before: Option<&PageSession>,
    device: &Device,
) -> Result<String> {
    let (mut tx, account, passkey) = answered(accounts, challenge, assertion).await?;
    let who = (account.id, SecurityEventKind::SignedInWithPasskey);
    let (session, cookie) = page_sessions::open(&mut tx, accounts, who, before, device).await?;
    store::passkeys::note_session(&mut tx, session, passkey).await?;
    tx.commit().await?;
    Ok(cookie)
}

/// Accepts an answer as proof that the caller owns the account. An invalid answer doesn't invalidate the caller's
/// token, as a 401 would suggest: it is a fault at `/passkey/credential` or `/passkey/challenge`.
pub async fn confirm(
    accounts: &Accounts,
    who: &Identity,
    challenge: &PasskeyChallenge,
    assertion: &Assertion,
) -> Result<()> {
    let refused = || {
        let detail = "doesn't answer the challenge, or is not of a passkey of this account";
        Error::invalid_at("/passkey/credential", "credential-refused", detail)
    };
    match answered(accounts, challenge, assertion).await {
        Ok((tx, account, _)) if account.id == who.account => tx.commit().await,
        Ok((tx, ..)) => {
            tx.roll_back().await?;
            Err(refused())
        }
        Err(error) if error.problem().code == problem::PASSKEY_REFUSED.code => Err(refused()),
        Err(error) if error.problem().code == problem::CHALLENGE_INVALID.code => Err(Error::invalid_at(
            "/passkey/challenge",
            "credential-refused",
            "was used, or is older than five minutes",
        )),
        Err(error) => Err(error),
    }
}

fn refused() -> Error {
    Error::plain(&problem::PASSKEY_REFUSED)
}

/// Judges an answer: the transaction that uses it up, the account, and the passkey. The reason of a refusal is only
/// logged.
async fn answered(
    accounts: &Accounts,
    challenge: &PasskeyChallenge,
    assertion: &Assertion,
) -> Result<(Tx, Account, PasskeyId)> {
    let judge = accounts.relying_party.judge()?;
    let asked = challenges::take(accounts, challenge, Purpose::SignIn).await?;
    let state: DiscoverableAuthentication = asked.state()?;
    let credential_id = assertion.0.get_credential_id();
    let mut tx = accounts.db.begin().await?;
    let owner = store::passkeys::owner(&mut tx, credential_id).await?;
    let Some(owner) = owner.filter(|owner| assertion.is_of(*owner, asked.account)) else {
        tx.roll_back().await?;
        return Err(refused());
    };
    // The account is locked before its data, as in a deletion or password change.
    store::accounts::lock_exclusively(&mut tx, owner).await?;
    if !is_still_asked(&mut tx, accounts, &asked, owner).await? {
        tx.roll_back().await?;
        return Err(challenges::refused());
    }
    let stored = store::passkeys::lock(&mut tx, owner, credential_id).await?;
    let (Some(StoredPasskey { id, credential }), Some(account)) =
        (stored, store::accounts::find(&mut tx, owner).await?)
    else {
        tx.roll_back().await?;
        return Err(refused());
    };
    let mut credential: Credential = serde_json::from_value(credential).map_err(Error::internal)?;
    match judge.finish_discoverable_authentication_v2(&assertion.0, state, &credential) {
        Ok(result) => {
            credential.update_credential(&result);
            let now = accounts.clock.now();
            let credential = serde_json::to_value(&credential).map_err(Error::internal)?;
            store::passkeys::note_use(&mut tx, id, &credential, now).await?;
            if let Some(hashed) = &asked.sign_in_challenge {
                store::second_factors::delete_challenge(&mut tx, hashed).await?;
            }
            Ok((tx, account, id))
        }
        Err(WebauthnError::CredentialPossibleCompromise) => {
            condemn(tx, accounts, owner, id).await?;
            Err(refused())
        }
        Err(why) => {
            tx.roll_back().await?;
            tracing::info!(%why, passkey = %id, "a passkey was refused");
            Err(refused())
        }
    }
}

/// True if the password sign-in that this answer completes is still pending: a new password ends it.
async fn is_still_asked(tx: &mut Tx, accounts: &Accounts, asked: &StoredChallenge, owner: AccountId) -> Result<bool> {
    let Some(hashed) = &asked.sign_in_challenge else { return Ok(true) };
    let waiting = store::second_factors::challenged(tx, hashed, accounts.clock.now()).await?;
    Ok(waiting == Some(owner))
}

/// Handles a valid signature whose counter went back, so the key was copied: disables the key, ends everything opened
/// with it, and tells the owner.
async fn condemn(mut tx: Tx, accounts: &Accounts, owner: AccountId, id: PasskeyId) -> Result<()> {
    let now = accounts.clock.now();
    store::passkeys::note_clone(&mut tx, id, now).await?;
    store::passkeys::end_access(&mut tx, id, None, now).await?;
    security_log::record(&mut tx, accounts, owner, SecurityEventKind::PasskeyCloned, About::ACCOUNT).await?;
    notices::add(&mut tx, accounts, owner, NoticeKind::PasskeyCloned).await?;
    tx.commit().await?;
    account::forget_tokens(accounts, owner);
    tracing::warn!(account = %owner, passkey = %id, "the counter of a passkey went back: it was cloned, and is dead now");
    Ok(())
}
