//! The decisions open to a player of this family: the choices as data, and one complete example, drawn from the
//! player's knowledge alone. In a turn the match waits for any one of the possible steps; the first listed is a
//! sensible next one.
use alloc::vec::Vec;

use serde::Serialize;

use super::{
    Depths,
    action::{
        Action, ChargeAction, ChargeTag, DepthsDeployAction, DepthsDeployTag, DepthsMoveAction, EndTurnAction,
        EndTurnTag, MoveTag, TorpedoAction, TorpedoTag,
    },
    knowledge::Knowledge,
    legal::torpedo_ways,
    rules::{Rules, SUBMARINES, ship_id},
    suggest,
    surface::{Phase, Ship, Turn, Way},
    water::{DEPTHS, Line, Square, Waters},
};
use crate::{
    dice::Dice,
    families::family::{self, Rules as _},
    seat::Seat,
    table::Table,
    text::{Label, LineId, ShipId},
    time::Time,
};

/// The deadline of a decision, and its sea.
type Due = (Option<Time>, &'static str);

/// Declares the decisions of the family with their common fields, and their union.
macro_rules! decisions {
    ($($(#[$doc:meta])* $variant:ident $name:ident $tag:ident $action:ident { $($(#[$fdoc:meta])* $field:ident : $type:ty),* $(,)? })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, PartialEq, Debug, Serialize)]
            #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                /// What is to decide: the type of the action that answers it.
                #[cfg_attr(feature = "schema", schema(schema_with = $tag::shape))]
                pub r#type: $tag,
                /// Until when; `null` without a limit.
                #[cfg_attr(feature = "schema", schema(required))]
                pub deadline: Option<Time>,
                /// Always true: the match waits for one of the required decisions, whichever.
                pub required: bool,
                /// The sea that its cells are in, as the board lists it; of the end of a turn the one that was hunted
                /// in.
                #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
                pub sea: &'static str,
                $($(#[$fdoc])* pub $field: $type,)*
                /// A complete legal action.
                pub example: $action,
            }

            impl $name {
                const fn due((deadline, sea): Due, $($field: $type,)* example: $action) -> Decision {
                    Decision::$variant(Self { r#type: $tag::Value, deadline, required: true, sea, $($field,)* example })
                }
            }
        )+

        /// A decision of this family.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DepthsDecision))]
        #[serde(untagged)]
        pub enum Decision { $($(#[$doc])* $variant($name)),+ }

        impl Decision {
            pub(crate) fn example(&self) -> Action {
                match self { $(Self::$variant(decision) => Action::$variant(decision.example.clone())),+ }
            }
        }
    };
}

decisions! {
    /// Place your three submarines and your mine. (`{"type":"deploy-auto"}` lets the server place them.)
    Deploy DepthsDeployDecision DepthsDeployTag DepthsDeployAction {
        /// How many submarines, and the cells that they may lie in: each in one of its own.
        submarines: SubmarineChoice,
        /// The squares under which the mine may lie: none with a submarine of yours below.
        #[cfg_attr(feature = "schema", schema(max_items = 84))]
        mines: Vec<Label>,
    }
    /// Move one of your ships.
    Move DepthsMoveDecision MoveTag DepthsMoveAction {
        /// The ships that can move, and where to.
        #[cfg_attr(feature = "schema", schema(max_items = 3))]
        ships: Vec<MoveChoice>,
    }
    /// Drop a depth charge.
    Charge ChargeDecision ChargeTag ChargeAction {
        /// The ships that can.
        #[cfg_attr(feature = "schema", schema(max_items = 3))]
        ships: Vec<ChargeChoice>,
        /// The depths at which a charge can explode.
        #[cfg_attr(feature = "schema", schema(max_items = 3, value_type = Vec<ChargeDepth>))]
        depths: Vec<u16>,
    }
    /// Fire a torpedo.
    Torpedo TorpedoDecision TorpedoTag TorpedoAction {
        /// The ships that can be fired at, and along which line.
        #[cfg_attr(feature = "schema", schema(max_items = 12))]
        targets: Vec<TorpedoChoice>,
    }
    /// End your turn.
    EndTurn EndTurnDecision EndTurnTag EndTurnAction {}
}

/// A depth at which a charge can explode.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(minimum = 100, maximum = 300, multiple_of = 100, format = Int32)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct ChargeDepth(u16);

/// How many submarines to place, and where they may lie.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SubmarineChoice {
    /// How many.
    #[cfg_attr(feature = "schema", schema(minimum = 3, maximum = 3, format = Int32))]
    pub count: u8,
    /// The cells that they may lie in.
    #[cfg_attr(feature = "schema", schema(max_items = 252))]
    pub cells: Vec<Label>,
}

/// A ship that can move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveChoice {
    /// The ship.
    pub ship: ShipId,
    /// Where it is: a square, or `port`.
    pub from: Label,
    /// Where it can go, with a shortest way to each.
    #[cfg_attr(feature = "schema", schema(max_items = 49))]
    pub ways: Vec<WayChoice>,
}

/// A place that a ship can go to, and a shortest way there.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WayChoice {
    /// The place: a square, or `port`.
    pub to: Label,
    /// The path to name in the action.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 3))]
    pub path: Vec<Label>,
}

/// A ship that can drop a depth charge.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChargeChoice {
    /// The ship.
    pub ship: ShipId,
    /// The square that it is on.
    pub square: Label,
    /// How many charges it has left.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 4, format = Int32))]
    pub charges: u8,
}

/// An enemy ship that a torpedo can be fired at.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TorpedoChoice {
    /// The enemy ship.
    pub target: ShipId,
    /// The line along which it can be reached.
    pub line: LineId,
    /// How many torpedoes can still be fired along that line in this turn.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 3, format = Int32))]
    pub ready: u8,
}

impl family::Choices for Depths {
    fn decisions(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
        let deadline = table.deadline_of(seat);
        match known.surface.phase {
            Phase::Deploying => Vec::from([deploy(rules.waters(), (deadline, sea_of(rules, known, seat)), dice)]),
            Phase::Turn(turn) if turn.seat == seat => steps(rules, known, &turn, deadline, dice),
            _ => Vec::new(),
        }
    }

    fn example(decision: &Decision) -> Action {
        decision.example()
    }
}

/// The id of a seat's sea: its submarines lie there, and the ships of the other seat hunt them.
fn sea_of(rules: &Rules, known: &Knowledge, seat: Seat) -> &'static str {
    rules.seat_name(known.surface.first, &[], seat)
}

fn deploy(waters: Waters, due: Due, dice: &mut Dice) -> Decision {
    let (submarines, mine) = suggest::deployment(waters, dice);
    DepthsDeployDecision::due(
        due,
        SubmarineChoice { count: SUBMARINES as u8, cells: waters.cells().map(|cell| waters.label(cell)).collect() },
        waters.squares().map(Square::label).collect(),
        DepthsDeployAction { r#type: DepthsDeployTag::Value, submarines, mine },
    )
}

/// The possible steps, each with its weight for being listed first.
fn steps(rules: &Rules, known: &Knowledge, turn: &Turn, deadline: Option<Time>, dice: &mut Dice) -> Vec<Decision> {
    let mut listed: Vec<(u32, Decision)> = Vec::with_capacity(4);
    let [hunted, own] = [turn.seat.other(), turn.seat].map(|owner| (deadline, sea_of(rules, known, owner)));
    if !turn.is_begun() {
        let ways = move_ways(rules, known, turn.seat);
        if let Some(Action::Move(example)) = suggest::sail(rules, known, turn.seat, &ways, dice) {
            let ships = ways.iter().map(|(ship, ways)| move_choice(known, turn.seat, *ship, ways)).collect();
            listed.push((60, DepthsMoveDecision::due(hunted, ships, example)));
        }
    }
    let hunters = hunters(known, turn);
    if let Some((Action::Charge(example), useful)) = suggest::charge(rules.waters(), known, turn.seat, &hunters, dice) {
        let ships = hunters.iter().map(|(number, ship)| ChargeChoice {
            ship: ship_id(*number),
            square: ship.at.label(),
            charges: ship.charges,
        });
        let likely = if useful { 30 } else { 0 };
        listed.push((likely, ChargeDecision::due(hunted, ships.collect(), DEPTHS.to_vec(), example)));
    }
    let torpedoes: Vec<(u8, Line, u8)> = torpedo_ways(rules, known, turn).collect();
    if let Some(Action::Torpedo(example)) = suggest::torpedo(rules.waters(), &torpedoes, dice) {
        let targets = torpedoes.iter().map(|(target, line, ready)| TorpedoChoice {
            target: ship_id(*target),
            line: rules.waters().line_id(*line),
            ready: *ready,
        });
        listed.push((1, TorpedoDecision::due(own, targets.collect(), example)));
    }
    if turn.is_begun() || listed.is_empty() {
        listed.push((9, EndTurnDecision::due(hunted, EndTurnAction { r#type: EndTurnTag::Value })));
    }
    likeliest_first(listed, dice)
}

/// The decisions with a first one drawn by weight; the others after it in their order.
fn likeliest_first(mut listed: Vec<(u32, Decision)>, dice: &mut Dice) -> Vec<Decision> {
    let mut drawn = dice.below(listed.iter().map(|(likely, _)| likely).sum());
    let first = listed.iter().position(|(likely, _)| {
        let here = drawn < *likely;
        drawn = drawn.saturating_sub(*likely);
        here
    });
    if let Some(first) = first {
        listed[..=first].rotate_right(1);
    }
    listed.into_iter().map(|(_, decision)| decision).collect()
}

/// The ships that can move, with their ways.
fn move_ways(rules: &Rules, known: &Knowledge, seat: Seat) -> Vec<(u8, Vec<Way>)> {
    let ways = suggest::fleet().map(|ship| (ship, known.surface.reach(rules, seat, ship)));
    ways.filter(|(_, ways)| !ways.is_empty()).collect()
}

fn move_choice(known: &Knowledge, seat: Seat, ship: u8, ways: &[Way]) -> MoveChoice {
    let way = |way: &Way| {
        let path: Vec<Label> = way.squares().iter().map(|square| square.label()).collect();
        Some(WayChoice { to: *path.last()?, path })
    };
    MoveChoice {
        ship: ship_id(ship),
        from: known.surface.fleets[seat.index()][usize::from(ship)].at.label(),
        ways: ways.iter().filter_map(way).collect(),
    }
}

/// The ships that can drop a charge now.
fn hunters(known: &Knowledge, turn: &Turn) -> Vec<(u8, Ship)> {
    if turn.charged || turn.torpedoes > 0 {
        return Vec::new();
    }
    let fleet = suggest::fleet().zip(known.surface.fleets[turn.seat.index()]);
    let able = |(number, ship): &(u8, Ship)| {
        ship.is_at_sea() && ship.charges > 0 && turn.moved.is_none_or(|moved| moved == *number)
    };
    fleet.filter(able).collect()
}
