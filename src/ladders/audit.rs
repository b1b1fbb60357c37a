//! The operator's audit of ladders: recomputes the standings of every season from its pairings, and the number of
//! meetings of members in the current season.

use std::collections::BTreeMap;

use broadside_contests::ranking::{Tally, gains};

use super::{Ladder, LadderFormat};
use crate::context::Context;
use crate::db::Conn;
use crate::due::{each_due, or_fault};
use crate::error::Result;
use crate::ids::AccountId;
use crate::ladders::standings::LadderStanding;
use crate::ladders::store;
use crate::matches::Contest;
use crate::pairings::{self, PairingFilter};

/// Rows read at a time.
const AT_ONCE: i64 = 1000;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StandingsFindings {
    pub ladders: u64,
    pub seasons: u64,
    pub pairings: u64,
    /// One fault per line.
    pub faults: Vec<String>,
}

/// The sums over a season's pairings.
#[derive(Default)]
struct Season {
    tallies: BTreeMap<AccountId, Tally>,
    meetings: BTreeMap<(AccountId, AccountId), u32>,
}

/// Recomputes the standings of every season of every ladder.
pub async fn all(ctx: &Context) -> Result<StandingsFindings> {
    let mut findings = StandingsFindings::default();
    each_due!(ctx, (conn, last) => store::ladders::all(conn, last, AT_ONCE), id by *id => {
        // A snapshot, because pairings and standings must be from the same moment while the service runs.
        let mut snapshot = ctx.db.snapshot().await?;
        let done = async {
            match store::ladders::find(&mut snapshot, id).await? {
                Some(ladder) => one(&mut snapshot, &ladder, &mut findings).await,
                None => Ok(()),
            }
        };
        let done = done.await;
        if or_fault(done, format_args!("the ladder {id}"), &mut findings.faults)?.is_some() {
            snapshot.end().await?;
        }
    });
    Ok(findings)
}

async fn one(conn: &mut Conn, ladder: &Ladder, findings: &mut StandingsFindings) -> Result<()> {
    findings.ladders += 1;
    for number in 1..=ladder.season.number {
        findings.seasons += 1;
        let played = played(conn, ladder, number, findings).await?;
        let stored = store::standings::of_season(conn, ladder.id, number).await?;
        let wrong = |name: String| format!("the ladder {}, season {number}: {name}", ladder.id);
        let standings: BTreeMap<AccountId, &LadderStanding> =
            stored.iter().map(|standing| (standing.player.id, standing)).collect();
        for (account, tally) in &played.tallies {
            let own = standings.get(account);
            if own.is_none_or(|own| !fits(ladder, own, tally)) {
                findings.faults.push(wrong(format!("the standing of {account} isn't what their pairings give")));
            }
        }
        let idle = stored.iter().filter(|standing| !played.tallies.contains_key(&standing.player.id));
        for standing in idle.filter(|standing| !fits(ladder, standing, &Tally::default())) {
            findings.faults.push(wrong(format!("{} has a result without a pairing", standing.player.id)));
        }
        if ladder.terms.form.kind() == LadderFormat::Rating && !are_in_order(&stored) {
            findings.faults.push(wrong("the final ranks aren't in the order of the scores".to_owned()));
        }
        if number == ladder.season.number {
            let stored = store::meetings::of_season(conn, ladder).await?;
            let stored: BTreeMap<_, _> = stored.into_iter().map(|(low, high, count)| ((low, high), count)).collect();
            if stored != played.meetings {
                findings.faults.push(wrong("how often members have met isn't what the pairings give".to_owned()));
            }
        }
    }
    Ok(())
}

/// True if a standing equals this tally, ranked by the ladder's rule.
fn fits(ladder: &Ladder, standing: &LadderStanding, tally: &Tally) -> bool {
    let rule = ladder.terms.ranking;
    standing.tally == *tally && standing.score == tally.score(rule) && standing.tie_break == tally.tie_break(rule)
}

/// True if the final ranks of each list count from 1 in the order of the standings. A current season has none.
fn are_in_order(stored: &[LadderStanding]) -> bool {
    let mut ranked: Vec<&LadderStanding> = stored.iter().filter(|standing| standing.final_rank.is_some()).collect();
    ranked.sort_by_key(|one| {
        let list = (one.section, one.division);
        (list, u64::MAX - one.score, one.tie_break, u32::MAX - one.tally.won, one.since, one.player.id)
    });
    let lists = ranked.chunk_by(|one, next| (one.section, one.division) == (next.section, next.division));
    lists.flat_map(|list| (1..).zip(list)).all(|(rank, standing)| standing.final_rank == Some(rank))
}

/// Sums up the pairings that count for a season.
async fn played(conn: &mut Conn, ladder: &Ladder, season: u32, findings: &mut StandingsFindings) -> Result<Season> {
    let mut found = Season::default();
    let mut filter = PairingFilter { season: Some(season), ..PairingFilter::default() };
    loop {
        let page = pairings::of_contest(conn, Contest::Ladder(ladder.id), filter, AT_ONCE).await?.whole()?;
        let Some(last) = page.last() else { return Ok(found) };
        filter.before = Some(last.id);
        for pairing in &page {
            findings.pairings += 1;
            let half_points = pairing.half_points().unwrap_or_default();
            for (player, gain) in pairing.players.iter().zip(gains(&half_points, pairing.games_played())) {
                found.tallies.entry(player.id).or_default().add(&gain, ladder.terms.ranking);
            }
            for (at, one) in pairing.players.iter().enumerate() {
                for other in pairing.players.iter().skip(at + 1) {
                    *found.meetings.entry((one.id.min(other.id), one.id.max(other.id))).or_default() += 1;
                }
            }
        }
    }
}
