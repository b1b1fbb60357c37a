//! Ratings from matches of each player against each other, as the service rates duels (Glicko-2).
use broadside_contests::{
    Algorithm, Rating, glicko2,
    rating_algorithm::{INITIAL_RATING, Method},
};
use broadside_rules::RuleSet;

use super::{Game, Options, Who, share};

/// The number of rating periods. All players begin unknown, at 1500.
const PERIODS: usize = 10;

/// The results of one player against another.
#[derive(Clone, Copy)]
struct Pair {
    one: usize,
    other: usize,
    played: f64,
    won: f64,
}

/// Plays at least this many matches of each pair, and prints the ratings and the results by pair. The seats are taken
/// in turn.
pub fn rate(variant: &str, rules: &RuleSet, players: &[Who], options: &Options) {
    let all = (0..players.len()).flat_map(|one| (one + 1..players.len()).map(move |other| (one, other)));
    let mut pairs: Vec<Pair> = all.map(|(one, other)| Pair { one, other, played: 0.0, won: 0.0 }).collect();
    let per_period = options.games.div_ceil(PERIODS).next_multiple_of(2);
    let duels = Algorithm::find("glicko-2", 1).expect("the method of duels");
    let mut ratings = vec![duels.initial(); players.len()];
    for period in 0..PERIODS {
        let mut played = pairs.clone();
        for (at, pair) in played.iter_mut().enumerate() {
            let game = Game { who: players[pair.one], against: Some(players[pair.other]) };
            let first = (period * pairs.len() + at) * per_period;
            let sum = game.season(rules, options, first..first + per_period);
            (pair.played, pair.won) = (sum.played, sum.won);
        }
        ratings = after(duels, &ratings, &played);
        for (pair, played) in pairs.iter_mut().zip(played) {
            pair.played += played.played;
            pair.won += played.won;
        }
    }
    // The sum of all ratings is that of newcomers.
    let middle = ratings.iter().map(|rating| rating.rating).sum::<f64>() / ratings.len().max(1) as f64;
    for (at, (player, rating)) in players.iter().zip(&ratings).enumerate() {
        let points = rating.rating - middle + INITIAL_RATING;
        print!("| {variant} | {} | {points:.0} ± {:.0} |", player.name(), 1.96 * rating.deviation);
        for other in 0..players.len() {
            let met = pairs.iter().find(|pair| (pair.one, pair.other) == (at.min(other), at.max(other)));
            match met {
                Some(pair) if pair.one == at => print!(" {} |", share(pair.won, pair.played)),
                Some(pair) => print!(" {} |", share(pair.played - pair.won, pair.played)),
                None => print!(" |"),
            }
        }
        println!(" {:.0} |", pairs[0].played);
    }
}

/// The ratings after a period, all computed from those before it.
fn after(duels: &Algorithm, before: &[Rating], played: &[Pair]) -> Vec<Rating> {
    let Method::Glicko2 { initial_volatility, max_volatility, tau } = duels.method else {
        panic!("duels are rated by Glicko-2");
    };
    let rated = |(at, own): (usize, &Rating)| {
        let results = played.iter().filter(|pair| pair.one == at || pair.other == at).flat_map(|pair| {
            let (won, other) = if pair.one == at { (pair.won, pair.other) } else { (pair.played - pair.won, pair.one) };
            let score = won / pair.played;
            let result = glicko2::Result { rating: before[other].rating, deviation: before[other].deviation, score };
            std::iter::repeat_n(result, pair.played as usize)
        });
        let results: Vec<glicko2::Result> = results.collect();
        let volatility = own.volatility.unwrap_or(initial_volatility);
        let rating = glicko2::updated(*own, volatility, 1.0, duels.initial_deviation, &results, tau);
        Rating { volatility: rating.volatility.map(|volatility| volatility.min(max_volatility)), ..rating }
    };
    before.iter().enumerate().map(rated).collect()
}
