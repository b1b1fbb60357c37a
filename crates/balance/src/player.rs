//! A simple player of the navies on one sea, the same for every nation. For each enemy ship it keeps the possible cells
//! by all posted reports, fires for the most expected hits, and moves to where it would have more. It sees only a view.
use broadside_rules::{
    Action, Decision, Dice, RuleSet, Seat, View,
    families::{
        self,
        salvos::{
            action::{Action as SalvosAction, Order},
            decision::{Decision as SalvosDecision, Destination, OrderChoice, OrdersDecision},
            report::{FireAnswer, MoveAnswer, OrderAnswer, Report},
        },
    },
    grid::{Board, Cell, CellSet, Labels},
    legal,
    text::{Label, ShipId},
    view_model::StatName,
};

use super::matches::Hand;

/// The least chance of a hit for which all shots go to one cell; below, they are spread.
const SURE: f64 = 0.34;
/// The least gain in hits for which a ship moves, as a factor.
const WORTH_MOVING: f64 = 1.5;
/// The worth of coming near, in hits.
const WORTH_FIRING: f64 = 0.1;

/// An enemy ship and its possible cells.
struct Enemy {
    id: ShipId,
    seat: Seat,
    submarine: bool,
    destroyer: bool,
    speed: u8,
    range: (u8, u8),
    cells: CellSet,
}

pub struct Player {
    seat: Seat,
    board: Option<Board>,
    enemies: Vec<Enemy>,
    /// Own and allied ships that are destroyers: their spread salvos hit submarines, too.
    destroyers: Vec<ShipId>,
}

impl Hand for Player {
    fn hear(&mut self, view: &View, report: &families::Report) {
        self.take_in(view, report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        self.decide(view, dice)
    }
}

impl Player {
    pub const fn new(seat: Seat) -> Self {
        Self { seat, board: None, enemies: Vec::new(), destroyers: Vec::new() }
    }

    /// Takes in the sea when the battle begins.
    fn begin(&mut self, view: &View) {
        let card = view.board();
        let sea = &card.seas[0];
        let board = Board { rows: sea.rows, columns: sea.columns, labels: Labels::RowLetter };
        self.board = Some(board);
        let teams = match &*view.setup().rules {
            RuleSet::Salvos(rules) => rules.teams.map(|teams| teams.max(1)),
            _ => None,
        };
        let team = |seat: Seat| teams.map_or(seat.0, |teams| seat.0 % teams);
        let allied = |seat: Seat| team(seat) == team(self.seat);
        for ship in &view.seas()[0].ships {
            let stat = |name| ship.stats.iter().find(|stat| stat.name == name).map_or(0, |stat| stat.max as u8);
            let destroyer = ship.class.as_str() == "destroyer";
            if allied(ship.seat) {
                if destroyer {
                    self.destroyers.push(ship.id);
                }
                continue;
            }
            let mine = |seat: Option<Seat>| seat.is_none_or(|seat| seat == ship.seat);
            let cells = sea.cells.iter().filter(|cell| mine(cell.seat)).filter_map(|cell| board.parse(&cell.label));
            self.enemies.push(Enemy {
                id: ship.id,
                seat: ship.seat,
                submarine: ship.class.as_str() == "submarine",
                destroyer,
                speed: stat(StatName::Speed),
                range: (stat(StatName::MinRange), stat(StatName::MaxRange)),
                cells: cells.collect(),
            });
        }
    }

    fn take_in(&mut self, view: &View, report: &families::Report) {
        let families::Report::Salvos(report) = report else { return };
        match report {
            Report::Opened(opened) => {
                self.begin(view);
                for salvo in &opened.salvos {
                    let hit: Vec<ShipId> = salvo.hit.iter().map(|ship| ship.ship).collect();
                    let sunk: Vec<ShipId> = salvo.sunk.iter().map(|ship| ship.ship).collect();
                    self.posted(salvo.seat, salvo.ship, &[salvo.cell], &hit, &sunk);
                }
            }
            Report::Ordered(ordered) => {
                for order in &ordered.orders {
                    match order {
                        OrderAnswer::Fire(FireAnswer { ship, cells, hit, sunk, .. }) => {
                            let hit: Vec<ShipId> = hit.iter().map(|ship| ship.ship).collect();
                            let sunk: Vec<ShipId> = sunk.iter().map(|ship| ship.ship).collect();
                            self.posted(ordered.seat, *ship, cells, &hit, &sunk);
                        }
                        OrderAnswer::Move(order) => self.moved(order),
                    }
                }
            }
            Report::Left(left) => self.enemies.retain(|enemy| !left.seats.contains(enemy.seat)),
            _ => {}
        }
    }

    /// Takes in a salvo and its answer: the possible cells of the firing ship, and of those that it hit or missed.
    fn posted(&mut self, by: Seat, ship: ShipId, cells: &[Label], hit: &[ShipId], sunk: &[ShipId]) {
        let Some(board) = self.board else { return };
        let targets: CellSet = cells.iter().filter_map(|label| board.parse(label)).collect();
        let by_destroyer =
            self.destroyers.contains(&ship) || self.enemies.iter().any(|enemy| enemy.id == ship && enemy.destroyer);
        let direct = targets.len() == 1;
        for enemy in &mut self.enemies {
            let keep: CellSet = if enemy.id == ship {
                let (least, most) = enemy.range;
                let within =
                    |cell: Cell| targets.iter().all(|target| (least..=most).contains(&distance(board, cell, target)));
                enemy.cells.iter().filter(|cell| within(*cell) && !targets.contains(*cell)).collect()
            } else if hit.contains(&enemy.id) {
                enemy.cells.iter().filter(|cell| targets.contains(*cell)).collect()
            } else if enemy.seat == by || !enemy.submarine || direct || by_destroyer {
                enemy.cells.iter().filter(|cell| !targets.contains(*cell)).collect()
            } else {
                continue;
            };
            // A path that was cut short unseen can lead astray: then it may be anywhere that fits.
            enemy.cells = if keep.is_empty() {
                if hit.contains(&enemy.id) { targets } else { board.iter().collect() }
            } else {
                keep
            };
        }
        self.enemies.retain(|enemy| !sunk.contains(&enemy.id));
    }

    fn moved(&mut self, order: &MoveAnswer) {
        let Some(board) = self.board else { return };
        let Some(enemy) = self.enemies.iter_mut().find(|enemy| enemy.id == order.ship) else { return };
        let by = |cell: Cell, down: i8, right: i8| {
            board.cell(board.row(cell).checked_add_signed(down)?, board.column(cell).checked_add_signed(right)?)
        };
        let shifted: CellSet = match &order.steps {
            Some(steps) => {
                let (mut down, mut right) = (0_i8, 0_i8);
                for step in steps {
                    let name = step.name();
                    down += i8::from(name.contains('S')) - i8::from(name.contains('N'));
                    right += i8::from(name.contains('E')) - i8::from(name.contains('W'));
                }
                enemy.cells.iter().filter_map(|cell| by(cell, down, right)).collect()
            }
            None => {
                let reach = enemy.speed as i8;
                let around = (-reach..=reach).flat_map(|down| (-reach..=reach).map(move |right| (down, right)));
                let around: Vec<(i8, i8)> = around.collect();
                enemy
                    .cells
                    .iter()
                    .flat_map(|cell| around.iter().filter_map(move |(down, right)| by(cell, *down, *right)))
                    .collect()
            }
        };
        enemy.cells = if shifted.is_empty() { board.iter().collect() } else { shifted };
    }

    /// The expected number of enemy ships on each cell.
    fn expected(&self, board: Board) -> Vec<f64> {
        let mut expected = vec![0.0; usize::from(board.cells())];
        for enemy in &self.enemies {
            let share = 1.0 / f64::from(enemy.cells.len().max(1));
            enemy.cells.iter().for_each(|cell| expected[cell.index()] += share);
        }
        expected
    }

    /// The next action.
    fn decide(&self, view: &View, dice: &mut Dice) -> Option<Action> {
        let seed = dice.bytes();
        let decisions = view.decisions(seed);
        let first = decisions.first()?;
        let Decision::Family(families::Decision::Salvos(SalvosDecision::Orders(decision))) = first else {
            return Some(first.example());
        };
        let Some(board) = self.board else { return Some(first.example()) };
        let mut orders = self.orders(decision, board, dice);
        // Conflicting orders are dropped from the end.
        while !orders.is_empty() {
            let action = Action::Family(families::Action::Salvos(SalvosAction::orders(orders.clone())));
            if legal(view, &action).is_ok() {
                return Some(action);
            }
            orders.pop();
        }
        Some(Action::Family(families::Action::Salvos(SalvosAction::orders(orders))))
    }

    fn orders(&self, decision: &OrdersDecision, board: Board, dice: &mut Dice) -> Vec<Order> {
        let expected = self.expected(board);
        let may_move = usize::from(decision.max_orders) >= decision.ships.len();
        let mut salvos: Vec<(f64, Order)> = Vec::new();
        let mut moves = Vec::new();
        for ship in &decision.ships {
            let (worth, cells) = aim(board, &expected, ship, dice);
            let worths = |way: &Destination| {
                let there = board.parse(&way.cell);
                from(board, &expected, ship, there).max(WORTH_FIRING * nearness(board, &expected, there))
            };
            let best = ship.moves.iter().map(|way| (worths(way), way)).max_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((there, way)) if may_move && there > worth * WORTH_MOVING => {
                    moves.push(Order::go(ship.ship, way.steps.clone()));
                }
                _ if !cells.is_empty() => salvos.push((worth, Order::fire(ship.ship, cells))),
                _ => {}
            }
        }
        salvos.sort_by(|a, b| b.0.total_cmp(&a.0));
        let orders = salvos.into_iter().map(|(_, order)| order).chain(moves);
        orders.take(usize::from(decision.max_orders)).collect()
    }
}

/// The possible worth of a salvo from another cell: the range is taken from the present targets.
fn from(board: Board, expected: &[f64], ship: &OrderChoice, there: Option<Cell>) -> f64 {
    let (Some(here), Some(there)) = (board.parse(&ship.cell), there) else { return 0.0 };
    let targets = ship.targets.iter().filter_map(|label| board.parse(label));
    let ranges: Vec<u8> = targets.map(|cell| distance(board, here, cell)).collect();
    let (Some(least), Some(most)) = (ranges.iter().min(), ranges.iter().max()) else { return 0.0 };
    let reached = board.iter().filter(|cell| (*least..=*most).contains(&distance(board, there, *cell)));
    let mut worth: Vec<f64> = reached.map(|cell| expected[cell.index()]).collect();
    worth.sort_by(|a, b| b.total_cmp(a));
    value(&worth, usize::from(ship.shots.max))
}

/// The nearness of a cell to enemies, each counted by the inverse square of its distance.
fn nearness(board: Board, expected: &[f64], there: Option<Cell>) -> f64 {
    let Some(there) = there else { return 0.0 };
    let ships = board.iter().map(|cell| {
        let far = f64::from(distance(board, there, cell)) + 1.0;
        expected[cell.index()] / (far * far)
    });
    ships.sum()
}

/// The larger of the row and column differences.
fn distance(board: Board, a: Cell, b: Cell) -> u8 {
    board.row(a).abs_diff(board.row(b)).max(board.column(a).abs_diff(board.column(b)))
}

/// The expected hits of this many shots, from the chances cell by cell, the best first.
fn value(worth: &[f64], shots: usize) -> f64 {
    match worth.first() {
        Some(best) if *best >= SURE => best * shots as f64,
        _ => worth.iter().take(shots).sum(),
    }
}

/// The best targets, and the expected hits.
fn aim(board: Board, expected: &[f64], ship: &OrderChoice, dice: &mut Dice) -> (f64, Vec<Label>) {
    let mut targets: Vec<(f64, Label)> =
        ship.targets.iter().filter_map(|label| Some((expected[board.parse(label)?.index()], *label))).collect();
    // Chance decides among equals.
    dice.shuffle(&mut targets);
    targets.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shots = usize::from(ship.shots.max);
    let worth: Vec<f64> = targets.iter().map(|(worth, _)| *worth).collect();
    let cells = match targets.first() {
        Some((best, label)) if *best >= SURE => vec![*label; shots],
        _ => targets.iter().take(shots).map(|(_, label)| *label).collect(),
    };
    (value(&worth, shots), cells)
}
