//! Changes of an account's e-mail address.
//!
//! The address can reset the password, so a change needs the password. The previous address gets a notice with a link
//! that restores it. While that link is valid, later addresses get none: an intruder who changed it twice may own one
//! of them.

use super::account::Account;
use super::credentials::VerifiedCredentials;
use super::notices::{self, NoticeKind};
use super::security_log::{self, About, SecurityEventKind};
use super::sessions::take_confirmed;
use super::{Accounts, NewEmail, recovery, store};
use crate::db::Tx;
use crate::error::Result;

/// Changes or removes the address. Links mailed to the previous one become invalid. Fails with `concurrent-action` if
/// the password has changed since it was verified.
pub async fn change(
    tx: &mut Tx,
    accounts: &Accounts,
    credentials: VerifiedCredentials,
    email: &NewEmail,
) -> Result<Account> {
    let account = take_confirmed(tx, credentials).await?;
    let before = store::recovery::confirmed_address(tx, account.id).await?;
    store::accounts::set_email(tx, account.id, email.address()).await?;
    store::recovery::delete_plain_links(tx, account.id).await?;
    if account.email.as_ref() != email.address() {
        security_log::record(tx, accounts, account.id, SecurityEventKind::EmailChanged, About::ACCOUNT).await?;
    }
    if let Some(before) = before.filter(|before| Some(before) != email.address()) {
        let kind = match recovery::can_be_put_back(tx, accounts, account.id).await? {
            true => NoticeKind::EmailChangedAgain,
            false => NoticeKind::EmailChanged,
        };
        notices::add_to(tx, accounts, account.id, kind, &before).await?;
    }
    Ok(Account { email: email.address().cloned(), ..account })
}
