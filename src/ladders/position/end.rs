//! The end of a challenge: one way for all causes, so that each changes places, protection and activity by the rules.

use broadside_contests::position_ladder::{Outcome, Terms as PositionTerms, rules};
use broadside_contests::ranking::gains;
use broadside_rules::Time;

use super::challenges::LadderChallenge;
use super::{Kept, LadderChallengeStatus, NamedMember, Seated, StepCause, members};
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{LadderChallengeCancelledEvent, LadderChallengeDeclinedEvent, LadderChallengeExpiredEvent};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::AccountId;
use crate::ladders::settle::Settled;
use crate::ladders::{Ladder, store};
use crate::pairings::Pairing;

/// Ends a challenge that isn't over, and changes the positions by the rules; on a closed ladder no position changes.
/// Returns the notifications. The ladder is locked.
pub(super) async fn end(
    tx: &mut Tx,
    ladder: &Ladder,
    terms: &PositionTerms,
    mut challenge: LadderChallenge,
    outcome: Outcome,
    now: Time,
) -> Result<Vec<Notification>> {
    challenge.status = LadderChallengeStatus::Finished;
    challenge.outcome = Some(outcome);
    challenge.ended_at = Some(now);
    store::challenges::update(tx, &challenge).await?;
    let mut told = heard(&challenge, outcome, now)?;
    let challenger = store::positions::member(tx, ladder.id, challenge.challenger.id).await?;
    let defender = store::positions::member(tx, ladder.id, challenge.defender.id).await?;
    let (Some(challenger), Some(defender)) = (challenger, defender) else { return Ok(told) };
    members::is_active(tx, ladder.id, terms, challenge.challenger.id, now).await?;
    let since = if outcome.is_activity() { now } else { defender.member.active_at };
    members::is_active(tx, ladder.id, terms, challenge.defender.id, since).await?;
    let until = outcome.is_held().then(|| now.plus_s(terms.protection_s)).or(defender.member.protected_until);
    let kept = Kept { since: defender.member.kept_since, until: until.map_or(now, |until| until.max(now)) };
    store::positions::protect(tx, ladder.id, challenge.defender.id, until, kept).await?;
    if ladder.closed.is_some() {
        return Ok(told);
    }
    let last = store::positions::count(tx, ladder.id).await?;
    let seated = |listed: &NamedMember| Seated { account: listed.player.id, place: listed.member.place };
    let (up, down) = (seated(&challenger), seated(&defender));
    if let Some((step, reason)) = rules::consequence(terms, outcome, up, down, challenge.defender_place, last) {
        let over = Some(challenge.defender.id);
        let cause = StepCause { reason, over, challenge: Some(challenge.id), pairing: challenge.pairing };
        told.extend(members::apply_step(tx, ladder.id, &step, &cause, now).await?);
        if rules::takes_over(&step, up, down) {
            let until = challenger.member.protected_until;
            let kept = Kept { until: until.map_or(now, |until| until.max(now)), ..kept };
            store::positions::protect(tx, ladder.id, challenge.challenger.id, until, kept).await?;
        }
    }
    Ok(told)
}

/// The notifications of the end itself. The end of a match has its own.
fn heard(challenge: &LadderChallenge, outcome: Outcome, now: Time) -> Result<Vec<Notification>> {
    let (ladder, id) = (challenge.ladder, challenge.id);
    let (challenger, defender) = (challenge.challenger.id, challenge.defender.id);
    let (whom, event): (Vec<AccountId>, AccountEvent) = match outcome {
        Outcome::Declined | Outcome::Forfeited => {
            let forfeited = outcome == Outcome::Forfeited;
            (vec![challenger], LadderChallengeDeclinedEvent::at(now, ladder, id, forfeited).into())
        }
        Outcome::Unanswered => (vec![challenger, defender], LadderChallengeExpiredEvent::at(now, ladder, id).into()),
        Outcome::Cancelled => (vec![challenger, defender], LadderChallengeCancelledEvent::at(now, ladder, id).into()),
        Outcome::Withdrawn => (vec![defender], LadderChallengeCancelledEvent::at(now, ladder, id).into()),
        Outcome::ChallengerWon | Outcome::DefenderWon | Outcome::Drawn | Outcome::Aborted => return Ok(Vec::new()),
    };
    let told = whom.into_iter().map(|account| events::notification(account, std::slice::from_ref(&event)));
    told.filter_map(Result::transpose).collect()
}

/// Counts the result of a finished pairing, and ends its challenge. The ladder and the pairing are locked. Returns the
/// notifications.
pub(in crate::ladders) async fn settle(
    tx: &mut Tx,
    ladder: &Ladder,
    terms: &PositionTerms,
    pairing: &Pairing,
    now: Time,
) -> Result<Settled> {
    let found = store::challenges::of_pairing(tx, pairing.id).await?;
    // Canceled meanwhile, because one player left. The match counts only for ratings.
    let Some(challenge) = found.filter(|challenge| challenge.status == LadderChallengeStatus::Accepted) else {
        return Ok(Settled { told: Vec::new(), counts: false });
    };
    let points = pairing.half_points();
    let of = |account: AccountId| {
        let number = pairing.players.iter().position(|player| player.id == account)?;
        points.as_ref()?.get(number).copied()
    };
    let both = of(challenge.challenger.id).zip(of(challenge.defender.id));
    let counts = both.is_some() && ladder.closed.is_none();
    if let (Some((own, others)), true) = (both, counts) {
        count(tx, ladder, &challenge, [own, others], pairing.games_played()).await?;
    }
    if ladder.closed.is_none() {
        let players = [challenge.challenger.id, challenge.defender.id];
        let over_at = pairing.ended_at.unwrap_or(now);
        store::meetings::note(tx, ladder.id, ladder.season.number, &players, counts, over_at).await?;
    }
    let told = end(tx, ladder, terms, challenge, rules::played(both), now).await?;
    Ok(Settled { told, counts })
}

/// Counts the result for the standings of the season, which a position ladder has beside its places.
async fn count(
    tx: &mut Tx,
    ladder: &Ladder,
    challenge: &LadderChallenge,
    half_points: [u32; 2],
    games: u32,
) -> Result<()> {
    let season = ladder.season.number;
    let both = [challenge.challenger.id, challenge.defender.id];
    for (account, gain) in both.into_iter().zip(gains(&half_points, games)) {
        if let Some(member) = store::members::find(tx, ladder.id, account).await? {
            store::standings::begin(tx, ladder, season, &member).await?;
            store::standings::add(tx, ladder, season, account, &gain).await?;
        }
    }
    Ok(())
}
