//! Creating, canceling, joining and leaving tournaments, and eligibility.
//!
//! Joining checks the list of obstacles shown to readers again, under the lock of the tournament.

use broadside_rules::Time;
use serde_json::json;

use super::terms::AHEAD_S;
use super::{
    Entrant, Tournament, TournamentAudience, TournamentStatus, TournamentTerms, WithdrawalReason, edit, late, rounds,
};
use crate::accounts::roles::{self, Actor, Role};
use crate::accounts::{Identity, account};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::contests::access::{self, Access};
use crate::contests::organizers::{self, Needs, Right, Runners};
use crate::contests::{Contest, entries, members, news, pauses};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{self, Error, Result, problem};
use crate::events::kinds::TournamentCancelledEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, TournamentId};
use crate::pairings::eligibility::{IneligibilityReason, Obstacle, refusal, refusal_of_another};
use crate::player::Player;
use crate::quotas::{self, Quota};
use crate::tournaments::store;

/// Creates a tournament; its creator plays in it only after joining.
pub async fn create(tx: &mut Tx, ctx: &Context, caller: &Identity, terms: TournamentTerms) -> Result<Tournament> {
    account::lock_active(tx, ctx, caller.account).await?;
    let now = ctx.clock.now();
    let is_organizer = is_organizer(tx, ctx, caller).await?;
    let most = if is_organizer { quotas::TOURNAMENTS_OF_ORGANIZER } else { Quota::Tournaments.most() };
    quotas::check_up_to(tx, caller.account, now, Quota::Tournaments, most).await?;
    let tournament = Tournament {
        id: ctx.new_id(),
        creator: caller.player(),
        organizers: Vec::new(),
        pause: None,
        draft: None,
        rounds: terms.rounds,
        begins_at: terms.starts_at.unwrap_or(now.plus_s(AHEAD_S)),
        terms,
        status: TournamentStatus::Open,
        round: 0,
        players: 0,
        games_left: 0,
        chance: ctx.random(),
        reason: None,
        created_at: now,
        started_at: None,
        ended_at: None,
    };
    store::tournaments::insert(tx, &tournament).await?;
    Ok(tournament)
}

/// The obstacles to joining now; empty if the player may join, or ask to.
pub async fn obstacles(
    conn: &mut Conn,
    ctx: &Context,
    tournament: &Tournament,
    caller: &Identity,
) -> Result<Vec<Obstacle>> {
    let mut all = limits(conn, ctx, tournament, (caller.account, caller.bot)).await?;
    let way_in = entries::obstacle(conn, way_in(tournament), caller.account, ctx.clock.now()).await?;
    // Members have passed the entry terms already.
    all.extend(way_in.filter(|_| !all.iter().any(|found| found.reason == IneligibilityReason::AlreadyJoined)));
    Ok(all)
}

/// The entry terms.
fn way_in(tournament: &Tournament) -> (Contest, Runners<'_>, Access) {
    (Contest::Tournament(tournament.id), tournament.runners(), tournament.terms.access)
}

/// The obstacles on the side of the tournament and the account, independent of the entry mode.
async fn limits(
    conn: &mut Conn,
    ctx: &Context,
    tournament: &Tournament,
    (account, bot): (AccountId, bool),
) -> Result<Vec<Obstacle>> {
    let terms = &tournament.terms;
    let mut all = Vec::new();
    if !tournament.takes_players_at(ctx.clock.now()) && !late::is_open(tournament) {
        all.push(Obstacle::new(IneligibilityReason::RegistrationOver, "Nobody can join any more."));
    } else if tournament.players >= terms.max_players {
        all.push(Obstacle::new(
            IneligibilityReason::TournamentFull,
            format!("It has {} players, and takes no more.", tournament.players),
        ));
    }
    if !store::players::suspended(conn, &[account], ctx.clock.now()).await?.is_empty() {
        all.push(Obstacle::new(IneligibilityReason::AccountSuspended, "Your account is suspended."));
    }
    if !terms.audience.admits(bot) {
        all.push(match terms.audience {
            TournamentAudience::Bots => Obstacle::new(IneligibilityReason::BotsOnly, "It is for programs only."),
            _ => Obstacle::new(IneligibilityReason::HumansOnly, "It is for people only."),
        });
    }
    let playing = store::tournaments::playing(conn, account).await?;
    if store::players::has_withdrawn(conn, tournament.id, account).await? {
        all.push(Obstacle::new(IneligibilityReason::HasWithdrawn, "Who has withdrawn can't come back."));
    } else if playing.contains(&tournament.id) {
        all.push(Obstacle::new(IneligibilityReason::AlreadyJoined, "You have joined already."));
    } else if playing.len() as i64 >= Quota::TournamentEntries.most() {
        let most = Quota::TournamentEntries.most();
        let detail = format!("An account may play in {most} tournaments that are not over.");
        all.push(Obstacle::new(IneligibilityReason::TooManyTournaments, detail));
    }
    all.extend(members::obstacle(conn, Contest::Tournament(tournament.id), account).await?);
    all.extend(entries::of_a_substitute(conn, Contest::Tournament(tournament.id), account).await?);
    all.extend(terms.limits.obstacles(conn, account, terms.pool(), ctx.clock.now()).await?);
    Ok(all)
}

/// Joins, or requests to join if entry is by approval; fails with `not-eligible` and every obstacle. Filling the last
/// place makes the tournament due to start.
pub async fn join(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId) -> Result<Tournament> {
    account::lock_active(tx, ctx, caller.account).await?;
    access::must_see(tx, ctx, id.0, Some(caller)).await?;
    let tournament = locked(tx, id).await?;
    quotas::lock(tx, caller.account).await?;
    let obstacles = obstacles(tx, ctx, &tournament, caller).await?;
    if !obstacles.is_empty() {
        return Err(refusal(obstacles));
    }
    if entries::needs_approval(tx, way_in(&tournament), caller.account).await? {
        entries::request(tx, ctx, (Contest::Tournament(id), tournament.runners()), caller.account, 1).await?;
        return Ok(tournament);
    }
    let (tournament, told) = admit(tx, ctx, tournament, caller.account).await?;
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// Accepts the request of a locked player to a [held](edit::hold) tournament: they join, if nothing prevents it now.
/// Fails with `not-found` without a request, and with `not-eligible`.
pub async fn accept(tx: &mut Tx, ctx: &Context, tournament: Tournament, player: &Player) -> Result<()> {
    let contest = Contest::Tournament(tournament.id);
    entries::requested(tx, contest, player.id).await?;
    let against = limits(tx, ctx, &tournament, (player.id, player.bot)).await?;
    if !against.is_empty() {
        return Err(refusal_of_another(against));
    }
    let (_, told) = admit(tx, ctx, tournament, player.id).await?;
    events::notify(tx, ctx, told.into_iter().chain(entries::accepted(ctx, contest, player.id)?)).await
}

/// Makes an eligible account a player of a locked tournament. Returns the notifications for the organizers.
async fn admit(
    tx: &mut Tx,
    ctx: &Context,
    mut tournament: Tournament,
    account: AccountId,
) -> Result<(Tournament, Vec<Notification>)> {
    let now = ctx.clock.now();
    store::players::join(tx, tournament.id, account, now).await?;
    entries::joined(tx, Contest::Tournament(tournament.id), account).await?;
    let mut told = Vec::new();
    if tournament.status == TournamentStatus::Running {
        told.extend(late::enter(tx, &mut tournament, account, now).await?);
    } else {
        tournament.players += 1;
        if tournament.players >= tournament.terms.max_players {
            tournament.begins_at = now;
        }
    }
    store::tournaments::save(tx, &tournament).await?;
    told.extend(news::joined(Contest::Tournament(tournament.id), tournament.runners(), account, now)?);
    Ok((tournament, told))
}

/// Leaves: before the start without a trace, after it for good.
pub async fn leave(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId) -> Result<Tournament> {
    access::must_see(tx, ctx, id.0, Some(caller)).await?;
    let mut tournament = locked(tx, id).await?;
    let told = quit(tx, ctx, &mut tournament, caller.account, WithdrawalReason::Left).await?;
    let Some(told) = told else {
        return Err(Error::new(&problem::NOT_A_PARTICIPANT, "You don't play in this tournament."));
    };
    store::tournaments::save(tx, &tournament).await?;
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// Removes a player from a [held](edit::hold) tournament, as if they had left. Returns the notifications for others.
/// Fails with `tournament-closed` if it is over, and with `not-found` for a player who isn't in it (any more).
pub async fn remove(
    tx: &mut Tx,
    ctx: &Context,
    mut tournament: Tournament,
    account: AccountId,
) -> Result<Vec<Notification>> {
    let told = quit(tx, ctx, &mut tournament, account, WithdrawalReason::Removed).await?;
    let told = told.ok_or_else(|| Error::nothing("The player takes no part in it."))?;
    store::tournaments::save(tx, &tournament).await?;
    Ok(told)
}

/// The time at which a tournament starts automatically, whatever the number of players.
pub(super) fn planned(tournament: &Tournament) -> Time {
    tournament.terms.starts_at.unwrap_or(tournament.created_at.plus_s(AHEAD_S))
}

/// Removes a player from a locked tournament; `None` if they aren't in it (any more).
async fn quit(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    account: AccountId,
    why: WithdrawalReason,
) -> Result<Option<Vec<Notification>>> {
    store::byes::delete_of(tx, tournament.id, account).await?;
    match tournament.status {
        TournamentStatus::Open => {
            if !store::players::leave(tx, tournament.id, account).await? {
                return Ok(None);
            }
            tournament.players = tournament.players.saturating_sub(1);
            tournament.begins_at = planned(tournament);
            let contest = Contest::Tournament(tournament.id);
            Ok(Some(match why {
                WithdrawalReason::Removed => Vec::new(),
                _ => news::left(contest, tournament.runners(), account, ctx.clock.now())?,
            }))
        }
        TournamentStatus::Running => {
            let mut entrants = store::players::all(tx, tournament.id).await?;
            let is_his = |entrant: &Entrant| entrant.player.id == account && entrant.withdrawn.is_none();
            if !entrants.iter().any(is_his) {
                return Ok(None);
            }
            rounds::withdraw(tx, ctx, tournament, &mut entrants, &[account], why).await.map(Some)
        }
        TournamentStatus::Finished | TournamentStatus::Cancelled => Err(closed(tournament)),
    }
}

/// Removes an account that is being deleted from all unfinished tournaments. Its row is locked. The notifications are
/// for the end of the transaction.
pub async fn forget(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Notification>> {
    store::byes::forget(tx, account).await?;
    let mut told = Vec::new();
    for id in store::tournaments::playing(tx, account).await? {
        let mut tournament = locked(tx, id).await?;
        if matches!(tournament.status, TournamentStatus::Finished | TournamentStatus::Cancelled) {
            continue;
        }
        told.extend(
            quit(tx, ctx, &mut tournament, account, WithdrawalReason::AccountDeleted).await?.unwrap_or_default(),
        );
        store::tournaments::save(tx, &tournament).await?;
    }
    Ok(told)
}

/// Starts it, as one of its organizers or by the operator's organizer role; fails with `too-few-players`.
pub async fn start(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId) -> Result<Tournament> {
    let (mut tournament, right) = edit::hold(tx, ctx, caller, id, Needs::Organizer).await?;
    if tournament.status != TournamentStatus::Open {
        return Err(closed(&tournament));
    }
    pauses::must_go_on(tournament.pause.as_ref())?;
    let now = ctx.clock.now();
    if tournament.terms.starts_at.is_some()
        || tournament.takes_players_at(now) && tournament.terms.registration_ends_at.is_some()
    {
        let detail = "It starts when its terms say: at `starts_at`, or not before `registration_ends_at`.";
        return Err(Error::new(&problem::TOO_EARLY_TO_START, detail));
    }
    let Some(told) = rounds::begin(tx, ctx, &mut tournament).await? else {
        let least = tournament.terms.min_players;
        let detail = format!("It needs {least} players, and has {}.", tournament.players);
        return Err(Error::new(&problem::TOO_FEW_PLAYERS, detail));
    };
    store::tournaments::save(tx, &tournament).await?;
    if let Right::Role(actor) = right {
        note(tx, ctx, actor, AuditKind::TournamentStarted, id, STARTED.parse().map_err(Error::internal)?).await?;
    }
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// Cancels it, as its creator or by the organizer role: no further rounds, and no final standings. Running games
/// continue.
pub async fn cancel(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: TournamentId,
    reason: AuditReason,
) -> Result<Tournament> {
    let (mut tournament, right) = edit::hold(tx, ctx, caller, id, Needs::Creator).await?;
    if !matches!(tournament.status, TournamentStatus::Open | TournamentStatus::Running) {
        return Err(closed(&tournament));
    }
    if tournament.status == TournamentStatus::Running
        && store::tournaments::playing(tx, caller.account).await?.contains(&id)
    {
        let detail = "Once it has started, only an organizer who doesn't play in it can cancel it.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    let told = call_off(tx, ctx, &mut tournament, reason.as_str()).await?;
    match right {
        Right::Role(actor) => note(tx, ctx, actor, AuditKind::TournamentCancelled, id, reason).await?,
        _ => organizers::ended_by(tx, Contest::Tournament(id), caller.account).await?,
    }
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// Cancels a locked tournament.
pub(super) async fn call_off(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    reason: &str,
) -> Result<Vec<Notification>> {
    let now = ctx.clock.now();
    tournament.status = TournamentStatus::Cancelled;
    tournament.reason = Some(reason.to_owned());
    tournament.ended_at = Some(now);
    tournament.draft = None;
    store::drafts::drop_waiting(tx, tournament.id).await?;
    store::boards::drop_unplayed(tx, tournament.id).await?;
    store::tournaments::save(tx, tournament).await?;
    let entrants = store::players::all(tx, tournament.id).await?;
    let event = TournamentCancelledEvent::at(now, tournament.id).into();
    let told = entrants.iter().map(|entrant| events::notification(entrant.player.id, std::slice::from_ref(&event)));
    told.filter_map(Result::transpose).collect()
}

pub(super) async fn locked(tx: &mut Tx, id: TournamentId) -> Result<Tournament> {
    store::tournaments::lock(tx, id).await?.ok_or_else(Error::not_found)
}

/// The audit log entry for another player's tournament started by an organizer.
const STARTED: &str = "started by an organizer";

async fn is_organizer(tx: &mut Tx, ctx: &Context, caller: &Identity) -> Result<bool> {
    match roles::check(tx, ctx, caller, Role::Organizer).await {
        Ok(()) => Ok(true),
        Err(error) if error.problem().kind == error::ProblemKind::Forbidden => Ok(false),
        Err(error) => Err(error),
    }
}

/// Records an organizer's action on another player's tournament in the audit log.
async fn note(
    tx: &mut Tx,
    ctx: &Context,
    actor: Actor,
    kind: AuditKind,
    id: TournamentId,
    reason: AuditReason,
) -> Result<()> {
    let subject = AuditSubject { tournament: Some(id), ..AuditSubject::default() };
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details: json!({}) }).await.map(drop)
}

pub(super) fn closed(tournament: &Tournament) -> Error {
    Error::new(&problem::TOURNAMENT_CLOSED, format!("The tournament is {}.", tournament.status.into_str()))
}
