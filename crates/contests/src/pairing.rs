//! Continuous pairing on a rating ladder, among the waiting members.
//!
//! The member who has waited longest chooses first, and gets the nearest in strength of those they may meet. This is
//! repeated in rounds until nobody can be paired any more; in each round everybody is paired at most once, however many
//! pairings they wish for.
//!
//! The result follows from the waiting members and the time; no lots are drawn. So the same list gives the same
//! pairings, whatever its order.

use alloc::collections::BTreeMap;

use broadside_rules::{Clock, Fault, Time};
use serde::{Deserialize, Serialize};

use crate::meetings::{MeetingLimits, Meetings};

/// The number of others that each of two members must meet before they meet again, if the ladder has enough members.
pub const OTHERS_BETWEEN: usize = 5;
/// The greatest difference in strength of two members who meet, when neither has waited.
pub const WINDOW: i32 = 200;
/// The addition to that difference for each [`Rules::relax_s`] that one of them has waited.
pub const WINDOW_STEP: i32 = 100;

/// The bounds of the time in which the limits give way, in seconds: 10 seconds to 30 days.
pub const RELAX_S: (u32, u32) = (10, 30 * 86_400);
/// The longest time in which two don't meet again, in seconds: 90 days.
pub const MAX_NO_RETURN_S: u32 = 90 * 86_400;

/// A ladder's pairing terms, as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PairingTerms {
    /// The waiting time after which both limits are relaxed by one step, in seconds.
    pub relax_s: u32,
    /// The time after the end of a pairing in which the two aren't paired again, in seconds, however long they wait.
    pub no_return_s: u32,
}

impl PairingTerms {
    /// The defaults for a clock: the limits relax by a step in a twenty-fourth of its time for a move, and two meet
    /// again after twice that time. So both are minutes where a match takes minutes, and days where it takes weeks.
    pub fn usual(clock: &Clock) -> Self {
        let move_s = match clock {
            Clock::PerMove(clock) => clock.move_s,
            Clock::Bank(clock) => clock.initial_s.max(clock.increment_s),
            Clock::None(_) => u32::MAX,
        };
        let relax_s = (move_s / 24).clamp(RELAX_S.0, RELAX_S.1);
        Self { relax_s, no_return_s: move_s.saturating_mul(2).min(MAX_NO_RETURN_S) }
    }

    /// Every value that is out of bounds.
    pub fn faults(&self) -> Vec<Fault> {
        let bounds = [("/relax_s", self.relax_s, RELAX_S), ("/no_return_s", self.no_return_s, (0, MAX_NO_RETURN_S))];
        let beyond = bounds.into_iter().filter(|(_, value, (min, max))| !(*min..=*max).contains(value));
        beyond
            .map(|(pointer, _, (min, max))| Fault {
                pointer: pointer.to_owned(),
                code: "out-of-range",
                detail: format!("must be {min} to {max} seconds"),
            })
            .collect()
    }
}

/// The pairing rules of a ladder, or of a part of it that is paired by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The number of members in one match.
    pub seats: usize,
    /// The number of members, waiting or not.
    pub members: usize,
    /// The waiting time after which both limits are relaxed by one step, in seconds.
    pub relax_s: u32,
    /// The limits on meetings, which no waiting relaxes.
    pub limits: MeetingLimits,
}

/// A member who waits for a pairing. `Id` names members.
#[derive(Clone, Debug)]
pub struct Waiting<Id> {
    /// The member.
    pub account: Id,
    /// The member's strength: a rating, or a number on such a scale.
    pub strength: i32,
    /// The number of further pairings that the member wishes for.
    pub wishes: u32,
    /// The start of the member's wait.
    pub since: Time,
    /// The excess of early over late seats of the member: the sum of [`early`] over all pairings.
    pub balance: i32,
    /// The member's last opponents, the newest first.
    pub recent: Vec<Id>,
    /// The member's opponents in pairings that are still being played.
    pub opponents: Vec<Id>,
    /// The member's meetings with others. An entry on one side is enough.
    pub met: BTreeMap<Id, Meetings>,
    /// Members whom this one never meets, because one of the two blocks the other. An entry on one side is enough.
    pub blocked: Vec<Id>,
}

impl Rules {
    /// The number of others that two members meet before they meet again, when neither has waited: fewer on a small
    /// ladder, 0 if there are no others.
    pub fn others_between(&self) -> usize {
        self.members.saturating_sub(self.seats).min(OTHERS_BETWEEN)
    }

    /// The number of relaxation steps for a member who has waited since then.
    fn steps(&self, since: Time, now: Time) -> u32 {
        let waited_s = now.millis_since(since).max(0) / 1000;
        u32::try_from(waited_s / i64::from(self.relax_s.max(1))).unwrap_or(u32::MAX)
    }

    /// The greatest difference in strength to opponents for a member who has waited since then.
    fn window(&self, since: Time, now: Time) -> i64 {
        i64::from(WINDOW) + i64::from(WINDOW_STEP) * i64::from(self.steps(since, now))
    }

    /// May two members meet? The longer of their two waiting times counts.
    pub fn may_meet<Id: Copy + Ord>(&self, one: &Waiting<Id>, other: &Waiting<Id>, now: Time) -> bool {
        let since = one.since.min(other.since);
        let (steps, window) = (self.steps(since, now), self.window(since, now));
        let between = self.others_between().saturating_sub(usize::try_from(steps).unwrap_or(usize::MAX));
        let met =
            |who: &Waiting<Id>, whom: &Waiting<Id>| who.recent.iter().take(between).any(|met| *met == whom.account);
        let again = |who: &Waiting<Id>, whom: &Waiting<Id>| {
            who.met.get(&whom.account).is_none_or(|met| self.limits.may_meet_again(met, now))
        };
        let names = |list: &[Id], whom: &Waiting<Id>| list.contains(&whom.account);
        one.account != other.account
            && (i64::from(one.strength) - i64::from(other.strength)).abs() <= window
            && !names(&one.opponents, other)
            && !names(&other.opponents, one)
            && !names(&one.blocked, other)
            && !names(&other.blocked, one)
            && !met(one, other)
            && !met(other, one)
            && again(one, other)
            && again(other, one)
    }
}

/// Records a pairing in a member's state: its opponents, the member's `seat` in the order of play (from 0), and its
/// number of games.
pub fn note<Id: Copy>(member: &mut Waiting<Id>, others: &[Id], seat: usize, games: usize, now: Time) {
    member.recent.splice(0..0, others.iter().copied());
    member.recent.truncate(REMEMBERED);
    member.opponents.extend_from_slice(others);
    member.wishes = member.wishes.saturating_sub(1);
    member.since = now;
    member.balance += early(seat, others.len() + 1, games);
}

/// The number of recent opponents worth storing: those of five matches of seven seats.
pub const REMEMBERED: usize = 30;

/// The distance of a seat before the middle of the order of play: 1 and -1 of two seats, 2, 0 and -2 of three. 0 for
/// paired games, where each player begins one.
pub fn early(seat: usize, seats: usize, games: usize) -> i32 {
    if games > 1 {
        return 0;
    }
    let number = |number: usize| i32::try_from(number).unwrap_or(0);
    number(seats) - 1 - 2 * number(seat)
}

/// The pairings, each in the order of play. `games` is the number of games of a pairing.
pub fn pair<Id: Copy + Ord>(waiting: &[Waiting<Id>], rules: &Rules, games: usize, now: Time) -> Vec<Vec<Id>> {
    let mut members: Vec<Waiting<Id>> = waiting.to_vec();
    let mut all = Vec::new();
    loop {
        let round = round(&members, rules, now);
        if round.is_empty() {
            return all;
        }
        let place: BTreeMap<Id, usize> = members.iter().enumerate().map(|(at, one)| (one.account, at)).collect();
        for meeting in &round {
            for (seat, account) in meeting.iter().enumerate() {
                let others: Vec<Id> = meeting.iter().copied().filter(|other| other != account).collect();
                if let Some(member) = place.get(account).and_then(|at| members.get_mut(*at)) {
                    note(member, &others, seat, games, now);
                }
            }
        }
        all.extend(round);
    }
}

/// One round, in which nobody is paired twice.
fn round<Id: Copy + Ord>(members: &[Waiting<Id>], rules: &Rules, now: Time) -> Vec<Vec<Id>> {
    let mut by_strength: Vec<&Waiting<Id>> = members.iter().filter(|member| member.wishes > 0).collect();
    by_strength.sort_by_key(|member| (member.strength, member.since, member.account));
    let mut by_wait: Vec<usize> = (0..by_strength.len()).collect();
    by_wait.sort_by_key(|at| by_strength.get(*at).map(|member| (member.since, member.account)));
    let mut chain = Chain::new(by_strength.len());
    let mut meetings = Vec::new();
    for at in by_wait {
        if !chain.is_in(at) {
            continue;
        }
        if let Some(group) = group(&by_strength, &chain, at, rules, now) {
            group.iter().for_each(|at| chain.remove(*at));
            meetings.push(in_order_of_play(group.into_iter().filter_map(|at| by_strength.get(at).copied()).collect()));
        }
    }
    meetings
}

/// The member at `at` with the nearest opponents who may all meet each other. `None`: there aren't enough.
fn group<Id: Copy + Ord>(
    members: &[&Waiting<Id>],
    chain: &Chain,
    at: usize,
    rules: &Rules,
    now: Time,
) -> Option<Vec<usize>> {
    let first = members.get(at)?;
    let window = rules.window(first.since, now);
    let mut group = vec![at];
    let (mut below, mut above) = (chain.before(at), chain.behind(at));
    while group.len() < rules.seats {
        let gap = |place: Option<usize>| {
            let other = place.and_then(|place| members.get(place))?;
            let gap = (i64::from(other.strength) - i64::from(first.strength)).abs();
            (gap <= window).then_some(gap)
        };
        // Of two equally near ones, the weaker.
        let from_below = match (gap(below), gap(above)) {
            (None, None) => return None,
            (Some(down), Some(up)) => down <= up,
            (down, None) => down.is_some(),
            (None, Some(_)) => false,
        };
        let next = if from_below { below } else { above }?;
        if from_below {
            below = chain.before(next);
        } else {
            above = chain.behind(next);
        }
        let other = members.get(next)?;
        let mut so_far = group.iter().filter_map(|place| members.get(*place));
        if so_far.all(|one| rules.may_meet(one, other, now)) {
            group.push(next);
        }
    }
    Some(group)
}

/// The member who has moved early less often moves first; of equals, the weaker one.
fn in_order_of_play<Id: Copy + Ord>(mut group: Vec<&Waiting<Id>>) -> Vec<Id> {
    group.sort_by_key(|member| (member.balance, member.strength, member.account));
    group.into_iter().map(|member| member.account).collect()
}

/// A linked list of indices: removing one, and finding the neighbours of one, takes constant time.
struct Chain {
    before: Vec<Option<usize>>,
    behind: Vec<Option<usize>>,
    is_in: Vec<bool>,
}

impl Chain {
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

    fn remove(&mut self, at: usize) {
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
