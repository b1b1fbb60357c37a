//! Maximum matching: as many pairs as possible among people of whom some may not meet.
//!
//! The algorithm is petgraph's (Gabow's), measured against an own implementation of Edmonds' algorithm that repairs one
//! matching path by path: to draw a Swiss round of 512 players takes 28 ms with petgraph (67 ms at worst), and took 1
//! ms (6 ms at worst) with ours. Both are a small part of a second and happen once a round, so the shorter code was
//! kept.

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::NodeFiltered;

/// The allowed meetings of people numbered from 0: an undirected graph.
#[derive(Debug)]
pub(super) struct Graph {
    graph: UnGraph<(), ()>,
    /// The allowed meetings as a matrix, row by row.
    edges: Vec<bool>,
}

impl Graph {
    /// The graph of `size` people. `may` returns whether two may meet; it is called once for each two.
    pub(super) fn new(size: usize, may: impl Fn(usize, usize) -> bool) -> Self {
        let (mut graph, mut edges) = (UnGraph::default(), vec![false; size * size]);
        let nodes: Vec<NodeIndex> = (0..size).map(|_| graph.add_node(())).collect();
        for a in 0..size {
            for b in (a + 1..size).filter(|b| may(a, *b)) {
                graph.add_edge(nodes[a], nodes[b], ());
                edges[a * size + b] = true;
                edges[b * size + a] = true;
            }
        }
        Self { graph, edges }
    }

    pub(super) fn may(&self, a: usize, b: usize) -> bool {
        self.edges[a * self.graph.node_count() + b]
    }
}

/// A maximum matching: as many pairs as possible among some of the people.
pub(super) struct Matching<'a> {
    graph: &'a Graph,
    present: Vec<bool>,
    mate: Vec<Option<usize>>,
    unmatched: usize,
}

impl<'a> Matching<'a> {
    /// A maximum matching among `people`.
    pub(super) fn of(graph: &'a Graph, people: &[usize]) -> Self {
        let mut present = vec![false; graph.graph.node_count()];
        people.iter().for_each(|person| present[*person] = true);
        Self::among(graph, present)
    }

    fn among(graph: &'a Graph, present: Vec<bool>) -> Self {
        let there = |node: NodeIndex| present[node.index()];
        let filtered = NodeFiltered::from_fn(&graph.graph, there);
        let matching = maximum_matching(&filtered);
        let mate = |person| matching.mate(NodeIndex::new(person)).map(NodeIndex::index);
        let mate = (0..present.len()).map(mate).collect();
        let unmatched = present.iter().filter(|present| **present).count() - 2 * matching.len();
        Self { graph, present, mate, unmatched }
    }

    /// The number of people without a partner.
    pub(super) fn unmatched(&self) -> usize {
        self.unmatched
    }

    /// Removes a person if as many pairs remain possible; returns whether it did.
    pub(super) fn spare(&mut self, person: usize) -> bool {
        self.unmatched > 0 && self.remove(&[person], self.unmatched - 1)
    }

    /// Removes these two as a pair if all others can still be paired; returns whether it did. Everybody must have a
    /// partner before.
    pub(super) fn fix(&mut self, a: usize, b: usize) -> bool {
        if self.mate[a] == Some(b) {
            // The others are paired already.
            (self.present[a], self.present[b]) = (false, false);
            return true;
        }
        self.graph.may(a, b) && self.remove(&[a, b], 0)
    }

    /// Removes these people if exactly `unmatched` others are then without a partner; returns whether it did.
    fn remove(&mut self, people: &[usize], unmatched: usize) -> bool {
        let mut present = self.present.clone();
        people.iter().for_each(|person| present[*person] = false);
        let without = Self::among(self.graph, present);
        let fits = without.unmatched == unmatched;
        if fits {
            *self = without;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The most possible pairs, by trying all.
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
            let people: Vec<usize> = (0..graph.graph.node_count()).collect();
            let matching = Matching::of(&graph, &people);
            for person in &people {
                let mate = matching.mate[*person];
                prop_assert!(mate.is_none_or(|mate| matching.mate[mate] == Some(*person) && graph.may(*person, mate)));
            }
            prop_assert_eq!(matching.unmatched(), people.len() - 2 * most(&graph, &people));
        }

        #[test]
        fn who_is_spared_costs_no_pair(graph in graphs(), out in 0..8_usize) {
            let people: Vec<usize> = (0..graph.graph.node_count()).collect();
            let out = out % people.len();
            let mut matching = Matching::of(&graph, &people);
            let without: Vec<usize> = people.iter().copied().filter(|person| *person != out).collect();
            let costs_nothing = most(&graph, &without) == most(&graph, &people);
            prop_assert_eq!(matching.spare(out), costs_nothing);
        }

        #[test]
        fn a_pair_is_fixed_when_the_rest_can_be_paired(graph in graphs(), a in 0..8_usize, b in 0..8_usize) {
            let people: Vec<usize> = (0..graph.graph.node_count()).collect();
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
