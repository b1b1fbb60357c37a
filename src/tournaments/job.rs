//! The job of tournaments: counts results, moves to the next round, opens matches, and starts tournaments.
//!
//! Every step is its own transaction under the tournament's lock, so nodes working at the same time do each step once,
//! and a killed node leaves the rest to the others. A failure delays nothing else.

use super::{Tournament, boards, deadlines, entry, pause, rounds};
use crate::context::Context;
use crate::db::Tx;
use crate::due::{each_due, pass_over};
use crate::error::{Error, Result};
use crate::events::{self, Notification};
use crate::ids::TournamentId;
use crate::matches::Matches;
use crate::pairings;
use crate::tournaments::store;

/// Rows read at a time.
const AT_MOST: i64 = 100;
/// The reason for canceling a tournament that was due to start.
const TOO_FEW: &str = "Too few players had joined when it was to start.";

/// Does all due work. A large round is opened some boards at a time, with tournaments taking turns, so that none waits
/// for another.
pub async fn run(matches: &Matches) -> Result<()> {
    pause::end_due(matches).await?;
    deadlines::run(matches).await?;
    loop {
        settle_all(matches).await?;
        begin_all(matches).await?;
        advance_all(matches).await?;
        if !open_some_of_each(matches).await? {
            return Ok(());
        }
    }
}

async fn settle_all(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => pairings::due(conn, "tournament", last, AT_MOST), due by due.0 => {
        let (pairing, contest) = due;
        let done = boards::settle(ctx, TournamentId(contest.id()), pairing).await;
        pass_over(done, pairing, "a board of a tournament could not be settled")?;
    });
    Ok(())
}

async fn begin_all(ctx: &Context) -> Result<()> {
    let now = ctx.clock.now();
    each_due!(ctx, (conn, last) => store::tournaments::to_begin(conn, now, last, AT_MOST), id by *id => {
        pass_over(step(ctx, id, Step::Begin).await, id, "a tournament could not be started")?;
    });
    Ok(())
}

async fn advance_all(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => store::tournaments::to_advance(conn, last, AT_MOST), id by *id => {
        pass_over(step(ctx, id, Step::Advance).await, id, "a tournament could not go on")?;
    });
    Ok(())
}

/// Opens some boards of each waiting tournament; returns false if there is nothing more to do.
async fn open_some_of_each(matches: &Matches) -> Result<bool> {
    let mut more = false;
    each_due!(matches, (conn, last) => store::boards::waiting(conn, last, AT_MOST), id by *id => {
        let opened = boards::open_some(matches, id).await;
        more |= pass_over(opened, id, "boards of a tournament could not be opened")?.unwrap_or(false);
    });
    Ok(more)
}

#[derive(Clone, Copy)]
enum Step {
    Begin,
    Advance,
}

async fn step(ctx: &Context, id: TournamentId, step: Step) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let Some(mut tournament) = store::tournaments::lock(&mut tx, id).await? else { return Err(Error::not_found()) };
    if tournament.pause.is_some() {
        return tx.roll_back().await;
    }
    let told = match step {
        Step::Begin => begin(&mut tx, ctx, &mut tournament).await?,
        Step::Advance => rounds::advance(&mut tx, ctx, &mut tournament).await?,
    };
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await
}

/// Starts a due tournament, or cancels it.
async fn begin(tx: &mut Tx, ctx: &Context, tournament: &mut Tournament) -> Result<Vec<Notification>> {
    if tournament.status != super::TournamentStatus::Open || tournament.begins_at > ctx.clock.now() {
        return Ok(Vec::new());
    }
    match rounds::begin(tx, ctx, tournament).await? {
        Some(told) => {
            store::tournaments::save(tx, tournament).await?;
            Ok(told)
        }
        // It was due only because it was full, and a player turned out to be ineligible: their place is free again.
        None if entry::planned(tournament) > ctx.clock.now() => {
            tournament.begins_at = entry::planned(tournament);
            store::tournaments::save(tx, tournament).await?;
            Ok(Vec::new())
        }
        None => entry::call_off(tx, ctx, tournament, TOO_FEW).await,
    }
}
