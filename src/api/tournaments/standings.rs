//! Standings of tournaments over HTTP, with tie-breaks and the cross-table. All of it is public; a token makes no
//! difference.

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use broadside_contests::ByeReason;
use broadside_contests::crosstable::Cell;
use broadside_contests::groups::InGroup;
use broadside_contests::tables::Score;
use broadside_contests::tie_breaks::Standing;
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::csv::{self, TableCsv, TableForm};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::{Ranged, request};
use crate::api::http::paging::{is_whole, linked, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::tournaments::{form_terms, table};
use crate::app::App;
use crate::db::PublicRead;
use crate::error::Error;
use crate::ids::{AccountId, TournamentId};
use crate::player::Player;
use crate::tournaments::read::SeenTournament;
use crate::tournaments::{Entrant, TournamentStatus, Withdrawal, WithdrawalReason, read};

/// Where a player stands.
#[derive(Serialize, ToSchema)]
pub struct TournamentStanding {
    /// Their place, from 1; equals share one. Null before the start.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    rank: Option<u16>,
    player: Player,
    /// Drawn by lot at the start; null before.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: Option<u16>,
    /// The player's rating in the pool of its matches at the start; null: none.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    rating: Option<i32>,
    joined_at: Time,
    /// The first round into which they could be drawn: 1, unless they have come in after the start.
    #[schema(minimum = 1, maximum = 30, format = Int32)]
    first_round: u16,
    #[schema(minimum = 0, maximum = 126)]
    points: f64,
    /// How many boards they have played to an end; byes and wins without play are not among them.
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    played: u16,
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    wins: u16,
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    draws: u16,
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    losses: u16,
    /// In groups those within the group.
    tie_breaks: TieBreakValues,
    /// Groups: how they stand in theirs; null: another format, or it has not started.
    in_group: Option<GroupStanding>,
    /// Groups: their seed in the finals; null: they are not in them, they aren't drawn yet, or another format.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    finals_seed: Option<u16>,
    /// Tables: the points without rounding, and what decides between equal points there; null: another format.
    at_tables: Option<TableScore>,
    /// The player's withdrawal; null: they still play.
    withdrawn: Option<WithdrawnBody>,
    /// Round robin, and groups: the player has withdrawn with fewer than half of their games begun, and none of them
    /// counts for anybody.
    struck: bool,
    /// The player's row of the cross-table, round by round; at tables with a cell for each of the others.
    #[schema(max_items = 126)]
    results: Vec<CrosstableCell>,
}

/// What decides between players with equal points; the tournament's `tie_breaks` say in which order.
#[derive(Serialize, ToSchema)]
pub struct TieBreakValues {
    /// The sum of the opponents' points.
    #[schema(minimum = 0, maximum = 10000)]
    buchholz: f64,
    /// The same without the lowest of them.
    #[schema(minimum = 0, maximum = 10000)]
    buchholz_cut_1: f64,
    /// The points of those they have beaten, and half the points of those with whom they have drawn.
    #[schema(minimum = 0, maximum = 10000)]
    sonneborn_berger: f64,
    /// The points that those who are still equal have made against each other; null where they haven't all met, or
    /// nobody is equal.
    #[schema(minimum = 0, maximum = 126)]
    direct_encounter: Option<f64>,
    /// How many boards they have won by playing.
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    wins: u16,
}

/// What a player has made at tables. A table gives the share of the others whom one is placed before, so points are
/// thirds, quarters and so on: whole numbers of 1/120.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentTableScore)]
pub struct TableScore {
    /// The points, in 1/120.
    #[schema(minimum = 0, maximum = 2400, format = Int32)]
    points_120ths: u32,
    /// The average points of the others at each table, added up, in 1/7200.
    #[schema(minimum = 0, maximum = 2_880_000, format = Int32)]
    opponents_average_7200ths: u32,
    /// How many tables they have won alone.
    #[schema(minimum = 0, maximum = 20, format = Int32)]
    first_places: u16,
    /// The points against those who are still equal, where each two of them have shared as many tables; null where
    /// they haven't, or nobody is equal.
    #[schema(minimum = 0, maximum = 10000)]
    head_to_head: Option<f64>,
}

impl From<Score> for TableScore {
    fn from(score: Score) -> Self {
        Self {
            points_120ths: score.points,
            opponents_average_7200ths: score.opponents_average,
            first_places: score.first_places,
            head_to_head: score.head_to_head.map(|halves| f64::from(halves) / 2.0),
        }
    }
}

/// How a player stands in their group.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentGroupStanding)]
pub struct GroupStanding {
    #[schema(minimum = 1, maximum = 128, format = Int32)]
    group: u16,
    /// Their place in it, from 1; equals share one.
    #[schema(minimum = 1, maximum = 16, format = Int32)]
    rank: u16,
    #[schema(minimum = 0, maximum = 30)]
    points: f64,
    /// How many boards they have played to an end.
    #[schema(minimum = 0, maximum = 30, format = Int32)]
    played: u16,
    #[schema(minimum = 0, maximum = 30, format = Int32)]
    wins: u16,
    #[schema(minimum = 0, maximum = 30, format = Int32)]
    draws: u16,
    #[schema(minimum = 0, maximum = 30, format = Int32)]
    losses: u16,
}

impl From<InGroup> for GroupStanding {
    fn from(standing: InGroup) -> Self {
        Self {
            group: standing.group,
            rank: standing.place,
            points: f64::from(standing.halves) / 2.0,
            played: standing.played,
            wins: standing.wins,
            draws: standing.draws,
            losses: standing.losses,
        }
    }
}

/// That somebody plays on no more.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentWithdrawn)]
pub struct WithdrawnBody {
    at: Time,
    /// The last round in which they could be paired.
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    round: u16,
    reason: WithdrawalReason,
}

/// A round in a player's row of the cross-table.
#[derive(Serialize, ToSchema)]
pub struct CrosstableCell {
    #[schema(minimum = 1, maximum = 126, format = Int32)]
    round: u16,
    /// The opponent's starting number; null: a bye.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    opponent: Option<u16>,
    /// Whether the player begins (of paired games: the first one).
    begins: bool,
    /// Null: it isn't over, or was called off.
    #[schema(minimum = 0, maximum = 1)]
    points: Option<f64>,
    finished: bool,
    /// A bye, or won or lost without play.
    unplayed: bool,
    /// Why the player sits out; null: they don't.
    bye: Option<ByeReason>,
    /// Whether it counts: not if one of the two is struck.
    counts: bool,
}

/// Points, from half points.
pub(in crate::api) fn points(halves: u8) -> f64 {
    f64::from(halves) / 2.0
}

impl From<Cell> for CrosstableCell {
    fn from(cell: Cell) -> Self {
        Self {
            round: cell.round,
            opponent: cell.opponent,
            begins: cell.begins,
            points: cell.halves.map(points),
            finished: cell.is_over,
            unplayed: cell.unplayed,
            bye: cell.bye,
            counts: cell.counts,
        }
    }
}

impl TournamentStanding {
    pub(super) fn of(entrant: Entrant, standing: Option<Standing>) -> Self {
        let place = standing.as_ref().map(|standing| standing.place);
        let standing = standing.unwrap_or_default();
        let halves = |halves: u32| f64::from(halves) / 2.0;
        let withdrawn =
            |withdrawn: Withdrawal| WithdrawnBody { at: withdrawn.at, round: withdrawn.round, reason: withdrawn.why };
        Self {
            rank: place,
            player: entrant.player,
            starting_number: entrant.number,
            rating: entrant.rating,
            joined_at: entrant.joined_at,
            first_round: entrant.first_round,
            points: standing.points(),
            played: standing.played,
            wins: standing.wins,
            draws: standing.draws,
            losses: standing.losses,
            tie_breaks: TieBreakValues {
                buchholz: halves(standing.buchholz),
                buchholz_cut_1: halves(standing.buchholz_cut_1),
                sonneborn_berger: f64::from(standing.sonneborn_berger) / 4.0,
                direct_encounter: standing.direct_encounter.map(halves),
                wins: standing.wins,
            },
            in_group: standing.group.map(GroupStanding::from),
            finals_seed: entrant.finals_seed,
            at_tables: standing.tables.map(TableScore::from),
            withdrawn: entrant.withdrawn.map(withdrawn),
            struck: standing.struck,
            results: standing.cells.into_iter().map(CrosstableCell::from).collect(),
        }
    }
}

/// A page of the standings of a tournament.
#[derive(Serialize, ToSchema)]
pub struct TournamentStandingsPage {
    /// The best first; before the start in the order of joining.
    #[schema(max_items = 100)]
    items: Vec<TournamentStanding>,
    /// Whether they are final: the tournament is over, and they never change again.
    is_final: bool,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    next_cursor: Option<AccountId>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

request! {
    /// Which part of the standings to list.
    pub query TournamentStandingsQuery {
        /// How many at most: 1 to 100, 50 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<Ranged<1, 100>>,
        /// `next_cursor` of the page before. Standings that change meanwhile may show somebody twice, or not.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<AccountId>,
        /// Groups: only those of this group, by their ranks in it.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 128, format = Int32)]
        pub group: Option<Ranged<1, 128>>,
        /// `json` or `csv`; what `Accept` prefers (`application/json`, `text/csv`) unless given.
        #[param(inline)]
        pub format: Option<TableForm>,
    }
}

/// Get tournament standings
///
/// With tie-breaks as numbers and the cross-table. Before the start they say who has joined. With `group` those of one
/// group, by their ranks in it. As CSV everybody is listed at once, without the cross-table; `limit` and `cursor` can't
/// be given.
#[utoipa::path(tag = "tournaments", operation_id = "get_tournament_standings",
    security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament."), TournamentStandingsQuery),
    responses((status = 200, description = "A page of them, or all.", content((TournamentStandingsPage = "application/json"), (TableCsv = "text/csv")))))]
#[get("/v1/tournaments/{id}/standings")]
pub async fn get_tournament_standings(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<TournamentId>,
    query: Query<TournamentStandingsQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = usize::try_from(page_limit(query.0.limit, 50)).unwrap_or(50);
    let is_csv = TableForm::wanted(query.0.format, &request) == TableForm::Csv;
    if is_csv {
        csv::refuse(&[("/cursor", query.0.cursor.is_some()), ("/limit", query.0.limit.is_some())])?;
    }
    let seen = SeenTournament::find(&app, id.0, visitor.identity()).await?;
    let group = query.0.group.map(form_terms::group);
    let read = async |conn: &mut PublicRead| {
        let tournament = seen.at(conn).await?;
        let mut incomplete = false;
        let all = read::standings(conn, &tournament, &mut incomplete).await?;
        let all = match group {
            Some(group) => read::only_group(&tournament, all, group)?,
            None => all,
        };
        Ok((tournament, all, incomplete))
    };
    let (tournament, mut all, incomplete) = app.public_reads.read(read).await?;
    if is_csv {
        csv::must_be_whole(incomplete)?;
        return table::of_standings(&app, &tournament, all).await;
    }
    if let Some(cursor) = query.0.cursor {
        let at = all.iter().position(|(entrant, _)| entrant.player.id == cursor);
        let gone =
            || Error::invalid_at("/cursor", "invalid-value", "names nobody in these standings: begin again without it");
        all.drain(..=at.ok_or_else(gone)?);
    }
    let more = all.len() > limit;
    all.truncate(limit);
    let next_cursor = all.last().filter(|_| more).map(|(entrant, _)| entrant.player.id);
    let items = all.into_iter().map(|(entrant, standing)| TournamentStanding::of(entrant, standing)).collect();
    let is_final = tournament.status == TournamentStatus::Finished;
    let page = TournamentStandingsPage { items, is_final, next_cursor, incomplete };
    let next = page.next_cursor.map(|id| id.to_string());
    Ok(linked(Reply::ok(&page)?.header(header::VARY, "accept"), &request, next.as_deref(), &[]))
}
