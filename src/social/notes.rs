//! What somebody notes for himself beside a match: a text, and marks on its cells. His alone: nobody else's answer, version or time changes with it.
//!
//! Whoever may see a match may keep notes on it, also after the end. They are written as a whole, and only over the revision that the writer has: so two devices
//! don't overwrite each other.

use std::collections::BTreeMap;

use broadside_rules::card::BoardCard;
use broadside_rules::{Fault, Time};
use serde::{Deserialize, Serialize};

use super::text::{Colour, MarkText, NoteText};
use crate::accounts::{Identity, account};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::social::store;

/// How many marks there may be at most.
pub const MOST_MARKS: usize = 500;

/// A mark on a cell, as it is stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// The sea's id.
    pub sea: String,
    /// The cell's label.
    pub cell: String,
    /// What stands there.
    pub mark: String,
    /// In which colour.
    pub colour: Option<String>,
}

/// What somebody has noted beside a match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes {
    /// How often it was written: 0 when never.
    pub revision: u32,
    /// The text.
    pub text: String,
    /// The marks, in the order in which they came.
    pub marks: Vec<Mark>,
    /// When it was written last.
    pub changed_at: Option<Time>,
}

/// A mark to set.
pub struct NewMark {
    /// The sea's id, as the board has it.
    pub sea: String,
    /// The cell's label.
    pub cell: String,
    /// What shall stand there.
    pub mark: MarkText,
    /// In which colour.
    pub colour: Option<Colour>,
}

/// What shall stand in the place of the notes so far.
pub struct NewNotes {
    /// The revision that the writer has.
    pub revision: u32,
    /// The text.
    pub text: NoteText,
    /// The marks.
    pub marks: Vec<NewMark>,
}

/// The caller's notes beside a match that he may see; `not-found` else.
pub async fn read(matches: &Matches, who: AccountId, id: MatchId) -> Result<Notes> {
    matches.read(id, Some(who)).await?;
    let mut conn = matches.db.conn().await?;
    Ok(store::notes::find(&mut conn, who, id).await?.unwrap_or_default())
}

/// Writes them. `stale-revision` when they have another revision by now (but the same text and marks in a repeated request are no conflict), and `invalid-request` with
/// every mark that isn't on the board.
pub async fn write(matches: &Matches, who: &Identity, id: MatchId, new: NewNotes) -> Result<Notes> {
    let NewNotes { revision, text, marks } = new;
    let faults = faults(&matches.read(id, Some(who.account)).await?.view().board(), &marks);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    let mut tx = matches.db.begin().await?;
    account::lock_existing(&mut tx, who.account).await?;
    let wanted = Notes {
        revision: revision.saturating_add(1),
        text: text.as_str().to_owned(),
        marks: marks.into_iter().map(Mark::from).collect(),
        changed_at: Some(matches.clock.now()),
    };
    if store::notes::replace(&mut tx, who.account, id, &wanted).await? {
        tx.commit().await?;
        return Ok(wanted);
    }
    let found = store::notes::find(&mut tx, who.account, id).await?.unwrap_or_default();
    tx.roll_back().await?;
    // The answer to the first request may have been lost: it is the same once more.
    let same = |a: &Notes, b: &Notes| (a.revision, &a.text, &a.marks) == (b.revision, &b.text, &b.marks);
    if same(&found, &wanted) { Ok(found) } else { Err(Error::stale_revision(found.revision)) }
}

impl From<NewMark> for Mark {
    fn from(new: NewMark) -> Self {
        let NewMark { sea, cell, mark, colour } = new;
        let colour = colour.map(|colour| colour.as_str().to_owned());
        Self { sea, cell, mark: mark.as_str().to_owned(), colour }
    }
}

/// Every mark that has no place on the board, and whether there are too many of them.
fn faults(board: &BoardCard, marks: &[NewMark]) -> Vec<Fault> {
    let fault = |pointer: String, code, detail| Fault { pointer, code, detail };
    if marks.len() > MOST_MARKS {
        return vec![fault("/marks".to_owned(), "too-many", format!("must be {MOST_MARKS} at most"))];
    }
    let cells = |sea: &broadside_rules::card::SeaCard| sea.cells.iter().map(|cell| cell.label.to_string()).collect();
    let seas: BTreeMap<&str, std::collections::BTreeSet<String>> =
        board.seas.iter().map(|sea| (sea.id, cells(sea))).collect();
    let misplaced = marks.iter().enumerate().filter_map(|(index, mark)| match seas.get(mark.sea.as_str()) {
        None => {
            let known: Vec<&str> = seas.keys().copied().collect();
            let detail = format!("is no sea of this match; there are {}", known.join(", "));
            Some(fault(format!("/marks/{index}/sea"), "unknown-sea", detail))
        }
        Some(cells) if !cells.contains(&mark.cell) => {
            Some(fault(format!("/marks/{index}/cell"), "unknown-cell", "is no cell of this sea".to_owned()))
        }
        Some(_) => None,
    });
    misplaced.collect()
}

/// Everything that an account has noted, for its own export.
pub(super) async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<(MatchId, Notes)>> {
    store::notes::all_of(conn, account).await
}

/// Forgets all notes of an account that is being deleted.
pub(super) async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::notes::forget_account(tx, account).await
}
