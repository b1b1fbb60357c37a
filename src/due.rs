//! Rounds of jobs: due items are read page by page, owners take turns, and a failure doesn't delay the rest.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::context::Context;
use crate::db::{Conn, is_held_up};
use crate::error::{Error, ProblemKind, Result};

/// Time between two log lines about the same failure of the same thing.
const SILENCE: Duration = Duration::from_mins(1);
/// Most failures that are remembered. Further new ones are not logged.
const MOST: usize = 10_000;

/// Recently logged failures.
#[derive(Default)]
struct Said(HashMap<(&'static str, String), Instant>);

impl Said {
    /// True if this failure was not logged within [`SILENCE`] before `now`; it counts as logged from now on.
    fn is_new(&mut self, what: &'static str, id: String, now: Instant) -> bool {
        let key = (what, id);
        if self.0.get(&key).is_some_and(|at| now.duration_since(*at) < SILENCE) {
            return false;
        }
        if self.0.len() >= MOST {
            self.0.retain(|_, at| now.duration_since(*at) < SILENCE);
        }
        if self.0.len() < MOST {
            self.0.insert(key, now);
            return true;
        }
        false
    }
}

/// Logs a failure with `id` at most once a minute, because every round of a job meets damaged data again.
#[expect(clippy::disallowed_methods, reason = "the log is for people, whatever clock the service has")]
pub fn log_seldom(error: &Error, id: impl Display, what: &'static str) {
    static SAID: LazyLock<Mutex<Said>> = LazyLock::new(Mutex::default);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.is_new(what, id.to_string(), Instant::now()) {
        tracing::error!(%error, cause = error.cause().map(tracing::field::display), %id, what);
    }
}

/// Sorts items so that their owners take turns: the first of each owner, then the second of each, and so on. Whatever
/// the number of an owner's items, every other owner's first item is among the first. Within a turn, and for one owner,
/// the order stays.
pub fn in_turns<T, Owner: Eq + Hash>(items: Vec<T>, owner: impl Fn(&T) -> Owner) -> Vec<T> {
    let mut counts: HashMap<Owner, usize> = HashMap::new();
    let turn = |item: T| {
        let count = counts.entry(owner(&item)).or_default();
        *count += 1;
        (*count, item)
    };
    let mut turns: Vec<(usize, T)> = items.into_iter().map(turn).collect();
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, item)| item).collect()
}

/// Logs a failure with `id` and continues, so that it doesn't delay the rest. Only an unreachable database ends the
/// run.
pub fn pass_over<T>(done: Result<T>, id: impl Display, what: &'static str) -> Result<Option<T>> {
    match done {
        Err(error) if error.problem().kind != ProblemKind::Unavailable || is_held_up(&error) => {
            log_seldom(&error, id, what);
            Ok(None)
        }
        done => done.map(Some),
    }
}

/// For an audit: turns an error into a fault of `what` and continues, unless it concerns the database as a whole.
pub fn or_fault<T>(done: Result<T>, what: impl Display, faults: &mut Vec<String>) -> Result<Option<T>> {
    match done {
        Err(error) if error.problem().kind != ProblemKind::Unavailable => {
            let cause = error.cause().map_or_else(|| error.to_string(), ToString::to_string);
            faults.push(format!("{what}: can't be read: {cause}"));
            Ok(None)
        }
        done => done.map(Some),
    }
}

/// The result of an audit of numbered logs: the number of logs, the number of entries, and a line for each fault.
#[derive(Default, Debug)]
pub struct Findings {
    pub logs: u64,
    pub entries: u64,
    pub faults: Vec<String>,
}

/// Audits page by page, with no connection held while a page is checked. Ends at an unreadable page.
pub async fn audit<Row, Key>(
    ctx: &Context,
    what: &str,
    page: impl AsyncFn(&mut Conn, Option<Key>) -> Result<Vec<Row>>,
    key: impl Fn(&Row) -> Key,
    check: impl Fn(&[Row], &mut Findings),
) -> Result<Findings> {
    let (mut found, mut after) = (Findings::default(), None);
    loop {
        let mut conn = ctx.db.conn().await?;
        let rows = page(&mut conn, after).await;
        drop(conn);
        let Some(rows) = or_fault(rows, what, &mut found.faults)? else { return Ok(found) };
        let Some(last) = rows.last() else { return Ok(found) };
        after = Some(key(last));
        check(&rows, &mut found);
    }
}

/// Processes a list page by page, with no connection held between two pages: `each_due!(context, (conn, last) => read
/// the page behind last, item by its key => action for each)`.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn owners_take_turns() {
        let items = vec![('a', 1), ('a', 2), ('a', 3), ('b', 1), ('c', 1), ('b', 2)];
        let turns = in_turns(items, |(owner, _)| *owner);
        assert_eq!(turns, [('a', 1), ('b', 1), ('c', 1), ('a', 2), ('b', 2), ('a', 3)]);
    }

    proptest! {
        #[test]
        fn nobody_is_served_again_while_others_wait_longer(owners in prop::collection::vec(0_u8..6, 0..200)) {
            let items: Vec<(u8, usize)> = owners.iter().copied().zip(0..).collect();
            let turns = in_turns(items.clone(), |(owner, _)| *owner);
            let mut sorted = turns.clone();
            sorted.sort_by_key(|(_, place)| *place);
            prop_assert_eq!(sorted, items, "nothing is lost and nothing is added");
            for served in 0..=turns.len() {
                let (done, left) = turns.split_at(served);
                let count = |owner: u8| done.iter().filter(|(of, _)| *of == owner).count();
                for (owner, place) in left {
                    prop_assert!((0..6).all(|other| count(other) <= count(*owner) + 1));
                    prop_assert!(done.iter().all(|(of, before)| of != owner || before < place));
                }
            }
        }
    }

    #[test]
    fn only_a_database_that_is_away_ends_a_run() {
        for problem in crate::error::CATALOGUE.iter() {
            let passed = pass_over::<()>(Err(Error::plain(problem)), "one", "a test");
            assert_eq!(passed.is_err(), problem.kind == ProblemKind::Unavailable, "{}", problem.code);
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test of durations")]
    fn one_failure_of_one_thing_is_logged_once_a_minute() {
        let (mut said, now) = (Said::default(), Instant::now());
        let mut at = |what, id: &str, s| said.is_new(what, id.to_owned(), now + Duration::from_secs(s));
        assert!(at("late", "one", 0) && at("late", "two", 0) && at("lost", "one", 0));
        let again: Vec<bool> = [1, 30, 59, 60, 61].into_iter().map(|s| at("late", "one", s)).collect();
        assert_eq!(again, [false, false, false, true, false]);
        let many = (0..MOST + 5).filter(|n| at("late", &n.to_string(), 61)).count();
        assert!(many < MOST, "{many}");
        assert!(at("late", "later", 200));
    }
}
