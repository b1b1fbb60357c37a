//! The looking: pure, from seats of rated duels to findings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use broadside_rules::outcome::Reason as Ending;

use super::{Figure, Kind, Played, Thresholds};
use crate::ids::{AccountId, MatchId};
use crate::ratings::Pool;

/// How many matches are named as examples.
const EXAMPLES: usize = 5;

/// A finding whose players have no names yet.
#[derive(Clone, Debug)]
pub struct Found {
    pub kind: Kind,
    pub accounts: Vec<AccountId>,
    pub pool: Option<Pool>,
    pub figures: Vec<Figure>,
    pub matches: Vec<MatchId>,
    /// By which findings of a kind are ordered.
    weight: f64,
}

/// What was seen.
pub struct Looked {
    pub matches: u32,
    pub players: u32,
    pub found: Vec<Found>,
}

impl Looked {
    /// Whom the findings are about.
    pub fn accounts(&self) -> Vec<AccountId> {
        let all: BTreeSet<AccountId> = self.found.iter().flat_map(|found| found.accounts.iter().copied()).collect();
        all.into_iter().collect()
    }
}

/// Looks at seats that are given in the order of time; at most `most` findings of a kind.
pub fn at(played: &[Played], thresholds: &Thresholds, most: usize) -> Looked {
    let mut of_player: BTreeMap<AccountId, Vec<&Played>> = BTreeMap::new();
    let mut of_pair: BTreeMap<(AccountId, AccountId), Vec<&Played>> = BTreeMap::new();
    for seat in played {
        of_player.entry(seat.account).or_default().push(seat);
        // A pair's matches stand there once, as its first player has played them.
        if seat.account < seat.opponent {
            of_pair.entry((seat.account, seat.opponent)).or_default().push(seat);
        }
    }
    let mut opponents: HashMap<AccountId, u32> = HashMap::new();
    for (one, other) in of_pair.keys() {
        *opponents.entry(*one).or_default() += 1;
        *opponents.entry(*other).or_default() += 1;
    }
    let mut found = Vec::new();
    for ((one, other), seats) in &of_pair {
        let total = |account| of_player.get(account).map_or(0, Vec::len);
        let usual = |account| (total(account), opponents.get(account).copied().unwrap_or(1));
        found.extend(repeated_pair(seats, usual(one), usual(other), thresholds));
        found.extend(losing_streak(seats, thresholds));
    }
    for seats in of_player.values() {
        found.extend(early_losses(seats, thresholds));
        found.extend(wins_on_time(seats, thresholds));
        found.extend(swings(seats, thresholds));
    }
    found.extend(circles(&of_player, &of_pair, thresholds));
    found.sort_by(|one, two| one.kind.cmp(&two.kind).then(two.weight.total_cmp(&one.weight)));
    let mut taken = 0;
    let mut last = None;
    found.retain(|one| {
        taken = if last == Some(one.kind) { taken + 1 } else { 1 };
        last = Some(one.kind);
        taken <= most
    });
    Looked {
        matches: u32::try_from(of_pair.values().map(Vec::len).sum::<usize>()).unwrap_or(u32::MAX),
        players: u32::try_from(of_player.len()).unwrap_or(u32::MAX),
        found,
    }
}

fn figure(name: &'static str, value: impl Into<f64>) -> Figure {
    Figure { name, value: value.into() }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn examples<'a>(seats: impl DoubleEndedIterator<Item = &'a &'a Played>) -> Vec<MatchId> {
    seats.rev().take(EXAMPLES).map(|seat| seat.match_id).collect()
}

/// The one pool of all of these, if it is one.
fn pool_of(seats: &[&Played]) -> Option<Pool> {
    let first = seats.first()?.pool;
    seats.iter().all(|seat| seat.pool == first).then_some(first)
}

impl Played {
    fn won(&self) -> bool {
        self.place < self.opponents_place
    }

    fn lost(&self) -> bool {
        self.place > self.opponents_place
    }

    fn ended_by(&self, ending: Ending) -> bool {
        self.ending.as_deref() == Some(ending.word())
    }
}

/// `total` and number of opponents of each of the two; the seats are the first one's.
fn repeated_pair(seats: &[&Played], one: (usize, u32), other: (usize, u32), limits: &Thresholds) -> Option<Found> {
    let matches = count(seats.len());
    if matches < limits.pair_matches {
        return None;
    }
    let (won, lost) = (seats.iter().filter(|seat| seat.won()).count(), seats.iter().filter(|seat| seat.lost()).count());
    let one_sided = won.max(lost) as f64 / f64::from(matches) >= limits.pair_one_sided;
    // How often he plays anybody else, on average.
    let usual = |(total, opponents): (usize, u32)| {
        f64::from(count(total) - matches) / f64::from(opponents.saturating_sub(1).max(1))
    };
    let share = |(total, _): (usize, u32)| f64::from(matches) / f64::from(count(total));
    let often = |of| share(of) >= limits.pair_share && f64::from(matches) >= limits.pair_times * usual(of);
    if !one_sided || !(often(one) || often(other)) {
        return None;
    }
    let first = seats.first()?;
    let (winner, loser) = if won >= lost { (one, other) } else { (other, one) };
    let mut accounts = vec![first.account, first.opponent];
    if won < lost {
        accounts.reverse();
    }
    let figures = vec![
        figure("matches", matches),
        figure("won-by-first", count(won.max(lost))),
        figure("won-by-second", count(won.min(lost))),
        figure("share-of-first", share(winner)),
        figure("share-of-second", share(loser)),
        figure("usual-of-first", usual(winner)),
        figure("usual-of-second", usual(loser)),
    ];
    let weight = f64::from(matches) * share(winner).max(share(loser));
    let (kind, pool) = (Kind::RepeatedPair, pool_of(seats));
    Some(Found { kind, accounts, pool, figures, matches: examples(seats.iter()), weight })
}

/// The longest row of losses of one of the two that the ratings don't explain.
fn losing_streak(seats: &[&Played], limits: &Thresholds) -> Option<Found> {
    let streaks = seats.chunk_by(|one, two| (one.won(), one.lost()) == (two.won(), two.lost()));
    let long = streaks.filter(|streak| count(streak.len()) >= limits.streak && (streak[0].won() || streak[0].lost()));
    let judged = long.map(|streak| (chance(streak), streak)).filter(|(chance, _)| *chance <= limits.streak_chance);
    let (chance, streak) = judged.min_by(|(one, _), (two, _)| one.total_cmp(two))?;
    let first = streak.first()?;
    let mut accounts = vec![first.account, first.opponent];
    if first.lost() {
        accounts.reverse();
    }
    let figures =
        vec![figure("in-a-row", count(streak.len())), figure("matches", count(seats.len())), figure("chance", chance)];
    let (kind, pool) = (Kind::LosingStreak, pool_of(streak));
    Some(Found { kind, accounts, pool, figures, matches: examples(streak.iter()), weight: -chance.ln() })
}

/// How probable it was that one of them wins all of these, by their ratings before each.
fn chance(streak: &[&Played]) -> f64 {
    streak.iter().map(|seat| expected(seat)).product()
}

/// What the winner could expect, by Elo's formula.
fn expected(seat: &Played) -> f64 {
    let ahead = if seat.won() { seat.before - seat.opponents_before } else { seat.opponents_before - seat.before };
    1.0 / (1.0 + 10_f64.powf(-ahead / 400.0))
}

fn early_losses(seats: &[&Played], limits: &Thresholds) -> Option<Found> {
    let lost = seats.iter().filter(|seat| seat.lost()).count();
    let given_up = |seat: &Played| seat.ended_by(Ending::Resignation) || seat.ended_by(Ending::Time);
    let is_early = |seat: &&&Played| seat.lost() && given_up(seat) && seat.entries <= limits.early_entries;
    let early: Vec<&Played> = seats.iter().filter(is_early).copied().collect();
    let share = early.len() as f64 / lost.max(1) as f64;
    if count(early.len()) < limits.early_losses || share < limits.early_share {
        return None;
    }
    let mut to: BTreeMap<AccountId, u32> = BTreeMap::new();
    early.iter().for_each(|seat| *to.entry(seat.opponent).or_default() += 1);
    let (gainer, most) = to.into_iter().max_by_key(|(_, times)| *times)?;
    let timed_out = early.iter().filter(|seat| seat.ended_by(Ending::Time)).count();
    let figures = vec![
        figure("early", count(early.len())),
        figure("by-resignation", count(early.len() - timed_out)),
        figure("on-time", count(timed_out)),
        figure("losses", count(lost)),
        figure("share", share),
        figure("to-second", most),
        figure("matches", count(seats.len())),
    ];
    let accounts = vec![early.first()?.account, gainer];
    let (kind, pool, weight) = (Kind::EarlyLosses, pool_of(&early), early.len() as f64 * share);
    Some(Found { kind, accounts, pool, figures, matches: examples(early.iter()), weight })
}

fn wins_on_time(seats: &[&Played], limits: &Thresholds) -> Option<Found> {
    let won: Vec<&Played> = seats.iter().filter(|seat| seat.won()).copied().collect();
    let on_time: Vec<&Played> = won.iter().filter(|seat| seat.ended_by(Ending::Time)).copied().collect();
    let share = on_time.len() as f64 / won.len().max(1) as f64;
    if count(won.len()) < limits.time_wins || share < limits.time_share {
        return None;
    }
    let from: BTreeSet<AccountId> = on_time.iter().map(|seat| seat.opponent).collect();
    let figures = vec![
        figure("on-time", count(on_time.len())),
        figure("wins", count(won.len())),
        figure("share", share),
        figure("opponents", count(from.len())),
        figure("matches", count(seats.len())),
    ];
    let accounts = vec![won.first()?.account];
    let (kind, pool, weight) = (Kind::WinsOnTime, pool_of(&on_time), on_time.len() as f64);
    Some(Found { kind, accounts, pool, figures, matches: examples(on_time.iter()), weight })
}

/// The farthest fall and the farthest rise of each established rating.
fn swings(seats: &[&Played], limits: &Thresholds) -> Vec<Found> {
    let mut by_pool: Vec<Vec<&Played>> = Vec::new();
    for seat in seats.iter().filter(|seat| seat.established) {
        match by_pool.iter_mut().find(|of_pool| of_pool[0].pool == seat.pool) {
            Some(of_pool) => of_pool.push(seat),
            None => by_pool.push(vec![seat]),
        }
    }
    let each = by_pool.iter().flat_map(|of_pool| {
        [swing(of_pool, Kind::Drop, -1.0, limits.swing), swing(of_pool, Kind::Climb, 1.0, limits.swing)]
    });
    each.flatten().collect()
}

/// The farthest way in one direction (1: up, -1: down), from what the rating was before one match to what it was after it or a later one.
fn swing(seats: &[&Played], kind: Kind, direction: f64, limit: f64) -> Option<Found> {
    let mut start = 0;
    let mut farthest: Option<(f64, usize, usize)> = None;
    for (index, seat) in seats.iter().enumerate() {
        if direction * seat.before < direction * seats[start].before {
            start = index;
        }
        let way = direction * (seat.after - seats[start].before);
        if way >= limit && farthest.is_none_or(|(before, ..)| way > before) {
            farthest = Some((way, start, index));
        }
    }
    let (way, start, end) = farthest?;
    let between = &seats[start..=end];
    let (first, last) = (between.first()?, between.last()?);
    let opponents: BTreeSet<AccountId> = between.iter().map(|seat| seat.opponent).collect();
    let figures = vec![
        figure("points", way),
        figure("from", first.before),
        figure("to", last.after),
        figure("matches", count(between.len())),
        figure("opponents", count(opponents.len())),
        figure("days", (last.at.0 - first.at.0).max(0) as f64 / 86_400_000.0),
    ];
    let accounts = vec![first.account];
    Some(Found { kind, accounts, pool: Some(first.pool), figures, matches: examples(between.iter()), weight: way })
}

/// Players who have played each other and nobody else; not if they are all that there are.
fn circles(
    of_player: &BTreeMap<AccountId, Vec<&Played>>,
    of_pair: &BTreeMap<(AccountId, AccountId), Vec<&Played>>,
    limits: &Thresholds,
) -> Vec<Found> {
    let mut neighbours: BTreeMap<AccountId, Vec<AccountId>> = BTreeMap::new();
    for (one, other) in of_pair.keys() {
        neighbours.entry(*one).or_default().push(*other);
        neighbours.entry(*other).or_default().push(*one);
    }
    let mut seen: BTreeSet<AccountId> = BTreeSet::new();
    let mut found = Vec::new();
    for start in neighbours.keys() {
        if !seen.insert(*start) {
            continue;
        }
        let mut circle = vec![*start];
        let mut next = 0;
        while let Some(account) = circle.get(next).copied() {
            next += 1;
            let others = neighbours.get(&account).into_iter().flatten();
            circle.extend(others.copied().filter(|other| seen.insert(*other)));
        }
        if count(circle.len()) > limits.circle_players || circle.len() == of_player.len() {
            continue;
        }
        let seats = circle.iter().filter_map(|account| of_player.get(account)).flatten();
        let mut seats: Vec<&Played> = seats.filter(|seat| seat.account < seat.opponent).copied().collect();
        seats.sort_by_key(|seat| seat.at);
        if count(seats.len()) < limits.circle_matches {
            continue;
        }
        let gained = |account: &AccountId| {
            of_player.get(account).into_iter().flatten().map(|seat| seat.after - seat.before).sum::<f64>()
        };
        circle.sort_by(|one, two| gained(two).total_cmp(&gained(one)));
        let most = circle.first().map(&gained).unwrap_or_default();
        let figures = vec![
            figure("matches", count(seats.len())),
            figure("players", count(circle.len())),
            figure("gained-by-first", most.max(0.0)),
        ];
        let (kind, pool, weight) = (Kind::ClosedCircle, pool_of(&seats), seats.len() as f64);
        found.push(Found { kind, accounts: circle, pool, figures, matches: examples(seats.iter()), weight });
    }
    found
}
