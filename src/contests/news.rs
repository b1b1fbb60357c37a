//! Notifications for organizers: players who join or leave, and the end of the contest. The person who caused the event
//! isn't notified.

use broadside_rules::Time;

use super::organizers::Runners;
use super::{Contest, either};
use crate::error::Result;
use crate::events::kinds::{ContestFinishedEvent, ContestMemberJoinedEvent, ContestMemberLeftEvent};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::AccountId;

/// Notifications for all organizers except these.
pub fn to_runners(runners: Runners<'_>, event: &AccountEvent, but: &[AccountId]) -> Result<Vec<Notification>> {
    let beside = runners.organizers.iter().map(|organizer| organizer.player.id);
    let all = [runners.creator].into_iter().chain(beside).filter(|account| !but.contains(account));
    all.filter_map(|account| events::notification(account, std::slice::from_ref(event)).transpose()).collect()
}

/// A player has joined.
pub fn joined(contest: Contest, runners: Runners<'_>, player: AccountId, now: Time) -> Result<Vec<Notification>> {
    let (ladder, tournament) = either(contest);
    to_runners(runners, &ContestMemberJoinedEvent::at(now, ladder, tournament, player).into(), &[player])
}

/// A player has left, without an organizer's decision.
pub fn left(contest: Contest, runners: Runners<'_>, player: AccountId, now: Time) -> Result<Vec<Notification>> {
    let (ladder, tournament) = either(contest);
    to_runners(runners, &ContestMemberLeftEvent::at(now, ladder, tournament, player).into(), &[player])
}

/// The contest is over. Skips the accounts `but`, which are notified of it anyway.
pub fn finished(contest: Contest, runners: Runners<'_>, but: &[AccountId], now: Time) -> Result<Vec<Notification>> {
    let (ladder, tournament) = either(contest);
    to_runners(runners, &ContestFinishedEvent::at(now, ladder, tournament).into(), but)
}
