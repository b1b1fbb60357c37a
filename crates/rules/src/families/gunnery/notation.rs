//! The family's reports in words, one line each, to be read aloud. They say what the report says, and no more.
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use super::{
    Gunnery,
    action::ShipPlace,
    report::{Answer, FiredReport, GaveUpReport, Report, RevealedReport, ScannedReport, ShotAnswer, WeaponUse},
    rules::Rules,
};
use crate::{
    families::family,
    seat::{Seat, SeatSet},
    time::Time,
};

impl family::Notation for Gunnery {
    fn head(report: &mut Report) -> (&mut u32, &mut Time) {
        report.head()
    }

    fn line(_rules: &Rules, name: &dyn Fn(Seat) -> &'static str, report: &Report) -> String {
        match report {
            Report::IslandsDrawn(report) => {
                let cells: Vec<&str> = report.cells.iter().map(|cell| cell.as_str()).collect();
                format!("islands at {}", cells.join(" "))
            }
            Report::Deployed(report) => match &report.ships {
                Some(ships) => {
                    let mines: Vec<&str> = report.mines.iter().flatten().map(|cell| cell.as_str()).collect();
                    let mines = if mines.is_empty() { String::new() } else { format!("; mines {}", mines.join(" ")) };
                    format!("{} deploys {}{mines}", name(report.seat), places(ships))
                }
                None => format!("{} has deployed", name(report.seat)),
            },
            Report::Fired(report) => {
                let at = report.target.map_or_else(String::new, |sea| format!("at {} ", sea.as_str()));
                let (told, out) = (salvo(report), gone(name, report.out));
                match report.weapon {
                    Some(weapon) => format!("{} uses {}: {told}{out}", name(report.seat), used(weapon, &at)),
                    None => format!("{} fires {at}{told}{out}", name(report.seat)),
                }
            }
            Report::Scanned(report) => {
                let at = report.target.map_or_else(String::new, |sea| format!("at {} ", sea.as_str()));
                let (weapon, out) = (used(report.weapon, &at), gone(name, report.out));
                format!("{} uses {weapon}: {}{out}", name(report.seat), found(report))
            }
            Report::GaveUp(report) => format!("{} gives up {}", name(report.seat), given(report)),
            Report::Relocated(report) => match report.ships.as_deref() {
                Some([]) => format!("{} relocates nothing", name(report.seat)),
                Some(ships) => format!("{} relocates {}", name(report.seat), places(ships)),
                None => format!("{} has decided where their ships lie", name(report.seat)),
            },
            Report::Withdrawn(report) => {
                let left = format!("the ships of {} leave the sea", listed(name, report.seats));
                format!("{left}{}", gone(name, Some(report.out)))
            }
            Report::Revealed(report) => revealed(name, report),
        }
    }
}

/// A weapon, its aim, and its direction.
fn used(weapon: WeaponUse, at: &str) -> String {
    let way = weapon.direction.map_or_else(String::new, |direction| format!(" {}", direction.as_str()));
    format!("{} {at}{}{way}", weapon.weapon, weapon.cell)
}

fn found(report: &ScannedReport) -> String {
    match (report.shot_down, report.count, report.occupied.as_deref()) {
        (true, ..) => "shot down".to_owned(),
        (_, Some(count), _) => format!("{count}"),
        (_, _, Some([]) | None) => "nothing".to_owned(),
        (_, _, Some(cells)) => {
            let cells: Vec<&str> = cells.iter().map(|cell| cell.as_str()).collect();
            format!("ships {}", cells.join(" "))
        }
    }
}

/// The seats that are out as a result.
fn gone(name: &dyn Fn(Seat) -> &'static str, out: Option<SeatSet>) -> String {
    match out.filter(|out| !out.is_empty()) {
        Some(out) => format!("; out: {}", listed(name, out)),
        None => String::new(),
    }
}

fn listed(name: &dyn Fn(Seat) -> &'static str, seats: SeatSet) -> String {
    seats.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn places(ships: &[ShipPlace]) -> String {
    let ship = |ship: &ShipPlace| {
        let cells: Vec<&str> = ship.cells.iter().map(|cell| cell.as_str()).collect();
        format!("{} {}", ship.ship, cells.join(" "))
    };
    ships.iter().map(ship).collect::<Vec<_>>().join("; ")
}

fn salvo(report: &FiredReport) -> String {
    let cells: Vec<&str> = report.shots.iter().map(|shot| shot.cell.as_str()).collect();
    let mut answer = match (report.hits, &report.hits_by_class, report.answer) {
        (Some(hits), _, _) => counted(u32::from(hits)),
        (None, Some(classes), _) => {
            let told: Vec<String> = classes.iter().map(|class| format!("{} {}", class.class, class.hits)).collect();
            let hits = counted(classes.iter().map(|class| u32::from(class.hits)).sum());
            if told.is_empty() { hits } else { format!("{hits} ({})", told.join(", ")) }
        }
        (None, None, Some(best)) => word(Some(best)).to_owned(),
        (None, None, None) => report.shots.iter().map(answered).collect::<Vec<_>>().join(", "),
    };
    if let Some(sunk @ 1..) = report.sunk {
        answer.push_str(&format!("; {sunk} sunk"));
    }
    for (nth, told) in report.sunk_by_class.iter().flatten().enumerate() {
        let before = if nth == 0 { "; sunk" } else { "," };
        answer.push_str(&format!("{before} {}", told.class));
        if told.sunk > 1 {
            answer.push_str(&format!(" {}", told.sunk));
        }
    }
    format!("{}: {answer}", cells.join(" "))
}

/// The given cells with their answers, then the mines.
fn given(report: &GaveUpReport) -> String {
    let cells: Vec<String> = report.shots.iter().map(|shot| format!("{}: {}", shot.cell, answered(shot))).collect();
    let mines: Vec<&str> = report.mines.iter().map(|cell| cell.as_str()).collect();
    let mines = if mines.is_empty() { Vec::new() } else { Vec::from([format!("mines {}", mines.join(" "))]) };
    [cells, mines].concat().join(", ")
}

fn counted(hits: u32) -> String {
    match hits {
        0 => "no hits".to_owned(),
        1 => "1 hit".to_owned(),
        n => format!("{n} hits"),
    }
}

fn answered(shot: &ShotAnswer) -> String {
    let mut answer = word(shot.answer).to_owned();
    if let Some(clue) = shot.clue {
        answer.push_str(&format!(" {clue}"));
    }
    match shot.class {
        None => answer,
        Some(class) => format!("{answer} {class}"),
    }
}

const fn word(answer: Option<Answer>) -> &'static str {
    match answer {
        None => "no answer",
        Some(Answer::Miss) => "miss",
        Some(Answer::Sighted) => "sighted",
        Some(Answer::Mine) => "mine",
        Some(Answer::Hit) => "hit",
        Some(Answer::Sunk) => "sunk",
    }
}

fn revealed(name: &dyn Fn(Seat) -> &'static str, report: &RevealedReport) -> String {
    let sea = |sea: &super::report::RevealedSea| {
        let ships: Vec<ShipPlace> =
            sea.ships.iter().map(|ship| ShipPlace { ship: ship.ship, cells: ship.last_cells.clone() }).collect();
        format!("{} lay at {}", name(sea.owner), places(&ships))
    };
    report.seas.iter().filter(|sea| !sea.ships.is_empty()).map(sea).collect::<Vec<_>>().join(" | ")
}
