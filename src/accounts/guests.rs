//! Guests: accounts with a name and nothing else, for unrated matches.
//!
//! A guest account becomes a full account when it gets a password or a passkey. After long inactivity it is deleted
//! (`crate::account_deletion`). `api/http/guests.rs` has the table of operations open to guests.

use std::collections::BTreeSet;

use broadside_rules::{Nonce, RuleSet, Variant};
use serde_json::Value;

use super::account::{self, Account, NewAccount};
use super::passwords::{self, NewPassword};
use super::profiles::ChallengesFrom;
use super::security_log::{self, About, SecurityEventKind};
use super::sessions::OpenedSession;
use super::{Accounts, Device, Identity, NewUsername, store};
use crate::budget_owner;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::quotas;
use crate::rate_limits::{RateLimitKey, ShareOwner};
use crate::work_pool::Lane;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuestSettings {
    /// Accepts new guests.
    pub allowed: bool,
    /// The number of days without a refreshed session after which a guest is deleted.
    pub idle_days: u16,
}

impl Default for GuestSettings {
    fn default() -> Self {
        Self { allowed: true, idle_days: 30 }
    }
}

/// A guest with this name and address, for [`register`]. Fails with `guests-disabled`.
pub fn prepare(accounts: &Accounts, username: &NewUsername, address: RateLimitKey) -> Result<NewAccount> {
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
        challenges_from: ChallengesFrom::default(),
    };
    let guest_origin = Some(accounts.token_maker.mark("guests of ", &address.to_string())?);
    Ok(NewAccount { account, password_hash: passwords::DECOY.to_owned(), guest_origin })
}

/// Creates a guest account with a session. Fails with `username-taken`, and with `quota-exceeded` when the address has
/// too many guests.
pub async fn register(tx: &mut Tx, accounts: &Accounts, new: &NewAccount, device: &Device) -> Result<OpenedSession> {
    if let Some(origin) = &new.guest_origin {
        quotas::check_guests(tx, origin).await?;
    }
    account::register(tx, accounts, new, device).await
}

/// The hash of a guest's first password. Fails with `validation-failed` when it is too weak.
pub async fn hash(accounts: &Accounts, who: &Identity, password: NewPassword) -> Result<String> {
    let about = account::known_about(&who.username, None);
    let hash = passwords::hash(&accounts.pool, Lane::Heavy, password, about).await?;
    hash.ok_or_else(|| account::too_easy("/password"))
}

/// Gives a guest account a password, which makes it a full account. Its sessions stay; pending passkey requests, which
/// needed no proof, are canceled. Fails with `already-done` when it isn't a guest's. Call [`account::forget_tokens`]
/// after the commit.
pub async fn claim(tx: &mut Tx, ctx: &Context, who: &Identity, hash: &str) -> Result<Account> {
    if !store::guests::claim(tx, who.account, Some(hash)).await? {
        return Err(Error::new(&problem::ALREADY_DONE, "The account is no guest's any more."));
    }
    store::passkey_challenges::delete_all(tx, who.account).await?;
    security_log::record(tx, ctx, who.account, SecurityEventKind::GuestClaimed, About::ACCOUNT).await?;
    account::find(tx, who.account).await
}

/// Turns a guest account with a new passkey into a full account. False: it is no longer a guest's. Call
/// [`account::forget_tokens`] after the commit.
pub async fn claim_with_passkey(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<bool> {
    let is_claimed = store::guests::claim(tx, id, None).await?;
    if is_claimed {
        security_log::record(tx, ctx, id, SecurityEventKind::GuestClaimed, About::ACCOUNT).await?;
    }
    Ok(is_claimed)
}

/// Locks a guest account, which has no credentials to confirm. False: it is no longer a guest's.
pub async fn lock(tx: &mut Tx, id: AccountId) -> Result<bool> {
    store::accounts::lock_exclusively(tx, id).await?;
    store::guests::is_guest(tx, id).await
}

/// The owner of the fair share used by the current request: the account, or for guests, their address.
pub fn share_owner(accounts: &Accounts, who: &Identity) -> Result<ShareOwner> {
    match budget_owner::address().filter(|_| who.guest) {
        Some(address) => Ok(ShareOwner::guests(&accounts.token_maker.mark("guests of ", &address.to_string())?)),
        None => Ok(ShareOwner::account(who.account)),
    }
}

/// Fails with `guest-not-allowed` when a guest requests something rated.
pub fn check_rated(who: &Identity, rated: bool) -> Result<()> {
    if who.guest && rated {
        return Err(Error::new(&problem::GUEST_NOT_ALLOWED, "Guests play unrated matches only."));
    }
    Ok(())
}

/// The fields of a rule set that hold freely chosen names.
const NAMES: [&str; 5] = ["class", "name", "nation", "ship", "weapon"];

/// Fails with `guest-not-allowed` when a guest sends a message with a challenge.
pub fn check_message(who: &Identity, has_message: bool) -> Result<()> {
    if who.guest && has_message {
        let detail = "Guests send no message with a challenge. Leave it out, or keep your account with a password.";
        return Err(Error::new(&problem::GUEST_NOT_ALLOWED, detail));
    }
    Ok(())
}

/// Fails with `guest-not-allowed` when a guest gives ships or weapons names that the variant doesn't have.
pub fn check_names(who: &Identity, variant: &Variant, rules: &RuleSet) -> Result<()> {
    if who.guest && !own_names(variant, rules).is_empty() {
        let detail = "Guests give no names to ships and weapons. Use those of the variant, or keep your account with a password.";
        return Err(Error::new(&problem::GUEST_NOT_ALLOWED, detail));
    }
    Ok(())
}

/// The names of ships and weapons in a rule set that the variant doesn't have.
pub fn own_names(variant: &Variant, rules: &RuleSet) -> Vec<String> {
    let names = |rules: &RuleSet| {
        let mut names = BTreeSet::new();
        add_names(&serde_json::to_value(rules).unwrap_or_default(), &mut names);
        names
    };
    names(rules).difference(&names(&variant.rule_set())).cloned().collect()
}

fn add_names(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| add_names(value, names)),
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = value.as_str().filter(|_| NAMES.contains(&field.as_str()));
                names.extend(name.map(str::to_owned));
                add_names(value, names);
            }
        }
        _ => {}
    }
}

/// Fails with `guest-not-allowed` when a guest's nonce could be read as words.
pub fn check_nonce(who: &Identity, nonce: Option<&Nonce>) -> Result<()> {
    let is_number = |nonce: &Nonce| nonce.as_str().bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if who.guest && !nonce.is_none_or(is_number) {
        let detail = "Guests have nonces of hexadecimal digits (0-9, a-f): others can read them.";
        return Err(Error::new(&problem::GUEST_NOT_ALLOWED, detail));
    }
    Ok(())
}

/// Up to `limit` guests that are long inactive or can't be used any more, in the order of their ids, after `last`.
pub async fn idle(conn: &mut Conn, accounts: &Accounts, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    let now = accounts.clock.now();
    let since = now.plus_ms(-i64::from(accounts.guest_settings.idle_days) * DAY_MS);
    store::guests::idle(conn, now, since, last, limit).await
}

/// Reserves a guest account for deletion: it can't be claimed any more. False: it was already claimed.
pub async fn give_up(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<bool> {
    if !lock(tx, id).await? {
        return Ok(false);
    }
    store::sessions::end_all(tx, id, None, ctx.clock.now()).await?;
    Ok(true)
}
