//! Seven leaks planted on purpose, so that the tests of secrecy can show that they would catch one. Only with the feature
//! `planted-leaks`, and only in a match whose setup asks for it; a build that serves never has it.
//!
//! All enter by the one door: [`crate::disclose()`] gives everybody's report of a deployment the hidden places, and the view then
//! lets them out in the way that the leak names.
use alloc::{format, vec::Vec};

use serde::Serialize;

use crate::{
    decision::Decision,
    event::Event,
    families,
    illegal::Illegal,
    report::Report,
    seat::{Seat, Viewer},
    setup::Setup,
    shown::{SeaView, ShipView},
    text::{Label, ShipId},
    view::View,
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
    /// The decisions offered leave one out because of what is hidden.
    LegalMoves,
}

impl Leak {
    /// All seven.
    pub const ALL: [Self; 7] =
        [Self::Field, Self::Error, Self::Count, Self::ETag, Self::Order, Self::Id, Self::LegalMoves];
}

/// Where a hidden fleet was deployed, ship by ship.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaked {
    leak: Leak,
    owner: Seat,
    places: Vec<Label>,
}

/// A report of a deployment that carries what it should not.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Leaking {
    /// The report as it should be.
    #[serde(flatten)]
    pub(crate) report: families::Report,
    #[serde(skip)]
    pub(crate) leaked: Leaked,
}

/// The report with the secret put in, if the match has a leak and the viewer is not the owner.
pub(crate) fn planted(setup: &Setup, event: &Event, viewer: Viewer, report: families::Report) -> Report {
    let hidden = match (setup.leak, event) {
        (Some(leak), Event::Family(event)) => event.hidden(&setup.rules, setup.seats).map(|hidden| (leak, hidden)),
        _ => None,
    };
    match hidden {
        Some((leak, (owner, places))) if viewer != Viewer::Seat(owner) => {
            Report::Leaking(Leaking { report, leaked: Leaked { leak, owner, places } })
        }
        _ => Report::Family(report),
    }
}

fn leaked(view: &View, leak: Leak) -> Option<&Leaked> {
    view.leaked().filter(|leaked| leaked.leak == leak)
}

fn sum(leaked: &Leaked) -> u32 {
    let bytes = leaked.places.iter().flat_map(|label| label.bytes());
    bytes.enumerate().map(|(n, byte)| (n as u32 + 1) * u32::from(byte)).sum()
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

pub(crate) fn in_decisions(view: &View, mut decisions: Vec<Decision>) -> Vec<Decision> {
    if leaked(view, Leak::LegalMoves).is_some_and(|leaked| sum(leaked) % 2 == 1) {
        decisions.pop();
    }
    decisions
}

pub(crate) fn in_seas(view: &View, mut seas: Vec<SeaView>) -> Vec<SeaView> {
    let Some(leaked) = view.leaked() else { return seas };
    for sea in &mut seas {
        let mut hidden: Vec<&mut ShipView> =
            sea.ships.iter_mut().filter(|ship| ship.seat == leaked.owner && ship.cells.is_none()).collect();
        match leaked.leak {
            Leak::Field => {
                for (ship, place) in hidden.into_iter().zip(&leaked.places) {
                    ship.cells = Some(Vec::from([*place]));
                }
            }
            Leak::Id => {
                for (ship, place) in hidden.into_iter().zip(&leaked.places) {
                    ship.id = ShipId::cut(format_args!("{}-{place}", ship.class));
                }
            }
            Leak::Order => {
                let mut order: Vec<(Label, ShipView)> =
                    leaked.places.iter().copied().zip(hidden.iter().map(|ship| (**ship).clone())).collect();
                order.sort_by_key(|(place, _)| *place);
                for (ship, (_, other)) in hidden.iter_mut().zip(order) {
                    **ship = other;
                }
            }
            _ => {}
        }
    }
    seas
}
