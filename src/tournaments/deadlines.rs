//! The automatic effects of round deadlines: players are warned beforehand, and unfinished games end according to the
//! terms. A deadline is first moved by preceding down times of the service, so that players don't lose a game in which
//! they could not play, and by pauses of the tournament.
//!
//! A deadline is changed under the lock of the tournament. The transaction that ends a game takes this lock as well,
//! and checks the deadline again, because an organizer may have just moved it.

use std::collections::BTreeMap;

use broadside_rules::{Deadline, DownTime, Time};
use futures_util::future::BoxFuture;

use super::round_time::RoundTime;
use super::store::deadlines::BoardDeadline;
use super::{Tournament, TournamentStatus};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::due::{each_due, pass_over};
use crate::error::{Error, ProblemKind, Result, problem};
use crate::events::kinds::RoundDeadlineNearEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, TournamentId};
use crate::matches::{Contest, Matches, deadline, pauses};
use crate::tournaments::store;
use crate::{heartbeat, pairings};

/// Rows read at a time.
const AT_MOST: i64 = 100;
/// Most down times counted in one deadline.
const MOST_DOWN_TIMES: i64 = 1000;

/// Does all due work. A node that doesn't know the down times leaves it to others.
pub(super) async fn run(matches: &Matches) -> Result<()> {
    let Ok(down) = matches.heartbeat.down_times() else { return Ok(()) };
    let now = matches.clock.now();
    each_due!(matches, (conn, last) => store::deadlines::to_watch(conn, now, down.number, last, AT_MOST), id by *id => {
        pass_over(watch(matches, id, down.number).await, id, "the deadlines of a tournament could not be looked at")?;
    });
    Ok(())
}

async fn watch(matches: &Matches, id: TournamentId, newest: i64) -> Result<()> {
    let mut tx = matches.db.begin().await?;
    let Some(tournament) = store::tournaments::lock(&mut tx, id).await? else { return Err(Error::not_found()) };
    // A canceled tournament ends no games: they are played on.
    let Some(round) = tournament.terms.round_time().filter(|_| tournament.status == TournamentStatus::Running) else {
        store::deadlines::close_all(&mut tx, id).await?;
        return tx.commit().await;
    };
    let now = matches.clock.now();
    let mut all = store::deadlines::open(&mut tx, id).await?;
    move_by_down_times(&mut tx, &tournament, round, &mut all, newest).await?;
    let told = warn(&mut tx, &tournament, &mut all, now).await?;
    let (due, rule) = (all.into_iter().filter(|board| board.due_at <= now), round.then.rule());
    let mut ending = Vec::new();
    for board in due {
        match rule {
            Some(rule) => ending.push((board, rule)),
            None => store::deadlines::save(&mut tx, id, &board, false).await?,
        }
    }
    events::notify(&mut tx, matches, told).await?;
    tx.commit().await?;
    for (board, rule) in ending {
        end(matches, id, &board, Deadline { due_at: board.due_at, rule }).await?;
    }
    Ok(())
}

/// Moves the deadlines that follow down times of the service.
async fn move_by_down_times(
    tx: &mut Tx,
    tournament: &Tournament,
    round: RoundTime,
    all: &mut [BoardDeadline],
    newest: i64,
) -> Result<()> {
    let unchecked = || all.iter().filter(|board| board.checked < newest);
    let Some(since) = unchecked().map(|board| board.from).min() else { return Ok(()) };
    let still = stillness(tx, tournament.id, since).await?;
    for board in all.iter_mut().filter(|board| board.checked < newest) {
        board.due_at = round.due_at(board.from, board.extra_s, &still);
        board.warn_at = board.warn_at.map(|_| round.warn_at(board.due_at));
        board.checked = newest;
        store::deadlines::save(tx, tournament.id, board, true).await?;
    }
    Ok(())
}

/// Recomputes the deadlines of a locked tournament that is paused, or whose pause has just ended.
pub(super) async fn anew(tx: &mut Tx, tournament: &Tournament) -> Result<()> {
    let Some(round) = tournament.terms.round_time() else { return Ok(()) };
    let mut all = store::deadlines::open(tx, tournament.id).await?;
    let Some(since) = all.iter().map(|board| board.from).min() else { return Ok(()) };
    let still = stillness(tx, tournament.id, since).await?;
    for board in &mut all {
        board.due_at = round.due_at(board.from, board.extra_s, &still);
        board.warn_at = board.warn_at.map(|_| round.warn_at(board.due_at));
        store::deadlines::save(tx, tournament.id, board, true).await?;
    }
    Ok(())
}

/// The spans since a time in which no round time ran: down times of the service, and pauses of the tournament.
pub(super) async fn stillness(conn: &mut Conn, id: TournamentId, since: Time) -> Result<Vec<DownTime>> {
    let stored = heartbeat::store::after(conn, 0, since, MOST_DOWN_TIMES).await?;
    let paused = pauses::of(conn, Contest::Tournament(id), since).await?;
    let paused = paused.into_iter().map(|pause| DownTime { from: pause.from, until: pause.until });
    Ok(stored.into_iter().map(|down| down.span).chain(paused).collect())
}

/// A player's warning of near deadlines: the first of them, and the number of their running games.
struct Warning {
    round: u16,
    due_at: Time,
    unfinished: u16,
}

/// Warns the players of running games, once, that their deadline is near.
async fn warn(tx: &mut Tx, tournament: &Tournament, all: &mut [BoardDeadline], now: Time) -> Result<Vec<Notification>> {
    let mut warnings: BTreeMap<AccountId, Warning> = BTreeMap::new();
    for board in all.iter_mut().filter(|board| board.warn_at.is_some_and(|at| at <= now)) {
        let Some(id) = board.pairing else { continue };
        board.warn_at = None;
        store::deadlines::save(tx, tournament.id, board, true).await?;
        let pairing = pairings::find(tx, id).await?.filter(|_| now < board.due_at);
        for pairing in pairing.iter() {
            let unfinished = pairing.games.iter().filter(|game| !game.over).count();
            let unfinished = u16::try_from(unfinished).unwrap_or(u16::MAX);
            for player in pairing.players.iter().filter(|_| unfinished > 0) {
                let of_player = warnings.entry(player.id).or_insert(Warning {
                    round: board.round,
                    due_at: board.due_at,
                    unfinished: 0,
                });
                of_player.due_at = of_player.due_at.min(board.due_at);
                of_player.unfinished = of_player.unfinished.saturating_add(unfinished);
            }
        }
    }
    let mut told = Vec::new();
    for (account, Warning { round, due_at, unfinished }) in warnings {
        let event = RoundDeadlineNearEvent::at(now, tournament.id, round, due_at, unfinished).into();
        told.extend(events::notification(account, &[event])?);
    }
    Ok(told)
}

/// Ends the running games of a board. Whatever prevents one, the next round of the job tries again.
async fn end(matches: &Matches, id: TournamentId, board: &BoardDeadline, deadline: Deadline) -> Result<()> {
    let Some(pairing) = board.pairing else { return Ok(()) };
    let mut conn = matches.db.conn().await?;
    let games = pairings::find(&mut conn, pairing).await?.map(|pairing| pairing.games).unwrap_or_default();
    drop(conn);
    for game in games.iter().filter(|game| !game.over) {
        match deadline::end(matches, game.match_id, deadline, &Watched { ctx: matches, id, board }).await {
            Err(error) if error.problem().kind == ProblemKind::Conflict => return Ok(()),
            done => {
                let what = "a game could not be ended at its deadline";
                if pass_over(done, game.match_id, what)?.is_none() {
                    return Ok(());
                }
            }
        }
    }
    let mut tx = matches.db.begin().await?;
    store::tournaments::lock(&mut tx, id).await?;
    if store::deadlines::open(&mut tx, id).await?.iter().any(|now| is_same(now, board)) {
        store::deadlines::save(&mut tx, id, board, false).await?;
    }
    tx.commit().await
}

/// A deadline, as read before its games are ended.
struct Watched<'a> {
    ctx: &'a Context,
    id: TournamentId,
    board: &'a BoardDeadline,
}

impl deadline::StillDue for Watched<'_> {
    /// Fails with `concurrent-action` if the deadline has been moved, or the tournament isn't running any more.
    fn check<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let tournament = store::tournaments::lock(tx, self.id).await?;
            let running = tournament.is_some_and(|tournament| tournament.status == TournamentStatus::Running);
            let same = store::deadlines::open(tx, self.id).await?.iter().any(|now| is_same(now, self.board));
            if running && same && self.board.due_at <= self.ctx.clock.now() {
                return Ok(());
            }
            Err(Error::plain(&problem::CONCURRENT_ACTION))
        })
    }
}

fn is_same(now: &BoardDeadline, board: &BoardDeadline) -> bool {
    (now.round, now.board, now.due_at) == (board.round, board.board, board.due_at)
}
