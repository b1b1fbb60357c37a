//! Authentication of event readers: by a token, or by a ticket that opens one stream.

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest};

use crate::accounts::stream_tickets::{self, StreamTicket, UsedTicket};
use crate::api::http::auth::{self, BearerToken, Caller, MatchesRead};
use crate::api::http::prices;
use crate::api::http::reply::Failure;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::rate_limits::Charge;

/// The credential that opened a stream. It is checked again while the stream lasts.
pub enum StreamCredential {
    Token(BearerToken),
    /// A ticket, which is used up.
    Ticket(UsedTicket),
}

impl StreamCredential {
    /// The caller's token and account. Fails with `token-missing` without a token, and with `insufficient-scope` if it
    /// may not read matches.
    pub async fn of_token(request: &HttpRequest) -> std::result::Result<(AccountId, Self), Failure> {
        let caller = Caller::<MatchesRead>::from_request(request, &mut Payload::None).await?;
        Ok((caller.account, Self::Token(BearerToken::of(request)?)))
    }

    /// Uses a ticket up, and charges the operation to its account. An invalid ticket is charged to the address.
    pub async fn of_ticket(app: &App, request: &HttpRequest, ticket: &StreamTicket) -> Result<(AccountId, Self)> {
        if request.headers().contains_key(header::AUTHORIZATION) {
            let detail = "is for callers who can't send a token; send one of the two";
            return Err(Error::invalid_at("/ticket", "conflicting-fields", detail));
        }
        let peer = auth::peer(request);
        match stream_tickets::redeem(&app.accounts, ticket).await {
            Ok(ticket) => {
                let account = ticket.account();
                auth::charge(app, peer, prices::charge_of(request), Some(account))?;
                Ok((account, Self::Ticket(ticket)))
            }
            Err(error) => auth::charge(app, peer, Charge::LIGHT, None).and(Err(error)),
        }
    }

    /// True while the credential is valid.
    pub async fn still_allows(&mut self, app: &App) -> bool {
        match self {
            Self::Token(token) => token.still_allows::<MatchesRead>(app).await,
            Self::Ticket(ticket) => ticket.still_allows(&app.accounts).await,
        }
    }
}
