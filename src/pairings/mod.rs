//! Pairings: players whom a ladder or a tournament has paired, in one match, or in two with another player moving first
//! in each (paired games).
//!
//! Ladders and tournaments open and settle them here; they alone know who is to meet whom, and what the result is
//! worth. The transaction that ends a match notes its end here (`matches/finish.rs`), so a contest can't miss one,
//! whatever is killed. The contest settles the pairing later, once, under the pairing's row.

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

/// Players who are to meet.
pub struct NewPairing {
    /// The ladder or tournament that pairs them.
    pub contest: Contest,
    /// What they play.
    pub terms: MatchSettings,
    /// Whether they play two games at once, of which the second is begun by the second player. Of two seats only.
    pub paired: bool,
    /// Who; the first begins, where the rules let somebody begin.
    pub players: Vec<Player>,
}

/// A pairing that has just been opened.
pub struct OpenedPairing {
    /// Names the pairing.
    pub id: PairingId,
    /// Its matches: one, or two.
    pub matches: Vec<MatchId>,
    /// The notifications of the players, to be stored in the same transaction.
    pub told: Vec<Notification>,
}

/// Opens the matches of a pairing. The caller has locked the accounts and the contest. Everybody may watch the matches:
/// what counts for a ladder or a tournament is public.
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

/// Who meets whom, in which matches, and how far that is.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// Names the pairing.
    pub id: PairingId,
    /// The ladder or tournament that pairs them.
    pub contest: Contest,
    /// The players; the first one moves first in the first game.
    pub players: Vec<Player>,
    /// Their matches: one, or two of paired games.
    pub games: Vec<Game>,
    /// When its matches were opened.
    pub opened_at: Time,
    /// When the last match was over.
    pub ended_at: Option<Time>,
    /// When the contest has taken the result in.
    pub settled_at: Option<Time>,
    /// The season of the ladder for which the result counts; none: it counts for none, or isn't taken in.
    pub season: Option<u32>,
}

/// One match of a pairing.
#[derive(Clone, Debug)]
pub struct Game {
    /// The match that is played.
    pub match_id: MatchId,
    /// By seat: the number of the player who sits there.
    pub order: Vec<usize>,
    pub over: bool,
    /// How it ended; none: it isn't over, or was called off.
    pub result: Option<GameResult>,
}

/// How a game has ended.
#[derive(Clone, Debug)]
pub struct GameResult {
    /// How the match ended.
    pub reason: Reason,
    /// The place of each player, from 1, in the order of the pairing.
    pub places: Vec<u8>,
}

impl Game {
    /// A game of which `outcome` is known.
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

    /// Each player's half points for it: two for each player placed behind, one for each with the same place. None:
    /// nothing was played to an end.
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
    /// Whether all of its matches are over.
    pub fn is_over(&self) -> bool {
        self.games.iter().all(|game| game.over)
    }

    /// How many of its games have a result.
    pub fn games_played(&self) -> u32 {
        u32::try_from(self.games.iter().filter(|game| game.result.is_some()).count()).unwrap_or(u32::MAX)
    }

    /// The half points of a player against another one, by their numbers: two for each game in which they are placed
    /// before the other, one for each in which they share a place.
    pub fn half_points_against(&self, own: usize, other: usize) -> u32 {
        let results = self.games.iter().filter_map(|game| game.result.as_ref());
        let of = |result: &GameResult| match (result.places.get(own), result.places.get(other)) {
            (Some(own), Some(other)) if own < other => 2,
            (own, other) => u32::from(own.is_some() && own == other),
        };
        results.map(of).sum()
    }

    /// Each player's half points for all games together; a game that was called off counts for nothing. None: all were
    /// called off, or are not over.
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

/// Which pairings of a contest are wanted.
#[derive(Clone, Copy, Default)]
pub struct PairingFilter<'a> {
    /// Only those of this player.
    pub player: Option<AccountId>,
    /// Only those that are not settled (true), or that are (false).
    pub running: Option<bool>,
    /// Only those that count for this season.
    pub season: Option<u32>,
    /// Only those in which at least two of these meet.
    pub among: Option<&'a [AccountId]>,
    /// Those older than this one.
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
