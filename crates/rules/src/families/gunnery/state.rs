//! The whole truth of a gunnery battle, and how it judges. Only events leave it; legality is not asked here.
use alloc::{vec, vec::Vec};

use super::{
    Gunnery,
    action::{Action, ShipPlace},
    event::{Event, Fleet, GIVE_UP, Moves, Next, Revealed, Salvo, Shot, Shots, Struck},
    fleet::{self, Placement},
    mines,
    rules::{self, HitsVictory, MOST_SHIPS, Rules, Shrinks, Sighting, Victory},
    seating::{SeaId, Seating},
};
use crate::{
    chance::Draws,
    dice::Dice,
    families::family::{self, Decided, Event as _},
    grid::{Cell, CellSet},
    outcome::{Outcome, Reason},
    seat::{Seat, SeatSet},
    table::Step,
    text::Label,
};

/// No ship on a cell.
const WATER: u8 = u8::MAX;

#[derive(Clone)]
pub(crate) struct State {
    pub(super) seating: Seating,
    /// Who has resigned or run out of time.
    left: Option<Seat>,
    /// The seas by number.
    seas: Vec<Sea>,
    /// Who fires after the relocation that is due, if one is.
    after_relocation: Option<Next>,
    /// Who fires when what is owed is paid, while something is.
    pub(super) after_giving: Option<Seat>,
    /// How many turns each seat still loses.
    pub(super) skips: Vec<u8>,
    /// The cells that are no water.
    land: CellSet,
}

/// A sea and what lies in it.
#[derive(Clone)]
pub(super) struct Sea {
    pub(super) ships: Vec<Ship>,
    /// The number of the ship on each cell, or [`WATER`].
    pub(super) on: Vec<u8>,
    /// Where the ships lay first.
    deployed: Vec<Placement>,
    /// Every shot at this sea, in order: no cell twice.
    pub(super) shots: Vec<Shot>,
    /// How many shots hit, whatever became of the ships.
    hits: u16,
    sunk: u8,
    /// Where mines were laid, and where they still lie.
    laid: CellSet,
    pub(super) mines: CellSet,
    /// How many mines were given away: nobody shoots there any more.
    swept: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Ship {
    pub(super) kind: rules::Ship,
    place: Placement,
    /// How many of the cells it lies on are hit.
    pub(super) hits: u8,
}

impl family::State<Gunnery> for State {
    fn new(rules: &Rules, seats: u8) -> Self {
        let sea = Sea {
            ships: Vec::new(),
            on: vec![WATER; usize::from(rules.board.cells())],
            deployed: Vec::new(),
            shots: Vec::new(),
            hits: 0,
            sunk: 0,
            laid: CellSet::NONE,
            mines: CellSet::NONE,
            swept: 0,
        };
        let seating = Seating::new(rules, seats);
        let seas = seating.seas().map(|_| sea.clone()).collect();
        let skips = vec![0; usize::from(seats)];
        let land = rules.given_land();
        Self { seating, left: None, seas, after_relocation: None, after_giving: None, skips, land }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.seating = self.seating.opened(first);
    }

    /// A seat leaves; with two seats that ends the match.
    fn leave(&mut self, _rules: &Rules, seat: Seat) -> Option<Step> {
        self.left = Some(seat);
        None
    }

    /// The other seat wins.
    fn after_leaving(&self, _rules: &Rules, reason: Reason) -> Decided<Event> {
        (Vec::new(), self.left.map(|left| Outcome::won_by(self.seating.after(left), reason)))
    }

    fn drawn(&self) -> Outcome {
        Outcome::drawn(self.seating.count())
    }

    fn decide(&self, rules: &Rules, seat: Seat, action: &Action, _draws: &mut Draws<'_>) -> Option<Decided<Event>> {
        let (event, outcome) = match action {
            Action::Deploy(deploy) => {
                let mut places = placed(rules, seat, &deploy.ships)?;
                places.sort_by_key(|(ship, _)| *ship);
                let mines: Option<CellSet> = deploy.mines.iter().map(|label| rules.board.parse(label)).collect();
                let mines = mines.and_then(mines::some);
                let fleet = Fleet(places.into_iter().map(|(_, place)| place).collect());
                (Event::Deployed { seat, fleet, mines }, None)
            }
            Action::Fire(fire) => self.fire(rules, seat, fire.target, &fire.cells)?,
            Action::GiveUp(action) => self.give_up(rules, seat, action)?,
            Action::Relocate(relocate) => {
                let moves = Moves(placed(rules, seat, &relocate.ships)?);
                (Event::Relocated { seat, moves, next: self.after_relocation }, None)
            }
        };
        Some((vec![event], outcome))
    }

    fn deploy_auto(&self, rules: &Rules, seat: Seat, dice: &mut Dice) -> Option<Action> {
        let places = fleet::place(rules, seat, &rules.coast(&self.land), dice)?;
        let ships = rules.ships(seat).zip(&places).flat_map(|(ship, place)| rules.cells(ship, *place));
        let mines = mines::lay(rules, &ships.collect::<CellSet>().or(&self.land), dice);
        let mines = mines::some(mines);
        let placed = Event::Deployed { seat, fleet: Fleet(places), mines };
        placed.asked(rules, self.seating.count()).map(|(_, action)| action)
    }

    fn apply(&mut self, rules: &Rules, event: &Event) -> Option<Step> {
        match event {
            Event::Deployed { seat, fleet, mines } => {
                let ships = rules.ships(*seat);
                let sea = self.seas.get_mut(self.seating.sea_of(*seat))?;
                sea.deploy(rules, ships, fleet);
                sea.laid = mines.map_or(CellSet::NONE, |mines| mines.0);
                sea.mines = sea.laid;
                let missing: SeatSet =
                    self.seating.seats().filter(|seat| self.sea_of(*seat).is_none_or(Sea::is_empty)).collect();
                let playing = missing.is_empty();
                Some(Step {
                    acted: *seat,
                    to_act: if playing { SeatSet::only(self.seating.first()) } else { missing },
                    playing,
                    salvo: false,
                    out: SeatSet::NONE,
                    goes_on: false,
                })
            }
            Event::Fired { seat, salvo, next, target, owed } => {
                let target = self.seating.target(*seat, target.map(usize::from))?;
                let shots = salvo.shots();
                if next.is_some_and(Next::relocates) {
                    self.after_relocation = Some(self.turn_after(rules, *seat, target, shots));
                }
                self.turn_over(rules, *seat, shots, owed.is_some());
                self.seas.get_mut(target)?.take(shots);
                Some(step(*seat, *next, true))
            }
            Event::Relocated { seat, moves, next } => {
                self.seas.get_mut(self.seating.sea_of(*seat))?.relocate(rules, moves);
                self.after_relocation = None;
                Some(step(*seat, *next, false))
            }
            Event::GaveUp { seat, shots, mines, next } => {
                self.after_giving = None;
                let sea = self.seas.get_mut(self.seating.sea_of(*seat))?;
                sea.take(&shots.0);
                let given = mines.map_or(CellSet::NONE, |mines| mines.0);
                sea.mines = sea.mines.without(&given);
                sea.swept += usize::from(given.len());
                Some(step(*seat, *next, false))
            }
            Event::IslandsDrawn { land } => {
                self.land = land.0;
                None
            }
            Event::Revealed { .. } => None,
        }
    }

    fn reveal(&self) -> Event {
        let revealed = |sea: &Sea| Revealed {
            first: Fleet(sea.deployed.clone()),
            last: Fleet(sea.ships.iter().map(|ship| ship.place).collect()),
            shots: Shots(sea.shots.clone()),
            mines: mines::some(sea.laid),
        };
        Event::Revealed { seas: self.seas.iter().map(revealed).collect() }
    }
}

impl State {
    /// Judges a salvo: each shot on the sea as the shots before it left it.
    fn fire(
        &self,
        rules: &Rules,
        seat: Seat,
        named: Option<SeaId>,
        cells: &[Label],
    ) -> Option<(Event, Option<Outcome>)> {
        let named = named.and_then(|id| self.seating.sea(id));
        let target = self.seating.target(seat, named)?;
        let sea = self.seas.get(target)?;
        let mut fresh = [0u8; MOST_SHIPS];
        let (mut hits, mut sunk) = (0, 0);
        let mut outcome = None;
        let mut salvo = Salvo::default();
        for label in cells {
            let cell = rules.board.parse(label)?;
            let struck = sea.judge(rules, cell, &mut fresh);
            if let Struck::Ship { sunk: now, .. } = struck {
                hits += 1;
                sunk += u8::from(now);
                // The shot that fulfils the victory decides; the others of the salvo are still reported.
                outcome = outcome.or_else(|| sea.victory(rules, seat, hits, sunk));
            }
            salvo.push(Shot::new(cell, struck));
        }
        let next = outcome.is_none().then(|| {
            let turn = self.turn_after(rules, seat, target, salvo.shots());
            if rules.relocates_after(hits > 0) { Next { seat: self.seating.owner(target), shots: 0 } } else { turn }
        });
        let owed = next.and_then(|_| self.owed(rules, seat, sea, salvo.shots()));
        let next = if owed.is_some() { Some(Next { seat, shots: GIVE_UP }) } else { next };
        let target = (self.seating.count() > 2).then_some(target as u8);
        Some((Event::Fired { seat, salvo, next, target, owed }, outcome))
    }

    pub(super) fn sea_of(&self, seat: Seat) -> Option<&Sea> {
        self.seas.get(self.seating.sea_of(seat))
    }

    /// Who fires after a salvo that struck so, and how many shots.
    fn turn_after(&self, rules: &Rules, seat: Seat, target: usize, shots: &[Shot]) -> Next {
        let next = self.seat_after(rules, seat, shots, &mut self.skips.clone());
        let sunk = shots.iter().filter(|shot| matches!(shot.struck(), Struck::Ship { sunk: true, .. })).count();
        self.salvo_of(rules, next, target, shots.len(), sunk as u8)
    }

    /// The salvo of a seat, when so many more shots were fired at one of the seas and sank so many ships there.
    pub(super) fn salvo_of(&self, rules: &Rules, next: Seat, target: usize, shots: usize, sunk: u8) -> Next {
        let fired =
            |sea: usize| self.seas[sea].shots.len() + self.seas[sea].swept + if sea == target { shots } else { 0 };
        let enemies = self.seating.seas().filter(|sea| *sea != self.seating.sea_of(next));
        let fewest = enemies.map(fired).min().unwrap_or_default();
        let own = self.seating.sea_of(next);
        let lost = self.seas[own].sunk + if own == target { sunk } else { 0 };
        Next { seat: next, shots: salvo_size(rules, lost, rules.water(&self.land).saturating_sub(fewest as u16)) }
    }
}

/// A step of the battle, after which this turn is due.
fn step(acted: Seat, next: Option<Next>, salvo: bool) -> Step {
    let to_act = next.map_or(SeatSet::NONE, |next| SeatSet::only(next.seat));
    Step { acted, to_act, playing: true, salvo, out: SeatSet::NONE, goes_on: false }
}

/// The size of a salvo of somebody who has lost so many ships, at a sea with so many untried cells.
pub(crate) fn salvo_size(rules: &Rules, lost: u8, untried: u16) -> u8 {
    let size = match rules.salvo.shrinks {
        Shrinks::No => rules.salvo.size,
        Shrinks::PerOwnLoss => rules.salvo.size.saturating_sub(lost).max(1),
    };
    size.min(untried.min(u16::from(u8::MAX)) as u8)
}

/// A seat's ships as they were sent, by number and place.
pub(crate) fn placed(rules: &Rules, seat: Seat, ships: &[ShipPlace]) -> Option<Vec<(u8, Placement)>> {
    ships
        .iter()
        .map(|sent| {
            let (number, ship) = rules.ships(seat).enumerate().find(|(_, ship)| rules.ship_id(*ship) == sent.ship)?;
            let cells: Option<Vec<Cell>> = sent.cells.iter().map(|label| rules.board.parse(label)).collect();
            Some((number as u8, rules.covering(ship, &cells?)?))
        })
        .collect()
}

impl Sea {
    fn is_empty(&self) -> bool {
        self.deployed.is_empty()
    }

    /// What a shot does; `fresh` counts the hits of this salvo by ship.
    pub(super) fn judge(&self, rules: &Rules, cell: Cell, fresh: &mut [u8; MOST_SHIPS]) -> Struck {
        if self.mines.contains(cell) {
            return Struck::Mine;
        }
        let Some((number, ship)) = self.ship_on(cell) else {
            return if self.is_near_a_ship(rules, cell, fresh) { Struck::Near } else { Struck::Nothing };
        };
        fresh[number] += 1;
        Struck::Ship { ship: number as u8, sunk: rules.sinking && ship.hits + fresh[number] == ship.kind.length }
    }

    fn ship_on(&self, cell: Cell) -> Option<(usize, &Ship)> {
        let number = usize::from(*self.on.get(cell.index())?);
        Some((number, self.ships.get(number)?))
    }

    fn is_near_a_ship(&self, rules: &Rules, cell: Cell, fresh: &[u8; MOST_SHIPS]) -> bool {
        let afloat = |near: Cell| {
            self.ship_on(near)
                .is_some_and(|(number, ship)| !rules.sinking || ship.hits + fresh[number] < ship.kind.length)
        };
        match rules.sighting {
            Sighting::No => false,
            Sighting::Orthogonal => rules.board.orthogonal(cell).any(afloat),
            Sighting::All => rules.board.neighbours(cell).any(afloat),
        }
    }

    /// The result, if so many more hits and sinkings win.
    pub(super) fn victory(&self, rules: &Rules, shooter: Seat, hits: u16, sunk: u8) -> Option<Outcome> {
        match rules.victory {
            Victory::Fleet(_) => {
                (usize::from(self.sunk + sunk) == self.ships.len()).then(|| Outcome::won_by(shooter, Reason::Fleet))
            }
            Victory::Hits(HitsVictory { hits: enough, .. }) => {
                (self.hits + hits >= enough).then(|| Outcome::won_by(shooter, Reason::Hits))
            }
        }
    }

    fn deploy(&mut self, rules: &Rules, ships: impl Iterator<Item = rules::Ship>, fleet: &Fleet) {
        self.deployed.clone_from(&fleet.0);
        self.ships = ships.zip(&fleet.0).map(|(kind, place)| Ship { kind, place: *place, hits: 0 }).collect();
        self.settle(rules);
    }

    /// Shots that were judged: the results are taken as they stand.
    fn take(&mut self, shots: &[Shot]) {
        for shot in shots {
            if let Struck::Ship { ship, sunk } = shot.struck() {
                self.hits += 1;
                self.sunk += u8::from(sunk);
                if let Some(ship) = self.ships.get_mut(usize::from(ship)) {
                    ship.hits += 1;
                }
            }
            self.mines.remove(shot.cell());
            self.shots.push(*shot);
        }
    }

    /// Moved ships are whole again.
    fn relocate(&mut self, rules: &Rules, moves: &Moves) {
        for (number, place) in &moves.0 {
            if let Some(ship) = self.ships.get_mut(usize::from(*number)) {
                ship.place = *place;
                ship.hits = 0;
            }
        }
        self.settle(rules);
    }

    /// Writes down which ship lies on which cell.
    fn settle(&mut self, rules: &Rules) {
        self.on.fill(WATER);
        for (number, ship) in self.ships.iter().enumerate() {
            for cell in rules.cells(ship.kind, ship.place) {
                if let Some(on) = self.on.get_mut(cell.index()) {
                    *on = number as u8;
                }
            }
        }
    }
}
