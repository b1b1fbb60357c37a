//! Ratings of matches with more than two seats, by Weng and Lin: "A Bayesian Approximation Method for Online Ranking",
//! Journal of Machine Learning Research 12 (2011), Algorithm 1 (Bradley–Terry, full pair), where each team is one
//! player. Every seat is compared with every other: a better place is a win, a shared place a draw.
//!
//! The computation is the crate `skillratings`'; here is only how a match is passed to it. Its version is pinned,
//! because ledgers name a version of the method. After an update of the crate, the tests below decide: if a figure has
//! moved by more than rounding, the method takes its next version ([`crate::rating_algorithm`]).
//!
//! Numbers in, numbers out. The constants, and the limits of a rating, are in [`crate::rating_algorithm`].

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use crate::Rating;

/// The least share of the variance that one match leaves (the paper's kappa).
const KAPPA: f64 = 0.0001;

/// A seat at the end of a match.
#[derive(Clone, Copy, Debug)]
pub struct Finisher {
    /// The rating before the match: the mean.
    pub rating: f64,
    /// The deviation before the match, including the growth in idle time.
    pub deviation: f64,
    /// The place, from 1; equals share one.
    pub place: u8,
}

/// The ratings after the match, in the order of `field`. `beta` is the variation of a single performance, in points.
pub fn updated(field: &[Finisher], beta: f64) -> Vec<Rating> {
    let alone = |own: &Finisher| [WengLinRating { rating: own.rating, uncertainty: own.deviation }];
    let players: Vec<[WengLinRating; 1]> = field.iter().map(alone).collect();
    let place = |own: &Finisher| MultiTeamOutcome::new(usize::from(own.place));
    let teams: Vec<_> = players.iter().zip(field).map(|(player, own)| (player.as_slice(), place(own))).collect();
    let after = weng_lin_multi_team(&teams, &WengLinConfig { beta, uncertainty_tolerance: KAPPA });
    let rating = |own: WengLinRating| Rating { rating: own.rating, deviation: own.uncertainty, volatility: None };
    after.into_iter().flatten().map(rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The defaults behind the published values: mean 25, deviation 25/3, beta 25/6.
    fn newcomers(places: &[u8]) -> Vec<Finisher> {
        places.iter().map(|place| Finisher { rating: 25.0, deviation: 25.0 / 3.0, place: *place }).collect()
    }

    fn close(found: &[Rating], published: &[(f64, f64)]) {
        assert_eq!(found.len(), published.len());
        for (found, (rating, deviation)) in found.iter().zip(published) {
            assert!((found.rating - rating).abs() < 1e-12, "{found:?}, not {rating}");
            assert!((found.deviation - deviation).abs() < 1e-12, "{found:?}, not {deviation}");
        }
    }

    /// The published values of openskill (the reference implementation in JavaScript, with ports to Python, Elixir and
    /// Go) for its model Bradley–Terry full.
    #[test]
    fn the_published_values() {
        let two = [(27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)];
        close(&updated(&newcomers(&[1, 2]), 25.0 / 6.0), &two);
        let three =
            [(30.2704627669473, 7.788474807872566), (25.0, 7.788474807872566), (19.7295372330527, 7.788474807872566)];
        close(&updated(&newcomers(&[1, 2, 3]), 25.0 / 6.0), &three);
        let four = [32.90569415042095, 27.63523138347365, 22.36476861652635, 17.09430584957905];
        close(&updated(&newcomers(&[1, 2, 3, 4]), 25.0 / 6.0), &four.map(|rating| (rating, 7.5012190693964005)));
        let five = [35.5409255338946, 30.2704627669473, 25.0, 19.729537233052703, 14.4590744661054];
        close(&updated(&newcomers(&[1, 2, 3, 4, 5]), 25.0 / 6.0), &five.map(|rating| (rating, 7.202515895247076)));
    }

    #[test]
    fn who_shares_a_place_shares_what_it_brings() {
        // A shared place is a draw: two newcomers keep their ratings.
        close(&updated(&newcomers(&[1, 1]), 25.0 / 6.0), &[(25.0, 8.065506316323548); 2]);
        let after = updated(&newcomers(&[1, 2, 2, 4]), 25.0 / 6.0);
        assert_eq!(after[1], after[2]);
        assert!(after[0].rating > after[1].rating && after[1].rating > after[3].rating);
        // One win, one loss and a draw against equals: nothing gained.
        assert!((after[1].rating - 25.0).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_the_seats_makes_no_difference() {
        let mut field = newcomers(&[3, 1, 2]);
        field[0].rating = 30.0;
        let there = updated(&field, 25.0 / 6.0);
        field.reverse();
        let mut back = updated(&field, 25.0 / 6.0);
        back.reverse();
        for (one, two) in there.iter().zip(back) {
            assert!((one.rating - two.rating).abs() < 1e-12 && (one.deviation - two.deviation).abs() < 1e-12);
        }
    }

    /// The paper's Algorithm 1, step by step, for one seat: the crate must agree, also far from the newcomers of the
    /// published values.
    fn by_the_paper(field: &[Finisher], index: usize, beta: f64) -> (f64, f64) {
        let (own, mut omega, mut delta) = (field[index], 0.0, 0.0);
        let variance = own.deviation.powi(2);
        for (_, other) in field.iter().enumerate().filter(|(at, _)| *at != index) {
            let c = (variance + other.deviation.powi(2) + 2.0 * beta * beta).sqrt();
            let p = 1.0 / (1.0 + ((other.rating - own.rating) / c).exp());
            let score = if own.place < other.place {
                1.0
            } else if own.place == other.place {
                0.5
            } else {
                0.0
            };
            omega += variance / c * (score - p);
            delta += own.deviation / c * (variance / (c * c)) * p * (1.0 - p);
        }
        (own.rating + omega, own.deviation * (1.0 - delta).max(KAPPA).sqrt())
    }

    proptest::proptest! {
        #[test]
        fn it_is_the_papers_algorithm_wherever_ratings_can_be(
            seats in proptest::collection::vec((100.0..4000.0_f64, 75.0..500.0_f64, 1..8_u8), 2..8)
        ) {
            let finisher = |(rating, deviation, place)| Finisher { rating, deviation, place };
            let field: Vec<Finisher> = seats.into_iter().map(finisher).collect();
            for (index, found) in updated(&field, 250.0).iter().enumerate() {
                let (rating, deviation) = by_the_paper(&field, index, 250.0);
                proptest::prop_assert!((found.rating - rating).abs() < 1e-9, "{:?}, not {}", found, rating);
                proptest::prop_assert!((found.deviation - deviation).abs() < 1e-9, "{:?}, not {}", found, deviation);
            }
        }
    }
}
