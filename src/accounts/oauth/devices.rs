//! Sign-in of devices without a browser (RFC 8628), such as terminals and boards. The device shows a code, the user
//! types it on a page of the service and consents, and the polling device gets its tokens.

use std::str::FromStr;

use broadside_rules::Time;

use super::apps::{self, AppGrant};
use super::page_sessions::{self, PageSession};
use super::registered::Known;
use super::request::ClientId;
use super::{OAuthError, Refusal, registered};
use crate::accounts::account;
use crate::accounts::names::Device;
use crate::accounts::secrets;
use crate::accounts::sessions::OpenedSession;
use crate::accounts::{Accounts, Scope, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};

/// Lifetime of a device's code, in seconds.
pub const DEVICE_CODE_S: u32 = 600;
/// The initial polling interval, in seconds, which is also the increase after a poll that came too soon.
pub const INTERVAL_S: u32 = 5;
/// The prefix of the device's secret code.
const DEVICE_PREFIX: &str = "bod_";
/// The letters of user codes: consonants only, so that no words arise (RFC 8628, 6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// The number of letters in a user code.
const LENGTH: usize = 8;

/// The code that the user types: eight consonants, with 25 billion possibilities.
#[derive(Clone, PartialEq, Eq)]
pub struct UserCode(String);

impl UserCode {
    /// A code from random bytes. (Of 256 values 240 are used, so that all letters are equally likely.)
    fn drawn(random: &[u8]) -> Option<Self> {
        let letters = random.iter().filter(|byte| **byte < 240).map(|byte| char::from(LETTERS[usize::from(byte % 20)]));
        let code: String = letters.take(LENGTH).collect();
        (code.len() == LENGTH).then_some(Self(code))
    }

    /// The code without a hyphen, as stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The code for display: `WDJB-MJHT`.
    pub fn shown(&self) -> String {
        let (first, second) = self.0.split_at(LENGTH / 2);
        format!("{first}-{second}")
    }
}

impl FromStr for UserCode {
    type Err = ();

    /// Ignores case, hyphens and spaces.
    fn from_str(text: &str) -> Result<Self, ()> {
        let letters = text.chars().filter(|c| !matches!(c, '-' | ' ')).map(|c| c.to_ascii_uppercase());
        let code: String = letters.take(LENGTH + 1).collect();
        let known = |byte: u8| LETTERS.contains(&byte);
        if code.len() == LENGTH && code.bytes().all(known) { Ok(Self(code)) } else { Err(()) }
    }
}

/// The first answer to a device.
pub struct Begun {
    pub device_code: String,
    pub user_code: UserCode,
}

pub struct WaitingDevice {
    /// The app's own name for itself.
    pub client_id: String,
    pub scopes: Vec<Scope>,
}

/// A device's code as stored.
pub struct StoredDevice {
    pub asked: WaitingDevice,
    pub expires_at: Time,
    /// The polling interval, in seconds.
    pub interval_s: u32,
    pub asked_at: Option<Time>,
    pub decided: Option<Decision>,
}

/// An owner's decision about a device.
pub struct Decision {
    pub account: AccountId,
    pub page_session: SessionId,
    pub allowed: bool,
}

pub async fn begin(tx: &mut Tx, accounts: &Accounts, client_id: &ClientId, scopes: &[Scope]) -> Result<Begun, Refusal> {
    if registered::lock(tx, accounts, client_id).await??.is_some_and(|app| !app.may_ask_for(scopes)) {
        return Err(OAuthError::new("invalid_scope", registered::BEYOND_SCOPES).into());
    }
    let device_code = accounts.token_maker.make(DEVICE_PREFIX, accounts.random())?;
    let drawn = UserCode::drawn(&accounts.random::<64>());
    let user_code = drawn.ok_or_else(|| Error::internal("64 random bytes have no eight of use"))?;
    let expires_at = accounts.clock.now().plus_s(DEVICE_CODE_S);
    store::devices::insert(tx, &secrets::hash(&device_code), &user_code, client_id, scopes, expires_at).await?;
    Ok(Begun { device_code, user_code })
}

/// The device waiting for this user code.
pub async fn find(conn: &mut Conn, accounts: &Accounts, code: &UserCode) -> Result<Option<WaitingDevice>> {
    store::devices::waiting(conn, code, accounts.clock.now()).await
}

/// Records a decision made in this session. False: no device waits for this code any more. Fails with
/// `account-suspended`, `quota-exceeded` and `token-missing`, and with `concurrent-action` when a registered app has
/// gone since the page was shown.
pub async fn decide(
    tx: &mut Tx,
    accounts: &Accounts,
    session: &PageSession,
    code: &UserCode,
    allowed: bool,
) -> Result<bool> {
    let now = accounts.clock.now();
    if allowed {
        account::lock_active(tx, accounts, session.account).await?;
        page_sessions::require_living(tx, accounts, session).await?;
        if let Some(device) = store::devices::waiting(tx, code, now).await? {
            let client_id = device.client_id.parse().map_err(|_| Error::not_found())?;
            registered::require(tx, accounts, &client_id).await?;
        }
        apps::check_number(tx, session.account, now).await?;
    }
    store::devices::decide(tx, code, now, session, allowed).await
}

/// True if the checksum proves that the service issued this device code.
pub fn is_made(accounts: &Accounts, code: &str) -> bool {
    accounts.token_maker.has_made(DEVICE_PREFIX, code)
}

/// Fails when a registered app has gone, or may no longer request these scopes.
fn still_may(known: Known, wanted: &[Scope]) -> Result<(), OAuthError> {
    let may = known?.is_none_or(|app| app.may_ask_for(wanted));
    if may { Ok(()) } else { Err(OAuthError::invalid_grant(registered::BEYOND_SCOPES)) }
}

pub async fn ask(
    accounts: &Accounts,
    client_id: &ClientId,
    device_code: &str,
    device: &Device,
) -> Result<OpenedSession, Refusal> {
    let unknown = || OAuthError::invalid_grant("the device code is not good, not any more, or not for this app");
    if !is_made(accounts, device_code) {
        return Err(unknown().into());
    }
    let (hashed, now) = (secrets::hash(device_code), accounts.clock.now());
    let mut tx = accounts.db.begin().await?;
    // The account is locked before the code, as in a deletion, and the app before it.
    let decider = store::devices::decider(&mut tx, &hashed).await?;
    let active = match decider {
        Some(owner) => account::lock_active(&mut tx, accounts, owner).await,
        None => Ok(()),
    };
    let known = registered::lock(&mut tx, accounts, client_id).await?;
    let found = store::devices::lock(&mut tx, &hashed).await?;
    let Some(found) = found.filter(|found| found.asked.client_id == client_id.as_str()) else {
        tx.roll_back().await?;
        return Err(unknown().into());
    };
    if let Err(error) = still_may(known, &found.asked.scopes) {
        tx.roll_back().await?;
        return Err(error.into());
    }
    if found.expires_at <= now {
        tx.roll_back().await?;
        return Err(OAuthError::new("expired_token", "nobody has typed the code in time: begin again").into());
    }
    let is_early = found.asked_at.is_some_and(|then| now.millis_since(then) < i64::from(found.interval_s) * 1000);
    let interval_s = if is_early { found.interval_s.saturating_add(INTERVAL_S) } else { found.interval_s };
    // A decision made since the look-up is left for the next poll.
    let decided = found.decided.filter(|decision| Some(decision.account) == decider);
    let wait = match &decided {
        _ if is_early => Some(OAuthError::new("slow_down", format!("wait {interval_s} seconds between two questions"))),
        None => Some(OAuthError::new("authorization_pending", "nobody has typed the code yet: ask again")),
        Some(_) => None,
    };
    if let Some(wait) = wait {
        store::devices::note_question(&mut tx, &hashed, now, interval_s).await?;
        tx.commit().await?;
        return Err(wait.into());
    }
    store::devices::delete(&mut tx, &hashed).await?;
    let Some(Decision { account: owner, page_session, allowed: true }) = decided else {
        tx.commit().await?;
        return Err(OAuthError::new("access_denied", "the account's owner has refused").into());
    };
    if active.is_err() {
        tx.commit().await?;
        active?;
        return Err(unknown().into());
    }
    let WaitingDevice { client_id, scopes } = found.asked;
    let account = account::find(&mut tx, owner).await?;
    let opened = apps::open(&mut tx, accounts, account, AppGrant { client_id, scopes }, None, device).await?;
    store::passkeys::pass_on(&mut tx, page_session, opened.session).await?;
    tx.commit().await?;
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_typed() {
        let code = UserCode::drawn(&[0, 255, 1, 2, 3, 4, 250, 5, 6, 7, 8]).unwrap();
        assert_eq!(code.shown(), "BCDF-GHJK");
        for typed in ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk "] {
            assert!(typed.parse::<UserCode>().is_ok_and(|read| read == code), "{typed}");
        }
        for wrong in ["", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF-GHJ1"] {
            assert!(wrong.parse::<UserCode>().is_err(), "{wrong}");
        }
        assert!(UserCode::drawn(&[255; 64]).is_none());
    }
}
