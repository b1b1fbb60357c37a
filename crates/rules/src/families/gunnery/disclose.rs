//! The disclosure of this family's events to each viewer: the only way out of its secrets. To review secrecy is to read
//! this file.
use alloc::{vec, vec::Vec};

use super::{
    Gunnery,
    action::ShipPlace,
    event::{Cells, Clues, Event, GIVE_UP, Next, Revealed, Shot, Struck},
    fleet::Placement,
    mines::Owed,
    report::{
        Answer, ClassHits, ClassSunk, DeployedReport, DeployedTag, FiredReport, FiredTag, GaveUpReport, GaveUpTag,
        IslandsDrawnReport, IslandsDrawnTag, NextAction, NextTurn, RelocatedReport, RelocatedTag, Report,
        RevealedReport, RevealedSea, RevealedShip, RevealedTag, ScannedReport, ScannedTag, ShotAnswer, WeaponUse,
        WithdrawnReport, WithdrawnTag,
    },
    rules::{Rules, SalvoReporting, Ship, Sinkings},
    seating::Seating,
    using::{Found, Used},
};
use crate::{
    families::family,
    seat::{Seat, SeatSet, Viewer},
    text::{ClassId, Label},
    time::Time,
};

/// Numbers and times are set when a report is given to its viewer.
const UNNUMBERED: u32 = 0;
const UNTIMED: Time = Time(0);

impl family::Disclosure for Gunnery {
    fn disclose(rules: &Rules, seats: u8, event: &Event, viewer: Viewer) -> Report {
        let seating = Seating::new(rules, seats);
        match event {
            // The owner and the allies learn the positions of the ships; all others, that they are placed.
            Event::Deployed { seat, fleet, mines } => {
                let owner = is_allied(seating, viewer, *seat);
                Report::Deployed(DeployedReport {
                    r#type: DeployedTag::Value,
                    number: UNNUMBERED,
                    at: UNTIMED,
                    seat: *seat,
                    ships: owner.then(|| places(rules, *seat, fleet.0.iter().copied().enumerate())),
                    mines: mines.filter(|_| owner).map(|mines| cells(rules, mines)),
                })
            }
            Event::Fired { seat, salvo, next, target, owed, out, round, clues, weapon } => {
                let (seat, next, target, owed, out, round) = (*seat, *next, *target, *owed, *out, *round);
                let weapon = weapon.map(|used| used_so(rules, used));
                let fired = Fired { seat, shots: salvo.shots(), next, target, owed, out, round, clues, weapon };
                Report::Fired(fired.told(rules, seating, viewer))
            }
            // A weapon's findings are public.
            Event::Scanned { seat, weapon, found, target, next, out, round } => Report::Scanned(ScannedReport {
                next: next.map(next_turn),
                target: target.map(|sea| seating.id(usize::from(sea))),
                out: *out,
                round: *round,
                ..scanned(rules, *seat, *weapon, *found)
            }),
            // The owner and the allies learn the moves; all others not even whether there were any.
            Event::Relocated { seat, moves, next } => {
                let owner = is_allied(seating, viewer, *seat);
                Report::Relocated(RelocatedReport {
                    r#type: RelocatedTag::Value,
                    number: UNNUMBERED,
                    at: UNTIMED,
                    seat: *seat,
                    ships: owner
                        .then(|| places(rules, *seat, moves.0.iter().map(|(ship, to)| (usize::from(*ship), *to)))),
                    next: next.map(next_turn),
                })
            }
            // Cells are given up in public; the owner knows the whole truth.
            Event::GaveUp { seat, shots, mines, next } => {
                let ships: Vec<Ship> = rules.ships(*seat).collect();
                let own = viewer == Viewer::Seat(*seat);
                let told = |shot: &Shot| {
                    if own { whole_truth(rules, &ships, *shot) } else { as_reported(rules, &ships, *shot) }
                };
                gave_up(rules, *seat, shots.0.iter().map(told).collect(), *mines, *next)
            }
            // Islands are public.
            Event::IslandsDrawn { land } => islands_drawn(rules, *land),
            // Leaving is public; the positions of the ships stay hidden until the end.
            Event::Left { seats, out, next, round } => withdrawn(*seats, *out, *next, *round),
            // The match is over: everybody learns everything.
            Event::Revealed { seas } => laid_open(rules, seating, seas),
        }
    }
}

/// The use of a weapon. (A log never has one that the rules lack.)
fn used_so(rules: &Rules, used: Used) -> WeaponUse {
    let weapon = rules.weapons.get(used.number()).map_or(ClassId::literal(""), |weapon| weapon.weapon);
    WeaponUse { weapon, cell: rules.board.label(used.cell()), direction: used.direction }
}

/// A weapon's findings, without the consequences.
fn scanned(rules: &Rules, seat: Seat, used: Used, found: Found) -> ScannedReport {
    ScannedReport {
        r#type: ScannedTag::Value,
        number: UNNUMBERED,
        at: UNTIMED,
        seat,
        weapon: used_so(rules, used),
        count: if let Found::Number(number) = found { Some(number) } else { None },
        occupied: if let Found::Ships(ships) = found { Some(cells(rules, ships)) } else { None },
        shot_down: found == Found::ShotDown,
        next: None,
        target: None,
        out: None,
        round: None,
    }
}

fn gave_up(rules: &Rules, seat: Seat, shots: Vec<ShotAnswer>, mines: Option<Cells>, next: Option<Next>) -> Report {
    Report::GaveUp(GaveUpReport {
        r#type: GaveUpTag::Value,
        number: UNNUMBERED,
        at: UNTIMED,
        seat,
        shots,
        mines: mines.map_or_else(Vec::new, |mines| cells(rules, mines)),
        next: next.map(next_turn),
    })
}

fn laid_open(rules: &Rules, seating: Seating, seas: &[Revealed]) -> Report {
    let revealed = |(number, sea): (usize, &Revealed)| {
        let ships: Vec<Ship> = rules.ships_in(seating, number).collect();
        revealed(rules, seating, number, &ships, sea)
    };
    Report::Revealed(RevealedReport {
        r#type: RevealedTag::Value,
        number: UNNUMBERED,
        at: UNTIMED,
        seas: seas.iter().enumerate().map(revealed).collect(),
    })
}

fn withdrawn(seats: SeatSet, out: SeatSet, next: Option<Next>, round: Option<u16>) -> Report {
    Report::Withdrawn(WithdrawnReport {
        r#type: WithdrawnTag::Value,
        number: UNNUMBERED,
        at: UNTIMED,
        seats,
        out,
        next: next.map(next_turn),
        round,
    })
}

fn islands_drawn(rules: &Rules, land: Cells) -> Report {
    Report::IslandsDrawn(IslandsDrawnReport {
        r#type: IslandsDrawnTag::Value,
        number: UNNUMBERED,
        at: UNTIMED,
        cells: cells(rules, land),
    })
}

/// Does the viewer play on the side of this seat? Allies see what allies see.
fn is_allied(seating: Seating, viewer: Viewer, seat: Seat) -> bool {
    viewer.seat().is_some_and(|viewer| seating.allied(viewer, seat))
}

/// The salvo of an event.
struct Fired<'e> {
    seat: Seat,
    shots: &'e [Shot],
    next: Option<Next>,
    target: Option<u8>,
    owed: Option<Owed>,
    out: Option<SeatSet>,
    round: Option<u16>,
    clues: &'e Clues,
    weapon: Option<WeaponUse>,
}

impl Fired<'_> {
    /// The target, the owner of the ships, and its allies learn the truth of every shot; all others what the rules
    /// report. Numbers are public.
    fn told(&self, rules: &Rules, seating: Seating, viewer: Viewer) -> FiredReport {
        let sea = seating.target(self.seat, self.target.map(usize::from)).unwrap_or_default();
        // Most shots strike nothing; then no ship is named.
        let struck = self.shots.iter().any(|shot| shot.hit());
        let ships: Vec<Ship> = if struck { rules.ships_in(seating, sea).collect() } else { Vec::new() };
        let own = is_allied(seating, viewer, seating.owner(sea));
        let told = |(n, shot): (usize, &Shot)| {
            let answer = if own { whole_truth(rules, &ships, *shot) } else { as_reported(rules, &ships, *shot) };
            ShotAnswer { clue: self.clues.of(n), ..answer }
        };
        let shots = self.shots;
        let tallied = matches!(rules.report, SalvoReporting::Tally | SalvoReporting::TallyPerShip);
        FiredReport {
            r#type: FiredTag::Value,
            number: UNNUMBERED,
            at: UNTIMED,
            seat: self.seat,
            shots: shots.iter().enumerate().map(told).collect(),
            answer: (rules.report == SalvoReporting::PerSalvo).then(|| best(rules, shots)).flatten(),
            hits: (rules.report == SalvoReporting::Tally).then(|| shots.iter().filter(|shot| shot.hit()).count() as u8),
            hits_by_class: (rules.report == SalvoReporting::TallyPerShip).then(|| hits_by_class(rules, &ships, shots)),
            sunk: (tallied && rules.sinkings() == Sinkings::Announced).then(|| sunk(shots).count() as u8),
            sunk_by_class: (rules.report != SalvoReporting::PerShot && rules.sinkings() == Sinkings::Named)
                .then(|| sunk_by_class(rules, &ships, shots)),
            next: self.next.map(|next| NextTurn { owed: self.owed, ..next_turn(next) }),
            target: self.target.map(|sea| seating.id(usize::from(sea))),
            out: self.out,
            round: self.round,
            weapon: self.weapon,
        }
    }
}

/// A shot as the rules report it to everybody.
fn as_reported(rules: &Rules, ships: &[Ship], shot: Shot) -> ShotAnswer {
    let cell = rules.board.label(shot.cell());
    if rules.report != SalvoReporting::PerShot {
        return ShotAnswer { cell, answer: None, class: None, clue: None };
    }
    let answer = answered(rules, shot);
    let class = match shot.struck() {
        Struck::Ship { ship, .. } => {
            let named = rules.names_hit || answer == Answer::Sunk && rules.sinkings() == Sinkings::Named;
            class_id(rules, ships, ship).filter(|_| named)
        }
        Struck::Nothing | Struck::Near | Struck::Mine => None,
    };
    ShotAnswer { cell, answer: Some(answer), class, clue: None }
}

fn answered(rules: &Rules, shot: Shot) -> Answer {
    match shot.struck() {
        Struck::Nothing => Answer::Miss,
        Struck::Near => Answer::Sighted,
        Struck::Mine => Answer::Mine,
        Struck::Ship { sunk: true, .. } if rules.sinkings() != Sinkings::Silent => Answer::Sunk,
        Struck::Ship { .. } => Answer::Hit,
    }
}

/// The best of the answers to a salvo.
fn best(rules: &Rules, shots: &[Shot]) -> Option<Answer> {
    shots.iter().map(|shot| answered(rules, *shot)).max()
}

/// The truth of a shot: for the target, and for everybody after the end.
fn whole_truth(rules: &Rules, ships: &[Ship], shot: Shot) -> ShotAnswer {
    let (answer, class) = match shot.struck() {
        Struck::Nothing => (Answer::Miss, None),
        Struck::Near => (Answer::Sighted, None),
        Struck::Mine => (Answer::Mine, None),
        Struck::Ship { ship, sunk: true } => (Answer::Sunk, class_id(rules, ships, ship)),
        Struck::Ship { ship, sunk: false } => (Answer::Hit, class_id(rules, ships, ship)),
    };
    ShotAnswer { cell: rules.board.label(shot.cell()), answer: Some(answer), class, clue: None }
}

/// The hits on each class, in the order of the rule set: an order by shot would tell which shot hit.
fn hits_by_class(rules: &Rules, ships: &[Ship], shots: &[Shot]) -> Vec<ClassHits> {
    let mut counts = vec![0; rules.fleet.len()];
    for shot in shots {
        if let Struck::Ship { ship, .. } = shot.struck()
            && let Some(ship) = ships.get(usize::from(ship))
            && let Some(count) = counts.get_mut(usize::from(ship.class))
        {
            *count += 1;
        }
    }
    let told = rules.fleet.iter().zip(counts).filter(|(_, hits)| *hits > 0);
    told.map(|(class, hits)| ClassHits { class: class.class, hits }).collect()
}

fn sunk(shots: &[Shot]) -> impl Iterator<Item = u8> {
    shots.iter().filter_map(|shot| match shot.struck() {
        Struck::Ship { ship, sunk: true } => Some(ship),
        _ => None,
    })
}

/// The sunk ships of each class, in the order of the rule set: an order by shot would tell which shot sank them.
fn sunk_by_class(rules: &Rules, ships: &[Ship], shots: &[Shot]) -> Vec<ClassSunk> {
    let classes = rules.fleet.iter().enumerate().map(|(index, class)| {
        let of_class = sunk(shots).filter_map(|ship| ships.get(usize::from(ship)));
        let of_class = of_class.filter(|ship| usize::from(ship.class) == index);
        ClassSunk { class: class.class, sunk: of_class.count() as u8 }
    });
    classes.filter(|class| class.sunk > 0).collect()
}

fn next_turn(next: Next) -> NextTurn {
    let (action, shots) = match next.shots {
        0 => (NextAction::Relocate, None),
        GIVE_UP => (NextAction::GiveUp, None),
        shots => (NextAction::Fire, Some(shots)),
    };
    NextTurn { seat: next.seat, action, shots, owed: None }
}

/// The class of a ship, by the ship's number in its sea.
fn class_id(rules: &Rules, ships: &[Ship], ship: u8) -> Option<ClassId> {
    ships.get(usize::from(ship)).map(|ship| rules.fleet[usize::from(ship.class)].class)
}

/// A seat's ships by number with their places, as told.
fn places(rules: &Rules, seat: Seat, ships: impl Iterator<Item = (usize, Placement)>) -> Vec<ShipPlace> {
    ships
        .filter_map(|(number, place)| {
            let ship = rules.ships(seat).nth(number)?;
            Some(ShipPlace { ship: rules.ship_id(ship), cells: labels(rules, ship, place) })
        })
        .collect()
}

fn cells(rules: &Rules, cells: Cells) -> Vec<Label> {
    cells.0.iter().map(|cell| rules.board.label(cell)).collect()
}

fn labels(rules: &Rules, ship: Ship, place: Placement) -> Vec<Label> {
    rules.cells(ship, place).map(|cell| rules.board.label(cell)).collect()
}

fn revealed(rules: &Rules, seating: Seating, number: usize, ships: &[Ship], sea: &Revealed) -> RevealedSea {
    let lies = sea.first.0.iter().zip(&sea.last.0);
    let sharing = seating.sharing(number);
    let revealed = sea.ships(ships.iter().copied()).zip(lies).map(|(ship, (first, last))| {
        let still_hit = |shot: &&Shot| {
            matches!(shot.struck(), Struck::Ship { ship: struck, .. } if ships.get(usize::from(struck)) == Some(&ship))
                && rules.cells(ship, *last).any(|cell| cell == shot.cell())
        };
        RevealedShip {
            seat: sharing.map(|_| ship.seat),
            ship: rules.ship_id(ship),
            class: rules.fleet[usize::from(ship.class)].class,
            first_cells: labels(rules, ship, *first),
            last_cells: labels(rules, ship, *last),
            hits: sea.shots.0.iter().filter(still_hit).count() as u8,
        }
    });
    RevealedSea {
        owner: seating.owner(number),
        ships: revealed.collect(),
        mines: sea.mines.map_or_else(Vec::new, |mines| cells(rules, mines)),
        shots: sea.shots.0.iter().map(|shot| whole_truth(rules, ships, *shot)).collect(),
    }
}
