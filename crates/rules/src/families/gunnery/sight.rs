//! A viewer's presentation of one sea: marks and ships, from the viewer's knowledge.
use alloc::vec::Vec;

use super::{
    knowledge::Known,
    mark::Mark,
    rules::{Rules, SalvoReporting, Ship, Sinkings},
    seating::Seating,
};
use crate::{
    grid::Cell,
    view_model::{MarkKind, MarkView, SeaView, ShipView},
};

impl Known {
    pub(super) fn render(&self, rules: &Rules, seating: Seating, sea: usize) -> SeaView {
        let mark = |(cell, mark): (Cell, Mark)| {
            let clue = self.clues.get(cell.index()).copied().flatten();
            let count = clue.or_else(|| self.sightings.number(cell));
            let lies_here = self.mines.contains(cell).then_some(MarkKind::Mine);
            let found = [
                (self.sightings.is_seen(cell), MarkKind::Seen),
                (self.sightings.is_empty(cell), MarkKind::Excluded),
                (count.is_some(), MarkKind::Aimed),
            ];
            let found = found.into_iter().find(|(is, _)| *is).map(|(_, kind)| kind);
            let kind = lies_here.or_else(|| mark.kind()).or(found)?;
            let class = mark.class().map(|class| rules.fleet[usize::from(class)].class);
            Some(MarkView { cell: rules.board.label(cell), kind, class, count })
        };
        SeaView {
            id: seating.id(sea).as_str(),
            owner: Some(seating.owner(sea)),
            owners: seating.sharing(sea),
            hits: self.hits,
            sunk: (rules.sinkings() == Sinkings::Announced).then_some(self.sunk_in_all),
            marks: self.marks.iter().filter_map(mark).collect(),
            ships: self.render_ships(rules),
            supplies: Vec::new(),
        }
    }

    fn render_ships(&self, rules: &Rules) -> Vec<ShipView> {
        let ship = |(number, ship): (usize, Ship)| {
            let class = &rules.fleet[usize::from(ship.class)];
            let mut view = ShipView {
                id: rules.ship_id(ship),
                seat: ship.seat,
                class: class.class,
                name: class.name.clone(),
                length: class.length,
                cells: None,
                hits: None,
                afloat: None,
                stats: Vec::new(),
                traits: Vec::new(),
            };
            if let Some(Some(place)) = self.places.get(number) {
                let left = self.left.contains(ship.seat);
                let hits = if left { self.hits_on_left(rules, number) } else { self.hits_on(rules, ship, *place) };
                view.cells = Some(rules.cells(ship, *place).map(|cell| rules.board.label(cell)).collect());
                view.hits = Some(u16::from(hits));
                view.afloat = Some(!rules.sinking || hits < ship.length);
            } else {
                self.render_unseen(rules, ship, &mut view);
            }
            if self.left.contains(ship.seat) {
                view.afloat = Some(false);
            }
            view
        };
        self.fleet.iter().copied().enumerate().map(ship).collect()
    }

    /// A ship that the viewer does not see: only the reports on its class.
    fn render_unseen(&self, rules: &Rules, ship: Ship, view: &mut ShipView) {
        let class = usize::from(ship.class);
        let named =
            rules.report == SalvoReporting::TallyPerShip || rules.report == SalvoReporting::PerShot && rules.names_hit;
        if named && self.of_class(ship.class) == 1 {
            view.hits = Some(self.hits_by_class[class]);
        }
        view.afloat = self.is_afloat(rules, ship);
        if view.afloat == Some(false) {
            view.hits = Some(u16::from(ship.length));
        }
    }
}
