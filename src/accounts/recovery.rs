//! Recovery of lost passwords by a link to the confirmed address.
//!
//! Requests don't reveal whether an account exists or has a confirmed address: the typed text is queued ([`ask`]), and
//! a job resolves it ([`answer`]). A link works once, and only the SHA-256 of its secret is stored, so its text is made
//! when its mail is sent ([`link_for`]). The new password ends everything opened with the old one, and removes
//! passkeys, which a thief of the password may have added. A second factor stays.

use std::str::FromStr;

use super::account::{self, Account};
use super::names::{Email, Username};
use super::notices::{self, Notice, NoticeKind};
use super::passwords::{self, NewPassword};
use super::secrets::{self, TokenHash};
use super::security_log::{self, About, SecurityEventKind};
use crate::accounts::{Accounts, store};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::due::{each_due, pass_over};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::rate_limits::RateLimitKey;
use crate::work_pool::Lane;

/// Lifetime of a mailed link, in seconds: half an hour.
pub const LINK_S: u32 = 30 * 60;
/// Lifetime of a link made by the operator, in seconds: a day.
pub const OPERATORS_LINK_S: u32 = 24 * 60 * 60;
/// Lifetime of a link that restores an address, in seconds: three days.
pub const RESTORE_S: u32 = 72 * 60 * 60;
/// The prefix of a link's secret.
const LINK_PREFIX: &str = "bpr_";
/// The maximum number of accounts of one address that get links: the oldest ones.
const ACCOUNTS_OF_ADDRESS: i64 = 5;
/// Requests per query.
const AT_MOST: i64 = 100;

/// The name or address typed to recover a password.
pub enum Login {
    Name(Username),
    Address(Email),
}

impl Login {
    /// The queued text: equal regardless of case.
    fn key(&self) -> String {
        match self {
            Self::Name(name) => name.key(),
            Self::Address(address) => address.as_str().to_ascii_lowercase(),
        }
    }
}

impl FromStr for Login {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('@') { text.parse().map(Self::Address) } else { text.parse().map(Self::Name) }
    }
}

/// The secret of a link. It has no `Debug`, so that it can't be logged by accident.
pub struct ResetToken {
    text: String,
    hashed: TokenHash,
}

impl FromStr for ResetToken {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if secrets::is_well_formed(LINK_PREFIX, text) {
            Ok(Self { text: text.to_owned(), hashed: secrets::hash(text) })
        } else {
            Err("must be the secret of a link: bpr_ and 43 characters".to_owned())
        }
    }
}

/// A link as stored.
pub struct StoredLink {
    pub account: AccountId,
    /// The address to restore, if any.
    pub restores: Option<Email>,
}

/// Queues a recovery request, with equal work whether or not the account exists.
pub async fn ask(tx: &mut Tx, ctx: &Context, login: &Login) -> Result<()> {
    store::recovery::insert_request(tx, &login.key(), ctx.clock.now()).await
}

/// Resolves queued requests and queues the mails: one in ten minutes per account, and after five in a day, one in two
/// hours. So requests can neither flood a mailbox nor keep its owner from getting a link.
pub async fn answer(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => store::recovery::requests(conn, last, AT_MOST), asked by asked.clone() => {
        let (at, login) = asked;
        // The text may be a mail address, so the log identifies the request by its time.
        pass_over(answer_one(ctx, &login).await, at, "a lost password could not be answered; the next round tries again")?;
    });
    Ok(())
}

async fn answer_one(ctx: &Context, asked: &str) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if !store::recovery::take_request(&mut tx, asked).await? {
        return tx.roll_back().await;
    }
    if let Ok(login) = asked.parse::<Login>() {
        for (account, address) in store::recovery::reachable(&mut tx, &login, ACCOUNTS_OF_ADDRESS).await? {
            if store::recovery::note_reset_mail(&mut tx, account, ctx.clock.now()).await? {
                notices::add_to(&mut tx, ctx, account, NoticeKind::PasswordResetRequested, &address).await?;
            }
        }
    }
    tx.commit().await
}

/// Makes the link for a notice; `None`: the address is no longer the account's, or no link is needed.
pub async fn link_for(accounts: &Accounts, notice: &Notice) -> Result<Option<String>> {
    let mut tx = accounts.db.begin().await?;
    let made = match notice.kind {
        NoticeKind::PasswordResetRequested => {
            let address = store::recovery::confirmed_address(&mut tx, notice.account).await?;
            if address.as_ref() != Some(&notice.address) {
                return tx.roll_back().await.map(|()| None);
            }
            Some(make_link(&mut tx, accounts, notice.account, LINK_S).await?)
        }
        NoticeKind::EmailChanged => {
            // Restoring an address deletes the notices that are still waiting.
            store::accounts::lock_all_shared(&mut tx, &[notice.account]).await?;
            if !store::notices::waits(&mut tx, notice.id).await? {
                return tx.roll_back().await.map(|()| None);
            }
            Some(insert_link(&mut tx, accounts, notice.account, Some(&notice.address), RESTORE_S).await?)
        }
        NoticeKind::EmailChangedAgain
        | NoticeKind::PasswordChanged
        | NoticeKind::NewDevice
        | NoticeKind::UsernameChanged
        | NoticeKind::SignedOut
        | NoticeKind::SecondFactorEnabled
        | NoticeKind::SecondFactorDisabled
        | NoticeKind::RecoveryCodesReplaced
        | NoticeKind::RecoveryCodeUsed
        | NoticeKind::SecondFactorFailures
        | NoticeKind::PasskeyAdded
        | NoticeKind::PasskeyRemoved
        | NoticeKind::PasskeyCloned
        | NoticeKind::AppAddressesChanged => None,
    };
    tx.commit().await?;
    Ok(made)
}

/// True if a previous address can still be restored.
pub(super) async fn can_be_put_back(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<bool> {
    Ok(store::recovery::has_restoring_link(tx, account, ctx.clock.now()).await?
        || store::notices::waits_for(tx, account, NoticeKind::EmailChanged).await?)
}

/// Invalidates the restore links of all previous addresses, and if `removed`, removes the current address.
pub async fn forget_addresses(tx: &mut Tx, ctx: &Context, account: AccountId, removed: bool) -> Result<()> {
    store::recovery::delete_links(tx, account).await?;
    store::notices::delete_kind(tx, account, NoticeKind::EmailChanged).await?;
    if removed {
        store::accounts::set_email(tx, account, None).await?;
        security_log::record(tx, ctx, account, SecurityEventKind::EmailChanged, About::ACCOUNT).await?;
    }
    Ok(())
}

/// Makes a password link, replacing the previous one, and returns its secret.
pub async fn make_link(tx: &mut Tx, accounts: &Accounts, account: AccountId, lives_s: u32) -> Result<String> {
    store::recovery::delete_plain_links(tx, account).await?;
    insert_link(tx, accounts, account, None, lives_s).await
}

async fn insert_link(
    tx: &mut Tx,
    accounts: &Accounts,
    account: AccountId,
    restores: Option<&Email>,
    lives_s: u32,
) -> Result<String> {
    let token = accounts.token_maker.make(LINK_PREFIX, accounts.random())?;
    let expires_at = accounts.clock.now().plus_s(lives_s);
    store::recovery::insert_link(tx, &secrets::hash(&token), account, restores, expires_at).await?;
    Ok(token)
}

/// The account of a password link. Fails with `reset-link-invalid`. It doesn't use the link up, since programs open
/// links as well.
pub async fn look(conn: &mut Conn, accounts: &Accounts, token: &ResetToken) -> Result<Account> {
    found(conn, accounts, token).await.map(|(account, _)| account)
}

fn refused() -> Error {
    Error::plain(&problem::RESET_LINK_INVALID)
}

async fn found(conn: &mut Conn, accounts: &Accounts, token: &ResetToken) -> Result<(Account, StoredLink)> {
    // Invented secrets are not looked up.
    if !accounts.token_maker.has_made(LINK_PREFIX, &token.text) {
        return Err(refused());
    }
    let link = store::recovery::link(conn, &token.hashed, accounts.clock.now()).await?.ok_or_else(refused)?;
    let account = store::accounts::find(conn, link.account).await?.filter(|account| !account.guest);
    Ok((account.ok_or_else(refused)?, link))
}

/// Uses a link up: sets the new password, and ends every session, app and personal token. A weak password doesn't use
/// it up. Of two requests with one link, one succeeds. Fails with `reset-link-invalid`.
pub async fn complete(accounts: &Accounts, from: RateLimitKey, token: &ResetToken, new: NewPassword) -> Result<()> {
    let mut conn = accounts.db.conn().await?;
    let (account, _) = found(&mut conn, accounts, token).await?;
    drop(conn);
    let about = account::known_about(&account.username, account.email.as_ref());
    let hash = passwords::hash(&accounts.pool, Lane::SignIn, new, about).await?;
    let hash = hash.ok_or_else(|| account::too_easy("/new_password"))?;
    let mut tx = accounts.db.begin().await?;
    // The account is locked before its data, as in a deletion.
    store::accounts::lock_exclusively(&mut tx, account.id).await?;
    let link = store::recovery::take_link(&mut tx, &token.hashed, accounts.clock.now()).await?;
    let is_set = match &link {
        Some(_) => store::recovery::set_password(&mut tx, account.id, &hash).await?,
        None => false,
    };
    let Some(link) = link.filter(|_| is_set) else {
        tx.roll_back().await?;
        return Err(refused());
    };
    if let Some(address) = &link.restores {
        store::recovery::restore_address(&mut tx, account.id, address).await?;
        forget_addresses(&mut tx, accounts, account.id, false).await?;
        security_log::record(&mut tx, accounts, account.id, SecurityEventKind::EmailChanged, About::ACCOUNT).await?;
    }
    account::end_all_access(&mut tx, accounts, account.id).await?;
    security_log::record(&mut tx, accounts, account.id, SecurityEventKind::PasswordReset, About::ACCOUNT).await?;
    // A thief of the password may have added one.
    store::passkeys::delete_all(&mut tx, account.id).await?;
    store::second_factors::forget_failures(&mut tx, account.id).await?;
    notices::add(&mut tx, accounts, account.id, NoticeKind::PasswordChanged).await?;
    tx.commit().await?;
    account::forget_tokens(accounts, account.id);
    // The owner has probably tried some passwords before.
    accounts.login_throttle.forgive(from, &account.username.key());
    Ok(())
}
