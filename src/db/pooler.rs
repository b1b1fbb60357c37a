//! Finds out whether a connection pooler stands before the database that hands on single transactions.
//!
//! Behind such a pooler two sessions of this program share one process of the server, and one session gets now this
//! process and now that. Prepared statements, settings of a session and `LISTEN` can't work there, and would fail at
//! once and everywhere. So two sessions are opened that stay open, and ask in turns which process answers them.

use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use super::link::{Deadline, Links, within};
use crate::error::{Error, Result};

/// How long it may take where no deadline is set: a pooler may have room for one session only, and let the other wait.
const PATIENCE: Deadline = Deadline(Duration::from_secs(10));
/// How often each session asks. A pooler gives out the process that was given back last, or takes turns.
const ROUNDS: usize = 4;

impl Links {
    /// Whether two sessions of this database are not two processes of the server.
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

/// The number of the server's process. Asked without a prepared statement, which such a pooler could lose.
async fn process_of(session: &Client) -> Result<String> {
    let rows = session.simple_query("SELECT pg_backend_pid()").await.map_err(Error::unavailable)?;
    let found = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    found.ok_or_else(|| Error::unavailable("the database doesn't say which process answers"))
}

/// Whether two sessions that asked in turns were answered by one process, or one of them by two.
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
        // One process for both, as it is given back before the other asks.
        assert!(are_shared(&of(&[[7, 7], [7, 7]])));
        // In turns, or as others come and go.
        assert!(are_shared(&of(&[[7, 8], [9, 7]])));
        assert!(are_shared(&of(&[[7, 8], [7, 8], [7, 9]])));
    }
}
