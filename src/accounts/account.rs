//! The life of an account: it is created, read, changed and deleted; and the locks on its row.
//!
//! A deleted account keeps its row, without anything that says who it was: the matches of others refer to it. Ending
//! its matches and taking back its challenges is not done here but by [`crate::account_deletion`], around
//! [`revoke_access`] and [`anonymise`]; those use cases stand above this one.

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

/// An account as its owner sees it. (It has no `Debug`: personal data doesn't come into a log by accident.)
#[derive(Clone)]
pub struct Account {
    /// The id, which the account keeps for ever.
    pub id: AccountId,
    /// The name, unique without regard to case.
    pub username: Username,
    /// Whether it is marked as a program.
    pub bot: bool,
    /// Whether it is a guest's: it has neither a password nor a passkey.
    pub guest: bool,
    /// Whether it has a password. Without one it is a guest's, or was kept with a passkey.
    pub has_password: bool,
    /// Its e-mail address. Whether it was confirmed stands with what the account wants of mail.
    pub email: Option<Email>,
    pub created_at: Time,
    /// Its suspension, in force or over.
    pub suspension: Option<Suspension>,
    /// Its roles; empty for nearly every account.
    pub roles: Vec<Role>,
    pub profile: Box<AccountProfile>,
    pub challenges_from: ChallengesFrom,
}

impl Account {
    /// The same without a suspension that is over.
    pub fn seen_at(self, now: Time) -> Self {
        let suspension = self.suspension.filter(|suspension| suspension.is_on(now));
        Self { suspension, ..self }
    }
}

/// An account as its name leads to it.
pub struct KnownAccount {
    pub player: Player,
    pub guest: bool,
    pub created_at: Time,
    pub deleted: bool,
    /// The suspension, in force or over.
    pub suspension: Option<Suspension>,
    pub profile: AccountProfile,
    pub challenges_from: ChallengesFrom,
}

/// A new account as the store takes it.
pub struct NewAccount {
    /// Everything but the password.
    pub account: Account,
    pub password_hash: String,
    /// A guest's: the mark of its address, by which its guests share quotas.
    pub guest_origin: Option<Vec<u8>>,
}

pub struct Registration {
    /// The name, if it is still free.
    pub username: NewUsername,
    pub password: NewPassword,
    /// An e-mail address, not verified.
    pub email: Option<Email>,
    /// Whether a program will play.
    pub bot: bool,
}

/// Hashes the password of a registration; done before its transaction, so that no connection waits for a hash.
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

/// Notes in the security log that the account was made, which has opened this session.
pub(super) async fn note_registration(
    tx: &mut Tx,
    accounts: &Accounts,
    account: AccountId,
    session: SessionId,
) -> Result<()> {
    let about = About::session(session);
    security_log::record(tx, accounts, account, SecurityEventKind::Registered, about).await
}

/// Stores a new account, in which nobody is signed in yet. Fails with `username-taken`.
pub(super) async fn create(tx: &mut Tx, new: &NewAccount) -> Result<()> {
    if !store::accounts::insert(tx, new).await? {
        let detail =
            format!("The name {}, or one that looks like it, is or was somebody else's.", new.account.username);
        return Err(Error::new(&problem::USERNAME_TAKEN, detail));
    }
    events::store::create(tx, new.account.id).await
}

/// What guessers know about an account, for its password not to be made of.
pub(super) fn known_about(username: &Username, email: Option<&Email>) -> Vec<String> {
    [username.as_str()].into_iter().chain(email.map(Email::as_str)).map(str::to_owned).collect()
}

pub(super) fn too_easy(pointer: &str) -> Error {
    let detail = "is too easy to guess: use several words, or more and rarer ones, and not your name";
    Error::invalid_at(pointer, "password-too-weak", detail)
}

pub async fn find(conn: &mut Conn, id: AccountId) -> Result<Account> {
    // The token was valid a moment ago; if the account is deleted by now, the token is not valid any more.
    let found = store::accounts::find(conn, id).await?;
    found.ok_or_else(|| Error::plain(&problem::TOKEN_UNKNOWN))
}

/// What may be changed of an account; nothing is left out by accident.
pub struct Change {
    /// Whether the account is to be marked as a program; `None`: unchanged.
    pub bot: Option<bool>,
    /// What it says of its owner besides.
    pub profile: ProfileChange,
    /// Whose challenges it takes; `None`: unchanged.
    pub challenges_from: Option<ChallengesFrom>,
}

/// Changes what an account says of its owner. Matches under way keep the mark they began with. Remembered identities
/// carry the mark, too: call [`forget_tokens`] once the transaction is committed. Fails with `account-suspended` if
/// more than the mark is to change.
pub async fn change(tx: &mut Tx, ctx: &Context, who: &Identity, change: Change) -> Result<Account> {
    let Change { bot, profile, challenges_from } = change;
    profiles::change(tx, ctx, who, profile).await?;
    if bot.is_some() || challenges_from.is_some() {
        store::accounts::set_marks(tx, who.account, bot, challenges_from).await?;
    }
    find(tx, who.account).await
}

/// What becomes of an account's personal access tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PersonalTokens {
    Revoke,
    /// All stay good.
    Keep,
}

/// The first step of a deletion: ends every session and deletes every token, so that nothing new can begin. If a later
/// step fails, the account still exists, and its owner signs in and deletes it again.
pub async fn revoke_access(accounts: &Accounts, id: AccountId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    end_all_access(&mut tx, accounts, id).await?;
    store::recovery::delete_links(&mut tx, id).await?;
    tx.commit().await?;
    accounts.token_cache.forget_account(id);
    Ok(())
}

/// Ends every session, those of apps included, and deletes every token, code and ticket. When it is committed,
/// [`forget_tokens`].
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

/// Locks an account so that it stays active (neither deleted nor suspended) until the transaction ends. A shared lock:
/// any number of transactions may hold it at once. Call it before the account begins anything new, and before locking
/// anything else (a challenge, say), as a deletion does.
///
/// Fails with `token-unknown` if the account is deleted, and with `account-suspended` if it is suspended.
pub async fn lock_active(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<()> {
    require_active(&store::accounts::lock_all_shared(tx, &[id]).await?, id, ctx.clock.now())
}

/// Locks an account so that it is not deleted until the transaction ends; it may be suspended. A shared lock, for what
/// a suspended account may still do: finish its matches, and manage itself. Fails with `token-unknown` if it is
/// deleted.
pub async fn lock_existing(tx: &mut Tx, id: AccountId) -> Result<()> {
    require_existing(&store::accounts::lock_all_shared(tx, &[id]).await?, id).map(drop)
}

/// [`lock_active`] for the caller's account together with another one, whose state it returns. A transaction that holds
/// a lock on one account must not ask for a second: both are locked here in the order of their ids.
pub async fn lock_active_with(tx: &mut Tx, ctx: &Context, own: AccountId, other: AccountId) -> Result<OtherAccount> {
    let (locked, now) = (store::accounts::lock_all_shared(tx, &[own, other]).await?, ctx.clock.now());
    require_active(&locked, own, now)?;
    Ok(match find_locked(&locked, other) {
        None => OtherAccount::Deleted,
        Some(other) if other.is_suspended(now) => OtherAccount::Suspended,
        Some(_) => OtherAccount::Active,
    })
}

/// Whether the account is deleted, or suspended at present.
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

/// Locks these accounts as [`lock_active`] does, in the order of their ids, and returns those that are active.
pub async fn lock_all_active(tx: &mut Tx, ctx: &Context, ids: &[AccountId]) -> Result<Vec<Player>> {
    let (locked, now) = (store::accounts::lock_all_shared(tx, ids).await?, ctx.clock.now());
    Ok(locked.into_iter().filter(|account| !account.is_suspended(now)).map(|account| account.player).collect())
}

/// Locks the caller's account and another one until the transaction ends, in the order of their ids, and excludes every
/// other lock on them, shared ones too. So whatever other transactions do with the two happens either before this one,
/// which then sees it, or after it. False: the other account is deleted.
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

/// The last step of a deletion: removes everything from the account that says who its owner was. Nobody can take the
/// name afterwards. A transaction that wants to lock the account meanwhile waits for the end of this one, and finds it
/// deleted. Returns the name that others see from now on; `None`: the account is suspended, and keeps its name and its
/// suspension until that is over ([`to_unname`]).
pub async fn anonymise(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<Option<String>> {
    let now = ctx.clock.now();
    let suspension = store::accounts::suspension(tx, id).await?;
    store::accounts::delete(tx, id, now).await?;
    let name = match suspension {
        Some(suspension) if suspension.is_on(now) => None,
        _ => Some(unname(tx, ctx, id).await?),
    };
    // Its apps come before codes and sessions, as everywhere.
    registered::remove_all(tx, ctx, id).await?;
    // A sign-in may have come between the steps.
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

/// At most `limit` deleted accounts that were suspended then and aren't any more, so that their names can be removed:
/// in the order of their ids, after `last`.
pub async fn to_unname(conn: &mut Conn, ctx: &Context, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    store::accounts::deleted_and_no_longer_suspended(conn, ctx.clock.now(), last, limit).await
}

/// Forgets on this node who had which token of the account: after [`anonymise`].
pub fn forget_tokens(accounts: &Accounts, id: AccountId) {
    accounts.token_cache.forget_account(id);
}

/// Locks the account of a deletion until the transaction ends, and excludes every other lock on it.
pub async fn lock_exclusively(tx: &mut Tx, id: AccountId) -> Result<()> {
    store::accounts::lock_exclusively(tx, id).await
}

/// An account whose row is locked.
pub(crate) struct LockedAccount {
    /// The player, by their current name.
    pub(crate) player: Player,
    /// The suspension, in force or over.
    pub(crate) suspension: Option<Suspension>,
}

impl LockedAccount {
    fn is_suspended(&self, now: Time) -> bool {
        self.suspension.as_ref().is_some_and(|suspension| suspension.is_on(now))
    }
}
