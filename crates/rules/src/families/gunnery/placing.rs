//! The search for a deployment of fleets: random throws, and where they fail a backtracking search. All of it is
//! counted in steps that are the same on every machine, and bounded: a check of a rule set costs a few milliseconds,
//! however hard its fleet is to place. The possible places of a ship are in `fleet.rs`.
//!
//! **The figures of the search are law**, and so are its order and its unit of steps: the islands drawn, and the
//! deployments that leave no room for allies (`no-room-for-allies`), depend on whether the search finds a way.
//! Verifying a record draws the islands again and judges every deployment again, and a stored match must be judged as
//! it was. So a search that finds more or less than this one needs a parameter of the rule set.
use alloc::{boxed::Box, vec, vec::Vec};

use super::{
    fleet::{Berths, Placement, pick, placements, zone},
    rules::{Rules, Ship},
};
use crate::{
    dice::Dice,
    grid::{Cell, CellSet},
    seat::Seat,
};

/// Step budget of the rule-set check: law.
const CHECK_STEPS: u32 = 400_000;
/// Steps in a round after which the same number of islands is not drawn again: law.
const ROUND_STEPS: u32 = CHECK_STEPS / 4;
/// Random throws of a fleet before the search: law.
const THROWS: u32 = 200;

/// The search for places under some rules, with a count of its work.
pub(crate) struct Placing<'r> {
    rules: &'r Rules,
    /// The possible places of each kind of ship: ships with the same ways are of one kind.
    kinds: Vec<Berths>,
    of_class: Vec<usize>,
    /// The step budget of one search.
    each: u32,
    /// The steps taken.
    spent: u32,
    limit: u32,
}

/// A ship by its number among all that are placed, and its kind.
#[derive(Clone, Copy)]
struct Placed {
    number: usize,
    kind: usize,
    ship: Ship,
}

const NOWHERE: Placement = Placement { first: Cell(0), way: 0 };

impl<'r> Placing<'r> {
    pub fn new(rules: &'r Rules) -> Self {
        let (mut kinds, mut of_class, mut ways) = (Vec::new(), Vec::with_capacity(rules.fleet.len()), Vec::new());
        for class in &rules.fleet {
            let kind = ways.iter().position(|known| *known == class.ways());
            of_class.push(kind.unwrap_or(kinds.len()));
            if kind.is_none() {
                ways.push(class.ways());
                kinds.push(Berths::new(rules, class.ways()));
            }
        }
        let searches: usize = rules.crews().map(|seat| rules.crew(seat).count()).sum();
        let each = CHECK_STEPS / searches.max(1) as u32;
        Self { rules, kinds, of_class, each, spent: 0, limit: 0 }
    }

    /// Begins the count of a round.
    pub const fn begin_round(&mut self) {
        self.spent = 0;
    }

    /// Has this round taken so many steps that the next should begin?
    pub const fn is_long(&self) -> bool {
        self.spent > ROUND_STEPS
    }

    /// A legal deployment of the fleet of the first of these seats off the closed cells, drawn by these dice, with room
    /// for the fleets of the others in the same sea. `None` only when the fleets cannot be placed, or no way is found:
    /// everything that [`Self::has_room`] and [`Self::leaves_room`] accept is placed.
    pub fn place(&mut self, seats: &[Seat], closed: &CellSet, dice: &mut Dice) -> Option<Vec<Placement>> {
        // A fleet that leaves no room for its allies is drawn again.
        let draws = if seats.len() > 1 { 3 } else { 1 };
        let drawn = (0..draws).find_map(|_| self.place_first(seats, closed, dice));
        drawn.or_else(|| self.place_the_same(seats, closed))
    }

    /// Does the search find a way to place all fleets off the closed cells? The answer is always the same for the same
    /// rules and cells.
    pub fn has_room(&mut self, closed: &CellSet) -> bool {
        let rules = self.rules;
        rules.crews().all(|seat| self.leaves_room(&rules.crew(seat).collect::<Vec<_>>(), closed))
    }

    /// The same check for the fleets of these seats in one sea.
    pub fn leaves_room(&mut self, seats: &[Seat], closed: &CellSet) -> bool {
        seats.is_empty() || self.place_the_same(seats, closed).is_some()
    }

    /// The search with its own dice, the fallback of [`Self::place`]: a fleet once found placeable is placed.
    fn place_the_same(&mut self, seats: &[Seat], closed: &CellSet) -> Option<Vec<Placement>> {
        self.place_first(seats, closed, &mut Dice::from_seed([0; 32]))
    }

    /// Places the fleets of all these seats, and returns the first one's if the others find room beside it.
    fn place_first(&mut self, seats: &[Seat], closed: &CellSet, dice: &mut Dice) -> Option<Vec<Placement>> {
        let (first, others) = seats.split_first()?;
        let mut fleet = self.seek(seats, closed, dice)?;
        fleet.truncate(self.rules.ships(*first).count());
        let taken = self.rules.ships(*first).zip(&fleet).map(|(ship, place)| self.zone(ship, *place));
        let closed = taken.fold(*closed, |closed, zone| closed.or(&zone));
        self.leaves_room(others, &closed).then_some(fleet)
    }

    /// Throws, then searches, each with half of the steps.
    fn seek(&mut self, seats: &[Seat], closed: &CellSet, dice: &mut Dice) -> Option<Vec<Placement>> {
        let order = self.largest_first(seats);
        self.limit = self.spent.saturating_add(self.each / 2);
        if let Some(thrown) = (0..THROWS).find_map(|_| self.throw(&order, closed, dice)) {
            return Some(thrown);
        }
        self.limit = self.spent.saturating_add(self.each / 2);
        Search::new(self, &order, closed, dice)?.run(closed)
    }

    /// The ships, the largest first, as the hardest to place, and ships of one kind together.
    fn largest_first(&self, seats: &[Seat]) -> Vec<Placed> {
        let placed =
            |(number, ship): (usize, Ship)| Placed { number, kind: self.of_class[usize::from(ship.class)], ship };
        let ships = seats.iter().flat_map(|seat| self.rules.ships(*seat));
        let mut order: Vec<Placed> = ships.enumerate().map(placed).collect();
        order.sort_by_key(|placed| (core::cmp::Reverse(placed.ship.length), placed.kind));
        order
    }

    /// Takes this many steps, unless fewer are left.
    const fn take(&mut self, steps: u32) -> bool {
        let within = self.spent.saturating_add(steps) <= self.limit;
        if within {
            self.spent += steps;
        }
        within
    }

    /// One try to place ship after ship at random.
    fn throw(&mut self, order: &[Placed], closed: &CellSet, dice: &mut Dice) -> Option<Vec<Placement>> {
        let mut closed = *closed;
        let mut placed = vec![NOWHERE; order.len()];
        for Placed { number, kind, ship } in order {
            if !self.take(self.kinds[*kind].cost() + u32::from(ship.length)) {
                return None;
            }
            let place = pick(&self.kinds[*kind].open(&closed), dice)?;
            closed = closed.or(&self.zone(*ship, place));
            placed[*number] = place;
        }
        Some(placed)
    }

    fn zone(&self, ship: Ship, place: Placement) -> CellSet {
        zone(self.rules.board, self.rules.contact, self.rules.cells(ship, place))
    }
}

/// A backtracking search.
struct Search<'s, 'r> {
    placing: &'s mut Placing<'r>,
    order: &'s [Placed],
    /// The ways of each kind to be placed, in a random order.
    ways: Vec<Box<[Placement]>>,
    placed: Vec<Placement>,
}

impl<'s, 'r> Search<'s, 'r> {
    /// `None` when there are too many ways to try.
    fn new(placing: &'s mut Placing<'r>, order: &'s [Placed], closed: &CellSet, dice: &mut Dice) -> Option<Self> {
        let mut ways = vec![Box::default(); placing.kinds.len()];
        for kind in (0..ways.len()).filter(|kind| order.iter().any(|placed| placed.kind == *kind)) {
            let open = placing.kinds[kind].open(closed);
            let count: u32 = open.iter().map(|firsts| u32::from(firsts.len())).sum();
            if !placing.take(placing.kinds[kind].cost() + count) {
                return None;
            }
            let mut all: Vec<Placement> = placements(&open).collect();
            dice.shuffle(&mut all);
            ways[kind] = all.into_boxed_slice();
        }
        Some(Self { placing, order, ways, placed: vec![NOWHERE; order.len()] })
    }

    fn run(mut self, closed: &CellSet) -> Option<Vec<Placement>> {
        self.from(0, 0, closed).then_some(self.placed)
    }

    /// Places the ships from the n-th on; equal ships of one kind are placed in the order of their ways.
    fn from(&mut self, n: usize, start: usize, closed: &CellSet) -> bool {
        let Some(&Placed { number, kind, ship }) = self.order.get(n) else { return true };
        for index in start..self.ways[kind].len() {
            if !self.placing.take(1) {
                return false;
            }
            let place = self.ways[kind][index];
            if self.placing.rules.cells(ship, place).any(|cell| closed.contains(cell)) {
                continue;
            }
            if !self.placing.take(ship.length.into()) {
                return false;
            }
            self.placed[number] = place;
            let closed = closed.or(&self.placing.zone(ship, place));
            let alike = self.order.get(n + 1).is_some_and(|next| next.kind == kind);
            if self.from(n + 1, if alike { index + 1 } else { 0 }, &closed) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use serde_json::{Value, json};

    use super::*;
    use crate::{
        chance::{Chance, Draws},
        families::{family::Rules as _, gunnery::Gunnery},
    };

    fn rules(changes: &Value) -> Rules {
        let classic = crate::Variant::find("classic").map(|variant| variant.rule_set());
        let mut whole = serde_json::to_value(classic).unwrap();
        for (name, value) in changes.as_object().unwrap() {
            whole[name.as_str()] = value.clone();
        }
        crate::families::family::parse::<Gunnery>(&whole).unwrap()
    }

    fn class(name: &str, rows: &[&str], count: u32) -> Value {
        let length: usize = rows.iter().map(|row| row.matches('x').count()).sum();
        json!({"class": name, "name": name, "length": length, "count": count, "shape": rows, "mirroring": true})
    }

    /// Fleets within all bounds, with no or hardly any room.
    fn hostile() -> Vec<Rules> {
        let large = json!({"rows": 26, "columns": 26, "labels": "row-letter"});
        let crab = ["x.xx", "xxx.", ".xxx"];
        let crabs = json!([class("one", &crab, 10), class("two", &crab, 10), class("six", &crab, 6)]);
        let handicap = |seat: u32| json!({"seat": seat, "fleet": [{"class": "one", "count": 5 + seat}]});
        let rings = json!([class("ring", &["xxxx", "x..x", "x..x", "xxxx"], 10), class("box", &["xx", "xx"], 10)]);
        let islands = json!({"cells": [], "drawn": 18, "size": 9, "contact": "forbidden"});
        let lines = json!([{"class": "line", "name": "Line", "length": 6, "count": 10}]);
        Vec::from([
            rules(&json!({"board": large, "fleet": crabs, "contact": "forbidden"})),
            rules(&json!({"board": large, "fleet": crabs, "contact": "forbidden", "border": "end-on"})),
            rules(&json!({
                "board": large, "fleet": crabs, "contact": "forbidden", "seats": {"min": 6, "max": 6},
                "handicaps": (0..6).map(handicap).collect::<Vec<_>>(),
            })),
            rules(&json!({
                "board": {"rows": 20, "columns": 20, "labels": "row-letter"}, "fleet": rings, "contact": "forbidden",
            })),
            rules(
                &json!({"board": large, "fleet": [class("crab", &crab, 10)], "contact": "forbidden", "islands": islands}),
            ),
            rules(&json!({
                "board": {"rows": 13, "columns": 13, "labels": "row-letter"}, "fleet": lines, "contact": "forbidden",
                "border": "end-on",
            })),
        ])
    }

    #[test]
    fn no_rule_set_costs_more_than_the_budget() {
        for rules in hostile() {
            let mut placing = Placing::new(&rules);
            placing.has_room(&rules.coast(&rules.given_land()));
            assert!(placing.spent <= CHECK_STEPS, "{}", placing.spent);
        }
    }

    #[test]
    fn what_has_room_is_placed_and_opens() {
        let mut with_room = 0;
        for rules in hostile().into_iter().filter(|rules| rules.is_playable().is_ok()) {
            let land = rules.draw_land(&mut Draws::opening(&Chance::new(&[1; 32], &[])));
            let coast = rules.coast(&land.unwrap_or_else(|| rules.given_land()));
            for seat in rules.all_seats() {
                assert!(Placing::new(&rules).place(&[seat], &coast, &mut Dice::from_seed([2; 32])).is_some());
            }
            with_room += 1;
        }
        assert!(with_room > 0, "none of them is placed");
    }

    /// Two crosses in one sea of five by five: there is room for the second unless the first lies in the middle.
    fn crosses() -> Rules {
        rules(&json!({
            "board": {"rows": 5, "columns": 5, "labels": "row-letter"}, "seats": {"min": 4, "max": 4}, "teams": 2,
            "team_seas": "common", "fleet": [class("cross", &[".x.", "xxx", ".x."], 1)],
        }))
    }

    /// A stored match must be judged as it was: none of these figures may ever change.
    #[test]
    fn the_search_is_law() {
        assert_eq!((CHECK_STEPS, ROUND_STEPS, THROWS), (400_000, 100_000, 200));
        let searched = |rules: &Rules, seats: &[Seat], closed: &CellSet| {
            let mut placing = Placing::new(rules);
            (placing.leaves_room(seats, closed), placing.spent)
        };
        let crosses = crosses();
        let middle = |label: &str| -> CellSet {
            let middle = crosses.board.parse(label).unwrap();
            crosses.board.orthogonal(middle).chain([middle]).collect()
        };
        let ally = [Seat(2)];
        let found = ["B2", "B3", "C3"].map(|label| searched(&crosses, &ally, &middle(label)));
        assert_eq!(found, [(true, 15), (true, 15), (false, 3010)]);
        let found: Vec<(bool, u32)> =
            hostile().iter().map(|rules| searched(rules, &[Seat(0)], &rules.coast(&rules.given_land()))).collect();
        let all = [(true, 4950), (false, 399_980), (true, 2079), (true, 1164), (true, 990), (true, 31_204)];
        assert_eq!(found, all);
        // The number of drawn island cells, and the sum of their numbers.
        let lands = hostile().into_iter().filter(|rules| rules.islands.is_some()).flat_map(|rules| {
            [1, 2, 3].map(|seed| {
                let land = rules.draw_land(&mut Draws::opening(&Chance::new(&[seed; 32], &[]))).unwrap();
                (land.len(), land.iter().map(|cell| u32::from(cell.0)).sum::<u32>())
            })
        });
        assert_eq!(lands.collect::<Vec<_>>(), [(162, 50_391), (162, 58_993), (81, 29_617)]);
    }
}
