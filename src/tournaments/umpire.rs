//! The organizers' right to judge the matches of a tournament and to move its deadlines, unless they play in it.

use std::collections::BTreeMap;

use broadside_rules::Time;
use serde_json::json;

use super::store::deadlines::BoardDeadline;
use super::{Tournament, TournamentStatus, deadlines, edit, entry};
use crate::accounts::Identity;
use crate::accounts::roles::Actor;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::contests::Contest;
use crate::contests::organizers::{self, Needs};
use crate::contests::store::entries;
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::events::kinds::RoundExtendedEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, TournamentId};
use crate::pairings;
use crate::tournaments::store;

/// Bounds of one extension of a round, in seconds: a minute to 90 days.
pub const EXTENSION_S: (u32, u32) = (60, 90 * 86_400);

/// The tournament, locked, for an organizer who may judge its matches. Fails with `not-an-organizer`,
/// `conflict-of-interest` and `account-suspended`.
pub async fn hold(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId) -> Result<(Tournament, Actor)> {
    let (tournament, right) = edit::hold(tx, ctx, caller, id, Needs::Organizer).await?;
    if entries::has_a_stake(tx, Contest::Tournament(id), caller.account).await? {
        return Err(organizers::plays_in_it());
    }
    Ok((tournament, right.actor(caller)))
}

/// An extension of deadlines.
pub struct Extension {
    pub round: u16,
    /// `None` for all unfinished boards of the round.
    pub board: Option<u16>,
    pub seconds: u32,
    pub reason: AuditReason,
}

/// Moves the deadline of a round, or of one of its boards. Fails with `not-found` if there is no unfinished board with
/// a deadline.
pub async fn extend(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: TournamentId,
    extension: Extension,
) -> Result<()> {
    let (tournament, actor) = hold(tx, ctx, caller, id).await?;
    if tournament.status != TournamentStatus::Running {
        return Err(entry::closed(&tournament));
    }
    let Extension { round, board, seconds, reason } = extension;
    let no_rounds_time =
        || Error::nothing("The rounds of this tournament have no time of their own: there is no deadline.");
    let time = tournament.terms.round_time().ok_or_else(no_rounds_time)?;
    let mut meant = store::deadlines::of_unended(tx, id, round).await?;
    meant.retain(|deadline| board.is_none_or(|board| deadline.board == board));
    let Some(since) = meant.iter().map(|deadline| deadline.from).min() else {
        return Err(Error::nothing(match board {
            None => format!("No board of round {round} has a deadline and isn't over."),
            Some(board) => format!("Board {board} of round {round} has no deadline, is over, or isn't there."),
        }));
    };
    let still = deadlines::stillness(tx, id, since).await?;
    for deadline in &mut meant {
        deadline.extra_s = deadline.extra_s.saturating_add(seconds).min(MOST_EXTRA_S);
        deadline.due_at = time.due_at(deadline.from, deadline.extra_s, &still);
        deadline.warn_at = Some(time.warn_at(deadline.due_at));
        store::deadlines::save(tx, id, deadline, true).await?;
    }
    let entry = AuditEntry {
        kind: AuditKind::RoundExtended,
        subject: AuditSubject { tournament: Some(id), ..AuditSubject::default() },
        reason,
        details: json!({ "round": round, "board": board, "seconds": seconds }),
    };
    audit_log::append(tx, ctx, actor, entry).await?;
    let told = extended(tx, &tournament, round, &meant, ctx.clock.now()).await?;
    events::notify(tx, ctx, told).await
}

/// The notifications for the players of running games: their new deadline, or the first of several.
async fn extended(
    tx: &mut Tx,
    tournament: &Tournament,
    round: u16,
    moved: &[BoardDeadline],
    now: Time,
) -> Result<Vec<Notification>> {
    let mut due: BTreeMap<AccountId, Time> = BTreeMap::new();
    for (pairing, due_at) in moved.iter().filter_map(|board| Some((board.pairing?, board.due_at))) {
        let Some(pairing) = pairings::find(tx, pairing).await? else { continue };
        for player in pairing.players.iter().filter(|_| pairing.games.iter().any(|game| !game.over)) {
            due.entry(player.id).and_modify(|first| *first = due_at.min(*first)).or_insert(due_at);
        }
    }
    let mut told = Vec::new();
    for (account, due_at) in due {
        let event = RoundExtendedEvent::at(now, tournament.id, round, due_at).into();
        told.extend(events::notification(account, &[event])?);
    }
    Ok(told)
}

/// Most seconds added to a deadline in all extensions together (ten years).
const MOST_EXTRA_S: u32 = 10 * 365 * 86_400;
