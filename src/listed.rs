//! Lists in which an unreadable row hides no other row: it is left out, its id is logged, and the response says that
//! something is missing.
//!
//! A row is unreadable if it is damaged, or has a value known only to a newer version.

use std::fmt::Display;

use crate::due::log_seldom;
use crate::error::{Error, ProblemKind, Result};

/// The readable rows of a list, in order.
pub struct Listed<T> {
    /// The readable rows.
    pub items: Vec<T>,
    left_out: Vec<LeftOut>,
}

/// An unreadable row.
struct LeftOut {
    /// Its index among all rows of the list.
    index: usize,
    /// The cursor after it.
    cursor: String,
}

pub struct FirstRows<T> {
    /// The readable rows.
    pub items: Vec<T>,
    /// The cursor after the last row; `None` if there are no more rows.
    pub next_cursor: Option<String>,
    /// True if a row was left out.
    pub incomplete: bool,
}

impl<T> Listed<T> {
    /// The readable rows of results that each have the cursor after their row, which is also logged as the row's id.
    /// Errors that don't concern a single row, such as an unreachable database, are returned.
    pub fn of<K: Display>(what: &'static str, rows: impl IntoIterator<Item = (K, Result<T>)>) -> Result<Self> {
        Listed::from(rows.into_iter().collect::<Vec<_>>()).readable(what)
    }

    /// Converts each row.
    pub fn map<U>(self, body: impl FnMut(T) -> U) -> Listed<U> {
        Listed { items: self.items.into_iter().map(body).collect(), left_out: self.left_out }
    }

    /// The readable rows; sets `incomplete` if there are others.
    pub fn note(self, incomplete: &mut bool) -> Vec<T> {
        *incomplete |= self.is_incomplete();
        self.items
    }

    /// All rows, for decisions that must not be based on a part of them. Fails if a row is unreadable.
    pub fn whole(self) -> Result<Vec<T>> {
        if self.is_incomplete() { Err(Error::internal("a row that is needed can't be read")) } else { Ok(self.items) }
    }

    pub fn is_incomplete(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// At most `limit` rows, including unreadable ones, with the cursor after the last of them.
    pub fn first(mut self, limit: usize, cursor: impl Fn(&T) -> String) -> FirstRows<T> {
        let has_more = self.items.len() + self.left_out.len() > limit;
        self.left_out.retain(|left_out| left_out.index < limit);
        self.items.truncate(limit.saturating_sub(self.left_out.len()));
        let next_cursor = match self.left_out.last() {
            _ if !has_more => None,
            Some(last) if last.index + 1 == limit => Some(last.cursor.clone()),
            _ => self.items.last().map(cursor),
        };
        FirstRows { incomplete: self.is_incomplete(), items: self.items, next_cursor }
    }
}

impl<K: Display, T> Listed<(K, Result<T>)> {
    /// The rows readable to the end: like [`Listed::of`], for a list that already lacks rows.
    pub fn readable(self, what: &'static str) -> Result<Listed<T>> {
        let mut listed = Listed::from(Vec::with_capacity(self.items.len()));
        let mut before = self.left_out.into_iter().peekable();
        for (key, row) in self.items {
            let index = |listed: &Listed<T>| listed.items.len() + listed.left_out.len();
            while let Some(left_out) = before.next_if(|left_out| left_out.index == index(&listed)) {
                listed.left_out.push(left_out);
            }
            match readable(what, &key, row)? {
                Some(row) => listed.items.push(row),
                None => listed.left_out.push(LeftOut { index: index(&listed), cursor: key.to_string() }),
            }
        }
        listed.left_out.extend(before);
        Ok(listed)
    }
}

impl<T> From<Vec<T>> for Listed<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, left_out: Vec::new() }
    }
}

/// The row; `None` if it is unreadable, which is logged once a minute. Errors that don't concern the row are returned.
pub fn readable<T>(what: &'static str, id: impl Display, row: Result<T>) -> Result<Option<T>> {
    match row {
        Err(error) if is_of_the_row(&error) => {
            log_seldom(&error, id, what);
            Ok(None)
        }
        row => row.map(Some),
    }
}

/// True if a retry would fail in the same way, and other rows may be readable.
fn is_of_the_row(error: &Error) -> bool {
    error.problem().kind == ProblemKind::Internal
}

/// The row of a result with at most one.
pub fn only<K, T>(mut rows: Vec<(K, Result<T>)>) -> Result<Option<T>> {
    rows.pop().map(|(_, row)| row).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list in which the rows at these indexes are unreadable; each row is its index.
    fn listed(rows: usize, damaged: &[usize]) -> Listed<usize> {
        let read = |row: usize| if damaged.contains(&row) { Err(Error::internal("damaged")) } else { Ok(row) };
        Listed::of("a row of a test", (0..rows).map(|row| (row, read(row)))).unwrap()
    }

    #[test]
    fn pages_show_every_readable_row_once_wherever_the_others_are() {
        for damaged in 0..1_usize << 6 {
            let damaged: Vec<usize> = (0..6).filter(|row| damaged >> row & 1 == 1).collect();
            for limit in 1..=7 {
                let (mut seen, mut from, mut incomplete) = (Vec::new(), 0, false);
                loop {
                    let rest: Vec<usize> = damaged.iter().filter_map(|row| row.checked_sub(from)).collect();
                    let found = listed((6 - from).min(limit + 1), &rest).map(|row| row + from);
                    let keys = |row: &usize| row.to_string();
                    let FirstRows { items, next_cursor, incomplete: here } = found.first(limit, keys);
                    assert!(items.len() <= limit);
                    seen.extend(items);
                    incomplete |= here;
                    let Some(next) = next_cursor else { break };
                    // A row left out has the cursor of its row in this reading, a read one has its own.
                    let next: usize = next.parse().unwrap();
                    let last = from + limit - 1;
                    from = if damaged.contains(&last) { from + next + 1 } else { next + 1 };
                    assert_eq!(from, last + 1);
                }
                let readable: Vec<usize> = (0..6).filter(|row| !damaged.contains(row)).collect();
                assert_eq!((seen, incomplete), (readable, !damaged.is_empty()), "{damaged:?} by {limit}");
            }
        }
    }

    #[test]
    fn an_error_that_is_not_of_the_row_ends_the_list() {
        let rows = [(1, Ok(1)), (2, Err(Error::unavailable("the database is gone")))];
        assert!(Listed::of("a row of a test", rows).is_err());
    }
}
