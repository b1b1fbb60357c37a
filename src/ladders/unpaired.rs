//! The explanation of why a member of a rating ladder isn't paired now, and when they may be, by the ladder's pairing
//! rules. It is shown only to the member, and names nobody else.

use broadside_contests::pairing::{Rules, Waiting};
use broadside_rules::Time;

use super::{FormTerms, Ladder, LadderMember, MemberStatus, matchmaking, store};
use crate::calendar;
use crate::db::Conn;
use crate::error::Result;
use crate::ids::AccountId;
use crate::string_enums::string_enums;

/// The number of other waiting members considered, longest waiting first.
const LOOKED_AT: i64 = 100;
/// The number of steps of the limits considered ahead.
const STEPS: u32 = 60;

string_enums! {
    /// Why a member of a ladder isn't paired at this moment. More may come.
    pub enum WaitingReason {
        /// The ladder is paused.
        LadderPaused,
        /// The member has missed too many pairings: they aren't paired until they join again.
        Inactive,
        /// As many pairings of the member run as they want.
        AllPairingsRun,
        /// The member is on vacation, suspended, or marked otherwise (person or program) than where they are listed.
        Away,
        /// Too few others wait whom the member could ever meet.
        NobodyWaits,
        /// The member plays with all who wait, or has met them lately, or as often as a season allows.
        AllMetLately,
        /// Those who wait are too far in strength, or others have to come between: waiting relaxes both.
        LimitsNotRelaxed,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotPaired {
    pub reason: WaitingReason,
    /// The earliest time of a pairing with the members who wait now; `None` if unknown.
    pub again_at: Option<Time>,
}

impl NotPaired {
    const fn of(reason: WaitingReason, again_at: Option<Time>) -> Self {
        Self { reason, again_at }
    }
}

/// The reason why a member isn't paired now; `None` if they are about to be, or the ladder doesn't pair.
pub async fn why(conn: &mut Conn, ladder: &Ladder, member: &LadderMember, now: Time) -> Result<Option<NotPaired>> {
    let FormTerms::Rating(terms) = &ladder.terms.form else { return Ok(None) };
    if ladder.closed.is_some() || member.status == MemberStatus::Left {
        return Ok(None);
    }
    if let Some(pause) = &ladder.pause {
        return Ok(Some(NotPaired::of(WaitingReason::LadderPaused, Some(pause.until))));
    }
    if member.status == MemberStatus::Inactive {
        return Ok(Some(NotPaired::of(WaitingReason::Inactive, None)));
    }
    if !member.waits() {
        return Ok(Some(NotPaired::of(WaitingReason::AllPairingsRun, None)));
    }
    let group = (member.section, member.division);
    let mut found = store::members::waiting_in(conn, ladder.id, group, now, LOOKED_AT).await?;
    if !found.iter().any(|(one, ..)| one.account == member.account) {
        found.extend(store::members::waiting_one(conn, ladder.id, member.account, now).await?);
    }
    let limits = ladder.terms.meeting_limits(terms);
    let waiting = matchmaking::present(conn, ladder, limits, found, now).await?.remove(&group).unwrap_or_default();
    let (own, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|one| one.account == member.account);
    let Some(own) = own.first() else {
        let until = calendar::on_vacation_until(conn, member.account, now).await?;
        return Ok(Some(NotPaired::of(WaitingReason::Away, until)));
    };
    let members = store::members::counts(conn, &[ladder.id]).await?;
    let members = members.into_iter().find(|(_, section, division, _)| (*section, *division) == group);
    let members = members.map_or(0, |(.., count)| usize::try_from(count).unwrap_or(usize::MAX));
    let rules = matchmaking::rules(ladder, terms, members);
    Ok(among(own, &others, &rules, now).map(|found| NotPaired {
        // A new season counts meetings anew.
        again_at: found.again_at.or(ladder.season.ends_at.filter(|_| found.reason == WaitingReason::AllMetLately)),
        ..found
    }))
}

/// The reason among the members who wait together with this one.
fn among(own: &Waiting<AccountId>, others: &[Waiting<AccountId>], rules: &Rules, now: Time) -> Option<NotPaired> {
    let blocked =
        |other: &&Waiting<AccountId>| own.blocked.contains(&other.account) || other.blocked.contains(&own.account);
    let others: Vec<&Waiting<AccountId>> = others.iter().filter(|other| !blocked(other)).collect();
    let needed = rules.seats.saturating_sub(1).max(1);
    if others.len() < needed {
        return Some(NotPaired::of(WaitingReason::NobodyWaits, None));
    }
    let fit = |at: Time| others.iter().filter(|other| rules.may_meet(own, other, at)).count() >= needed;
    if fit(now) {
        return None;
    }
    let met = |other: &Waiting<AccountId>| own.met.get(&other.account).or(other.met.get(&own.account)).copied();
    let plays =
        |other: &Waiting<AccountId>| own.opponents.contains(&other.account) || other.opponents.contains(&own.account);
    let apart = |other: &Waiting<AccountId>| {
        plays(other) || met(other).is_some_and(|met| !rules.limits.may_meet_again(&met, now))
    };
    let reason = if others.iter().filter(|other| !apart(other)).count() < needed {
        WaitingReason::AllMetLately
    } else {
        WaitingReason::LimitsNotRelaxed
    };
    let bars = others.iter().filter_map(|other| met(other)).map(|met| met.last_at.plus_s(rules.limits.no_return_s));
    let steps = others.iter().flat_map(|other| {
        let since = own.since.min(other.since);
        (1..=STEPS).map(move |step| since.plus_s(step.saturating_mul(rules.relax_s)))
    });
    let mut times: Vec<Time> = bars.chain(steps).filter(|at| *at > now).collect();
    times.sort_unstable();
    times.dedup();
    Some(NotPaired::of(reason, times.into_iter().find(|at| fit(*at))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use broadside_contests::meetings::{MeetingLimits, Meetings};
    use uuid::Uuid;

    use super::*;

    fn waiting(number: u128, strength: i32) -> Waiting<AccountId> {
        Waiting {
            account: AccountId(Uuid::from_u128(number)),
            strength,
            wishes: 1,
            since: Time(0),
            balance: 0,
            recent: Vec::new(),
            opponents: Vec::new(),
            met: BTreeMap::new(),
            blocked: Vec::new(),
        }
    }

    const RULES: Rules =
        Rules { seats: 2, members: 2, relax_s: 60, limits: MeetingLimits { max_meetings: None, no_return_s: 3600 } };

    #[test]
    fn who_is_about_to_be_paired_waits_for_nothing() {
        assert_eq!(among(&waiting(1, 1500), &[waiting(2, 1600)], &RULES, Time(0)), None);
    }

    #[test]
    fn alone_there_is_no_time_and_a_block_is_like_nobody() {
        let nobody = Some(NotPaired::of(WaitingReason::NobodyWaits, None));
        assert_eq!(among(&waiting(1, 1500), &[], &RULES, Time(0)), nobody);
        let blocks = Waiting { blocked: vec![waiting(1, 0).account], ..waiting(2, 1500) };
        assert_eq!(among(&waiting(1, 1500), &[blocks], &RULES, Time(0)), nobody);
    }

    #[test]
    fn two_who_have_met_wait_for_the_end_of_their_time_apart() {
        let now = Time(0).plus_s(7200);
        let met = Meetings { count: 1, last_at: now.plus_s(0) };
        let own = Waiting { met: BTreeMap::from([(waiting(2, 0).account, met)]), since: now, ..waiting(1, 1500) };
        let other = Waiting { since: now, ..waiting(2, 1500) };
        let again = Some(now.plus_s(3600));
        assert_eq!(among(&own, &[other], &RULES, now), Some(NotPaired::of(WaitingReason::AllMetLately, again)));
    }

    #[test]
    fn who_is_too_strong_waits_for_the_window() {
        let found = among(&waiting(1, 1500), &[waiting(2, 1850)], &RULES, Time(0));
        assert_eq!(found, Some(NotPaired::of(WaitingReason::LimitsNotRelaxed, Some(Time(0).plus_s(120)))));
    }
}
