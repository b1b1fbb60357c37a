//! Guests: accounts with a name and nothing else. A guest plays unrated matches until the account gets a password or a
//! passkey, which makes it one like any other, or until nobody has used it for long: then it is deleted like any other
//! (`crate::account_deletion`). What a guest may ask for is a table, `api/http/guests.rs`.

use super::account::{self, Account, NewAccount};
use super::passwords::{self, NewPassword};
use super::security_log::{self, About, SecurityEventKind};
use super::{Accounts, Identity, NewUsername, store};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::work_pool::Lane;

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Whether there are guests, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuestSettings {
    /// Whether new ones are let in.
    pub allowed: bool,
    /// A guest goes when no session of it was refreshed for so many days.
    pub idle_days: u16,
}

impl Default for GuestSettings {
    fn default() -> Self {
        Self { allowed: true, idle_days: 30 }
    }
}

/// A guest of this name, for [`account::register`]. Fails with `guests-disabled`.
pub fn prepare(accounts: &Accounts, username: &NewUsername) -> Result<NewAccount> {
    if !accounts.guest_settings.allowed {
        return Err(Error::plain(&problem::GUESTS_OFF));
    }
    let account = Account {
        id: accounts.new_id(),
        username: username.name().clone(),
        bot: false,
        guest: true,
        has_password: false,
        email: None,
        created_at: accounts.clock.now(),
        suspension: None,
        roles: Vec::new(),
        profile: Box::default(),
    };
    Ok(NewAccount { account, password_hash: passwords::DECOY.to_owned() })
}

/// The hash of the password that a guest's account is to get. Fails with `validation-failed` when it is too weak.
pub async fn hash(accounts: &Accounts, who: &Identity, password: NewPassword) -> Result<String> {
    let about = account::known_about(&who.username, None);
    let hash = passwords::hash(&accounts.pool, Lane::Heavy, password, about).await?;
    hash.ok_or_else(|| account::too_easy("/password"))
}

/// Gives a guest's account a password: it is an account like any other from now on. Its sessions stay, and a passkey
/// that was asked for without a proof no more. Fails with `already-done` when it is no guest's. When it is committed,
/// [`account::forget_tokens`] of the guest.
pub async fn claim(tx: &mut Tx, ctx: &Context, who: &Identity, hash: &str) -> Result<Account> {
    if !store::guests::claim(tx, who.account, Some(hash)).await? {
        return Err(Error::new(&problem::ALREADY_DONE, "The account is no guest's any more."));
    }
    store::passkey_challenges::delete_all(tx, who.account).await?;
    security_log::record(tx, ctx, who.account, SecurityEventKind::GuestClaimed, About::ACCOUNT).await?;
    account::find(tx, who.account).await
}

/// Makes a guest's account one like any other, without a password: it has a passkey now. False: it is no guest's any
/// more. When it is committed, [`account::forget_tokens`].
pub async fn claim_with_passkey(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<bool> {
    let is_claimed = store::guests::claim(tx, id, None).await?;
    if is_claimed {
        security_log::record(tx, ctx, id, SecurityEventKind::GuestClaimed, About::ACCOUNT).await?;
    }
    Ok(is_claimed)
}

/// Locks the account of a guest, who has nothing to prove who they are with. False: it is no guest's any more.
pub async fn lock(tx: &mut Tx, id: AccountId) -> Result<bool> {
    store::accounts::lock_exclusively(tx, id).await?;
    store::guests::is_guest(tx, id).await
}

/// Fails with `guest-not-allowed` when a guest asks for something rated.
pub fn check_rated(who: &Identity, rated: bool) -> Result<()> {
    if who.guest && rated {
        return Err(Error::new(&problem::GUEST_NOT_ALLOWED, "Guests play unrated matches only."));
    }
    Ok(())
}

/// At most `limit` guests whom nobody has used for long, or can use any more, in the order of their ids, after `last`.
pub async fn idle(conn: &mut Conn, accounts: &Accounts, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    let now = accounts.clock.now();
    let since = now.plus_ms(-i64::from(accounts.guest_settings.idle_days) * DAY_MS);
    store::guests::idle(conn, now, since, last, limit).await
}

/// Takes the account of a guest to be deleted: nobody can claim it from now on. False: somebody has claimed it.
pub async fn give_up(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<bool> {
    if !lock(tx, id).await? {
        return Ok(false);
    }
    store::sessions::end_all(tx, id, None, ctx.clock.now()).await?;
    Ok(true)
}
