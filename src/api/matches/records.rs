//! Permanent documents of a match: its board, which never changes, and its record, which proves it.

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use broadside_rules::card::BoardCard;
use broadside_rules::record::Record;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::accept;
use crate::api::http::auth::{MatchesRead, Visitor};
use crate::api::http::caching::{Caching, matches_etag};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::reply::{Answer, JSON, Reply, TEXT};
use crate::api::matches::view::etag;
use crate::app::App;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::MatchSnapshot;
use crate::matches::documents::MatchDocument;
use crate::matches::record::{self, RecordSource};
use crate::string_enums::string_enums;

text_fields!(RecordForm);

/// Get the board of a match
///
/// Every cell with its label and its place, and what was drawn for this match at its opening (whose cells are whose,
/// say). It never changes: keep it. `not-found` as for the match.
#[utoipa::path(tag = "matches", operation_id = "get_match_board", security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."),
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the board that the caller has.")),
    responses((status = 200, description = "The board.", body = BoardCard), (status = 304, description = "Nothing new.")))]
#[get("/v1/matches/{id}/board")]
pub async fn get_match_board(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    id: Id<MatchId>,
    request: HttpRequest,
) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let access = app.matches.access(id.0, me).await?;
    if access.is_over {
        let render = |snapshot: &MatchSnapshot, _: &RecordSource<'_>| json_document(&snapshot.view().board());
        let board = record::of_ended(&app.matches, &access, me, MatchDocument::Board, render).await?;
        return Ok(Reply::document(&board, Caching::Immutable, &request));
    }
    let board = json_document(&app.matches.read(id.0, me).await?.view().board())?;
    Ok(Reply::document(&board, Caching::Immutable, &request))
}

string_enums! {
    /// A form of a record.
    pub enum RecordForm {
        /// JSON, which can be verified.
        Json,
        /// Words, a line a turn, to be read aloud.
        Text,
    }
}

impl RecordForm {
    fn document(self) -> MatchDocument {
        match self {
            Self::Json => MatchDocument::Record,
            Self::Text => MatchDocument::RecordText,
        }
    }

    fn render(self, source: &RecordSource<'_>) -> Result<Document> {
        match self {
            Self::Json => json_document(&source.record()),
            Self::Text => Ok(Document::new(TEXT, source.text().into_bytes())),
        }
    }

    /// Caching of the record of a finished match. The text form contains the players' names, which are deleted with
    /// their accounts.
    fn caching(self) -> Caching {
        match self {
            Self::Json => Caching::Immutable,
            Self::Text => Caching::CheckedOwn,
        }
    }

    /// The `ETag` of the record in this form.
    fn tag(self, snapshot: &MatchSnapshot) -> String {
        match self {
            Self::Json => etag(snapshot),
            Self::Text => format!("{}-text\"", etag(snapshot).trim_end_matches('"')),
        }
    }
}

request! {
    /// Which form of a record.
    pub query RecordQuery {
        /// `json` or `text`; what `Accept` prefers (`application/json`, `text/plain`) unless given.
        #[param(inline)]
        pub format: Option<RecordForm>,
    }
}

/// A match in words: a line a turn, with times in UTC and names of seats.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct MatchRecordText(String);

/// Get the record of a match
///
/// Everything that was said in public, hash-chained and signed with the match's own key, and the caller's own secrets
/// with their salts; once the match has ended with a result, everything: the seed of chance, every deployment, every
/// salt; then it never changes: keep it. `broadside verify` checks a record without asking a server. As plain text it
/// is a line a turn, for people, with the names of the players. `not-found` as for the match.
#[utoipa::path(tag = "matches", operation_id = "get_match_record", security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."), RecordQuery,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the record that the caller has.")),
    responses((status = 200, description = "The record, as far as the caller may have it.", content((Record = "application/json"), (MatchRecordText = "text/plain"))),
        (status = 304, description = "Nothing new.")))]
#[get("/v1/matches/{id}/record")]
pub async fn get_match_record(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    id: Id<MatchId>,
    query: Query<RecordQuery>,
    request: HttpRequest,
) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let form = query.0.format.unwrap_or_else(|| preferred(&request));
    let access = app.matches.access(id.0, me).await?;
    if access.is_over {
        let record = record::of_ended(&app.matches, &access, me, form.document(), move |_, source| form.render(source));
        return Ok(Reply::document(&*record.await?, form.caching(), &request));
    }
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if let Some(known) = known {
        // The match in memory knows the tag, so nothing is folded if the caller is up to date.
        let tag = form.tag(&app.matches.read(id.0, me).await?);
        if matches_etag(known, &tag) {
            return Ok(Reply::not_modified(&tag).header(header::VARY, "accept"));
        }
    }
    let answer = record::read(&app.matches, id.0, me, move |snapshot, source| {
        let reply = match form {
            RecordForm::Json => Reply::ok(&source.record())?,
            RecordForm::Text => Reply::text(source.text()),
        };
        Ok(reply.tagged(form.tag(snapshot)))
    });
    Ok(answer.await?.header(header::VARY, "accept"))
}

fn json_document(body: &impl Serialize) -> Result<Document> {
    Ok(Document::new(JSON, serde_json::to_vec(body).map_err(Error::internal)?))
}

/// The form that `Accept` prefers; JSON if it prefers none.
fn preferred(request: &HttpRequest) -> RecordForm {
    match accept::preferred(request, &["application/json", "text/plain"]) {
        0 => RecordForm::Json,
        _ => RecordForm::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn the_form_is_what_the_caller_prefers() {
        let prefers =
            |accept: &str| preferred(&TestRequest::default().insert_header((header::ACCEPT, accept)).to_http_request());
        for json in
            ["", "*/*", "application/json", "text/html", "text/plain;q=0.5, */*", "text/plain, application/json"]
        {
            assert_eq!(prefers(json), RecordForm::Json, "{json}");
        }
        for text in ["text/plain", "TEXT/*", "application/json;q=0.5, text/plain", "text/plain;q=0.9, */*;q=0.1"] {
            assert_eq!(prefers(text), RecordForm::Text, "{text}");
        }
        assert_eq!("yaml".parse::<RecordForm>().err().unwrap().0, "must be one of json, text");
    }
}
