//! Private notes on a match: a text, and marks on its cells. Only their owner sees them, and they affect no answer,
//! version or time of other accounts.
//!
//! Every account that may see a match may keep notes on it, also after its end. They are replaced as a whole and by
//! revision, so that two devices do not overwrite each other.

use std::collections::BTreeMap;

use broadside_rules::card::BoardCard;
use broadside_rules::text::Label;
use broadside_rules::{Fault, Time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::text::{Colour, MarkText, NoteText};
use crate::accounts::{Identity, account};
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::quotas::{Quota, Room};
use crate::social::store;

/// The most marks in the notes on one match.
pub const MAX_MARKS: usize = 500;

/// A mark on a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = NoteMark)]
pub struct CellMark {
    /// The sea's id.
    #[schema(max_length = 16, pattern = "^[a-z-]+$")]
    pub sea: String,
    /// The cell's label.
    #[schema(max_length = 8, pattern = "^[A-Za-z0-9@-]+$")]
    pub cell: String,
    /// The text of the mark.
    #[schema(max_length = 16, pattern = "^[^\\u0000-\\u001f]+$")]
    pub mark: String,
    /// The colour; null: none was given.
    #[schema(max_length = 16, pattern = "^([a-z]{1,16}|#[0-9A-Fa-f]{6})$")]
    pub colour: Option<String>,
}

/// The caller's notes on a match.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
#[schema(as = MatchNotes)]
pub struct Notes {
    /// How many times they were written; 0: never. It is the `ETag`, too.
    #[schema(minimum = 0, maximum = 2_147_483_647, format = Int32)]
    pub revision: u32,
    /// The text.
    #[schema(max_length = 10_000, pattern = "^[^\\u0000-\\u0008\\u000b-\\u001f]*$")]
    pub text: String,
    /// The marks, in the order in which they came.
    #[schema(max_items = 500)]
    pub marks: Vec<CellMark>,
    /// When they were written last; null: never.
    pub updated_at: Option<Time>,
}

pub struct NewCellMark {
    /// The sea's id on the board.
    pub sea: String,
    pub cell: String,
    pub mark: MarkText,
    pub colour: Option<Colour>,
}

/// The notes that replace the stored ones.
pub struct NewNotes {
    pub revision: u32,
    pub text: NoteText,
    pub marks: Vec<NewCellMark>,
}

/// The caller's notes on a match; fails with `not-found` when the caller may not see it.
pub async fn read(matches: &Matches, who: AccountId, id: MatchId) -> Result<Notes> {
    matches.read(id, Some(who)).await?;
    let mut conn = matches.db.conn().await?;
    Ok(store::notes::find(&mut conn, who, id).await?.unwrap_or_default())
}

/// Replaces the notes. Fails with `stale-revision` when the stored notes have another revision (unless they equal
/// these, as after a repeated request), with `validation-failed` for every mark that is not on the board, and with
/// `quota-exceeded`.
pub async fn write(matches: &Matches, who: &Identity, id: MatchId, new: NewNotes) -> Result<Notes> {
    let NewNotes { revision, text, mut marks } = new;
    let faults = faults(&matches.read(id, Some(who.account)).await?.view().board(), &mut marks);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    let mut tx = matches.db.begin().await?;
    account::lock_existing(&mut tx, who.account).await?;
    let wanted = Notes {
        revision: revision.saturating_add(1),
        text: text.as_str().to_owned(),
        marks: marks.into_iter().map(CellMark::from).collect(),
        updated_at: Some(matches.clock.now()),
    };
    let room = Room::of(&mut tx, who.account, matches.clock.now(), Quota::NoteBytes).await?;
    if store::notes::replace(&mut tx, who.account, id, &wanted).await? {
        room.check(&mut tx).await?;
        tx.commit().await?;
        return Ok(wanted);
    }
    let found = store::notes::find(&mut tx, who.account, id).await?.unwrap_or_default();
    tx.roll_back().await?;
    // The client may have lost the first answer: a repeated request gets the same answer.
    let same = |a: &Notes, b: &Notes| (a.revision, &a.text, &a.marks) == (b.revision, &b.text, &b.marks);
    if same(&found, &wanted) { Ok(found) } else { Err(Error::stale_revision(found.revision)) }
}

impl From<NewCellMark> for CellMark {
    fn from(new: NewCellMark) -> Self {
        let NewCellMark { sea, cell, mark, colour } = new;
        let colour = colour.map(|colour| colour.as_str().to_owned());
        Self { sea, cell, mark: mark.as_str().to_owned(), colour }
    }
}

/// A fault for every mark that is not on the board, or one when there are too many marks. Cells get their canonical
/// names (`b7` becomes `B7`).
fn faults(board: &BoardCard, marks: &mut [NewCellMark]) -> Vec<Fault> {
    let fault = |pointer: String, code, detail| Fault { pointer, code, detail };
    if marks.len() > MAX_MARKS {
        return vec![fault("/marks".to_owned(), "too-many-items", format!("must be {MAX_MARKS} at most"))];
    }
    let cells = |sea: &broadside_rules::card::SeaCard| {
        sea.cells.iter().map(|cell| (cell.label.to_ascii_uppercase(), cell.label)).collect()
    };
    let seas: BTreeMap<&str, BTreeMap<String, Label>> = board.seas.iter().map(|sea| (sea.id, cells(sea))).collect();
    let misplaced = marks.iter_mut().enumerate().filter_map(|(index, mark)| {
        let Some(cells) = seas.get(mark.sea.as_str()) else {
            let known: Vec<&str> = seas.keys().copied().collect();
            let detail = format!("is no sea of this match; there are {}", known.join(", "));
            return Some(fault(format!("/marks/{index}/sea"), "unknown-sea", detail));
        };
        let Some(label) = cells.get(&mark.cell.to_ascii_uppercase()) else {
            return Some(fault(format!("/marks/{index}/cell"), "unknown-cell", "is no cell of this sea".to_owned()));
        };
        mark.cell = label.to_string();
        None
    });
    misplaced.collect()
}

pub(super) async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<(MatchId, Notes)>> {
    store::notes::export(conn, account).await
}
