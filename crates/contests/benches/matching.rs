//! Our own matching beside petgraph's, on what they are for: the rounds of Swiss tournaments, drawn with both.
//!
//! The same source of the Swiss system is compiled twice, once with each matching behind it. Both must draw the same
//! pairings. Printed is how long it takes to draw a round. Run it with `cargo bench -p broadside-contests --bench matching`.
#![allow(missing_docs, dead_code)]

use std::time::{Duration, Instant};

use broadside_contests::{RoundPairings, swiss as ours, tournament};

#[path = "../src/swiss/mod.rs"]
#[allow(unreachable_pub)]
mod swiss;

/// What `src/matching.rs` offers, by petgraph's maximum matching: it can't repair a matching, so each question for
/// which the present one isn't the answer computes a new one.
mod matching {
    use petgraph::algo::maximum_matching;
    use petgraph::graph::{NodeIndex, UnGraph};
    use petgraph::visit::NodeFiltered;

    pub struct Graph {
        graph: UnGraph<(), ()>,
        edges: Vec<bool>,
    }

    impl Graph {
        pub fn new(size: usize, may: impl Fn(usize, usize) -> bool) -> Self {
            let mut graph = UnGraph::with_capacity(size, size * size / 2);
            let mut edges = vec![false; size * size];
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

        pub fn may(&self, a: usize, b: usize) -> bool {
            self.edges[a * self.graph.node_count() + b]
        }
    }

    pub struct Matching<'a> {
        graph: &'a Graph,
        present: Vec<bool>,
        mate: Vec<Option<usize>>,
    }

    impl<'a> Matching<'a> {
        pub fn of(graph: &'a Graph, people: &[usize]) -> Self {
            let mut present = vec![false; graph.graph.node_count()];
            people.iter().for_each(|person| present[*person] = true);
            let mate = Self::mates(graph, &present);
            Self { graph, present, mate }
        }

        fn mates(graph: &Graph, present: &[bool]) -> Vec<Option<usize>> {
            let there = |node: NodeIndex| present[node.index()];
            let filtered = NodeFiltered::from_fn(&graph.graph, there);
            let matching = maximum_matching(&filtered);
            let mate = |node: usize| matching.mate(NodeIndex::new(node)).map(NodeIndex::index);
            (0..present.len()).map(mate).collect()
        }

        pub fn unmatched(&self) -> usize {
            self.present.iter().zip(&self.mate).filter(|(present, mate)| **present && mate.is_none()).count()
        }

        pub fn spare(&mut self, person: usize) -> bool {
            let before = self.unmatched();
            self.present[person] = false;
            if self.mate[person].is_none() {
                return true;
            }
            let mate = Self::mates(self.graph, &self.present);
            let without = Self { graph: self.graph, present: self.present.clone(), mate };
            if without.unmatched() < before {
                *self = without;
                return true;
            }
            self.present[person] = true;
            false
        }

        pub fn fix(&mut self, a: usize, b: usize) -> bool {
            if !self.graph.may(a, b) {
                return false;
            }
            self.present[a] = false;
            self.present[b] = false;
            if self.mate[a] == Some(b) {
                return true;
            }
            let mate = Self::mates(self.graph, &self.present);
            let without = Self { graph: self.graph, present: self.present.clone(), mate };
            if without.unmatched() == 0 {
                *self = without;
                return true;
            }
            self.present[a] = true;
            self.present[b] = true;
            false
        }
    }
}

/// Tournaments: how many players, and how many rounds.
const TOURNAMENTS: [(u16, usize); 4] = [(512, 9), (512, 30), (511, 9), (64, 30)];

fn main() {
    for (players, rounds) in TOURNAMENTS {
        let (mut ours, mut petgraphs) = (Vec::new(), Vec::new());
        for seed in 1..=5 {
            play_all(players, rounds, seed, &mut ours, &mut petgraphs);
        }
        for (whose, mut took) in [("ours", ours), ("petgraph", petgraphs)] {
            took.sort_unstable();
            let (median, worst) = (took[took.len() / 2], took[took.len() - 1]);
            println!("{rounds} rounds of {players}, {whose:>8}: a round {median:>9.2?}, the slowest {worst:>9.2?}");
        }
    }
}

/// Plays a tournament, and notes how long each round took to be drawn.
fn play_all(players: u16, rounds: usize, seed: u64, ours: &mut Vec<Duration>, petgraphs: &mut Vec<Duration>) {
    let entrant = |number| ours::Entrant { number, halves: 0, met: vec![], began: vec![], byes: 0 };
    let mut field: Vec<ours::Entrant> = (1..=players).map(entrant).collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..rounds {
        let same = |one: &ours::Entrant| swiss::Entrant {
            number: one.number,
            halves: one.halves,
            met: one.met.clone(),
            began: one.began.clone(),
            byes: one.byes,
        };
        let (mine, theirs) = (field.clone(), field.iter().map(same).collect());
        let begun = Instant::now();
        let drawn = ours::pair(mine);
        ours.push(begun.elapsed());
        let begun = Instant::now();
        let again = swiss::pair(theirs);
        petgraphs.push(begun.elapsed());
        assert_eq!(drawn, again, "both draw the same pairings");
        let Some(drawn) = drawn else { break };
        play(&mut field, &drawn, &mut state);
    }
}

/// Plays a round, with results drawn by xorshift.
fn play(field: &mut [ours::Entrant], drawn: &RoundPairings, state: &mut u64) {
    for (first, second) in &drawn.games {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        let halves = [[2, 0], [0, 2], [1, 1]][(*state >> 32) as usize % 3];
        for (number, other, began, halves) in [(first, second, true, halves[0]), (second, first, false, halves[1])] {
            let player = &mut field[usize::from(*number) - 1];
            player.met.push(*other);
            player.began.push(began);
            player.halves += halves;
        }
    }
    if let Some(bye) = drawn.bye {
        let player = &mut field[usize::from(bye) - 1];
        player.byes += 1;
        player.halves += 2;
    }
}
