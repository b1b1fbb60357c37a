//! The completion of requests: the seat is handed over, or the request ends otherwise. It depends only on stored data
//! and the time, so that it is done once, by whichever looks first: an answer, or the job.

use broadside_rules::Time;

use super::{Deciders, Substitution, SubstitutionSource, SubstitutionStatus, candidate, request, store};
use crate::accounts::account;
use crate::db::Tx;
use crate::due::{each_due, pass_over};
use crate::error::{Error, ProblemKind, Result, problem};
use crate::ids::SubstitutionId;
use crate::matches::hand_over::{self, BeforeHandOver, HandOverOrder, SeatFacts};
use crate::matches::{Matches, replan};
use crate::player::Player;
use crate::standing_orders;

/// Requests read at a time.
const AT_MOST: i64 = 50;

/// The next action for a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// Nothing yet.
    Wait,
    /// Hand over the seat.
    HandOver,
    /// End it without a hand-over.
    Close(SubstitutionStatus),
}

/// The action at `now`.
///
/// If the players decide, more than half of the others hand the seat over and half of them keep it. After three days
/// silence is consent, except for a single other player, who must agree explicitly.
fn outcome(found: &Substitution, facts: &SeatFacts, now: Time) -> Outcome {
    if found.closed_at.is_some() {
        return Outcome::Wait;
    }
    let still_there = facts.players.get(found.seat.index()).is_some_and(|player| player.id == found.player.id);
    if !still_there || !facts.plays(found.seat) {
        return Outcome::Close(SubstitutionStatus::Expired);
    }
    let is_due = found.due_at <= now;
    let late = if is_due { Outcome::Close(SubstitutionStatus::Expired) } else { Outcome::Wait };
    if found.status != SubstitutionStatus::Proposed {
        return late;
    }
    match found.deciders(facts) {
        Deciders::Players => {
            let others = facts.others(found.seat);
            let said = |agrees| {
                let counts = |(account, answer): &&(_, bool)| *answer == agrees && others.contains(account);
                found.answers.iter().filter(counts).count()
            };
            match others.len() {
                all if said(true) * 2 > all => Outcome::HandOver,
                all if said(false) * 2 >= all => Outcome::Close(SubstitutionStatus::Refused),
                1 => late,
                _ if is_due => Outcome::HandOver,
                _ => Outcome::Wait,
            }
        }
        Deciders::Organizers(_) | Deciders::Moderators => {
            let decided_before = found.asked_by != SubstitutionSource::Player && found.named.is_some();
            match found.answers.last() {
                Some((_, false)) => Outcome::Close(SubstitutionStatus::Refused),
                Some((_, true)) => Outcome::HandOver,
                None if decided_before => Outcome::HandOver,
                None => late,
            }
        }
    }
}

/// Does the next action for a request, if any.
pub async fn carry_on(matches: &Matches, id: SubstitutionId) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let found = super::find(&mut conn, id).await?;
    drop(conn);
    let facts = hand_over::facts(matches, found.match_id).await?;
    match outcome(&found, &facts, matches.clock.now()) {
        Outcome::Wait => Ok(()),
        Outcome::Close(status) => close(matches, &found, &facts, status).await,
        Outcome::HandOver => hand_over(matches, &found, &facts).await,
    }
}

/// Like [`carry_on`], immediately after an answer: failures are left to the job.
pub async fn carry_on_or_log(matches: &Matches, id: SubstitutionId) {
    if let Err(error) = carry_on(matches, id).await {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, "a request for a substitute waits for the next round");
    }
}

/// Ends a request without a hand-over, unless it has changed meanwhile.
async fn close(matches: &Matches, found: &Substitution, facts: &SeatFacts, status: SubstitutionStatus) -> Result<()> {
    let mut tx = matches.db.begin().await?;
    let now = store::lock(&mut tx, found.id).await?;
    let same = |now: &Substitution| now.status == found.status && now.answers == found.answers;
    if let Some(now) = now.filter(same).filter(|now| now.closed_at.is_none()) {
        request::close(&mut tx, matches, facts, &now, status, None).await?;
    }
    tx.commit().await
}

/// Completes the request with the hand-over, and ends standing orders.
struct Completion<'a> {
    matches: &'a Matches,
    found: &'a Substitution,
    facts: &'a SeatFacts,
    candidate: &'a Player,
}

impl BeforeHandOver for Completion<'_> {
    async fn write(&self, tx: &mut Tx) -> Result<()> {
        let Self { matches, found, facts, candidate } = self;
        let gone = || Error::plain(&problem::SUBSTITUTION_CLOSED);
        if account::lock_all_active(tx, matches, &[candidate.id]).await?.is_empty() {
            return Err(gone());
        }
        let now = store::lock(tx, found.id).await?.ok_or_else(gone)?;
        let same = now.status == SubstitutionStatus::Proposed && now.candidate.as_ref() == Some(candidate);
        if !same || now.answers != found.answers {
            return Err(gone());
        }
        candidate::may_still_sit(tx, found.match_id, facts, candidate).await?;
        let at = matches.clock.now();
        store::close(tx, found.id, SubstitutionStatus::Completed, at).await?;
        standing_orders::hand_over(tx, found.match_id, found.player.id).await
    }
}

async fn hand_over(matches: &Matches, found: &Substitution, facts: &SeatFacts) -> Result<()> {
    let Some(candidate) = &found.candidate else {
        return Err(Error::internal("a substitution is proposed without a candidate"));
    };
    let first = Completion { matches, found, facts, candidate };
    let order = HandOverOrder {
        seat: found.seat,
        from: found.player.id,
        to: candidate.clone(),
        by: found.deciders(facts).decision(),
    };
    match hand_over::carry_out(matches, found.match_id, order, first).await {
        Ok(true) => {
            replan::catch_up_or_log(matches, candidate.id).await;
            Ok(())
        }
        // There is nothing left to hand over.
        Ok(false) => close(matches, found, facts, SubstitutionStatus::Expired).await,
        // The candidate is suspended or gone, or the request has changed, and then this does nothing.
        Err(error) if error.problem().code == problem::SUBSTITUTION_CLOSED.code => {
            close(matches, found, facts, SubstitutionStatus::Expired).await
        }
        // The candidate has meanwhile joined the contest or was in the spectators' room, or there is a block by now.
        Err(error) if error.problem().code == problem::SUBSTITUTE_NOT_ALLOWED.code => {
            close(matches, found, facts, SubstitutionStatus::NotAllowed).await
        }
        // Others were faster every time: the job tries again.
        Err(error) if error.problem().kind == ProblemKind::Conflict => Ok(()),
        Err(error) => Err(error),
    }
}

/// Continues every due request.
pub async fn round(matches: &Matches) -> Result<()> {
    each_due!(matches, (conn, last) => store::to_look_at(conn, matches.clock.now(), last, AT_MOST), id by *id => {
        let done = carry_on(matches, id).await;
        pass_over(done, id, "a request for a substitute could not be settled; the next round tries again")?;
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contests::Contest;
    use crate::ids::{AccountId, MatchId, TournamentId};
    use broadside_rules::Seat;
    use uuid::Uuid;

    fn player(number: u128) -> Player {
        Player { id: AccountId(Uuid::from_u128(number)), username: "anna".to_owned(), bot: false }
    }

    fn facts(seats: u128, contest: Option<Contest>) -> SeatFacts {
        SeatFacts {
            over: false,
            players: (1..=seats).map(player).collect(),
            former: Vec::new(),
            playing: vec![true; usize::try_from(seats).unwrap()],
            contest,
            rated: true,
            spectators: true,
        }
    }

    fn proposed(answers: &[(u128, bool)]) -> Substitution {
        Substitution {
            id: SubstitutionId(Uuid::nil()),
            match_id: MatchId(Uuid::nil()),
            variant: "salvos".to_owned(),
            seat: Seat(0),
            asked_by: SubstitutionSource::Player,
            requester: player(1).id,
            player: player(1),
            named: None,
            candidate: Some(player(9)),
            status: SubstitutionStatus::Proposed,
            message: None,
            answers: answers.iter().map(|(number, agrees)| (player(*number).id, *agrees)).collect(),
            created_at: Time(0),
            due_at: Time(100),
            closed_at: None,
        }
    }

    #[test]
    fn more_than_half_of_the_others_hand_over_and_half_keep() {
        let of = |seats, answers: &[(u128, bool)], now| outcome(&proposed(answers), &facts(seats, None), Time(now));
        let (refused, expired) =
            (Outcome::Close(SubstitutionStatus::Refused), Outcome::Close(SubstitutionStatus::Expired));
        // With two players, the other one must agree explicitly.
        assert_eq!(of(2, &[], 99), Outcome::Wait);
        assert_eq!(of(2, &[], 100), expired);
        assert_eq!(of(2, &[(2, true)], 1), Outcome::HandOver);
        assert_eq!(of(2, &[(2, false)], 1), refused);
        // With seven, silence is consent after its time.
        assert_eq!(of(7, &[(2, true), (3, true), (4, true)], 1), Outcome::Wait);
        assert_eq!(of(7, &[(2, true), (3, true), (4, true), (5, true)], 1), Outcome::HandOver);
        assert_eq!(of(7, &[(2, false), (3, false), (4, false)], 1), refused);
        assert_eq!(of(7, &[(2, false), (3, false)], 100), Outcome::HandOver);
        // An answer by a player without a vote doesn't count.
        assert_eq!(of(3, &[(1, true), (8, true)], 1), Outcome::Wait);
    }

    #[test]
    fn in_a_contest_who_runs_it_decides_and_nobody_else() {
        let contest = Some(Contest::Tournament(TournamentId(Uuid::nil())));
        let of = |answers: &[(u128, bool)], now| outcome(&proposed(answers), &facts(3, contest), Time(now));
        assert_eq!(of(&[], 1), Outcome::Wait);
        assert_eq!(of(&[], 100), Outcome::Close(SubstitutionStatus::Expired));
        assert_eq!(of(&[(20, true)], 1), Outcome::HandOver);
        assert_eq!(of(&[(20, false)], 1), Outcome::Close(SubstitutionStatus::Refused));
        let asked = Substitution { asked_by: SubstitutionSource::Organizer, named: Some(player(9)), ..proposed(&[]) };
        assert_eq!(outcome(&asked, &facts(3, contest), Time(1)), Outcome::HandOver);
    }

    #[test]
    fn a_seat_that_is_out_is_not_handed_over() {
        let mut facts = facts(3, None);
        facts.playing[0] = false;
        let agreed = proposed(&[(2, true), (3, true)]);
        assert_eq!(outcome(&agreed, &facts, Time(1)), Outcome::Close(SubstitutionStatus::Expired));
    }
}
