//! Challenges for places: eligibility, challenging, accepting, declining.
//!
//! One function both lists the possible opponents with all obstacles, and judges a challenge.

use broadside_contests::meetings::MeetingLimits;
use broadside_contests::position_ladder::rules::{self, Bar, Between};
use broadside_contests::position_ladder::terms::DECLINES_COUNT_FOR_S;
use broadside_contests::position_ladder::{Outcome, Terms as PositionTerms, window};
use broadside_rules::{Fault, Time};

use super::{LadderChallengeStatus, NamedMember, PositionMember, end, members};
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{Identity, Username, account};
use crate::contests::{access, pauses};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{LadderChallengeAcceptedEvent, LadderChallengeReceivedEvent};
use crate::ids::{AccountId, LadderChallengeId, LadderId, PairingId};
pub use crate::ladders::store::challenges::all_of;
use crate::ladders::{FormTerms, Ladder, read, store};
use crate::listed::Listed;
use crate::matches::{Contest, Matches};
use crate::pairings::{self, NewPairing};
use crate::player::Player;
use crate::social::blocks;
use crate::{accounts, calendar, events};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderChallenge {
    pub ladder: LadderId,
    pub id: LadderChallengeId,
    /// The member who wants the place.
    pub challenger: Player,
    /// The member who has the place.
    pub defender: Player,
    /// The challenger's place when they made it.
    pub challenger_place: u32,
    /// The defender's place at that time.
    pub defender_place: u32,
    pub status: LadderChallengeStatus,
    pub outcome: Option<Outcome>,
    pub made_at: Time,
    /// The deadline for the answer. In the database it is this or earlier, because vacations may have moved it.
    pub answer_by: Time,
    pub answered_at: Option<Time>,
    /// The pairing in which it is played.
    pub pairing: Option<PairingId>,
    pub ended_at: Option<Time>,
}

/// A filter for a ladder's challenges.
#[derive(Clone, Copy, Default)]
pub struct LadderChallengeFilter {
    /// Only those made by or to this account.
    pub player: Option<AccountId>,
    pub status: Option<LadderChallengeStatus>,
    /// Only those older than this one.
    pub before: Option<LadderChallengeId>,
}

/// A member above the caller, with every obstacle to a challenge.
pub struct Candidate {
    pub listed: NamedMember,
    /// The obstacles; empty if a challenge is allowed.
    pub bars: Vec<Bar>,
    /// The end of their vacation, until which their time for an answer stands still.
    pub away_until: Option<Time>,
    /// The end of the time in which challenges kept others from the place.
    pub open_to_all_at: Option<Time>,
}

/// The caller's position, and the members above within reach, highest first.
pub struct Challengeable {
    pub place: u32,
    /// Highest first.
    pub candidates: Vec<Candidate>,
}

/// The ladder's position terms.
pub fn terms(ladder: &Ladder) -> Result<&PositionTerms> {
    match &ladder.terms.form {
        FormTerms::Position(terms) => Ok(terms),
        FormTerms::Rating(_) => Err(Error::plain(&problem::LADDER_HAS_NO_PLACES)),
    }
}

/// The ladder, if the viewer may see it and it has places.
pub(super) async fn find_ladder(
    conn: &mut Conn,
    ctx: &Context,
    id: LadderId,
    viewer: Option<&Identity>,
) -> Result<Ladder> {
    let ladder = read::find(conn, ctx, id, viewer).await?;
    terms(&ladder)?;
    Ok(ladder)
}

/// The ladder, locked and open.
async fn lock_ladder(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<Ladder> {
    access::must_see(tx, ctx, id.0, Some(caller)).await?;
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    terms(&ladder)?;
    match &ladder.closed {
        None => Ok(ladder),
        Some(_) => Err(Error::plain(&problem::LADDER_CLOSED)),
    }
}

async fn own(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<NamedMember> {
    let own = store::positions::member(conn, ladder, account).await?;
    own.ok_or_else(|| Error::plain(&problem::NOT_A_MEMBER))
}

/// Judges each of these others as an opponent for a challenge by `me`.
async fn judged(
    conn: &mut Conn,
    ladder: &Ladder,
    me: &PositionMember,
    others: Vec<NamedMember>,
    now: Time,
) -> Result<Vec<Candidate>> {
    let terms = terms(ladder)?;
    let ids: Vec<AccountId> = others.iter().map(|other| other.player.id).collect();
    let met = store::challenges::met(conn, ladder.id, me.account, &ids).await?;
    let limits = MeetingLimits { max_meetings: ladder.terms.max_meetings, no_return_s: terms.no_return_s };
    let counts = store::meetings::counts(conn, ladder, me.account, &ids).await?;
    let blocked = blocks::blocked_among(conn, me.account, &ids).await?;
    let away = calendar::on_vacation_among(conn, &ids, now).await?;
    let mut candidates = Vec::new();
    for listed in others {
        let other = listed.player.id;
        let between = Between {
            met_at: met.iter().find(|(account, _)| *account == other).map(|(_, at)| *at),
            has_met_enough: counts.iter().any(|(account, count)| *account == other && limits.is_used_up(*count)),
            blocks: blocked.contains(&other),
        };
        let bars = rules::bars(terms, me, &listed.member, between, now);
        let away_until = away.get(&other).copied();
        let open_to_all_at = listed.member.kept_since.map(|since| since.plus_s(terms.exclusive_s));
        candidates.push(Candidate { listed, bars, away_until, open_to_all_at });
    }
    Ok(candidates)
}

/// Every member above this one within reach, highest first, with the obstacles to a challenge.
pub(super) async fn above(conn: &mut Conn, ladder: &Ladder, me: &PositionMember, now: Time) -> Result<Vec<Candidate>> {
    let reach = terms(ladder)?.reach;
    let first = me.place.saturating_sub(reach).max(1);
    let above = match me.place {
        0 | 1 => Vec::new(),
        place => store::positions::between(conn, ladder.id, first, place - 1, i64::from(reach)).await?,
    };
    judged(conn, ladder, me, above, now).await
}

/// Every member above the caller within reach, with the obstacles to a challenge. Fails with `not-a-member` if the
/// caller has no position.
pub async fn challengeable(
    conn: &mut Conn,
    ctx: &Context,
    caller: &Identity,
    ladder: LadderId,
) -> Result<Challengeable> {
    let ladder = find_ladder(conn, ctx, ladder, Some(caller)).await?;
    let me = own(conn, ladder.id, caller.account).await?.member;
    let mut candidates = above(conn, &ladder, &me, ctx.clock.now()).await?;
    if ladder.closed.is_some() || ladder.pause.is_some() {
        candidates.clear();
    }
    Ok(Challengeable { place: me.place, candidates })
}

/// Challenges a member for their position. Fails with every obstacle.
pub async fn make(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    ladder: LadderId,
    opponent: &Username,
) -> Result<LadderChallenge> {
    let unknown = || {
        Error::invalid_at("/opponent", "unknown-player", format!("there is no player named {opponent} on this ladder"))
    };
    let other = accounts::store::accounts::find_player(tx, opponent).await?.ok_or_else(unknown)?;
    // Blocks and deletions come either before this and are seen, or after it.
    if other.id == caller.account {
        account::lock_active(tx, ctx, caller.account).await?;
    } else if !matches!(account::lock_active_with(tx, ctx, caller.account, other.id).await?, OtherAccount::Active) {
        return Err(unknown());
    }
    let ladder = lock_ladder(tx, ctx, caller, ladder).await?;
    pauses::must_go_on(ladder.pause.as_ref())?;
    let now = ctx.clock.now();
    let me = own(tx, ladder.id, caller.account).await?;
    let opponent_member = store::positions::member(tx, ladder.id, other.id).await?.ok_or_else(unknown)?;
    let candidate = judged(tx, &ladder, &me.member, vec![opponent_member], now).await?.pop().ok_or_else(unknown)?;
    if !candidate.bars.is_empty() {
        return Err(Error::with_faults(&problem::CHALLENGE_NOT_ALLOWED, faults(&candidate.bars)));
    }
    let challenge = LadderChallenge {
        ladder: ladder.id,
        id: ctx.new_id(),
        challenger: me.player,
        defender: candidate.listed.player,
        challenger_place: me.member.place,
        defender_place: candidate.listed.member.place,
        status: LadderChallengeStatus::Open,
        outcome: None,
        made_at: now,
        answer_by: now.plus_s(terms(&ladder)?.answer_s),
        answered_at: None,
        pairing: None,
        ended_at: None,
    };
    let kept_since = rules::kept_since(terms(&ladder)?, &candidate.listed.member, now);
    store::challenges::insert(tx, &challenge).await?;
    store::positions::set_kept_since(tx, ladder.id, challenge.defender.id, kept_since).await?;
    let event = LadderChallengeReceivedEvent::at(now, ladder.id, challenge.id, caller.account, challenge.answer_by);
    events::notify(tx, ctx, events::notification(challenge.defender.id, &[event.into()])?).await?;
    Ok(challenge)
}

fn faults(bars: &[Bar]) -> Vec<Fault> {
    let fault =
        |bar: &Bar| Fault { pointer: "/opponent".to_owned(), code: bar.word(), detail: bar.detail().to_owned() };
    bars.iter().map(fault).collect()
}

/// The challenge that waits for the caller's answer; the ladder is locked from here on.
async fn lock_open(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<(Ladder, LadderChallenge)> {
    let ladder = lock_ladder(tx, ctx, caller, ladder).await?;
    let challenge = store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)?;
    if challenge.defender.id != caller.account {
        return Err(Error::new(&problem::NOT_THE_CHALLENGED, "Only the challenged player can answer a challenge."));
    }
    let closed = |what: &str| Error::new(&problem::CHALLENGE_CLOSED, format!("The challenge is {what}."));
    if challenge.status != LadderChallengeStatus::Open {
        return Err(closed(challenge.status.into_str()));
    }
    let now = ctx.clock.now();
    let answer_s = terms(&ladder)?.answer_s;
    if members::closes(tx, (ladder.id, caller.account), challenge.made_at, answer_s, now).await? <= now {
        return Err(closed("over: the time for an answer has passed"));
    }
    Ok((ladder, challenge))
}

/// Accepts a challenge: its matches begin, and the challenger moves first in the first one.
pub async fn accept(
    tx: &mut Tx,
    matches: &Matches,
    caller: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<LadderChallenge> {
    access::must_see(tx, matches, ladder.0, Some(caller)).await?;
    // The two players never change, so they may be read before anything is locked; accounts come first.
    let seen = store::challenges::find(tx, ladder, id).await?.ok_or_else(Error::not_found)?;
    let there = account::lock_all_active(tx, matches, &[seen.challenger.id, seen.defender.id]).await?;
    let (ladder, mut challenge) = lock_open(tx, matches, caller, ladder, id).await?;
    pauses::must_go_on(ladder.pause.as_ref())?;
    let of = |account: AccountId| there.iter().find(|player| player.id == account).cloned();
    // Suspended players start nothing new.
    account::lock_active(tx, matches, caller.account).await?;
    let (Some(challenger), Some(defender)) = (of(seen.challenger.id), of(seen.defender.id)) else {
        return Err(Error::new(&problem::CHALLENGE_CLOSED, "The challenger is no longer there."));
    };
    let now = matches.clock.now();
    let meeting = NewPairing {
        contest: Contest::Ladder(ladder.id),
        terms: ladder.terms.agreed.clone(),
        paired: ladder.terms.paired,
        players: vec![challenger, defender],
    };
    let opened = pairings::open(tx, matches, meeting).await?;
    challenge.status = LadderChallengeStatus::Accepted;
    challenge.answered_at = Some(now);
    challenge.pairing = Some(opened.id);
    store::challenges::update(tx, &challenge).await?;
    let event = LadderChallengeAcceptedEvent::at(now, ladder.id, id, opened.id).into();
    let told = events::notification(challenge.challenger.id, &[event])?;
    events::notify(tx, matches, told.into_iter().chain(opened.told)).await?;
    Ok(challenge)
}

/// Withdraws an unanswered challenge. The two can't challenge each other again for a while.
pub async fn withdraw(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<LadderChallenge> {
    let ladder = lock_ladder(tx, ctx, caller, ladder).await?;
    let challenge = store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)?;
    if challenge.challenger.id != caller.account {
        return Err(Error::new(&problem::NOT_THE_CREATOR, "Only the challenger can withdraw a challenge."));
    }
    if challenge.status != LadderChallengeStatus::Open {
        let detail = format!("The challenge is {}.", challenge.status.into_str());
        return Err(Error::new(&problem::CHALLENGE_CLOSED, detail));
    }
    // Too late: the challenger gets the position when the job next runs.
    let (terms, now) = (terms(&ladder)?, ctx.clock.now());
    if members::closes(tx, (ladder.id, challenge.defender.id), challenge.made_at, terms.answer_s, now).await? <= now {
        let detail = "The challenge is over: the time for an answer has passed.";
        return Err(Error::new(&problem::CHALLENGE_CLOSED, detail));
    }
    let told = end::end(tx, &ladder, terms, challenge, Outcome::Withdrawn, now).await?;
    events::notify(tx, ctx, told).await?;
    store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)
}

/// Declines a challenge: a limited number of times in 30 days free of charge, then as if it were lost.
pub async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<LadderChallenge> {
    let (ladder, mut challenge) = lock_open(tx, ctx, caller, ladder, id).await?;
    let (terms, now) = (terms(&ladder)?, ctx.clock.now());
    let since = now.plus_ms(-i64::from(DECLINES_COUNT_FOR_S) * 1000);
    let before = store::challenges::declines(tx, ladder.id, caller.account, since).await?;
    challenge.answered_at = Some(now);
    let told = end::end(tx, &ladder, terms, challenge, rules::declined(terms, before), now).await?;
    events::notify(tx, ctx, told).await?;
    store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)
}

/// A challenge of a ladder, with the deadline for its answer.
pub async fn find(
    conn: &mut Conn,
    ctx: &Context,
    (ladder, viewer): (LadderId, Option<&Identity>),
    id: LadderChallengeId,
) -> Result<LadderChallenge> {
    let ladder = find_ladder(conn, ctx, ladder, viewer).await?;
    let found = store::challenges::find(conn, ladder.id, id).await?.ok_or_else(Error::not_found)?;
    timed(conn, &ladder, vec![found].into(), ctx.clock.now()).await?.items.pop().ok_or_else(Error::not_found)
}

/// Challenges of a ladder, newest first.
pub async fn list(
    conn: &mut Conn,
    ctx: &Context,
    (ladder, viewer): (LadderId, Option<&Identity>),
    filter: &LadderChallengeFilter,
    limit: i64,
) -> Result<Listed<LadderChallenge>> {
    let ladder = find_ladder(conn, ctx, ladder, viewer).await?;
    let found = store::challenges::of_ladder(conn, ladder.id, filter, limit).await?;
    timed(conn, &ladder, found, ctx.clock.now()).await
}

/// Adds the deadline for the answer to open challenges, as moved by vacations and pauses up to now.
async fn timed(
    conn: &mut Conn,
    ladder: &Ladder,
    mut all: Listed<LadderChallenge>,
    now: Time,
) -> Result<Listed<LadderChallenge>> {
    let answer_s = terms(ladder)?.answer_s;
    let open = |challenge: &&LadderChallenge| challenge.status == LadderChallengeStatus::Open;
    let Some(since) = all.items.iter().filter(open).map(|challenge| challenge.made_at).min() else { return Ok(all) };
    let defenders: Vec<AccountId> = all.items.iter().filter(open).map(|challenge| challenge.defender.id).collect();
    let vacations = calendar::begun_since(conn, &defenders, since, now).await?;
    let paused = members::paused(conn, ladder.id, since).await?;
    for challenge in all.items.iter_mut().filter(|challenge| challenge.status == LadderChallengeStatus::Open) {
        let own = vacations.iter().filter(|(account, _)| *account == challenge.defender.id);
        let own: Vec<_> = own.map(|(_, vacation)| vacation.span()).chain(paused.iter().copied()).collect();
        challenge.answer_by = window::closes(challenge.made_at, answer_s, &own);
    }
    Ok(all)
}
