//! Late entrants of tournaments: they get the next starting number, and enter the next round to be drawn, so drawn
//! rounds stay unchanged. Missed rounds are byes, with a score set by the terms.

use broadside_contests::{ByeReason, ByeWorth};
use broadside_rules::{Fault, Time};
use serde_json::json;

use super::{Board, Entrant, Tournament, TournamentStatus, draw, entry, umpire};
use crate::accounts::Identity;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events::kinds::TournamentEnteredLateEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, TournamentId};
use crate::player::Player;
use crate::ratings::read::shown;
use crate::tournaments::store;

/// True if a started tournament admits players: the next round to be drawn is within the terms' limit.
pub fn is_open(tournament: &Tournament) -> bool {
    let next = tournament.drawn_round() + 1;
    let until = tournament.terms.round_terms.late_entry.map_or(0, |late| late.until_round);
    let last = tournament.rounds.map_or(until, |rounds| until.min(rounds));
    tournament.status == TournamentStatus::Running && next <= last
}

/// Completes the late entry of an account whose row in the tournament exists. The caller saves the tournament.
pub(super) async fn enter(
    tx: &mut Tx,
    tournament: &mut Tournament,
    account: AccountId,
    now: Time,
) -> Result<Vec<Notification>> {
    let entrants = store::players::all(tx, tournament.id).await?;
    let found = entrants.into_iter().find(|entrant| entrant.player.id == account);
    let mut entrant = found.ok_or_else(|| Error::internal("who has just joined isn't there"))?;
    tournament.players += 1;
    entrant.number = Some(tournament.players);
    entrant.first_round = tournament.drawn_round() + 1;
    if let Some(pool) = tournament.terms.pool() {
        entrant.rating = shown(tx, &[(account, pool)]).await?.pop().flatten();
    }
    store::players::save(tx, tournament.id, &entrant).await?;
    let worth = tournament.terms.round_terms.late_entry.map_or(ByeWorth::Nothing, |late| late.missed_round);
    for round in 1..=tournament.round {
        let mut boards = store::boards::all(tx, tournament.id, Some(round)).await?;
        let there = boards.len();
        let bye = (ByeReason::LateEntry, worth.halves());
        draw::add_byes(&mut boards, round, [(tournament.players, bye)], now);
        store::boards::insert(tx, tournament.id, &boards[there..]).await?;
    }
    let halves = (entrant.first_round - 1) * u16::from(worth.halves());
    told(tournament.id, &entrant, halves, now)
}

fn told(id: TournamentId, entrant: &Entrant, half_point_byes: u16, now: Time) -> Result<Vec<Notification>> {
    let number = entrant.number.unwrap_or_default();
    let event = TournamentEnteredLateEvent::at(now, id, number, entrant.first_round, half_point_byes).into();
    Ok(events::notification(entrant.player.id, &[event])?.into_iter().collect())
}

/// An organizer's score for a late entrant.
pub struct Score {
    /// The late entrant.
    pub player: Player,
    /// The number of missed rounds worth half a point: the first ones. The others are worth nothing.
    pub half_point_byes: u16,
    pub reason: AuditReason,
}

/// Sets the score of a late entrant's missed rounds, before their first round is drawn. Fails with `not-found` for a
/// player who isn't a late entrant, `tournament-closed`, `round-drawn`, with a fault if the terms don't allow it, and
/// as [`umpire::hold`] does.
pub async fn score(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId, score: Score) -> Result<()> {
    let (tournament, actor) = umpire::hold(tx, ctx, caller, id).await?;
    if tournament.status != TournamentStatus::Running {
        return Err(entry::closed(&tournament));
    }
    let entrants = store::players::all(tx, id).await?;
    let found = entrants.iter().find(|entrant| entrant.player.id == score.player.id && entrant.first_round > 1);
    let none = || Error::nothing(format!("{} has not come in late.", score.player.username));
    let entrant = found.filter(|entrant| entrant.withdrawn.is_none()).ok_or_else(none)?;
    // A waiting round is drawn, but its byes count only when it begins.
    if tournament.round + 1 < entrant.first_round || tournament.drawn_round() >= entrant.first_round {
        return Err(Error::plain(&problem::ROUND_DRAWN));
    }
    let missed = entrant.first_round - 1;
    let worth = tournament.terms.round_terms.late_entry.map_or(ByeWorth::Nothing, |late| late.missed_round);
    let most = missed * u16::from(worth.halves());
    if score.half_point_byes > most {
        let detail = format!("the terms give {most} at most");
        return Err(Error::invalid(vec![Fault::new("/half_point_byes", "out-of-range", detail)]));
    }
    let is_own = |board: &Board| Some(board.first) == entrant.number && board.bye == Some(ByeReason::LateEntry);
    for mut board in store::boards::all(tx, id, None).await?.into_iter().filter(is_own) {
        board.halves = Some([u8::from(board.round <= score.half_point_byes), 0]);
        store::boards::save(tx, id, &board).await?;
    }
    let entry = AuditEntry {
        kind: AuditKind::LateEntryScored,
        subject: AuditSubject { tournament: Some(id), account: Some(score.player.id), ..AuditSubject::default() },
        reason: score.reason,
        details: json!({ "missed_rounds": missed, "half_point_byes": score.half_point_byes }),
    };
    audit_log::append(tx, ctx, actor, entry).await?;
    let told = told(id, entrant, score.half_point_byes, ctx.clock.now())?;
    events::notify(tx, ctx, told).await
}
