//! What everybody may read of tournaments: all of it, but for the seed of the starting numbers before they are drawn.

use std::collections::HashMap;

use super::entry::{self, Obstacle};
use super::tie_breaks::Standing;
use super::{Board, Entrant, Form, Status, Tournament, rounds, swiss};
use crate::accounts::Identity;
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId, PairingId, TournamentId};
use crate::tournaments::store;

/// Which tournaments to list.
#[derive(Default)]
pub struct Filter {
    /// Only with this status.
    pub status: Option<Status>,
    /// Only of this form.
    pub form: Option<Form>,
    /// Only of this variant.
    pub variant: Option<&'static str>,
    /// Only those in which this account plays.
    pub player: Option<AccountId>,
    /// Only those made before this one.
    pub before: Option<TournamentId>,
    /// How many at most.
    pub limit: i64,
}

/// A page of tournaments, the newest first.
pub async fn list(conn: &mut Conn, filter: &Filter) -> Result<Vec<Tournament>> {
    store::tournaments::list(conn, filter).await
}

/// One tournament.
pub async fn find(conn: &mut Conn, id: TournamentId) -> Result<Tournament> {
    store::tournaments::find(conn, id).await?.ok_or_else(Error::not_found)
}

/// What keeps somebody from joining; see [`entry::obstacles`].
pub async fn obstacles(
    conn: &mut Conn,
    ctx: &Context,
    tournament: &Tournament,
    who: &Identity,
) -> Result<Vec<Obstacle>> {
    entry::obstacles(conn, ctx, tournament, who).await
}

/// Who plays and how he stands, the best first; before the start, in the order of joining.
pub async fn standings(conn: &mut Conn, tournament: &Tournament) -> Result<Vec<(Entrant, Option<Standing>)>> {
    let entrants = store::players::all(conn, tournament.id).await?;
    if tournament.started_at.is_none() {
        return Ok(entrants.into_iter().map(|entrant| (entrant, None)).collect());
    }
    let boards = store::boards::all(conn, tournament.id, None).await?;
    let table = rounds::table(tournament, &entrants, &boards);
    let mut all = Vec::new();
    for entrant in entrants {
        let now = table.iter().find(|standing| Some(standing.number) == entrant.number);
        // What was kept at the end stands, whatever is reckoned later.
        let standing = match (&entrant.at_the_end, now) {
            (Some(kept), Some(now)) => Some(Standing { cells: now.cells.clone(), ..kept.clone() }),
            (_, now) => now.cloned(),
        };
        all.push((entrant, standing));
    }
    all.sort_by_key(|(entrant, standing)| (standing.as_ref().map(|standing| standing.place), entrant.number));
    Ok(all)
}

/// The rounds, or one of them, with who plays.
pub async fn rounds(
    conn: &mut Conn,
    tournament: &Tournament,
    round: Option<u16>,
) -> Result<(Vec<Board>, Vec<Entrant>)> {
    let boards = store::boards::all(conn, tournament.id, round).await?;
    Ok((boards, store::players::all(conn, tournament.id).await?))
}

/// What a round of a Swiss was drawn from: who could be paired, in the order in which they stood.
pub async fn drawn_from(conn: &mut Conn, tournament: &Tournament, round: u16) -> Result<Vec<swiss::Entrant>> {
    if tournament.terms.form != Form::Swiss {
        return Ok(Vec::new());
    }
    let (mut boards, entrants) = rounds(conn, tournament, None).await?;
    boards.retain(|board| board.round < round);
    let mut field = rounds::field(tournament, &entrants, &boards);
    swiss::order(&mut field);
    Ok(field)
}

/// The tournaments that an account has made, and those in which it has played.
pub type Export = (Vec<Tournament>, Vec<(TournamentId, Entrant)>);

/// Everything about an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Export> {
    let made = store::tournaments::all_made_by(conn, account).await?;
    Ok((made, store::players::all_of(conn, account).await?))
}

/// The matches of pairings, each in its order.
pub async fn matches_of(conn: &mut Conn, pairings: &[PairingId]) -> Result<HashMap<PairingId, Vec<MatchId>>> {
    store::boards::matches_of(conn, pairings).await
}
