//! The end of a challenge, however it comes about: one way for all of them, so that each does to places, protection and activity what the rules say.

use broadside_rules::Time;

use super::challenges::Challenge;
use super::rules::{self, Seated};
use super::terms::Terms;
use super::{Cause, Listed, Outcome, Status, members};
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{LadderChallengeCalledOffEvent, LadderChallengeDeclinedEvent, LadderChallengeExpiredEvent};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::AccountId;
use crate::ladders::Ladder;
use crate::ladders::settle::gains;
use crate::ladders::store;
use crate::pairings::Pairing;

/// Ends a challenge that isn't over, and does to the places what follows. Returns what the two and those who are moved shall hear of it. The ladder is locked. On one that
/// is closed no place changes any more.
pub(super) async fn end(
    tx: &mut Tx,
    ladder: &Ladder,
    terms: &Terms,
    mut challenge: Challenge,
    outcome: Outcome,
    now: Time,
) -> Result<Vec<Notification>> {
    challenge.status = Status::Over;
    challenge.outcome = Some(outcome);
    challenge.ended_at = Some(now);
    store::challenges::update(tx, &challenge).await?;
    let mut told = heard(&challenge, outcome, now)?;
    let challenger = store::places::member(tx, ladder.id, challenge.challenger.id).await?;
    let defender = store::places::member(tx, ladder.id, challenge.defender.id).await?;
    let (Some(challenger), Some(defender)) = (challenger, defender) else { return Ok(told) };
    members::is_active(tx, ladder.id, terms, challenge.challenger.id, now).await?;
    let since = if outcome.is_activity() { now } else { defender.member.active_at };
    members::is_active(tx, ladder.id, terms, challenge.defender.id, since).await?;
    if outcome.is_held() {
        let until = now.plus_s(terms.protection_s);
        store::places::protect(tx, ladder.id, challenge.defender.id, until).await?;
    }
    if ladder.closed.is_some() {
        return Ok(told);
    }
    let last = store::places::count(tx, ladder.id).await?;
    let seated = |listed: &Listed| Seated { account: listed.player.id, place: listed.member.place };
    let (up, down) = (seated(&challenger), seated(&defender));
    if let Some((step, reason)) = rules::consequence(terms, outcome, up, down, challenge.defender_place, last) {
        let over = Some(challenge.defender.id);
        let cause = Cause { reason, over, challenge: Some(challenge.id), pairing: challenge.pairing };
        told.extend(members::take(tx, ladder.id, &step, &cause, now).await?);
    }
    Ok(told)
}

/// What the two hear of the end itself. That a match is over they hear from the match.
fn heard(challenge: &Challenge, outcome: Outcome, now: Time) -> Result<Vec<Notification>> {
    let (ladder, id) = (challenge.ladder, challenge.id);
    let (challenger, defender) = (challenge.challenger.id, challenge.defender.id);
    let (whom, event): (Vec<AccountId>, AccountEvent) = match outcome {
        Outcome::Declined | Outcome::Forfeited => {
            let forfeited = outcome == Outcome::Forfeited;
            (vec![challenger], LadderChallengeDeclinedEvent::at(now, ladder, id, forfeited).into())
        }
        Outcome::Unanswered => (vec![challenger, defender], LadderChallengeExpiredEvent::at(now, ladder, id).into()),
        Outcome::CalledOff => (vec![challenger, defender], LadderChallengeCalledOffEvent::at(now, ladder, id).into()),
        Outcome::Withdrawn => (vec![defender], LadderChallengeCalledOffEvent::at(now, ladder, id).into()),
        Outcome::ChallengerWon | Outcome::DefenderWon | Outcome::Drawn | Outcome::Aborted => return Ok(Vec::new()),
    };
    let told = whom.into_iter().map(|account| events::notification(account, std::slice::from_ref(&event)));
    told.filter_map(Result::transpose).collect()
}

/// Takes the result of a pairing in that is over: it was opened for a challenge, which ends with it. The ladder and the pairing are locked. Returns what is to be told.
pub async fn settle(
    tx: &mut Tx,
    ladder: &Ladder,
    terms: &Terms,
    pairing: &Pairing,
    now: Time,
) -> Result<Vec<Notification>> {
    let found = store::challenges::of_pairing(tx, pairing.id).await?;
    // Called off meanwhile: one of the two has left. The match counts for the ratings, and for nothing else.
    let Some(challenge) = found.filter(|challenge| challenge.status == Status::Accepted) else { return Ok(Vec::new()) };
    let points = pairing.half_points();
    let of = |account: AccountId| {
        let number = pairing.players.iter().position(|player| player.id == account)?;
        points.as_ref()?.get(number).copied()
    };
    let both = of(challenge.challenger.id).zip(of(challenge.defender.id));
    if let (Some((own, others)), None) = (both, &ladder.closed) {
        count(tx, ladder, &challenge, [own, others]).await?;
    }
    let outcome = rules::played(both);
    end(tx, ladder, terms, challenge, outcome, now).await
}

/// Counts the result for the standings of the season, which on a position ladder stand beside the places.
async fn count(tx: &mut Tx, ladder: &Ladder, challenge: &Challenge, half_points: [u32; 2]) -> Result<()> {
    let season = ladder.season.number;
    let both = [challenge.challenger.id, challenge.defender.id];
    for (account, gain) in both.into_iter().zip(gains(&half_points)) {
        if let Some(member) = store::members::find(tx, ladder.id, account).await? {
            store::standings::begin(tx, ladder.id, season, &member).await?;
            store::standings::add(tx, ladder.id, season, account, &gain).await?;
        }
    }
    Ok(())
}
