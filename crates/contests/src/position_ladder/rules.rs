//! The allowed challenges, and their effect on the positions: functions of the terms and of the two members.

use broadside_rules::Time;

use super::positions::Step;
use super::terms::{Inactivity, Terms};
use super::{Outcome, Reason};
use crate::words::words;

/// A member of a position ladder. `Id` names members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member<Id> {
    /// The member.
    pub account: Id,
    /// The member's position, from 1.
    pub place: u32,
    /// The member that this one is challenging.
    pub challenges: Option<Id>,
    /// The first challenger of this member.
    pub challenged_by: Option<Id>,
    /// The end of the protection after a successful defence.
    pub protected_until: Option<Time>,
    /// The last activity: the member joined, was in a challenge, or was found inactive.
    pub active_at: Time,
    /// The start of the challenges in a row that keep others from the member's place ([`kept_since`]).
    pub kept_since: Option<Time>,
    /// The end of the last finished one of these challenges.
    pub kept_until: Option<Time>,
}

words! {
    /// What keeps a member from challenging another one.
    #[cfg_attr(feature = "schema", schema(as = LadderChallengeObstacle))]
    pub enum Bar {
        /// The opponent doesn't stand above the challenger.
        NotAbove,
        /// The opponent stands too far above.
        TooFarAbove,
        /// The challenger has another challenge under way.
        ChallengeOutstanding,
        /// Somebody is challenging the opponent.
        OpponentChallenged,
        /// The opponent is challenging the challenger.
        OpponentChallengesYou,
        /// The opponent has held their place a short time ago.
        OpponentProtected,
        /// The two have met, or a challenge between them was taken back, a short time ago.
        RematchTooSoon,
        /// The two have met as often in this season as the ladder's terms allow.
        MetTooOften,
        /// The challenger blocks the opponent.
        PlayerBlocked,
    }
}

impl Bar {
    /// The explanation for people.
    pub fn detail(self) -> &'static str {
        match self {
            Self::NotAbove => "only somebody who stands above you can be challenged",
            Self::TooFarAbove => "the player stands further above you than the ladder's terms allow (`reach`)",
            Self::ChallengeOutstanding => "a challenge of yours is under way; end that one first",
            Self::OpponentChallenged => "somebody else is challenging the player at this moment",
            Self::OpponentChallengesYou => "the player is challenging you",
            Self::OpponentProtected => "the player has held their place a short time ago, and is protected for a while",
            Self::RematchTooSoon => "you have met, or a challenge between you was taken back, a short time ago",
            Self::MetTooOften => "you have met as often in this season as the ladder's terms allow (`max_meetings`)",
            Self::PlayerBlocked => "you block this player",
        }
    }
}

/// The history between two members.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Between {
    /// The end of their last challenge that counts as a meeting ([`Outcome::is_met`]).
    pub met_at: Option<Time>,
    /// Have they met as often in the season as the ladder allows?
    pub has_met_enough: bool,
    /// Does the challenger block the other? (A block by the other is no bar: otherwise a member could keep their place
    /// by blocking everybody below.)
    pub blocks: bool,
}

/// The bars to a challenge of `other` by `me` at `now`; empty: it is allowed.
pub fn bars<Id: Copy + Eq>(
    terms: &Terms,
    me: &Member<Id>,
    other: &Member<Id>,
    between: Between,
    now: Time,
) -> Vec<Bar> {
    // Challenges in a row keep others away only for a while: otherwise friends could shield a place by challenging it
    // in turn, and playing slowly.
    let kept = other.kept_since.is_none_or(|since| now < since.plus_s(terms.exclusive_s));
    let too_soon = between.met_at.is_some_and(|met| now < met.plus_s(terms.no_return_s));
    [
        (Bar::NotAbove, other.place >= me.place),
        (Bar::TooFarAbove, other.place.saturating_add(terms.reach) < me.place),
        (Bar::ChallengeOutstanding, me.challenges.is_some()),
        (Bar::OpponentChallengesYou, other.challenges == Some(me.account)),
        (Bar::OpponentChallenged, kept && other.challenged_by.is_some()),
        (Bar::OpponentProtected, kept && other.protected_until.is_some_and(|until| now < until)),
        (Bar::RematchTooSoon, too_soon),
        (Bar::MetTooOften, between.has_met_enough),
        (Bar::PlayerBlocked, between.blocks),
    ]
    .into_iter()
    .filter_map(|(bar, holds)| holds.then_some(bar))
    .collect()
}

/// The time since which challenges keep others from this member's place, with a challenge now: the earlier one, unless
/// the place has since been open to everybody for `open_s`.
pub fn kept_since<Id>(terms: &Terms, defender: &Member<Id>, now: Time) -> Time {
    let was_open =
        defender.challenged_by.is_none() && defender.kept_until.is_none_or(|until| now >= until.plus_s(terms.open_s));
    defender.kept_since.filter(|_| !was_open).unwrap_or(now)
}

/// Is there nobody to challenge, given the bars to each member above within reach (none: may be challenged)? A block
/// of their own doesn't count as a bar.
pub fn has_nobody_to_challenge<'a>(above: impl IntoIterator<Item = &'a [Bar]>) -> bool {
    above.into_iter().all(|bars| bars.iter().any(|bar| *bar != Bar::PlayerBlocked))
}

/// The outcome of a declined challenge. `before` is the number that the defender has declined in the last 30 days
/// ([`super::terms::DECLINES_COUNT_FOR_S`]).
pub fn declined(terms: &Terms, before: u32) -> Outcome {
    if before < terms.declines { Outcome::Declined } else { Outcome::Forfeited }
}

/// The outcome of a played challenge, by the half points of the challenger and of the defender; `None`: all of its
/// matches were aborted.
pub fn played(points: Option<(u32, u32)>) -> Outcome {
    match points {
        None => Outcome::Aborted,
        Some((challenger, defender)) if challenger > defender => Outcome::ChallengerWon,
        Some((challenger, defender)) if challenger < defender => Outcome::DefenderWon,
        Some(_) => Outcome::Drawn,
    }
}

/// The step after the end of a challenge, if any, and its reason.
///
/// Positions may have changed since the challenge was made, for the position `at_stake`. The winner takes the other's
/// current position, but none better than both the one at stake and the best one now within the winner's reach. A
/// winner who by now stands above the other doesn't move. `last` is the last position of the ladder.
pub fn consequence<Id: Copy>(
    terms: &Terms,
    outcome: Outcome,
    challenger: Seated<Id>,
    defender: Seated<Id>,
    at_stake: u32,
    last: u32,
) -> Option<(Step<Id>, Reason)> {
    let takes = |reason| {
        let best = at_stake.min(challenger.place.saturating_sub(terms.reach)).max(1);
        let to = defender.place.max(best);
        let step = Step { account: challenger.account, from: Some(challenger.place), to: Some(to) };
        (to < challenger.place).then_some((step, reason))
    };
    match outcome {
        Outcome::ChallengerWon => takes(Reason::ChallengeWon),
        Outcome::Forfeited => takes(Reason::ChallengeForfeited),
        Outcome::Unanswered => takes(Reason::ChallengeUnanswered),
        Outcome::DefenderWon => falls(challenger, terms.loser_falls, last).map(|step| (step, Reason::ChallengeLost)),
        Outcome::Drawn | Outcome::Declined | Outcome::Aborted | Outcome::Withdrawn | Outcome::Cancelled => None,
    }
}

/// Does the step give the challenger the defender's place? Then it inherits the time for which the defender kept it
/// from others: otherwise friends could hand a place on among them.
pub fn takes_over<Id: Copy + PartialEq>(step: &Step<Id>, challenger: Seated<Id>, defender: Seated<Id>) -> bool {
    step.account == challenger.account && step.to == Some(defender.place)
}

/// A member with their position. `Id` names members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seated<Id> {
    /// The member.
    pub account: Id,
    /// The member's position, from 1.
    pub place: u32,
}

/// A fall by this many positions, or to the last one; `None` if the member has the last one.
fn falls<Id: Copy>(who: Seated<Id>, places: u32, last: u32) -> Option<Step<Id>> {
    let to = who.place.saturating_add(places).min(last);
    (to > who.place).then_some(Step { account: who.account, from: Some(who.place), to: Some(to) })
}

/// The fall of an inactive member; `None` if the member has the last position.
pub fn inactive<Id: Copy>(terms: &Terms, who: Seated<Id>, last: u32) -> Option<Step<Id>> {
    match terms.inactivity {
        Inactivity::Falls => falls(who, terms.reach, last),
        Inactivity::ToTheEnd => falls(who, last, last),
    }
}
