//! Wire structs of the reports on a battle of this family. `disclose.rs` fills them for each viewer.
use alloc::vec::Vec;

use serde::Serialize;

use super::{
    action::{FireOrderTag, MoveOrderTag, ShipCell},
    sea::Direction,
};
use crate::{
    report::reports,
    seat::{Seat, SeatSet},
    text::{ClassId, Label, ShipId},
    time::Time,
};

/// The recorded fields of the reports; lines are only ever added (see [`crate::record::Format`]).
#[cfg(feature = "proof")]
pub(crate) const RECORDED: &str = "
1 bands-drawn at bands number type
1 salvos-deployed at number seat ships{cell ship} type
1 fleets-settled at number ships{cell ship} type
1 aimed at cell number seat ship type
1 opened at number salvos{cell hit{seat ship} own_hits{cell points ship} seat ship sunk{seat ship}} type
1 ordered at number orders{blocked_at cells hit{seat ship} order own_hits{cell points ship} ship steps sunk{seat ship} to} seat type
1 left at number seats type
1 salvos-revealed at fleets{seat ships{armour class first_cell last_cell ship}} number turns{hits{by cell points ship sunk} moves{blocked_at from ship to} seat} type
";

/// The reports of a battle: after the first of them a match can no longer be aborted.
#[cfg(feature = "proof")]
pub(crate) const BATTLE: &[&str] = &["opened", "ordered"];

reports! {
    /// What a viewer is told of a battle of this family.
    Report as SalvosReport;
    /// The bands of rows in which the seats deploy were drawn.
    BandsDrawn BandsDrawnReport BandsDrawnTag "bands-drawn" {
        /// The seat of each band, from the top.
        #[cfg_attr(feature = "schema", schema(max_items = 7))]
        bands: Vec<Seat>,
    }
    /// A seat placed its fleet.
    Deployed SalvosDeployedReport DeployedTag "salvos-deployed" {
        /// Whose fleet.
        seat: Seat,
        /// Where the ships stand: told to their owner and its allies, `null` for everybody else.
        #[cfg_attr(feature = "schema", schema(required, max_items = 64))]
        ships: Option<Vec<ShipCell>>,
    }
    /// All fleets are placed, and ships that were placed on one cell have been parted. It is told whether any were or
    /// not.
    Settled SettledReport SettledTag "fleets-settled" {
        /// The ships of the viewer's own, and of allies, that had to go elsewhere, and where they stand now; empty for
        /// everybody else.
        #[cfg_attr(feature = "schema", schema(max_items = 64))]
        ships: Vec<ShipCell>,
    }
    /// A seat aimed its opening shot.
    Aimed AimedReport AimedTag "aimed" {
        /// The seat that acted.
        seat: Seat,
        /// The ship: told to the seat and its allies, `null` for everybody else until all have aimed.
        #[cfg_attr(feature = "schema", schema(required))]
        ship: Option<ShipId>,
        /// The cell: told to the seat and its allies, `null` for everybody else until all have aimed.
        #[cfg_attr(feature = "schema", schema(required))]
        cell: Option<Label>,
    }
    /// All have aimed, and the opening shots were fired at once.
    Opened OpenedReport OpenedTag "opened" {
        /// The salvo of each seat, in the order of the nations.
        #[cfg_attr(feature = "schema", schema(max_items = 7))]
        salvos: Vec<OpeningAnswer>,
    }
    /// A seat's orders were carried out.
    Ordered OrderedReport OrderedTag "ordered" {
        /// Whose orders.
        seat: Seat,
        /// What the viewer learns of them, in order. An order of which the viewer may learn nothing is left out.
        #[cfg_attr(feature = "schema", schema(max_items = 64))]
        orders: Vec<OrderAnswer>,
    }
    /// Seats left the match, and their ships have left the sea.
    Left LeftReport LeftTag "left" {
        /// Which seats.
        seats: SeatSet,
    }
    /// The match has ended: everything there was to know, told to everybody.
    Revealed SalvosRevealedReport RevealedTag "salvos-revealed" {
        /// The fleets by seat.
        #[cfg_attr(feature = "schema", schema(max_items = 7))]
        fleets: Vec<RevealedFleet>,
        /// What was hidden of each turn: first of the opening, then one for each `ordered` report.
        #[cfg_attr(feature = "schema", schema(max_items = 1401))]
        turns: Vec<RevealedTurn>,
    }
}

/// A ship by its name and its owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipNamed {
    /// The ship.
    pub ship: ShipId,
    /// Whose ship: the seat's name is its nation.
    pub seat: Seat,
}

/// A ship of the viewer's own, or of an ally, that was hit: only they are told where and how hard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnHit {
    /// The ship.
    pub ship: ShipId,
    /// Where it was hit.
    pub cell: Label,
    /// How many points of armour it lost.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 64, format = Int32))]
    pub points: u8,
}

/// The opening salvo of a seat and its answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OpeningAnswer {
    /// Who fired.
    pub seat: Seat,
    /// The ship that fired.
    pub ship: ShipId,
    /// The cell that all its shots went to.
    pub cell: Label,
    /// The ships hit, once each, in the order of the roster.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub hit: Vec<ShipNamed>,
    /// Those of them that are sunk.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub sunk: Vec<ShipNamed>,
    /// What it did to ships of the viewer's own and of allies.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub own_hits: Vec<OwnHit>,
}

/// What the viewer learns of an order that was carried out: told apart by `order`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum OrderAnswer {
    /// A ship fired.
    Fire(FireAnswer),
    /// A ship moved.
    Move(MoveAnswer),
}

/// A salvo and its answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FireAnswer {
    /// Always `fire`.
    #[cfg_attr(feature = "schema", schema(schema_with = FireOrderTag::shape))]
    pub order: FireOrderTag,
    /// The ship that fired.
    pub ship: ShipId,
    /// The cells shot at, in order.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub cells: Vec<Label>,
    /// The ships hit, once each, in the order of the roster: which cell they were on is not said.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub hit: Vec<ShipNamed>,
    /// Those of them that are sunk.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub sunk: Vec<ShipNamed>,
    /// What it did to ships of the viewer's own and of allies.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub own_hits: Vec<OwnHit>,
}

/// A move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveAnswer {
    /// Always `move`.
    #[cfg_attr(feature = "schema", schema(schema_with = MoveOrderTag::shape))]
    pub order: MoveOrderTag,
    /// The ship that moved.
    pub ship: ShipId,
    /// The steps that it made; `null` where the rules post the ship alone.
    #[cfg_attr(feature = "schema", schema(required, max_items = 64))]
    pub steps: Option<Vec<Direction>>,
    /// Where it stands now: told to its owner and allies, `null` for everybody else.
    #[cfg_attr(feature = "schema", schema(required))]
    pub to: Option<Label>,
    /// The cell that is taken and stopped it: told to its owner and allies; `null` when nothing did.
    #[cfg_attr(feature = "schema", schema(required))]
    pub blocked_at: Option<Label>,
}

/// A fleet laid open.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedFleet {
    /// Whose fleet.
    pub seat: Seat,
    /// Its ships; empty when the seat never deployed.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub ships: Vec<FloatingShip>,
}

/// A ship of a fleet laid open.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FloatingShip {
    /// The ship.
    pub ship: ShipId,
    /// Its class.
    pub class: ClassId,
    /// Where it was deployed.
    pub first_cell: Label,
    /// Where it stands at the end, or stood when it was sunk or its seat left.
    pub last_cell: Label,
    /// What armour it has left; 0 for a ship sunk.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64, format = Int32))]
    pub armour: u8,
}

/// What was hidden of a turn.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedTurn {
    /// Whose turn; `null` for the opening, which was everybody's.
    #[cfg_attr(feature = "schema", schema(required))]
    pub seat: Option<Seat>,
    /// The moves, those that were not posted too, in order.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub moves: Vec<RevealedMove>,
    /// The hits, in order.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub hits: Vec<RevealedHit>,
}

/// A move laid open.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedMove {
    /// The ship.
    pub ship: ShipId,
    /// Where it stood.
    pub from: Label,
    /// Where it came to.
    pub to: Label,
    /// The cell that was taken and stopped it; `null` when nothing did.
    #[cfg_attr(feature = "schema", schema(required))]
    pub blocked_at: Option<Label>,
}

/// What a salvo truly did to one ship.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedHit {
    /// The ship that fired.
    pub by: ShipId,
    /// The ship that was hit.
    pub ship: ShipId,
    /// Where.
    pub cell: Label,
    /// How many points of armour it lost.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 64, format = Int32))]
    pub points: u8,
    /// Did it sink?
    pub sunk: bool,
}
