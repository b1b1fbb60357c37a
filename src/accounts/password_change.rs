//! Password changes by an owner who proves ownership with the current password or a passkey.

use super::account::{Account, PersonalTokens, known_about, too_easy};
use super::credentials;
use super::notices::{self, NoticeKind};
use super::passkeys::challenges::PasskeyChallenge;
use super::passkeys::sign_in::{self, Assertion};
use super::passwords::{self, NewPassword, Password};
use super::security_log::{self, About, SecurityEventKind};
use super::{Accounts, Identity, sessions, store};
use crate::error::{Error, Result, problem};
use crate::work_pool::Lane;

/// The proof of ownership for a password change.
pub enum PasswordProof {
    Password(Password),
    /// A passkey's answer to a sign-in challenge, equivalent to a password and a code.
    Passkey(PasskeyChallenge, Box<Assertion>),
}

/// Replaces the password, or sets the first one, and ends every session but the caller's, including those of apps. A
/// wrong proof is a fault at `/current_password`, or below `/passkey`.
pub async fn change(
    accounts: &Accounts,
    who: &Identity,
    proof: PasswordProof,
    new: NewPassword,
    tokens: PersonalTokens,
) -> Result<()> {
    let credentials = match proof {
        // Checked before hashing: an unchanged password is not worth the cost.
        PasswordProof::Password(current) if new.equals(&current) => {
            return Err(Error::invalid_at("/new_password", "invalid-value", "must not be the password so far"));
        }
        PasswordProof::Password(current) => {
            credentials::confirm_password(accounts, who, current, "/current_password").await?
        }
        PasswordProof::Passkey(challenge, assertion) => {
            // The replaced password is the one from before the proof, and no newer one.
            let credentials = credentials::of(accounts, who).await?;
            sign_in::confirm(accounts, who, &challenge, &assertion).await?;
            credentials
        }
    };
    let Account { username, email, .. } = &credentials.account;
    let hash = passwords::hash(&accounts.pool, Lane::Heavy, new, known_about(username, email.as_ref())).await?;
    let hash = hash.ok_or_else(|| too_easy("/new_password"))?;
    let mut tx = accounts.db.begin().await?;
    store::accounts::lock_exclusively(&mut tx, who.account).await?;
    sessions::require_living(&mut tx, accounts, who).await?;
    let old = &credentials.password_hash;
    if !store::accounts::replace_hash(&mut tx, who.account, old, &hash).await? {
        tx.roll_back().await?;
        let detail = "The password was changed by another request at the same moment.";
        return Err(Error::new(&problem::CONCURRENT_ACTION, detail));
    }
    store::sessions::end_all(&mut tx, who.account, who.session, accounts.clock.now()).await?;
    store::codes::delete_all(&mut tx, who.account).await?;
    store::devices::delete_all(&mut tx, who.account).await?;
    store::recovery::delete_plain_links(&mut tx, who.account).await?;
    store::second_factors::delete_challenges(&mut tx, who.account).await?;
    store::passkey_challenges::delete_all(&mut tx, who.account).await?;
    store::second_factors::delete_pending(&mut tx, who.account).await?;
    security_log::record(&mut tx, accounts, who.account, SecurityEventKind::PasswordChanged, About::ACCOUNT).await?;
    notices::add(&mut tx, accounts, who.account, NoticeKind::PasswordChanged).await?;
    if tokens == PersonalTokens::Revoke {
        store::tokens::delete_all(&mut tx, who.account).await?;
    }
    tx.commit().await?;
    // Tokens that stay valid are only looked up again.
    accounts.token_cache.forget_all_but(who.account, who.session);
    Ok(())
}
