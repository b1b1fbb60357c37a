//! What the jobs of ladders and tournaments have in common.

use std::fmt::Display;

use crate::error::{ProblemKind, Result};

/// Logs an internal error and passes over it, so that one failure doesn't hold up the rest. Any other error (the
/// database can't be reached) ends the run. `id` names what it happened to.
pub fn pass_over<T>(done: Result<T>, id: impl Display, what: &'static str) -> Result<Option<T>> {
    match done {
        Err(error) if error.problem().kind == ProblemKind::Internal => {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, %id, what);
            Ok(None)
        }
        done => done.map(Some),
    }
}
