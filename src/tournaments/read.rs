//! Reading tournaments: all data is public, except the seed of the starting numbers before they are drawn.

use std::collections::HashMap;

use broadside_contests::groups::Groups;
use broadside_contests::tie_breaks::Standing;
use broadside_contests::{Form, RuleSetHash, knockout, swiss, tables as seating};
use broadside_rules::Time;

use super::byes::ByeRequest;
use super::draw::{self, SittingOut};
pub use super::entry::obstacles;
use super::review::Draft;
use super::{Board, Entrant, Tournament, TournamentStatus, groups, standings, tables};
use crate::accounts::Identity;
use crate::contests::access;
use crate::context::Context;
use crate::db::{Conn, PublicRead};
use crate::error::{Error, Result};
use crate::ids::{AccountId, TournamentId};
use crate::listed::Listed;
use crate::social::text::SearchText;
use crate::tournaments::store;
pub use crate::tournaments::store::boards::matches_of;

/// A filter for lists of tournaments.
#[derive(Clone, Default)]
pub struct TournamentFilter {
    pub status: Option<TournamentStatus>,
    /// Only of this form.
    pub form: Option<Form>,
    /// Only with this named rule set.
    pub named: Option<RuleSetHash>,
    pub variant: Option<&'static str>,
    /// Only those with this player.
    pub player: Option<AccountId>,
    /// Only those with these words in title or description.
    pub search: Option<SearchText>,
    /// Only those with a start at this time or later.
    pub starts_from: Option<Time>,
    /// Only those with a start before this time.
    pub starts_until: Option<Time>,
    /// The viewer: private tournaments are listed for their organizers and players.
    pub viewer: Option<AccountId>,
    /// Only those created before this one.
    pub before: Option<TournamentId>,
    pub limit: i64,
}

/// A page of tournaments, newest first.
pub async fn list(conn: &mut Conn, filter: &TournamentFilter) -> Result<Listed<Tournament>> {
    store::tournaments::list(conn, filter).await
}

/// The same page without a token: all anonymous viewers get this list.
pub async fn public_list(conn: &mut PublicRead, filter: TournamentFilter) -> Result<Listed<Tournament>> {
    store::tournaments::list(conn, &TournamentFilter { viewer: None, ..filter }).await
}

/// The tournament, for a viewer (`None` without a token) who may see it. Fails with `not-found`.
pub async fn find(conn: &mut Conn, ctx: &Context, id: TournamentId, viewer: Option<&Identity>) -> Result<Tournament> {
    access::must_see(conn, ctx, id.0, viewer).await?;
    store::tournaments::find(conn, id).await?.ok_or_else(Error::not_found)
}

/// A tournament that the viewer may see, as decided by the primary: the data common to all its viewers may then be read
/// from a replica.
pub struct SeenTournament(Tournament);

impl SeenTournament {
    /// Like [`find`], for later reads of the tournament's data.
    pub async fn find(ctx: &Context, id: TournamentId, viewer: Option<&Identity>) -> Result<Self> {
        find(&mut ctx.db.conn().await?, ctx, id, viewer).await.map(Self)
    }

    pub async fn at(&self, conn: &mut PublicRead) -> Result<Tournament> {
        if !conn.is_replica() {
            return Ok(self.0.clone());
        }
        store::tournaments::find(conn, self.0.id).await?.ok_or_else(Error::not_found)
    }
}

/// The players with their standings, best first; before the start, in the order of joining. Sets `incomplete` if a
/// player or a board is unreadable.
pub async fn standings(
    conn: &mut PublicRead,
    tournament: &Tournament,
    incomplete: &mut bool,
) -> Result<Vec<(Entrant, Option<Standing>)>> {
    let entrants = store::players::listed(conn, tournament.id).await?.note(incomplete);
    if tournament.started_at.is_none() {
        return Ok(entrants.into_iter().map(|entrant| (entrant, None)).collect());
    }
    let boards = store::boards::listed(conn, tournament.id, None).await?.note(incomplete);
    let table = standings::table(tournament, &entrants, &boards);
    let mut all = Vec::new();
    for entrant in entrants {
        let now = table.iter().find(|standing| Some(standing.number) == entrant.number);
        // The stored final standing is valid, even if a later computation differs.
        let standing = match (&entrant.at_the_end, now) {
            (Some(kept), Some(now)) => Some(Standing { cells: now.cells.clone(), ..kept.clone() }),
            (_, now) => now.cloned(),
        };
        all.push((entrant, standing));
    }
    all.sort_by_key(|(entrant, standing)| (standing.as_ref().map(|standing| standing.place), entrant.number));
    Ok(all)
}

/// The rounds, or one of them, with their players. Sets `incomplete` if a player or a board is unreadable.
pub async fn rounds(
    conn: &mut PublicRead,
    tournament: &Tournament,
    round: Option<u16>,
    incomplete: &mut bool,
) -> Result<(Vec<Board>, Vec<Entrant>)> {
    let boards = store::boards::listed(conn, tournament.id, round).await?.note(incomplete);
    Ok((boards, store::players::listed(conn, tournament.id).await?.note(incomplete)))
}

/// The deadlines of a round's games, by board number.
pub async fn due_times(conn: &mut Conn, id: TournamentId, round: u16) -> Result<HashMap<u16, Time>> {
    store::deadlines::of_round(conn, id, round).await
}

/// The draw of a Swiss round before its review, if there was one. Sets `incomplete` if it is unreadable.
pub async fn draft(
    conn: &mut Conn,
    tournament: &Tournament,
    round: u16,
    incomplete: &mut bool,
) -> Result<Option<Draft>> {
    let all = store::drafts::listed(conn, tournament.id).await?.note(incomplete);
    Ok(all.into_iter().find(|draft| draft.round == round && draft.released_at.is_some()))
}

/// The players with a requested bye in the draw of a round.
async fn sat_out(
    conn: &mut Conn,
    tournament: &Tournament,
    round: u16,
    boards: &[Board],
    incomplete: &mut bool,
) -> Result<SittingOut> {
    let draft = draft(conn, tournament, round, incomplete).await?;
    let own: Vec<Board> = boards.iter().filter(|board| board.round == round).cloned().collect();
    Ok(draft.map_or_else(|| draw::sat_out(&own), |draft| draft.drawn.out))
}

/// The input of the draw of a Swiss round: the available players, in the order of their standings.
pub async fn drawn_from(
    conn: &mut Conn,
    tournament: &Tournament,
    round: u16,
    incomplete: &mut bool,
) -> Result<Vec<swiss::Entrant>> {
    if tournament.terms.form != Form::Swiss {
        return Ok(Vec::new());
    }
    let (mut boards, entrants) = rounds(conn, tournament, None, incomplete).await?;
    let out = sat_out(conn, tournament, round, &boards, incomplete).await?;
    boards.retain(|board| board.round < round);
    let mut field = draw::field(tournament, &entrants, &boards);
    field.retain(|entrant| draw::is_in(&out, entrant.number));
    swiss::order(&mut field);
    Ok(field)
}

/// The input of the draw of a table round: the available players, by starting number.
pub async fn tables_drawn_from(
    conn: &mut Conn,
    tournament: &Tournament,
    round: u16,
    incomplete: &mut bool,
) -> Result<Vec<seating::Entrant>> {
    if tournament.terms.form != Form::Tables {
        return Ok(Vec::new());
    }
    let (mut boards, entrants) = rounds(conn, tournament, None, incomplete).await?;
    let out = draw::sat_out(&boards.iter().filter(|board| board.round == round).cloned().collect::<Vec<_>>());
    boards.retain(|board| board.round < round);
    let mut field = tables::field(&entrants, &boards);
    field.retain(|entrant| draw::is_in(&out, entrant.number));
    Ok(field)
}

/// The ties of a knockout, or of finals after groups, by round, with their players; empty before the start or the
/// finals, and in other forms.
pub async fn bracket(
    conn: &mut PublicRead,
    tournament: &Tournament,
    incomplete: &mut bool,
) -> Result<(Vec<Vec<knockout::Tie>>, Vec<Entrant>)> {
    if !matches!(tournament.terms.form, Form::Knockout | Form::Groups) || tournament.started_at.is_none() {
        return Ok((Vec::new(), Vec::new()));
    }
    let (boards, entrants) = rounds(conn, tournament, None, incomplete).await?;
    let terms = tournament.knockout();
    let drawn = match (tournament.terms.form, tournament.finals(&entrants)) {
        (Form::Knockout, _) => knockout::bracket(tournament.players, &terms, &boards),
        (_, Some(finals)) => finals.bracket(&terms, &boards),
        (_, None) => Vec::new(),
    };
    Ok((drawn, entrants))
}

/// The players of a group, from [`standings`], in the order of their ranks in it. Fails if there is no such group.
pub fn only_group(
    tournament: &Tournament,
    mut all: Vec<(Entrant, Option<Standing>)>,
    group: u16,
) -> Result<Vec<(Entrant, Option<Standing>)>> {
    must_have(tournament, group)?;
    let in_group = |standing: &Option<Standing>| standing.as_ref().and_then(|standing| standing.group);
    all.retain(|(_, standing)| in_group(standing).is_some_and(|own| own.group == group));
    all.sort_by_key(|(entrant, standing)| (in_group(standing).map(|own| own.place), entrant.number));
    Ok(all)
}

/// The table of a group: only its games, and places in it. Fails if there is no such group.
pub async fn group_table(
    conn: &mut PublicRead,
    tournament: &Tournament,
    group: u16,
    incomplete: &mut bool,
) -> Result<Vec<(Entrant, Option<Standing>)>> {
    let groups = must_have(tournament, group)?;
    let (boards, entrants) = rounds(conn, tournament, None, incomplete).await?;
    let table = groups::tables(&groups, &entrants, &boards).into_iter().nth(usize::from(group) - 1).unwrap_or_default();
    let line = |standing: Standing| {
        let found = entrants.iter().find(|entrant| entrant.number == Some(standing.number))?;
        Some((found.clone(), Some(standing)))
    };
    Ok(table.into_iter().filter_map(line).collect())
}

fn must_have(tournament: &Tournament, group: u16) -> Result<Groups> {
    let groups = tournament.groups().filter(|groups| (1..=groups.count()).contains(&group));
    groups.ok_or_else(|| Error::invalid_at("/group", "invalid-value", "is no group of this tournament"))
}

/// The tournaments created by an account, and those in which it has played.
pub type AccountTournaments = (Listed<Tournament>, Listed<(TournamentId, Entrant)>);

/// An account's requested byes, and the rounds that it has paired by hand.
pub struct AccountRounds {
    /// The byes of undrawn rounds.
    pub byes: Vec<(TournamentId, ByeRequest)>,
    pub paired: Listed<(TournamentId, Draft)>,
}

pub async fn export_rounds(conn: &mut Conn, account: AccountId) -> Result<AccountRounds> {
    let byes = store::byes::of_account(conn, account).await?;
    Ok(AccountRounds { byes, paired: store::drafts::paired_by(conn, account).await? })
}

/// All tournament data about an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<AccountTournaments> {
    let made = store::tournaments::all_made_by(conn, account).await?;
    Ok((made, store::players::all_of(conn, account).await?))
}
