//! Maximum matching: as many pairs as possible among people of whom not everybody may meet everybody. Edmonds' blossom
//! algorithm (J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17, 1965).
//!
//! A matching is kept and repaired by one augmenting path at a time, so the question "could these two meet, and all
//! others still be paired?" costs one search and not a new matching.

use alloc::collections::VecDeque;

/// No partner.
const NONE: usize = usize::MAX;

/// Who may meet whom, of people numbered from 0: an undirected graph.
#[derive(Debug)]
pub(super) struct Graph {
    size: usize,
    edges: Vec<bool>,
}

impl Graph {
    /// The graph of `size` people. `may` says whether two may meet; it is called once for each two.
    pub(super) fn new(size: usize, may: impl Fn(usize, usize) -> bool) -> Self {
        let mut edges = vec![false; size * size];
        for a in 0..size {
            for b in a + 1..size {
                let allowed = may(a, b);
                edges[a * size + b] = allowed;
                edges[b * size + a] = allowed;
            }
        }
        Self { size, edges }
    }

    /// Whether these two may meet.
    pub(super) fn may(&self, a: usize, b: usize) -> bool {
        self.edges[a * self.size + b]
    }
}

/// A maximum matching: as many pairs as possible among some of the people.
pub(super) struct Matching<'a> {
    graph: &'a Graph,
    people: Vec<usize>,
    present: Vec<bool>,
    mate: Vec<usize>,
}

impl<'a> Matching<'a> {
    /// A maximum matching among `people`.
    pub(super) fn of(graph: &'a Graph, people: &[usize]) -> Self {
        let mut present = vec![false; graph.size];
        people.iter().for_each(|person| present[*person] = true);
        let mut matching = Self { graph, people: people.to_vec(), present, mate: vec![NONE; graph.size] };
        for (index, person) in people.iter().enumerate() {
            if matching.mate[*person] == NONE {
                let free = |other: &&usize| matching.mate[**other] == NONE && graph.may(*person, **other);
                if let Some(other) = people[index + 1..].iter().find(free) {
                    matching.join(*person, *other);
                }
            }
        }
        for person in people {
            if matching.mate[*person] == NONE {
                matching.augment(*person);
            }
        }
        matching
    }

    /// How many are left without a partner.
    pub(super) fn unmatched(&self) -> usize {
        self.people.iter().filter(|person| self.present[**person] && self.mate[**person] == NONE).count()
    }

    /// Removes somebody if there can be as many pairs without them, or if they have no partner; returns whether it did.
    pub(super) fn spare(&mut self, person: usize) -> bool {
        let partner = self.mate[person];
        self.present[person] = false;
        if partner == NONE {
            return true;
        }
        self.mate[person] = NONE;
        self.mate[partner] = NONE;
        if self.augment(partner) {
            return true;
        }
        self.present[person] = true;
        self.join(person, partner);
        false
    }

    /// Removes these two as a pair if everybody else can be paired without them; returns whether it did. Everybody must
    /// have a partner before.
    pub(super) fn fix(&mut self, a: usize, b: usize) -> bool {
        if !self.graph.may(a, b) {
            return false;
        }
        let (of_a, of_b) = (self.mate[a], self.mate[b]);
        self.present[a] = false;
        self.present[b] = false;
        if of_a == b {
            return true;
        }
        [a, b, of_a, of_b].into_iter().for_each(|person| self.mate[person] = NONE);
        if self.augment(of_a) {
            return true;
        }
        self.present[a] = true;
        self.present[b] = true;
        self.join(a, of_a);
        self.join(b, of_b);
        false
    }

    fn join(&mut self, a: usize, b: usize) {
        self.mate[a] = b;
        self.mate[b] = a;
    }

    /// Searches an augmenting path: from `root`, who has no partner, to somebody else who has none, over edges that are
    /// by turns outside and inside the matching. If there is one, swaps its edges in and out; returns whether there is.
    fn augment(&mut self, root: usize) -> bool {
        let mut search = Search::new(self, root);
        let Some(mut end) = search.run() else { return false };
        let parent = search.parent;
        while end != NONE {
            let before = parent[end];
            let next = self.mate[before];
            self.join(end, before);
            end = next;
        }
        true
    }
}

/// The search for an augmenting path: a tree from its root, in which odd cycles (blossoms) are contracted to one
/// vertex.
struct Search<'m, 'a> {
    matching: &'m Matching<'a>,
    root: usize,
    parent: Vec<usize>,
    base: Vec<usize>,
    reached: Vec<bool>,
    queue: VecDeque<usize>,
}

impl<'m, 'a> Search<'m, 'a> {
    fn new(matching: &'m Matching<'a>, root: usize) -> Self {
        let size = matching.graph.size;
        let mut reached = vec![false; size];
        reached[root] = true;
        let (parent, base) = (vec![NONE; size], (0..size).collect());
        Self { matching, root, parent, base, reached, queue: [root].into() }
    }

    /// The other end of the path, if there is one.
    fn run(&mut self) -> Option<usize> {
        while let Some(at) = self.queue.pop_front() {
            for &to in &self.matching.people {
                let usable = self.matching.present[to] && self.matching.graph.may(at, to);
                if !usable || self.base[at] == self.base[to] || self.matching.mate[at] == to {
                    continue;
                }
                let mate = self.matching.mate[to];
                if to == self.root || mate != NONE && self.parent[mate] != NONE {
                    self.contract(at, to);
                } else if self.parent[to] == NONE {
                    self.parent[to] = at;
                    if mate == NONE {
                        return Some(to);
                    }
                    self.reached[mate] = true;
                    self.queue.push_back(mate);
                }
            }
        }
        None
    }

    fn contract(&mut self, a: usize, b: usize) {
        let top = self.common(a, b);
        let mut inside = vec![false; self.base.len()];
        self.mark(a, top, b, &mut inside);
        self.mark(b, top, a, &mut inside);
        for &person in &self.matching.people {
            if inside[self.base[person]] {
                self.base[person] = top;
                if !self.reached[person] {
                    self.reached[person] = true;
                    self.queue.push_back(person);
                }
            }
        }
    }

    /// The lowest common ancestor of two vertices in the tree: where their paths to the root meet.
    fn common(&self, a: usize, b: usize) -> usize {
        let mut passed = vec![false; self.base.len()];
        let mut at = a;
        loop {
            at = self.base[at];
            passed[at] = true;
            if self.matching.mate[at] == NONE {
                break;
            }
            at = self.parent[self.matching.mate[at]];
        }
        let mut at = self.base[b];
        while !passed[at] {
            at = self.base[self.parent[self.matching.mate[at]]];
        }
        at
    }

    fn mark(&mut self, from: usize, top: usize, child: usize, inside: &mut [bool]) {
        let (mut at, mut child) = (from, child);
        while self.base[at] != top {
            let mate = self.matching.mate[at];
            inside[self.base[at]] = true;
            inside[self.base[mate]] = true;
            self.parent[at] = child;
            child = mate;
            at = self.parent[mate];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The most pairs there can be, by trying all.
    fn most(graph: &Graph, people: &[usize]) -> usize {
        let Some((first, rest)) = people.split_first() else { return 0 };
        let with = rest.iter().filter(|other| graph.may(*first, **other)).map(|other| {
            let rest: Vec<usize> = rest.iter().copied().filter(|person| person != other).collect();
            1 + most(graph, &rest)
        });
        with.chain([most(graph, rest)]).max().unwrap_or(0)
    }

    fn graphs() -> impl Strategy<Value = Graph> {
        (2..=8_usize, prop::collection::vec(0..10_u8, 64), 1..9_u8)
            .prop_map(|(size, dice, dense)| Graph::new(size, |a, b| dice[a * 8 + b] < dense))
    }

    proptest! {
        #[test]
        fn there_are_as_many_pairs_as_can_be(graph in graphs()) {
            let people: Vec<usize> = (0..graph.size).collect();
            let matching = Matching::of(&graph, &people);
            for person in &people {
                let mate = matching.mate[*person];
                prop_assert!(mate == NONE || matching.mate[mate] == *person && graph.may(*person, mate));
            }
            prop_assert_eq!(matching.unmatched(), people.len() - 2 * most(&graph, &people));
        }

        #[test]
        fn who_is_spared_costs_no_pair(graph in graphs(), out in 0..8_usize) {
            let people: Vec<usize> = (0..graph.size).collect();
            let out = out % people.len();
            let mut matching = Matching::of(&graph, &people);
            let without: Vec<usize> = people.iter().copied().filter(|person| *person != out).collect();
            let costs_nothing = most(&graph, &without) == most(&graph, &people);
            prop_assert_eq!(matching.spare(out), costs_nothing);
        }

        #[test]
        fn a_pair_is_fixed_when_the_rest_can_be_paired(graph in graphs(), a in 0..8_usize, b in 0..8_usize) {
            let people: Vec<usize> = (0..graph.size).collect();
            let (a, b) = (a % people.len(), b % people.len());
            let mut matching = Matching::of(&graph, &people);
            prop_assume!(matching.unmatched() == 0 && a != b);
            let rest: Vec<usize> = people.iter().copied().filter(|person| *person != a && *person != b).collect();
            let can = graph.may(a, b) && 2 * most(&graph, &rest) == rest.len();
            prop_assert_eq!(matching.fix(a, b), can);
            prop_assert_eq!(matching.unmatched(), 0);
        }
    }
}
