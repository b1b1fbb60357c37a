//! What each viewer learns of an event of this family: the one way out of its secrets. To review secrecy is to read
//! this file.
use alloc::vec::Vec;

use super::{
    Salvos,
    action::ShipCell,
    event::{Done, Event, History, Moved, Revealed, Salvo, Struck},
    report::{
        AimedReport, BandsDrawnReport, FireAnswer, FloatingShip, LeftReport, MoveAnswer, OpenedReport, OpeningAnswer,
        OrderAnswer, OrderedReport, OwnHit, Report, RevealedFleet, RevealedHit, RevealedMove, RevealedTurn,
        SalvosDeployedReport, SalvosRevealedReport, ShipNamed,
    },
    roster::{self, SHIPS},
    rules::{MovesPosted, Rules},
    sea,
};
use crate::{
    families::family,
    grid::{Board, Cell},
    seat::{Seat, Viewer},
    text::{ClassId, Label, ShipId},
};

impl family::Disclosure for Salvos {
    fn disclose(rules: &Rules, seats: u8, event: &Event, viewer: Viewer) -> Report {
        let board = sea::board(seats);
        match event {
            // The map of deployment cells is public.
            Event::BandsDrawn { bands } => BandsDrawnReport::unstamped(bands.iter().copied().map(Seat).collect()),
            // The owner learns where the ships stand; everybody else that they are placed.
            Event::Deployed { seat, nation, cells } => {
                let places = roster::fleet(*nation).zip(&cells.0);
                let place = |(ship, cell): (usize, &u16)| ShipCell { ship: id(ship), cell: board.label(Cell(*cell)) };
                let owner = viewer == Viewer::Seat(*seat);
                SalvosDeployedReport::unstamped(*seat, owner.then(|| places.map(place).collect()))
            }
            // Until all have aimed, only the seat itself knows at what.
            Event::Aimed { seat, ship, cell } => {
                let owner = viewer == Viewer::Seat(*seat);
                let told = owner.then(|| (id(usize::from(*ship)), board.label(Cell(*cell))));
                AimedReport::unstamped(*seat, told.map(|told| told.0), told.map(|told| told.1))
            }
            // Ships and cells are posted with the answers.
            Event::Opened { salvos } => OpenedReport::unstamped(
                salvos
                    .iter()
                    .map(|opening| {
                        let Answer { cells, hit, sunk, own_hits } = answer(board, &opening.salvo, viewer);
                        let cell = cells.first().copied().unwrap_or_else(|| board.label(Cell(0)));
                        OpeningAnswer {
                            seat: opening.seat,
                            ship: id(usize::from(opening.salvo.ship)),
                            cell,
                            hit,
                            sunk,
                            own_hits,
                        }
                    })
                    .collect(),
            ),
            // Salvos are posted with their answers; of moves the owner learns all, the others what the rules post.
            Event::Ordered { seat, done } => {
                let owner = viewer == Viewer::Seat(*seat);
                let told = done.iter().filter_map(|done| match done {
                    Done::Fired(salvo) => {
                        let Answer { cells, hit, sunk, own_hits } = answer(board, salvo, viewer);
                        let ship = id(usize::from(salvo.ship));
                        Some(OrderAnswer::Fire(FireAnswer {
                            order: Default::default(),
                            ship,
                            cells,
                            hit,
                            sunk,
                            own_hits,
                        }))
                    }
                    Done::Moved(moved) if owner => Some(OrderAnswer::Move(whole_move(board, moved))),
                    Done::Moved(moved) => posted_move(rules, moved).map(OrderAnswer::Move),
                });
                OrderedReport::unstamped(*seat, told.collect())
            }
            // Who left is known from the table.
            Event::Left { seats } => LeftReport::unstamped(*seats),
            // The match is over: everybody learns everything.
            Event::Revealed { fleets, turns } => SalvosRevealedReport::unstamped(
                fleets.iter().enumerate().map(|(seat, revealed)| fleet(board, Seat(seat as u8), revealed)).collect(),
                turns_bared(board, turns),
            ),
        }
    }
}

/// What is posted of a salvo, and what the viewer learns of it because a ship of the viewer's own was hit.
struct Answer {
    cells: Vec<Label>,
    hit: Vec<ShipNamed>,
    sunk: Vec<ShipNamed>,
    own_hits: Vec<OwnHit>,
}

/// The ships hit are named once each, and in the order of the roster: any other order would tell which shot hit.
fn answer(board: Board, salvo: &Salvo, viewer: Viewer) -> Answer {
    let owner = |ship: usize| {
        struck(salvo).find(|(_, struck)| usize::from(struck.ship) == ship).map(|(_, struck)| struck.owner)
    };
    let named = |ship: usize| Some(ShipNamed { ship: id(ship), seat: owner(ship)? });
    let own = |hit: &Hit| viewer == Viewer::Seat(hit.owner);
    Answer {
        cells: salvo.shots.0.iter().map(|shot| board.label(shot.cell)).collect(),
        hit: salvo.hit().iter().filter_map(named).collect(),
        sunk: salvo.sunk().iter().filter_map(named).collect(),
        own_hits: hits(salvo)
            .into_iter()
            .filter(own)
            .map(|hit| OwnHit { ship: id(hit.ship), cell: board.label(hit.cell), points: hit.points })
            .collect(),
    }
}

fn struck(salvo: &Salvo) -> impl Iterator<Item = (Cell, Struck)> + '_ {
    salvo.shots.0.iter().filter_map(|shot| Some((shot.cell, shot.struck?)))
}

/// What a salvo truly did to one ship.
struct Hit {
    ship: usize,
    owner: Seat,
    cell: Cell,
    points: u8,
    sunk: bool,
}

/// What a salvo truly did, ship by ship in the order of the roster.
fn hits(salvo: &Salvo) -> Vec<Hit> {
    let hit = |ship: usize| {
        let mut shots = struck(salvo).filter(|(_, struck)| usize::from(struck.ship) == ship);
        let (cell, first) = shots.next()?;
        let rest: Vec<Struck> = shots.map(|(_, struck)| struck).collect();
        let sunk = first.sunk || rest.iter().any(|struck| struck.sunk);
        Some(Hit { ship, owner: first.owner, cell, points: 1 + rest.len() as u8, sunk })
    };
    salvo.hit().iter().filter_map(hit).collect()
}

/// A move as its owner learns it.
fn whole_move(board: Board, moved: &Moved) -> MoveAnswer {
    MoveAnswer {
        order: Default::default(),
        ship: id(usize::from(moved.ship)),
        steps: Some(moved.steps_made().to_vec()),
        to: Some(board.label(moved.to(board))),
        blocked_at: moved.stopped_at(board).map(|cell| board.label(cell)),
    }
}

/// What is posted of a move: the steps made, never that something stopped the ship. Of a ship that could not make a
/// single step nothing is posted, for a move of no steps would say that a neighbouring cell is taken.
fn posted_move(rules: &Rules, moved: &Moved) -> Option<MoveAnswer> {
    let posted = rules.moves_posted != MovesPosted::Nothing && !moved.steps_made().is_empty();
    posted.then(|| MoveAnswer {
        order: Default::default(),
        ship: id(usize::from(moved.ship)),
        steps: (rules.moves_posted == MovesPosted::Steps).then(|| moved.steps_made().to_vec()),
        to: None,
        blocked_at: None,
    })
}

fn fleet(board: Board, seat: Seat, revealed: &Revealed) -> RevealedFleet {
    let lies = revealed.first.0.iter().zip(&revealed.last.0).zip(&revealed.armour);
    let ships = roster::fleet(revealed.nation).zip(lies).map(|(ship, ((first, last), armour))| FloatingShip {
        ship: id(ship),
        class: SHIPS.get(ship).map_or_else(|| ClassId::cut(format_args!("")), |ship| ship.class.id()),
        first_cell: board.label(Cell(*first)),
        last_cell: board.label(Cell(*last)),
        armour: *armour,
    });
    RevealedFleet { seat, ships: ships.collect() }
}

fn turns_bared(board: Board, turns: &History) -> Vec<RevealedTurn> {
    let bared_hits = |salvo: &Salvo| -> Vec<RevealedHit> {
        let by = id(usize::from(salvo.ship));
        let bare = |hit: Hit| RevealedHit {
            by,
            ship: id(hit.ship),
            cell: board.label(hit.cell),
            points: hit.points,
            sunk: hit.sunk,
        };
        hits(salvo).into_iter().map(bare).collect()
    };
    let turn = |event: Event| match event {
        Event::Opened { salvos } => Some(RevealedTurn {
            seat: None,
            moves: Vec::new(),
            hits: salvos.iter().flat_map(|opening| bared_hits(&opening.salvo)).collect(),
        }),
        Event::Ordered { seat, done } => {
            let mut turn = RevealedTurn { seat: Some(seat), moves: Vec::new(), hits: Vec::new() };
            for done in &done {
                match done {
                    Done::Fired(salvo) => turn.hits.extend(bared_hits(salvo)),
                    Done::Moved(moved) => turn.moves.push(RevealedMove {
                        ship: id(usize::from(moved.ship)),
                        from: board.label(Cell(moved.from)),
                        to: board.label(moved.to(board)),
                        blocked_at: moved.stopped_at(board).map(|cell| board.label(cell)),
                    }),
                }
            }
            Some(turn)
        }
        _ => None,
    };
    turns.turns().filter_map(turn).collect()
}

/// The id of a ship by its number, which is known to be one of the roster.
fn id(ship: usize) -> ShipId {
    SHIPS.get(ship).map_or_else(|| ShipId::cut(format_args!("")), roster::Ship::id)
}
