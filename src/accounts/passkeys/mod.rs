//! Passkeys (WebAuthn Level 3): keys held by the owner's authenticator (a phone, a computer, a security key),
//! of which the service knows the public half.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | list, rename, remove | management by the account's owner | here |
//! | ask an authenticator | a challenge, good for five minutes and once | [`challenges`] |
//! | add one | after the password, and a code where there is a second factor | [`registration`] |
//! | sign in with one | without a password, or as the second factor after it | [`sign_in`] |
//!
//! An authenticator signs only for the site that the key was made for, and here only after it has verified its user (by
//! a PIN, a finger or a face). So a passkey counts as both factors, and nothing that is typed can be phished.
//!
//! A key whose counter goes back is in two places: it opens nothing from then on, and its sessions end. The signatures
//! and their formats are judged by `webauthn-rs`; what it must remember between two requests is stored as it writes it.

pub mod challenges;
pub mod registration;
pub mod sign_in;

use broadside_rules::Time;
use reqwest::Url;
use serde_json::Value;
use webauthn_rs::{Webauthn, WebauthnBuilder};

use super::notices::{self, NoticeKind};
use super::security_log::{self, About, SecurityEventKind};
use super::{Accounts, Identity, Password, account, credentials, store};
use crate::db::Conn;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, PasskeyId};
use crate::texts::{line, texts};

texts! {
    /// What its owner calls a passkey: 1 to 60 characters on one line, not all of them blank.
    pub struct PasskeyName: |text| line(text, 1, 60);
}

/// A passkey as its owner sees it, without the key.
pub struct Passkey {
    pub id: PasskeyId,
    /// The owner's name for it.
    pub name: String,
    pub created_at: Time,
    pub last_used_at: Option<Time>,
    /// The time when a copy of the key was detected, if ever.
    pub cloned_at: Option<Time>,
}

/// A passkey as stored.
pub struct StoredPasskey {
    pub id: PasskeyId,
    /// The public key, the counter and the flags.
    pub credential: Value,
}

/// The service's identity for authenticators: the host of its public address.
pub struct RelyingParty {
    webauthn: Option<Webauthn>,
}

impl RelyingParty {
    /// The relying party at this address. Browsers support passkeys for host names (not IP addresses) over https, and
    /// for `localhost` over http.
    pub fn at(public_url: &str) -> Self {
        let built = |url: Url| {
            let host = url.domain()?.to_owned();
            let is_private = url.scheme() == "https" || url.scheme() == "http" && host == "localhost";
            let builder = WebauthnBuilder::new(&host, &url).ok().filter(|_| is_private)?;
            builder.rp_name("Broadside").build().ok()
        };
        Self { webauthn: Url::parse(public_url).ok().and_then(built) }
    }

    pub fn is_available(&self) -> bool {
        self.webauthn.is_some()
    }

    /// The verifier of passkeys. Fails with `passkeys-unavailable` at an address where browsers don't support them.
    fn judge(&self) -> Result<&Webauthn> {
        self.webauthn.as_ref().ok_or_else(|| Error::plain(&problem::PASSKEYS_UNAVAILABLE))
    }
}

/// A page of the account's passkeys, newest first.
pub async fn list(conn: &mut Conn, account: AccountId, before: Option<PasskeyId>, limit: i64) -> Result<Vec<Passkey>> {
    store::passkeys::page(conn, account, before, limit).await
}

/// Renames one of the caller's passkeys. `not-found` for other accounts' ones.
pub async fn rename(accounts: &Accounts, who: &Identity, id: PasskeyId, name: &PasskeyName) -> Result<Passkey> {
    let mut tx = accounts.db.begin().await?;
    let Some(renamed) = store::passkeys::rename(&mut tx, who.account, id, name.as_str()).await? else {
        tx.roll_back().await?;
        return Err(Error::not_found());
    };
    tx.commit().await?;
    Ok(renamed)
}

/// Removes one of the caller's passkeys, and ends everything opened with it, except the caller's own session: sessions,
/// apps authorized there, and personal tokens made there. So a thief of the device is locked out. It needs the
/// password; a wrong one is a fault at `/current_password`. `not-found` for other accounts' passkeys.
pub async fn remove(accounts: &Accounts, who: &Identity, id: PasskeyId, password: Password) -> Result<()> {
    credentials::confirm_password(accounts, who, password, "/current_password").await?;
    let mut tx = accounts.db.begin().await?;
    store::accounts::lock_exclusively(&mut tx, who.account).await?;
    if !store::passkeys::delete(&mut tx, who.account, id).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    store::passkeys::end_access(&mut tx, id, who.session, accounts.clock.now()).await?;
    let kind = SecurityEventKind::PasskeyRemoved;
    security_log::record(&mut tx, accounts, who.account, kind, About::ACCOUNT).await?;
    notices::add(&mut tx, accounts, who.account, NoticeKind::PasskeyRemoved).await?;
    tx.commit().await?;
    account::forget_tokens(accounts, who.account);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_passkeys_where_browsers_have_them() {
        for there in ["https://club.example", "https://club.example:8443", "http://localhost:8080", "https://localhost"]
        {
            assert!(RelyingParty::at(there).is_available(), "{there}");
        }
        let nowhere = ["http://club.example", "http://127.0.0.1:8080", "https://192.0.2.7", "https://[2001:db8::1]"];
        for nowhere in nowhere.into_iter().chain(["http://localhost.example", "ftp://club.example", "", "x"]) {
            assert!(!RelyingParty::at(nowhere).is_available(), "{nowhere}");
        }
    }

    #[test]
    fn a_passkey_has_a_printable_name() {
        assert!("Anna's phone".parse::<PasskeyName>().is_ok());
        for bad in ["", "   ", "a\nb", "a\u{202e}b", &"x".repeat(61)] {
            assert!(bad.parse::<PasskeyName>().is_err(), "{bad:?}");
        }
    }
}
