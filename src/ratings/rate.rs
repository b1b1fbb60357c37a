//! What has ended is rated: a match, or two paired games together. (What is done about it later:
//! [`super::corrections`].)
//!
//! The rows of the players' standings are locked first, in the order of the accounts, and stay locked until the commit.
//! So when several matches of one player end at once, on whatever nodes, one comes after the other; the order that
//! counts is that of the numbers in the ledger, which are given here.

use broadside_contests::Pool;
use broadside_contests::rating_algorithm::{Algorithm, Entrant, idle_s};
use broadside_rules::{Outcome, Seat, Time};

use super::{PlayerRating, RatedGame, RatedSeat, RatingChange, RatingChangeReason};
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::RatingChangedEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, MatchId};
use crate::ratings::store;

/// A game that counts: whose places stand in the order of [`RatedUnit::players`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedGame {
    pub match_id: MatchId,
    /// The place of each player.
    pub places: Vec<u8>,
}

/// A match that is over, with the players of its seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedGame {
    pub match_id: MatchId,
    pub seats: Vec<AccountId>,
    /// The place of each seat; none: it was called off.
    pub places: Option<Vec<u8>>,
}

/// What has just ended, and is rated as one: a match, or paired games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatedUnit {
    /// The pool in which it counts.
    pub pool: Pool,
    /// Who has played, by seat of the first game.
    pub players: Vec<AccountId>,
    /// The match; of paired games the first one, unless that was called off.
    pub first: CountedGame,
    /// Of paired games the second one, if both have a result.
    pub second: Option<CountedGame>,
    /// When the last of them ended.
    pub at: Time,
}

impl RatedUnit {
    /// A match, or paired games that are over, in their order; what was called off counts for nothing. None: all of it
    /// was.
    pub fn of(pool: Pool, games: Vec<FinishedGame>, at: Time) -> Option<Self> {
        let mut counting = games.into_iter().filter_map(|sat| Some((sat.match_id, sat.seats, sat.places?)));
        let (match_id, players, places) = counting.next()?;
        let ended = Self { pool, players, first: CountedGame { match_id, places }, second: None, at };
        let Some((match_id, seats, places)) = counting.next() else { return Some(ended) };
        let second = Some(CountedGame { match_id, places: ended.by_player(&seats, &places) });
        Some(Self { second, ..ended })
    }

    /// The places of a match's seats, at which these accounts sit, in the order of the players.
    pub(super) fn by_player(&self, seats: &[AccountId], places: &[u8]) -> Vec<u8> {
        let place = |player: &AccountId| seats.iter().zip(places).find(|(account, _)| *account == player);
        self.players.iter().filter_map(place).map(|(_, place)| *place).collect()
    }

    /// The place of each player: by the points of both games, if there are two. A game brings two half points for each
    /// player who was placed behind, and one for each who was placed beside.
    pub fn places(&self) -> Vec<u8> {
        let Some(second) = &self.second else { return self.first.places.clone() };
        let each = half_points(&self.first.places).into_iter().zip(half_points(&second.places));
        let points: Vec<usize> = each.map(|(one, two)| one + two).collect();
        let place = |own: &usize| points.iter().filter(|other| *other > own).count() + 1;
        points.iter().map(|own| u8::try_from(place(own)).unwrap_or(u8::MAX)).collect()
    }

    /// The ids of the one or two matches.
    pub fn matches(&self) -> impl Iterator<Item = MatchId> {
        std::iter::once(&self.first).chain(&self.second).map(|game| game.match_id)
    }
}

fn half_points(places: &[u8]) -> Vec<usize> {
    let behind = |own: &u8| places.iter().filter(|other| *other > own).count();
    let beside = |own: &u8| places.iter().filter(|other| *other == own).count() - 1;
    places.iter().map(|own| 2 * behind(own) + beside(own)).collect()
}

/// The place of each seat; who has none shares the last.
pub fn places(outcome: &Outcome, seats: usize) -> Vec<u8> {
    let last = u8::try_from(seats).unwrap_or(u8::MAX);
    (0..last).map(|seat| outcome.place_of(Seat(seat)).unwrap_or(last)).collect()
}

/// Rates what has ended, in the transaction that ends it: one change a player, in their order. Before any match is
/// locked: whoever waits for a standing holds neither a match nor a counter of events.
///
/// None: it was rated before, by another node that ended it at the same moment and locked the same ratings first.
///
/// A player whose account is deleted is rated like anybody else, since the opponents' ratings depend on it; but nobody
/// sees that rating any more.
pub async fn rate(tx: &mut Tx, ended: &RatedUnit) -> Result<Option<Vec<RatingChange>>> {
    let algorithm = Algorithm::of(&ended.pool);
    let standings = store::ratings::lock(tx, &ended.pool, algorithm.initial(), &ended.players).await?;
    for match_id in ended.matches() {
        if !store::rated_matches::changes_of(tx, match_id).await?.is_empty() {
            return Ok(None);
        }
    }
    let changes = changes(algorithm, ended, &standings);
    store::ratings::write(tx, &changes, &changes.iter().zip(&standings).map(after_match).collect::<Vec<_>>()).await?;
    Ok(Some(changes))
}

/// What it does to its players' standings, which are given in their order.
pub(super) fn changes(algorithm: &Algorithm, ended: &RatedUnit, standings: &[PlayerRating]) -> Vec<RatingChange> {
    let seats = (0_u8..).zip(&ended.players).zip(ended.places()).zip(standings);
    let field: Vec<RatedSeat> = seats
        .map(|(((seat, account), place), standing)| RatedSeat {
            seat,
            player_id: account.to_string(),
            place,
            number: standing.number + 1,
            before: standing.rating,
            idle_s: idle_s(standing.rated_at, ended.at),
        })
        .collect();
    let entrants: Vec<Entrant> =
        field.iter().map(|seat| Entrant { before: seat.before, idle_s: seat.idle_s, place: seat.place }).collect();
    let after = algorithm.rated(&entrants);
    let both = ended.second.iter().flat_map(|second| [&ended.first, second]);
    let games: Vec<RatedGame> = both.map(RatedGame::of).collect();
    let all = field.iter().zip(standings).zip(after);
    all.map(|((seat, standing), after)| RatingChange {
        account: standing.account,
        pool: ended.pool,
        number: seat.number,
        match_id: ended.first.match_id,
        paired: ended.second.as_ref().map(|second| second.match_id),
        seat: seat.seat,
        reason: RatingChangeReason::Match,
        revision: 0,
        algorithm: algorithm.name.to_owned(),
        version: algorithm.version,
        at: ended.at,
        before: seat.before,
        after,
        field: field.clone(),
        games: games.clone(),
        annuls: None,
        note: None,
    })
    .collect()
}

/// The standing that a match's change leaves.
pub(super) fn after_match((change, before): (&RatingChange, &PlayerRating)) -> PlayerRating {
    PlayerRating {
        account: before.account,
        number: change.number,
        rating: change.after,
        matches: before.matches + 1,
        rated_at: before.rated_at.max(Some(change.at)),
    }
}

/// The notifications of the players.
pub fn told(changes: &[RatingChange]) -> Result<Vec<Notification>> {
    let each = changes.iter().map(|change| {
        let (before, after) = (change.before.shown(), change.after.shown());
        let (pool, reason) = (change.pool.to_string(), change.reason.into_str());
        let (match_id, paired) = (change.match_id, change.paired);
        let event = RatingChangedEvent::at(change.at, pool, match_id, paired, change.number, before, after, reason);
        events::notification(change.account, &[event.into()])
    });
    each.filter_map(Result::transpose).collect()
}

/// Takes a deleted account from the leaderboards, for good. Its changes stay in the ledger, without a name: its
/// opponents' ratings follow from them.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::ratings::unlist(tx, account).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn ended(first: &[u8], second: Option<&[u8]>) -> RatedUnit {
        let game = |places: &[u8]| CountedGame { match_id: MatchId(Uuid::nil()), places: places.to_vec() };
        let pool = Pool::all().next().unwrap();
        RatedUnit { pool, players: Vec::new(), first: game(first), second: second.map(game), at: Time(0) }
    }

    #[test]
    fn paired_games_are_won_by_points() {
        assert_eq!(ended(&[2, 1], None).places(), [2, 1]);
        for (first, second, places) in [
            ([1, 2], [1, 2], [1, 2]),
            ([1, 2], [2, 1], [1, 1]),
            ([1, 2], [1, 1], [1, 2]),
            ([1, 1], [2, 1], [2, 1]),
            ([1, 1], [1, 1], [1, 1]),
        ] {
            assert_eq!(ended(&first, Some(&second)).places(), places, "{first:?} and {second:?}");
        }
        // Places of a match by itself are as they are, with the gaps that shared ones leave.
        assert_eq!(ended(&[1, 2, 2, 4], None).places(), [1, 2, 2, 4]);
    }

    #[test]
    fn a_game_that_was_called_off_counts_for_nothing() {
        let [anna, ben] = [1, 2].map(|id| AccountId(Uuid::from_u128(id)));
        let (one, two) = (MatchId(Uuid::from_u128(11)), MatchId(Uuid::from_u128(12)));
        let sat = |match_id, seats: [AccountId; 2], places: Option<[u8; 2]>| FinishedGame {
            match_id,
            seats: seats.to_vec(),
            places: places.map(Vec::from),
        };
        let pool = Pool::all().next().unwrap();
        let of = |first, second| {
            RatedUnit::of(pool, vec![sat(one, [anna, ben], first), sat(two, [ben, anna], second)], Time(0))
        };
        // Ben wins both: at seat 1 in the first, at seat 0 in the second.
        let both = of(Some([2, 1]), Some([1, 2])).unwrap();
        assert_eq!((both.places(), both.matches().collect()), (vec![2, 1], vec![one, two]));
        let alone = of(None, Some([1, 2])).unwrap();
        assert_eq!((alone.players.clone(), alone.places(), alone.second.clone()), (vec![ben, anna], vec![1, 2], None));
        assert_eq!(alone.first.match_id, two);
        assert_eq!(of(None, None), None);
    }
}
