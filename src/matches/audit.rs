//! An operator's check: every log is folded again, and compared with what lists and the clock believe of its match.

use super::match_state::MatchState;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::Matches;
use crate::matches::store;
use crate::matches::store::matches::StoredHead;

/// How many matches are looked at between two looks at the list.
const BATCH: i64 = 500;

/// What an audit found.
#[derive(Default, Debug)]
pub struct Findings {
    /// How many matches were folded.
    pub matches: u64,
    /// How many entries they have.
    pub entries: u64,
    /// What is wrong, one line a fault.
    pub faults: Vec<String>,
}

/// Audits one match, or all of them.
pub async fn audit(matches: &Matches, only: Option<MatchId>) -> Result<Findings> {
    let mut findings = Findings::default();
    if let Some(id) = only {
        one(matches, id, &mut findings).await?;
        return Ok(findings);
    }
    let mut after = None;
    loop {
        let mut conn = matches.db.conn().await?;
        let ids = store::matches::ids_after(&mut conn, after, BATCH).await?;
        drop(conn);
        let Some(last) = ids.last() else { return Ok(findings) };
        after = Some(*last);
        for id in ids {
            one(matches, id, &mut findings).await?;
        }
    }
}

async fn one(matches: &Matches, id: MatchId, findings: &mut Findings) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    // The head first: a move that comes in between makes the log longer than the head says, which is no fault.
    let Some((seq, head)) = store::matches::head(&mut conn, id).await? else {
        findings.faults.push(format!("{id}: there is no such match"));
        return Ok(());
    };
    let stored = store::matches::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    drop(conn);
    findings.matches += 1;
    findings.entries += u64::from(seq);
    if stored.entries.len() < seq as usize {
        findings.faults.push(format!("{id}: the log has {} entries, the head says {seq}", stored.entries.len()));
        return Ok(());
    }
    match MatchState::fold(stored, seq as usize, matches) {
        Err(error) => findings.faults.push(format!("{id}: the log can't be folded: {error}")),
        Ok(state) => {
            let folded = StoredHead::from(state.head());
            if folded != head {
                findings.faults.push(format!("{id}: the head is {head:?}, the log says {folded:?}"));
            }
        }
    }
    Ok(())
}
