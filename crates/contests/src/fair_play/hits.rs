//! Hits that are too good: a sequential test of whether a player hits hidden fleets more often than anybody could who
//! knows only what they were told.
//!
//! It is a bet against honesty (Ville, 1939; Shafer, "Testing by betting", 2021). A bettor begins with 1. Before each
//! salvo they stake a share θ of what they have on its hits, at fair odds: with `expected` hits the stake pays
//! `hits / expected`. If `expected` is at least what an honest player may expect, the bettor can't win in the long
//! run, however that player chooses their cells and whenever one stops to look: over the matches that are taken in, one
//! after the other, the chance that what they have ever reaches 1/α is at most α. Since nobody knows how a cheat looks,
//! the 1 is divided among several bettors ([`bettors`]): some bet a little on every salvo, against who hits too often;
//! some bet much on a single salvo of each match, against who sees a ship and fires at it when they have looked for a
//! ship for so long. These bet as long as nothing was hit in the match: a later hit has a ship that it belongs to.
//!
//! The promise holds for one row of matches, begun once. Who looks at many players, or at the same one again and again
//! over other matches, gets a chance of α each time.

/// A bettor with a share of the 1.
#[derive(Clone, Copy, Debug)]
struct Bettor {
    /// The salvo of each match on which they bet, from 0, if no earlier one has hit; `None`: they bet on all.
    search: Option<usize>,
    /// The staked share of their money.
    stake: f64,
}

/// An honest player's hits relative to chance, at most: a tenth more, because they know how people place their fleets,
/// and because chances are drawn, not counted.
pub const SKILL: f64 = 1.1;

/// The bound for salvos that look for the first ship of a match, where habits count for most: half as much again.
pub const SEARCH_SKILL: f64 = 1.5;

/// The stakes of the bettors on all salvos.
const STAKES: [f64; 5] = [0.01, 0.02, 0.05, 0.1, 0.2];

/// The stakes of the bettors on one salvo of each match.
const SEARCH_STAKES: [f64; 3] = [0.2, 0.4, 0.8];

/// The number of first salvos of a match with bettors of their own.
const SEARCHES: usize = 8;

const BETTORS: usize = STAKES.len() + SEARCHES * SEARCH_STAKES.len();

/// All bettors. Each begins with an equal part.
fn bettors() -> impl Iterator<Item = Bettor> {
    let all = STAKES.into_iter().map(|stake| Bettor { search: None, stake });
    let searching = |search| SEARCH_STAKES.into_iter().map(move |stake| Bettor { search: Some(search), stake });
    all.chain((0..SEARCHES).flat_map(searching))
}

impl Bettor {
    /// An honest player's allowance relative to chance for this salvo; `None`: they don't bet on it.
    fn skill(self, number: usize, hit_before: bool) -> Option<f64> {
        match self.search {
            None => Some(SKILL),
            Some(search) => (search == number && !hit_before).then_some(SEARCH_SKILL),
        }
    }
}

/// The lowest chance of a hit that is used, so that one lucky shot at a corner proves nothing.
pub const LEAST_CHANCE: f64 = 0.02;

/// The evidence for a suspicion: an honest player has a chance of one in a million at most to reach it, in the examined
/// matches.
pub const SUSPECT: f64 = 1_000_000.0;

/// A salvo of a finished match.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Salvo {
    /// The number of shots.
    pub shots: u32,
    /// The number of true hits.
    pub hits: u32,
    /// The expected hits by chance, given the player's information.
    pub expected: f64,
}

/// The evidence against a player's hits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HitTest {
    /// The money of each bettor, as a logarithm.
    money: [f64; BETTORS],
    /// The most of all money at any time, as a logarithm.
    most: f64,
    shots: u64,
    hits: u64,
    expected: f64,
}

impl Default for HitTest {
    fn default() -> Self {
        let part = -(BETTORS as f64).ln();
        Self { money: [part; BETTORS], most: 0.0, shots: 0, hits: 0, expected: 0.0 }
    }
}

impl HitTest {
    /// Takes in all salvos of another match.
    pub fn take_in(&mut self, salvos: &[Salvo]) {
        let mut hit_before = false;
        for (number, salvo) in salvos.iter().enumerate() {
            self.salvo(number, hit_before, *salvo);
            hit_before |= salvo.hits > 0;
        }
    }

    fn salvo(&mut self, number: usize, hit_before: bool, Salvo { shots, hits, expected }: Salvo) {
        if shots == 0 || !expected.is_finite() {
            return;
        }
        let (shots, hits) = (f64::from(shots), f64::from(hits.min(shots)));
        self.shots += shots as u64;
        self.hits += hits as u64;
        self.expected += expected.clamp(0.0, shots);
        for (money, bettor) in self.money.iter_mut().zip(bettors()) {
            if let Some(skill) = bettor.skill(number, hit_before) {
                let odds = hits / (expected * skill).clamp(LEAST_CHANCE * shots, shots);
                *money += (bettor.stake * (odds - 1.0)).ln_1p();
            }
        }
        self.most = self.most.max(self.log_evidence());
    }

    /// The bettors' current money, as a natural logarithm: 0 at the beginning.
    #[must_use]
    pub fn log_evidence(&self) -> f64 {
        let largest = self.money.into_iter().fold(f64::NEG_INFINITY, f64::max);
        largest + self.money.iter().map(|part| (part - largest).exp()).sum::<f64>().ln()
    }

    /// The most money that the bettors ever had. An honest player gets it to `n` with a chance of `1/n` at most.
    #[must_use]
    pub fn evidence(&self) -> f64 {
        self.most.exp().min(f64::MAX)
    }

    /// Is the evidence so strong that chance is no explanation?
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        self.evidence() >= SUSPECT
    }

    /// The number of shots.
    #[must_use]
    pub const fn shots(&self) -> u64 {
        self.shots
    }

    /// The number of hits.
    #[must_use]
    pub const fn hits(&self) -> u64 {
        self.hits
    }

    /// The expected hits by chance.
    #[must_use]
    pub const fn expected(&self) -> f64 {
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use broadside_rules::Dice;
    use proptest::prelude::*;

    use super::*;

    /// A player with a different chance of a hit for each shot, unlike the chance that the test is given.
    fn shoots(seed: u64, shots: u32, chance: impl Fn(f64) -> f64) -> HitTest {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_be_bytes());
        let mut dice = Dice::from_seed(bytes);
        let mut unit = || f64::from(dice.below(1 << 16)) / f64::from(1 << 16);
        let mut salvos = Vec::new();
        for _ in 0..shots {
            let told = 0.03 + 0.9 * unit() * unit();
            salvos.push(Salvo { shots: 1, hits: u32::from(unit() < chance(told)), expected: told });
        }
        let mut test = HitTest::default();
        salvos.chunks(40).for_each(|salvos| test.take_in(salvos));
        test
    }

    fn one_shot(test: &mut HitTest, hits: u32, expected: f64) {
        test.take_in(&[Salvo { shots: 1, hits, expected }]);
    }

    #[test]
    fn an_honest_player_gets_to_n_with_a_chance_of_one_in_n() {
        const PLAYERS: u64 = 2_000;
        for (skill, name) in [(1.0, "chance"), (SKILL, "all that is allowed")] {
            let most: Vec<f64> = (0..PLAYERS).map(|seed| shoots(seed, 2_000, |p| p * skill).evidence()).collect();
            for n in [5.0, 20.0, 100.0] {
                let reached = most.iter().filter(|most| **most >= n).count() as f64;
                assert!(reached <= PLAYERS as f64 / n * 1.5, "{name}: {reached} of {PLAYERS} got to {n}");
            }
        }
    }

    #[test]
    fn who_looks_at_one_cell_in_ten_is_found() {
        let found = (0..50).filter(|seed| shoots(*seed, 4_000, |p| p + 0.1 * (1.0 - p)).is_suspect()).count();
        assert_eq!(found, 50);
        let honest = (0..50).filter(|seed| shoots(*seed, 4_000, |p| p).is_suspect()).count();
        assert_eq!(honest, 0);
    }

    /// The number of matches until a suspicion against a player who sees a ship and fires at it with this shot of each
    /// match, if they have found none before. Their other shots hit `skill` times as often as chance, which is 0.17.
    fn after(sure: Option<usize>, skill: f64) -> Option<usize> {
        let (mut test, mut dice) = (HitTest::default(), Dice::from_seed([7; 32]));
        (1..=400).find(|_| {
            let shot = |number| {
                let hits = u32::from(sure == Some(number) || f64::from(dice.below(1000)) < 170.0 * skill);
                Salvo { shots: 1, hits, expected: 0.17 }
            };
            let mut salvos: Vec<Salvo> = (0..12).map(shot).collect();
            let first = salvos.iter().position(|salvo| salvo.hits > 0);
            salvos.truncate(first.map_or(12, |first| first + 1));
            test.take_in(&salvos);
            test.is_suspect()
        })
    }

    #[test]
    fn who_sees_a_ship_is_found_whenever_they_fire_at_it() {
        for (sure, at_most) in [(0, 20), (1, 30), (3, 45), (7, 120)] {
            let found = after(Some(sure), 1.0);
            assert!(found.is_some_and(|matches| matches < at_most), "{sure}: {found:?}");
        }
        assert_eq!(after(None, 1.0), None);
    }

    #[test]
    fn who_hits_with_the_first_shots_as_often_as_is_allowed_is_not_suspected() {
        assert_eq!(after(None, SEARCH_SKILL / SKILL), None);
    }

    #[test]
    fn by_hand() {
        let mut test = HitTest::default();
        assert_eq!((test.evidence(), test.shots()), (1.0, 0));
        // A hit at a chance of one in four. An honest player may have a tenth more: it pays 1 / 0.275; with a salvo
        // that looks for the first ship half as much again: 1 / 0.375. Bettors on later salvos keep their money.
        one_shot(&mut test, 1, 0.25);
        let all = [0.01, 0.02, 0.05, 0.1, 0.2].map(|stake| 1.0 + stake * (1.0 / 0.275 - 1.0));
        let first = [0.2, 0.4, 0.8].map(|stake| 1.0 + stake * (1.0 / 0.375 - 1.0));
        let expected: f64 = all.iter().chain(&first).chain(&[1.0; 21]).map(|money| money / 29.0).sum();
        assert!((test.evidence() - expected).abs() < 1e-12, "{}", test.evidence());
        // A miss takes the stakes; the maximum stays.
        one_shot(&mut test, 0, 0.25);
        assert!(test.log_evidence() < expected.ln() && (test.evidence() - expected).abs() < 1e-12);
        assert_eq!((test.shots(), test.hits(), test.expected()), (2, 1, 0.5));
    }

    proptest! {
        #[test]
        fn no_salvo_breaks_it(salvos in prop::collection::vec((0_u32..12, 0_u32..20, -1.0_f64..30.0), 0..200)) {
            let mut test = HitTest::default();
            for (shots, hits, expected) in salvos {
                test.take_in(&[Salvo { shots, hits, expected }]);
                prop_assert!(test.evidence() >= 1.0 && test.evidence().is_finite());
                prop_assert!(test.hits() <= test.shots());
            }
        }

        /// A certain hit is no evidence: a player who knows a ship's cells may sink it.
        #[test]
        fn what_is_certain_says_nothing(shots in 1_u32..9) {
            let mut test = HitTest::default();
            test.take_in(&[Salvo { shots, hits: shots, expected: f64::from(shots) }]);
            prop_assert_eq!(test.evidence(), 1.0);
        }
    }
}
