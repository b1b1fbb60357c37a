//! Export of all matches of the caller in one answer: a stream of records, made one by one. Only one is in memory at a
//! time, and each is charged by itself. When the budget is used up, the stream waits, and nothing is lost.

use std::collections::VecDeque;
use std::time::Duration;

use actix_web::{HttpRequest, get, web};
use futures_util::{Stream, stream};
use utoipa::ToSchema;

use crate::api::http::accept::preferred;
use crate::api::http::auth::{BearerToken, Caller, MatchesRead, peer};
use crate::api::http::extract::Query;
use crate::api::http::fields::request;
use crate::api::http::prices;
use crate::api::http::reply::{Failure, StreamingReply, TEXT};
use crate::api::matches::records::RecordForm;
use crate::app::App;
use crate::error::{Error, Result};
use crate::events::stream_slots::StreamSlot;
use crate::ids::{AccountId, MatchId};
use crate::listed::readable;
use crate::matches::{MatchFilter, queries, record};
use crate::rate_limits::{Charge, RateLimitKey};

/// The number of match ids read at a time.
const BATCH: i64 = 100;
/// The media type for lines of JSON.
const LINES: &str = "application/x-ndjson";
/// The maximum wait for budget before the next attempt to charge.
const MAX_WAIT: Duration = Duration::from_secs(60);

request! {
    /// Which form of an export.
    pub query MatchExportQuery {
        /// `json` or `text`; what `Accept` prefers (`application/x-ndjson`, `text/plain`) unless given.
        #[param(inline)]
        pub format: Option<RecordForm>,
        /// The id of the last match that you have, where an export broke off: only older ones.
        #[param(value_type = Option<String>, format = Uuid)]
        pub cursor: Option<MatchId>,
    }
}

/// Lines of JSON: each is the `Record` of a match, as `GET /v1/matches/{id}/record` gives it.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct RecordLines(String);

/// Records in words, with an empty line behind each.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct RecordTexts(String);

/// Export your matches
///
/// The record of each match of yours, the newest first, with your own secrets in it: as lines of JSON, or in words with
/// an empty line behind each. The answer comes as it is made. It is charged record by record, and goes on when your
/// budget allows it. An answer that breaks off is not whole: go on with the last match that you have as `cursor`.
#[utoipa::path(tag = "matches", operation_id = "export_matches", security(("bearer" = ["matches:read"])),
    params(MatchExportQuery),
    responses((status = 200, description = "The records.", content((RecordLines = "application/x-ndjson"), (RecordTexts = "text/plain")))))]
#[get("/v1/account/matches")]
pub async fn export_matches(
    app: web::Data<App>,
    caller: Caller<MatchesRead>,
    query: Query<MatchExportQuery>,
    request: HttpRequest,
) -> Result<StreamingReply, Failure> {
    let form = query.0.format.unwrap_or_else(|| match preferred(&request, &[LINES, "text/plain"]) {
        0 => RecordForm::Json,
        _ => RecordForm::Text,
    });
    let slot = app.stream_slots.take(caller.account)?;
    let export = Export {
        account: caller.account,
        token: BearerToken::of(&request)?,
        payer: (prices::of_record(), peer(&request)),
        form,
        before: query.0.cursor,
        ids: VecDeque::new(),
        is_last_page: false,
        lacks_some: false,
        _slot: slot,
        app,
    };
    let media_type = if form == RecordForm::Json { LINES } else { TEXT };
    Ok(StreamingReply::new(media_type, export.records()))
}

/// The progress of an export.
struct Export {
    app: web::Data<App>,
    account: AccountId,
    token: BearerToken,
    /// The price of a record, and the caller's address.
    payer: (Charge, RateLimitKey),
    form: RecordForm,
    /// The last match of the page.
    before: Option<MatchId>,
    ids: VecDeque<MatchId>,
    is_last_page: bool,
    /// True if a match can't be read.
    lacks_some: bool,
    _slot: StreamSlot,
}

impl Export {
    /// The stream of records. A fault breaks the answer off, so that nobody takes a part for the whole. An unreadable
    /// match does so after all others are written.
    fn records(self) -> impl Stream<Item = Result<String>> + 'static {
        stream::try_unfold(self, async |mut export| {
            let record = export.next().await.inspect_err(|error| {
                tracing::warn!(code = error.problem().code, "an export of matches was broken off");
            })?;
            Ok(record.map(|record| (record, export)))
        })
    }

    async fn next(&mut self) -> Result<Option<String>> {
        while let Some(id) = self.next_id().await? {
            self.pay().await?;
            let form = self.form;
            let made = record::read(&self.app.matches, id, Some(self.account), move |_, source| {
                Ok(match form {
                    RecordForm::Json => serde_json::to_string(&source.record()).map_err(Error::internal)? + "\n",
                    RecordForm::Text => source.text() + "\n",
                })
            });
            let made = readable("a match can't be read; lists leave it out", id, made.await)?;
            if made.is_some() {
                return Ok(made);
            }
            self.lacks_some = true;
        }
        if self.lacks_some { Err(Error::internal("an export lacks matches")) } else { Ok(None) }
    }

    async fn next_id(&mut self) -> Result<Option<MatchId>> {
        while self.ids.is_empty() && !self.is_last_page {
            let me = Some(self.account);
            let filter =
                MatchFilter { player: me, viewer: me, before: self.before, limit: BATCH + 1, ..Default::default() };
            let page = queries::list(&self.app, &filter).await?;
            let page = page.first(usize::try_from(BATCH).unwrap_or(usize::MAX), |summary| summary.id.to_string());
            self.before = page.next_cursor.and_then(|cursor| cursor.parse().ok());
            self.is_last_page = self.before.is_none();
            self.lacks_some |= page.incomplete;
            self.ids.extend(page.items.iter().map(|summary| summary.id));
        }
        Ok(self.ids.pop_front())
    }

    /// Charges the next record, and waits until the caller's budget allows it. The token may be revoked meanwhile.
    async fn pay(&self) -> Result<()> {
        let (price, peer) = self.payer;
        loop {
            if self.app.is_stopping() || !self.token.still_allows::<MatchesRead>(&self.app).await {
                return Err(Error::plain(&crate::error::problem::TOKEN_UNKNOWN));
            }
            let Some(limits) = &self.app.rate_limits else { return Ok(()) };
            let Err(refused) = limits.charge(price, Some(self.account), peer).1 else { return Ok(()) };
            let wait = Duration::from_secs(refused.retry_after_s().unwrap_or(1).max(1));
            tokio::select! {
                () = tokio::time::sleep(wait.min(MAX_WAIT)) => {}
                () = self.app.stopped() => {}
            }
        }
    }
}
