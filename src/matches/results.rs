//! What each seat has made of a match that is over: written with its last entry, in the same statement, so that nothing
//! has to be folded when statistics are read. Matches that a repair has changed are folded once, by a job.

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

/// What a seat has made of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatResult {
    pub match_id: MatchId,
    pub seat: Seat,
    /// Who sat there.
    pub account: AccountId,
    /// The variant that was played.
    pub variant: String,
    /// The first seat of those that play together.
    pub side: Seat,
    /// What it was for them.
    pub outcome: SeatOutcome,
    /// Their place, from 1; none: the match was called off.
    pub place: Option<u8>,
    /// Whether the battle decided the match, and no resignation, clock, agreement or moderator.
    pub played_out: bool,
    /// The shots, and how many of them hit; none: it isn't a game of gunnery, or the match was called off, and what
    /// shots did is never told.
    pub shots: Option<(u32, u32)>,
    /// When it was over.
    pub finished_at: Time,
}

/// The results of a match, by seat; none while it isn't over.
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

/// How many matches are looked up at a time.
const BATCH: i64 = 100;

/// The job's round: folds the matches that a repair has changed, each once.
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
            // A log that can't be read must not keep the others waiting; `broadside audit` names it.
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
