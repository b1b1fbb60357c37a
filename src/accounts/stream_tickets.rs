//! Tickets for event streams: a browser's `EventSource` can't send a header, so it sends a ticket in the address.
//!
//! Addresses are recorded in many places (proxy logs, histories), so a ticket opens one stream, once, within half a
//! minute, and shows only events. After that it is worthless. A stream opened with a ticket ends with the token that
//! the ticket was made with: when it expires, is revoked, or its session ends.

use std::str::FromStr;

use broadside_rules::Time;

use super::Scope;
use super::authentication::{TRUST_MS, expiry};
use super::oauth::apps::AppGrant;
use super::secrets::{self, TICKET_PREFIX, TokenHash};
use crate::accounts::{Accounts, store};
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};

/// Lifetime of a ticket, in seconds.
pub const LIVES_S: u32 = 30;

/// A ticket from a client. It has no `Debug`, so that it can't be logged by accident.
pub struct StreamTicket(String);

impl FromStr for StreamTicket {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let is_whole = secrets::is_well_formed(TICKET_PREFIX, text);
        is_whole.then(|| Self(text.to_owned())).ok_or_else(|| "must be a ticket: bet_ and 43 characters".to_owned())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TicketOrigin {
    /// The access token of this session.
    Session(SessionId),
    PersonalToken(TokenHash),
}

/// The stored data of a ticket, beside its hash.
#[derive(Clone, Copy)]
pub struct StoredTicket {
    pub account: AccountId,
    pub origin: TicketOrigin,
    /// The token's expiry, if any.
    pub good_until: Option<Time>,
    pub expires_at: Time,
}

/// A used ticket, kept while the stream is open.
pub struct UsedTicket {
    ticket: StoredTicket,
    /// The time of the token's last check, and the node's invalidation count then.
    asked: (Time, u64),
}

/// A new ticket. Its text is shown once and not stored.
pub struct NewTicket {
    pub text: String,
    pub expires_at: Time,
}

/// Makes a ticket from a valid token of this account.
pub async fn make(tx: &mut Tx, accounts: &Accounts, account: AccountId, token: &str) -> Result<NewTicket> {
    let (origin, good_until) = expiry(accounts, token).await?;
    let expires_at = accounts.clock.now().plus_s(LIVES_S);
    let text = accounts.token_maker.make(TICKET_PREFIX, accounts.random())?;
    let ticket = StoredTicket { account, origin, good_until, expires_at };
    store::stream_tickets::insert(tx, &secrets::hash(&text), &ticket).await?;
    Ok(NewTicket { text, expires_at })
}

/// Uses a ticket up. `token-unknown` when it was used before, has expired, or its token is no longer valid. Tickets
/// that the service has not issued are refused without a look at the database.
pub async fn redeem(accounts: &Accounts, ticket: &StreamTicket) -> Result<UsedTicket> {
    let refused = || {
        let detail = "The ticket was used before, or is older than 30 seconds: get a new one for each connection.";
        Error::new(&problem::TOKEN_UNKNOWN, detail)
    };
    if !accounts.token_maker.has_made(TICKET_PREFIX, &ticket.0) {
        return Err(refused());
    }
    let now = accounts.clock.now();
    let forgotten = accounts.token_cache.count();
    let mut tx = accounts.db.begin().await?;
    let found = store::stream_tickets::take(&mut tx, &secrets::hash(&ticket.0)).await?;
    tx.commit().await?;
    let ticket = found.filter(|ticket| now < ticket.expires_at).ok_or_else(refused)?;
    if !is_good(accounts, &ticket, now).await? {
        return Err(refused());
    }
    Ok(UsedTicket { ticket, asked: (now, forgotten) })
}

impl UsedTicket {
    pub fn account(&self) -> AccountId {
        self.ticket.account
    }

    /// True if its token is still valid: checked like tokens, after half a minute, and at once when this node has ended
    /// a session or revoked a token.
    pub async fn still_allows(&mut self, accounts: &Accounts) -> bool {
        let (now, forgotten) = (accounts.clock.now(), accounts.token_cache.count());
        let (then, known) = self.asked;
        if known == forgotten && (0..TRUST_MS).contains(&now.millis_since(then)) {
            return self.ticket.is_in_time(now);
        }
        self.asked = (now, forgotten);
        is_good(accounts, &self.ticket, now).await.unwrap_or(false)
    }
}

impl StoredTicket {
    fn is_in_time(&self, now: Time) -> bool {
        self.good_until.is_none_or(|until| now < until)
    }
}

/// True if the token of a ticket is currently valid, and may read matches.
async fn is_good(accounts: &Accounts, ticket: &StoredTicket, now: Time) -> Result<bool> {
    if !ticket.is_in_time(now) {
        return Ok(false);
    }
    let mut conn = accounts.db.conn().await?;
    Ok(match &ticket.origin {
        TicketOrigin::Session(session) => {
            let holder = store::sessions::holder(&mut conn, ticket.account, *session, now).await?;
            let may = |app: AppGrant| app.scopes.contains(&Scope::MatchesRead);
            holder.is_some_and(|holder| holder.app.is_none_or(may))
        }
        TicketOrigin::PersonalToken(hashed) => {
            let holder = store::tokens::holder(&mut conn, hashed, now).await?;
            holder.is_some_and(|holder| holder.identity.may(Some(Scope::MatchesRead)))
        }
    })
}
