//! The caller's private notes and marks on a match, over HTTP. They are never part of the match's answers.

use actix_web::http::header;
use actix_web::{HttpRequest, get, put, web};
use broadside_rules::Fault;
use serde_json::Value;

use crate::api::http::auth::{Caller, MatchesPlay, MatchesRead};
use crate::api::http::caching::matches_etag;
use crate::api::http::extract::{Body, Id};
use crate::api::http::fields::{FromJson, nested, request, text_fields, typed};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::error::Result;
use crate::ids::MatchId;
use crate::social::Notes;
use crate::social::notes::{self, NewCellMark, NewNotes};
use crate::social::text::{Colour, MarkText, NoteText};

text_fields!(NoteText, MarkText, Colour);

/// The id of a sea or the label of a cell; the match's board checks it.
pub struct BoardWord(String);

impl FromJson for BoardWord {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        typed(value.as_str(), "must be a string", pointer, faults).map(|text| Self(text.to_owned()))
    }
}

request! {
    /// A mark to set on a cell.
    pub struct NoteMark {
        /// The sea's id, as the board has it.
        #[schema(value_type = String, max_length = 16, pattern = "^[a-z-]+$")]
        pub sea: BoardWord,
        /// The cell's label.
        #[schema(value_type = String, max_length = 8, pattern = "^[A-Za-z0-9@-]+$")]
        pub cell: BoardWord,
        /// The text of the mark: 1 to 16 characters on one line.
        #[schema(value_type = String, min_length = 1, max_length = 16, pattern = "^[^\\u0000-\\u001f]+$")]
        pub mark: MarkText,
        /// The colour: a word of lower-case letters, or `#` and six hexadecimal digits.
        #[schema(value_type = Option<String>, max_length = 16, pattern = "^([a-z]{1,16}|#[0-9A-Fa-f]{6})$")]
        pub colour: Option<Colour>,
    }
}

nested!(NoteMark);

request! {
    /// The notes that replace the stored ones.
    pub struct ReplaceMatchNotesRequest {
        /// The revision that the caller has; 0 when there are no notes yet. If the stored notes have another one,
        /// nothing is overwritten (`stale-revision`).
        #[schema(minimum = 0, maximum = 2_147_483_646, format = Int32)]
        pub revision: u32,
        /// The text: up to 10000 characters, with line breaks (`\n`) and tabs.
        #[schema(value_type = Option<String>, max_length = 10_000, pattern = "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f]*$")]
        pub text: Option<NoteText>,
        /// The marks.
        #[schema(max_items = 500)]
        pub marks: Option<Vec<NoteMark>>,
    }
}

impl From<ReplaceMatchNotesRequest> for NewNotes {
    fn from(new: ReplaceMatchNotesRequest) -> Self {
        let mark = |NoteMark { sea, cell, mark, colour }| NewCellMark { sea: sea.0, cell: cell.0, mark, colour };
        Self {
            revision: new.revision,
            text: new.text.unwrap_or_default(),
            marks: new.marks.unwrap_or_default().into_iter().map(mark).collect(),
        }
    }
}

fn etag(notes: &Notes) -> String {
    format!("\"{}\"", notes.revision)
}

fn reply(notes: Notes) -> Result<Reply> {
    let etag = etag(&notes);
    Ok(Reply::ok(&notes)?.tagged(etag))
}

/// Get your notes on a match
///
/// A text and marks on cells, which only the caller sees; empty with revision 0 when there are none. With
/// `If-None-Match` the answer is 304 as long as they are the same. Refused with `not-found` when the caller may not see
/// the match.
#[utoipa::path(tag = "matches", operation_id = "get_match_notes", security(("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."),
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the notes that the caller has.")),
    responses((status = 200, description = "The notes.", body = Notes), (status = 304, description = "Nothing new.")))]
#[get("/v1/matches/{id}/notes")]
pub async fn get_match_notes(
    app: web::Data<App>,
    caller: Caller<MatchesRead>,
    id: Id<MatchId>,
    request: HttpRequest,
) -> Answer {
    let notes = notes::read(&app.matches, caller.account, id.0).await?;
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| matches_etag(known, &etag(&notes))) {
        return Ok(Reply::not_modified(&etag(&notes)));
    }
    Ok(reply(notes)?)
}

/// Replace your notes on a match
///
/// Replaces all of them, over the revision that the caller has read; what is left out is empty. Refused with
/// `stale-revision` (409, with `current_revision`) when another device was faster: read again. The same request
/// repeated gets the same answer. `validation-failed` names every mark that is not on the board. `quota-exceeded` (409)
/// when all your notes together would be too long. For every account that may see the match, also after its end; nobody
/// else's answers change.
#[utoipa::path(tag = "matches", operation_id = "replace_match_notes", security(("bearer" = ["matches:play"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = ReplaceMatchNotesRequest,
    responses((status = 200, description = "The notes as they are now.", body = Notes)))]
#[put("/v1/matches/{id}/notes")]
pub async fn replace_match_notes(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    body: Body<ReplaceMatchNotesRequest>,
) -> Answer {
    let notes = notes::write(&app.matches, &caller, id.0, body.0.into()).await?;
    Ok(reply(notes)?)
}
