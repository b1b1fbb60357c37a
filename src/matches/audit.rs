//! An operator's check: every log is folded again, and compared with the head that lists and the clock read, and with
//! the results that statistics read.

use super::match_state::MatchState;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::store::matches::StoredHead;
use crate::matches::{Matches, deadline, hand_over, pauses, results, store};

/// How many ids are read at a time.
const BATCH: i64 = 500;

/// What an audit found.
#[derive(Default, Debug)]
pub struct Findings {
    /// How many matches were folded.
    pub matches: u64,
    /// How many entries they have.
    pub entries: u64,
    /// What is wrong, one line for each fault.
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
    // The head is read first. An entry that is written in between makes the log longer than the head says; that is no
    // fault.
    let Some((seq, head)) = store::matches::head(&mut conn, id).await? else {
        findings.faults.push(format!("{id}: there is no such match"));
        return Ok(());
    };
    let stored_results = store::results::of_match(&mut conn, id).await?;
    let are_due = store::results::is_due(&mut conn, id).await?;
    drop(conn);
    let stored = match matches.stored(id).await {
        Ok(stored) => stored.ok_or_else(Error::not_found)?,
        // An object that is damaged or gone must not keep the other matches from being audited.
        Err(error) => {
            let cause = error.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
            findings.faults.push(format!("{id}: the log can't be read: {error}{cause}"));
            return Ok(());
        }
    };
    findings.matches += 1;
    findings.entries += u64::from(seq);
    if stored.entries.len() < seq as usize {
        findings.faults.push(format!("{id}: the log has {} entries, the head says {seq}", stored.entries.len()));
        return Ok(());
    }
    findings.faults.extend(hand_over::faults(&stored).into_iter().map(|fault| format!("{id}: {fault}")));
    match MatchState::fold(stored, seq as usize) {
        Err(error) => findings.faults.push(format!("{id}: the log can't be folded: {error}")),
        Ok(state) => {
            let folded = StoredHead::from(state.head());
            if folded != head {
                findings.faults.push(format!("{id}: the head is {head:?}, the log says {folded:?}"));
            }
            let folded = results::of(&state);
            if !folded.is_empty() && folded != stored_results && !are_due {
                findings.faults.push(format!("{id}: the results are {stored_results:?}, the log says {folded:?}"));
            }
            for fault in pauses::faults(matches, &state).await? {
                findings.faults.push(format!("{id}: {fault}"));
            }
            if deadline::has_ended(&state) && !deadline::is_as_judged(matches, id, seq as usize).await? {
                findings.faults.push(format!("{id}: the end at the deadline is not what the log before it gives"));
            }
        }
    }
    Ok(())
}
