//! The legality of an action, judged by the viewer's view alone, so that no refusal can depend on a secret.
use crate::{
    action::{Action, TableAction},
    illegal::Illegal,
    outcome::Status,
    view::View,
};

/// Checks an action of the view's viewer.
///
/// # Errors
/// Every fault. A failure due to something hidden is never an error: it is a result.
pub fn legal(view: &View, action: &Action) -> Result<(), Illegal> {
    let table = view.table();
    let seat = view.viewer().seat().ok_or_else(|| Illegal::new("not-a-player", "You have no seat in this match."))?;
    if table.status.is_over() {
        return Err(Illegal::new("match-over", "The match has ended."));
    }
    if table.out.contains(seat) {
        return Err(Illegal::new("seat-out", "You are out of this match; the others play on."));
    }
    match action {
        Action::Table(TableAction::Resign(_)) => Ok(()),
        Action::Table(TableAction::EndArmistice(_)) if table.status != Status::Armistice => {
            Err(Illegal::new("no-armistice", "There is no armistice to end."))
        }
        Action::Table(TableAction::EndArmistice(_)) if table.agrees_to_end(seat) => {
            Err(Illegal::new("armistice-end-already-agreed", "You have agreed to end it; now the others have to."))
        }
        Action::Table(TableAction::EndArmistice(_)) => Ok(()),
        Action::Table(TableAction::CallArmistice(_)) if table.has_called(seat) => {
            Err(Illegal::new("armistice-already-called", "Each seat may call one armistice in a match."))
        }
        Action::Table(TableAction::CallArmistice(_)) if table.status == Status::Playing => Ok(()),
        Action::Table(TableAction::CallArmistice(_)) => {
            Err(Illegal::new("wrong-phase", "An armistice can be called while the battle is on."))
        }
        Action::Table(TableAction::Abort(_)) if view.setup().seats > 2 => Err(Illegal::new(
            "abort-needs-two-seats",
            "One of many cannot call a match off for all; resign, and the others play on.",
        )),
        Action::Table(TableAction::Abort(_)) if !view.setup().may_abort => Err(Illegal::new(
            "abort-in-contest",
            "A match of a ladder or a tournament cannot be called off; resign, or offer a draw.",
        )),
        Action::Table(TableAction::Abort(_)) if table.fired => {
            Err(Illegal::new("too-late-to-abort", "The battle has begun; resign, or offer a draw."))
        }
        Action::Table(TableAction::Abort(_)) => Ok(()),
        Action::Table(TableAction::OfferDraw(_)) if table.status != Status::Playing => {
            Err(Illegal::new("wrong-phase", "A draw can be offered once the battle has begun."))
        }
        Action::Table(TableAction::OfferDraw(_)) if table.offer.is_some_and(|by| by != seat) => {
            Err(Illegal::new("draw-already-offered", "A draw is on offer already: accept or decline it."))
        }
        Action::Table(TableAction::OfferDraw(_)) if table.offered.contains(seat) => Err(Illegal::new(
            "draw-already-offered",
            "You have offered a draw since you last played; play once before you offer again.",
        )),
        Action::Table(TableAction::OfferDraw(_)) => Ok(()),
        Action::Table(TableAction::AcceptDraw(_) | TableAction::DeclineDraw(_)) => match table.offer {
            Some(_) if !table.agrees(seat) => Ok(()),
            _ => Err(Illegal::new("draw-not-offered", "No draw is on offer that you have not agreed to.")),
        },
        Action::Auto(_) | Action::Family(_) if table.status == Status::Armistice => {
            Err(Illegal::new("armistice-running", "There is an armistice: nobody plays until it ends."))
        }
        Action::Auto(_) => table.may_deploy(seat),
        Action::Family(action) => view.known().legal(&view.setup().rules, table, seat, action),
    }
}
