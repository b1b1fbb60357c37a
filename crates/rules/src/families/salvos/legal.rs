//! The legality of this family's actions, judged by the player's knowledge. Every fault is named at once; events are
//! not read here.
use alloc::{format, string::String, vec::Vec};

use super::{
    Salvos,
    action::{Action, FireOrder, MoveOrder, OpeningShotAction, Order, ShipCell},
    course::Phase,
    knowledge::Knowledge,
    roster::{Figures, Ship},
    rules::Rules,
    sea,
};
use crate::{
    families::family,
    grid::Cell,
    illegal::Illegal,
    read::Faults,
    seat::Seat,
    table::Table,
    text::{Label, ShipId},
};

impl family::Legality for Salvos {
    fn legal(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let phase = known.course.phase;
        match action {
            Action::Deploy(deploy) => {
                table.may_deploy(seat)?;
                deployment(rules, known, seat, &deploy.ships)
            }
            Action::OpeningShot(shot) => match phase {
                Phase::Opening if known.course.has_aimed(seat) => {
                    Err(not_your_turn("Your opening shot is aimed, and that is final; the others have to aim first."))
                }
                Phase::Opening => opening_shot(rules, known, seat, shot),
                Phase::Deploying => Err(wrong_phase("The opening shots are aimed when all fleets are placed.")),
                _ => Err(wrong_phase("The opening shots have been fired; give orders when it is your turn.")),
            },
            Action::Orders(orders) => match phase {
                Phase::Turn { seat: turn } if turn == seat => Judge::new(rules, known, seat).orders(&orders.orders),
                Phase::Turn { .. } => Err(not_your_turn("Another seat gives its orders now.")),
                Phase::Opening => Err(wrong_phase("First everybody aims an opening shot: play `opening-shot`.")),
                _ => Err(wrong_phase("The battle begins when all fleets are placed.")),
            },
        }
    }
}

fn not_your_turn(detail: &str) -> Illegal {
    Illegal::new("not-your-turn", detail)
}

fn wrong_phase(detail: &str) -> Illegal {
    Illegal::new("wrong-phase", detail)
}

/// The number of the seat's own ship, or a fault at this place.
fn own_ship(rules: &Rules, known: &Knowledge, seat: Seat, id: ShipId, at: &str, faults: &mut Faults) -> Option<usize> {
    let Some(ship) = rules.number_of(&id) else {
        faults.push(at, "unknown-ship", format!("No navy has a ship `{id}`."));
        return None;
    };
    if known.course.owner(ship) != Some(seat) {
        faults.push(
            at,
            "not-your-ship",
            format!("`{id}` is {}, and not yours.", rules.names()[usize::from(rules.ships()[ship].nation)]),
        );
        return None;
    }
    Some(ship)
}

/// Checks that the fleet is complete, with one ship to a cell, on cells of the seat.
fn deployment(rules: &Rules, known: &Knowledge, seat: Seat, ships: &[ShipCell]) -> Result<(), Illegal> {
    let (board, course) = (known.board, &known.course);
    let layout = rules.layout(course.seats());
    let mut faults = Faults::default();
    // Allies see each other's ships, and no two of theirs stand on one cell.
    let mut taken = known.friends(seat);
    for (index, place) in ships.iter().enumerate() {
        let at = format!("/ships/{index}/ship");
        if own_ship(rules, known, seat, place.ship, &at, &mut faults).is_some()
            && ships[..index].iter().any(|other| other.ship == place.ship)
        {
            faults.push(at, "duplicate-ship", format!("`{}` is named more than once.", place.ship));
        }
        let (at, cell) = (format!("/ships/{index}/cell"), place.cell);
        match board.parse(&cell) {
            None => faults.push(at, "unknown-cell", format!("The board has no cell `{cell}`.")),
            Some(on) if !layout.is_open(&known.bands, seat, on) => {
                faults.push(at, "not-your-cell", format!("`{cell}` is not a deployment cell of yours."));
            }
            Some(on) if !taken.insert(on) => {
                faults.push(at, "cell-taken", format!("There is already a ship on `{cell}`."));
            }
            Some(_) => {}
        }
    }
    let missing: Vec<String> = course
        .fleet(seat)
        .map(|ship| rules.ships()[ship].id)
        .filter(|id| !ships.iter().any(|place| place.ship == *id))
        .map(|id| format!("`{id}`"))
        .collect();
    if !missing.is_empty() {
        faults.push("/ships", "ship-missing", format!("Not placed: {}.", missing.join(", ")));
    }
    Illegal::unless_none(faults.0)
}

fn opening_shot(rules: &Rules, known: &Knowledge, seat: Seat, shot: &OpeningShotAction) -> Result<(), Illegal> {
    let mut faults = Faults::default();
    if let Some(ship) = own_ship(rules, known, seat, shot.ship, "/ship", &mut faults) {
        let judge = Judge::new(rules, known, seat);
        judge.target(ship, shot.cell, "/cell", &mut faults);
    }
    Illegal::unless_none(faults.0)
}

/// Judges the orders of a turn one after another, as if every earlier move were completed: a hidden obstacle is a
/// result, not a fault.
struct Judge<'k> {
    rules: &'k Rules,
    known: &'k Knowledge,
    seat: Seat,
    /// The cells of the ships of the seat and its allies, after the moves judged so far.
    friends: Vec<(usize, Cell)>,
}

impl<'k> Judge<'k> {
    fn new(rules: &'k Rules, known: &'k Knowledge, seat: Seat) -> Self {
        let friends = known.course.friends(seat).filter_map(|ship| Some((ship, known.cell(ship)?))).collect();
        Self { rules, known, seat, friends }
    }

    fn entry(&self, ship: usize) -> &'k Ship {
        &self.rules.ships()[ship]
    }

    /// A ship of the seat's side, in words.
    fn named(&self, ship: usize) -> String {
        let whose = if self.known.course.fleet(self.seat).contains(&ship) { "Your" } else { "Your ally's" };
        format!("{whose} `{}`", self.entry(ship).id)
    }

    fn cell(&self, ship: usize) -> Option<Cell> {
        self.friends.iter().find(|(other, _)| *other == ship).map(|(_, cell)| *cell)
    }

    fn friend_on(&self, cell: Cell) -> Option<usize> {
        self.friends.iter().find(|(_, other)| *other == cell).map(|(ship, _)| *ship)
    }

    fn orders(mut self, orders: &[Order]) -> Result<(), Illegal> {
        let mut faults = Faults::default();
        let afloat = self.known.course.fleet(self.seat).filter(|ship| self.cell(*ship).is_some()).count();
        if orders.len() > afloat {
            let detail = format!("{} orders for {afloat} ships; a ship has one order a turn.", orders.len());
            faults.push("/orders", "too-many-orders", detail);
        }
        self.detection(orders, &mut faults);
        for (index, order) in orders.iter().enumerate() {
            let at = format!("/orders/{index}");
            let id = order.ship();
            let Some(ship) = own_ship(self.rules, self.known, self.seat, id, &format!("{at}/ship"), &mut faults) else {
                continue;
            };
            if self.cell(ship).is_none() {
                faults.push(format!("{at}/ship"), "ship-sunk", format!("`{id}` is sunk."));
                continue;
            }
            if orders[..index].iter().any(|other| other.ship() == id) {
                let detail = format!("`{id}` already has an order in this turn.");
                faults.push(format!("{at}/ship"), "duplicate-order", detail);
                continue;
            }
            match order {
                Order::Fire(fire) => self.fire(ship, fire, &at, &mut faults),
                Order::Move(order) => self.go(ship, order, &at, &mut faults),
            }
        }
        Illegal::unless_none(faults.0)
    }

    /// A fleet without a detected ship afloat gives at most one order, and that to fire (sheet 004, 5).
    fn detection(&self, orders: &[Order], faults: &mut Faults) {
        if self.known.course.is_detected(self.seat) {
            return;
        }
        let why = "No ship of yours that is afloat has opened fire";
        if orders.len() > 1 {
            faults.push("/orders", "not-detected", format!("{why}: you may give one order, and it must be to fire."));
        }
        for (index, order) in orders.iter().enumerate() {
            if matches!(order, Order::Move(_)) {
                faults.push(format!("/orders/{index}/order"), "not-detected", format!("{why}: none may move."));
            }
        }
    }

    fn fire(&self, ship: usize, fire: &FireOrder, at: &str, faults: &mut Faults) {
        let attack = self.entry(ship).figures.attack;
        let at = format!("{at}/cells");
        if fire.cells.is_empty() {
            faults.push(at.clone(), "wrong-salvo-size", format!("Name 1 to {attack} cells."));
        }
        if fire.cells.len() > usize::from(attack) {
            let detail = format!("{} cells; `{}` has {attack} shots.", fire.cells.len(), fire.ship);
            faults.push(at.clone(), "too-many-shots", detail);
        }
        for (index, label) in fire.cells.iter().enumerate() {
            self.target(ship, *label, &format!("{at}/{index}"), faults);
        }
    }

    /// Checks a target cell: in the ship's range, and without a ship of its own side.
    fn target(&self, ship: usize, label: Label, at: &str, faults: &mut Faults) {
        let (board, figures) = (self.known.board, self.entry(ship).figures);
        let (Some(cell), Some(from)) = (board.parse(&label), self.cell(ship)) else {
            faults.push(at, "unknown-cell", format!("The board has no cell `{label}`."));
            return;
        };
        let distance = sea::distance(board, from, cell);
        if !sea::in_range(figures, distance) {
            let Figures { nearest, farthest, .. } = figures;
            let range = if nearest == farthest { format!("{nearest}") } else { format!("{nearest} to {farthest}") };
            let detail =
                format!("`{label}` is at a distance of {distance} from `{}`; it fires at {range}.", board.label(from));
            faults.push(at, "target-out-of-range", detail);
        } else if let Some(other) = self.friend_on(cell) {
            faults.push(at, "target-is-own-ship", format!("{} is on `{label}`.", self.named(other)));
        }
    }

    fn go(&mut self, ship: usize, order: &MoveOrder, at: &str, faults: &mut Faults) {
        let (board, speed) = (self.known.board, self.entry(ship).figures.speed);
        let before = faults.0.len();
        let at = format!("{at}/steps");
        if order.steps.is_empty() {
            faults.push(at.clone(), "path-broken", "A move has one step at least; leave the order out to stay.");
        }
        let cost = sea::cost(speed, &order.steps);
        if cost > u32::from(speed) {
            let detail = format!("The path costs {cost}, and `{}` has a speed of {speed}.", order.ship);
            faults.push(at.clone(), "path-costs-too-much", detail);
        }
        let Some(mut cell) = self.cell(ship) else { return };
        for (index, step) in order.steps.iter().enumerate() {
            let Some(next) = sea::step(board, cell, *step) else {
                let detail = format!("A step {} from `{}` leaves the sea.", step.name(), board.label(cell));
                faults.push(format!("{at}/{index}"), "path-leaves-sea", detail);
                return;
            };
            if let Some(other) = self.friend_on(next).filter(|other| *other != ship) {
                let detail = format!("{} is on `{}`.", self.named(other), board.label(next));
                faults.push(format!("{at}/{index}"), "path-blocked", detail);
                return;
            }
            cell = next;
        }
        if faults.0.len() == before {
            self.friends.iter_mut().filter(|(other, _)| *other == ship).for_each(|(_, at)| *at = cell);
        }
    }
}
