//! The disclosure of this family's events to each viewer: the only way out of its secrets. To review secrecy is to read
//! this file.
use alloc::vec::Vec;

use super::{
    Salvos,
    action::ShipCell,
    event::{Done, Event, History, Moved, OpeningSalvo, Revealed, Salvo, Struck},
    report::{
        AimedReport, BandsDrawnReport, FireAnswer, FloatingShip, LeftReport, MoveAnswer, OpenedReport, OpeningAnswer,
        OrderAnswer, OrderedReport, OwnHit, Report, RevealedFleet, RevealedHit, RevealedMove, RevealedTurn,
        SalvosDeployedReport, SalvosRevealedReport, SettledReport, ShipNamed,
    },
    roster,
    rules::{MovesPosted, Rules},
};
use crate::{
    families::family,
    grid::{Board, Cell},
    seat::{Seat, Viewer},
    text::{ClassId, Label, ShipId},
};

impl family::Disclosure for Salvos {
    fn disclose(rules: &Rules, seats: u8, event: &Event, viewer: Viewer) -> Report {
        let book = Book { rules, board: rules.layout(seats).board(), viewer };
        let board = book.board;
        match event {
            // The map of deployment cells is public.
            Event::BandsDrawn { bands } => BandsDrawnReport::unstamped(bands.iter().copied().map(Seat).collect()),
            // The owner and its allies learn the positions of the ships; all others, that they are placed.
            Event::Deployed { seat, nation, cells } => {
                let places = roster::fleet(rules.ships(), *nation).zip(&cells.0);
                let place = |(ship, cell): (usize, &u16)| book.place(ship, *cell);
                SalvosDeployedReport::unstamped(*seat, book.sees(*seat).then(|| places.map(place).collect()))
            }
            // Only the owners of ships parted from others, and their allies, are told.
            Event::Settled { ships, cells, owners } => {
                let parted = owners.iter().zip(ships.iter().zip(&cells.0));
                let own = parted.filter(|(owner, _)| book.sees(Seat(**owner)));
                SettledReport::unstamped(own.map(|(_, (ship, cell))| book.place(usize::from(*ship), *cell)).collect())
            }
            // Until all have aimed, only the seat itself and its allies know the target.
            Event::Aimed { seat, ship, cell } => {
                let told = book.sees(*seat).then(|| (book.id(usize::from(*ship)), board.label(Cell(*cell))));
                AimedReport::unstamped(*seat, told.map(|told| told.0), told.map(|told| told.1))
            }
            // Ships and cells are posted with the answers.
            Event::Opened { salvos } => {
                OpenedReport::unstamped(salvos.iter().map(|opening| book.opening_answer(opening)).collect())
            }
            // Salvos are posted with their answers; of moves the owner and its allies learn all, the others what the
            // rules post.
            Event::Ordered { seat, done } => {
                let owner = book.sees(*seat);
                let told = done.iter().filter_map(|done| match done {
                    Done::Fired(salvo) => {
                        let Answer { cells, hit, sunk, own_hits } = book.answer(salvo);
                        let ship = book.id(usize::from(salvo.ship));
                        Some(OrderAnswer::Fire(FireAnswer {
                            order: Default::default(),
                            ship,
                            cells,
                            hit,
                            sunk,
                            own_hits,
                        }))
                    }
                    Done::Moved(moved) if owner => Some(OrderAnswer::Move(book.whole_move(moved))),
                    Done::Moved(moved) => book.posted_move(moved).map(OrderAnswer::Move),
                });
                OrderedReport::unstamped(*seat, told.collect())
            }
            // The table tells who left.
            Event::Left { seats } => LeftReport::unstamped(*seats),
            // The match is over: everybody learns everything.
            Event::Revealed { fleets, turns } => SalvosRevealedReport::unstamped(
                fleets.iter().enumerate().map(|(seat, revealed)| book.fleet(Seat(seat as u8), revealed)).collect(),
                book.turns_bared(turns),
            ),
        }
    }
}

/// The posted answer to a salvo, and the additions for a viewer with a hit ship, own or allied.
struct Answer {
    cells: Vec<Label>,
    hit: Vec<ShipNamed>,
    sunk: Vec<ShipNamed>,
    own_hits: Vec<OwnHit>,
}

/// A salvo's true effect on one ship.
struct Hit {
    ship: usize,
    owner: Seat,
    cell: Cell,
    points: u8,
    sunk: bool,
}

fn struck(salvo: &Salvo) -> impl Iterator<Item = (Cell, Struck)> + '_ {
    salvo.shots.0.iter().filter_map(|shot| Some((shot.cell, shot.struck?)))
}

/// A salvo's true effects, by ship in the order of the roster.
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

/// The context of a disclosure.
struct Book<'r> {
    rules: &'r Rules,
    board: Board,
    viewer: Viewer,
}

impl Book<'_> {
    /// Does the viewer see what this seat sees: as its player, or as an ally?
    fn sees(&self, seat: Seat) -> bool {
        self.viewer.seat().is_some_and(|viewer| self.rules.teams().allied(viewer, seat))
    }

    fn id(&self, ship: usize) -> ShipId {
        self.rules.ships().get(ship).map_or_else(|| ShipId::literal(""), |ship| ship.id)
    }

    fn place(&self, ship: usize, cell: u16) -> ShipCell {
        ShipCell { ship: self.id(ship), cell: self.board.label(Cell(cell)) }
    }

    /// Each ship hit is named once, in the order of the roster: any other order would tell which shot hit.
    fn answer(&self, salvo: &Salvo) -> Answer {
        let owner = |ship: usize| {
            struck(salvo).find(|(_, struck)| usize::from(struck.ship) == ship).map(|(_, struck)| struck.owner)
        };
        let named = |ship: usize| Some(ShipNamed { ship: self.id(ship), seat: owner(ship)? });
        let own = |hit: Hit| OwnHit { ship: self.id(hit.ship), cell: self.board.label(hit.cell), points: hit.points };
        Answer {
            cells: salvo.shots.0.iter().map(|shot| self.board.label(shot.cell)).collect(),
            hit: salvo.hit().iter().filter_map(named).collect(),
            sunk: salvo.sunk().iter().filter_map(named).collect(),
            own_hits: hits(salvo).into_iter().filter(|hit| self.sees(hit.owner)).map(own).collect(),
        }
    }

    /// A salvo of the opening shots, which all go to one cell.
    fn opening_answer(&self, opening: &OpeningSalvo) -> OpeningAnswer {
        let Answer { cells, hit, sunk, own_hits } = self.answer(&opening.salvo);
        let cell = cells.first().copied().unwrap_or_else(|| self.board.label(Cell(0)));
        let ship = self.id(usize::from(opening.salvo.ship));
        OpeningAnswer { seat: opening.seat, ship, cell, hit, sunk, own_hits }
    }

    /// A move in its owner's view.
    fn whole_move(&self, moved: &Moved) -> MoveAnswer {
        MoveAnswer {
            order: Default::default(),
            ship: self.id(usize::from(moved.ship)),
            steps: Some(moved.steps_made().to_vec()),
            to: Some(self.board.label(moved.to(self.board))),
            blocked_at: moved.stopped_at(self.board).map(|cell| self.board.label(cell)),
        }
    }

    /// The posted part of a move: the steps made, never that something stopped the ship. A ship that made no step is
    /// not posted, since a move of no steps would tell that a neighbouring cell is taken.
    fn posted_move(&self, moved: &Moved) -> Option<MoveAnswer> {
        let what = self.rules.moves_posted;
        let posted = what != MovesPosted::Nothing && !moved.steps_made().is_empty();
        posted.then(|| MoveAnswer {
            order: Default::default(),
            ship: self.id(usize::from(moved.ship)),
            steps: (what == MovesPosted::Steps).then(|| moved.steps_made().to_vec()),
            to: None,
            blocked_at: None,
        })
    }

    fn fleet(&self, seat: Seat, revealed: &Revealed) -> RevealedFleet {
        let lies = revealed.first.0.iter().zip(&revealed.last.0).zip(&revealed.armour);
        let fleet = roster::fleet(self.rules.ships(), revealed.nation);
        let class = |ship: usize| self.rules.ships().get(ship).map(|ship| ship.class.id());
        let ships = fleet.zip(lies).map(|(ship, ((first, last), armour))| FloatingShip {
            ship: self.id(ship),
            class: class(ship).unwrap_or(ClassId::literal("")),
            first_cell: self.board.label(Cell(*first)),
            last_cell: self.board.label(Cell(*last)),
            armour: *armour,
        });
        RevealedFleet { seat, ships: ships.collect() }
    }

    fn bared_hits(&self, salvo: &Salvo) -> Vec<RevealedHit> {
        let bare = |hit: Hit| RevealedHit {
            by: self.id(usize::from(salvo.ship)),
            ship: self.id(hit.ship),
            cell: self.board.label(hit.cell),
            points: hit.points,
            sunk: hit.sunk,
        };
        hits(salvo).into_iter().map(bare).collect()
    }

    fn turns_bared(&self, turns: &History) -> Vec<RevealedTurn> {
        let bared_move = |moved: &Moved| RevealedMove {
            ship: self.id(usize::from(moved.ship)),
            from: self.board.label(Cell(moved.from)),
            to: self.board.label(moved.to(self.board)),
            blocked_at: moved.stopped_at(self.board).map(|cell| self.board.label(cell)),
        };
        let turn = |event: Event| match event {
            Event::Opened { salvos } => Some(RevealedTurn {
                seat: None,
                moves: Vec::new(),
                hits: salvos.iter().flat_map(|opening| self.bared_hits(&opening.salvo)).collect(),
            }),
            Event::Ordered { seat, done } => {
                let mut turn = RevealedTurn { seat: Some(seat), moves: Vec::new(), hits: Vec::new() };
                for done in &done {
                    match done {
                        Done::Fired(salvo) => turn.hits.extend(self.bared_hits(salvo)),
                        Done::Moved(moved) => turn.moves.push(bared_move(moved)),
                    }
                }
                Some(turn)
            }
            _ => None,
        };
        turns.turns().filter_map(turn).collect()
    }
}
