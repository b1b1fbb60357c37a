//! Rating of finished matches: of a single match, or of two paired games together. ([`super::corrections`] has later
//! changes.)
//!
//! The rows of the players' ratings are locked first, in the order of the accounts, until the commit. So when several
//! matches of one player end at once, on any nodes, they are rated one after the other, in the order of the ledger
//! numbers assigned here.

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

/// A counted game, with its places in the order of [`RatedUnit::players`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedGame {
    pub match_id: MatchId,
    pub places: Vec<u8>,
}

/// A finished match, with the players of its seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedGame {
    pub match_id: MatchId,
    pub seats: Vec<AccountId>,
    /// The place of each seat; `None`: the match was called off.
    pub places: Option<Vec<u8>>,
}

/// A match, or two paired games, rated as one after its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatedUnit {
    pub pool: Pool,
    /// The players, by seat of the first game.
    pub players: Vec<AccountId>,
    /// The match; of paired games the first one, unless it was called off.
    pub first: CountedGame,
    /// The second of two paired games, if both have a result.
    pub second: Option<CountedGame>,
    /// The end of the last game.
    pub at: Time,
}

impl RatedUnit {
    /// A match, or finished paired games in their order; games called off don't count. `None`: all were called off.
    pub fn of(pool: Pool, games: Vec<FinishedGame>, at: Time) -> Option<Self> {
        let mut counting = games.into_iter().filter_map(|sat| Some((sat.match_id, sat.seats, sat.places?)));
        let (match_id, players, places) = counting.next()?;
        let ended = Self { pool, players, first: CountedGame { match_id, places }, second: None, at };
        let Some((match_id, seats, places)) = counting.next() else { return Some(ended) };
        let second = Some(CountedGame { match_id, places: ended.by_player(&seats, &places) });
        Some(Self { second, ..ended })
    }

    /// Reorders the places of a match's seats, at which these accounts sit, to the order of the players.
    pub(super) fn by_player(&self, seats: &[AccountId], places: &[u8]) -> Vec<u8> {
        let place = |player: &AccountId| seats.iter().zip(places).find(|(account, _)| *account == player);
        self.players.iter().filter_map(place).map(|(_, place)| *place).collect()
    }

    /// The place of each player; for two games, by the points of both. Per game, a player gets two half points for each
    /// player placed behind, and one for each player placed equal.
    pub fn places(&self) -> Vec<u8> {
        let Some(second) = &self.second else { return self.first.places.clone() };
        let each = half_points(&self.first.places).into_iter().zip(half_points(&second.places));
        let points: Vec<usize> = each.map(|(one, two)| one + two).collect();
        let place = |own: &usize| points.iter().filter(|other| *other > own).count() + 1;
        points.iter().map(|own| u8::try_from(place(own)).unwrap_or(u8::MAX)).collect()
    }

    pub fn matches(&self) -> impl Iterator<Item = MatchId> {
        std::iter::once(&self.first).chain(&self.second).map(|game| game.match_id)
    }
}

fn half_points(places: &[u8]) -> Vec<usize> {
    let behind = |own: &u8| places.iter().filter(|other| *other > own).count();
    let beside = |own: &u8| places.iter().filter(|other| *other == own).count() - 1;
    places.iter().map(|own| 2 * behind(own) + beside(own)).collect()
}

/// The place of each seat; seats without a place share the last one.
pub fn places(outcome: &Outcome, seats: usize) -> Vec<u8> {
    let last = u8::try_from(seats).unwrap_or(u8::MAX);
    (0..last).map(|seat| outcome.place_of(Seat(seat)).unwrap_or(last)).collect()
}

/// Rates finished games in the transaction that ends them: one change per player, in their order. Call it before any
/// match is locked: a transaction that waits for a rating must not hold a match or an event counter.
///
/// `None`: another node that ended the match at the same moment has rated it already.
///
/// A deleted account is rated too, since the opponents' ratings depend on it, but its rating is no longer shown.
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

/// The changes of the players' ratings, which are given in the players' order.
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

/// The rating after a match's change.
pub(super) fn after_match((change, before): (&RatingChange, &PlayerRating)) -> PlayerRating {
    PlayerRating {
        account: before.account,
        number: change.number,
        rating: change.after,
        matches: before.matches + 1,
        rated_at: before.rated_at.max(Some(change.at)),
    }
}

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

/// Removes a deleted account from the leaderboards permanently. Its changes stay in the ledger without a name, because
/// its opponents' ratings follow from them.
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
        // Places of a single match stay unchanged, including the gaps after shared ones.
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
