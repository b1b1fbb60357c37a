//! Glicko-2, as in Mark Glickman's paper ("Example of the Glicko-2 system", edition of 22 March 2022,
//! <https://glicko.net/glicko/glicko2.pdf>), with one change: a match is rated by itself when it ends, and the time
//! since the player's last match counts as a number of rating periods, which may be a fraction. Step 6 of the paper
//! adds the square of the volatility once, for one period; here it is added that many times. With exactly one period it
//! is the paper's method.
//!
//! Because of that change the formulas are here and not the crate `skillratings`', which [`crate::weng_lin`] uses: its
//! Glicko-2 knows whole rating periods only. It serves as the oracle instead: for whole periods both must agree (tested
//! below), and only fractions are ours alone.
//!
//! Numbers in, numbers out. The constants, and the limits of a rating, are in [`crate::rating_algorithm`].

use core::f64::consts::PI;

use crate::Rating;

/// One unit of the paper's internal scale, in points of a rating.
pub const SCALE: f64 = 173.7178;
/// The rating that is 0 on the internal scale.
const MIDDLE: f64 = 1500.0;
/// The tolerance of the search for the volatility. The paper's example has 0.000001; with a smaller one, rounding makes
/// no difference.
const EPSILON: f64 = 1e-12;
/// The most rounds of the search for the volatility, more than it ever takes: each adds digits.
const ROUNDS: usize = 200;

/// The result of one game.
#[derive(Clone, Copy, Debug)]
pub struct Result {
    /// The opponent's rating.
    pub rating: f64,
    /// The opponent's deviation.
    pub deviation: f64,
    /// The player's score: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub score: f64,
}

/// The deviation after this many periods without a match (step 6 of the paper).
pub fn grown(deviation: f64, volatility: f64, periods: f64) -> f64 {
    let step = SCALE * volatility;
    (deviation * deviation + periods * step * step).sqrt()
}

/// The rating after these results (steps 3 to 8 of the paper), `periods` after the last ones, in which the deviation
/// grows up to `max_deviation`. `tau` restrains the change of the volatility: 0.3 to 1.2 by the paper.
pub fn updated(
    before: Rating,
    volatility: f64,
    periods: f64,
    max_deviation: f64,
    results: &[Result],
    tau: f64,
) -> Rating {
    let (mu, phi) = ((before.rating - MIDDLE) / SCALE, before.deviation / SCALE);
    // Steps 3 and 4: the variance by the results alone, and the improvement that they suggest.
    let (mut information, mut surprise) = (0.0, 0.0);
    for result in results {
        let (mu_j, phi_j) = ((result.rating - MIDDLE) / SCALE, result.deviation / SCALE);
        let g = g(phi_j);
        let expected = expected(g, mu, mu_j);
        information += g * g * expected * (1.0 - expected);
        surprise += g * (result.score - expected);
    }
    let variance = 1.0 / information;
    let volatility = new_volatility(volatility, phi, variance, variance * surprise, tau);
    // Steps 6 to 8.
    let phi_star = (phi * phi + periods * volatility * volatility).sqrt().min(max_deviation / SCALE);
    let phi = 1.0 / (1.0 / (phi_star * phi_star) + information).sqrt();
    let mu = mu + phi * phi * surprise;
    Rating { rating: SCALE * mu + MIDDLE, deviation: SCALE * phi, volatility: Some(volatility) }
}

/// The paper's g: the weight of a result against an opponent of this deviation.
fn g(phi: f64) -> f64 {
    1.0 / (1.0 + 3.0 * phi * phi / (PI * PI)).sqrt()
}

/// The paper's E: the player's expected score.
fn expected(g: f64, mu: f64, mu_j: f64) -> f64 {
    1.0 / (1.0 + (-g * (mu - mu_j)).exp())
}

/// Step 5: the volatility that makes the results most likely, by the Illinois algorithm.
fn new_volatility(volatility: f64, phi: f64, variance: f64, delta: f64, tau: f64) -> f64 {
    let a = (volatility * volatility).ln();
    let f = |x: f64| {
        let e = x.exp();
        let sum = phi * phi + variance + e;
        e * (delta * delta - phi * phi - variance - e) / (2.0 * sum * sum) - (x - a) / (tau * tau)
    };
    let mut one = a;
    let mut two = if delta * delta > phi * phi + variance {
        (delta * delta - phi * phi - variance).ln()
    } else {
        let mut k = 1.0;
        while f(a - k * tau) < 0.0 {
            k += 1.0;
        }
        a - k * tau
    };
    let (mut f_one, mut f_two) = (f(one), f(two));
    for _ in 0..ROUNDS {
        if (two - one).abs() <= EPSILON || f_two == f_one {
            break;
        }
        let three = one + (one - two) * f_one / (f_two - f_one);
        let f_three = f(three);
        if f_three * f_two <= 0.0 {
            (one, f_one) = (two, f_two);
        } else {
            f_one /= 2.0;
        }
        (two, f_two) = (three, f_three);
    }
    (one / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(value: f64, digits: i32) -> f64 {
        let power = 10_f64.powi(digits);
        (value * power).round() / power
    }

    /// The example of the paper, to every printed digit. The paper goes on from printed digits: its r' = 1464.06 comes
    /// from mu' = -0.2069, where more digits (-0.206940) give 1464.05.
    #[test]
    fn the_worked_example_of_the_paper() {
        let opponents = [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)];
        let inner = opponents.map(|(rating, deviation, _)| ((rating - MIDDLE) / SCALE, deviation / SCALE));
        assert_eq!(inner.map(|(mu, _)| round(mu, 4)), [-0.5756, 0.2878, 1.1513]);
        assert_eq!(inner.map(|(_, phi)| round(phi, 4)), [0.1727, 0.5756, 1.7269]);
        assert_eq!(inner.map(|(_, phi)| round(g(phi), 4)), [0.9955, 0.9531, 0.7242]);
        assert_eq!(inner.map(|(mu, phi)| round(expected(g(phi), 0.0, mu), 3)), [0.639, 0.432, 0.303]);

        let player = Rating { rating: 1500.0, deviation: 200.0, volatility: Some(0.06) };
        let results = opponents.map(|(rating, deviation, score)| Result { rating, deviation, score });
        let after = updated(player, 0.06, 1.0, 350.0, &results, 0.5);
        // The volatility is 0.059996: the paper truncates it after five digits.
        assert_eq!((after.volatility.unwrap() * 1e5).floor(), 5999.0);
        let (mu, phi) = ((after.rating - MIDDLE) / SCALE, after.deviation / SCALE);
        assert_eq!((round(mu, 4), round(phi, 4)), (-0.2069, 0.8722));
        assert_eq!(round(SCALE * round(mu, 4) + MIDDLE, 2), 1464.06);
        assert_eq!(round(after.deviation, 2), 151.52);
        // The result of a bisection in another language: the same to the last digits.
        assert!(
            (after.rating - 1464.0506705390892).abs() < 1e-9 && (after.deviation - 151.51652412430434).abs() < 1e-9
        );
        assert!((after.volatility.unwrap() - 0.059995984400677826).abs() < 1e-12);
    }

    #[test]
    fn who_does_not_play_only_grows_less_certain() {
        // Step 6 for players who don't compete: phi' = sqrt(phi² + volatility²).
        assert_eq!(round(grown(200.0, 0.06, 1.0), 4), round((200.0_f64.powi(2) + (0.06 * SCALE).powi(2)).sqrt(), 4));
        // Two half periods are one period.
        let halves = grown(grown(60.0, 0.06, 0.5), 0.06, 0.5);
        assert!((halves - grown(60.0, 0.06, 1.0)).abs() < 1e-12);
    }

    #[test]
    fn a_great_surprise_raises_the_volatility_and_an_expected_result_does_not() {
        let player = Rating { rating: 1500.0, deviation: 80.0, volatility: Some(0.06) };
        let against =
            |rating, score| updated(player, 0.06, 1.0, 350.0, &[Result { rating, deviation: 50.0, score }], 0.75);
        assert!(against(2400.0, 1.0).volatility.unwrap() > 0.06);
        assert!(against(1500.0, 0.5).volatility.unwrap() < 0.06);
        assert_eq!(round(against(1500.0, 0.5).rating, 9), 1500.0);
        // Between equals, one player's gain is the other's loss.
        let (won, lost) = (against(1500.0, 1.0).rating, against(1500.0, 0.0).rating);
        assert!((won + lost - 3000.0).abs() < 1e-9 && won > 1500.0);
    }

    use skillratings::Outcomes;
    use skillratings::glicko2::{Glicko2Config, Glicko2Rating, decay_deviation, glicko2_rating_period};

    fn theirs(rating: Rating) -> Glicko2Rating {
        Glicko2Rating { rating: rating.rating, deviation: rating.deviation, volatility: rating.volatility.unwrap() }
    }

    /// The same by `skillratings`: whole periods without a match, and one with these results at its end.
    fn by_the_crate(before: Rating, idle_periods: u8, results: &[Result], tau: f64) -> Glicko2Rating {
        let waited = (0..idle_periods).fold(theirs(before), |rating, _| decay_deviation(&rating));
        let outcome = |score: f64| match score {
            1.0 => Outcomes::WIN,
            0.0 => Outcomes::LOSS,
            _ => Outcomes::DRAW,
        };
        let against = |result: &Result| {
            (
                Glicko2Rating { rating: result.rating, deviation: result.deviation, volatility: 0.06 },
                outcome(result.score),
            )
        };
        let results: Vec<_> = results.iter().map(against).collect();
        glicko2_rating_period(&waited, &results, &Glicko2Config { tau, convergence_tolerance: EPSILON })
    }

    fn alike(ours: Rating, theirs: Glicko2Rating) -> bool {
        (ours.rating - theirs.rating).abs() < 1e-9
            && (ours.deviation - theirs.deviation).abs() < 1e-9
            && (ours.volatility.unwrap() - theirs.volatility).abs() < 1e-9
    }

    #[test]
    fn the_crate_says_the_same_of_the_worked_example() {
        let player = Rating { rating: 1500.0, deviation: 200.0, volatility: Some(0.06) };
        let results = [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)];
        let results = results.map(|(rating, deviation, score)| Result { rating, deviation, score });
        let (ours, theirs) = (updated(player, 0.06, 1.0, 350.0, &results, 0.5), by_the_crate(player, 0, &results, 0.5));
        assert!(alike(ours, theirs), "{ours:?}, {theirs:?}");
    }

    proptest::proptest! {
        #[test]
        fn whole_periods_are_the_crates(
            own in (800.0..2800.0_f64, 45.0..350.0_f64, 0.03..0.1_f64),
            others in proptest::collection::vec((800.0..2800.0_f64, 45.0..350.0_f64, 0..3_u8), 1..5),
            tau in 0.3..1.2_f64,
            idle in 0..60_u8,
        ) {
            let (rating, deviation, volatility) = own;
            let own = Rating { rating, deviation, volatility: Some(volatility) };
            let result = |(rating, deviation, score)| Result { rating, deviation, score: f64::from(score) / 2.0 };
            let results: Vec<Result> = others.into_iter().map(result).collect();
            // The period of the match is the last one; those before it were idle.
            let waited = Rating { deviation: grown(deviation, volatility, f64::from(idle)).min(350.0), ..own };
            let ours = updated(waited, volatility, 1.0, f64::INFINITY, &results, tau);
            let theirs = by_the_crate(own, idle, &results, tau);
            proptest::prop_assert!(alike(ours, theirs), "{:?}, {:?}", ours, theirs);
        }
    }
}
