//! How ratings are worked out: which method a pool has, its constants, what idle time does, and who is established.
//!
//! Everything that the result depends on is a constant here, published with the pool, and named together by [`Algorithm::version`]: whoever changes one
//! gives the version its next number and keeps the old one for the rows that name it.

use broadside_rules::Time;

use super::{Pool, Rating, Speed, Standing, glicko2, weng_lin};

/// A rating period, in seconds. So long that in a year without a match a deviation of 60 grows to 110 at the volatility that newcomers have: lichess's choice for
/// correspondence, too (0.21436 periods a day).
pub const PERIOD_S: f64 = 403_060.0;
/// What newcomers begin with.
pub const FIRST_RATING: f64 = 1500.0;
/// No rating falls below this.
pub const LEAST_RATING: f64 = 100.0;
/// No rating rises above this.
pub const MOST_RATING: f64 = 4000.0;

/// The constants of a method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// Counts the sets of constants.
    pub version: u32,
    /// The deviation of newcomers, which no deviation grows beyond.
    pub first_deviation: f64,
    /// No deviation falls below this, so that a rating goes on following its player.
    pub least_deviation: f64,
    /// A rating with at most this deviation is established; above, it is provisional.
    pub established_deviation: f64,
    /// What the method wants beside that.
    pub method: Method,
}

/// A method and its own constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// Glicko-2, for duels.
    Glicko2 {
        /// The volatility of newcomers.
        first_volatility: f64,
        /// No volatility rises above this.
        most_volatility: f64,
        /// How far the volatility may change: 0.3 to 1.2 by the paper.
        tau: f64,
    },
    /// Weng-Lin, for more than two seats.
    WengLin {
        /// How much a single performance varies.
        beta: f64,
        /// By the square of this the variance grows in each period without a match.
        drift: f64,
    },
}

/// Duels. 1500, 350 and 0.06 are the paper's; tau, the least deviation and the bound of 110 are lichess's.
const DUELS: Algorithm = Algorithm {
    name: "glicko-2",
    version: 1,
    first_deviation: 350.0,
    least_deviation: 45.0,
    established_deviation: 110.0,
    method: Method::Glicko2 { first_volatility: 0.06, most_volatility: 0.1, tau: 0.75 },
};

/// More than two seats. The paper's 25, 25/3 and 25/6 times sixty, so that they look like other ratings. About ten matches of four establish a newcomer,
/// and in a year without a match a deviation of 175 grows to 250.
const MANY: Algorithm = Algorithm {
    name: "weng-lin",
    version: 1,
    first_deviation: 500.0,
    least_deviation: 75.0,
    established_deviation: 250.0,
    method: Method::WengLin { beta: 250.0, drift: 20.2 },
};

/// A seat of a match that is to be rated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entrant {
    /// The rating that the last change left.
    pub before: Rating,
    /// Seconds since the last rated match; none: this is the first.
    pub idle_s: Option<u64>,
    /// The place taken, from 1.
    pub place: u8,
}

impl Algorithm {
    /// The algorithm of a pool.
    pub fn of(pool: &Pool) -> &'static Self {
        if pool.many { &MANY } else { &DUELS }
    }

    /// The algorithm of that name and version, whatever is in use now.
    pub fn find(name: &str, version: u32) -> Option<&'static Self> {
        [&DUELS, &MANY].into_iter().find(|known| known.name == name && known.version == version)
    }

    /// What a newcomer begins with.
    pub fn first(&self) -> Rating {
        let volatility = match self.method {
            Method::Glicko2 { first_volatility, .. } => Some(first_volatility),
            Method::WengLin { .. } => None,
        };
        Rating { rating: FIRST_RATING, deviation: self.first_deviation, volatility }
    }

    /// The rating after so many seconds without a match: only its deviation has grown.
    pub fn idle(&self, rating: Rating, idle_s: Option<u64>) -> Rating {
        let periods = periods(idle_s);
        let grown = match self.method {
            Method::Glicko2 { .. } => glicko2::grown(rating.deviation, self.volatility(&rating), periods),
            Method::WengLin { drift, .. } => (rating.deviation * rating.deviation + periods * drift * drift).sqrt(),
        };
        Rating { deviation: grown.min(self.first_deviation), ..rating }
    }

    fn volatility(&self, rating: &Rating) -> f64 {
        rating.volatility.or(self.first().volatility).unwrap_or_default()
    }

    /// The ratings after a match, in the order of its seats. The others' deviations are as they are at that moment: grown by the idle time of each.
    pub fn rated(&self, field: &[Entrant]) -> Vec<Rating> {
        let now: Vec<Rating> = field.iter().map(|entrant| self.idle(entrant.before, entrant.idle_s)).collect();
        let after: Vec<Rating> = match self.method {
            Method::Glicko2 { tau, .. } => {
                let one = |(index, own): (usize, &Entrant)| {
                    let others = field.iter().zip(&now).enumerate().filter(|(at, _)| *at != index);
                    let results: Vec<glicko2::Result> =
                        others.map(|(_, (other, now))| against(own, other, now)).collect();
                    let (volatility, periods) = (self.volatility(&own.before), periods(own.idle_s));
                    glicko2::updated(own.before, volatility, periods, self.first_deviation, &results, tau)
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
            Method::Glicko2 { most_volatility, .. } => {
                rating.volatility.map(|volatility| volatility.min(most_volatility))
            }
            Method::WengLin { .. } => None,
        };
        Rating {
            rating: rating.rating.clamp(LEAST_RATING, MOST_RATING),
            deviation: rating.deviation.clamp(self.least_deviation, self.first_deviation),
            volatility,
        }
    }

    /// Whether a rating with this deviation is still provisional.
    pub fn is_provisional(&self, deviation: f64) -> bool {
        deviation > self.established_deviation
    }

    /// For how many seconds a rating stays established without another match; none: it isn't.
    fn established_for_s(&self, rating: &Rating) -> Option<f64> {
        let room = self.established_deviation * self.established_deviation - rating.deviation * rating.deviation;
        let a_period = match self.method {
            Method::Glicko2 { .. } => (glicko2::SCALE * self.volatility(rating)).powi(2),
            Method::WengLin { drift, .. } => drift * drift,
        };
        (room >= 0.0).then(|| room / a_period * PERIOD_S)
    }
}

/// What a duel's seat scored against the other.
fn against(own: &Entrant, other: &Entrant, now: &Rating) -> glicko2::Result {
    let score = match own.place.cmp(&other.place) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    };
    glicko2::Result { rating: now.rating, deviation: now.deviation, score }
}

fn periods(idle_s: Option<u64>) -> f64 {
    idle_s.unwrap_or_default() as f64 / PERIOD_S
}

/// For how many seconds after his last rated match a player is active.
pub fn active_s(speed: Speed) -> u32 {
    match speed {
        Speed::Live => 60 * 86_400,
        Speed::Days => 180 * 86_400,
    }
}

/// Until when a player stands on the leaderboard if he plays no more: as long as he is active and his rating established; none: he doesn't stand there.
pub fn listed_until(pool: &Pool, standing: &Standing) -> Option<Time> {
    let established_s = Algorithm::of(pool).established_for_s(&standing.rating)?;
    let for_s = established_s.min(f64::from(active_s(pool.speed))).floor();
    // A number of seconds that fits: it is no more than half a year.
    standing.rated_at.map(|at| at.plus_s(for_s as u32))
}

/// The whole seconds between a player's last rated match and this one. Clocks of several nodes may differ by a little: then it is nothing.
pub fn idle_s(standing: &Standing, at: Time) -> Option<u64> {
    standing.rated_at.map(|last| (at.0 - last.0).max(0).unsigned_abs() / 1000)
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
        // Never beyond what newcomers have.
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
            let (mut own, mut played) = (algorithm.first(), 0);
            assert!(algorithm.is_provisional(own.deviation), "{pool}");
            let seats = if pool.many { 4 } else { 2 };
            while algorithm.is_provisional(own.deviation) {
                let other = Entrant {
                    before: Rating { deviation: algorithm.established_deviation, ..algorithm.first() },
                    idle_s: Some(0),
                    place: 2,
                };
                let mut field = vec![other; seats];
                // He wins every other match.
                field[0] = Entrant { before: own, idle_s: Some(86_400), place: 1 + (played % 2) * 2 };
                own = algorithm.rated(&field)[0];
                played += 1;
                assert!(played < 30, "{pool}: {own:?}");
            }
            assert!(played >= 5, "{pool}: established after {played} matches");
            let at = Time(1_000_000_000);
            let account = crate::ids::AccountId(uuid::Uuid::nil());
            let standing = Standing { account, number: 1, rating: own, matches: 9, rated_at: Some(at) };
            let until = listed_until(&pool, &standing).unwrap();
            assert!(until >= at && until <= at.plus_s(active_s(pool.speed)), "{pool}");
            // A moment before he is established by the same reckoning, if it is not for being inactive that he goes.
            let idle = algorithm.idle(own, Some((until.0 - at.0).unsigned_abs() / 1000));
            assert!(!algorithm.is_provisional(idle.deviation), "{pool}: {idle:?}");
            assert_eq!(listed_until(&pool, &Standing { rating: algorithm.first(), ..standing }), None);
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
