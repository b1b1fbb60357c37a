//! A player of the duels with the guns, the same for both seats. For each untried cell it counts the possible ways of
//! ships that may still be afloat, where a way over known hits counts more, and fires at the highest counts. It uses
//! special weapons as soon as possible, where they reach most of that. It sees only a view.
use broadside_rules::{
    Action, Decision, Dice, RuleSet, Seat, View,
    card::{Offset, Orientation},
    families::{
        self,
        gunnery::{
            Rules,
            action::Action as GunneryAction,
            arsenal::UseWeaponDecision,
            decision::{Decision as GunneryDecision, FireDecision},
            report::{FiredReport, Report},
            rules::Border,
        },
    },
    grid::{Board, Cell, CellSet},
    text::{ClassId, Label},
    view_model::MarkKind,
};

use super::matches::Hand;

/// The added likelihood of a way for each known hit under it: a cell of the sea holds a ship about once in six times.
const A_HIT: f64 = 6.0;
/// The added likelihood of a ship on a cell beside one from which it was sighted.
const BESIDE: f64 = 2.0;
/// The weight of a cell beside one already chosen for this salvo: two shots at one ship tell less than two at two.
const SPREAD: f64 = 0.5;

pub struct Gunner {
    seat: Seat,
    rules: Rules,
    /// The ways of a ship of each class, by the card.
    ways: Vec<(ClassId, Vec<Vec<Cell>>)>,
    /// The value of a cell where only a tally was told: the share of its salvo's shots that hit.
    tallies: Vec<Option<f64>>,
}

impl Hand for Gunner {
    fn hear(&mut self, _view: &View, report: &families::Report) {
        self.take_in(report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        self.decide(view, dice)
    }
}

impl Gunner {
    pub fn new(seat: Seat, rules: &Rules) -> Self {
        let classes = RuleSet::Gunnery(rules.clone()).classes(broadside_rules::card::Language::English);
        let ways = classes.iter().map(|class| (class.class, ways(rules.board, &class.orientations))).collect();
        Self { seat, rules: rules.clone(), ways, tallies: vec![None; usize::from(rules.board.cells())] }
    }

    fn take_in(&mut self, report: &families::Report) {
        let families::Report::Gunnery(Report::Fired(FiredReport { seat, shots, hits: Some(hits), .. })) = report else {
            return;
        };
        if *seat == self.seat {
            let share = f64::from(*hits) / shots.len() as f64;
            for cell in shots.iter().filter_map(|shot| self.rules.board.parse(&shot.cell)) {
                self.tallies[cell.index()] = Some(share);
            }
        }
    }

    /// The next action. Fleets are placed, and moved, by lot, as in the table's examples.
    fn decide(&self, view: &View, dice: &mut Dice) -> Option<Action> {
        let decisions = view.decisions(dice.bytes());
        // With several enemies there is a decision for each of their seas, chosen by chance.
        let fire = |decision: &Decision| match decision {
            Decision::Family(families::Decision::Gunnery(GunneryDecision::Fire(fire))) => Some(fire.clone()),
            _ => None,
        };
        let seas: Vec<FireDecision> = decisions.iter().filter_map(fire).collect();
        let weapon = |decision: &Decision| match decision {
            Decision::Family(families::Decision::Gunnery(GunneryDecision::UseWeapon(weapon))) => Some(weapon.clone()),
            _ => None,
        };
        let weapons: Vec<UseWeaponDecision> = decisions.iter().filter_map(weapon).collect();
        if let Some(decision) = dice.pick(&weapons) {
            let fire = seas.iter().find(|fire| fire.target == decision.target)?;
            let open = fire.targets.iter().filter_map(|label| self.rules.board.parse(label)).collect();
            return self.use_weapon(view, decision, &open, dice);
        }
        let Some(decision) = dice.pick(&seas) else { return Some(decisions.first()?.example()) };
        let cells = self.aim(view, decision, dice)?;
        Some(Action::Family(families::Action::Gunnery(GunneryAction::fire_at(decision.target, cells))))
    }

    /// The weight of each cell of the target sea for a way over it, and the classes of the ships that may be afloat.
    fn knowledge(&self, view: &View, target: Option<&str>) -> Option<(Vec<f64>, Vec<ClassId>)> {
        let board = self.rules.board;
        let seas = view.seas();
        let sea = seas.iter().find(|sea| match target {
            Some(target) => sea.id == target,
            None => sea.owner != Some(self.seat),
        })?;
        let mut weights = vec![1.0; usize::from(board.cells())];
        for mark in &sea.marks {
            let Some(cell) = board.parse(&mark.cell) else { continue };
            weights[cell.index()] = match mark.kind {
                MarkKind::Hit | MarkKind::Seen => A_HIT,
                MarkKind::Tried => self.tallies[cell.index()].map_or(1.0, |share| A_HIT * share),
                MarkKind::Miss | MarkKind::Sighted | MarkKind::Sunk | MarkKind::Excluded => 0.0,
                MarkKind::Near | MarkKind::Mine | MarkKind::Aimed => continue,
            };
        }
        for mark in sea.marks.iter().filter(|mark| mark.kind == MarkKind::Sighted) {
            let Some(cell) = board.parse(&mark.cell) else { continue };
            board.orthogonal(cell).for_each(|beside| weights[beside.index()] *= BESIDE);
        }
        let afloat = sea.ships.iter().filter(|ship| ship.afloat != Some(false));
        Some((weights, afloat.map(|ship| ship.class).collect()))
    }

    /// The aim of a weapon that reaches most of the ways over cells open to shots.
    fn use_weapon(&self, view: &View, decision: &UseWeaponDecision, open: &CellSet, dice: &mut Dice) -> Option<Action> {
        let board = self.rules.board;
        let weapon = self.rules.weapons.iter().find(|weapon| weapon.weapon == decision.weapon)?;
        let worth = self.worth(view, decision.target.map(|sea| sea.as_str()))?;
        let mut best = (-1.0, decision.example.clone());
        for aim in &decision.aims {
            let mut cells: Vec<Cell> = aim.cells(board).collect();
            dice.shuffle(&mut cells);
            let runs = aim.directions.iter().copied().map(Some);
            let runs: Vec<_> = if aim.directions.is_empty() { vec![None] } else { runs.collect() };
            for (cell, direction) in runs.into_iter().flat_map(|run| cells.iter().map(move |cell| (*cell, run))) {
                let reach = weapon.reach(board, &CellSet::NONE, cell, direction);
                let reach = reach.iter().filter(|cell| open.contains(**cell));
                let sum: f64 = reach.map(|cell| worth[cell.index()]).sum();
                if sum > best.0 {
                    best.0 = sum;
                    (best.1.cell, best.1.direction) = (board.label(cell), direction);
                }
            }
        }
        Some(Action::Family(families::Action::Gunnery(GunneryAction::UseWeapon(best.1))))
    }

    /// The worth of each cell: the weighted ways over it, tried or not.
    fn worth(&self, view: &View, target: Option<&str>) -> Option<Vec<f64>> {
        let board = self.rules.board;
        let (weights, classes) = self.knowledge(view, target)?;
        let mut worth = vec![0.0; usize::from(board.cells())];
        for class in classes {
            for way in self.ways.iter().filter(|(of, _)| *of == class).flat_map(|(_, ways)| ways) {
                let along_the_edge = way.iter().filter(|cell| board.on_edge(**cell)).count() > 1;
                if along_the_edge && self.rules.border == Border::EndOn {
                    continue;
                }
                let likely: f64 = way.iter().map(|cell| weights[cell.index()]).product();
                way.iter().for_each(|cell| worth[cell.index()] += likely);
            }
        }
        Some(worth)
    }

    fn aim(&self, view: &View, decision: &FireDecision, dice: &mut Dice) -> Option<Vec<Label>> {
        let board = self.rules.board;
        let mut worth = self.worth(view, decision.target.map(|sea| sea.as_str()))?;
        // Chance decides among equals.
        let mut targets: Vec<Cell> = decision.targets.iter().filter_map(|label| board.parse(label)).collect();
        dice.shuffle(&mut targets);
        let mut chosen: Vec<Cell> = Vec::new();
        while chosen.len() < usize::from(decision.shots.max) {
            let best = targets.iter().copied().enumerate();
            let best = best.max_by(|(_, a), (_, b)| worth[a.index()].total_cmp(&worth[b.index()]));
            let Some((place, cell)) = best else { break };
            targets.swap_remove(place);
            chosen.push(cell);
            board.orthogonal(cell).for_each(|beside| worth[beside.index()] *= SPREAD);
        }
        Some(chosen.into_iter().map(|cell| board.label(cell)).collect())
    }
}

fn ways(board: Board, orientations: &[Orientation]) -> Vec<Vec<Cell>> {
    let from = |first: Cell, way: &Orientation| {
        let cell = |step: &Offset| {
            let row = board.row(first).checked_add_signed(step.row)?;
            board.cell(row, board.column(first).checked_add_signed(step.column)?)
        };
        way.cells.iter().map(cell).collect::<Option<Vec<Cell>>>()
    };
    board.iter().flat_map(|first| orientations.iter().filter_map(move |way| from(first, way))).collect()
}
