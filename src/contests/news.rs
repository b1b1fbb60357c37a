//! What those who run a contest are told of it: who comes, who goes, and that it is over. Whoever has caused it isn't
//! told.

use broadside_rules::Time;

use super::organizers::Runners;
use super::{Contest, either};
use crate::error::Result;
use crate::events::kinds::{ContestFinishedEvent, ContestMemberJoinedEvent, ContestMemberLeftEvent};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::AccountId;

/// The notifications of those who run a contest, but for these.
pub fn to_runners(runners: Runners<'_>, event: &AccountEvent, but: &[AccountId]) -> Result<Vec<Notification>> {
    let beside = runners.organizers.iter().map(|organizer| organizer.player.id);
    let all = [runners.creator].into_iter().chain(beside).filter(|account| !but.contains(account));
    all.filter_map(|account| events::notification(account, std::slice::from_ref(event)).transpose()).collect()
}

/// A player takes part from now on.
pub fn joined(contest: Contest, runners: Runners<'_>, player: AccountId, now: Time) -> Result<Vec<Notification>> {
    let (ladder, tournament) = either(contest);
    to_runners(runners, &ContestMemberJoinedEvent::at(now, ladder, tournament, player).into(), &[player])
}

/// A player takes part no more, and no organizer has decided so.
pub fn left(contest: Contest, runners: Runners<'_>, player: AccountId, now: Time) -> Result<Vec<Notification>> {
    let (ladder, tournament) = either(contest);
    to_runners(runners, &ContestMemberLeftEvent::at(now, ladder, tournament, player).into(), &[player])
}

/// It is over; those who know it from elsewhere aren't told once more.
pub fn finished(contest: Contest, runners: Runners<'_>, but: &[AccountId], now: Time) -> Result<Vec<Notification>> {
    let (ladder, tournament) = either(contest);
    to_runners(runners, &ContestFinishedEvent::at(now, ladder, tournament).into(), but)
}
