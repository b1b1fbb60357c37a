//! Rounds of jobs: what is due is read page by page, and one failure doesn't hold up the rest.

use std::fmt::Display;

use crate::db::is_held_up;
use crate::error::{ProblemKind, Result};

/// Logs an internal error, or a row that somebody else holds, and passes over it, so that one failure doesn't hold up
/// the rest. Any other error (the database can't be reached) ends the run. `id` names what it happened to.
pub fn pass_over<T>(done: Result<T>, id: impl Display, what: &'static str) -> Result<Option<T>> {
    match done {
        Err(error) if error.problem().kind == ProblemKind::Internal || is_held_up(&error) => {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, %id, what);
            Ok(None)
        }
        done => done.map(Some),
    }
}

/// Goes through a list page by page, with no connection held between two pages:
/// `each_due!(context, (conn, last) => read the page behind last, item by its key => what is done with each)`.
macro_rules! each_due {
    ($ctx:expr, ($conn:ident, $last:ident) => $page:expr, $one:ident by $key:expr => $work:expr) => {
        let mut $last = None;
        loop {
            let mut connection = $ctx.db.conn().await?;
            let $conn = &mut connection;
            let page = $page.await?;
            drop(connection);
            $last = page.last().map(|$one| $key);
            for $one in page {
                $work
            }
            if $last.is_none() {
                break;
            }
        }
    };
}
pub(crate) use each_due;
