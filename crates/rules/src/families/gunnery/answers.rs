//! A viewer's conclusions from the answers to a salvo, beyond those for each cell.
use super::{
    clue,
    knowledge::Known,
    report::{Answer, FiredReport},
    rules::{Rules, SalvoReporting, Ship, Sinkings},
};
use crate::grid::{Cell, CellSet};

impl Known {
    /// Takes in the public sinkings. (The target sees more of its own ships, but needs no count.)
    pub(super) fn learn_sinkings(&mut self, rules: &Rules, report: &FiredReport) {
        if rules.sinkings() == Sinkings::Silent {
            return;
        }
        let by_shot = || report.shots.iter().filter(|shot| shot.answer == Some(Answer::Sunk));
        self.sunk_in_all += match (report.sunk, &report.sunk_by_class, report.answer) {
            (Some(sunk), _, _) => u16::from(sunk),
            (None, Some(by_class), _) => by_class.iter().map(|class| u16::from(class.sunk)).sum(),
            (None, None, Some(best)) => u16::from(best == Answer::Sunk),
            (None, None, None) => by_shot().count() as u16,
        };
        if rules.sinkings() != Sinkings::Named {
            return;
        }
        for told in report.sunk_by_class.iter().flatten() {
            if let Some(class) = rules.class_index(&told.class) {
                self.sunk[class] += told.sunk;
            }
        }
        if rules.report == SalvoReporting::PerShot {
            for class in by_shot().filter_map(|shot| rules.class_index(shot.class.as_deref()?)) {
                self.sunk[class] += 1;
            }
        }
    }

    /// Is a ship afloat that the viewer does not see? If sinkings are announced without the class, it is known only
    /// before the first of them, or if only one class can be sunk.
    pub(super) fn is_afloat(&self, rules: &Rules, ship: Ship) -> Option<bool> {
        let of_class = match rules.sinkings() {
            Sinkings::Silent => return None,
            Sinkings::Named => u16::from(self.sunk[usize::from(ship.class)]),
            Sinkings::Announced if self.sunk_in_all == 0 => 0,
            Sinkings::Announced if self.is_of_one_class() && rules.report != SalvoReporting::PerSalvo => {
                self.sunk_in_all
            }
            Sinkings::Announced => return None,
        };
        // Ships of one class are counted off; a team's sunk ships can be assigned to seats only if all or none are
        // sunk.
        let owners = self.fleet.iter().any(|other| other.seat != ship.seat);
        match of_class {
            _ if !owners => Some(u16::from(ship.nth) > of_class),
            0 => Some(true),
            _ => (usize::from(of_class) >= self.of_class(ship.class)).then_some(false),
        }
    }

    pub(super) fn of_class(&self, class: u8) -> usize {
        self.fleet.iter().filter(|ship| ship.class == class).count()
    }

    fn is_of_one_class(&self) -> bool {
        self.fleet.iter().all(|ship| Some(ship.class) == self.fleet.first().map(|first| first.class))
    }

    /// Takes in the number in a cell's answer, if it has one.
    pub(super) fn learn_clue(&mut self, rules: &Rules, land: &CellSet, cell: Cell, number: Option<u8>) {
        let (Some(number), Some(clue)) = (number, self.clues.get_mut(cell.index())) else { return };
        *clue = Some(number);
        self.exclude(rules, land, cell, number);
    }

    /// Repeats the conclusions from the numbers after the marks were reset.
    pub(super) fn exclude_again(&mut self, rules: &Rules, land: &CellSet) {
        for index in 0..self.clues.len() {
            if let Some(number) = self.clues[index] {
                self.exclude(rules, land, Cell(index as u16), number);
            }
        }
    }

    /// Marks the cells that are empty by a number, unless a ship may have moved there since.
    fn exclude(&mut self, rules: &Rules, land: &CellSet, cell: Cell, number: u8) {
        if rules.relocates() {
            return;
        }
        for empty in clue::empty(rules.clue, rules.board, cell, number) {
            if !land.contains(empty) {
                self.marks.exclude(empty);
            }
        }
    }
}
