//! The cross-table of a tournament: rows and columns by rank, and the results of each pair's games. It shows finished
//! games alone, all of which are public.

use std::collections::{BTreeMap, HashMap};

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use broadside_contests::crosstable::Cell;
use broadside_contests::tie_breaks::Standing;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::csv::{self, CsvTable, TableCsv, TableForm};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::{Ranged, request};
use crate::api::http::paging::{is_whole, linked, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::tournaments::table::or_empty;
use crate::api::tournaments::{form_terms, standings};
use crate::app::App;
use crate::db::PublicRead;
use crate::error::Result;
use crate::ids::TournamentId;
use crate::player::Player;
use crate::tournaments::read::SeenTournament;
use crate::tournaments::{Entrant, TournamentStatus, read};
use crate::work_pool::Lane;

/// A player's row of a cross-table.
#[derive(Serialize, ToSchema)]
pub struct CrosstableRow {
    /// The number of the row, from 1, the best first; the player's column has the same number.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    row: u16,
    /// The player's place; equals share one.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    rank: u16,
    player: Player,
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: u16,
    /// All points: those of the games, of byes and of wins without play.
    #[schema(minimum = 0, maximum = 126)]
    points: f64,
    /// The points of byes.
    #[schema(minimum = 0, maximum = 126)]
    bye_points: f64,
    /// Round robin: the player has withdrawn early, and none of their games counts for anybody.
    struck: bool,
    /// What the games with each opponent gave, by the opponents' columns; those without a finished game are left out.
    #[schema(max_items = 126)]
    results: Vec<CrosstableResult>,
}

/// What the games of a pair gave one of the two.
#[derive(Serialize, ToSchema)]
pub struct CrosstableResult {
    /// The opponent's column.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    column: u16,
    /// The points of all games that count.
    #[schema(minimum = 0, maximum = 126)]
    points: f64,
    /// The games, round by round (paired games are one).
    #[schema(max_items = 126)]
    games: Vec<CrosstableGame>,
}

/// A finished game in a cross-table; paired games are one.
#[derive(Serialize, ToSchema)]
pub struct CrosstableGame {
    #[schema(minimum = 1, maximum = 126, format = Int32)]
    round: u16,
    /// The player's points; null: it was called off.
    #[schema(minimum = 0, maximum = 1)]
    points: Option<f64>,
    /// Won or lost without play.
    unplayed: bool,
    /// Whether it counts: not if one of the two is struck.
    counts: bool,
}

/// A page of the cross-table of a tournament.
#[derive(Serialize, ToSchema)]
pub struct TournamentCrosstablePage {
    /// The rows, the best player's first; none before the start.
    #[schema(max_items = 100)]
    items: Vec<CrosstableRow>,
    /// How many rows and columns the whole table has.
    #[schema(minimum = 0, maximum = 512, format = Int32)]
    size: usize,
    /// Whether the tournament is over, and the table never changes again.
    is_final: bool,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    next_cursor: Option<String>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

request! {
    /// Which part of a cross-table to show, and how.
    pub query TournamentCrosstableQuery {
        /// How many rows at most: 1 to 100, 50 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<Ranged<1, 100>>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<u32>,
        /// Groups: the table of this group, with its games alone, and ranks and points in it.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 128, format = Int32)]
        pub group: Option<Ranged<1, 128>>,
        /// `json` or `csv`; what `Accept` prefers (`application/json`, `text/csv`) unless given.
        #[param(inline)]
        pub format: Option<TableForm>,
    }
}

/// Get the cross-table of a tournament
///
/// Rows and columns are the players by rank; each cell has what the finished games of the two gave the player of the
/// row: at tables a point for each at which they were placed before the other. As CSV the whole table comes at once,
/// and `limit` and `cursor` can't be given: a cell has the points of the games, round by round with spaces between
/// them; `F` follows what was won or lost without play, a game that was called off is `a`, and one that doesn't count
/// is in parentheses.
#[utoipa::path(tag = "tournaments", operation_id = "get_tournament_crosstable",
    security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament."), TournamentCrosstableQuery),
    responses((status = 200, description = "A page of it, or all.", content((TournamentCrosstablePage = "application/json"), (TableCsv = "text/csv")))))]
#[get("/v1/tournaments/{id}/crosstable")]
pub async fn get_tournament_crosstable(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<TournamentId>,
    query: Query<TournamentCrosstableQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let form = TableForm::wanted(asked.format, &request);
    if form == TableForm::Csv {
        csv::refuse(&[("/cursor", asked.cursor.is_some()), ("/limit", asked.limit.is_some())])?;
    }
    let seen = SeenTournament::find(&app, id.0, visitor.identity()).await?;
    let group = asked.group.map(form_terms::group);
    let read = async |conn: &mut PublicRead| {
        let tournament = seen.at(conn).await?;
        let mut incomplete = false;
        let all = match group {
            Some(group) => read::group_table(conn, &tournament, group, &mut incomplete).await?,
            None => read::standings(conn, &tournament, &mut incomplete).await?,
        };
        Ok((tournament, all, incomplete))
    };
    let (tournament, all, incomplete) = app.public_reads.read(read).await?;
    if form == TableForm::Csv {
        csv::must_be_whole(incomplete)?;
        let reply =
            csv::reply(&app, tournament.terms.title.as_str(), "crosstable", move || written(&rows(all))).await?;
        return Ok(reply.header(header::VARY, "accept"));
    }
    let (limit, after) = (page_limit(asked.limit, 50), asked.cursor.unwrap_or_default());
    let is_final = tournament.status == TournamentStatus::Finished;
    let make = move || {
        let mut rows = rows(all);
        let size = rows.len();
        rows.retain(|row| u32::from(row.row) > after);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|row| row.row.to_string());
        let page = TournamentCrosstablePage { items: rows, size, is_final, next_cursor, incomplete };
        Reply::ok(&page).map(|reply| (reply, page.next_cursor))
    };
    let (reply, next) = app.pool.run(Lane::Heavy, make).await??;
    Ok(linked(reply.header(header::VARY, "accept"), &request, next.as_deref(), &[]))
}

/// The whole table. It has no rows before the start.
fn rows(all: Vec<(Entrant, Option<Standing>)>) -> Vec<CrosstableRow> {
    let numbered = all.iter().filter(|(_, standing)| standing.is_some()).filter_map(|(entrant, _)| entrant.number);
    let columns: HashMap<u16, u16> = numbered.zip(1..).collect();
    let playing = all.into_iter().filter_map(|(entrant, standing)| Some((entrant.number?, entrant, standing?)));
    (1..)
        .zip(playing)
        .map(|(row, (number, entrant, standing))| row_of(row, number, entrant, standing, &columns))
        .collect()
}

fn row_of(
    row: u16,
    starting_number: u16,
    entrant: Entrant,
    standing: Standing,
    columns: &HashMap<u16, u16>,
) -> CrosstableRow {
    let points = standing.points();
    let mut met: BTreeMap<u16, Vec<Cell>> = BTreeMap::new();
    let mut bye_halves = 0;
    for cell in standing.cells.into_iter().filter(|cell| cell.is_over) {
        match cell.opponent.map(|opponent| columns.get(&opponent)) {
            Some(Some(column)) => met.entry(*column).or_default().push(cell),
            Some(None) => {}
            None => bye_halves += u32::from(cell.halves.unwrap_or_default()),
        }
    }
    let results = met.into_iter().map(|(column, games)| {
        let counting = games.iter().filter(|game| game.counts).filter_map(|game| game.halves);
        let halves: u32 = counting.map(u32::from).sum();
        CrosstableResult { column, points: f64::from(halves) / 2.0, games: games.into_iter().map(Into::into).collect() }
    });
    CrosstableRow {
        row,
        rank: standing.place,
        player: entrant.player,
        starting_number,
        points,
        bye_points: f64::from(bye_halves) / 2.0,
        struck: standing.struck,
        results: results.collect(),
    }
}

impl From<Cell> for CrosstableGame {
    fn from(cell: Cell) -> Self {
        let points = cell.halves.map(standings::points);
        Self { round: cell.round, points, unplayed: cell.unplayed, counts: cell.counts }
    }
}

/// The CSV table, with a column for each player.
fn written(rows: &[CrosstableRow]) -> Result<CsvTable> {
    let fixed = ["row", "rank", "player", "starting_number", "points", "byes"].map(str::to_owned);
    let names = rows.iter().map(|row| row.player.username.clone());
    let mut table = CsvTable::new(fixed.into_iter().chain(names))?;
    for row in rows {
        let own = [
            row.row.to_string(),
            row.rank.to_string(),
            row.player.username.clone(),
            row.starting_number.to_string(),
            row.points.to_string(),
            row.bye_points.to_string(),
        ];
        let mut met = row.results.iter().peekable();
        let cells = rows.iter().map(|column| {
            if column.row == row.row {
                return "x".to_owned();
            }
            or_empty(met.next_if(|result| result.column == column.row).map(cell))
        });
        table.row(own.into_iter().chain(cells))?;
    }
    Ok(table)
}

fn cell(result: &CrosstableResult) -> String {
    let games = result.games.iter().map(|game| {
        let points = game.points.map_or_else(|| "a".to_owned(), |points| points.to_string());
        let unplayed = if game.unplayed { "F" } else { "" };
        if game.counts { format!("{points}{unplayed}") } else { format!("({points}{unplayed})") }
    });
    games.collect::<Vec<_>>().join(" ")
}
