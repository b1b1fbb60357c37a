//! An operator's check: every log is folded again, and compared with the head (for lists and the clock) and with the
//! results (for statistics).

use broadside_rules::{Entry, Time};

use super::match_state::MatchState;
use crate::due::or_fault;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::store::matches::StoredHead;
use crate::matches::{Matches, deadline, hand_over, pauses, results, store};

/// The number of ids per query.
const BATCH: i64 = 500;

/// The result of an audit.
#[derive(Default, Debug)]
pub struct Findings {
    /// The number of folded matches.
    pub matches: u64,
    /// The number of their entries.
    pub entries: u64,
    /// One line per fault.
    pub faults: Vec<String>,
}

/// Audits one match, or all of them.
pub async fn audit(matches: &Matches, only: Option<MatchId>) -> Result<Findings> {
    let mut findings = Findings::default();
    if let Some(id) = only {
        let done = one(matches, id, &mut findings).await;
        or_fault(done, id, &mut findings.faults)?;
        return Ok(findings);
    }
    let mut after = None;
    loop {
        let mut conn = matches.db.conn().await?;
        let ids = store::matches::ids_after(&mut conn, after, BATCH).await;
        drop(conn);
        let Some(ids) = or_fault(ids, "the matches", &mut findings.faults)? else { return Ok(findings) };
        let Some(last) = ids.last() else { return Ok(findings) };
        after = Some(*last);
        for id in ids {
            let done = one(matches, id, &mut findings).await;
            or_fault(done, id, &mut findings.faults)?;
        }
    }
}

async fn one(matches: &Matches, id: MatchId, findings: &mut Findings) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    // The head is read first. An entry written in between makes the log longer than the head, which is no fault.
    let Some((seq, head)) = store::matches::head(&mut conn, id).await? else {
        findings.faults.push(format!("{id}: there is no such match"));
        return Ok(());
    };
    let stored_results = store::results::of_match(&mut conn, id).await?;
    let are_due = store::results::is_due(&mut conn, id).await?;
    drop(conn);
    let stored = match matches.stored(id).await {
        Ok(stored) => stored.ok_or_else(Error::not_found)?,
        // A damaged or missing object must not block the audit of other matches.
        Err(error) => {
            let cause = error.cause().map_or_else(|| error.to_string(), ToString::to_string);
            findings.faults.push(format!("{id}: the log can't be read: {cause}"));
            return Ok(());
        }
    };
    findings.matches += 1;
    findings.entries += u64::from(seq);
    let times = stored.entries.iter().map(|bytes| Entry::from_bytes(bytes).map(|entry| entry.at));
    let times: Vec<Option<Time>> = times.map(std::result::Result::ok).collect();
    for (number, two) in (2..).zip(times.windows(2)) {
        if let [Some(before), Some(at)] = two
            && at < before
        {
            findings.faults.push(format!("{id}: the entry {number} is older than the one before it"));
        }
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
