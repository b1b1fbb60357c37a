//! The figures in the report of a salvo, under any disclosure rules.
use super::report::{Answer, FiredReport, ShotAnswer};

/// The conclusion for each shot of a salvo with one answer: the answer itself if there was one shot; a miss if none
/// struck a ship.
pub(super) fn concluded(report: &FiredReport) -> Option<Answer> {
    let best = report.answer?;
    match report.shots.len() {
        1 => Some(best),
        _ => (best < Answer::Hit).then_some(Answer::Miss),
    }
}

/// The number of hits told; at least one where a salvo with one answer hit.
pub(super) fn hits_told(report: &FiredReport) -> u16 {
    let by_shot = report.shots.iter().filter(|shot| struck(shot)).count() as u16;
    match (report.hits, &report.hits_by_class, report.answer) {
        (Some(hits), _, _) => u16::from(hits),
        (None, Some(by_class), _) => by_class.iter().map(|class| u16::from(class.hits)).sum(),
        (None, None, Some(best)) => by_shot.max(u16::from(best >= Answer::Hit)),
        (None, None, None) => by_shot,
    }
}

pub(super) fn struck(shot: &ShotAnswer) -> bool {
    matches!(shot.answer, Some(Answer::Hit | Answer::Sunk))
}
