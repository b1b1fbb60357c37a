//! Requested byes: a player sits out an undrawn round, by request or by an organizer's decision. They are public.

use broadside_contests::{ByeReason, ByeWorth};
use broadside_rules::Time;
use serde_json::json;

use super::{Entrant, Tournament, TournamentStatus, entry, umpire};
use crate::accounts::Identity;
use crate::accounts::roles::Actor;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::contests::access;
use crate::contests::members::no_member;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::TournamentByeChangedEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, TournamentId};
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::tournaments::store;

string_enums! {
    /// What has become of a bye.
    pub enum ByeChange {
        /// An organizer lets the player sit out the round.
        Granted,
        /// An organizer has taken it back: the player is drawn.
        TakenBack,
        /// The round couldn't be drawn without the player: they play.
        SetAside,
    }
}

/// A bye of an undrawn round.
#[derive(Clone, Debug)]
pub struct ByeRequest {
    pub account: AccountId,
    pub round: u16,
    pub worth: ByeWorth,
    /// The organizer who granted it; `None` if the player requested it.
    pub granted_by: Option<AccountId>,
    pub at: Time,
}

/// A bye to request or to withdraw.
pub struct Wanted {
    pub round: u16,
    pub player: Player,
    /// The reason for the log read by moderators; recorded if an organizer acts for a player.
    pub reason: Option<AuditReason>,
}

/// The caller: the player, or an organizer who doesn't play.
async fn held(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: TournamentId,
    player: &Player,
) -> Result<(Tournament, Option<Actor>)> {
    if player.id != caller.account {
        let (tournament, actor) = umpire::hold(tx, ctx, caller, id).await?;
        return Ok((tournament, Some(actor)));
    }
    access::must_see(tx, ctx, id.0, Some(caller)).await?;
    let tournament = entry::locked(tx, id).await?;
    Ok((tournament, None))
}

/// The player in a tournament whose round is still undrawn. Fails with `tournament-closed`, `no-requested-byes`,
/// `not-a-participant` or `not-found` for a player who isn't in it (any more), `not-found` for a nonexistent round, and
/// `round-drawn`.
async fn at(tx: &mut Tx, tournament: &Tournament, wanted: &Wanted, by_organizer: bool) -> Result<Entrant> {
    if matches!(tournament.status, TournamentStatus::Finished | TournamentStatus::Cancelled) {
        return Err(entry::closed(tournament));
    }
    if tournament.terms.round_terms.requested_byes.is_none_or(|byes| byes.max == 0) {
        return Err(Error::plain(&problem::NO_REQUESTED_BYES));
    }
    let entrants = store::players::all(tx, tournament.id).await?;
    let found = entrants.into_iter().find(|entrant| entrant.player.id == wanted.player.id);
    let entrant = found.filter(|entrant| entrant.withdrawn.is_none()).ok_or_else(|| {
        if by_organizer {
            no_member(&wanted.player)
        } else {
            Error::new(&problem::NOT_A_PARTICIPANT, "You don't play in this tournament.")
        }
    })?;
    if wanted.round == 0 || tournament.rounds.is_some_and(|rounds| wanted.round > rounds) {
        return Err(Error::nothing(format!("There is no round {}.", wanted.round)));
    }
    if wanted.round <= tournament.drawn_round() || wanted.round < entrant.first_round {
        return Err(Error::plain(&problem::ROUND_DRAWN));
    }
    Ok(entrant)
}

/// Requests a bye; repetition has no effect. Beyond the limits of the terms it is refused to a player (`bye-refused`),
/// and worth nothing if granted by an organizer.
pub async fn ask(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: TournamentId,
    wanted: Wanted,
) -> Result<ByeRequest> {
    let (tournament, actor) = held(tx, ctx, caller, id, &wanted.player).await?;
    let entrant = at(tx, &tournament, &wanted, actor.is_some()).await?;
    let pending = store::byes::of_player(tx, id, wanted.player.id).await?;
    if let Some(same) = pending.iter().find(|bye| bye.round == wanted.round) {
        return Ok(same.clone());
    }
    let byes = tournament.terms.round_terms.requested_byes.unwrap_or_default();
    let boards = store::boards::all(tx, id, None).await?;
    let is_own = |number: u16| entrant.number == Some(number);
    let had = boards.iter().filter(|board| board.bye == Some(ByeReason::Requested) && is_own(board.first)).count();
    let beyond = if had + pending.len() >= usize::from(byes.max) {
        Some(format!("A player can have {} on request here.", byes.max))
    } else {
        let last = tournament.rounds.unwrap_or_default().saturating_sub(byes.not_in_last);
        (wanted.round > last).then(|| format!("The last round with byes on request is {last}."))
    };
    let worth = match (beyond, &actor) {
        (Some(detail), None) => return Err(Error::new(&problem::BYE_REFUSED, detail)),
        (Some(_), Some(_)) => ByeWorth::Nothing,
        (None, _) => byes.worth,
    };
    let now = ctx.clock.now();
    let bye = ByeRequest {
        account: wanted.player.id,
        round: wanted.round,
        worth,
        granted_by: actor.is_some().then_some(caller.account),
        at: now,
    };
    store::byes::insert(tx, id, &bye).await?;
    if let Some(actor) = actor {
        note(tx, ctx, actor, id, &wanted, ByeChange::Granted).await?;
    }
    Ok(bye)
}

/// Withdraws a bye; fails with `not-found` if there is none.
pub async fn take_back(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId, wanted: Wanted) -> Result<()> {
    let (tournament, actor) = held(tx, ctx, caller, id, &wanted.player).await?;
    at(tx, &tournament, &wanted, actor.is_some()).await?;
    if !store::byes::delete(tx, id, wanted.player.id, wanted.round).await? {
        let detail = format!("{} has not asked to sit out round {}.", wanted.player.username, wanted.round);
        return Err(Error::nothing(detail));
    }
    if let Some(actor) = actor {
        note(tx, ctx, actor, id, &wanted, ByeChange::TakenBack).await?;
    }
    Ok(())
}

/// The logged reason if an organizer gives none.
const UNSAID: &str = "for the player, without a reason";

/// Logs an organizer's action for a player, and notifies the player.
async fn note(
    tx: &mut Tx,
    ctx: &Context,
    actor: Actor,
    id: TournamentId,
    wanted: &Wanted,
    change: ByeChange,
) -> Result<()> {
    let reason = match &wanted.reason {
        Some(reason) => reason.clone(),
        None => UNSAID.parse().map_err(Error::internal)?,
    };
    let entry = AuditEntry {
        kind: AuditKind::TournamentByeChanged,
        subject: AuditSubject { tournament: Some(id), account: Some(wanted.player.id), ..AuditSubject::default() },
        reason,
        details: json!({ "round": wanted.round, "change": change.into_str() }),
    };
    audit_log::append(tx, ctx, actor, entry).await?;
    let event = TournamentByeChangedEvent::at(ctx.clock.now(), id, wanted.round, change.into_str()).into();
    events::notify(tx, ctx, events::notification(wanted.player.id, &[event])?).await
}

/// The byes of undrawn rounds, with their players: by round, then in the order of requests. Sets `incomplete` if a
/// player is unreadable.
pub async fn pending(
    conn: &mut Conn,
    tournament: &Tournament,
    incomplete: &mut bool,
) -> Result<Vec<(ByeRequest, Player)>> {
    let entrants = store::players::listed(conn, tournament.id).await?.note(incomplete);
    let all = store::byes::all(conn, tournament.id).await?;
    let with_player = |bye: ByeRequest| {
        let found = entrants.iter().find(|entrant| entrant.player.id == bye.account && entrant.withdrawn.is_none());
        found.map(|entrant| (bye, entrant.player.clone()))
    };
    Ok(all.into_iter().filter_map(with_player).collect())
}

/// The starting numbers of those who sit out a round to be drawn.
pub(super) async fn of_round(
    conn: &mut Conn,
    tournament: &Tournament,
    playing: &[&Entrant],
    round: u16,
) -> Result<super::draw::SittingOut> {
    let all = store::byes::all(conn, tournament.id).await?;
    let number = |account: AccountId| playing.iter().find(|entrant| entrant.player.id == account)?.number;
    let own = all.iter().filter(|bye| bye.round == round);
    let mut out: Vec<(u16, u8)> = own.filter_map(|bye| Some((number(bye.account)?, bye.worth.halves()))).collect();
    out.sort_unstable();
    Ok(out)
}

/// Completes the requests for a round that was drawn. `set_aside`: the time from which players who wanted to sit out
/// have to play after all; they are notified.
pub(super) async fn settle(
    tx: &mut Tx,
    tournament: &Tournament,
    entrants: &[Entrant],
    (round, out): (u16, &[(u16, u8)]),
    set_aside: Option<Time>,
) -> Result<Vec<Notification>> {
    store::byes::delete_round(tx, tournament.id, round).await?;
    let Some(now) = set_aside else { return Ok(Vec::new()) };
    let mut told = Vec::new();
    for account in out.iter().filter_map(|(number, _)| super::account_of(entrants, *number)) {
        let event = TournamentByeChangedEvent::at(now, tournament.id, round, ByeChange::SetAside.into_str()).into();
        told.extend(events::notification(account, &[event])?);
    }
    Ok(told)
}
