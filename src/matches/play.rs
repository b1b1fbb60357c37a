//! Command: a player acts, or leaves.

use std::sync::Arc;

use broadside_rules::{Action, Dice, Entry, Illegal, Report, Seat, Time, Viewer, legal};
use serde_json::Value;

use super::match_state::{MatchSnapshot, MatchState, entry as read_entry};
use super::update::{Command, Updated};
use super::{Part, fold_price, store};
use crate::budget_owner;
use crate::error::{Error, ProblemKind, Result, problem, under};
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::work_pool::Lane;

/// A player's action.
pub struct ActionRequest {
    pub account: AccountId,
    /// The version of the match, as known to the player, that the action is for.
    pub version: Option<u32>,
    pub action: Value,
    /// Only judge the action.
    pub dry_run: bool,
    /// The player's idempotency key, if given.
    pub claim: Option<Claim>,
}

/// The outcome of an action.
pub struct Played {
    /// The player's new reports.
    pub reports: Vec<Report>,
    /// The player's view after the action.
    pub snapshot: MatchSnapshot,
}

impl Command for ActionRequest {
    fn judge(&self, state: &MatchState, now: Time, dice: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        let (seat, action) = allowed(state, self)?;
        if self.dry_run {
            return Ok(None);
        }
        let events = state.battle.decide(seat, &action, &mut dice(), &state.chance);
        if events.is_empty() {
            // An entry without events could never be verified.
            return Err(Error::internal("a legal action brought nothing about"));
        }
        Ok(Some(Entry { at: now, seat: Some(seat), events }))
    }

    fn claim(&self, state: &MatchState) -> Option<&Claim> {
        let may_spend = !self.dry_run && matches!(state.terms.part_of(self.account), Part::Player(_));
        self.claim.as_ref().filter(|_| may_spend)
    }
}

/// Executes an action, or returns the reason of its refusal.
pub async fn play(matches: &Matches, id: MatchId, request: &ActionRequest) -> Result<Played> {
    // Accounts without a seat are refused before anything is folded.
    if matches.viewer(id, Some(request.account)).await?.seat().is_none() {
        return Err(no_seat());
    }
    let epoch = matches.epochs.current();
    let updated = match request.dry_run {
        true => matches.try_out(id, request).await,
        false => act(matches, id, request).await,
    };
    let (state, mut learnt) = match updated? {
        Updated::Written(state, learnt) => (state, learnt),
        Updated::Unchanged(state) => (state, Vec::new()),
        Updated::DoneBefore(seq) => as_of(matches, id, seq).await?,
    };
    let snapshot = MatchSnapshot::of(state, Some(request.account), epoch)?;
    let seat = snapshot.viewer().seat();
    let reports = seat.and_then(|seat| learnt.get_mut(seat.index())).map(std::mem::take).unwrap_or_default();
    Ok(Played { reports, snapshot })
}

/// Executes an action. If the player's last one was refused and the match isn't in memory, it is loaded like for
/// readers, in their lane and without the match's turn, so that a sender of refused actions doesn't slow down the
/// players. (If the readers' lane is full, it is read with the others.)
async fn act(matches: &Matches, id: MatchId, request: &ActionRequest) -> Result<Updated> {
    if matches.refused.get(&request.account).is_some() && matches.known(id).is_none() {
        let _ = matches.current(id).await;
    }
    let updated = matches.update(id, request).await;
    match &updated {
        Ok(_) => {
            matches.refused.remove(&request.account);
        }
        Err(error) if error.problem().kind == ProblemKind::Unacceptable => matches.refused.insert(request.account, ()),
        Err(_) => {}
    }
    updated
}

/// Parses the action, and judges it by its player's knowledge.
fn allowed(state: &MatchState, request: &ActionRequest) -> Result<(Seat, Action)> {
    let viewer = state.terms.viewer(Some(request.account), state.battle.status().is_over())?;
    let seat = viewer.seat().ok_or_else(no_seat)?;
    let view = state.view(Viewer::Seat(seat));
    if request.version.is_some_and(|version| !state.is_meant_for(Viewer::Seat(seat), version)) {
        return Err(Error::stale_version(view.version()));
    }
    let action = Action::parse(&state.terms.setup, &request.action).map_err(in_order)?;
    legal(view, &action).map_err(in_order)?;
    Ok((seat, action))
}

fn no_seat() -> Error {
    Error::new(&problem::NOT_A_PLAYER, "You don't play in this match.")
}

/// The rules' refusal, with pointers from the root of the request.
fn in_order(illegal: Illegal) -> Error {
    Illegal { faults: under("/action", illegal.faults), ..illegal }.into()
}

/// The match just after its entry `seq`, and each viewer's reports of that entry.
async fn as_of(matches: &Matches, id: MatchId, seq: u32) -> Result<(Arc<MatchState>, Vec<Vec<Report>>)> {
    let stored = matches.stored(id).await?.ok_or_else(Error::not_found)?;
    fold_price::charge(matches, &stored, seq as usize)?;
    let last = seq as usize - 1;
    let bytes = stored.entries.get(last).cloned().unwrap_or_default();
    let fold = move || {
        let mut state = MatchState::fold(stored, last)?;
        let entry = read_entry(&bytes, &state.terms)?;
        let learnt = state.absorb(&entry, &bytes);
        Ok((Arc::new(state), learnt))
    };
    matches.pool.run(Lane::Play, fold).await?
}

/// Resigns all running matches of an account that is being deleted, except those in `but`. A match that can't be
/// resigned doesn't stop the deletion. Fails only when the matches can't be listed.
pub async fn leave_all(matches: &Matches, account: AccountId, but: &[MatchId]) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let running = store::matches::running_of(&mut conn, account).await?;
    drop(conn);
    for id in running.into_iter().filter(|id| !but.contains(id)) {
        leave(matches, account, id).await;
    }
    Ok(())
}

/// Resigns a match of an account that leaves, regardless of the caller's budgets. On failure (a damaged log, writers
/// that are always faster, no database) it logs the error, and the match goes on.
pub async fn leave(matches: &Matches, account: AccountId, id: MatchId) {
    let action = serde_json::json!({ "type": "resign" });
    let request = ActionRequest { account, version: None, action, dry_run: false, claim: None };
    match budget_owner::of_the_service(play(matches, id, &request)).await {
        // It may have ended in the meantime.
        Err(error) if error.problem().kind != ProblemKind::Unacceptable => {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, "a match of an account that leaves could not be resigned");
        }
        _ => {}
    }
}
