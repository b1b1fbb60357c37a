//! The computation of a pool's ratings: the method, its constants, idle time, and established ratings.
//!
//! Everything that a result depends on is a constant here. [`Algorithm::name`] and [`Algorithm::version`] name them all
//! together: a change of a constant takes the next version, and the old one stays for the results that name it.

use core::cmp::Ordering;

use broadside_rules::Time;
use serde::{Deserialize, Serialize};

use crate::rating_pool::{Pool, Speed};
use crate::{glicko2, weng_lin};

/// A rating period, in seconds. A year without a match raises a deviation of 60 to 110 at a newcomer's volatility.
/// Lichess uses the same period for correspondence games (0.21436 periods a day).
pub const PERIOD_S: f64 = 403_060.0;
/// The rating of newcomers.
pub const INITIAL_RATING: f64 = 1500.0;
/// The lowest rating.
pub const MIN_RATING: f64 = 100.0;
/// The highest rating.
pub const MAX_RATING: f64 = 4000.0;

/// A rating: an estimate of a player's strength.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Rating {
    /// The strength; newcomers begin with 1500.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 10000))]
    pub rating: f64,
    /// How uncertain the rating is: its standard deviation.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000))]
    pub deviation: f64,
    /// How erratic the player is, in pools of duels (Glicko-2); null elsewhere.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1, required))]
    pub volatility: Option<f64>,
}

impl Rating {
    /// The rating as displayed beside a name: a whole number.
    pub fn shown(&self) -> i32 {
        // Ratings are kept between 100 and 4000.
        self.rating.round() as i32
    }
}

/// A rating method with its constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Algorithm {
    /// The method's name: `glicko-2` or `weng-lin`.
    pub name: &'static str,
    /// The version of the set of constants, from 1.
    pub version: u32,
    /// The deviation of newcomers, and the greatest one.
    pub initial_deviation: f64,
    /// The least deviation, so that a rating goes on following its player.
    pub min_deviation: f64,
    /// The greatest deviation of an established rating; above, it is provisional.
    pub established_deviation: f64,
    /// The method with its own constants.
    pub method: Method,
}

/// A method and its own constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// Glicko-2, for duels ([`glicko2`]).
    Glicko2 {
        /// The volatility of newcomers.
        initial_volatility: f64,
        /// The greatest volatility.
        max_volatility: f64,
        /// The restraint of changes of the volatility: 0.3 to 1.2 by the paper.
        tau: f64,
    },
    /// Weng-Lin, for more than two seats ([`weng_lin`]).
    WengLin {
        /// The variation of a single performance, in points of a rating.
        beta: f64,
        /// The square root of the variance added in each period without a match.
        drift: f64,
    },
}

/// Duels. 1500, 350 and 0.06 are the paper's; tau, the least deviation and the bound of 110 are lichess's.
const DUELS: Algorithm = Algorithm {
    name: "glicko-2",
    version: 1,
    initial_deviation: 350.0,
    min_deviation: 45.0,
    established_deviation: 110.0,
    method: Method::Glicko2 { initial_volatility: 0.06, max_volatility: 0.1, tau: 0.75 },
};

/// More than two seats. The paper's 25, 25/3 and 25/6 times sixty, so that these ratings look like the others. About
/// ten matches of four establish a newcomer, and a year without a match raises a deviation of 175 to 250.
const MANY: Algorithm = Algorithm {
    name: "weng-lin",
    version: 1,
    initial_deviation: 500.0,
    min_deviation: 75.0,
    established_deviation: 250.0,
    method: Method::WengLin { beta: 250.0, drift: 20.2 },
};

/// A seat of a match to be rated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entrant {
    /// The rating after the player's last match.
    pub before: Rating,
    /// Seconds since the player's last rated match; `None` for the first one.
    pub idle_s: Option<u64>,
    /// The place, from 1; equals share one.
    pub place: u8,
}

impl Algorithm {
    /// The algorithm of a pool.
    pub fn of(pool: &Pool) -> &'static Self {
        if pool.many { &MANY } else { &DUELS }
    }

    /// The algorithm of that name and version, in use now or not.
    pub fn find(name: &str, version: u32) -> Option<&'static Self> {
        [&DUELS, &MANY].into_iter().find(|known| known.name == name && known.version == version)
    }

    /// The rating of a newcomer.
    pub fn initial(&self) -> Rating {
        let volatility = match self.method {
            Method::Glicko2 { initial_volatility, .. } => Some(initial_volatility),
            Method::WengLin { .. } => None,
        };
        Rating { rating: INITIAL_RATING, deviation: self.initial_deviation, volatility }
    }

    /// The rating after this many seconds without a match: only its deviation has grown.
    pub fn idle(&self, rating: Rating, idle_s: Option<u64>) -> Rating {
        let periods = periods(idle_s);
        let grown = match self.method {
            Method::Glicko2 { .. } => glicko2::grown(rating.deviation, self.volatility(&rating), periods),
            Method::WengLin { drift, .. } => (rating.deviation * rating.deviation + periods * drift * drift).sqrt(),
        };
        Rating { deviation: grown.min(self.initial_deviation), ..rating }
    }

    fn volatility(&self, rating: &Rating) -> f64 {
        rating.volatility.or(self.initial().volatility).unwrap_or_default()
    }

    /// The ratings after a match, in the order of its seats. Opponents count with their current deviations, including
    /// the growth in idle time.
    pub fn rated(&self, field: &[Entrant]) -> Vec<Rating> {
        let now: Vec<Rating> = field.iter().map(|entrant| self.idle(entrant.before, entrant.idle_s)).collect();
        let after: Vec<Rating> = match self.method {
            Method::Glicko2 { tau, .. } => {
                let one = |(index, own): (usize, &Entrant)| {
                    let others = field.iter().zip(&now).enumerate().filter(|(at, _)| *at != index);
                    let results: Vec<glicko2::Result> =
                        others.map(|(_, (other, now))| against(own, other, now)).collect();
                    let (volatility, periods) = (self.volatility(&own.before), periods(own.idle_s));
                    glicko2::updated(own.before, volatility, periods, self.initial_deviation, &results, tau)
                };
                field.iter().enumerate().map(one).collect()
            }
            Method::WengLin { beta, .. } => {
                let finisher = |(own, now): (&Entrant, &Rating)| weng_lin::Finisher {
                    rating: now.rating,
                    deviation: now.deviation,
                    place: own.place,
                };
                weng_lin::updated(&field.iter().zip(&now).map(finisher).collect::<Vec<_>>(), beta)
            }
        };
        after.into_iter().map(|rating| self.bounded(rating)).collect()
    }

    fn bounded(&self, rating: Rating) -> Rating {
        let volatility = match self.method {
            Method::Glicko2 { max_volatility, .. } => {
                rating.volatility.map(|volatility| volatility.min(max_volatility))
            }
            Method::WengLin { .. } => None,
        };
        Rating {
            rating: rating.rating.clamp(MIN_RATING, MAX_RATING),
            deviation: rating.deviation.clamp(self.min_deviation, self.initial_deviation),
            volatility,
        }
    }

    /// Is a rating with this deviation still provisional?
    pub fn is_provisional(&self, deviation: f64) -> bool {
        deviation > self.established_deviation
    }

    /// The seconds for which a rating stays established without another match; `None`: it is provisional.
    fn established_for_s(&self, rating: &Rating) -> Option<f64> {
        let room = self.established_deviation * self.established_deviation - rating.deviation * rating.deviation;
        let a_period = match self.method {
            Method::Glicko2 { .. } => (glicko2::SCALE * self.volatility(rating)).powi(2),
            Method::WengLin { drift, .. } => drift * drift,
        };
        (room >= 0.0).then(|| room / a_period * PERIOD_S)
    }
}

/// The score of a duel's seat against the other.
fn against(own: &Entrant, other: &Entrant, now: &Rating) -> glicko2::Result {
    let score = match own.place.cmp(&other.place) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    };
    glicko2::Result { rating: now.rating, deviation: now.deviation, score }
}

fn periods(idle_s: Option<u64>) -> f64 {
    idle_s.unwrap_or_default() as f64 / PERIOD_S
}

/// The seconds after their last rated match in which a player is active.
pub fn active_s(speed: Speed) -> u32 {
    match speed {
        Speed::Live => 60 * 86_400,
        Speed::Days => 180 * 86_400,
    }
}

/// The time until which a player stays on the leaderboard without another match: while active, with an established
/// rating; `None`: they are not on it. `rated_at` is the last change of the rating.
pub fn listed_until(pool: &Pool, rating: &Rating, rated_at: Option<Time>) -> Option<Time> {
    let established_s = Algorithm::of(pool).established_for_s(rating)?;
    let for_s = established_s.min(f64::from(active_s(pool.speed))).floor();
    // The number of seconds fits: it is no more than half a year.
    rated_at.map(|at| at.plus_s(for_s as u32))
}

/// The whole seconds between a player's last rated match and `at`; `None` without a match. Clocks of several nodes may
/// differ a little: a time before the last match counts as 0 seconds.
pub fn idle_s(rated_at: Option<Time>, at: Time) -> Option<u64> {
    rated_at.map(|last| at.millis_since(last).max(0).unsigned_abs() / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entrant(rating: f64, deviation: f64, idle_s: u64, place: u8) -> Entrant {
        Entrant { before: Rating { rating, deviation, volatility: Some(0.06) }, idle_s: Some(idle_s), place }
    }

    #[test]
    fn a_year_without_a_match_makes_sixty_a_hundred_and_ten() {
        let year_s = 365 * 86_400 + 21_600;
        let rating = Rating { rating: 1800.0, deviation: 60.0, volatility: Some(0.06) };
        let after = DUELS.idle(rating, Some(year_s));
        assert!((after.deviation - 110.0).abs() < 0.1, "{after:?}");
        assert_eq!(after.rating, 1800.0);
        let after = MANY.idle(Rating { rating: 1800.0, deviation: 175.0, volatility: None }, Some(year_s));
        assert!((after.deviation - 250.0).abs() < 0.5, "{after:?}");
        // At most a newcomer's.
        assert_eq!(DUELS.idle(rating, Some(1000 * year_s)).deviation, 350.0);
    }

    #[test]
    fn who_was_away_is_moved_further_and_moves_others_less() {
        let year_s = 365 * 86_400;
        let fresh = DUELS.rated(&[entrant(1500.0, 60.0, 0, 1), entrant(1500.0, 60.0, 0, 2)]);
        let away = DUELS.rated(&[entrant(1500.0, 60.0, year_s, 1), entrant(1500.0, 60.0, 0, 2)]);
        assert!(away[0].rating > fresh[0].rating + 5.0, "{away:?} {fresh:?}");
        assert!(away[1].rating > fresh[1].rating, "{away:?} {fresh:?}");
    }

    #[test]
    fn matches_establish_and_idleness_makes_provisional_again() {
        for pool in Pool::all() {
            let algorithm = Algorithm::of(&pool);
            let (mut own, mut played) = (algorithm.initial(), 0);
            assert!(algorithm.is_provisional(own.deviation), "{pool}");
            let seats = if pool.many { 4 } else { 2 };
            while algorithm.is_provisional(own.deviation) {
                let other = Entrant {
                    before: Rating { deviation: algorithm.established_deviation, ..algorithm.initial() },
                    idle_s: Some(0),
                    place: 2,
                };
                let mut field = vec![other; seats];
                // The player wins every other match.
                field[0] = Entrant { before: own, idle_s: Some(86_400), place: 1 + (played % 2) * 2 };
                own = algorithm.rated(&field)[0];
                played += 1;
                assert!(played < 30, "{pool}: {own:?}");
            }
            assert!(played >= 5, "{pool}: established after {played} matches");
            let at = Time(1_000_000_000);
            let until = listed_until(&pool, &own, Some(at)).unwrap();
            assert!(until >= at && until <= at.plus_s(active_s(pool.speed)), "{pool}");
            // The player leaves the list while still established by the same computation, or for being inactive.
            let idle = algorithm.idle(own, Some((until.0 - at.0).unsigned_abs() / 1000));
            assert!(!algorithm.is_provisional(idle.deviation), "{pool}: {idle:?}");
            assert_eq!(listed_until(&pool, &algorithm.initial(), Some(at)), None);
        }
    }

    #[test]
    fn who_was_away_for_ever_is_moved_like_a_newcomer_and_no_further() {
        let century_s = 100 * 365 * 86_400;
        let away = DUELS.rated(&[entrant(1500.0, 300.0, century_s, 1), entrant(1500.0, 60.0, 0, 2)]);
        let newcomer = DUELS.rated(&[entrant(1500.0, 350.0, 0, 1), entrant(1500.0, 60.0, 0, 2)]);
        assert!((away[0].rating - newcomer[0].rating).abs() < 0.5, "{away:?}, {newcomer:?}");
    }

    #[test]
    fn what_a_row_names_is_found_again() {
        for pool in Pool::all() {
            let algorithm = Algorithm::of(&pool);
            assert_eq!(Algorithm::find(algorithm.name, algorithm.version), Some(algorithm));
        }
        assert_eq!(Algorithm::find("elo", 1), None);
    }
}
