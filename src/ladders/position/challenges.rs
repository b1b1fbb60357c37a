//! Challenges for places: who may be challenged, to challenge, to accept, to decline.
//!
//! Who may be challenged is told as data, with everything that is against it, and judged again by the same function when somebody is.

use broadside_rules::{Fault, Time};

use super::rules::{self, Bar, Between, Member};
use super::terms::{DECLINES_COUNT_FOR_S, Terms};
use super::{Listed, Outcome, Status, end, members, window};
use crate::accounts;
use crate::accounts::suspension::Other;
use crate::accounts::{Identity, Username, account};
use crate::calendar;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::{LadderChallengeAcceptedEvent, LadderChallengeReceivedEvent};
use crate::ids::{AccountId, LadderChallengeId, LadderId, PairingId};
use crate::ladders::store;
use crate::ladders::{Form, Ladder};
use crate::matches::Contest;
use crate::matches::Matches;
use crate::pairings::{self, Meeting};
use crate::player::Player;
use crate::social::blocks;

/// A challenge for a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Challenge {
    /// The ladder.
    pub ladder: LadderId,
    /// Its name.
    pub id: LadderChallengeId,
    /// Who wants the place.
    pub challenger: Player,
    /// Who has it.
    pub defender: Player,
    /// Where the challenger stood when he made it.
    pub challenger_place: u32,
    /// Where the defender stood.
    pub defender_place: u32,
    /// Where it stands.
    pub status: Status,
    /// How it has ended.
    pub outcome: Option<Outcome>,
    /// When it was made.
    pub made_at: Time,
    /// By when it has to be answered: in the database at or before that, since vacations may have moved it.
    pub answer_by: Time,
    /// When it was answered.
    pub answered_at: Option<Time>,
    /// In which it is played.
    pub pairing: Option<PairingId>,
    /// When it was over.
    pub ended_at: Option<Time>,
}

/// Which challenges of a ladder to list.
#[derive(Clone, Copy, Default)]
pub struct Which {
    /// Only those of this account, made by it or to it.
    pub player: Option<AccountId>,
    /// Only with this status.
    pub status: Option<Status>,
    /// Only those older than this one.
    pub before: Option<LadderChallengeId>,
}

/// Somebody who stands above, and all that keeps the caller from challenging him.
pub struct Candidate {
    /// Who.
    pub listed: Listed,
    /// What is against it; nothing: he may be challenged.
    pub bars: Vec<Bar>,
    /// Until when he is on vacation, if he is: so long his time for an answer stands still.
    pub away_until: Option<Time>,
}

/// Where the caller stands, and who stands above him within reach, the highest first.
pub struct Challengeable {
    /// The caller's place.
    pub place: u32,
    /// The others.
    pub candidates: Vec<Candidate>,
}

/// A position ladder's own terms.
pub fn terms(ladder: &Ladder) -> Result<&Terms> {
    match &ladder.terms.form {
        Form::Position(terms) => Ok(terms),
        Form::Rating => Err(Error::plain(&problem::LADDER_HAS_NO_PLACES)),
    }
}

/// The ladder, which must be there and have places.
pub(super) async fn find_ladder(conn: &mut Conn, id: LadderId) -> Result<Ladder> {
    let ladder = store::ladders::find(conn, id).await?.ok_or_else(Error::not_found)?;
    terms(&ladder)?;
    Ok(ladder)
}

/// The same, locked, and open.
async fn lock_ladder(tx: &mut Tx, id: LadderId) -> Result<Ladder> {
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    terms(&ladder)?;
    match &ladder.closed {
        None => Ok(ladder),
        Some(_) => Err(Error::plain(&problem::LADDER_CLOSED)),
    }
}

async fn own(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<Listed> {
    let own = store::places::member(conn, ladder, account).await?;
    own.ok_or_else(|| Error::plain(&problem::NOT_A_MEMBER))
}

/// Judges each of these others, as somebody whom `me` might challenge.
async fn judged(
    conn: &mut Conn,
    ladder: &Ladder,
    me: &Member,
    others: Vec<Listed>,
    now: Time,
) -> Result<Vec<Candidate>> {
    let terms = terms(ladder)?;
    let ids: Vec<AccountId> = others.iter().map(|other| other.player.id).collect();
    let met = store::challenges::met(conn, ladder.id, me.account, &ids).await?;
    let mut candidates = Vec::new();
    for listed in others {
        let other = listed.player.id;
        let between = Between {
            met_at: met.iter().find(|(account, _)| *account == other).map(|(_, at)| *at),
            blocks: blocks::blocks(conn, me.account, other).await?,
        };
        let bars = rules::bars(terms, me, &listed.member, between, now);
        let away_until = calendar::on_vacation_until(conn, other, now).await?;
        candidates.push(Candidate { listed, bars, away_until });
    }
    Ok(candidates)
}

/// Whom the caller may challenge, and whom not, and why not: everybody above him within reach. `not-a-member` if he has no place himself.
pub async fn challengeable(conn: &mut Conn, ctx: &Context, who: &Identity, ladder: LadderId) -> Result<Challengeable> {
    let ladder = find_ladder(conn, ladder).await?;
    let me = own(conn, ladder.id, who.account).await?.member;
    let reach = terms(&ladder)?.reach;
    let first = me.place.saturating_sub(reach).max(1);
    let above = match me.place {
        0 | 1 => Vec::new(),
        place => store::places::between(conn, ladder.id, first, place - 1, i64::from(reach)).await?,
    };
    let mut candidates = judged(conn, &ladder, &me, above, ctx.clock.now()).await?;
    if ladder.closed.is_some() {
        candidates.clear();
    }
    Ok(Challengeable { place: me.place, candidates })
}

/// Challenges somebody for his place. Refused with everything that is against it.
pub async fn make(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    ladder: LadderId,
    opponent: &Username,
) -> Result<Challenge> {
    let unknown = || {
        Error::invalid_at("/opponent", "unknown-player", format!("there is no player named {opponent} on this ladder"))
    };
    let other = accounts::store::accounts::player_named(tx, opponent).await?.ok_or_else(unknown)?;
    // Blocks and deletions come before this and are seen, or after it.
    if other.id == who.account {
        account::hold(tx, ctx, who.account).await?;
    } else if !matches!(account::hold_both(tx, ctx, who.account, other.id).await?, Other::Free) {
        return Err(unknown());
    }
    let ladder = lock_ladder(tx, ladder).await?;
    let now = ctx.clock.now();
    let me = own(tx, ladder.id, who.account).await?;
    let him = store::places::member(tx, ladder.id, other.id).await?.ok_or_else(unknown)?;
    let candidate = judged(tx, &ladder, &me.member, vec![him], now).await?.pop().ok_or_else(unknown)?;
    if !candidate.bars.is_empty() {
        return Err(Error::with_faults(&problem::CHALLENGE_NOT_ALLOWED, faults(&candidate.bars)));
    }
    let challenge = Challenge {
        ladder: ladder.id,
        id: ctx.new_id(),
        challenger: me.player,
        defender: candidate.listed.player,
        challenger_place: me.member.place,
        defender_place: candidate.listed.member.place,
        status: Status::Open,
        outcome: None,
        made_at: now,
        answer_by: now.plus_s(terms(&ladder)?.answer_s),
        answered_at: None,
        pairing: None,
        ended_at: None,
    };
    store::challenges::insert(tx, &challenge).await?;
    let event = LadderChallengeReceivedEvent::at(now, ladder.id, challenge.id, who.account, challenge.answer_by);
    events::notify(tx, ctx, events::notification(challenge.defender.id, &[event.into()])?).await?;
    Ok(challenge)
}

fn faults(bars: &[Bar]) -> Vec<Fault> {
    let fault =
        |bar: &Bar| Fault { pointer: "/opponent".to_owned(), code: bar.word(), detail: bar.detail().to_owned() };
    bars.iter().map(fault).collect()
}

/// The challenge, which waits for the caller's answer: the ladder is locked from here on.
async fn lock_open(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<(Ladder, Challenge)> {
    let ladder = lock_ladder(tx, ladder).await?;
    let challenge = store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)?;
    if challenge.defender.id != who.account {
        return Err(Error::new(&problem::NOT_FOR_YOU, "Only who is challenged can answer a challenge."));
    }
    let closed = |what: &str| Error::new(&problem::CHALLENGE_CLOSED, format!("The challenge is {what}."));
    if challenge.status != Status::Open {
        return Err(closed(challenge.status.word()));
    }
    let now = ctx.clock.now();
    let answer_s = terms(&ladder)?.answer_s;
    if members::closes(tx, who.account, challenge.made_at, answer_s, now).await? <= now {
        return Err(closed("over: the time for an answer has passed"));
    }
    Ok((ladder, challenge))
}

/// Accepts a challenge: its matches begin, and the challenger begins the first of them.
pub async fn accept(
    tx: &mut Tx,
    matches: &Matches,
    who: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<Challenge> {
    // Who the two are never changes, so it may be read before anything is locked; accounts come first.
    let seen = store::challenges::find(tx, ladder, id).await?.ok_or_else(Error::not_found)?;
    let there = account::hold_all(tx, matches, &[seen.challenger.id, seen.defender.id]).await?;
    let (ladder, mut challenge) = lock_open(tx, matches, who, ladder, id).await?;
    let of = |account: AccountId| there.iter().find(|player| player.id == account).cloned();
    // Who is suspended begins nothing new.
    account::hold(tx, matches, who.account).await?;
    let (Some(challenger), Some(defender)) = (of(seen.challenger.id), of(seen.defender.id)) else {
        return Err(Error::new(&problem::CHALLENGE_CLOSED, "The challenger is no longer there."));
    };
    let now = matches.clock.now();
    let meeting = Meeting {
        contest: Contest::Ladder(ladder.id),
        terms: ladder.terms.agreed.clone(),
        paired: ladder.terms.paired,
        players: vec![challenger, defender],
    };
    let opened = pairings::open(tx, matches, meeting).await?;
    challenge.status = Status::Accepted;
    challenge.answered_at = Some(now);
    challenge.pairing = Some(opened.id);
    store::challenges::update(tx, &challenge).await?;
    let event = LadderChallengeAcceptedEvent::at(now, ladder.id, id, opened.id).into();
    let told = events::notification(challenge.challenger.id, &[event])?;
    events::notify(tx, matches, told.into_iter().chain(opened.told)).await?;
    Ok(challenge)
}

/// The challenger takes a challenge back that nobody has answered. The two can't challenge each other again for a while.
pub async fn withdraw(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<Challenge> {
    let ladder = lock_ladder(tx, ladder).await?;
    let challenge = store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)?;
    if challenge.challenger.id != who.account {
        return Err(Error::new(&problem::NOT_FOR_YOU, "Only who has made a challenge can take it back."));
    }
    if challenge.status != Status::Open {
        let detail = format!("The challenge is {}.", challenge.status.word());
        return Err(Error::new(&problem::CHALLENGE_CLOSED, detail));
    }
    // Too late: the place is his, as soon as a job comes by.
    let (terms, now) = (terms(&ladder)?, ctx.clock.now());
    if members::closes(tx, challenge.defender.id, challenge.made_at, terms.answer_s, now).await? <= now {
        let detail = "The challenge is over: the time for an answer has passed.";
        return Err(Error::new(&problem::CHALLENGE_CLOSED, detail));
    }
    let told = end::end(tx, &ladder, terms, challenge, Outcome::Withdrawn, now).await?;
    events::notify(tx, ctx, told).await?;
    store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)
}

/// Declines a challenge: free of charge so often in 30 days, then as if it were lost.
pub async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    ladder: LadderId,
    id: LadderChallengeId,
) -> Result<Challenge> {
    let (ladder, mut challenge) = lock_open(tx, ctx, who, ladder, id).await?;
    let (terms, now) = (terms(&ladder)?, ctx.clock.now());
    let since = now.plus_ms(-i64::from(DECLINES_COUNT_FOR_S) * 1000);
    let before = store::challenges::declines(tx, ladder.id, who.account, since).await?;
    challenge.answered_at = Some(now);
    let told = end::end(tx, &ladder, terms, challenge, rules::declined(terms, before), now).await?;
    events::notify(tx, ctx, told).await?;
    store::challenges::find(tx, ladder.id, id).await?.ok_or_else(Error::not_found)
}

/// A challenge of a ladder, with the time by which it has to be answered.
pub async fn find(conn: &mut Conn, ctx: &Context, ladder: LadderId, id: LadderChallengeId) -> Result<Challenge> {
    let ladder = find_ladder(conn, ladder).await?;
    let found = store::challenges::find(conn, ladder.id, id).await?.ok_or_else(Error::not_found)?;
    timed(conn, &ladder, vec![found], ctx.clock.now()).await?.pop().ok_or_else(Error::not_found)
}

/// Challenges of a ladder, the newest first.
pub async fn list(
    conn: &mut Conn,
    ctx: &Context,
    ladder: LadderId,
    which: &Which,
    limit: i64,
) -> Result<Vec<Challenge>> {
    let ladder = find_ladder(conn, ladder).await?;
    let found = store::challenges::of_ladder(conn, ladder.id, which, limit).await?;
    timed(conn, &ladder, found, ctx.clock.now()).await
}

/// Every challenge of an account on any ladder, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<Challenge>> {
    store::challenges::all_of(conn, account).await
}

/// The challenges, those that are open with the time by which they have to be answered as vacations have moved it by now.
async fn timed(conn: &mut Conn, ladder: &Ladder, mut all: Vec<Challenge>, now: Time) -> Result<Vec<Challenge>> {
    let answer_s = terms(ladder)?.answer_s;
    let open = |challenge: &&Challenge| challenge.status == Status::Open;
    let Some(since) = all.iter().filter(open).map(|challenge| challenge.made_at).min() else { return Ok(all) };
    let defenders: Vec<AccountId> = all.iter().filter(open).map(|challenge| challenge.defender.id).collect();
    let vacations = calendar::vacations_of(conn, &defenders, since).await?;
    for challenge in all.iter_mut().filter(|challenge| challenge.status == Status::Open) {
        let his = vacations.iter().filter(|(account, one)| *account == challenge.defender.id && one.from <= now);
        let his: Vec<_> = his.map(|(_, vacation)| vacation.clone()).collect();
        challenge.answer_by = window::closes(challenge.made_at, answer_s, &his);
    }
    Ok(all)
}
