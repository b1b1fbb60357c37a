//! The operator's audit of position ladders: replays every log of steps, and compares the result with the stored
//! places.

use broadside_contests::position_ladder::Positions;

use super::Step;
use crate::context::Context;
use crate::db::Conn;
use crate::due::{each_due, or_fault};
use crate::error::Result;
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;

/// Steps, ladders and members read at a time.
const AT_ONCE: i64 = 1000;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Ladders with places.
    pub ladders: u64,
    /// Replayed steps.
    pub steps: u64,
    /// One fault per line.
    pub faults: Vec<String>,
}

/// Replays every log of steps.
pub async fn all(ctx: &Context) -> Result<Findings> {
    let mut findings = Findings::default();
    each_due!(ctx, (conn, last) => store::positions::logged(conn, last, AT_ONCE), ladder by *ladder => {
        // A snapshot, because log and places must be from the same moment while the service runs.
        let mut snapshot = ctx.db.snapshot().await?;
        let done = one(&mut snapshot, ladder, &mut findings).await;
        if or_fault(done, format_args!("the ladder {ladder}"), &mut findings.faults)?.is_some() {
            snapshot.end().await?;
        }
    });
    Ok(findings)
}

async fn one(conn: &mut Conn, ladder: LadderId, findings: &mut Findings) -> Result<()> {
    findings.ladders += 1;
    let (mut positions, mut after) = (Positions::default(), 0);
    loop {
        let moves = store::positions::moves(conn, ladder, after, AT_ONCE).await?;
        if moves.is_incomplete() {
            findings.faults.push(format!("the ladder {ladder}: a step behind step {after} can't be read"));
            return Ok(());
        }
        for step in &moves.items {
            after += 1;
            findings.steps += 1;
            let follows = step.number == after && positions.take(&step.step).is_ok();
            if !follows {
                let Step { account, from, to } = step.step;
                let step = format!("step {} of {account} from {from:?} to {to:?}", step.number);
                findings.faults.push(format!("the ladder {ladder}: {step} doesn't follow from those before"));
                return Ok(());
            }
        }
        if moves.items.is_empty() {
            break;
        }
    }
    let (mut standing, mut first): (Vec<(u32, AccountId)>, u32) = (Vec::new(), 1);
    loop {
        let members = store::positions::between(conn, ladder, first, u32::MAX, AT_ONCE).await?;
        let Some(last) = members.last() else { break };
        first = last.member.place.saturating_add(1);
        standing.extend(members.iter().map(|listed| (listed.member.place, listed.player.id)));
    }
    let folded: Vec<(u32, AccountId)> = (1..).zip(positions.all().iter().copied()).collect();
    if standing != folded {
        findings.faults.push(format!("the ladder {ladder}: its places are not what its log of steps gives"));
    }
    Ok(())
}
