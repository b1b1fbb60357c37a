//! The rounds of a tournament: starting numbers, pairings, withdrawals, and the end, all under the lock of its row.
//!
//! Nothing is opened here: a round's boards wait, and [`super::boards`] opens their matches, some at a time.

use broadside_contests::{BoardState, ByeReason, Form, RoundPairings, Seeding, knockout, round_robin};
use broadside_rules::Time;
use sha2::{Digest as _, Sha256};

use super::{
    Board, Entrant, Tournament, TournamentStatus, Withdrawal, WithdrawalReason, draw, groups, review, standings,
    tables, ties,
};
use crate::contests::{Contest, news};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::events::kinds::{
    RoundStartedEvent, TournamentFinishedEvent, TournamentStartedEvent, TournamentWithdrawnEvent,
};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::AccountId;
use crate::ratings::read::shown;
use crate::tournaments::round_terms::is_drawn_by_rounds;
use crate::tournaments::store;

/// The reason of an early end of a Swiss.
const NOBODY_LEFT_TO_MEET: &str = "No pairing was left in which nobody meets anybody twice.";
/// The reason of an early end of a tournament at tables.
const NO_TABLE_LEFT: &str = "Fewer players were left than a table needs.";
/// The reason of an end before the finals.
const NOBODY_LEFT_FOR_FINALS: &str = "Fewer than two players were left for the finals.";
/// The reason of an early end.
const NOBODY_LEFT: &str = "Fewer than two players were left.";

/// Starts an open tournament: draws the starting numbers and the first round. `None` if it has too few players. The
/// notifications are for the end of the transaction, and the caller saves the tournament.
pub(super) async fn begin(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
) -> Result<Option<Vec<Notification>>> {
    let now = ctx.clock.now();
    let mut entrants = store::players::all(tx, tournament.id).await?;
    let mut out = barred(tx, &entrants, now).await?;
    // A player whose mark (human or program) has changed may no longer belong to the audience.
    let others = entrants.iter().filter(|entrant| !tournament.terms.audience.admits(entrant.player.bot));
    out.extend(others.map(|entrant| entrant.player.id));
    for account in &out {
        store::players::leave(tx, tournament.id, *account).await?;
    }
    entrants.retain(|entrant| !out.contains(&entrant.player.id));
    tournament.players = u16::try_from(entrants.len()).unwrap_or(u16::MAX);
    if tournament.players < tournament.terms.min_players {
        return Ok(None);
    }
    if let Some(pool) = tournament.terms.pool() {
        let wanted: Vec<_> = entrants.iter().map(|entrant| (entrant.player.id, pool)).collect();
        let ratings = shown(tx, &wanted).await?;
        entrants.iter_mut().zip(ratings).for_each(|(entrant, rating)| entrant.rating = rating);
    }
    draw_numbers(&mut entrants, tournament);
    for entrant in &entrants {
        store::players::save(tx, tournament.id, entrant).await?;
    }
    tournament.status = TournamentStatus::Running;
    tournament.started_at = Some(now);
    let first = first_boards(tournament, &entrants, now);
    store::boards::insert(tx, tournament.id, &first).await?;
    let mut told = Vec::new();
    for entrant in &entrants {
        let number = entrant.number.unwrap_or_default();
        let event: AccountEvent = TournamentStartedEvent::at(now, tournament.id, number).into();
        told.extend(events::notification(entrant.player.id, &[event])?);
    }
    told.extend(tell_round(tournament, &entrants, &first, now)?);
    if is_drawn_by_rounds(tournament.terms.form) {
        told.extend(draw::next_round(tx, tournament, &entrants, &[], now).await?.unwrap_or_default());
    }
    Ok(Some(told))
}

/// Starting numbers by lot, or by the terms. The lot is the order of SHA-256 of the seed and the account's id, which
/// anybody can recompute once the seed is published. In a knockout and in groups they are seeds.
fn draw_numbers(entrants: &mut [Entrant], tournament: &Tournament) {
    let lot = |account: AccountId| {
        Sha256::new().chain_update(tournament.chance).chain_update(account.0.as_bytes()).finalize()
    };
    entrants.sort_by_cached_key(|entrant| lot(entrant.player.id));
    let seeding = match tournament.terms.form {
        Form::Knockout | Form::Groups => tournament.knockout().seeding,
        Form::Swiss | Form::RoundRobin => tournament.terms.round_terms.seeding(),
        Form::Tables => Seeding::Lot,
    };
    ties::seed(entrants, seeding);
    for (number, entrant) in (1_u16..).zip(entrants) {
        entrant.number = Some(number);
    }
}

/// The boards known at the start: all rounds of a round robin, the first one of a knockout. Other forms draw their
/// first round like later ones.
fn first_boards(tournament: &mut Tournament, entrants: &[Entrant], now: Time) -> Vec<Board> {
    let players = tournament.players;
    if let Some(groups) = tournament.groups() {
        let boards = groups::all_boards(tournament, &groups, now);
        tournament.games_left = waiting(&boards);
        return boards;
    }
    let boards: Vec<Board> = match tournament.terms.form {
        Form::RoundRobin => {
            let rounds = round_robin::rounds(players, tournament.terms.double_round_robin);
            let count = u16::try_from(rounds.len()).unwrap_or(u16::MAX);
            tournament.rounds = Some(count);
            tournament.round = if tournament.has_all_rounds_at_once() { count } else { 1 };
            (1_u16..).zip(rounds).flat_map(|(round, drawn)| boards_of(tournament, round, drawn, now)).collect()
        }
        Form::Knockout => {
            tournament.round = 1;
            tournament.rounds = Some(knockout::rounds(players));
            ties::round_boards(tournament, entrants, &[], now)
        }
        // By Dirac's theorem there is always a pairing for this number of rounds, if nobody withdraws.
        Form::Swiss => {
            tournament.rounds = tournament.rounds.map(|rounds| rounds.min(players / 2));
            Vec::new()
        }
        Form::Tables | Form::Groups => Vec::new(),
    };
    tournament.games_left = waiting(&boards);
    boards
}

fn waiting(boards: &[Board]) -> u16 {
    let waiting = boards.iter().filter(|board| board.state == BoardState::Waiting).count();
    u16::try_from(waiting).unwrap_or(u16::MAX)
}

/// The boards of a round of a round robin: waiting in a current round, planned in a later one. A bye is worth nothing,
/// and over as soon as it is known.
pub(super) fn boards_of(tournament: &Tournament, round: u16, drawn: RoundPairings, now: Time) -> Vec<Board> {
    let state = if round <= tournament.round { BoardState::Waiting } else { BoardState::Planned };
    let games = (1_u16..).zip(drawn.games);
    let mut boards: Vec<Board> =
        games.map(|(board, (first, second))| Board::to_be(round, board, first, second, state)).collect();
    draw::add_byes(&mut boards, round, drawn.bye.map(|number| (number, (ByeReason::Allocated, 0))), now);
    boards
}

/// Goes on to the next round or to the end, if the round is over. The caller has locked the tournament.
pub(super) async fn advance(tx: &mut Tx, ctx: &Context, tournament: &mut Tournament) -> Result<Vec<Notification>> {
    if tournament.status != TournamentStatus::Running || tournament.games_left > 0 {
        return Ok(Vec::new());
    }
    let now = ctx.clock.now();
    let mut entrants = store::players::all(tx, tournament.id).await?;
    if let Some(draft) = tournament.draft {
        if now < draft.release_at {
            return Ok(Vec::new());
        }
        let told = review::begin(tx, tournament, &entrants, draft.round, now).await?;
        store::tournaments::save(tx, tournament).await?;
        return Ok(told);
    }
    let mut told = Vec::new();
    let is_last = tournament.rounds.is_none_or(|rounds| tournament.round >= rounds);
    if !is_last {
        let barred = barred(tx, &entrants, now).await?;
        told.extend(withdraw(tx, ctx, tournament, &mut entrants, &barred, WithdrawalReason::AccountSuspended).await?);
    }
    let left = entrants.iter().filter(|entrant| entrant.withdrawn.is_none()).count();
    let boards = store::boards::all(tx, tournament.id, None).await?;
    let ending = match tournament.terms.form {
        _ if is_last => Some(None),
        // Ties don't wait for players who are gone: the remaining one wins the coming ties.
        Form::Knockout => {
            tournament.round += 1;
            let next = ties::round_boards(tournament, &entrants, &boards, now);
            told.extend(begin_round(tx, tournament, &entrants, &next, now).await?);
            None
        }
        Form::Groups if tournament.are_finals_next() => {
            let (next, news) = groups::next_of_finals(tx, ctx, tournament, &mut entrants, &boards).await?;
            told.extend(news);
            told.extend(begin_round(tx, tournament, &entrants, &next, now).await?);
            next.is_empty().then_some(Some(NOBODY_LEFT_FOR_FINALS))
        }
        _ if left < 2 => Some(Some(NOBODY_LEFT)),
        Form::RoundRobin | Form::Groups => {
            told.extend(next_of_round_robin(tx, tournament, &entrants, boards.clone(), now).await?);
            None
        }
        form @ (Form::Swiss | Form::Tables) => match draw::next_round(tx, tournament, &entrants, &boards, now).await? {
            Some(next) => {
                told.extend(next);
                None
            }
            None if form == Form::Swiss => Some(Some(NOBODY_LEFT_TO_MEET)),
            None => Some(Some(NO_TABLE_LEFT)),
        },
    };
    if let Some(reason) = ending {
        told.extend(finish(tx, tournament, &mut entrants, &boards, reason, now).await?);
    }
    store::tournaments::save(tx, tournament).await?;
    Ok(told)
}

/// Stores the boards of a newly drawn round.
pub(super) async fn begin_round(
    tx: &mut Tx,
    tournament: &mut Tournament,
    entrants: &[Entrant],
    boards: &[Board],
    now: Time,
) -> Result<Vec<Notification>> {
    tournament.games_left = waiting(boards);
    store::boards::insert(tx, tournament.id, boards).await?;
    tell_round(tournament, entrants, boards, now)
}

/// The next round of the round robin, or of all groups, known from the beginning.
async fn next_of_round_robin(
    tx: &mut Tx,
    tournament: &mut Tournament,
    entrants: &[Entrant],
    boards: Vec<Board>,
    now: Time,
) -> Result<Vec<Notification>> {
    tournament.round += 1;
    let mut next: Vec<Board> = boards.into_iter().filter(|board| board.round == tournament.round).collect();
    for board in next.iter_mut().filter(|board| board.state == BoardState::Planned) {
        board.state = BoardState::Waiting;
        store::boards::save(tx, tournament.id, board).await?;
    }
    tournament.games_left = waiting(&next);
    tell_round(tournament, entrants, &next, now)
}

/// Ends the tournament: the standings are final, and stored.
async fn finish(
    tx: &mut Tx,
    tournament: &mut Tournament,
    entrants: &mut [Entrant],
    boards: &[Board],
    reason: Option<&str>,
    now: Time,
) -> Result<Vec<Notification>> {
    tournament.status = TournamentStatus::Finished;
    tournament.reason = reason.map(str::to_owned);
    tournament.ended_at = Some(now);
    store::boards::drop_unplayed(tx, tournament.id).await?;
    let table = standings::table(tournament, entrants, boards);
    let players: Vec<AccountId> = entrants.iter().map(|entrant| entrant.player.id).collect();
    let mut told = news::finished(Contest::Tournament(tournament.id), tournament.runners(), &players, now)?;
    for entrant in entrants {
        entrant.at_the_end = table.iter().find(|standing| Some(standing.number) == entrant.number).cloned();
        store::players::save(tx, tournament.id, entrant).await?;
        let place = entrant.at_the_end.as_ref().map_or(0, |standing| standing.place);
        let event: AccountEvent = TournamentFinishedEvent::at(now, tournament.id, place).into();
        told.extend(events::notification(entrant.player.id, &[event])?);
    }
    Ok(told)
}

/// Withdraws players from a running tournament: their boards that haven't begun are won without play by the others. The
/// caller saves the tournament.
pub(super) async fn withdraw(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    entrants: &mut [Entrant],
    who: &[AccountId],
    why: WithdrawalReason,
) -> Result<Vec<Notification>> {
    let now = ctx.clock.now();
    let mut told = Vec::new();
    for entrant in entrants.iter_mut().filter(|entrant| who.contains(&entrant.player.id)) {
        entrant.withdrawn = Some(Withdrawal { at: now, round: tournament.drawn_round(), why });
        store::players::save(tx, tournament.id, entrant).await?;
        if matches!(why, WithdrawalReason::TimedOut | WithdrawalReason::AccountSuspended) {
            let event: AccountEvent = TournamentWithdrawnEvent::at(now, tournament.id, why.into_str()).into();
            told.extend(events::notification(entrant.player.id, &[event])?);
        }
        if why != WithdrawalReason::Removed {
            told.extend(news::left(Contest::Tournament(tournament.id), tournament.runners(), entrant.player.id, now)?);
        }
    }
    let gone = gone(entrants);
    let states = [BoardState::Planned, BoardState::Waiting];
    for mut board in store::boards::in_states(tx, tournament.id, &states).await? {
        let was_waiting = board.state == BoardState::Waiting;
        let ends = if board.table.is_empty() {
            end_without_play(&mut board, &gone, now)
        } else {
            tables::end_without_play(tournament, &mut board, &gone, now)
        };
        if ends {
            tournament.games_left -= u16::from(was_waiting);
            store::boards::save(tx, tournament.id, &board).await?;
        }
    }
    Ok(told)
}

/// True if the player with a starting number has withdrawn.
pub(super) fn gone(entrants: &[Entrant]) -> impl Fn(u16) -> bool {
    move |number| entrants.iter().any(|entrant| entrant.number == Some(number) && entrant.withdrawn.is_some())
}

/// Ends a board that hasn't begun if one of its players is gone; returns true if it has.
pub(super) fn end_without_play(board: &mut Board, gone: &impl Fn(u16) -> bool, now: Time) -> bool {
    let Some(second) = board.second else { return false };
    board.halves = match (gone(board.first), gone(second)) {
        (false, false) => return false,
        (true, false) => Some([0, 2]),
        (false, true) => Some([2, 0]),
        (true, true) => Some([0, 0]),
    };
    board.state = BoardState::Finished;
    board.unplayed = true;
    board.over_at = Some(now);
    true
}

/// Notifies each player of their opponents in a new round, or of their bye.
fn tell_round(tournament: &Tournament, entrants: &[Entrant], boards: &[Board], now: Time) -> Result<Vec<Notification>> {
    let mut told = Vec::new();
    for board in boards.iter().filter(|board| board.round <= tournament.round) {
        let players = board.players();
        for own in &players {
            let withdrawn = entrants.iter().any(|entrant| entrant.number == Some(*own) && entrant.withdrawn.is_some());
            let Some(player) = super::account_of(entrants, *own).filter(|_| !withdrawn) else { continue };
            let others = players.iter().filter(|other| *other != own);
            let others: Vec<AccountId> = others.filter_map(|other| super::account_of(entrants, *other)).collect();
            let (opponent, table) =
                if board.table.is_empty() { (others.first().copied(), Vec::new()) } else { (None, others) };
            let event: AccountEvent = RoundStartedEvent::at(now, tournament.id, board.round, opponent, table).into();
            told.extend(events::notification(player, &[event])?);
        }
    }
    Ok(told)
}

/// Players who are still in the tournament but may not be paired now.
pub(super) async fn barred(conn: &mut Conn, entrants: &[Entrant], now: Time) -> Result<Vec<AccountId>> {
    let playing = entrants.iter().filter(|entrant| entrant.withdrawn.is_none());
    let playing: Vec<AccountId> = playing.map(|entrant| entrant.player.id).collect();
    store::players::suspended(conn, &playing, now).await
}
