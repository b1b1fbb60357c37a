//! The family's reports in words, one line each, to be read aloud. They say what the report says, and no more.
use alloc::{format, string::String, vec::Vec};

use super::{
    Depths,
    report::{ChargeAnswer, ChargedReport, DepthsRevealedSea, Report},
    rules::Rules,
};
use crate::{families::family, seat::Seat, text::Label, time::Time};

impl family::Notation for Depths {
    fn head(report: &mut Report) -> (&mut u32, &mut Time) {
        report.head()
    }

    fn line(_rules: &Rules, name: &dyn Fn(Seat) -> &'static str, report: &Report) -> String {
        match report {
            Report::Deployed(report) => match (&report.submarines, report.mine) {
                (Some(submarines), Some(mine)) => {
                    format!("{} deploys {} mine {mine}", name(report.seat), joined(submarines))
                }
                _ => format!("{} has deployed", name(report.seat)),
            },
            Report::Moved(report) => {
                let mine = if report.mine { ": mine" } else { "" };
                format!("{} moves {} {}{mine}", name(report.seat), report.ship, joined(&report.path))
            }
            Report::Charged(report) => charged(name, report),
            Report::Torpedoed(report) => {
                let result = if report.hit { "hit" } else { "miss" };
                format!("{} torpedoes {} {}: {result}", name(report.seat), report.target, report.line)
            }
            Report::TurnEnded(report) => format!("{} ends turn", name(report.seat)),
            Report::Revealed(report) => {
                let deployed = report.seas.iter().filter(|sea| sea.mine.is_some());
                deployed.map(|sea| revealed(name, sea)).collect::<Vec<_>>().join(" | ")
            }
        }
    }
}

fn joined(labels: &[Label]) -> String {
    labels.iter().map(|label| label.as_str()).collect::<Vec<_>>().join(" ")
}

fn charged(name: &dyn Fn(Seat) -> &'static str, report: &ChargedReport) -> String {
    let depth = report.cell.split_once('@').map_or("", |(_, depth)| depth);
    let answer = match (report.answer, report.near) {
        (ChargeAnswer::Hit, _) => String::from("hit"),
        (ChargeAnswer::Near, Some(near)) => format!("near {near}"),
        (ChargeAnswer::Near, None) => String::from("near"),
        (ChargeAnswer::Miss, _) => String::from("miss"),
    };
    format!("{} charges {} {depth}: {answer}", name(report.seat), report.ship)
}

fn revealed(name: &dyn Fn(Seat) -> &'static str, sea: &DepthsRevealedSea) -> String {
    let cells: Vec<Label> = sea.submarines.iter().map(|submarine| submarine.cell).collect();
    let mine = sea.mine.map_or(String::new(), |mine| format!(", mine at {mine}"));
    format!("{} lay at {}{mine}", name(sea.owner), joined(&cells))
}
