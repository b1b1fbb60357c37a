//! The matchmaking of rating ladders: the job that pairs members and opens their matches.
//!
//! Pairings are computed from data read without a lock ([`pairing`]). Then they are opened in batches, under the locks
//! of the accounts and of the ladder's row, and only if their players still wait. So several nodes may do this at once,
//! and a node may die in between: no member gets more pairings than they asked for, and an unpaired member is paired by
//! the next run.

use std::collections::{BTreeMap, BTreeSet};

use broadside_contests::meetings::{MeetingLimits, Meetings};
use broadside_contests::pairing::{self, PairingTerms, Rules, Waiting};
use broadside_rules::Time;

use super::{FormTerms, Ladder, LadderMember, LadderSection, join};
use crate::accounts::account;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, ProblemKind, Result};
use crate::events::{self, Notification};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::matches::{Contest, Matches};
use crate::pairings::{self, NewPairing};
use crate::player::Player;
use crate::social::blocks;
use crate::{calendar, ratings};

/// Meetings opened in one transaction.
const AT_A_TIME: usize = 20;
/// Meetings opened for one ladder before the others get their turn.
const AT_ONCE: usize = 200;
/// The strength of a member without a rating.
const UNRATED: i32 = 1500;
/// On a ladder with unrated matches: the strength of half a point of the season.
const HALF_POINT: i32 = 25;
/// A member may return from a vacation or a suspension without a change of the ladder, so the next run is at most this
/// many seconds later.
const LOOK_AGAIN_S: u32 = 60;

/// Pairs the available members of a ladder. Returns true if more can be done immediately.
pub(super) async fn run(matches: &Matches, id: LadderId) -> Result<bool> {
    let now = matches.clock.now();
    let mut conn = matches.db.conn().await?;
    let Some(ladder) = store::ladders::find(&mut conn, id).await?.filter(can_pair) else {
        return Ok(false);
    };
    let plan = plan(&mut conn, &ladder, now).await?;
    drop(conn);
    let mut opened = 0;
    for some in plan.meetings.iter().take(AT_ONCE).collect::<Vec<_>>().chunks(AT_A_TIME) {
        opened += match open(matches, id, some).await {
            // A meeting that can't be opened doesn't affect the others.
            Err(error) if error.problem().kind == ProblemKind::Internal && some.len() > 1 => {
                one_by_one(matches, id, some).await?
            }
            done => done?,
        };
    }
    if plan.meetings.len() <= AT_ONCE {
        schedule_next(matches, &ladder, now, &plan).await?;
        return Ok(false);
    }
    // None could be opened: another node is at work on the ladder, and an immediate retry would do no more.
    Ok(opened > 0)
}

fn can_pair(ladder: &Ladder) -> bool {
    ladder.closed.is_none() && ladder.pause.is_none()
}

/// The pairings that a run would open now; changes nothing.
pub async fn plan_of(ctx: &Context, id: LadderId) -> Result<Vec<Vec<AccountId>>> {
    let mut conn = ctx.db.conn().await?;
    let ladder = store::ladders::find(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    Ok(plan(&mut conn, &ladder, ctx.clock.now()).await?.meetings)
}

/// The planned meetings, and whether more pairings may become possible without a change of the ladder's rows.
struct Plan {
    meetings: Vec<Vec<AccountId>>,
    may_change: bool,
}

async fn plan(conn: &mut Conn, ladder: &Ladder, now: Time) -> Result<Plan> {
    let terms = own_terms(ladder)?;
    let (waiting, may_change) = waiting(conn, ladder, ladder.terms.meeting_limits(&terms), now).await?;
    let mut members: BTreeMap<(LadderSection, u32), usize> = BTreeMap::new();
    for (_, section, division, count) in store::members::counts(conn, &[ladder.id]).await? {
        members.insert((section, division), usize::try_from(count).unwrap_or(usize::MAX));
    }
    let mut meetings = Vec::new();
    for (group, waiting) in &waiting {
        let rules = rules(ladder, &terms, members.get(group).copied().unwrap_or_default());
        meetings.extend(pairing::pair(waiting, &rules, ladder.terms.games(), now));
    }
    Ok(Plan { meetings, may_change })
}

/// The pairing rules for a section and division of this size.
pub(super) fn rules(ladder: &Ladder, terms: &PairingTerms, members: usize) -> Rules {
    let limits = ladder.terms.meeting_limits(terms);
    Rules { seats: usize::from(ladder.terms.agreed.seats), members, relax_s: terms.relax_s, limits }
}

/// Waiting members, by section and division, without those who are suspended, on vacation, or whose mark (human or
/// program) no longer fits. Also returns whether enough members would wait anywhere if these came back: if not, only a
/// change of the ladder's own rows makes a pairing possible, and no run is needed before that.
async fn waiting(
    conn: &mut Conn,
    ladder: &Ladder,
    limits: MeetingLimits,
    now: Time,
) -> Result<(BTreeMap<(LadderSection, u32), Vec<Waiting<AccountId>>>, bool)> {
    let found = store::members::waiting(conn, ladder.id, now).await?;
    let mut present_or_not: BTreeMap<(LadderSection, u32), usize> = BTreeMap::new();
    for (member, ..) in &found {
        *present_or_not.entry((member.section, member.division)).or_default() += 1;
    }
    let may_change = present_or_not.values().any(|count| *count >= usize::from(ladder.terms.agreed.seats));
    Ok((present(conn, ladder, limits, found, now).await?, may_change))
}

/// The available ones of the waiting members (given with their mark and whether they are not suspended), by section and
/// division.
pub(super) async fn present(
    conn: &mut Conn,
    ladder: &Ladder,
    limits: MeetingLimits,
    found: Vec<(LadderMember, bool, bool)>,
    now: Time,
) -> Result<BTreeMap<(LadderSection, u32), Vec<Waiting<AccountId>>>> {
    let here = |(member, bot, free): (LadderMember, bool, bool)| (free && fits(ladder, &member, bot)).then_some(member);
    let members: Vec<LadderMember> = found.into_iter().filter_map(here).collect();
    let all: Vec<AccountId> = members.iter().map(|member| member.account).collect();
    let away = calendar::on_vacation_among(conn, &all, now).await?;
    let strengths = strengths(conn, ladder, &all).await?;
    let mut met: BTreeMap<AccountId, BTreeMap<AccountId, Meetings>> = BTreeMap::new();
    for (one, other, meetings) in store::meetings::barring(conn, ladder, limits, &all, now).await? {
        met.entry(one).or_default().insert(other, meetings);
    }
    let mut blocked_by: BTreeMap<AccountId, Vec<AccountId>> = BTreeMap::new();
    for (one, other) in blocks::blocks_among(conn, &all).await? {
        blocked_by.entry(one).or_default().push(other);
    }
    let mut groups: BTreeMap<(LadderSection, u32), Vec<Waiting<AccountId>>> = BTreeMap::new();
    for member in members.into_iter().filter(|member| !away.contains_key(&member.account)) {
        groups.entry((member.section, member.division)).or_default().push(Waiting {
            account: member.account,
            strength: strengths.get(&member.account).copied().unwrap_or(UNRATED),
            wishes: member.wanted_pairings.saturating_sub(member.running),
            since: member.waiting_since,
            balance: member.balance,
            met: met.remove(&member.account).unwrap_or_default(),
            blocked: blocked_by.remove(&member.account).unwrap_or_default(),
            recent: member.recent,
            opponents: member.opponents,
        });
    }
    Ok(groups)
}

/// The pairing terms of a rating ladder.
pub(super) fn own_terms(ladder: &Ladder) -> Result<PairingTerms> {
    match &ladder.terms.form {
        FormTerms::Rating(terms) => Ok(*terms),
        FormTerms::Position(_) => Err(Error::internal("a position ladder pairs nobody")),
    }
}

/// True if a member with this mark belongs in their section.
fn fits(ladder: &Ladder, member: &LadderMember, bot: bool) -> bool {
    join::section(ladder.terms.audience, bot) == Ok(member.section)
}

/// The strengths of members: their ratings in the pool, or their points if matches aren't rated.
async fn strengths(conn: &mut Conn, ladder: &Ladder, all: &[AccountId]) -> Result<BTreeMap<AccountId, i32>> {
    if let Some(pool) = ladder.terms.pool().filter(|_| ladder.terms.agreed.rated) {
        let wanted: Vec<_> = all.iter().map(|account| (*account, pool)).collect();
        let shown = ratings::read::shown(conn, &wanted).await?;
        return Ok(all.iter().zip(shown).filter_map(|(account, rating)| Some((*account, rating?))).collect());
    }
    let points = store::standings::points(conn, ladder.id, ladder.season.number, all).await?;
    let strength = |points: u32| i32::try_from(points).unwrap_or(i32::MAX).saturating_mul(HALF_POINT);
    Ok(points.into_iter().map(|(account, points)| (account, UNRATED.saturating_add(strength(points)))).collect())
}

/// Opens some meetings in one transaction: those whose players still wait, and may still meet. Returns the number.
async fn open(matches: &Matches, id: LadderId, meetings: &[&Vec<AccountId>]) -> Result<usize> {
    let now = matches.clock.now();
    let mut tx = matches.db.begin().await?;
    let all: Vec<AccountId> =
        meetings.iter().flat_map(|meeting| meeting.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect();
    let there: BTreeMap<AccountId, Player> =
        account::lock_all_active(&mut tx, matches, &all).await?.into_iter().map(|player| (player.id, player)).collect();
    let found = store::ladders::lock(&mut tx, id).await?;
    let Some(ladder) = found.filter(can_pair) else {
        tx.roll_back().await?;
        return Ok(0);
    };
    let mut apart: BTreeSet<(AccountId, AccountId)> = blocks::blocks_among(&mut tx, &all).await?.into_iter().collect();
    let limits = ladder.terms.meeting_limits(&own_terms(&ladder)?);
    let met = store::meetings::barring(&mut tx, &ladder, limits, &all, now).await?;
    apart.extend(met.into_iter().flat_map(|(one, other, _)| [(one, other), (other, one)]));
    let members = store::members::some(&mut tx, id, &all).await?;
    let mut members: BTreeMap<AccountId, LadderMember> =
        members.into_iter().map(|member| (member.account, member)).collect();
    let (mut told, mut opened) = (Vec::new(), 0);
    for meeting in meetings {
        if still_holds(&ladder, meeting, &members, &there, &apart) {
            opened += 1;
            told.extend(open_pairing(&mut tx, matches, &ladder, meeting, &mut members, &there, now).await?);
        }
    }
    events::notify(&mut tx, matches, told).await?;
    tx.commit().await?;
    Ok(opened)
}

/// Opens pairings one by one. Fails if none could be opened because of internal errors, and if the database is
/// unreachable.
async fn one_by_one(matches: &Matches, id: LadderId, meetings: &[&Vec<AccountId>]) -> Result<usize> {
    let (mut opened, mut failed) = (0, None);
    for meeting in meetings {
        match open(matches, id, &[meeting]).await {
            Ok(count) => opened += count,
            Err(error) if error.problem().kind == ProblemKind::Internal => {
                let cause = error.cause().map(tracing::field::display);
                tracing::error!(%error, cause, ladder = %id, "some members of a ladder could not be brought together");
                failed = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    failed.filter(|_| opened == 0).map_or(Ok(opened), Err)
}

/// True if all players of a meeting are present, still wait, and may still meet.
fn still_holds(
    ladder: &Ladder,
    meeting: &[AccountId],
    members: &BTreeMap<AccountId, LadderMember>,
    there: &BTreeMap<AccountId, Player>,
    apart: &BTreeSet<(AccountId, AccountId)>,
) -> bool {
    let group = |account: &AccountId| members.get(account).map(|member| (member.section, member.division));
    let waits = |account: &AccountId| {
        let member = members.get(account).filter(|member| member.waits());
        member.zip(there.get(account)).is_some_and(|(member, player)| fits(ladder, member, player.bot))
    };
    let may = |one: &AccountId, other: &AccountId| {
        let meets = members.get(one).is_some_and(|member| member.opponents.contains(other));
        one == other || !meets && !apart.contains(&(*one, *other)) && group(one) == group(other)
    };
    meeting.iter().all(waits) && meeting.iter().all(|one| meeting.iter().all(|other| may(one, other)))
}

/// Opens the matches of one meeting, and records it with its members.
async fn open_pairing(
    tx: &mut Tx,
    matches: &Matches,
    ladder: &Ladder,
    meeting: &[AccountId],
    members: &mut BTreeMap<AccountId, LadderMember>,
    there: &BTreeMap<AccountId, Player>,
    now: Time,
) -> Result<Vec<Notification>> {
    let opened = pairings::open(
        tx,
        matches,
        NewPairing {
            contest: Contest::Ladder(ladder.id),
            terms: ladder.terms.agreed.clone(),
            paired: ladder.terms.paired,
            players: meeting.iter().filter_map(|account| there.get(account).cloned()).collect(),
        },
    )
    .await?;
    for (seat, account) in meeting.iter().enumerate() {
        let Some(member) = members.get_mut(account) else { continue };
        let others = meeting.iter().copied().filter(|other| other != account);
        member.opponents.extend(others.clone());
        member.recent.splice(0..0, others);
        member.recent.truncate(pairing::REMEMBERED);
        member.running += 1;
        member.waiting_since = now;
        member.balance += pairing::early(seat, meeting.len(), ladder.terms.games());
        store::members::put(tx, ladder.id, member).await?;
    }
    Ok(opened.told)
}

/// Schedules the ladder's next run, unless its rows have changed since they were read: when limits relax, or a member
/// may have returned.
async fn schedule_next(ctx: &Context, ladder: &Ladder, looked_at: Time, plan: &Plan) -> Result<()> {
    let again = looked_at.plus_s(own_terms(ladder)?.relax_s.min(LOOK_AGAIN_S));
    let mut tx = ctx.db.begin().await?;
    store::ladders::schedule_matchmaking(&mut tx, ladder.id, ladder.edition, plan.may_change.then_some(again)).await?;
    tx.commit().await
}
