//! Event-stream tickets, found by the hash of their text; the text itself is not stored.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::secrets::TokenHash;
use crate::accounts::stream_tickets::{StoredTicket, TicketOrigin};
use crate::db::schema::stream_tickets;
use crate::db::{At, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};

/// Stores a new ticket's hash and properties.
pub async fn insert(tx: &mut Tx, hashed: &TokenHash, ticket: &StoredTicket) -> Result<()> {
    let (session, token) = match &ticket.origin {
        TicketOrigin::Session(session) => (Some(session.0), None),
        TicketOrigin::PersonalToken(hashed) => (None, Some(hashed.as_slice())),
    };
    diesel::insert_into(stream_tickets::table)
        .values((
            stream_tickets::hash.eq(hashed.as_slice()),
            stream_tickets::account_id.eq(ticket.account.0),
            stream_tickets::session_id.eq(session),
            stream_tickets::token_hash.eq(token),
            stream_tickets::good_until.eq(ticket.good_until.map(At)),
            stream_tickets::expires_at.eq(At(ticket.expires_at)),
        ))
        .run(tx)
        .await
}

/// Removes and returns a ticket, valid or expired. Of two concurrent calls, one gets it.
pub async fn take(tx: &mut Tx, hashed: &TokenHash) -> Result<Option<StoredTicket>> {
    type Row = (Uuid, Option<Uuid>, Option<Vec<u8>>, Option<At>, At);
    let taken = diesel::delete(stream_tickets::table.find(hashed.as_slice())).returning((
        stream_tickets::account_id,
        stream_tickets::session_id,
        stream_tickets::token_hash,
        stream_tickets::good_until,
        stream_tickets::expires_at,
    ));
    let row: Option<Row> = taken.get_result(tx.sql()).await.optional()?;
    let Some((account, session, token, good_until, expires_at)) = row else { return Ok(None) };
    let token = token.and_then(|hash| TokenHash::try_from(hash).ok());
    let origin = session.map(|id| TicketOrigin::Session(SessionId(id))).or(token.map(TicketOrigin::PersonalToken));
    let origin = origin.ok_or_else(|| Error::internal("a stored ticket was made with nothing"))?;
    Ok(Some(StoredTicket {
        account: AccountId(account),
        origin,
        good_until: good_until.map(Time::from),
        expires_at: expires_at.0,
    }))
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(stream_tickets::table.filter(stream_tickets::account_id.eq(account.0))).run(tx).await
}

/// Deletes a bounded number of tickets that expired before `then`. Returns the number.
pub async fn delete_over_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let over = stream_tickets::table.filter(stream_tickets::expires_at.lt(At(then))).select(stream_tickets::hash);
    let over: Vec<Vec<u8>> = over.limit(5000).load(tx.sql()).await?;
    let deleted = diesel::delete(stream_tickets::table.filter(stream_tickets::hash.eq_any(over)));
    Ok(deleted.execute(tx.sql()).await?)
}
