//! Wire structs of the reports on a gunnery battle. `disclose.rs` fills them for each viewer.
use alloc::vec::Vec;

use serde::Serialize;

pub use super::scanned::{ScannedReport, ScannedTag, WeaponUse};
pub use super::withdrawn::{WithdrawnReport, WithdrawnTag};
use super::{action::ShipPlace, mines::Owed, seating::SeaId};
use crate::{
    schema::tag,
    seat::{Seat, SeatSet},
    text::{ClassId, Label, ShipId},
    time::Time,
};

pub use super::shot_answer::{Answer, ClassHits, ClassSunk, ShotAnswer};

/// The recorded fields of the reports; lines are only ever added (see [`crate::record::Format`]).
#[cfg(feature = "proof")]
pub(crate) const RECORDED: &str = "
1 deployed at number seat ships{cells ship} type
1 fired answer at hits hits_by_class{class hits} next{action owed{cells mines ships} seat shots} number out round seat shots{answer cell class clue} sunk sunk_by_class{class sunk} target type weapon{cell direction weapon}
1 gave-up at mines next{action seat shots} number seat shots{answer cell class} type
1 islands-drawn at cells number type
1 relocated at next{action seat shots} number seat ships{cells ship} type
1 scanned at count next{action seat shots} number occupied out round seat shot_down target type weapon{cell direction weapon}
1 withdrawn at next{action seat shots} number out round seats type
1 revealed at number seas{mines owner ships{class first_cells hits last_cells seat ship} shots{answer cell class}} type
";

/// The reports of a battle: after the first of them a match can no longer be aborted.
#[cfg(feature = "proof")]
pub(crate) const BATTLE: &[&str] = &["fired", "gave-up", "relocated", "scanned"];

tag!(
    /// Always `deployed`.
    DeployedTag = "deployed"
);
tag!(
    /// Always `fired`.
    FiredTag = "fired"
);
tag!(
    /// Always `gave-up`.
    GaveUpTag = "gave-up"
);
tag!(
    /// Always `islands-drawn`.
    IslandsDrawnTag = "islands-drawn"
);
tag!(
    /// Always `relocated`.
    RelocatedTag = "relocated"
);
tag!(
    /// Always `revealed`.
    RevealedTag = "revealed"
);

/// What a viewer is told of a battle of this family.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GunneryReport))]
#[serde(untagged)]
pub enum Report {
    /// The islands of the match.
    IslandsDrawn(IslandsDrawnReport),
    /// A seat placed its fleet.
    Deployed(DeployedReport),
    /// A seat fired.
    Fired(FiredReport),
    /// The target decided where its ships lie.
    Relocated(RelocatedReport),
    /// A seat paid what a mine or a minesweeper had cost it.
    GaveUp(GaveUpReport),
    /// A seat used a weapon that looks.
    Scanned(ScannedReport),
    /// Seats have left, and others play on.
    Withdrawn(WithdrawnReport),
    /// All seas whole, after the end.
    Revealed(RevealedReport),
}

impl Report {
    /// The number and the time of the report, to be set for its viewer.
    pub(crate) fn head(&mut self) -> (&mut u32, &mut Time) {
        match self {
            Self::IslandsDrawn(report) => (&mut report.number, &mut report.at),
            Self::Deployed(report) => (&mut report.number, &mut report.at),
            Self::Fired(report) => (&mut report.number, &mut report.at),
            Self::GaveUp(report) => (&mut report.number, &mut report.at),
            Self::Relocated(report) => (&mut report.number, &mut report.at),
            Self::Scanned(report) => (&mut report.number, &mut report.at),
            Self::Withdrawn(report) => (&mut report.number, &mut report.at),
            Self::Revealed(report) => (&mut report.number, &mut report.at),
        }
    }
}

/// The islands of the match were drawn: the same in every sea.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct IslandsDrawnReport {
    /// Always `islands-drawn`.
    #[cfg_attr(feature = "schema", schema(schema_with = IslandsDrawnTag::shape))]
    pub r#type: IslandsDrawnTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// All their cells, given and drawn.
    #[cfg_attr(feature = "schema", schema(max_items = 169))]
    pub cells: Vec<Label>,
}

/// A seat placed its fleet.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeployedReport {
    /// Always `deployed`.
    #[cfg_attr(feature = "schema", schema(schema_with = DeployedTag::shape))]
    pub r#type: DeployedTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// Whose fleet.
    pub seat: Seat,
    /// Where the ships lie: told to their owner alone, `null` for everybody else.
    #[cfg_attr(feature = "schema", schema(required, max_items = 26))]
    pub ships: Option<Vec<ShipPlace>>,
    /// Where the mines lie, in games with mines: told to their owner alone, left out for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, max_items = 20))]
    pub mines: Option<Vec<Label>>,
}

/// A seat fired a salvo, and this is what the viewer learns of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FiredReport {
    /// Always `fired`.
    #[cfg_attr(feature = "schema", schema(schema_with = FiredTag::shape))]
    pub r#type: FiredTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// Who fired.
    pub seat: Seat,
    /// The shots in the order announced.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub shots: Vec<ShotAnswer>,
    /// The answer to the whole salvo, where the rules give one for all its shots: the best of what they did; else left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub answer: Option<Answer>,
    /// How many shots hit, where the rules report a tally; else `null`.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 26, format = Int32))]
    pub hits: Option<u8>,
    /// How many shots hit each class (classes not hit are left out), where the rules report a tally per ship; else
    /// `null`.
    #[cfg_attr(feature = "schema", schema(required, max_items = 26))]
    pub hits_by_class: Option<Vec<ClassHits>>,
    /// How many ships the salvo sank, where the rules tell that beside a tally; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0, maximum = 26, format = Int32))]
    pub sunk: Option<u8>,
    /// How many ships of each class the salvo sank (classes of which none was sunk are left out), where the rules name
    /// the ships sunk, but not by the shot; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, max_items = 26))]
    pub sunk_by_class: Option<Vec<ClassSunk>>,
    /// Who acts next; `null` when the match ends here.
    #[cfg_attr(feature = "schema", schema(required))]
    pub next: Option<NextTurn>,
    /// The sea fired at; left out in a match for two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub target: Option<SeaId>,
    /// Who is out by it, where the others play on; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub out: Option<SeatSet>,
    /// The number of the next turn of each seat, where the rules limit them and the match goes on; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 500, format = Int32))]
    pub round: Option<u16>,
    /// The weapon that was used in place of the guns; left out where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub weapon: Option<WeaponUse>,
}

/// Who acts next, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NextTurn {
    /// Whose turn it is.
    pub seat: Seat,
    /// The type of the action that is due.
    pub action: NextAction,
    /// How many shots the salvo has: this is public; `null` for a relocation.
    #[cfg_attr(feature = "schema", schema(required, minimum = 1, maximum = 26, format = Int32))]
    pub shots: Option<u8>,
    /// What that seat has to give up; left out where it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub owed: Option<Owed>,
}

/// The action that is due next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NextAction {
    /// A salvo.
    Fire,
    /// The target's decision where its ships lie.
    Relocate,
    /// Paying what a mine or a minesweeper has cost.
    GiveUp,
}

/// The target of a salvo decided where its ships lie. Nobody else is told even whether any moved.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RelocatedReport {
    /// Always `relocated`.
    #[cfg_attr(feature = "schema", schema(schema_with = RelocatedTag::shape))]
    pub r#type: RelocatedTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// Whose ships.
    pub seat: Seat,
    /// The ships that moved and their new cells: told to their owner alone, `null` for everybody else.
    #[cfg_attr(feature = "schema", schema(required, max_items = 26))]
    pub ships: Option<Vec<ShipPlace>>,
    /// Who acts next.
    #[cfg_attr(feature = "schema", schema(required))]
    pub next: Option<NextTurn>,
}

/// A seat paid what a mine or a minesweeper had cost it: everybody is told.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GaveUpReport {
    /// Always `gave-up`.
    #[cfg_attr(feature = "schema", schema(schema_with = GaveUpTag::shape))]
    pub r#type: GaveUpTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// Who paid.
    pub seat: Seat,
    /// The cells of its ships that it gave up, each answered like a shot at it.
    #[cfg_attr(feature = "schema", schema(max_items = 312))]
    pub shots: Vec<ShotAnswer>,
    /// The mines that it gave away.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub mines: Vec<Label>,
    /// Who acts next; `null` when the match ends here.
    #[cfg_attr(feature = "schema", schema(required))]
    pub next: Option<NextTurn>,
}

/// The match has ended: everything there was to know, told to everybody.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedReport {
    /// Always `revealed`.
    #[cfg_attr(feature = "schema", schema(schema_with = RevealedTag::shape))]
    pub r#type: RevealedTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// The seas by seat.
    #[cfg_attr(feature = "schema", schema(max_items = 6))]
    pub seas: Vec<RevealedSea>,
}

/// A sea laid open.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedSea {
    /// Whose sea; of a sea that a team shares, the first of its seats.
    pub owner: Seat,
    /// Its ships; those of a seat that never deployed are left out.
    #[cfg_attr(feature = "schema", schema(max_items = 30))]
    pub ships: Vec<RevealedShip>,
    /// Every shot at this sea in order, with the true answer.
    #[cfg_attr(feature = "schema", schema(max_items = 676))]
    pub shots: Vec<ShotAnswer>,
    /// Where its mines were laid; left out where there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 20))]
    pub mines: Vec<Label>,
}

/// A ship laid open.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedShip {
    /// The ship.
    pub ship: ShipId,
    /// Whose ship, in a sea that a team shares; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub seat: Option<Seat>,
    /// Its class.
    pub class: ClassId,
    /// Where it was deployed.
    #[cfg_attr(feature = "schema", schema(max_items = 12))]
    pub first_cells: Vec<Label>,
    /// Where it lay at the end.
    #[cfg_attr(feature = "schema", schema(max_items = 12))]
    pub last_cells: Vec<Label>,
    /// How many of its cells were hit where it lay at the end.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 12, format = Int32))]
    pub hits: u8,
}
