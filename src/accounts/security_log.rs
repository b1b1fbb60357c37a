//! The security log of an account, for its owner: sign-ins, and changes to the means of signing in.
//!
//! An entry is written in the transaction of the change that it records; a wrong code is committed separately, with its
//! count. The origin of a request is stored roughly ([`crate::request_origin`]): enough for owners to recognize their
//! devices, too little to track them. Entries are kept for half a year, at most the newest [`MOST`] per account. (The
//! audit log of moderators and the operator is separate, and kept forever.)

use broadside_rules::Time;

use super::notices::{self, NoticeKind};
use super::store;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::{AccountId, SecurityEventId, SessionId};
use crate::request_origin::{self, RequestOrigin};
use crate::string_enums::string_enums;

/// The maximum number of entries per account; older ones are deleted.
pub const MOST: u32 = 500;
/// Retention of entries, in milliseconds: half a year.
pub const KEPT_MS: i64 = 180 * 24 * 60 * 60 * 1000;
/// Time without a sign-in after which a client counts as new, in milliseconds: eight weeks.
const KNOWN_FOR_MS: i64 = 56 * 24 * 60 * 60 * 1000;

string_enums! {
    /// What has happened.
    pub enum SecurityEventKind {
        /// The account was made, which opened its first session.
        Registered,
        /// A guest's account got a password or a passkey, and is one like any other.
        GuestClaimed,
        /// Somebody signed in with the password.
        SignedIn,
        /// Somebody signed in with the password and a code of the second factor.
        SignedInWithCode,
        /// Somebody signed in with a passkey.
        SignedInWithPasskey,
        /// A sign-in on the service's pages was continued from another client, or from elsewhere.
        ContinuedElsewhere,
        /// The password was right, the code of the second factor wrong.
        SecondFactorFailed,
        /// Many wrong passwords were given. This is noted once a day at most.
        SignInFailures,
        /// A session was ended by its owner.
        SessionEnded,
        /// Somebody had a copy of a refresh token or a code, so the session was ended.
        SessionStolen,
        /// The operator ended every session.
        SignedOutByOperator,
        /// The password was changed. That ends the other sessions.
        PasswordChanged,
        /// A password was chosen by a link for a lost one. That ends every session.
        PasswordReset,
        /// The account got another name; `subject` is the name before.
        UsernameChanged,
        /// The e-mail address was changed, removed or put back.
        EmailChanged,
        /// Sign-ins ask for a second factor from now on.
        SecondFactorEnabled,
        /// They don't any more.
        SecondFactorDisabled,
        /// There are new recovery codes.
        RecoveryCodesReplaced,
        /// A recovery code was used.
        RecoveryCodeUsed,
        /// A passkey was added; `subject` is its name.
        PasskeyAdded,
        /// A passkey was removed.
        PasskeyRemoved,
        /// Two devices have used one passkey, so somebody has a copy of it; it signs nobody in any more.
        PasskeyCloned,
        /// A personal access token was made; `subject` is its name.
        TokenMade,
        /// A personal access token was revoked; `subject` is its name.
        TokenRevoked,
        /// An app was let in; `subject` is its `client_id`.
        AppGranted,
        /// An app may act no more; `subject` is its `client_id`.
        AppRevoked,
        /// The owner registered an app of their own; `subject` is its name.
        AppRegistered,
        /// They changed what they say of it; `subject` is its name now.
        AppChanged,
        /// They deleted it, which ended all that others had granted it; `subject` is its name.
        AppDeleted,
        /// A mail about the security of the account could not be delivered; `subject` says what it was about, as
        /// `password-changed` or `new-device`.
        SecurityMailFailed,
    }
}

pub struct SecurityEvent {
    /// Ids ascend with time.
    pub id: SecurityEventId,
    pub kind: SecurityEventKind,
    pub at: Time,
    pub origin: RequestOrigin,
    pub session: Option<SessionId>,
    /// Further details, depending on the kind.
    pub subject: Option<String>,
}

/// The subject of an entry.
pub(in crate::accounts) struct About<'a> {
    pub session: Option<SessionId>,
    pub subject: Option<&'a str>,
}

impl About<'_> {
    /// The account as a whole.
    pub const ACCOUNT: Self = Self { session: None, subject: None };

    pub fn session(session: SessionId) -> Self {
        Self { session: Some(session), subject: None }
    }
}

/// Writes an entry, with the origin of the current request.
pub(in crate::accounts) async fn record(
    tx: &mut Tx,
    ctx: &Context,
    account: AccountId,
    kind: SecurityEventKind,
    about: About<'_>,
) -> Result<()> {
    let event = SecurityEvent {
        id: ctx.new_id(),
        kind,
        at: ctx.clock.now(),
        origin: request_origin::current(),
        session: about.session,
        subject: about.subject.map(str::to_owned),
    };
    store::security_events::insert(tx, account, &event).await?;
    store::security_events::delete_all_but(tx, account, i64::from(MOST)).await
}

/// Records a sign-in. The owner is notified if no sign-in came from such a client in such a network in recent weeks.
/// (The registration counts as a sign-in of its client, so it causes no notification.)
pub(in crate::accounts) async fn signed_in(
    tx: &mut Tx,
    ctx: &Context,
    account: AccountId,
    kind: SecurityEventKind,
    session: SessionId,
) -> Result<()> {
    let since = ctx.clock.now().plus_ms(-KNOWN_FOR_MS);
    let is_known = store::security_events::has_signed_in(tx, account, &request_origin::current(), since).await?;
    record(tx, ctx, account, kind, About::session(session)).await?;
    if is_known { Ok(()) } else { notices::add(tx, ctx, account, NoticeKind::NewDevice).await }
}

/// Replaces a session by another: the log then names the new one. If the request comes from another client or place
/// than the sign-in, this is recorded as a sign-in of its own.
pub(in crate::accounts) async fn went_on(
    tx: &mut Tx,
    ctx: &Context,
    account: AccountId,
    before: SessionId,
    session: SessionId,
) -> Result<()> {
    store::security_events::replace_session(tx, account, before, session).await?;
    if store::sessions::origin(tx, before).await?.is_some_and(|origin| origin == request_origin::current()) {
        return Ok(());
    }
    signed_in(tx, ctx, account, SecurityEventKind::ContinuedElsewhere, session).await
}

/// A page of the log, newest first.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    before: Option<SecurityEventId>,
    limit: i64,
) -> Result<Vec<SecurityEvent>> {
    store::security_events::page(conn, account, before, limit).await
}

pub(in crate::accounts) async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<SecurityEvent>> {
    list(conn, account, None, i64::from(MOST)).await
}

/// Deletes a bounded number of expired entries. Returns how many.
pub(in crate::accounts) async fn forget_old(tx: &mut Tx, now: Time) -> Result<usize> {
    store::security_events::delete_before(tx, now.plus_ms(-KEPT_MS)).await
}
