//! Pairings: players paired by a ladder or a tournament, in one match, or in two with another player moving first in
//! each (paired games).
//!
//! Ladders and tournaments open and settle them here; they alone decide on opponents and on the value of results. The
//! transaction that ends a match records its end here (`matches/finish.rs`), so a contest can't miss one, whatever is
//! killed. The contest settles the pairing later, once, under the pairing's row lock.

pub mod eligibility;
pub(crate) mod store;
pub mod terms;

use broadside_rules::outcome::Reason;
use broadside_rules::{First, Outcome, Seat, Time};

use crate::db::Tx;
use crate::error::{Error, Result};
use crate::events::Notification;
use crate::ids::{AccountId, MatchId, PairingId};
use crate::matches::open::{self, MatchOrigin, MatchSettings, Participant};
use crate::matches::{Contest, Matches, PairingRef};
use crate::player::Player;
use crate::rulesets;
pub use store::{due, find, lock_ended, of_contest, settle};

/// A pairing to be opened.
pub struct NewPairing {
    pub contest: Contest,
    /// Variant, rules and clock.
    pub terms: MatchSettings,
    /// True for two simultaneous games, with the second player moving first in the second. Only for two seats.
    pub paired: bool,
    /// The first player moves first, if the rules have a first move.
    pub players: Vec<Player>,
}

/// A pairing that was just opened.
pub struct OpenedPairing {
    pub id: PairingId,
    /// One match, or two.
    pub matches: Vec<MatchId>,
    /// The players' notifications, to be stored in the same transaction.
    pub told: Vec<Notification>,
}

/// Opens the matches of a pairing. The caller has locked the accounts and the contest. Matches that count for a contest
/// are public.
pub async fn open(tx: &mut Tx, matches: &Matches, meeting: NewPairing) -> Result<OpenedPairing> {
    let seats = meeting.players.len();
    if meeting.paired && seats != 2 {
        return Err(Error::internal("paired games are for two players"));
    }
    let id: PairingId = matches.new_id();
    let terms =
        MatchSettings { rules: meeting.terms.rules.begun_by(First::Creator), spectators: true, ..meeting.terms };
    let games: u8 = if meeting.paired { 2 } else { 1 };
    let mut opened = OpenedPairing { id, matches: Vec::new(), told: Vec::new() };
    let mut orders = Vec::new();
    for game in 1..=games {
        let mut order: Vec<usize> = (0..seats).collect();
        order.rotate_left(usize::from(game - 1));
        let players = order.iter().filter_map(|number| meeting.players.get(*number));
        let sitters: Vec<Participant> = players.map(|player| Participant::plain(player.clone())).collect();
        let part = PairingRef { id, contest: meeting.contest, game, games };
        let one = open::open(tx, matches, &terms, &sitters, matches.random(), MatchOrigin::Pairing(part)).await?;
        rulesets::count_match(tx, terms.named).await?;
        opened.matches.push(one.id);
        opened.told.extend(one.told);
        orders.push((one.id, order));
    }
    let players: Vec<AccountId> = meeting.players.iter().map(|player| player.id).collect();
    store::insert(tx, id, meeting.contest, &players, &orders, matches.clock.now()).await?;
    Ok(opened)
}

/// The players, matches and progress of a pairing.
#[derive(Clone, Debug)]
pub struct Pairing {
    pub id: PairingId,
    pub contest: Contest,
    /// The first one moves first in the first game.
    pub players: Vec<Player>,
    /// One game, or two paired games.
    pub games: Vec<Game>,
    pub opened_at: Time,
    /// The end of the last match.
    pub ended_at: Option<Time>,
    /// The time when the contest counted the result.
    pub settled_at: Option<Time>,
    /// The ladder season for which the result counts; `None` if it counts for none, or isn't settled.
    pub season: Option<u32>,
}

/// One match of a pairing.
#[derive(Clone, Debug)]
pub struct Game {
    pub match_id: MatchId,
    /// By seat: the number of the player in it.
    pub order: Vec<usize>,
    pub over: bool,
    /// `None` if it isn't over, or was canceled.
    pub result: Option<GameResult>,
}

/// The result of a game.
#[derive(Clone, Debug)]
pub struct GameResult {
    pub reason: Reason,
    /// The place of each player, from 1, in the order of the pairing.
    pub places: Vec<u8>,
}

impl Game {
    /// A game with a known `outcome`.
    pub(crate) fn new(match_id: MatchId, order: Vec<usize>, over: bool, outcome: Option<&Outcome>) -> Self {
        let played = outcome.filter(|outcome| outcome.reason != Reason::Aborted);
        let result = played.map(|outcome| {
            let last = u8::try_from(order.len()).unwrap_or(u8::MAX);
            let mut places = vec![last; order.len()];
            for (seat, number) in (0_u8..).zip(&order) {
                if let (Some(place), Some(of)) = (outcome.place_of(Seat(seat)), places.get_mut(*number)) {
                    *of = place;
                }
            }
            GameResult { reason: outcome.reason, places }
        });
        Self { match_id, order, over, result }
    }

    /// Each player's half points: two for each player placed behind, one for each with the same place. `None` if the
    /// game wasn't completed.
    pub fn half_points(&self) -> Option<Vec<u32>> {
        let places = &self.result.as_ref()?.places;
        let of = |(number, own): (usize, &u8)| {
            let others = places.iter().enumerate().filter(|(other, _)| *other != number);
            others.map(|(_, place)| if own < place { 2 } else { u32::from(own == place) }).sum()
        };
        Some(places.iter().enumerate().map(of).collect())
    }
}

impl Pairing {
    /// True if all its matches are over.
    pub fn is_over(&self) -> bool {
        self.games.iter().all(|game| game.over)
    }

    /// The number of its games with a result.
    pub fn games_played(&self) -> u32 {
        u32::try_from(self.games.iter().filter(|game| game.result.is_some()).count()).unwrap_or(u32::MAX)
    }

    /// The half points of a player against another one, by their numbers: two for each game in which they are placed
    /// higher, one for each in which they share a place.
    pub fn half_points_against(&self, own: usize, other: usize) -> u32 {
        let results = self.games.iter().filter_map(|game| game.result.as_ref());
        let of = |result: &GameResult| match (result.places.get(own), result.places.get(other)) {
            (Some(own), Some(other)) if own < other => 2,
            (own, other) => u32::from(own.is_some() && own == other),
        };
        results.map(of).sum()
    }

    /// Each player's half points in all games; canceled games count for nothing. `None` if all were canceled, or are
    /// not over.
    pub fn half_points(&self) -> Option<Vec<u32>> {
        let mut all: Option<Vec<u32>> = None;
        for game in self.games.iter().filter_map(Game::half_points) {
            all = Some(match all {
                None => game,
                Some(before) => before.iter().zip(&game).map(|(before, more)| before + more).collect(),
            });
        }
        all.filter(|_| self.is_over())
    }
}

/// A filter for a contest's pairings.
#[derive(Clone, Copy, Default)]
pub struct PairingFilter<'a> {
    pub player: Option<AccountId>,
    /// Only unsettled (true) or settled ones (false).
    pub running: Option<bool>,
    pub season: Option<u32>,
    /// Only those with at least two of these players.
    pub among: Option<&'a [AccountId]>,
    /// Only those older than this one.
    pub before: Option<PairingId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(order: &[usize], places: Option<&[u8]>) -> Game {
        let result = places.map(|places| GameResult { reason: Reason::Fleet, places: places.to_vec() });
        Game { match_id: MatchId(uuid::Uuid::nil()), order: order.to_vec(), over: true, result }
    }

    fn pairing(games: Vec<Game>) -> Pairing {
        Pairing {
            id: PairingId(uuid::Uuid::nil()),
            contest: Contest::Ladder(uuid::Uuid::nil().into()),
            players: Vec::new(),
            games,
            opened_at: Time(0),
            ended_at: None,
            settled_at: None,
            season: None,
        }
    }

    #[test]
    fn places_are_told_by_player_whoever_sits_where() {
        let place = |seat: u8, place: u8| broadside_rules::outcome::Place { seat: Seat(seat), place };
        let outcome = Outcome { reason: Reason::Fleet, winner: Some(Seat(0)), places: vec![place(0, 1), place(1, 2)] };
        // In the second of paired games the second player sits at seat 0.
        let second = Game::new(MatchId(uuid::Uuid::nil()), vec![1, 0], true, Some(&outcome));
        assert_eq!(second.result.unwrap().places, [2, 1]);
    }

    #[test]
    fn points_count_whom_one_is_placed_before() {
        assert_eq!(game(&[0, 1], Some(&[1, 2])).half_points(), Some(vec![2, 0]));
        assert_eq!(game(&[0, 1], Some(&[1, 1])).half_points(), Some(vec![1, 1]));
        assert_eq!(game(&[0, 1, 2, 3], Some(&[2, 1, 2, 4])).half_points(), Some(vec![3, 6, 3, 0]));
    }

    #[test]
    fn points_against_somebody_count_each_game() {
        let both = pairing(vec![game(&[0, 1], Some(&[1, 2])), game(&[1, 0], Some(&[1, 1]))]);
        assert_eq!([both.half_points_against(0, 1), both.half_points_against(1, 0)], [3, 1]);
        let table = pairing(vec![game(&[0, 1, 2], Some(&[2, 1, 2]))]);
        assert_eq!([table.half_points_against(0, 2), table.half_points_against(0, 1)], [1, 0]);
        assert_eq!(pairing(vec![game(&[0, 1], None)]).half_points_against(0, 1), 0, "it was called off");
    }

    #[test]
    fn paired_games_are_one() {
        let both = |one: Option<&[u8]>, other: Option<&[u8]>| {
            pairing(vec![game(&[0, 1], one), game(&[1, 0], other)]).half_points()
        };
        assert_eq!(both(Some(&[1, 2]), Some(&[2, 1])), Some(vec![2, 2]));
        assert_eq!(both(Some(&[1, 2]), Some(&[1, 1])), Some(vec![3, 1]));
        assert_eq!(both(None, Some(&[2, 1])), Some(vec![0, 2]), "a game that was called off counts for nothing");
        assert_eq!(both(None, None), None);
        let mut unfinished = pairing(vec![game(&[0, 1], Some(&[1, 2])), game(&[1, 0], None)]);
        unfinished.games[1].over = false;
        assert_eq!(unfinished.half_points(), None);
    }
}
