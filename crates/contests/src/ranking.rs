//! Ranking rules for the standings of a season: points as a sum or an average, of all results or of the best.
//!
//! A sum rewards frequent play; the others don't. Everything follows from the results of a player's pairings, in any
//! order, so the standings can be recomputed from the list of pairings.

use serde::{Deserialize, Serialize};

use crate::words::words;

/// The bounds of the number of results.
pub const RESULTS: (u32, u32) = (1, 100);
/// Half a point, in the unit of scores.
const HALF_POINT: u64 = 500_000;

words! {
    /// What a season's standings rank by.
    #[cfg_attr(feature = "schema", schema(as = LadderRanking))]
    pub enum Ranking {
        /// All points together.
        Sum,
        /// The points of so many results (`ranking_results`), the best ones.
        Best,
        /// The points for each pairing. Who has fewer results than `ranking_results` is divided by that number.
        Average,
        /// The points for each game, of paired games each by itself. Who has fewer games than `ranking_results` is
        /// divided by that number.
        PerBoard,
    }
}

impl Ranking {
    /// The default number of results; `None` for a rule without one.
    pub fn usual_results(self) -> Option<u32> {
        match self {
            Self::Sum => None,
            Self::Best => Some(10),
            Self::Average | Self::PerBoard => Some(5),
        }
    }
}

/// A ladder's ranking rule, with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RankingRule {
    /// The rule.
    pub by: Ranking,
    /// The number of counted results of [`Ranking::Best`], or the least divisor of an average. 0 for a sum.
    pub results: u32,
}

impl RankingRule {
    /// The sum of all points.
    pub const SUM: Self = Self { by: Ranking::Sum, results: 0 };
}

/// A pairing's contribution to one player's standing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gain {
    /// Half points: of two players two for each game won, one for each drawn.
    pub half_points: u32,
    /// The number of its games with a result.
    pub games: u32,
    /// Does the player have the most points, alone?
    pub won: bool,
    /// Does the player share the most points?
    pub drawn: bool,
    /// Does another player have more points?
    pub lost: bool,
}

/// A pairing's contribution to each player's standing, in order, from their half points and the number of games with a
/// result.
pub fn gains(half_points: &[u32], games: u32) -> Vec<Gain> {
    let most = half_points.iter().copied().max().unwrap_or_default();
    let shared = half_points.iter().filter(|points| **points == most).count() > 1;
    let gain = |points: &u32| {
        let best = *points == most;
        Gain { half_points: *points, games, won: best && !shared, drawn: best && shared, lost: !best }
    };
    half_points.iter().map(gain).collect()
}

/// A player's results in a season.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Twice the points.
    pub half_points: u32,
    /// The number of pairings with a result.
    pub pairings: u32,
    /// The number of games with a result.
    pub games: u32,
    /// The number of pairings won.
    pub won: u32,
    /// The number of pairings drawn.
    pub drawn: u32,
    /// The number of pairings lost.
    pub lost: u32,
    /// The half points of the best results, the highest first, where they count. Otherwise empty.
    pub best: Vec<u32>,
}

impl Tally {
    /// Adds the result of a pairing.
    pub fn add(&mut self, gain: &Gain, rule: RankingRule) {
        self.half_points += gain.half_points;
        self.pairings += 1;
        self.games += gain.games;
        self.won += u32::from(gain.won);
        self.drawn += u32::from(gain.drawn);
        self.lost += u32::from(gain.lost);
        if rule.by == Ranking::Best {
            let place = self.best.partition_point(|points| *points >= gain.half_points);
            self.best.insert(place, gain.half_points);
            self.best.truncate(rule.results as usize);
        }
    }

    /// The ranking score, in millionths of a point, truncated: more is better.
    pub fn score(&self, rule: RankingRule) -> u64 {
        let points = |half: u32| u64::from(half) * HALF_POINT;
        match rule.by {
            Ranking::Sum => points(self.half_points),
            Ranking::Best => self.best.iter().map(|half| points(*half)).sum(),
            Ranking::Average => points(self.half_points) / u64::from(self.pairings.max(rule.results).max(1)),
            Ranking::PerBoard => points(self.half_points) / u64::from(self.games.max(rule.results).max(1)),
        }
    }

    /// The tie-break between equal scores: less is better. Of sums, fewer pairings; of averages, more of them won.
    pub fn tie_break(&self, rule: RankingRule) -> u32 {
        match rule.by {
            Ranking::Sum | Ranking::Best => self.pairings,
            Ranking::Average | Ranking::PerBoard => i32::MAX.unsigned_abs() - self.won,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Ranking; 4] = [Ranking::Sum, Ranking::Best, Ranking::Average, Ranking::PerBoard];
    const BEST: RankingRule = RankingRule { by: Ranking::Best, results: 3 };
    const AVERAGE: RankingRule = RankingRule { by: Ranking::Average, results: 4 };
    const PER_BOARD: RankingRule = RankingRule { by: Ranking::PerBoard, results: 4 };

    fn tally(rule: RankingRule, half_points: &[u32]) -> Tally {
        let mut tally = Tally::default();
        for half in half_points {
            tally.add(&Gain { half_points: *half, games: 1, won: *half == 2, ..Gain::default() }, rule);
        }
        tally
    }

    #[test]
    fn who_has_most_has_won() {
        let words = |points: &[u32]| -> Vec<&str> {
            let word = |gain: &Gain| match (gain.won, gain.drawn) {
                (true, _) => "won",
                (_, true) => "drawn",
                _ => "lost",
            };
            gains(points, 1).iter().map(word).collect()
        };
        assert_eq!(words(&[2, 0]), ["won", "lost"]);
        assert_eq!(words(&[1, 1]), ["drawn", "drawn"]);
        assert_eq!(words(&[1, 3]), ["lost", "won"]);
        assert_eq!(words(&[5, 5, 2, 0]), ["drawn", "drawn", "lost", "lost"]);
    }

    #[test]
    fn each_ranking_by_hand() {
        let results = [2, 0, 1, 2, 0, 2];
        let score = |rule| tally(rule, &results).score(rule);
        assert_eq!(score(RankingRule::SUM), 3_500_000);
        assert_eq!(score(BEST), 3_000_000);
        assert_eq!(score(AVERAGE), 583_333, "seven twelfths");
        // A player who has won the only match isn't ahead of one who has won three of four.
        let once = |rule| tally(rule, &[2]).score(rule);
        assert_eq!([once(AVERAGE), once(PER_BOARD), once(BEST)], [250_000, 250_000, 1_000_000]);
        assert!(once(AVERAGE) < tally(AVERAGE, &[2, 2, 2, 0]).score(AVERAGE));
        // Each game of a pair is a board.
        let mut pairs = Tally::default();
        for half_points in [4, 3, 0] {
            pairs.add(&Gain { half_points, games: 2, ..Gain::default() }, PER_BOARD);
        }
        assert_eq!([pairs.score(PER_BOARD), pairs.score(AVERAGE)], [583_333, 875_000]);
        assert_eq!(Tally::default().score(AVERAGE), 0);
    }

    #[test]
    fn who_plays_more_gains_nothing_by_it_alone_unless_it_is_a_sum() {
        let (few, many) = ([2, 0, 2, 0], [2, 0, 2, 0, 2, 0, 2, 0]);
        let both = |rule| [tally(rule, &few).score(rule), tally(rule, &many).score(rule)];
        assert_eq!(both(RankingRule::SUM), [2_000_000, 4_000_000]);
        assert_eq!(both(AVERAGE), [500_000, 500_000]);
        assert_eq!(both(PER_BOARD), [500_000, 500_000]);
        // With the best three of them.
        assert_eq!(both(BEST), [2_000_000, 3_000_000]);
        assert_eq!(both(RankingRule { results: 2, ..BEST }), [2_000_000, 2_000_000]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_results_makes_no_difference(
            results in prop::collection::vec(0..5_u32, 0..30), by in prop::sample::select(ALL.to_vec()), n in 1..12_u32
        ) {
            let rule = RankingRule { by, results: n };
            let mut other_way = results.clone();
            other_way.sort_unstable();
            prop_assert_eq!(tally(rule, &results), tally(rule, &other_way));
            // Sorting all results gives the same best ones.
            let best: u32 = other_way.iter().rev().take(n as usize).sum();
            if by == Ranking::Best {
                prop_assert_eq!(tally(rule, &results).score(rule), u64::from(best) * HALF_POINT);
            }
        }

        /// One more result lowers no sum, and no best results; and a full win lowers no average.
        #[test]
        fn a_win_never_costs(results in prop::collection::vec(0..3_u32, 0..30), n in 1..12_u32) {
            for by in ALL {
                let rule = RankingRule { by, results: n };
                let mut more = results.clone();
                more.push(2);
                prop_assert!(tally(rule, &more).score(rule) >= tally(rule, &results).score(rule));
            }
        }
    }
}
