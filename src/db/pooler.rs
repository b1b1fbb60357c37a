//! Detects a connection pooler that shares database sessions between transactions.
//!
//! Behind such a pooler two sessions of this program share one server process, and one session's process varies.
//! Prepared statements, session settings and `LISTEN` can't work there, and would fail everywhere at once. So two
//! sessions are kept open, and asked in turns for their server process.

use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use super::link::{Deadline, Links, within};
use crate::error::{Error, Result};

/// The time limit if no deadline is set: a pooler may have room for one session only, and block the other.
const PATIENCE: Deadline = Deadline(Duration::from_secs(10));
/// The number of questions per session. A pooler reuses the last returned process, or rotates.
const ROUNDS: usize = 4;

impl Links {
    /// True if two sessions of this database don't have a server process each.
    pub async fn shares_sessions(&self) -> Result<bool> {
        let asked = async {
            let sessions = [self.session().await?, self.session().await?];
            let mut answers = Vec::new();
            for _ in 0..ROUNDS {
                answers.push([process_of(&sessions[0]).await?, process_of(&sessions[1]).await?]);
            }
            Ok(are_shared(&answers))
        };
        Box::pin(within(self.deadline().or(Some(PATIENCE)), asked)).await
    }
}

/// The number of the server process. Doesn't use a prepared statement, which such a pooler could lose.
async fn process_of(session: &Client) -> Result<String> {
    let rows = session.simple_query("SELECT pg_backend_pid()").await.map_err(Error::unavailable)?;
    let found = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    found.ok_or_else(|| Error::unavailable("the database doesn't say which process answers"))
}

/// True if two alternating sessions got the same process, or one of them got two.
fn are_shared(answers: &[[String; 2]]) -> bool {
    let Some([first, second]) = answers.first() else { return false };
    first == second || answers.iter().any(|[one, other]| one != first || other != second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_their_own_are_answered_by_the_same_process_each_time() {
        let of =
            |pids: &[[u32; 2]]| -> Vec<[String; 2]> { pids.iter().map(|pair| pair.map(|p| p.to_string())).collect() };
        assert!(!are_shared(&of(&[[7, 8], [7, 8], [7, 8]])));
        // One process for both, because it is returned before the other session asks.
        assert!(are_shared(&of(&[[7, 7], [7, 7]])));
        // Rotation, or other clients.
        assert!(are_shared(&of(&[[7, 8], [9, 7]])));
        assert!(are_shared(&of(&[[7, 8], [7, 8], [7, 9]])));
    }
}
