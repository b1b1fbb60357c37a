//! The compact text form of a record: one line a turn, to be read aloud. It has the viewer's reports and no more; the
//! JSON form is the proof.
use alloc::{format, string::String, vec::Vec};

use super::Header;
use crate::{
    disclose::disclose,
    event::{Event, TableEvent},
    log::Entry,
    seat::{Seat, Viewer},
    setup::Setup,
    view::View,
};

/// The match in words as this viewer knows it. `names` has the known names of the players by seat; the record itself
/// has only accounts, which outlive names.
#[must_use]
pub fn text(header: &Header, setup: &Setup, entries: &[Entry], viewer: Viewer, names: &[&str]) -> String {
    let mut view = View::new(setup, viewer);
    let mut lines = heading(header, names);
    let mut told = 0;
    for entry in entries {
        for event in &entry.events {
            let Some(report) = disclose(setup, event, viewer) else { continue };
            let report = report.stamped(view.version() + 1, entry.at);
            view.learn(&report, entry.at);
            // Commitments are for programs, in the JSON form.
            if matches!(event, Event::Table(TableEvent::Sealed { .. })) {
                continue;
            }
            let seats = view.seats();
            let name = |seat: Seat| seats.get(seat.index()).map_or("nobody", |seat| seat.name);
            told += 1;
            lines.push(format!("{told}. {}", report.line(setup, &name)));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn heading(header: &Header, names: &[&str]) -> Vec<String> {
    let seats = header.seats.iter().map(|seat| match names.get(seat.seat.index()) {
        Some(name) if !name.is_empty() => format!("seat {}: {name} ({})", seat.seat.0, seat.player),
        _ => format!("seat {}: {}", seat.seat.0, seat.player),
    });
    let rated = if header.rated { "rated" } else { "unrated" };
    let mut lines = Vec::from([
        format!("# {} {}, {rated}, made at {}", header.variant, header.match_id, header.created_at),
        format!("# rules {}", header.rule_set_hash),
    ]);
    lines.extend(seats.map(|seat| format!("# {seat}")));
    lines
}
