//! Mines: hidden cells that a player lays with the fleet. A player who shoots at one pays for it; a player who hits a
//! minesweeper gives a mine of their own away. This file has the debts and their payment; the cells of mines are secret
//! until they are found or given away.
use alloc::{format, vec::Vec};

use minicbor::{Decode, Encode};
use serde::Serialize;

use super::{
    action::{GiveUpAction, GiveUpTag},
    event::{Cells, Event, Shot, Shots, Struck},
    rules::{ExtraShots, Rules, choice},
    sea::Sea,
    state::State,
};
use crate::{
    dice::Dice,
    families::family::Rules as _,
    grid::{Cell, CellSet},
    outcome::Outcome,
    read::{Faults, Fields},
    seat::Seat,
    text::Label,
};

/// The most mines of a player.
pub const MOST_MINES: u8 = 20;

/// Mines, laid by each player with the fleet: on water, each on a cell of its own, and beside ships if the player
/// likes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Mines {
    /// How many each player lays, 1 to 20.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 20, format = Int32))]
    pub count: u8,
    /// What a shot at one costs the shooter.
    pub effect: MineEffect,
}

choice! {
    /// What a shot at a mine costs the shooter. A shot at a mine never lets the shooter fire again.
    MineEffect {
        /// Their next turn.
        Turn = "turn",
        /// A cell of a ship of their own: they choose one that is not hit, and it counts as hit by the enemy.
        Cell = "cell",
        /// A whole ship of their own: they choose one that is afloat, and it counts as sunk by the enemy.
        Ship = "ship",
    }
}

/// What a seat owes after a salvo, and pays before anything else happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Encode, Decode, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GiveUpDebt))]
#[serde(deny_unknown_fields)]
pub struct Owed {
    /// How many cells of own ships.
    #[n(0)]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 26, format = Int32))]
    pub cells: u8,
    /// How many own ships.
    #[n(1)]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 26, format = Int32))]
    pub ships: u8,
    /// How many own mines.
    #[n(2)]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 26, format = Int32))]
    pub mines: u8,
}

/// Reads the mines of a rule set; `Some(None)` for none.
pub(super) fn read(fields: &Fields<'_>, faults: &mut Faults) -> Option<Option<Mines>> {
    let value = fields.required("mines", faults)?;
    if value.is_null() {
        return Some(None);
    }
    let fields = Fields::of(value, &fields.pointer("mines"), &["count", "effect"], faults)?;
    let count = fields.integer("count", 1, MOST_MINES.into(), faults);
    let effect = fields.choice("effect", MineEffect::CHOICES, faults);
    Some(Some(Mines { count: count? as u8, effect: effect? }))
}

impl Rules {
    pub(super) fn mine_contradictions(&self, faults: &mut Faults) {
        for (index, _) in self.fleet.iter().enumerate().filter(|(_, class)| class.sweeper && self.mines.is_none()) {
            let detail = "A minesweeper needs `mines`: there is none to give away.";
            faults.push(format!("/fleet/{index}/sweeper"), "conflicting-fields", detail);
        }
        let Some(mines) = self.mines else { return };
        if !self.answers_each_shot() {
            let detail = "`mines` needs `report` to be `per-shot`: everybody is told which shot found a mine.";
            faults.push("/mines", "conflicting-fields", detail);
        }
        if self.salvo.extra != ExtraShots::None {
            let detail = "`mines` needs `salvo.extra` to be `none`: a mine ends the turn, whatever hits have earned.";
            faults.push("/mines", "conflicting-fields", detail);
        }
        if self.relocates() {
            faults.push("/mines", "conflicting-fields", "`mines` needs `relocation` to be `no`: mines lie still.");
        }
        if self.last_turn {
            faults.push(
                "/mines",
                "conflicting-fields",
                "`mines` needs `last_turn` to be `false`: a mine is paid in its turn.",
            );
        }
        if self.turn_limit.is_some() {
            faults.push(
                "/mines",
                "conflicting-fields",
                "`mines` needs `turn_limit` to be `null`: a mine is always paid.",
            );
        }
        if self.seats() != (2, 2) {
            faults.push(
                "/mines",
                "conflicting-fields",
                "`mines` are for two: what is given up is the one enemy's gain.",
            );
        }
        if mines.effect == MineEffect::Ship && !self.sinking {
            faults.push("/mines/effect", "conflicting-fields", "No ship can be given up when `sinking` is false.");
        }
    }

    pub(crate) fn sweeps(&self, class: u8) -> bool {
        self.fleet.get(usize::from(class)).is_some_and(|class| class.sweeper)
    }

    pub(crate) fn gives_whole_ships(&self) -> bool {
        self.effect() == Some(MineEffect::Ship)
    }

    fn effect(&self) -> Option<MineEffect> {
        self.mines.map(|mines| mines.effect)
    }
}

/// The law of mines in a deployment: the number in the rules, on water, and under no ship.
pub(super) fn minefield(rules: &Rules, land: &CellSet, ships: &CellSet, mines: &[Label], faults: &mut Faults) {
    let wanted = rules.mines.map_or(0, |mines| usize::from(mines.count));
    if mines.len() != wanted {
        let detail = format!("{} mines; lay exactly {wanted}.", mines.len());
        faults.push("/mines", "wrong-mine-count", detail);
    }
    let mut named = CellSet::NONE;
    for (index, label) in mines.iter().enumerate() {
        let (code, detail) = match rules.board.parse(label) {
            None => ("unknown-cell", format!("The board has no cell `{label}`.")),
            Some(cell) if land.contains(cell) => ("on-island", format!("`{label}` is an island.")),
            Some(cell) if ships.contains(cell) => ("mine-under-ship", format!("A ship lies on `{label}`.")),
            Some(cell) if !named.insert(cell) => ("duplicate-cell", format!("`{label}` is named more than once.")),
            Some(_) => continue,
        };
        faults.push(format!("/mines/{index}"), code, detail);
    }
}

/// The cells, or `None` for the empty set.
pub(super) fn some(cells: CellSet) -> Option<Cells> {
    (!cells.is_empty()).then_some(Cells(cells))
}

/// The number of turns that these shots cost.
pub(super) fn turns_lost(rules: &Rules, shots: &[Shot]) -> u8 {
    let found = shots.iter().filter(|shot| shot.struck() == Struck::Mine).count() as u8;
    if rules.effect() == Some(MineEffect::Turn) { found } else { 0 }
}

/// Random mines off these cells: the number in the rules, or fewer if there is no room.
pub(crate) fn lay(rules: &Rules, taken: &CellSet, dice: &mut Dice) -> CellSet {
    let mut free: Vec<Cell> = rules.board.all().without(taken).iter().collect();
    dice.shuffle(&mut free);
    free.into_iter().take(rules.mines.map_or(0, |mines| usize::from(mines.count))).collect()
}

impl State {
    /// The shooter's debt after these shots at a sea.
    pub(super) fn owed(&self, rules: &Rules, seat: Seat, target: &Sea, shots: &[Shot]) -> Option<Owed> {
        let effect = rules.effect()?;
        let own = self.sea_of(seat)?;
        let found = shots.iter().filter(|shot| shot.struck() == Struck::Mine).count();
        let swept = shots.iter().filter(|shot| match shot.struck() {
            Struck::Ship { ship, .. } => target.class_of(ship).is_some_and(|class| rules.sweeps(class)),
            _ => false,
        });
        let most = |wanted: usize, there: u16| wanted.min(usize::from(there)) as u8;
        let owed = Owed {
            cells: if effect == MineEffect::Cell { most(found, own.sound_cells()) } else { 0 },
            ships: if effect == MineEffect::Ship { most(found, own.afloat()) } else { 0 },
            mines: most(swept.count(), own.mines.len()),
        };
        (owed != Owed::default()).then_some(owed)
    }

    /// Pays a seat's debt. Given cells of ships are struck as if the enemy had shot there.
    pub(super) fn give_up(&self, rules: &Rules, seat: Seat, action: &GiveUpAction) -> Option<(Event, Option<Outcome>)> {
        let own = self.sea_of(seat)?;
        let mut cells: Vec<Cell> = Vec::new();
        for label in &action.cells {
            cells.push(rules.board.parse(label)?);
        }
        for id in &action.ships {
            let number = rules.ships(seat).position(|ship| rules.ship_id(ship) == *id)?;
            cells.extend(own.sound_cells_of(number));
        }
        let mut fresh = [0; super::sides::MOST_IN_SEA];
        let shots: Vec<Shot> =
            cells.into_iter().map(|cell| Shot::new(cell, own.judge(rules, cell, &mut fresh))).collect();
        let mines: Option<CellSet> = action.mines.iter().map(|label| rules.board.parse(label)).collect();
        let mines = mines?;
        let mut course = self.course;
        let (next, outcome) = match course.gave_up(rules, seat, own, &shots, mines.len()) {
            Ok(next) => (Some(next), None),
            Err(outcome) => (None, Some(outcome)),
        };
        Some((Event::GaveUp { seat, shots: Shots(shots), mines: some(mines), next }, outcome))
    }
}

pub(super) fn labels(rules: &Rules, cells: &Option<Cells>) -> Vec<Label> {
    let cells = cells.map_or(CellSet::NONE, |cells| cells.0);
    cells.iter().map(|cell| rules.board.label(cell)).collect()
}

/// The action behind these shots in the own sea: cells that were given up, or whole ships.
pub(super) fn given(rules: &Rules, seat: Seat, shots: &[Shot], mines: Vec<Label>) -> GiveUpAction {
    let mut action = GiveUpAction { r#type: GiveUpTag::Value, cells: Vec::new(), ships: Vec::new(), mines };
    if rules.gives_whole_ships() {
        for shot in shots {
            if let Struck::Ship { ship, sunk: true } = shot.struck()
                && let Some(ship) = rules.ships(seat).nth(usize::from(ship))
            {
                action.ships.push(rules.ship_id(ship));
            }
        }
    } else {
        action.cells = shots.iter().map(|shot| rules.board.label(shot.cell())).collect();
    }
    action
}

impl Sea {
    pub(super) fn class_of(&self, ship: u8) -> Option<u8> {
        self.ships.get(usize::from(ship)).map(|ship| ship.kind.class)
    }

    /// The number of ships with a cell that is not hit.
    pub(super) fn afloat(&self) -> u16 {
        self.ships.iter().filter(|ship| ship.hits < ship.kind.length).count() as u16
    }

    /// The number of cells of ships that are not hit.
    pub(super) fn sound_cells(&self) -> u16 {
        self.ships.iter().map(|ship| u16::from(ship.kind.length.saturating_sub(ship.hits))).sum()
    }

    /// The cells of a ship that are not hit.
    pub(super) fn sound_cells_of(&self, ship: usize) -> impl Iterator<Item = Cell> {
        let on = self.on.iter().enumerate().filter(move |(_, on)| usize::from(**on) == ship);
        let cells = on.map(|(index, _)| Cell(index as u16));
        cells.filter(|cell| self.shots.iter().all(|shot| shot.cell() != *cell))
    }
}
