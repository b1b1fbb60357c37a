//! Security notices by mail to account owners, regardless of their mail preferences. A notice is queued in the
//! transaction of the change; `crate::notifications::mail::security` sends it.

use broadside_rules::Time;
use broadside_rules::card::Language;
use uuid::Uuid;

use super::Email;
use super::names::Username;
use super::recovery::LINK_S;
use super::security_log::{self, About, SecurityEventKind};
use crate::accounts::store;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::request_origin::{self, RequestOrigin};
use crate::string_enums::string_enums;

/// Time after which an unsent notice is given up, in milliseconds: a day.
const GIVE_UP_AFTER_MS: i64 = 24 * 60 * 60 * 1000;

string_enums! {
    /// What has happened.
    pub enum NoticeKind {
        /// Somebody has asked for a link to choose another password.
        PasswordResetRequested,
        /// The password was changed, by its owner or by a link.
        PasswordChanged,
        /// The address was changed or removed. This goes to the one before.
        EmailChanged,
        /// It was changed again, while the one before both can still put itself back. This goes to the one in between.
        EmailChangedAgain,
        /// Sign-ins ask for a second factor from now on.
        SecondFactorEnabled,
        /// They don't any more.
        SecondFactorDisabled,
        /// There are new recovery codes.
        RecoveryCodesReplaced,
        /// A recovery code was used.
        RecoveryCodeUsed,
        /// Many wrong codes were given, by somebody who knows the password.
        SecondFactorFailures,
        /// Somebody has signed in from a client that wasn't seen lately.
        NewDevice,
        /// The account has another name.
        UsernameChanged,
        /// The operator has ended every session.
        SignedOut,
        /// A passkey was added.
        PasskeyAdded,
        /// A passkey was removed.
        PasskeyRemoved,
        /// A passkey was cloned, and opens nothing any more.
        PasskeyCloned,
        /// The answers of an app of the account's own go to other addresses.
        AppAddressesChanged,
    }
}

/// A notice to send. It has no `Debug`, so that an address can't get into a log by accident.
pub struct Notice {
    pub id: Uuid,
    pub account: AccountId,
    pub username: Username,
    pub language: Language,
    pub kind: NoticeKind,
    pub at: Time,
    /// The origin of the request that caused it.
    pub origin: RequestOrigin,
    /// The mail's destination.
    pub address: Email,
}

/// Queues a notice to the account's confirmed address, if there is one.
pub async fn add(tx: &mut Tx, ctx: &Context, account: AccountId, kind: NoticeKind) -> Result<()> {
    match store::recovery::confirmed_address(tx, account).await? {
        Some(address) => add_to(tx, ctx, account, kind, &address).await,
        None => Ok(()),
    }
}

/// Queues a notice to this address.
pub(super) async fn add_to(
    tx: &mut Tx,
    ctx: &Context,
    account: AccountId,
    kind: NoticeKind,
    address: &Email,
) -> Result<()> {
    let (id, from) = (ctx.new_id(), request_origin::current());
    store::notices::insert(tx, (id, account), (kind, &from), address, ctx.clock.now()).await
}

/// Claims up to `limit` due notices, each for a while: unless [`finish`]ed, a notice comes again after growing
/// intervals, until it is [`too_old`].
pub async fn claim(ctx: &Context, limit: usize) -> Result<Vec<Notice>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut tx = ctx.db.begin().await?;
    let claimed = store::notices::claim(&mut tx, ctx.clock.now(), limit).await?;
    tx.commit().await?;
    Ok(claimed)
}

/// Up to `limit` notices after `last` that could not be sent for a day (links: within their half hour of validity).
pub async fn too_old(conn: &mut Conn, now: Time, last: Option<Uuid>, limit: i64) -> Result<Vec<Notice>> {
    let before = (now.plus_ms(-GIVE_UP_AFTER_MS), now.plus_ms(-i64::from(LINK_S) * 1000));
    store::notices::before(conn, before, last, limit).await
}

/// Removes a notice that was sent, or is obsolete.
pub async fn finish(ctx: &Context, notice: &Notice) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::notices::delete(&mut tx, notice.id).await?;
    tx.commit().await
}

/// Records in the security log that the notice can't be sent. False: the account is deleted, or another node has done
/// it.
pub async fn fail(tx: &mut Tx, ctx: &Context, notice: &Notice) -> Result<bool> {
    let there = store::accounts::lock_shared(tx, notice.account).await?;
    if !store::notices::delete(tx, notice.id).await? || !there {
        return Ok(false);
    }
    let about = About { session: None, subject: Some(notice.kind.into_str()) };
    security_log::record(tx, ctx, notice.account, SecurityEventKind::SecurityMailFailed, about).await?;
    Ok(true)
}
