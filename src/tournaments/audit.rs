//! The operator's audit of tournaments: redraws every round from the preceding ones, recomputes the final standings,
//! and compares.

use broadside_contests::tie_breaks::Standing;
use broadside_contests::{ByeReason, Form, knockout, round_robin};
use broadside_rules::Time;

use super::draw::{self, RoundPlan};
use super::{Board, Entrant, Tournament, TournamentStatus, groups, standings, tables};
use crate::context::Context;
use crate::db::Conn;
use crate::due::{each_due, or_fault};
use crate::error::Result;
use crate::tournaments::store;

/// Rows read at a time.
const AT_ONCE: i64 = 1000;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TournamentFindings {
    /// Tournaments that have started.
    pub tournaments: u64,
    /// Their rounds so far.
    pub rounds: u64,
    /// One fault per line.
    pub faults: Vec<String>,
}

/// Recomputes every tournament.
pub async fn all(ctx: &Context) -> Result<TournamentFindings> {
    let mut findings = TournamentFindings::default();
    each_due!(ctx, (conn, last) => store::tournaments::started(conn, last, AT_ONCE), id by *id => {
        // Locked, so that players and boards are from the same moment while the service runs.
        let mut tx = ctx.db.begin().await?;
        let done = async {
            match store::tournaments::lock(&mut tx, id).await? {
                Some(tournament) => one(&mut tx, &tournament, &mut findings).await,
                None => Ok(()),
            }
        };
        let done = done.await;
        or_fault(done, format_args!("the tournament {id}"), &mut findings.faults)?;
        tx.roll_back().await?;
    });
    Ok(findings)
}

async fn one(conn: &mut Conn, tournament: &Tournament, findings: &mut TournamentFindings) -> Result<()> {
    findings.tournaments += 1;
    findings.rounds += u64::from(tournament.round);
    let boards = store::boards::all(conn, tournament.id, None).await?;
    let entrants = store::players::all(conn, tournament.id).await?;
    let drafts = store::drafts::all(conn, tournament.id).await?;
    for round in 1..=tournament.round {
        let (before, own): (Vec<Board>, Vec<Board>) =
            boards.iter().filter(|board| board.round <= round).cloned().partition(|board| board.round < round);
        let draft = drafts.iter().find(|draft| draft.round == round);
        let out = draft.map_or_else(|| draw::sat_out(&own), |draft| draft.drawn.out.clone());
        let drawn = drawn(tournament, &entrants, &before, (round, &out));
        let first = first_boards(tournament, &entrants, &own);
        // The draw before an organizer's review, and the reviewed one.
        let is_faithful = match draft {
            Some(draft) => drawn == planned(&draft.drawn) && planned(draft.plan()) == first,
            None => drawn == first,
        };
        if !is_faithful {
            let what = "is not what the rounds before it give";
            findings.faults.push(format!("the tournament {}: the round {round} {what}", tournament.id));
        }
    }
    if let Some((groups, finals)) = tournament.groups().zip(tournament.finals(&entrants)) {
        let before: Vec<Board> = boards.iter().filter(|board| !finals.has(board)).cloned().collect();
        if groups::drawn_finals(&groups, &entrants, &before) != finals {
            let what = "are not those that the groups give";
            findings.faults.push(format!("the tournament {}: the seeds of the finals {what}", tournament.id));
        }
    }
    if tournament.status == TournamentStatus::Finished {
        let table = standings::table(tournament, &entrants, &boards);
        let stood = |standing: &Standing| entrants.iter().any(|entrant| is_kept(entrant, standing));
        for standing in table.iter().filter(|standing| !stood(standing)) {
            let what = "is not what the boards give";
            let number = standing.number;
            findings.faults.push(format!("the tournament {}: the final rank of number {number} {what}", tournament.id));
        }
    }
    Ok(())
}

/// True if this standing was stored at the end.
fn is_kept(entrant: &Entrant, standing: &Standing) -> bool {
    let own = Standing { cells: Vec::new(), ..standing.clone() };
    entrant.number == Some(standing.number) && entrant.at_the_end.as_ref() == Some(&own)
}

/// A board: its number, and its players.
type Seated = (u16, Vec<u16>);

/// A planned round, board by board.
fn planned(plan: &RoundPlan) -> Vec<Seated> {
    plan.boards(0, Time(0)).iter().map(of_board).collect()
}

/// The boards and byes of a round, drawn from the preceding ones, without `out`.
fn drawn(
    tournament: &Tournament,
    entrants: &[Entrant],
    before: &[Board],
    (round, out): (u16, &[(u16, u8)]),
) -> Vec<Seated> {
    let pairings = match tournament.terms.form {
        Form::Knockout => {
            let boards = knockout::round_boards(tournament.players, &tournament.knockout(), round, before);
            return boards.iter().map(of_board).collect();
        }
        Form::Tables => {
            // The end times of byes aren't compared.
            let boards = tables::round_boards(tournament, entrants, before, (round, out), tournament.created_at);
            return boards.iter().map(of_board).collect();
        }
        Form::Groups => return groups::drawn(tournament, entrants, before, round).iter().map(of_board).collect(),
        Form::Swiss => {
            return draw::swiss(tournament, entrants, before, out).map(|plan| planned(&plan)).unwrap_or_default();
        }
        Form::RoundRobin => round_robin::rounds(tournament.players, tournament.terms.double_round_robin)
            .into_iter()
            .nth(usize::from(round - 1)),
    };
    let Some(pairings) = pairings else { return Vec::new() };
    let games = pairings.games.into_iter().map(|(first, second)| vec![first, second]);
    (1..).zip(games.chain(pairings.bye.map(|number| vec![number]))).collect()
}

/// The boards with which a round began: of each tie the first one. Later entrants weren't there.
fn first_boards(tournament: &Tournament, entrants: &[Entrant], boards: &[Board]) -> Vec<Seated> {
    let is_first = |board: &&Board| {
        board.bye != Some(ByeReason::LateEntry)
            && tournament.tie_of(board, entrants).is_none_or(|(_, board)| board == 1)
    };
    boards.iter().filter(is_first).map(of_board).collect()
}

fn of_board(board: &Board) -> Seated {
    (board.board, board.players())
}
