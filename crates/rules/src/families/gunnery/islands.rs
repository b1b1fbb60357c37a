//! Islands: cells of land, the same in every sea. The rules give them, or have them drawn by chance before the first
//! deployment. Ships matter here only in that a fleet must find room.
use alloc::{format, vec::Vec};

use serde::Serialize;
use serde_json::Value;

use super::{
    fleet,
    placing::Placing,
    rules::{Contact, Rules},
};
use crate::{
    chance::Draws,
    grid::{Board, Cell, CellSet},
    read::{Faults, Fields, pointer},
    text::Label,
};

/// The most given cells.
pub const MOST_GIVEN: usize = 169;
/// The most drawn islands.
pub const MOST_DRAWN: u8 = 20;
/// The most cells of a drawn island.
pub const MOST_SIZE: u8 = 9;

/// Cells that nobody can place a ship on, nor shoot at: the same in every sea. Given or drawn, they take at most a
/// quarter of the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Islands {
    /// The cells that are given; none, where all are drawn.
    #[cfg_attr(feature = "schema", schema(max_items = 169))]
    pub cells: Vec<Label>,
    /// How many islands are drawn by chance before the first deployment, 0 to 20. Everybody is told them.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 20, format = Int32))]
    pub drawn: u8,
    /// How many cells each of these has, 1 to 9, which hang together by their sides.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9, format = Int32))]
    pub size: u8,
    /// May ships touch islands?
    pub contact: Contact,
}

const FIELDS: &[&str] = &["cells", "drawn", "size", "contact"];

/// Reads the islands of a rule set; `Some(None)` for none.
pub(super) fn read(fields: &Fields<'_>, board: Option<Board>, faults: &mut Faults) -> Option<Option<Islands>> {
    let value = fields.required("islands", faults)?;
    if value.is_null() {
        return Some(None);
    }
    let at = fields.pointer("islands");
    let fields = Fields::of(value, &at, FIELDS, faults)?;
    let cells = fields.array("cells", faults).and_then(|cells| read_cells(cells, board, &fields, faults));
    let drawn = fields.integer("drawn", 0, MOST_DRAWN.into(), faults);
    let size = fields.integer("size", 1, MOST_SIZE.into(), faults);
    let contact = fields.choice("contact", Contact::CHOICES, faults);
    let islands = Islands { cells: cells?, drawn: drawn? as u8, size: size? as u8, contact: contact? };
    if islands.cells.is_empty() && islands.drawn == 0 {
        faults.push(at, "out-of-range", "Give `cells`, or say how many islands are `drawn`; for none, `null`.");
    } else if let Some(board) = board
        && islands.most_cells() * 4 > board.cells()
    {
        let (cells, most) = (islands.most_cells(), board.cells() / 4);
        let detail = format!("The islands take {cells} cells; on this board they take at most {most} (a quarter).");
        faults.push(at, "out-of-range", detail);
    }
    Some(Some(islands))
}

fn read_cells(cells: &[Value], board: Option<Board>, fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<Label>> {
    let at = fields.pointer("cells");
    if cells.len() > MOST_GIVEN {
        faults.push(at, "out-of-range", format!("At most {MOST_GIVEN} cells."));
        return None;
    }
    let mut read: Vec<Label> = Vec::with_capacity(cells.len());
    for (index, value) in cells.iter().enumerate() {
        let at = pointer(&at, &format!("{index}"));
        let text = value.as_str();
        match text.and_then(|text| board.map_or_else(|| Label::new(text), |board| board.read(text))) {
            None => faults.push(at, "unknown-cell", "A cell is a label of the board."),
            Some(label) if read.contains(&label) => {
                faults.push(at, "duplicate-cell", format!("`{label}` is named more than once."));
            }
            Some(label) => read.push(label),
        }
    }
    (read.len() == cells.len()).then_some(read)
}

impl Islands {
    /// The number of cells they take if all drawn islands find room.
    pub(crate) fn most_cells(&self) -> u16 {
        self.cells.len() as u16 + u16::from(self.drawn) * u16::from(self.size)
    }

    fn given(&self, board: Board) -> CellSet {
        self.cells.iter().filter_map(|label| board.parse(label)).collect()
    }
}

impl Rules {
    pub(crate) fn given_land(&self) -> CellSet {
        self.islands.as_ref().map_or(CellSet::NONE, |islands| islands.given(self.board))
    }

    /// The cells that the land closes to ships.
    pub(crate) fn coast(&self, land: &CellSet) -> CellSet {
        let contact = self.islands.as_ref().map_or(Contact::Allowed, |islands| islands.contact);
        fleet::zone(self.board, contact, land.iter())
    }

    /// The number of cells left to fleets and shots beside the land.
    pub(crate) fn water(&self, land: &CellSet) -> u16 {
        self.board.cells() - land.len()
    }

    /// The land of a match, given and drawn. A draw that leaves the fleet no room is drawn again, unless the check took
    /// long, and in the end with half as many islands, down to none.
    pub(crate) fn draw_land(&self, draws: &mut Draws<'_>) -> Option<CellSet> {
        const TRIES: u32 = 3;
        let islands = self.islands.as_ref().filter(|islands| islands.drawn > 0)?;
        let given = islands.given(self.board);
        let mut placing = Placing::new(self);
        let mut count = islands.drawn;
        while count > 0 {
            placing.begin_round();
            for _ in 0..TRIES {
                if placing.is_long() {
                    break;
                }
                let mut grow = |land: CellSet, _| Some(land.or(&island(self.board, &land, islands.size, draws)?));
                if let Some(land) = (0..count).try_fold(given, &mut grow)
                    && placing.has_room(&self.coast(&land))
                {
                    return Some(land);
                }
            }
            count /= 2;
        }
        Some(given)
    }
}

/// One more island, apart from the other land. `None` if there is no room.
fn island(board: Board, land: &CellSet, size: u8, draws: &mut Draws<'_>) -> Option<CellSet> {
    let open = board.all().without(&fleet::zone(board, Contact::Forbidden, land.iter()));
    let mut island: CellSet = [one_of(&open, draws)?].into_iter().collect();
    for _ in 1..size {
        let beside: CellSet = island.iter().flat_map(|cell| board.orthogonal(cell)).collect();
        island.insert(one_of(&beside.and(&open).without(&island), draws)?);
    }
    Some(island)
}

fn one_of(cells: &CellSet, draws: &mut Draws<'_>) -> Option<Cell> {
    let count = u32::from(cells.len());
    if count == 0 {
        return None;
    }
    cells.iter().nth(draws.below(count) as usize)
}
