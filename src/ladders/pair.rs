//! Who meets whom on a rating ladder: a function of who waits, and of the time. It knows no database and draws no lots, so whoever has the same list comes to
//! the same pairings; `docs/API.md` says the rule in words.
//!
//! Whoever has waited longest comes first, and gets those of the others who are nearest to him in strength and whom he may meet. In rounds, until nobody can be
//! paired any more: in each round everybody is paired once at most, whatever he wishes for.

use std::collections::BTreeMap;

use broadside_rules::Time;

use crate::ids::AccountId;

/// Two don't meet again before each of them has met so many others, as long as there are enough.
pub const OTHERS_BETWEEN: usize = 5;
/// How far two who meet may be apart in strength, when neither has waited.
pub const WINDOW: i32 = 200;
/// How much farther, for each time that one of them has waited for [`Rules::relax_s`].
pub const WINDOW_STEP: i32 = 100;

/// What a ladder, or a part of it that is paired by itself, is paired by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// How many meet at once.
    pub seats: usize,
    /// How many members there are, whether or not they wait.
    pub members: usize,
    /// After each such time of waiting both limits give way by one step.
    pub relax_s: u32,
}

/// A member who wishes for more pairings than he has.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Who.
    pub account: AccountId,
    /// How strong he is.
    pub strength: i32,
    /// For how many more pairings he wishes.
    pub wishes: u32,
    /// Since when he has waited.
    pub since: Time,
    /// How much oftener he has sat early in the order of play than late.
    pub balance: i32,
    /// Whom he was paired with last, the newest first.
    pub recent: Vec<AccountId>,
    /// Whom he is paired with now.
    pub opponents: Vec<AccountId>,
    /// Whom he doesn't meet: he blocks them, or they him. It is enough when it stands with one of the two.
    pub shunned: Vec<AccountId>,
}

impl Rules {
    /// How many others two members meet before they meet again, when neither has waited: fewer on a small ladder, none where there is nobody else.
    pub fn others_between(&self) -> usize {
        self.members.saturating_sub(self.seats).min(OTHERS_BETWEEN)
    }

    /// How often the limits have given way for somebody who has waited since then.
    fn steps(&self, since: Time, now: Time) -> u32 {
        let waited_s = now.millis_since(since).max(0) / 1000;
        u32::try_from(waited_s / i64::from(self.relax_s.max(1))).unwrap_or(u32::MAX)
    }

    /// How far somebody may be apart in strength from those whom he gets, when he has waited since then.
    fn window(&self, since: Time, now: Time) -> i64 {
        i64::from(WINDOW) + i64::from(WINDOW_STEP) * i64::from(self.steps(since, now))
    }

    /// Whether two may meet. What counts is how long the one of them has waited who has waited longer.
    pub fn may_meet(&self, one: &Waiting, other: &Waiting, now: Time) -> bool {
        let since = one.since.min(other.since);
        let (steps, window) = (self.steps(since, now), self.window(since, now));
        let between = self.others_between().saturating_sub(usize::try_from(steps).unwrap_or(usize::MAX));
        let met = |who: &Waiting, whom: &Waiting| who.recent.iter().take(between).any(|met| *met == whom.account);
        let names = |list: &[AccountId], whom: &Waiting| list.contains(&whom.account);
        one.account != other.account
            && (i64::from(one.strength) - i64::from(other.strength)).abs() <= window
            && !names(&one.opponents, other)
            && !names(&other.opponents, one)
            && !names(&one.shunned, other)
            && !names(&other.shunned, one)
            && !met(one, other)
            && !met(other, one)
    }
}

/// Notes on a member's side that he is paired: whom with, since when he waits for the next, and where he sits.
pub fn note(member: &mut Waiting, others: &[AccountId], seat: usize, games: usize, now: Time) {
    member.recent.splice(0..0, others.iter().copied());
    member.recent.truncate(REMEMBERED);
    member.opponents.extend_from_slice(others);
    member.wishes = member.wishes.saturating_sub(1);
    member.since = now;
    member.balance += early(seat, others.len() + 1, games);
}

/// How many opponents are remembered: those of five pairings of seven.
pub const REMEMBERED: usize = 30;

/// How much earlier than the middle of the order of play a seat is: of two, 1 and -1. Of paired games each begins one.
pub fn early(seat: usize, seats: usize, games: usize) -> i32 {
    if games > 1 {
        return 0;
    }
    let number = |number: usize| i32::try_from(number).unwrap_or(0);
    number(seats) - 1 - 2 * number(seat)
}

/// Who meets whom, each in the order of play. `games` is how many games a pairing has.
pub fn pair(waiting: &[Waiting], rules: &Rules, games: usize, now: Time) -> Vec<Vec<AccountId>> {
    let mut members: Vec<Waiting> = waiting.to_vec();
    let mut all = Vec::new();
    loop {
        let round = round(&members, rules, now);
        if round.is_empty() {
            return all;
        }
        let place: BTreeMap<AccountId, usize> = members.iter().enumerate().map(|(at, one)| (one.account, at)).collect();
        for meeting in &round {
            for (seat, account) in meeting.iter().enumerate() {
                let others: Vec<AccountId> = meeting.iter().copied().filter(|other| other != account).collect();
                if let Some(member) = place.get(account).and_then(|at| members.get_mut(*at)) {
                    note(member, &others, seat, games, now);
                }
            }
        }
        all.extend(round);
    }
}

/// One round: nobody is paired twice.
fn round(members: &[Waiting], rules: &Rules, now: Time) -> Vec<Vec<AccountId>> {
    let mut by_strength: Vec<&Waiting> = members.iter().filter(|member| member.wishes > 0).collect();
    by_strength.sort_by_key(|member| (member.strength, member.since, member.account));
    let mut by_wait: Vec<usize> = (0..by_strength.len()).collect();
    by_wait.sort_by_key(|at| by_strength.get(*at).map(|member| (member.since, member.account)));
    let mut line = Line::new(by_strength.len());
    let mut meetings = Vec::new();
    for at in by_wait {
        if !line.is_in(at) {
            continue;
        }
        if let Some(group) = group(&by_strength, &line, at, rules, now) {
            group.iter().for_each(|at| line.take_out(*at));
            meetings.push(in_order_of_play(group.into_iter().filter_map(|at| by_strength.get(at).copied()).collect()));
        }
    }
    meetings
}

/// Those whom the member at `at` gets: the nearest whom he may meet, and who may meet each other. None: there aren't enough.
fn group(members: &[&Waiting], line: &Line, at: usize, rules: &Rules, now: Time) -> Option<Vec<usize>> {
    let first = members.get(at)?;
    let window = rules.window(first.since, now);
    let mut group = vec![at];
    let (mut below, mut above) = (line.before(at), line.behind(at));
    while group.len() < rules.seats {
        let gap = |place: Option<usize>| {
            let other = place.and_then(|place| members.get(place))?;
            let gap = (i64::from(other.strength) - i64::from(first.strength)).abs();
            (gap <= window).then_some(gap)
        };
        // Of two who are as near, the weaker one.
        let from_below = match (gap(below), gap(above)) {
            (None, None) => return None,
            (Some(down), Some(up)) => down <= up,
            (down, None) => down.is_some(),
            (None, Some(_)) => false,
        };
        let next = if from_below { below } else { above }?;
        if from_below {
            below = line.before(next);
        } else {
            above = line.behind(next);
        }
        let other = members.get(next)?;
        let mut so_far = group.iter().filter_map(|place| members.get(*place));
        if so_far.all(|one| rules.may_meet(one, other, now)) {
            group.push(next);
        }
    }
    Some(group)
}

/// Whoever has sat early less often sits first; of equals the weaker one.
fn in_order_of_play(mut group: Vec<&Waiting>) -> Vec<AccountId> {
    group.sort_by_key(|member| (member.balance, member.strength, member.account));
    group.into_iter().map(|member| member.account).collect()
}

/// A line of people from which some are taken out: who stands next to whom is known at once.
struct Line {
    before: Vec<Option<usize>>,
    behind: Vec<Option<usize>>,
    is_in: Vec<bool>,
}

impl Line {
    fn new(length: usize) -> Self {
        Self {
            before: (0..length).map(|at| at.checked_sub(1)).collect(),
            behind: (0..length).map(|at| Some(at + 1).filter(|next| *next < length)).collect(),
            is_in: vec![true; length],
        }
    }

    fn is_in(&self, at: usize) -> bool {
        self.is_in.get(at).copied().unwrap_or(false)
    }

    fn before(&self, at: usize) -> Option<usize> {
        self.before.get(at).copied().flatten()
    }

    fn behind(&self, at: usize) -> Option<usize> {
        self.behind.get(at).copied().flatten()
    }

    fn take_out(&mut self, at: usize) {
        let (before, behind) = (self.before(at), self.behind(at));
        if let Some(place) = before.and_then(|before| self.behind.get_mut(before)) {
            *place = behind;
        }
        if let Some(place) = behind.and_then(|behind| self.before.get_mut(behind)) {
            *place = before;
        }
        if let Some(is_in) = self.is_in.get_mut(at) {
            *is_in = false;
        }
    }
}

#[cfg(test)]
mod tests;
