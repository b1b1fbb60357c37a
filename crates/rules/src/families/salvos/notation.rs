//! The family's reports in words, one line each, to be read aloud. They say what the report says, and no more.
use alloc::{format, string::String, vec::Vec};

use super::{
    Salvos,
    action::ShipCell,
    report::{OpenedReport, OrderAnswer, OrderedReport, Report, SalvosRevealedReport, ShipNamed},
    rules::Rules,
};
use crate::{families::family, seat::Seat, text::Label, time::Time};

impl family::Notation for Salvos {
    fn head(report: &mut Report) -> (&mut u32, &mut Time) {
        report.head()
    }

    fn line(_rules: &Rules, name: &dyn Fn(Seat) -> &'static str, report: &Report) -> String {
        match report {
            Report::BandsDrawn(report) => {
                format!("the bands from the top: {}", names(name, report.bands.iter().copied()))
            }
            Report::Deployed(report) => match &report.ships {
                Some(ships) => format!("{} deploys {}", name(report.seat), places(ships)),
                None => format!("{} has deployed", name(report.seat)),
            },
            Report::Settled(report) if report.ships.is_empty() => String::from("all fleets are placed"),
            Report::Settled(report) => format!("parted from others: {}", places(&report.ships)),
            Report::Aimed(report) => match (report.ship, report.cell) {
                (Some(ship), Some(cell)) => format!("{} opens {ship} {cell}", name(report.seat)),
                _ => format!("{} has aimed", name(report.seat)),
            },
            Report::Opened(report) => opened(report),
            Report::Ordered(report) => ordered(name, report),
            Report::Left(report) => format!("the ships of {} leave the sea", names(name, report.seats.iter())),
            Report::Revealed(report) => revealed(name, report),
        }
    }
}

fn names(name: &dyn Fn(Seat) -> &'static str, seats: impl Iterator<Item = Seat>) -> String {
    seats.map(name).collect::<Vec<_>>().join(", ")
}

fn places(ships: &[ShipCell]) -> String {
    ships.iter().map(|place| format!("{} {}", place.ship, place.cell)).collect::<Vec<_>>().join("; ")
}

fn ids(ships: &[ShipNamed]) -> String {
    ships.iter().map(|ship| String::from(ship.ship.as_str())).collect::<Vec<_>>().join(", ")
}

fn labels(cells: &[Label]) -> String {
    cells.iter().map(Label::as_str).collect::<Vec<_>>().join(" ")
}

/// The answer to one ship's salvo, in the words of the golden games.
fn answered(ship: &str, hit: &[ShipNamed], sunk: &[ShipNamed], answers: &mut Vec<String>) {
    if !hit.is_empty() {
        answers.push(format!("{ship} hits {}", ids(hit)));
    }
    if !sunk.is_empty() {
        answers.push(format!("{ship} sinks {}", ids(sunk)));
    }
}

fn concluded(done: &[String], answers: &[String]) -> String {
    let answers = if answers.is_empty() { "nothing".into() } else { answers.join("; ") };
    format!("{}: {answers}", done.join("; "))
}

fn opened(report: &OpenedReport) -> String {
    let (mut done, mut answers) = (Vec::new(), Vec::new());
    for salvo in &report.salvos {
        done.push(format!("{} fires {}", salvo.ship, salvo.cell));
        answered(&salvo.ship, &salvo.hit, &salvo.sunk, &mut answers);
    }
    format!("posted: {}", concluded(&done, &answers))
}

fn ordered(name: &dyn Fn(Seat) -> &'static str, report: &OrderedReport) -> String {
    let (mut done, mut answers) = (Vec::new(), Vec::new());
    for order in &report.orders {
        match order {
            OrderAnswer::Fire(fire) => {
                done.push(format!("{} fires {}", fire.ship, labels(&fire.cells)));
                answered(&fire.ship, &fire.hit, &fire.sunk, &mut answers);
            }
            OrderAnswer::Move(told) => {
                let steps = told.steps.as_deref().unwrap_or_default();
                let names: Vec<&str> = steps.iter().map(|step| step.name()).collect();
                done.push(format!("{} moves {}", told.ship, names.join(" ")).trim_end().into());
                if told.blocked_at.is_some() {
                    let plural = if steps.len() == 1 { "" } else { "s" };
                    answers.push(format!("{} stops after {} step{plural}", told.ship, steps.len()));
                }
            }
        }
    }
    if done.is_empty() {
        return format!("{}: nothing is posted", name(report.seat));
    }
    format!("{} orders {}", name(report.seat), concluded(&done, &answers))
}

fn revealed(name: &dyn Fn(Seat) -> &'static str, report: &SalvosRevealedReport) -> String {
    let fleet = |fleet: &super::report::RevealedFleet| {
        let ships: Vec<ShipCell> =
            fleet.ships.iter().map(|ship| ShipCell { ship: ship.ship, cell: ship.last_cell }).collect();
        format!("{} stood at {}", name(fleet.seat), places(&ships))
    };
    report.fleets.iter().filter(|fleet| !fleet.ships.is_empty()).map(fleet).collect::<Vec<_>>().join(" | ")
}
