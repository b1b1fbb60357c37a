//! Wire structs of the reports on a depths battle. `disclose.rs` fills them for each viewer.
use alloc::vec::Vec;

use serde::Serialize;

use crate::{
    report::reports,
    seat::Seat,
    text::{Label, LineId, ShipId},
    time::Time,
};

/// The recorded fields of the reports; lines are only ever added (see [`crate::record::Format`]).
#[cfg(feature = "proof")]
pub(crate) const RECORDED: &str = "
1 depths-deployed at mine number seat submarines type
1 moved at mine number path seat ship type
1 charged answer at cell near number seat ship type
1 torpedoed at draw drawn hit line number seat target type
1 turn-ended at number seat type
1 depths-revealed at number seas{mine owner submarines{cell ship sunk}} type
";

/// The reports of a battle: after the first of them a match can no longer be aborted.
#[cfg(feature = "proof")]
pub(crate) const BATTLE: &[&str] = &["moved", "charged", "torpedoed", "turn-ended"];

reports! {
    /// What a viewer is told of a battle of this family.
    Report as DepthsReport;
    /// A seat placed its submarines and its mine.
    Deployed DepthsDeployedReport DepthsDeployedTag "depths-deployed" {
        /// The seat that acted.
        seat: Seat,
        /// The cells of the submarines: told to their owner alone, `null` for everybody else.
        #[cfg_attr(feature = "schema", schema(required, max_items = 3))]
        submarines: Option<Vec<Label>>,
        /// The square above the mine: told to its owner alone, `null` for everybody else.
        #[cfg_attr(feature = "schema", schema(required))]
        mine: Option<Label>,
    }
    /// A ship moved.
    Moved DepthsMovedReport MovedTag "moved" {
        /// Whose ship.
        seat: Seat,
        /// The ship.
        ship: ShipId,
        /// Every place that it came to, in order.
        #[cfg_attr(feature = "schema", schema(max_items = 3))]
        path: Vec<Label>,
        /// Did it end on the enemy's mine? Then ship and mine are gone.
        mine: bool,
    }
    /// A ship dropped a depth charge, and this is what it did.
    Charged ChargedReport ChargedTag "charged" {
        /// Whose ship.
        seat: Seat,
        /// The ship.
        ship: ShipId,
        /// The cell in which the charge exploded.
        cell: Label,
        /// The answer.
        answer: ChargeAnswer,
        /// How many submarines are near, after a near miss; else `null`.
        #[cfg_attr(feature = "schema", schema(required, minimum = 1, maximum = 3, format = Int32))]
        near: Option<u8>,
    }
    /// A submarine fired a torpedo; which one is not told.
    Torpedoed TorpedoedReport TorpedoedTag "torpedoed" {
        /// Who fired.
        seat: Seat,
        /// The ship of the other seat that it was fired at.
        target: ShipId,
        /// The line that it ran along.
        line: LineId,
        /// The number of the draw of chance, among the draws of the battle, from 0.
        #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1_000_000, format = Int32))]
        draw: u32,
        /// What was drawn, from 0 to `of` − 1 of the rule set's `torpedo_hits`; below `hits` is a hit.
        #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 35, format = Int32))]
        drawn: u8,
        /// Did it hit? Then the target is sunk.
        hit: bool,
    }
    /// A seat ended its turn.
    TurnEnded TurnEndedReport TurnEndedTag "turn-ended" {
        /// Whose turn.
        seat: Seat,
    }
    /// The match has ended: everything there was to know, told to everybody.
    Revealed DepthsRevealedReport DepthsRevealedTag "depths-revealed" {
        /// The seas by seat.
        #[cfg_attr(feature = "schema", schema(max_items = 2))]
        seas: Vec<DepthsRevealedSea>,
    }
}

/// The answer to a depth charge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChargeAnswer {
    /// No submarine here or near.
    Miss,
    /// No submarine here, but some near.
    Near,
    /// A submarine was here, and is sunk.
    Hit,
}

/// A sea laid open.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DepthsRevealedSea {
    /// Whose sea.
    pub owner: Seat,
    /// Its submarines; empty when the seat never deployed.
    #[cfg_attr(feature = "schema", schema(max_items = 3))]
    pub submarines: Vec<RevealedSubmarine>,
    /// The square above its mine; `null` when the seat never deployed.
    #[cfg_attr(feature = "schema", schema(required))]
    pub mine: Option<Label>,
}

/// A submarine laid open.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevealedSubmarine {
    /// The submarine.
    pub ship: ShipId,
    /// Where it lies.
    pub cell: Label,
    /// Was it sunk?
    pub sunk: bool,
}
