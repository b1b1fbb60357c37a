//! Tickets for streams: a browser's `EventSource` can't send a header, so it sends a ticket in the address instead. An
//! address is written down in many places (logs of proxies, histories), so a ticket opens one stream, once, within half
//! a minute, and shows nothing but events. After that it is as good as any other word.
//!
//! A stream that was opened with a ticket ends when the token would have ended it that the ticket was made with: it
//! expires, it is revoked, or its session is over.

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

/// How long a ticket can be used, in seconds.
pub const LIVES_S: u32 = 30;

/// A ticket as a client sends it. It has no `Debug`: it can't be printed by accident.
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
    /// The access token of a session.
    Session(SessionId),
    PersonalToken(TokenHash),
}

/// What is stored of a ticket, beside its hash.
#[derive(Clone, Copy)]
pub struct StoredTicket {
    /// Whose events it shows.
    pub account: AccountId,
    pub origin: TicketOrigin,
    /// When that stops being good, if ever.
    pub good_until: Option<Time>,
    pub expires_at: Time,
}

/// A ticket that was used: for as long as the stream goes on.
pub struct UsedTicket {
    ticket: StoredTicket,
    /// When its token was last found good, and how much the node had forgotten by then.
    asked: (Time, u64),
}

/// A ticket that was just made. Its text is shown once and stored nowhere.
pub struct NewTicket {
    pub text: String,
    pub expires_at: Time,
}

/// Makes a ticket with a token of this account that was found good.
pub async fn make(tx: &mut Tx, accounts: &Accounts, account: AccountId, token: &str) -> Result<NewTicket> {
    let (origin, good_until) = expiry(accounts, token).await?;
    let expires_at = accounts.clock.now().plus_s(LIVES_S);
    let text = accounts.token_maker.make(TICKET_PREFIX, accounts.random())?;
    let ticket = StoredTicket { account, origin, good_until, expires_at };
    store::stream_tickets::insert(tx, &secrets::hash(&text), &ticket).await?;
    Ok(NewTicket { text, expires_at })
}

/// Uses a ticket up. `token-unknown` when it was used before, its time is over, or its token is no longer good. One
/// that the service has not made is refused without a look at the database.
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
    /// Whose events it shows.
    pub fn account(&self) -> AccountId {
        self.ticket.account
    }

    /// Whether its token is still good. It is asked as tokens are: again after half a minute, and at once when this
    /// node has ended a session or revoked a token.
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

/// Whether the token of a ticket is good at this moment, and may read matches.
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
