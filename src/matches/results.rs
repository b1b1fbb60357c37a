//! The result of a finished match for each seat: written in the same statement as its last entry, so that statistics
//! need no folding. Repaired matches are folded once, by a job.

use broadside_rules::outcome::Reason;
use broadside_rules::{Seat, Status, Time, Viewer};

use super::match_state::MatchState;
use crate::budget_owner;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::{Matches, store};
use crate::string_enums::string_enums;
use crate::work_pool::Lane;

string_enums! {
    /// The outcome of a match for a seat.
    pub enum SeatOutcome {
        /// The player, or the player's side, took the first place alone.
        Won,
        /// The first place was shared with another side.
        Drawn,
        /// Another side took it.
        Lost,
        /// The match was called off.
        Aborted,
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatResult {
    pub match_id: MatchId,
    pub seat: Seat,
    pub account: AccountId,
    pub variant: String,
    /// The first seat of the player's side.
    pub side: Seat,
    pub outcome: SeatOutcome,
    /// The place, from 1; `None`: the match was called off.
    pub place: Option<u8>,
    /// True if the battle decided the match, and no resignation, clock, agreement or moderator.
    pub played_out: bool,
    /// The numbers of shots and of hits; `None`: not a game of gunnery, or called off, so that the outcomes stay
    /// secret.
    pub shots: Option<(u32, u32)>,
    pub finished_at: Time,
}

/// The results of a match, by seat; empty until it is over.
pub(super) fn of(state: &MatchState) -> Vec<SeatResult> {
    let view = state.view(Viewer::Spectator);
    let Some(finished_at) = view.finished_at().filter(|_| view.status().is_over()) else { return Vec::new() };
    let rules = &state.terms.setup.rules;
    let outcome = view.result().filter(|_| view.status() == Status::Finished);
    let places: Option<Vec<u8>> =
        outcome.map(|outcome| crate::ratings::rate::places(outcome, state.terms.players.len()));
    let all = || (0..state.terms.setup.seats).map(Seat);
    let place_of = |seat: Seat| places.as_ref().and_then(|places| places.get(seat.index()).copied());
    let any_shots = all().any(|seat| state.shots_of(seat).0 > 0);
    let result = |(seat, player): (Seat, &crate::player::Player)| {
        let place = place_of(seat);
        let shares = || all().any(|other| place_of(other) == Some(1) && !rules.allied(seat, other));
        let seat_outcome = match place {
            None => SeatOutcome::Aborted,
            Some(1) if shares() => SeatOutcome::Drawn,
            Some(1) => SeatOutcome::Won,
            Some(_) => SeatOutcome::Lost,
        };
        SeatResult {
            match_id: state.terms.id,
            seat,
            account: player.id,
            variant: state.terms.variant.id.to_owned(),
            side: all().find(|other| rules.allied(seat, *other)).unwrap_or(seat),
            outcome: seat_outcome,
            place,
            played_out: outcome.is_some_and(|outcome| is_played_out(outcome.reason)),
            shots: place.filter(|_| any_shots).map(|_| state.shots_of(seat)),
            finished_at,
        }
    };
    all().zip(&state.terms.players).map(result).collect()
}

fn is_played_out(reason: Reason) -> bool {
    match reason {
        Reason::Fleet | Reason::Hits | Reason::Limit | Reason::Ships | Reason::Points => true,
        Reason::Resignation
        | Reason::Time
        | Reason::Agreement
        | Reason::Aborted
        | Reason::Adjudicated
        | Reason::Deadline => false,
    }
}

/// The number of matches per query.
const BATCH: i64 = 100;

/// The job's round: folds repaired matches, each once.
pub async fn catch_up(matches: &Matches) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = matches.db.conn().await?;
        let due = store::results::due(&mut conn, last, BATCH).await?;
        drop(conn);
        let Some(newest) = due.last() else { return Ok(()) };
        last = Some(*newest);
        for id in due {
            if matches.is_stopping() {
                return Ok(());
            }
            // An unreadable log must not block the others; `broadside audit` names it.
            if let Err(error) = budget_owner::of_the_service(fold(matches, id)).await {
                let cause = error.cause().map(tracing::field::display);
                tracing::warn!(%error, cause, "the results of a repaired match could not be stored");
            }
        }
    }
}

async fn fold(matches: &Matches, id: MatchId) -> Result<()> {
    let stored = matches.stored(id).await?.ok_or_else(Error::not_found)?;
    let work = move || MatchState::fold(stored, usize::MAX).map(|state| of(&state));
    let results = matches.pool.run(Lane::Heavy, work).await??;
    let mut tx = matches.db.begin().await?;
    store::results::insert(&mut tx, &results).await?;
    store::results::done(&mut tx, id).await?;
    tx.commit().await
}
