//! Who may challenge whom, and what a challenge does to the places: functions of the terms and of how members stand, and of nothing else.

use std::str::FromStr;

use broadside_rules::Time;
use utoipa::ToSchema;

use super::places::Step;
use super::terms::{Inactivity, Terms};
use super::{Outcome, Reason};
use crate::ids::AccountId;
use crate::words::words;

/// How a member stands when somebody thinks of challenging him, or he of challenging somebody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// Who.
    pub account: AccountId,
    /// Where he stands.
    pub place: u32,
    /// Whom he is challenging, if anybody.
    pub challenges: Option<AccountId>,
    /// Who is challenging him.
    pub challenged_by: Option<AccountId>,
    /// Until when he can't be challenged, since he has held his place.
    pub protected_until: Option<Time>,
    /// Since when he may have been inactive: since he came, was last in a challenge, or fell for it.
    pub active_at: Time,
}

/// What keeps one member from challenging another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, ToSchema)]
#[schema(as = LadderChallengeBar, rename_all = "kebab-case")]
pub enum Bar {
    /// He doesn't stand above.
    NotAbove,
    /// He stands too far above.
    TooFarAbove,
    /// The challenger challenges somebody already.
    ChallengeOutstanding,
    /// Somebody is challenging him.
    OpponentChallenged,
    /// He is challenging the challenger.
    OpponentChallengesYou,
    /// He has held his place a short time ago.
    OpponentProtected,
    /// The two have met a short time ago.
    TooSoonAgain,
    /// The challenger blocks him.
    PlayerBlocked,
}

words!(Bar {
    NotAbove "not-above",
    TooFarAbove "too-far-above",
    ChallengeOutstanding "challenge-outstanding",
    OpponentChallenged "opponent-challenged",
    OpponentChallengesYou "opponent-challenges-you",
    OpponentProtected "opponent-protected",
    TooSoonAgain "too-soon-again",
    PlayerBlocked "player-blocked",
});

impl Bar {
    /// What it means, for people.
    pub fn detail(self) -> &'static str {
        match self {
            Self::NotAbove => "only somebody who stands above you can be challenged",
            Self::TooFarAbove => "he stands further above you than the ladder's terms allow (`reach`)",
            Self::ChallengeOutstanding => "a challenge of yours is under way; end that one first",
            Self::OpponentChallenged => "somebody else is challenging him at this moment",
            Self::OpponentChallengesYou => "he is challenging you",
            Self::OpponentProtected => "he has held his place a short time ago, and is protected for a while",
            Self::TooSoonAgain => "you have met a short time ago",
            Self::PlayerBlocked => "you block this player",
        }
    }
}

/// What the two are to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Between {
    /// When a challenge between them last came to something.
    pub met_at: Option<Time>,
    /// Whether the challenger blocks the other. (That the other blocks the challenger is no bar: else a place could be held by blocking all those below.)
    pub blocks: bool,
}

/// All that keeps `me` from challenging `other` at `now`: nothing, if he may.
pub fn bars(terms: &Terms, me: &Member, other: &Member, between: Between, now: Time) -> Vec<Bar> {
    let too_soon = between.met_at.is_some_and(|met| now < met.plus_s(terms.no_return_s));
    [
        (Bar::NotAbove, other.place >= me.place),
        (Bar::TooFarAbove, other.place.saturating_add(terms.reach) < me.place),
        (Bar::ChallengeOutstanding, me.challenges.is_some()),
        (Bar::OpponentChallengesYou, other.challenges == Some(me.account)),
        (Bar::OpponentChallenged, other.challenged_by.is_some()),
        (Bar::OpponentProtected, other.protected_until.is_some_and(|until| now < until)),
        (Bar::TooSoonAgain, too_soon),
        (Bar::PlayerBlocked, between.blocks),
    ]
    .into_iter()
    .filter_map(|(bar, holds)| holds.then_some(bar))
    .collect()
}

/// How a challenge ends that is declined by somebody who has declined so many in the last 30 days.
pub fn declined(terms: &Terms, before: u32) -> Outcome {
    if before < terms.declines { Outcome::Declined } else { Outcome::Forfeited }
}

/// How a challenge ends whose matches have brought so many half points to the challenger and to the defender; none: all of them were aborted.
pub fn played(points: Option<(u32, u32)>) -> Outcome {
    match points {
        None => Outcome::Aborted,
        Some((challenger, defender)) if challenger > defender => Outcome::ChallengerWon,
        Some((challenger, defender)) if challenger < defender => Outcome::DefenderWon,
        Some(_) => Outcome::Drawn,
    }
}

/// The step that follows from a challenge's end, and why, if any does. Places may have changed since the challenge was made, for `at_stake`: who has won takes the place on which
/// the other stands now, but none that is better than both the one at stake and the one that he could reach from where he stands. If he stands above the other by now, nothing changes.
pub fn consequence(
    terms: &Terms,
    outcome: Outcome,
    challenger: Seated,
    defender: Seated,
    at_stake: u32,
    last: u32,
) -> Option<(Step, Reason)> {
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
        Outcome::Drawn | Outcome::Declined | Outcome::Aborted | Outcome::Withdrawn | Outcome::CalledOff => None,
    }
}

/// Somebody, and where he stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seated {
    /// Who.
    pub account: AccountId,
    /// His place.
    pub place: u32,
}

/// The fall by so many places, or to the last one; none if he stands there.
fn falls(who: Seated, places: u32, last: u32) -> Option<Step> {
    let to = who.place.saturating_add(places).min(last);
    (to > who.place).then_some(Step { account: who.account, from: Some(who.place), to: Some(to) })
}

/// The fall of a member who has become inactive; none if he stands on the last place.
pub fn inactive(terms: &Terms, who: Seated, last: u32) -> Option<Step> {
    match terms.inactivity {
        Inactivity::Falls => falls(who, terms.reach, last),
        Inactivity::ToTheEnd => falls(who, last, last),
    }
}

impl Outcome {
    /// Whether the defender has done something for it, or has paid for doing nothing: then he isn't inactive. (The challenger always has.)
    pub fn is_activity(self) -> bool {
        !matches!(self, Self::Declined | Self::Withdrawn | Self::CalledOff)
    }

    /// Whether the defender has held his place, and is protected for a while.
    pub fn is_held(self) -> bool {
        matches!(self, Self::DefenderWon | Self::Drawn)
    }

    /// Whether the two can't challenge each other again at once: they have met, or the challenge was taken back.
    pub fn is_met(self) -> bool {
        matches!(self, Self::ChallengerWon | Self::DefenderWon | Self::Drawn | Self::Withdrawn)
    }
}
