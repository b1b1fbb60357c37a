//! Opening of matches for boards, and counting of their results.
//!
//! Opening locks accounts, which come before tournaments; so the players are read first, and changes made meanwhile are
//! found under the lock and left to the next step.

use broadside_contests::BoardState;
use broadside_rules::Time;
use broadside_rules::outcome::Reason;

use super::terms::MAX_MISSED;
use super::{Board, Entrant, Tournament, TournamentStatus, WithdrawalReason, rounds, tables, ties};
use crate::accounts::account;
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::events::kinds::TournamentBoardMissedEvent;
use crate::events::{self, AccountEvent, Notification};
use crate::ids::{AccountId, MatchId, PairingId, TournamentId};
use crate::matches::open::MatchSettings;
use crate::matches::{Contest, Matches, queries};
use crate::pairings::{self, NewPairing, Pairing};
use crate::player::Player;
use crate::tournaments::store;

/// Boards opened by one transaction.
const AT_ONCE: i64 = 8;

/// Opens the matches of some waiting boards; returns false if there is nothing more to do now.
pub(super) async fn open_some(matches: &Matches, id: TournamentId) -> Result<bool> {
    let mut conn = matches.db.conn().await?;
    let entrants = store::players::all(&mut conn, id).await?;
    let some = store::boards::first_waiting(&mut conn, id, AT_ONCE).await?;
    drop(conn);
    let at = |number: u16| super::account_of(&entrants, number);
    let mut accounts: Vec<AccountId> = some.iter().flat_map(Board::players).filter_map(at).collect();
    accounts.sort_unstable();
    accounts.dedup();
    if accounts.is_empty() {
        return Ok(false);
    }
    let mut tx = matches.db.begin().await?;
    let there = account::lock_all_active(&mut tx, matches, &accounts).await?;
    let Some(mut tournament) = store::tournaments::lock(&mut tx, id).await? else { return Err(Error::not_found()) };
    if tournament.status != TournamentStatus::Running || tournament.pause.is_some() {
        tx.roll_back().await?;
        return Ok(false);
    }
    let mut entrants = store::players::all(&mut tx, id).await?;
    let mut told = Vec::new();
    // Deleted accounts have been withdrawn with their deletion.
    let playing = entrants.iter().filter(|entrant| entrant.withdrawn.is_none()).map(|entrant| entrant.player.id);
    let is_barred = |account: &AccountId| accounts.contains(account) && !there.iter().any(|one| one.id == *account);
    let barred: Vec<AccountId> = playing.filter(is_barred).collect();
    if !barred.is_empty() {
        told.extend(
            rounds::withdraw(
                &mut tx,
                matches,
                &mut tournament,
                &mut entrants,
                &barred,
                WithdrawalReason::AccountSuspended,
            )
            .await?,
        );
    }
    if let Some(round) = tournament.terms.round_time() {
        // Down times unknown to this node are counted by the job that watches.
        let checked = matches.heartbeat.down_times().map_or(0, |down| down.number);
        store::deadlines::begin(&mut tx, id, round, matches.clock.now(), checked).await?;
    }
    let waiting = store::boards::first_waiting(&mut tx, id, AT_ONCE).await?;
    // Boards that have vanished were handled by another node, or ended without play: there may be more to do.
    let mut done = waiting != some;
    let gone = rounds::gone(&entrants);
    for mut board in waiting {
        let player = |number: u16| {
            let account = super::account_of(&entrants, number)?;
            there.iter().find(|player| player.id == account).cloned()
        };
        // The remaining players of a table play without those who are gone; a board of two was then won without play.
        let sitting = board.players().into_iter().filter(|number| !gone(*number));
        let players = sitting.map(player).collect::<Option<Vec<Player>>>();
        let Some(players) = players.filter(|players| players.len() > 1) else { continue };
        told.extend(open_board(&mut tx, matches, &tournament, &mut board, players).await?);
        done = true;
    }
    store::tournaments::save(&mut tx, &tournament).await?;
    events::notify(&mut tx, matches, told).await?;
    tx.commit().await?;
    Ok(done)
}

async fn open_board(
    tx: &mut Tx,
    matches: &Matches,
    tournament: &Tournament,
    board: &mut Board,
    players: Vec<Player>,
) -> Result<Vec<Notification>> {
    let meeting = NewPairing {
        contest: Contest::Tournament(tournament.id),
        terms: MatchSettings {
            seats: u8::try_from(players.len()).unwrap_or(u8::MAX),
            ..tournament.terms.agreed.clone()
        },
        paired: tournament.terms.paired,
        players,
    };
    let opened = pairings::open(tx, matches, meeting).await?;
    board.pairing = Some(opened.id);
    board.state = BoardState::Running;
    store::boards::save(tx, tournament.id, board).await?;
    Ok(opened.told)
}

/// Counts the result of a pairing whose matches are all over. Doing it twice, or on two nodes at once, counts it once.
pub(super) async fn settle(ctx: &Context, id: TournamentId, pairing: PairingId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let Some(mut tournament) = store::tournaments::lock(&mut tx, id).await? else { return Err(Error::not_found()) };
    let Some(ended) = pairings::lock_ended(&mut tx, pairing).await? else { return tx.roll_back().await };
    let found = store::boards::of_pairing(&mut tx, pairing).await?;
    let mut board = found.ok_or_else(|| Error::internal(format!("no board has the pairing {pairing}")))?;
    let now = ctx.clock.now();
    let mut entrants = store::players::all(&mut tx, id).await?;
    if board.table.is_empty() {
        board.halves = halves(&ended);
    } else {
        board.places = tables::places(&board, &entrants, &ended);
    }
    board.state = BoardState::Finished;
    board.over_at = Some(now);
    store::boards::save(&mut tx, id, &board).await?;
    let mut told = Vec::new();
    if tournament.status == TournamentStatus::Running {
        tournament.games_left = tournament.games_left.saturating_sub(1);
        let games: Vec<MatchId> = ended.games.iter().map(|game| game.match_id).collect();
        let at_fault = queries::at_fault(&mut tx, &games).await?;
        let former = queries::former_players(&mut tx, &games).await?;
        let out = count_missed(&mut entrants, &board, &ended, &at_fault, &former);
        for entrant in entrants.iter().filter(|entrant| entrant.number.is_some_and(|number| board.seats(number))) {
            store::players::save(&mut tx, id, entrant).await?;
        }
        told = warnings(&tournament, &entrants, &board, now)?;
        if !out.is_empty() {
            let withdrawn =
                rounds::withdraw(&mut tx, ctx, &mut tournament, &mut entrants, &out, WithdrawalReason::TimedOut);
            told.extend(withdrawn.await?);
        }
        if tournament.is_in_knockout() {
            ties::go_on(&mut tx, &mut tournament, &entrants, &board, now).await?;
        }
        store::tournaments::save(&mut tx, &tournament).await?;
    }
    pairings::settle(&mut tx, pairing, now, None).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await
}

/// The warnings for players who have missed this board, and are withdrawn if they miss another one.
fn warnings(tournament: &Tournament, entrants: &[Entrant], board: &Board, now: Time) -> Result<Vec<Notification>> {
    let at_board = |entrant: &&Entrant| entrant.number.is_some_and(|number| board.seats(number));
    let warned = entrants
        .iter()
        .filter(at_board)
        .filter(|entrant| (1..MAX_MISSED).contains(&entrant.missed) && entrant.withdrawn.is_none());
    let mut told = Vec::new();
    for entrant in warned {
        let event: AccountEvent = TournamentBoardMissedEvent::at(now, tournament.id, board.round).into();
        told.extend(events::notification(entrant.player.id, &[event])?);
    }
    Ok(told)
}

/// The half points of a board's two players: paired games are won by the player with more points. `None` if everything
/// was aborted.
fn halves(ended: &Pairing) -> Option<[u8; 2]> {
    let points = ended.half_points()?;
    let [first, second] = points.as_slice() else { return None };
    Some(match first.cmp(second) {
        std::cmp::Ordering::Greater => [2, 0],
        std::cmp::Ordering::Equal => [1, 1],
        std::cmp::Ordering::Less => [0, 2],
    })
}

/// Counts the players who have missed the board, and returns those who have done so too often in a row. A game is
/// missed by the player who lost it on time or at the deadline of a round, and by both if it was aborted because
/// neither came; of paired games both must be. For tables: [`tables::has_missed`]. A player with a substitute has
/// missed the board if its time-out is their fault, and else has neither missed nor played it.
fn count_missed(
    entrants: &mut [Entrant],
    board: &Board,
    ended: &Pairing,
    at_fault: &[AccountId],
    former: &[AccountId],
) -> Vec<AccountId> {
    let mut out = Vec::new();
    for entrant in entrants.iter_mut().filter(|entrant| entrant.number.is_some_and(|number| board.seats(number))) {
        let Some(seat) = ended.players.iter().position(|player| player.id == entrant.player.id) else { continue };
        let lost = |game: &pairings::Game| {
            game.result.as_ref().is_none_or(|result| {
                matches!(result.reason, Reason::Time | Reason::Deadline)
                    && result.places.get(seat).is_some_and(|place| *place > 1)
            })
        };
        let missed = if former.contains(&entrant.player.id) {
            if !at_fault.contains(&entrant.player.id) {
                continue;
            }
            true
        } else if board.table.is_empty() {
            ended.games.iter().all(lost)
        } else {
            tables::has_missed(entrant.player.id, ended, at_fault)
        };
        entrant.missed = if missed { entrant.missed + 1 } else { 0 };
        if entrant.missed >= MAX_MISSED && entrant.withdrawn.is_none() {
            out.push(entrant.player.id);
        }
    }
    out
}
