//! The secret tokens in links of mails: for confirming an address, and for unsubscribing.
//!
//! The first is 256 random bits, stored as a hash. The second stays valid as long as the mail is kept, so it isn't
//! stored, but signed with a key of the account (HMAC-SHA256). Both begin with the account's id.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::accounts::secrets::TokenHash;
use crate::error::{Error, Result};
use crate::ids::AccountId;

/// The id of a mail: part of its `Message-ID`, and of its unsubscribe link.
pub type MailName = [u8; 16];

/// A token that confirms an address. (No `Debug`, so that it can't be printed by accident.)
pub struct ConfirmationToken {
    /// The account whose address it confirms.
    pub account: AccountId,
    secret: [u8; 32],
}

impl ConfirmationToken {
    /// A new token from 32 random bytes.
    pub fn new(account: AccountId, secret: [u8; 32]) -> Self {
        Self { account, secret }
    }

    /// The token as it is in the link: 64 characters.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode([self.account.0.as_bytes().as_slice(), &self.secret].concat())
    }

    pub fn hash(&self) -> TokenHash {
        Sha256::digest(self.secret).into()
    }

    /// Parses the token of a link.
    pub fn read(text: &str) -> Option<Self> {
        let bytes: [u8; 48] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
        let (account, secret) = bytes.split_first_chunk::<16>()?;
        Some(Self { account: AccountId(Uuid::from_bytes(*account)), secret: secret.try_into().ok()? })
    }
}

/// A token that unsubscribes an account from all mail. (No `Debug`, so that it can't be printed by accident.)
pub struct UnsubscribeToken {
    pub account: AccountId,
    mail: MailName,
    mac: [u8; 32],
}

impl UnsubscribeToken {
    /// The token of one mail, signed with the account's key.
    pub fn new(account: AccountId, mail: MailName, key: &[u8]) -> Result<Self> {
        let mac = signer(account, mail, key)?.finalize().into_bytes().into();
        Ok(Self { account, mail, mac })
    }

    /// The token as it is in the link: 86 characters.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode([self.account.0.as_bytes().as_slice(), &self.mail, &self.mac].concat())
    }

    /// Parses the token of a link.
    pub fn read(text: &str) -> Option<Self> {
        let bytes: [u8; 64] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
        let (account, rest) = bytes.split_first_chunk::<16>()?;
        let (mail, mac) = rest.split_first_chunk::<16>()?;
        Some(Self { account: AccountId(Uuid::from_bytes(*account)), mail: *mail, mac: mac.try_into().ok()? })
    }

    pub fn is_signed_with(&self, key: &[u8]) -> bool {
        signer(self.account, self.mail, key).is_ok_and(|signer| signer.verify_slice(&self.mac).is_ok())
    }
}

fn signer(account: AccountId, mail: MailName, key: &[u8]) -> Result<Hmac<Sha256>> {
    let mut signer = Hmac::<Sha256>::new_from_slice(key).map_err(Error::internal)?;
    signer.update(b"broadside: no more mail");
    signer.update(account.0.as_bytes());
    signer.update(&mail);
    Ok(signer)
}

/// The id of the mail about an account's events after `from` and up to `upto`: the same for every attempt and on every
/// node.
pub fn mail_name(account: AccountId, from: u64, upto: u64, key: &[u8]) -> MailName {
    let mut hash = Sha256::new_with_prefix(b"broadside: a mail");
    hash.update(key);
    hash.update(account.0.as_bytes());
    hash.update(from.to_be_bytes());
    hash.update(upto.to_be_bytes());
    let hash: [u8; 32] = hash.finalize().into();
    std::array::from_fn(|index| hash[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: AccountId = AccountId(Uuid::from_u128(7));

    #[test]
    fn a_link_is_read_back_and_no_other_is() {
        let confirming = ConfirmationToken::new(ANNA, [9; 32]);
        let read = ConfirmationToken::read(&confirming.text()).unwrap();
        assert_eq!((read.account, read.hash()), (ANNA, confirming.hash()));
        assert_eq!(confirming.text().len(), 64);
        let unsubscribing = UnsubscribeToken::new(ANNA, [3; 16], &[1; 32]).unwrap();
        assert_eq!(unsubscribing.text().len(), 86);
        assert!(UnsubscribeToken::read(&unsubscribing.text()).unwrap().is_signed_with(&[1; 32]));
        assert!(!UnsubscribeToken::read(&unsubscribing.text()).unwrap().is_signed_with(&[2; 32]), "another's key");
        let mut other = URL_SAFE_NO_PAD.decode(unsubscribing.text()).unwrap();
        other[20] ^= 1;
        assert!(
            !UnsubscribeToken::read(&URL_SAFE_NO_PAD.encode(&other)).unwrap().is_signed_with(&[1; 32]),
            "another mail"
        );
        for bad in ["", "x", &confirming.text()[1..], &format!("{}A", unsubscribing.text()), "ä", &"=".repeat(64)] {
            assert!(ConfirmationToken::read(bad).is_none() && UnsubscribeToken::read(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_mail_keeps_its_name() {
        let name = mail_name(ANNA, 1, 4, &[1; 32]);
        assert_eq!(name, mail_name(ANNA, 1, 4, &[1; 32]));
        assert_ne!(name, mail_name(ANNA, 4, 5, &[1; 32]));
        assert_ne!(name, mail_name(AccountId(Uuid::from_u128(8)), 1, 4, &[1; 32]));
    }
}
