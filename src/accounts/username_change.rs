//! Changes of usernames.
//!
//! The previous name leads to the account for a year, during which no other account can take it or a lookalike; its
//! owner may return to it. This prevents impersonation after a change. (Rows older than a year are deleted by
//! [`forget_old`], and count until then.) The new name is shown everywhere. A match keeps a copy of its players' names,
//! which the caller replaces in the same transaction (`crate::matches::names`).

use broadside_rules::Time;

use super::account::Account;
use super::credentials::VerifiedCredentials;
use super::lookalikes;
use super::notices::{self, NoticeKind};
use super::security_log::{self, About, SecurityEventKind};
use super::sessions::take_confirmed;
use super::{Accounts, NewUsername, Username, store, suspension};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;

/// The minimum time between changes, in seconds: 30 days. Changes of case alone are exempt.
pub const EVERY_S: u32 = 30 * 24 * 60 * 60;
/// The time for which a previous name is reserved, in milliseconds: a year.
const HELD_MS: i64 = 365 * 24 * 60 * 60 * 1000;

/// Renames the account. Call [`super::account::forget_tokens`] after the commit, because they carry the name.
///
/// Fails with `username-taken` when the name or a lookalike is another account's or was within a year; with
/// `username-changed-lately`; with `account-suspended`, to prevent evasion; and with `concurrent-action` if the
/// password has changed since it was verified. The current name is a fault at `/username`.
pub async fn change(
    tx: &mut Tx,
    accounts: &Accounts,
    credentials: VerifiedCredentials,
    new: &NewUsername,
) -> Result<Account> {
    let now = accounts.clock.now();
    let account = take_confirmed(tx, credentials).await?;
    if let Some(suspension) = account.suspension.clone().filter(|suspension| suspension.is_on(now)) {
        return Err(suspension::refusal(suspension));
    }
    // Read again: the password was verified before the row was locked, and the name may have changed since.
    let (before, changed_at) = store::former_usernames::current(tx, account.id).await?;
    let name = new.name();
    if before == *name {
        return Err(Error::invalid_at("/username", "invalid-value", "must not be the name so far"));
    }
    // A change of case alone keeps the name: it needs no reservation and doesn't count as a change.
    let is_other = before.key() != name.key();
    let allowed_at = changed_at.filter(|_| is_other).map(|then| then.plus_s(EVERY_S));
    if let Some(allowed_at) = allowed_at.filter(|allowed_at| now < *allowed_at) {
        let detail = format!("A name may be changed once in 30 days: this one from {allowed_at} on.");
        return Err(Error::new(&problem::USERNAME_CHANGED_LATELY, detail));
    }
    let skeleton = lookalikes::skeleton_hash(name);
    let is_free = store::former_usernames::rename(tx, account.id, name, &skeleton, is_other.then_some(now)).await?
        && !store::former_usernames::is_held(tx, &skeleton, Some(account.id)).await?;
    if !is_free {
        let detail = format!("The name {name}, or one that looks like it, is or was somebody else's.");
        return Err(Error::new(&problem::USERNAME_TAKEN, detail));
    }
    store::former_usernames::delete(tx, account.id, name).await?;
    if is_other {
        let former = (&before, lookalikes::skeleton_hash(&before));
        store::former_usernames::insert(tx, accounts.new_id(), account.id, former, now).await?;
    }
    let about = About { subject: Some(before.as_str()), ..About::ACCOUNT };
    security_log::record(tx, accounts, account.id, SecurityEventKind::UsernameChanged, about).await?;
    notices::add(tx, accounts, account.id, NoticeKind::UsernameChanged).await?;
    Ok(Account { username: name.clone(), ..account })
}

/// A previous name of an account.
pub struct FormerUsername {
    /// In lower case, for comparisons.
    pub username: Username,
    /// The end of the reservation.
    pub held_until: Time,
}

/// The account's names within the last year, for its owner's export.
pub(in crate::accounts) async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<FormerUsername>> {
    let left = store::former_usernames::of(conn, account).await?;
    let former =
        |(username, left_at): (Username, Time)| FormerUsername { username, held_until: left_at.plus_ms(HELD_MS) };
    Ok(left.into_iter().map(former).collect())
}

/// Releases a bounded number of names given up more than a year ago. Returns the number.
pub(in crate::accounts) async fn forget_old(tx: &mut Tx, now: Time) -> Result<usize> {
    store::former_usernames::delete_before(tx, now.plus_ms(-HELD_MS)).await
}
