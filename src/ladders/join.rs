//! Joining and leaving ladders. One function decides on eligibility, both for readers of the ladder and on joining.

use broadside_contests::divisions::{self, Beginning};
use broadside_contests::position_ladder;
use broadside_rules::Time;

use super::terms::{LadderAudience, MAX_MISSED};
use super::{FormTerms, Ladder, LadderMember, LadderSection, MemberStatus, position};
use crate::accounts::{Identity, account};
use crate::contests::access::{self, Access};
use crate::contests::organizers::Runners;
use crate::contests::{Contest, entries, members, news};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::{self, Notification};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::pairings::eligibility::{IneligibilityReason, Obstacle, refusal, refusal_of_another};
use crate::player::Player;
use crate::quotas::{self, Quota};

/// The section of the account, or the reason why it may not join.
pub fn section(who: LadderAudience, bot: bool) -> Result<LadderSection, Obstacle> {
    match (who, bot) {
        (LadderAudience::Everybody, _) | (LadderAudience::Humans, false) | (LadderAudience::Bots, true) => {
            Ok(LadderSection::All)
        }
        (LadderAudience::Humans, true) => Err(Obstacle::new(
            IneligibilityReason::HumansOnly,
            "the ladder is for humans, and the account is marked as a program",
        )),
        (LadderAudience::Bots, false) => Err(Obstacle::new(
            IneligibilityReason::BotsOnly,
            "the ladder is for programs, and the account isn't marked as one",
        )),
        (LadderAudience::Separate, false) => Ok(LadderSection::Humans),
        (LadderAudience::Separate, true) => Ok(LadderSection::Bots),
    }
}

/// The reasons why the account may not join, rejoin or ask to; empty if it may.
pub async fn reasons(
    conn: &mut Conn,
    ladder: &Ladder,
    account: AccountId,
    bot: bool,
    now: Time,
) -> Result<Vec<Obstacle>> {
    let mut reasons = limits(conn, ladder, account, bot, now).await?;
    if !takes_part(store::members::find(conn, ladder.id, account).await?.as_ref()) {
        reasons.extend(entries::obstacle(conn, way_in(ladder), account, now).await?);
    }
    Ok(reasons)
}

/// The entry terms.
fn way_in(ladder: &Ladder) -> (Contest, Runners<'_>, Access) {
    (Contest::Ladder(ladder.id), ladder.runners(), ladder.terms.access)
}

fn takes_part(member: Option<&LadderMember>) -> bool {
    member.is_some_and(|member| member.status != MemberStatus::Left)
}

/// The obstacles to joining on the account's side, independent of the entry mode.
async fn limits(conn: &mut Conn, ladder: &Ladder, account: AccountId, bot: bool, now: Time) -> Result<Vec<Obstacle>> {
    let mut reasons = Vec::new();
    let mut add = |reason, detail: &str| reasons.push(Obstacle::new(reason, detail));
    if ladder.closed.is_some() {
        add(IneligibilityReason::LadderClosed, "the ladder is closed");
    }
    if store::members::is_suspended(conn, account, now).await? {
        add(IneligibilityReason::AccountSuspended, "the account is suspended");
    }
    let section = section(ladder.terms.audience, bot);
    let member = store::members::find(conn, ladder.id, account).await?;
    let takes_part = takes_part(member.as_ref());
    let limits = &ladder.terms.limits;
    if takes_part {
        reasons.extend(limits.reliability(conn, account).await?);
    } else {
        reasons.extend(limits.obstacles(conn, account, ladder.terms.pool(), now).await?);
        reasons.extend(members::obstacle(conn, Contest::Ladder(ladder.id), account).await?);
        reasons.extend(entries::of_a_substitute(conn, Contest::Ladder(ladder.id), account).await?);
    }
    if !takes_part
        && quotas::used(conn, account, now, Quota::LadderMemberships).await? >= Quota::LadderMemberships.most()
    {
        let detail = "an account may take part in 20 ladders: leave one first";
        reasons.push(Obstacle::new(IneligibilityReason::TooManyLadders, detail));
    }
    match section {
        Err(reason) => reasons.push(reason),
        Ok(section) => {
            let standing = store::standings::of(conn, ladder.id, ladder.season.number, account).await?;
            if standing.is_some_and(|standing| standing.section != section && standing.tally.pairings > 0) {
                let detail =
                    "the account has played this season as the other sort of player: the next season is open to it";
                reasons.push(Obstacle::new(IneligibilityReason::BotFlagChanged, detail));
            }
        }
    }
    Ok(reasons)
}

/// Joins, rejoins, or changes the number of pairings that a member wants at once. Returns no member if entry is by
/// approval and a request is now pending. Fails with `not-found`, with `not-eligible` and every reason, and if
/// `wanted_pairings` exceeds the ladder's limit.
pub async fn join(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: LadderId,
    wanted_pairings: u32,
) -> Result<(Ladder, Option<LadderMember>)> {
    account::lock_active(tx, ctx, caller.account).await?;
    access::must_see(tx, ctx, id.0, Some(caller)).await?;
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    quotas::lock(tx, caller.account).await?;
    let bot = account::find(tx, caller.account).await?.bot;
    let now = ctx.clock.now();
    let reasons = reasons(tx, &ladder, caller.account, bot, now).await?;
    if !reasons.is_empty() {
        return Err(refusal(reasons));
    }
    let most = ladder.terms.max_pairings;
    if !(1..=most).contains(&wanted_pairings) {
        let detail =
            if most == 1 { "this ladder allows 1".to_owned() } else { format!("this ladder allows 1 to {most}") };
        return Err(Error::invalid_at("/wanted_pairings", "out-of-range", detail));
    }
    let before = store::members::find(tx, id, caller.account).await?;
    if !takes_part(before.as_ref()) && entries::needs_approval(tx, way_in(&ladder), caller.account).await? {
        entries::request(tx, ctx, (Contest::Ladder(id), ladder.runners()), caller.account, wanted_pairings).await?;
        return Ok((ladder, None));
    }
    let (member, told) = admit(tx, ctx, &ladder, (caller.account, bot), wanted_pairings).await?;
    events::notify(tx, ctx, told).await?;
    Ok((ladder, Some(member)))
}

/// Accepts the request of a locked player on a [held](super::edit::hold) ladder: they join, if nothing prevents it now.
/// Fails with `not-found` without a request, and with `not-eligible`.
pub async fn accept(tx: &mut Tx, ctx: &Context, ladder: &Ladder, player: &Player) -> Result<()> {
    let contest = Contest::Ladder(ladder.id);
    let entry = entries::requested(tx, contest, player.id).await?;
    quotas::lock(tx, player.id).await?;
    let against = limits(tx, ladder, player.id, player.bot, ctx.clock.now()).await?;
    if !against.is_empty() {
        return Err(refusal_of_another(against));
    }
    let wanted_pairings = entry.wanted.clamp(1, ladder.terms.max_pairings);
    let (_, told) = admit(tx, ctx, ladder, (player.id, player.bot), wanted_pairings).await?;
    events::notify(tx, ctx, told.into_iter().chain(entries::accepted(ctx, contest, player.id)?)).await
}

/// Makes an eligible account a member of a locked ladder, or changes a member's wish. Returns the notifications for the
/// organizers.
async fn admit(
    tx: &mut Tx,
    ctx: &Context,
    ladder: &Ladder,
    (account, bot): (AccountId, bool),
    wanted_pairings: u32,
) -> Result<(LadderMember, Vec<Notification>)> {
    let (id, now) = (ladder.id, ctx.clock.now());
    let section = section(ladder.terms.audience, bot).map_err(|reason| refusal(vec![reason]))?;
    let before = store::members::find(tx, id, account).await?;
    let is_new = !takes_part(before.as_ref());
    let member = match before {
        Some(before) if before.status == MemberStatus::Active && before.section == section => {
            let waited = before.waits();
            LadderMember { wanted_pairings, waiting_since: if waited { before.waiting_since } else { now }, ..before }
        }
        before => {
            let division = division_of(tx, ladder, account, section).await?;
            // A row of the season without a result may be of another section.
            store::standings::forget_unplayed(tx, id, ladder.season.number, account).await?;
            let fresh = LadderMember {
                account,
                status: MemberStatus::Active,
                section,
                division,
                wanted_pairings,
                running: 0,
                joined_at: now,
                waiting_since: now,
                missed: 0,
                balance: 0,
                recent: Vec::new(),
                opponents: Vec::new(),
            };
            // Running pairings and past opponents stay. After leaving, missed pairings stay too, so that leaving
            // doesn't clear them.
            before.map_or(fresh.clone(), |before| LadderMember {
                missed: if before.status == MemberStatus::Left { before.missed.min(MAX_MISSED - 1) } else { 0 },
                running: before.running,
                balance: before.balance,
                recent: before.recent,
                opponents: before.opponents,
                ..fresh
            })
        }
    };
    store::members::put(tx, id, &member).await?;
    store::standings::begin(tx, ladder, ladder.season.number, &member).await?;
    if let FormTerms::Position(terms) = &ladder.terms.form {
        position::members::enter(tx, id, terms, account, now).await?;
    }
    store::ladders::members_changed(tx, id, now).await?;
    let contest = Contest::Ladder(id);
    entries::joined(tx, contest, account).await?;
    let told = if is_new { news::joined(contest, ladder.runners(), account, now)? } else { Vec::new() };
    Ok((member, told))
}

/// The initial division of a member: the one they had in this season, or the lowest. A new division needs a minimum of
/// members: the latest members of the lowest one move there too.
async fn division_of(tx: &mut Tx, ladder: &Ladder, account: AccountId, section: LadderSection) -> Result<u32> {
    let standing = store::standings::of(tx, ladder.id, ladder.season.number, account).await?;
    if let Some(standing) = standing.filter(|standing| standing.section == section) {
        return Ok(standing.division);
    }
    let counts = store::members::counts(tx, &[ladder.id]).await?;
    let mut members = Vec::new();
    for (_, _, division, count) in counts.into_iter().filter(|(_, of, _, _)| *of == section) {
        // A division that all members have left is empty, and not listed.
        members.resize(usize::try_from(division).unwrap_or_default().max(members.len()), 0);
        if let Some(last) = members.last_mut() {
            *last = count;
        }
    }
    let min = divisions::min_members(ladder.terms.agreed.seats);
    let Beginning { division, others } = divisions::of_newcomer(&members, ladder.terms.divisions, min);
    if others > 0 {
        let lowest = (section, division.saturating_sub(1));
        store::seasons::move_latest(tx, ladder.id, ladder.season.number, lowest, others).await?;
    }
    Ok(division)
}

/// Leaves a ladder. Running matches continue, and count. Fails with `not-found` and `not-a-member`.
pub async fn leave(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<Ladder> {
    // A suspended account may leave, too.
    account::lock_existing(tx, caller.account).await?;
    access::must_see(tx, ctx, id.0, Some(caller)).await?;
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let member = store::members::find(tx, id, caller.account).await?;
    let member = member.filter(|member| member.status != MemberStatus::Left);
    let Some(member) = member else { return Err(Error::plain(&problem::NOT_A_MEMBER)) };
    let mut told = take_out(tx, ctx, &ladder, member, position_ladder::Reason::Left).await?;
    told.extend(news::left(Contest::Ladder(id), ladder.runners(), caller.account, ctx.clock.now())?);
    events::notify(tx, ctx, told).await?;
    Ok(ladder)
}

/// Removes a member from a [held](super::edit::hold) ladder, as if they had left. Returns the notifications for others.
/// Fails with `ladder-closed`, and with `not-found` if they aren't a member.
pub async fn remove(tx: &mut Tx, ctx: &Context, ladder: &Ladder, account: AccountId) -> Result<Vec<Notification>> {
    if ladder.closed.is_some() {
        return Err(Error::plain(&problem::LADDER_CLOSED));
    }
    let member = store::members::find(tx, ladder.id, account).await?;
    let member = member.filter(|member| takes_part(Some(member)));
    let member = member.ok_or_else(|| Error::nothing("The player takes no part in it."))?;
    take_out(tx, ctx, ladder, member, position_ladder::Reason::Left).await
}

/// Removes a member from a locked ladder. Returns the notifications for others.
pub(super) async fn take_out(
    tx: &mut Tx,
    ctx: &Context,
    ladder: &Ladder,
    member: LadderMember,
    reason: position_ladder::Reason,
) -> Result<Vec<Notification>> {
    let (account, now) = (member.account, ctx.clock.now());
    store::members::put(tx, ladder.id, &LadderMember { status: MemberStatus::Left, ..member }).await?;
    if ladder.closed.is_none() {
        store::standings::forget_unplayed(tx, ladder.id, ladder.season.number, account).await?;
    }
    store::ladders::members_changed(tx, ladder.id, now).await?;
    match &ladder.terms.form {
        // On a closed ladder, places stay unchanged.
        FormTerms::Position(terms) if ladder.closed.is_none() => {
            position::members::exit(tx, ladder, terms, account, reason, now).await
        }
        FormTerms::Position(_) | FormTerms::Rating(_) => Ok(Vec::new()),
    }
}

/// Removes an account that is being deleted from all its ladders. Its row is locked, so that it can't be paired
/// meanwhile. Returns the notifications for others.
pub async fn leave_all(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Notification>> {
    let mut told = Vec::new();
    for (id, member) in store::members::of_account(tx, account).await?.items {
        if member.status == MemberStatus::Left {
            continue;
        }
        let Some(ladder) = store::ladders::lock(tx, id).await? else { continue };
        // It may have changed during the wait for the lock.
        if let Some(member) = store::members::find(tx, id, account).await? {
            told.extend(take_out(tx, ctx, &ladder, member, position_ladder::Reason::Deleted).await?);
            told.extend(news::left(Contest::Ladder(id), ladder.runners(), account, ctx.clock.now())?);
        }
    }
    Ok(told)
}
