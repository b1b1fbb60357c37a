//! Pattern search: from the seats of rated duels to findings.

use alloc::collections::{BTreeMap, BTreeSet};

use broadside_rules::outcome::Reason as Ending;

use super::{CalledOff, Figure, Finding, FindingKind as Kind, Findings, Played, Thresholds};
use crate::Pool;

/// The most matches given as examples.
const EXAMPLES: usize = 5;

/// Examines seats in the order of time, two for each match, and aborted matches, in the same order. Returns at most
/// `limit` findings of a kind.
pub fn detect<Id: Copy + Ord, Match: Copy>(
    played: &[Played<Id, Match>],
    called_off: &[CalledOff<Id, Match>],
    thresholds: &Thresholds,
    limit: usize,
) -> Findings<Id, Match> {
    let mut of_player: BTreeMap<Id, Vec<&Played<Id, Match>>> = BTreeMap::new();
    let mut of_pair: BTreeMap<(Id, Id), Vec<&Played<Id, Match>>> = BTreeMap::new();
    for seat in played {
        of_player.entry(seat.account).or_default().push(seat);
        // Each match of a pair counts once, from its first player's seat.
        if seat.account < seat.opponent {
            of_pair.entry((seat.account, seat.opponent)).or_default().push(seat);
        }
    }
    let mut opponents: BTreeMap<Id, u32> = BTreeMap::new();
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
    let mut by_caller: BTreeMap<Id, Vec<&CalledOff<Id, Match>>> = BTreeMap::new();
    called_off.iter().for_each(|one| by_caller.entry(one.account).or_default().push(one));
    for (account, all) in &by_caller {
        found.extend(often_called_off(all, of_player.get(account).map_or(0, Vec::len), thresholds));
    }
    found.sort_by(|one, two| one.kind.cmp(&two.kind).then(two.weight.total_cmp(&one.weight)));
    let mut taken = 0;
    let mut last = None;
    found.retain(|one| {
        taken = if last == Some(one.kind) { taken + 1 } else { 1 };
        last = Some(one.kind);
        taken <= limit
    });
    Findings { matches: count(of_pair.values().map(Vec::len).sum::<usize>()), players: count(of_player.len()), found }
}

fn figure(name: &'static str, value: impl Into<f64>) -> Figure {
    Figure { name, value: value.into() }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn examples<Id, Match: Copy>(seats: &[&Played<Id, Match>]) -> Vec<Match> {
    seats.iter().rev().take(EXAMPLES).map(|seat| seat.match_id).collect()
}

/// The common pool of all these seats.
fn pool_of<Id, Match>(seats: &[&Played<Id, Match>]) -> Option<Pool> {
    let first = seats.first()?.pool;
    seats.iter().all(|seat| seat.pool == first).then_some(first)
}

impl<Id, Match> Played<Id, Match> {
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

/// Finds pairs that meet too often. `one` and `other` are the number of matches and of opponents of each player; the
/// seats are the first one's.
fn repeated_pair<Id: Copy + Ord, Match: Copy>(
    seats: &[&Played<Id, Match>],
    one: (usize, u32),
    other: (usize, u32),
    limits: &Thresholds,
) -> Option<Finding<Id, Match>> {
    let matches = count(seats.len());
    if matches < limits.pair_matches {
        return None;
    }
    let (won, lost) = (seats.iter().filter(|seat| seat.won()).count(), seats.iter().filter(|seat| seat.lost()).count());
    let one_sided = won.max(lost) as f64 / f64::from(matches) >= limits.pair_one_sided;
    // The player's average number of meetings with other opponents.
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
    Some(Finding { kind, accounts, pool, figures, matches: examples(seats), weight })
}

/// The least probable losing streak of one player of a pair.
fn losing_streak<Id: Copy + Ord, Match: Copy>(
    seats: &[&Played<Id, Match>],
    limits: &Thresholds,
) -> Option<Finding<Id, Match>> {
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
    Some(Finding { kind, accounts, pool, figures, matches: examples(streak), weight: -chance.ln() })
}

/// The probability that one player wins all of these, by the ratings before each.
fn chance<Id, Match>(streak: &[&Played<Id, Match>]) -> f64 {
    streak.iter().map(|seat| expected(seat)).product()
}

/// The winner's expected score, by Elo's formula.
fn expected<Id, Match>(seat: &Played<Id, Match>) -> f64 {
    let ahead = if seat.won() { seat.before - seat.opponents_before } else { seat.opponents_before - seat.before };
    1.0 / (1.0 + 10_f64.powf(-ahead / 400.0))
}

fn early_losses<Id: Copy + Ord, Match: Copy>(
    seats: &[&Played<Id, Match>],
    limits: &Thresholds,
) -> Option<Finding<Id, Match>> {
    let lost = seats.iter().filter(|seat| seat.lost()).count();
    let given_up = |seat: &Played<Id, Match>| seat.ended_by(Ending::Resignation) || seat.ended_by(Ending::Time);
    let is_early = |seat: &&&Played<Id, Match>| seat.lost() && given_up(seat) && seat.entries <= limits.early_entries;
    let early: Vec<&Played<Id, Match>> = seats.iter().filter(is_early).copied().collect();
    let share = early.len() as f64 / lost.max(1) as f64;
    if count(early.len()) < limits.early_losses || share < limits.early_share {
        return None;
    }
    let mut to: BTreeMap<Id, u32> = BTreeMap::new();
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
    Some(Finding { kind, accounts, pool, figures, matches: examples(&early), weight })
}

fn wins_on_time<Id: Copy + Ord, Match: Copy>(
    seats: &[&Played<Id, Match>],
    limits: &Thresholds,
) -> Option<Finding<Id, Match>> {
    let won: Vec<&Played<Id, Match>> = seats.iter().filter(|seat| seat.won()).copied().collect();
    let on_time: Vec<&Played<Id, Match>> = won.iter().filter(|seat| seat.ended_by(Ending::Time)).copied().collect();
    let share = on_time.len() as f64 / won.len().max(1) as f64;
    if count(won.len()) < limits.time_wins || share < limits.time_share {
        return None;
    }
    let from: BTreeSet<Id> = on_time.iter().map(|seat| seat.opponent).collect();
    let figures = vec![
        figure("on-time", count(on_time.len())),
        figure("wins", count(won.len())),
        figure("share", share),
        figure("opponents", count(from.len())),
        figure("matches", count(seats.len())),
    ];
    let accounts = vec![won.first()?.account];
    let (kind, pool, weight) = (Kind::WinsOnTime, pool_of(&on_time), on_time.len() as f64);
    Some(Finding { kind, accounts, pool, figures, matches: examples(&on_time), weight })
}

/// Finds players who abort too often; `played` is the number of matches that a player finished.
fn often_called_off<Id: Copy + Ord, Match: Copy>(
    all: &[&CalledOff<Id, Match>],
    played: usize,
    limits: &Thresholds,
) -> Option<Finding<Id, Match>> {
    let first = all.first()?;
    let share = all.len() as f64 / (all.len() + played) as f64;
    if count(all.len()) < limits.called_off || share < limits.called_off_share {
        return None;
    }
    let opponents: BTreeSet<Id> = all.iter().map(|one| one.opponent).collect();
    let figures = vec![
        figure("called-off", count(all.len())),
        figure("share", share),
        figure("opponents", count(opponents.len())),
        figure("matches", count(played)),
    ];
    let pool = all.iter().all(|one| one.pool == first.pool).then_some(first.pool);
    let matches = all.iter().rev().take(EXAMPLES).map(|one| one.match_id).collect();
    Some(Finding { kind: Kind::CalledOff, accounts: vec![first.account], pool, figures, matches, weight: share })
}

/// The greatest fall and the greatest rise of an established rating in each pool.
fn swings<Id: Copy + Ord, Match: Copy>(seats: &[&Played<Id, Match>], limits: &Thresholds) -> Vec<Finding<Id, Match>> {
    let mut by_pool: Vec<Vec<&Played<Id, Match>>> = Vec::new();
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

/// The greatest move in one direction (1: up, -1: down): from the rating before one match to the rating after that
/// match or a later one.
fn swing<Id: Copy + Ord, Match: Copy>(
    seats: &[&Played<Id, Match>],
    kind: Kind,
    direction: f64,
    limit: f64,
) -> Option<Finding<Id, Match>> {
    let mut start = 0;
    let mut greatest: Option<(f64, usize, usize)> = None;
    for (index, seat) in seats.iter().enumerate() {
        if direction * seat.before < direction * seats[start].before {
            start = index;
        }
        let points = direction * (seat.after - seats[start].before);
        if points >= limit && greatest.is_none_or(|(before, ..)| points > before) {
            greatest = Some((points, start, index));
        }
    }
    let (points, start, end) = greatest?;
    let between = &seats[start..=end];
    let (first, last) = (between.first()?, between.last()?);
    let opponents: BTreeSet<Id> = between.iter().map(|seat| seat.opponent).collect();
    let figures = vec![
        figure("points", points),
        figure("from", first.before),
        figure("to", last.after),
        figure("matches", count(between.len())),
        figure("opponents", count(opponents.len())),
        figure("days", (last.at.0 - first.at.0).max(0) as f64 / 86_400_000.0),
    ];
    let accounts = vec![first.account];
    Some(Finding { kind, accounts, pool: Some(first.pool), figures, matches: examples(between), weight: points })
}

/// Groups of players who have played each other and nobody else; not a group of all players.
fn circles<Id: Copy + Ord, Match: Copy>(
    of_player: &BTreeMap<Id, Vec<&Played<Id, Match>>>,
    of_pair: &BTreeMap<(Id, Id), Vec<&Played<Id, Match>>>,
    limits: &Thresholds,
) -> Vec<Finding<Id, Match>> {
    let mut neighbours: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for (one, other) in of_pair.keys() {
        neighbours.entry(*one).or_default().push(*other);
        neighbours.entry(*other).or_default().push(*one);
    }
    let mut seen: BTreeSet<Id> = BTreeSet::new();
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
        let mut seats: Vec<&Played<Id, Match>> = seats.filter(|seat| seat.account < seat.opponent).copied().collect();
        seats.sort_by_key(|seat| seat.at);
        if count(seats.len()) < limits.circle_matches {
            continue;
        }
        let gained = |account: &Id| {
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
        found.push(Finding { kind, accounts: circle, pool, figures, matches: examples(&seats), weight });
    }
    found
}
