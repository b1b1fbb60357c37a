//! An account's life: made, read, changed, deleted.
//!
//! A deleted account keeps its row, without anything that says who it was: the matches of others refer to it. Ending its matches and taking back
//! its challenges is not done here but by [`crate::account_deletion`], around [`shut`] and [`blank`]; those use cases stand above this one.

use broadside_rules::Time;

use super::names::{Device, Email, NewEmail, NewUsername, Username};
use super::passwords::{NewPassword, Password, Verdict};
use super::sessions::{self, Opened, Session};
use super::suspension::{self, Other, Suspension};
use super::tokens::PersonalToken;
use super::{Identity, Role, tokens};
use crate::accounts::Accounts;
use crate::accounts::store;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::ids::AccountId;
use crate::player::Player;
use crate::rate_limits::RateLimitKey;

/// An account as its owner sees it. (It has no `Debug`: personal data doesn't come into a log by accident.)
#[derive(Clone)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name.
    pub username: Username,
    /// Whether it is marked as a program.
    pub bot: bool,
    /// Its e-mail address. Whether it was confirmed stands with what the account wants of mail.
    pub email: Option<Email>,
    /// When it was made.
    pub created_at: Time,
    /// Its suspension, in force or over.
    pub suspension: Option<Suspension>,
    /// What it is beside a player's.
    pub roles: Vec<Role>,
}

impl Account {
    /// The same without a suspension that is over.
    pub fn seen_at(self, now: Time) -> Self {
        let suspension = self.suspension.filter(|suspension| suspension.is_on(now));
        Self { suspension, ..self }
    }
}

/// A new account as the store takes it.
pub struct NewAccount {
    /// Everything but the password.
    pub account: Account,
    /// The password's hash, a PHC string.
    pub password_hash: String,
}

/// What somebody who registers gives.
pub struct Registration {
    /// The name he wants.
    pub username: NewUsername,
    /// The password he chooses.
    pub password: NewPassword,
    /// His e-mail address, if he gives one.
    pub email: Option<Email>,
    /// Whether a program will play.
    pub bot: bool,
}

/// Somebody who has given the right password; good for one transaction that starts now.
pub struct Proven {
    /// The account.
    pub account: Account,
    /// The hash that the password matched.
    pub(super) password_hash: String,
    /// A costlier hash to store in its place.
    pub(super) better_hash: Option<String>,
}

/// Hashes the password of a registration; done before its transaction, so that no connection waits for a hash.
pub async fn prepare(accounts: &Accounts, registration: Registration) -> Result<NewAccount> {
    let Registration { username, password, email, bot } = registration;
    refuse_own_name(&password, username.name(), "/password")?;
    let account = Account {
        id: accounts.new_id(),
        username: username.name().clone(),
        bot,
        email,
        created_at: accounts.clock.now(),
        suspension: None,
        roles: Vec::new(),
    };
    Ok(NewAccount { account, password_hash: accounts.hasher.hash(password).await? })
}

/// Stores a new account and opens its first session. Fails with `username-taken`.
pub async fn register(tx: &mut Tx, accounts: &Accounts, new: &NewAccount, device: &Device) -> Result<Opened> {
    if !store::accounts::insert(tx, new).await? {
        let detail = format!("The name {} is taken; case makes no difference.", new.account.username);
        return Err(Error::new(&problem::USERNAME_TAKEN, detail));
    }
    events::store::create(tx, new.account.id).await?;
    sessions::open(tx, accounts, new.account.clone(), device).await
}

fn refuse_own_name(password: &NewPassword, name: &Username, pointer: &str) -> Result<()> {
    if password.repeats(name) {
        return Err(Error::invalid_at(pointer, "invalid-value", "must not be the username"));
    }
    Ok(())
}

/// Checks a name and a password, by somebody from `from`. An unknown name and a wrong password get one answer (`wrong-credentials`) after the same
/// time; too many failures of one origin at one name get `too-many-requests`.
pub async fn prove(accounts: &Accounts, from: RateLimitKey, name: &Username, password: Password) -> Result<Proven> {
    count_try(accounts, from, name)?;
    let mut conn = accounts.db.conn().await?;
    let found = store::accounts::credentials(&mut conn, name).await?;
    // Hashing takes long, and others want the connection.
    drop(conn);
    let (account, password_hash) = found.unzip();
    let verdict = accounts.hasher.verify(password, password_hash.clone()).await?;
    match (verdict, account, password_hash) {
        (Verdict::Right { better }, Some(account), Some(password_hash)) => {
            accounts.login_throttle.forgive(from, &name.key());
            Ok(Proven { account, password_hash, better_hash: better })
        }
        _ => Err(Error::plain(&problem::WRONG_CREDENTIALS)),
    }
}

/// Without rate limits (tests, load) failures aren't counted either.
fn count_try(accounts: &Accounts, from: RateLimitKey, name: &Username) -> Result<()> {
    if accounts.rate_limits.is_none() {
        return Ok(());
    }
    accounts.login_throttle.count(from, &name.key(), accounts.clock.now())
}

/// Checks the password of somebody who is signed in; a wrong one is a fault at `pointer`. A stolen access token alone guesses it no faster
/// than a stranger does.
pub async fn confirm(accounts: &Accounts, who: &Identity, password: Password, pointer: &str) -> Result<Proven> {
    let proven = prove(accounts, RateLimitKey::Account(who.account), &who.username, password).await;
    proven.map_err(|error| {
        if error.problem().code == problem::WRONG_CREDENTIALS.code {
            Error::invalid_at(pointer, "wrong-password", "is not the password of this account")
        } else {
            error
        }
    })
}

/// The account, for its owner.
pub async fn find(conn: &mut Conn, id: AccountId) -> Result<Account> {
    // Its token was good a moment ago; if the account is gone by now, so is the token.
    let found = store::accounts::find(conn, id).await?;
    found.ok_or_else(|| Error::plain(&problem::TOKEN_REFUSED))
}

/// What may be changed of an account; nothing is left out by accident.
pub struct Change {
    /// The e-mail address it shall have, or none.
    pub email: Option<NewEmail>,
    /// Whether it shall be marked as a program.
    pub bot: Option<bool>,
}

/// Changes what an account says of its owner. Matches under way keep the mark they began with. Remembered identities
/// carry the mark, too: call [`forget`] once the transaction is committed.
pub async fn change(tx: &mut Tx, who: &Identity, change: &Change) -> Result<Account> {
    if let Some(email) = &change.email {
        store::accounts::set_email(tx, who.account, email.address()).await?;
    }
    if let Some(bot) = change.bot {
        store::accounts::set_bot(tx, who.account, bot).await?;
    }
    find(tx, who.account).await
}

/// Replaces the password, and ends every session but the caller's. Personal access tokens stay: they are revoked one by one.
pub async fn change_password(accounts: &Accounts, who: &Identity, current: Password, new: NewPassword) -> Result<()> {
    refuse_own_name(&new, &who.username, "/new_password")?;
    let proven = confirm(accounts, who, current, "/current_password").await?;
    let hash = accounts.hasher.hash(new).await?;
    let mut tx = accounts.db.begin().await?;
    let old = &proven.password_hash;
    if !store::accounts::replace_hash(&mut tx, who.account, old, &hash).await? {
        tx.roll_back().await?;
        let detail = "The password was changed by another request at the same moment.";
        return Err(Error::new(&problem::MOVED_MEANWHILE, detail));
    }
    store::sessions::end_all(&mut tx, who.account, who.session, accounts.clock.now()).await?;
    tx.commit().await?;
    accounts.memory.forget_sessions(who.account, who.session);
    Ok(())
}

/// The first step of a deletion: every session ends and every token is deleted, so that nothing new can begin. If a later step fails, the
/// account is still there, and its owner signs in and deletes it again.
pub async fn shut(accounts: &Accounts, id: AccountId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    store::sessions::end_all(&mut tx, id, None, accounts.clock.now()).await?;
    store::tokens::delete_all(&mut tx, id).await?;
    tx.commit().await?;
    accounts.memory.forget_account(id);
    Ok(())
}

/// Keeps an account from being deleted or suspended for the rest of the transaction, before it begins something new; `token-refused` if it is deleted already, as its
/// tokens are, and `account-suspended` if it is that. Whoever locks anything else besides (a challenge, say) takes the account first, as a deletion does.
pub async fn hold(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<()> {
    free(held(store::accounts::hold_all(tx, &[id]).await?, id), ctx.clock.now())
}

/// The same for what a suspended account may do, too: go on with its matches, and look after itself.
pub async fn keep(tx: &mut Tx, id: AccountId) -> Result<()> {
    held(store::accounts::hold_all(tx, &[id]).await?, id).map(drop).ok_or_else(|| Error::plain(&problem::TOKEN_REFUSED))
}

/// [`hold`] for two accounts, the caller's and another one, and how the other one stands. Who holds one already must not ask for a second: they are taken in the
/// order of their ids.
pub async fn hold_both(tx: &mut Tx, ctx: &Context, own: AccountId, other: AccountId) -> Result<Other> {
    let (there, now) = (store::accounts::hold_all(tx, &[own, other]).await?, ctx.clock.now());
    free(held(there.clone(), own), now)?;
    Ok(match held(there, other) {
        None => Other::Gone,
        Some(Some(suspension)) if suspension.is_on(now) => Other::Suspended,
        Some(_) => Other::Free,
    })
}

/// [`keep`] for two accounts, the caller's and another one; false: the other one is deleted.
pub async fn keep_both(tx: &mut Tx, own: AccountId, other: AccountId) -> Result<bool> {
    let there = store::accounts::hold_all(tx, &[own, other]).await?;
    held(there.clone(), own).ok_or_else(|| Error::plain(&problem::TOKEN_REFUSED))?;
    Ok(held(there, other).is_some())
}

/// Keeps these accounts from being deleted or suspended for the rest of the transaction, in the order of their ids, and returns those that are there and free to
/// begin something new.
pub async fn hold_all(tx: &mut Tx, ctx: &Context, ids: &[AccountId]) -> Result<Vec<Player>> {
    let (there, now) = (store::accounts::hold_all(tx, ids).await?, ctx.clock.now());
    let is_free =
        |suspension: &Option<Suspension>| !suspension.as_ref().is_some_and(|suspension| suspension.is_on(now));
    Ok(there.into_iter().filter(|(_, suspension)| is_free(suspension)).map(|(player, _)| player).collect())
}

/// The suspension of one of those that are there, in force or over; none if it isn't there.
fn held(there: Vec<(Player, Option<Suspension>)>, id: AccountId) -> Option<Option<Suspension>> {
    there.into_iter().find(|(player, _)| player.id == id).map(|(_, suspension)| suspension)
}

/// Whether somebody who is held may begin something new.
fn free(held: Option<Option<Suspension>>, now: Time) -> Result<()> {
    match held.ok_or_else(|| Error::plain(&problem::TOKEN_REFUSED))? {
        Some(suspension) if suspension.is_on(now) => Err(suspension::refusal(suspension)),
        _ => Ok(()),
    }
}

/// As [`keep_both`], and nobody else holds either of them meanwhile: what others do with the two comes before, and is seen, or after.
pub async fn seize_both(tx: &mut Tx, own: AccountId, other: AccountId) -> Result<bool> {
    Ok(store::accounts::lock_both(tx, own, other).await? || is_the_other(tx, own).await?)
}

/// False: of two accounts it is the other that is deleted.
async fn is_the_other(tx: &mut Tx, own: AccountId) -> Result<bool> {
    keep(tx, own).await.map(|()| false)
}

/// The last step of a deletion: nothing is left that says who it was. The name is free again. Whoever wants to [`hold`] the account waits for the
/// end of the transaction, and finds it deleted. Returns the name that others see in its place.
pub async fn blank(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<String> {
    let now = ctx.clock.now();
    let name = format!("deleted-{:08x}", u32::from_be_bytes(ctx.random()));
    store::accounts::blank(tx, id, &name, now).await?;
    // A sign-in may have come between the steps.
    store::sessions::end_all(tx, id, None, now).await?;
    store::sessions::blank_devices(tx, id).await?;
    store::roles::delete_all(tx, id).await?;
    store::tokens::delete_all(tx, id).await?;
    Ok(name)
}

/// Forgets on this node who had which token of the account: after [`blank`].
pub fn forget(accounts: &Accounts, id: AccountId) {
    accounts.memory.forget_account(id);
}

/// Takes the row of an account that is being deleted, for the rest of the transaction.
pub async fn seize(tx: &mut Tx, id: AccountId) -> Result<()> {
    store::accounts::lock(tx, id).await
}

/// All that is stored about an account besides its challenges and matches.
pub struct Export {
    /// The account.
    pub account: Account,
    /// Its sessions, those that are over included.
    pub sessions: Vec<Session>,
    /// Its personal access tokens, without the tokens themselves, which nobody has stored.
    pub tokens: Vec<PersonalToken>,
}

/// Gathers it, for its owner.
pub async fn export(conn: &mut Conn, id: AccountId) -> Result<Export> {
    let account = find(conn, id).await?;
    let sessions = store::sessions::all(conn, id).await?;
    let tokens = store::tokens::page(conn, id, None, tokens::MOST).await?;
    Ok(Export { account, sessions, tokens })
}
