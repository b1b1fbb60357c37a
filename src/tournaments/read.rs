//! What everybody may read of tournaments: all of it, but for the seed of the starting numbers before they are drawn.

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

/// Which tournaments to list.
#[derive(Clone, Default)]
pub struct TournamentFilter {
    /// Only with this status.
    pub status: Option<TournamentStatus>,
    /// Only of this form.
    pub form: Option<Form>,
    /// Only by this named rule set.
    pub named: Option<RuleSetHash>,
    /// Only of this variant.
    pub variant: Option<&'static str>,
    /// Only those in which this account plays.
    pub player: Option<AccountId>,
    /// Only those with these words in title or description.
    pub search: Option<SearchText>,
    /// Only those that start, or have started, at this time or later.
    pub starts_from: Option<Time>,
    /// Only those that start, or have started, before this time.
    pub starts_until: Option<Time>,
    /// Who reads: private ones are listed for those who run them or take part.
    pub viewer: Option<AccountId>,
    /// Only those made before this one.
    pub before: Option<TournamentId>,
    /// How many at most.
    pub limit: i64,
}

/// A page of tournaments, the newest first.
pub async fn list(conn: &mut Conn, filter: &TournamentFilter) -> Result<Listed<Tournament>> {
    store::tournaments::list(conn, filter).await
}

/// The same for a stranger: everybody who isn't signed in gets this list.
pub async fn public_list(conn: &mut PublicRead, filter: TournamentFilter) -> Result<Listed<Tournament>> {
    store::tournaments::list(conn, &TournamentFilter { viewer: None, ..filter }).await
}

/// The tournament, for somebody who sees it (none: without a token), or `not-found`.
pub async fn find(conn: &mut Conn, ctx: &Context, id: TournamentId, viewer: Option<&Identity>) -> Result<Tournament> {
    access::must_see(conn, ctx, id.0, viewer).await?;
    store::tournaments::find(conn, id).await?.ok_or_else(Error::not_found)
}

/// A tournament that somebody sees, which the primary has decided: what everybody sees of it who sees it may be read
/// elsewhere.
pub struct SeenTournament(Tournament);

impl SeenTournament {
    /// As [`find`], for what is read of it afterwards.
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

/// Who plays and how they stand, the best first; before the start, in the order of joining.
/// `incomplete` becomes true if a player or a board can't be read.
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

/// The rounds, or one of them, with who plays. `incomplete` becomes true if a player or a board can't be read.
pub async fn rounds(
    conn: &mut PublicRead,
    tournament: &Tournament,
    round: Option<u16>,
    incomplete: &mut bool,
) -> Result<(Vec<Board>, Vec<Entrant>)> {
    let boards = store::boards::listed(conn, tournament.id, round).await?.note(incomplete);
    Ok((boards, store::players::listed(conn, tournament.id).await?.note(incomplete)))
}

/// By when the games of a round have to be over, by the number of the board.
pub async fn due_times(conn: &mut Conn, id: TournamentId, round: u16) -> Result<HashMap<u16, Time>> {
    store::deadlines::of_round(conn, id, round).await
}

/// The round of a Swiss as it was drawn before it began, if it was. `incomplete` becomes true if one can't be read.
pub async fn draft(
    conn: &mut Conn,
    tournament: &Tournament,
    round: u16,
    incomplete: &mut bool,
) -> Result<Option<Draft>> {
    let all = store::drafts::listed(conn, tournament.id).await?.note(incomplete);
    Ok(all.into_iter().find(|draft| draft.round == round && draft.released_at.is_some()))
}

/// Who sat out a round on request when it was drawn.
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

/// What a round of a Swiss was drawn from: who could be paired, in the order in which they stood.
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

/// What a round at tables was drawn from: who could be seated, by their starting numbers.
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

/// The ties of a knockout, or of finals after groups, round by round, with who plays; none before the start or the
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

/// Who plays in a group, in the order in which they stand there: of [`standings`]. Fails where there is no such group.
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

/// The table of a group: its games alone, and places in it. Fails where there is no such group.
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

/// The tournaments that an account has made, and those in which it has played.
pub type AccountTournaments = (Listed<Tournament>, Listed<(TournamentId, Entrant)>);

/// What an account has asked for in tournaments, and what it has paired by hand.
pub struct AccountRounds {
    /// The byes of rounds that aren't drawn.
    pub byes: Vec<(TournamentId, ByeRequest)>,
    pub paired: Listed<(TournamentId, Draft)>,
}

pub async fn export_rounds(conn: &mut Conn, account: AccountId) -> Result<AccountRounds> {
    let byes = store::byes::of_account(conn, account).await?;
    Ok(AccountRounds { byes, paired: store::drafts::paired_by(conn, account).await? })
}

/// Everything about an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<AccountTournaments> {
    let made = store::tournaments::all_made_by(conn, account).await?;
    Ok((made, store::players::all_of(conn, account).await?))
}
