//! The life of an account (creation, reads, changes, deletion), and the locks on its row.
//!
//! A deleted account keeps its row, without personal data, because other players' matches refer to it.
//! [`crate::account_deletion`] ends its matches and withdraws its challenges, around [`revoke_access`] and
//! [`anonymise`].

use broadside_rules::Time;

use super::names::{Device, Email, NewUsername, Username};
use super::oauth::registered;
use super::passwords::{self, NewPassword};
use super::profiles::{self, AccountProfile, ChallengesFrom, ProfileChange};
use super::security_log::{self, About, SecurityEventKind};
use super::sessions::{self, OpenedSession};
use super::suspension::{self, OtherAccount, Suspension};
use super::{Identity, Role};
use crate::accounts::{Accounts, store};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::ids::{AccountId, SessionId};
use crate::player::Player;
use crate::work_pool::Lane;

/// An account as its owner sees it. It has no `Debug`, so that personal data cannot get into a log by accident.
#[derive(Clone)]
pub struct Account {
    /// Never changes.
    pub id: AccountId,
    /// Unique, ignoring case.
    pub username: Username,
    pub bot: bool,
    /// True if it is a guest account: without a password or a passkey.
    pub guest: bool,
    /// Without a password, the account is a guest's or uses a passkey.
    pub has_password: bool,
    /// Confirmed or not: the mail preferences record the confirmation.
    pub email: Option<Email>,
    pub created_at: Time,
    /// In force or expired.
    pub suspension: Option<Suspension>,
    /// Empty for nearly every account.
    pub roles: Vec<Role>,
    pub profile: Box<AccountProfile>,
    pub challenges_from: ChallengesFrom,
}

impl Account {
    /// The account without an expired suspension.
    pub fn seen_at(self, now: Time) -> Self {
        let suspension = self.suspension.filter(|suspension| suspension.is_on(now));
        Self { suspension, ..self }
    }
}

/// An account found by its name.
pub struct KnownAccount {
    pub player: Player,
    pub guest: bool,
    pub created_at: Time,
    pub deleted: bool,
    /// In force or expired.
    pub suspension: Option<Suspension>,
    pub profile: AccountProfile,
    pub challenges_from: ChallengesFrom,
}

/// A new account, ready to store.
pub struct NewAccount {
    /// Everything but the password.
    pub account: Account,
    pub password_hash: String,
    /// For guests: a hash of the IP address, by which guests share quotas.
    pub guest_origin: Option<Vec<u8>>,
}

pub struct Registration {
    pub username: NewUsername,
    pub password: NewPassword,
    /// Not confirmed.
    pub email: Option<Email>,
    pub bot: bool,
}

/// Hashes the password of a registration. Call it before the transaction: no connection should wait for a hash.
pub async fn prepare_registration(accounts: &Accounts, registration: Registration) -> Result<NewAccount> {
    let Registration { username, password, email, bot } = registration;
    let hash =
        passwords::hash(&accounts.pool, Lane::SignIn, password, known_about(username.name(), email.as_ref())).await?;
    let password_hash = hash.ok_or_else(|| too_easy("/password"))?;
    let account = Account {
        id: accounts.new_id(),
        username: username.name().clone(),
        bot,
        guest: false,
        has_password: true,
        email,
        created_at: accounts.clock.now(),
        suspension: None,
        roles: Vec::new(),
        profile: Box::default(),
        challenges_from: ChallengesFrom::default(),
    };
    Ok(NewAccount { account, password_hash, guest_origin: None })
}

/// Stores a new account and opens its first session. Fails with `username-taken`.
pub async fn register(tx: &mut Tx, accounts: &Accounts, new: &NewAccount, device: &Device) -> Result<OpenedSession> {
    create(tx, new).await?;
    let opened = sessions::open(tx, accounts, new.account.clone(), None, device).await?;
    note_registration(tx, accounts, opened.account.id, opened.session).await?;
    Ok(opened)
}

/// Records the account's creation in the security log, with the session that it opened.
pub(super) async fn note_registration(
    tx: &mut Tx,
    accounts: &Accounts,
    account: AccountId,
    session: SessionId,
) -> Result<()> {
    let about = About::session(session);
    security_log::record(tx, accounts, account, SecurityEventKind::Registered, about).await
}

/// Stores a new account without a session. Fails with `username-taken`.
pub(super) async fn create(tx: &mut Tx, new: &NewAccount) -> Result<()> {
    if !store::accounts::insert(tx, new).await? {
        let detail =
            format!("The name {}, or one that looks like it, is or was somebody else's.", new.account.username);
        return Err(Error::new(&problem::USERNAME_TAKEN, detail));
    }
    events::store::create(tx, new.account.id).await
}

/// Guessable facts about an account that its password must not be made of.
pub(super) fn known_about(username: &Username, email: Option<&Email>) -> Vec<String> {
    [username.as_str()].into_iter().chain(email.map(Email::as_str)).map(str::to_owned).collect()
}

pub(super) fn too_easy(pointer: &str) -> Error {
    let detail = "is too easy to guess: use several words, or more and rarer ones, and not your name";
    Error::invalid_at(pointer, "password-too-weak", detail)
}

pub async fn find(conn: &mut Conn, id: AccountId) -> Result<Account> {
    // The account may have been deleted since the token was checked; the token is then invalid.
    let found = store::accounts::find(conn, id).await?;
    found.ok_or_else(|| Error::plain(&problem::TOKEN_UNKNOWN))
}

/// Changes to an account; all fields must be set, so that none is forgotten.
pub struct Change {
    /// The bot mark; `None`: unchanged.
    pub bot: Option<bool>,
    pub profile: ProfileChange,
    /// The players whose challenges it accepts; `None`: unchanged.
    pub challenges_from: Option<ChallengesFrom>,
}

/// Changes the account's profile. Running matches keep the bot mark they began with. Cached identities carry the mark
/// too: call [`forget_tokens`] after the commit. Fails with `account-suspended` if anything but the mark changes.
pub async fn change(tx: &mut Tx, ctx: &Context, who: &Identity, change: Change) -> Result<Account> {
    let Change { bot, profile, challenges_from } = change;
    profiles::change(tx, ctx, who, profile).await?;
    if bot.is_some() || challenges_from.is_some() {
        store::accounts::set_marks(tx, who.account, bot, challenges_from).await?;
    }
    find(tx, who.account).await
}

/// The effect of an operation on the account's personal access tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PersonalTokens {
    Revoke,
    /// All stay valid.
    Keep,
}

/// The first step of a deletion: ends every session and deletes every token, so that nothing new can begin. If a later
/// step fails, the account still exists, and its owner can sign in and delete it again.
pub async fn revoke_access(accounts: &Accounts, id: AccountId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    end_all_access(&mut tx, accounts, id).await?;
    store::recovery::delete_links(&mut tx, id).await?;
    tx.commit().await?;
    accounts.token_cache.forget_account(id);
    Ok(())
}

/// Ends every session, including those of apps, and deletes every token, code and ticket. Call [`forget_tokens`] after
/// the commit.
pub(super) async fn end_all_access(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<()> {
    store::sessions::end_all(tx, id, None, ctx.clock.now()).await?;
    store::codes::delete_all(tx, id).await?;
    store::devices::delete_all(tx, id).await?;
    store::tokens::delete_all(tx, id).await?;
    store::stream_tickets::delete_all(tx, id).await?;
    store::second_factors::delete_challenges(tx, id).await?;
    store::second_factors::delete_pending(tx, id).await?;
    store::passkey_challenges::delete_all(tx, id).await?;
    store::recovery::delete_plain_links(tx, id).await
}

/// Takes a shared lock on an account, so that it stays active (neither deleted nor suspended) until the transaction
/// ends. Call it before the account begins anything new, and before locking anything else (such as a challenge), as a
/// deletion does.
///
/// Fails with `token-unknown` if the account is deleted, and with `account-suspended` if it is suspended.
pub async fn lock_active(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<()> {
    require_active(&store::accounts::lock_all_shared(tx, &[id]).await?, id, ctx.clock.now())
}

/// Takes a shared lock on an account, so that it is not deleted until the transaction ends. Use it for actions that a
/// suspended account may still perform: finishing matches and managing itself. Fails with `token-unknown` if it is
/// deleted.
pub async fn lock_existing(tx: &mut Tx, id: AccountId) -> Result<()> {
    require_existing(&store::accounts::lock_all_shared(tx, &[id]).await?, id).map(drop)
}

/// [`lock_active`] for the caller's account together with another one, whose state it returns. Both are locked in the
/// order of their ids: a transaction that holds a lock on one account must not request a second.
pub async fn lock_active_with(tx: &mut Tx, ctx: &Context, own: AccountId, other: AccountId) -> Result<OtherAccount> {
    let (locked, now) = (store::accounts::lock_all_shared(tx, &[own, other]).await?, ctx.clock.now());
    require_active(&locked, own, now)?;
    Ok(match find_locked(&locked, other) {
        None => OtherAccount::Deleted,
        Some(other) if other.is_suspended(now) => OtherAccount::Suspended,
        Some(_) => OtherAccount::Active,
    })
}

/// True if the account is deleted or currently suspended.
pub async fn is_gone(conn: &mut Conn, ctx: &Context, id: AccountId) -> Result<bool> {
    let found = store::accounts::find(conn, id).await?;
    Ok(found.is_none_or(|account| account.seen_at(ctx.clock.now()).suspension.is_some()))
}

/// [`lock_existing`] for the caller's account together with another one. False: the other one is deleted.
pub async fn lock_existing_with(tx: &mut Tx, own: AccountId, other: AccountId) -> Result<bool> {
    let locked = store::accounts::lock_all_shared(tx, &[own, other]).await?;
    require_existing(&locked, own)?;
    Ok(find_locked(&locked, other).is_some())
}

/// Locks these accounts like [`lock_active`], in the order of their ids, and returns the active ones.
pub async fn lock_all_active(tx: &mut Tx, ctx: &Context, ids: &[AccountId]) -> Result<Vec<Player>> {
    let (locked, now) = (store::accounts::lock_all_shared(tx, ids).await?, ctx.clock.now());
    Ok(locked.into_iter().filter(|account| !account.is_suspended(now)).map(|account| account.player).collect())
}

/// Takes exclusive locks on the caller's account and another one until the transaction ends, in the order of their ids.
/// Changes by other transactions therefore happen either before this one, visible to it, or after it. False: the other
/// account is deleted.
pub async fn lock_both_exclusively(tx: &mut Tx, own: AccountId, other: AccountId) -> Result<bool> {
    if store::accounts::lock_both_exclusively(tx, own, other).await? {
        return Ok(true);
    }
    lock_existing(tx, own).await.map(|()| false)
}

fn find_locked(locked: &[LockedAccount], id: AccountId) -> Option<&LockedAccount> {
    locked.iter().find(|account| account.player.id == id)
}

fn require_existing(locked: &[LockedAccount], id: AccountId) -> Result<&LockedAccount> {
    find_locked(locked, id).ok_or_else(|| Error::plain(&problem::TOKEN_UNKNOWN))
}

fn require_active(locked: &[LockedAccount], id: AccountId, now: Time) -> Result<()> {
    match &require_existing(locked, id)?.suspension {
        Some(suspension) if suspension.is_on(now) => Err(suspension::refusal(suspension.clone())),
        _ => Ok(()),
    }
}

/// The last step of a deletion: removes all personal data from the account. The name stays reserved. Transactions
/// waiting for the account's lock find it deleted. Returns the name that others see from now on; `None`: the account is
/// suspended, and keeps its name and suspension until that ends ([`to_unname`]).
pub async fn anonymise(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<Option<String>> {
    let now = ctx.clock.now();
    let suspension = store::accounts::suspension(tx, id).await?;
    store::accounts::delete(tx, id, now).await?;
    let name = match suspension {
        Some(suspension) if suspension.is_on(now) => None,
        _ => Some(unname(tx, ctx, id).await?),
    };
    // Apps are locked before codes and sessions, as everywhere.
    registered::remove_all(tx, ctx, id).await?;
    // A sign-in may have happened between the steps.
    end_all_access(tx, ctx, id).await?;
    store::sessions::clear_devices(tx, id).await?;
    store::roles::delete_all(tx, id).await?;
    store::recovery::delete_links(tx, id).await?;
    store::notices::delete_all(tx, id).await?;
    store::second_factors::delete(tx, id).await?;
    store::security_events::delete_all(tx, id).await?;
    store::former_usernames::blank(tx, id).await?;
    store::passkeys::delete_all(tx, id).await?;
    Ok(name)
}

/// Removes the name and the suspension of a deleted account. Returns the name that others see from now on.
pub async fn unname(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<String> {
    let name = format!("deleted-{:08x}", u32::from_be_bytes(ctx.random()));
    store::accounts::unname(tx, id, &name).await?;
    Ok(name)
}

/// Up to `limit` deleted accounts whose suspension has ended since, so that their names can be removed: in the order of
/// their ids, after `last`.
pub async fn to_unname(conn: &mut Conn, ctx: &Context, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    store::accounts::deleted_and_no_longer_suspended(conn, ctx.clock.now(), last, limit).await
}

/// Clears the account's tokens from this node's cache. Call it after [`anonymise`].
pub fn forget_tokens(accounts: &Accounts, id: AccountId) {
    accounts.token_cache.forget_account(id);
}

/// Takes an exclusive lock on the account to delete until the transaction ends.
pub async fn lock_exclusively(tx: &mut Tx, id: AccountId) -> Result<()> {
    store::accounts::lock_exclusively(tx, id).await
}

pub(crate) struct LockedAccount {
    /// With the current name.
    pub(crate) player: Player,
    /// In force or expired.
    pub(crate) suspension: Option<Suspension>,
}

impl LockedAccount {
    fn is_suspended(&self, now: Time) -> bool {
        self.suspension.as_ref().is_some_and(|suspension| suspension.is_on(now))
    }
}
