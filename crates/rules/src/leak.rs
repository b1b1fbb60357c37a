//! Seven leaks planted on purpose, so that the tests of secrecy can show that they would catch one. Only with the feature
//! `planted-leaks`, and only in a match whose setup asks for it; a build that serves never has it.
//!
//! All enter by the one door: [`crate::disclose()`] gives the opponent's report of a deployment the hidden places, and the view
//! then lets them out in the way that the leak names.
use alloc::{format, vec::Vec};

use crate::{
    families::{self, gunnery},
    grid::{Board, Cell},
    illegal::Illegal,
    setup::Setup,
    text::{Label, ShipId},
    view::{SeaView, View},
};

/// The way a leak lets the secret out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leak {
    /// A field of a ship that the viewer does not see is filled in.
    Field,
    /// The text of a refusal depends on what is hidden.
    Error,
    /// The number of reports depends on what is hidden.
    Count,
    /// The `ETag` depends on what is hidden ([`View::etag_salt`]).
    ETag,
    /// The ships are listed in an order that depends on where they lie.
    Order,
    /// A ship's id depends on where it lies.
    Id,
    /// The targets offered leave out a cell because of what is hidden.
    LegalMoves,
}

impl Leak {
    /// All seven.
    pub const ALL: [Self; 7] =
        [Self::Field, Self::Error, Self::Count, Self::ETag, Self::Order, Self::Id, Self::LegalMoves];
}

/// Where a hidden fleet was deployed, by the number of its owner's seat.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaked {
    leak: Leak,
    owner: u8,
    first_cells: Vec<Cell>,
}

/// The report with the secret put in, if the match has a leak and the viewer is not the owner.
pub(crate) fn planted(setup: &Setup, event: &families::Event, report: families::Report) -> families::Report {
    let (Some(leak), families::Event::Gunnery(gunnery::event::Event::Deployed { seat, fleet })) = (setup.leak, event)
    else {
        return report;
    };
    match report {
        families::Report::Gunnery(gunnery::report::Report::Deployed(mut told)) if told.ships.is_none() => {
            let first_cells = fleet.0.iter().map(|place| place.first).collect();
            told.leaked = Some(Leaked { leak, owner: seat.0, first_cells });
            families::Report::Gunnery(gunnery::report::Report::Deployed(told))
        }
        report => report,
    }
}

fn leaked(view: &View, leak: Leak) -> Option<&Leaked> {
    let families::Knowledge::Gunnery(known) = view.known();
    known.leaked.as_ref().filter(|leaked| leaked.leak == leak)
}

fn sum(leaked: &Leaked) -> u32 {
    leaked.first_cells.iter().enumerate().map(|(n, cell)| (n as u32 + 1) * u32::from(cell.0)).sum()
}

pub(crate) fn in_count(view: &View) -> u32 {
    leaked(view, Leak::Count).map_or(0, sum)
}

pub(crate) fn in_etag(view: &View) -> Option<u32> {
    leaked(view, Leak::ETag).map(sum)
}

pub(crate) fn in_error(view: &View, mut illegal: Illegal) -> Illegal {
    if let Some(leaked) = leaked(view, Leak::Error) {
        illegal.detail = format!("{} ({})", illegal.detail, sum(leaked));
    }
    illegal
}

pub(crate) fn in_seas(view: &View, mut seas: Vec<SeaView>) -> Vec<SeaView> {
    let families::Knowledge::Gunnery(known) = view.known();
    let Some(leaked) = &known.leaked else { return seas };
    let families::RuleSet::Gunnery(rules) = &*view.setup().rules;
    let label = |cell: &Cell| rules.board.label(*cell);
    for sea in seas.iter_mut().filter(|sea| sea.owner.is_some_and(|owner| owner.0 == leaked.owner)) {
        match leaked.leak {
            Leak::Field => {
                for (ship, cell) in sea.ships.iter_mut().zip(&leaked.first_cells) {
                    ship.cells = Some(Vec::from([label(cell)]));
                }
            }
            Leak::Id => {
                for (ship, cell) in sea.ships.iter_mut().zip(&leaked.first_cells) {
                    ship.id = ShipId::cut(format_args!("{}-{}", ship.class, cell.0));
                }
            }
            Leak::Order => {
                let mut order: Vec<_> = leaked.first_cells.iter().zip(core::mem::take(&mut sea.ships)).collect();
                order.sort_by_key(|(cell, _)| **cell);
                sea.ships = order.into_iter().map(|(_, ship)| ship).collect();
            }
            _ => {}
        }
    }
    seas
}

/// Is this target left out because of what is hidden?
pub(crate) fn hides_target(leaked: Option<&Leaked>, board: Board, label: &Label) -> bool {
    leaked.is_some_and(|leaked| {
        leaked.leak == Leak::LegalMoves && leaked.first_cells.iter().any(|cell| board.label(*cell) == *label)
    })
}
