//! The cross-table of a division of a ladder: rows and columns by rank, and the results between each two members.

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::csv::{self, CsvTable, TableCsv, TableForm};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::{Ranged, request};
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::ladders::standings::points_of;
use crate::api::ladders::table::list_name;
use crate::app::App;
use crate::db::PublicRead;
use crate::error::Result;
use crate::ids::{LadderId, PairingId};
use crate::ladders::LadderSection;
use crate::ladders::crosstable::{self, LadderCrosstable, Meeting};
use crate::ladders::read::SeenLadder;
use crate::ladders::standings::{self, StandingsQuery};
use crate::player::Player;
use crate::work_pool::Lane;

/// A member's row of a cross-table.
#[derive(Serialize, ToSchema)]
pub struct LadderCrosstableRow {
    /// The rank in the division, and the number of the row and of the member's column.
    #[schema(minimum = 1, maximum = 128, format = Int32)]
    rank: usize,
    player: Player,
    /// The points of the whole season, also those against members of other divisions and against who has left.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    points: f64,
    /// What the standings rank by.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    score: f64,
    /// What the pairings with each opponent gave, by the opponents' columns; those whom they haven't met are left out.
    #[schema(max_items = 127)]
    results: Vec<LadderCrosstableResult>,
}

/// What the pairings of two members gave one of them.
#[derive(Serialize, ToSchema)]
pub struct LadderCrosstableResult {
    /// The opponent's column.
    #[schema(minimum = 1, maximum = 128, format = Int32)]
    column: usize,
    /// The points of all of them.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    points: f64,
    /// The pairings, the oldest first.
    #[schema(max_items = 10_000)]
    pairings: Vec<LadderCrosstablePairing>,
}

/// A pairing of two members.
#[derive(Serialize, ToSchema)]
pub struct LadderCrosstablePairing {
    pairing_id: PairingId,
    /// The points of its games against the opponent of the column.
    #[schema(minimum = 0, maximum = 2)]
    points: f64,
}

/// The cross-table of a division.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderCrosstable)]
pub struct LadderCrosstableBody {
    /// The season.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    season: u32,
    /// Which of several lists it is.
    section: LadderSection,
    /// The division, from 1, the highest.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    division: u32,
    /// Whether the season is over, and the table never changes again.
    is_final: bool,
    /// How many members the division has; the table is of the first 128.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    members: u32,
    /// The rows, the best member's first.
    #[schema(max_items = 128)]
    rows: Vec<LadderCrosstableRow>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

request! {
    /// Which cross-table of a ladder to show, and how.
    pub query LadderCrosstableQuery {
        /// The season; the newest unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 2147483647, format = Int32)]
        pub season: Option<Ranged<1, 2_147_483_647>>,
        /// Where bots and humans are listed apart: `humans` (unless given) or `bots`.
        #[param(value_type = Option<LadderSection>, inline)]
        pub section: Option<LadderSection>,
        /// The division; 1, the highest, unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 2147483647, format = Int32)]
        pub division: Option<Ranged<1, 2_147_483_647>>,
        /// `json` or `csv`; what `Accept` prefers (`application/json`, `text/csv`) unless given.
        #[param(inline)]
        pub format: Option<TableForm>,
    }
}

/// Get the cross-table of a ladder
///
/// Rows and columns are the members of a division by rank, 128 at most; each cell has what the pairings of the
/// two gave the member of the row in the season. As CSV a cell has the points of each pairing, the oldest first, with
/// spaces between them. `not-found`: there was no such season.
#[utoipa::path(tag = "ladders", operation_id = "get_ladder_crosstable", security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder."), LadderCrosstableQuery),
    responses((status = 200, description = "The table.", content((LadderCrosstableBody = "application/json"), (TableCsv = "text/csv")))))]
#[get("/v1/ladders/{id}/crosstable")]
pub async fn get_ladder_crosstable(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    query: Query<LadderCrosstableQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let form = TableForm::wanted(asked.format, &request);
    let [season, division] = [asked.season, asked.division].map(|number| number.map(|number| number.0));
    let seen = SeenLadder::find(&app, id.0, visitor.identity()).await?;
    let read = async |conn: &mut PublicRead| {
        let ladder = seen.at(conn).await?;
        let list = standings::of(&ladder, StandingsQuery { season, section: asked.section, division })?;
        Ok((crosstable::of(conn, &ladder, list).await?, ladder, list))
    };
    let (table, ladder, list) = app.public_reads.read(read).await?;
    if form == TableForm::Csv {
        csv::must_be_whole(table.incomplete)?;
        let what = list_name(list, "crosstable");
        let reply = csv::reply(&app, ladder.terms.title.as_str(), &what, move || written(&table)).await?;
        return Ok(reply.header(header::VARY, "accept"));
    }
    let is_final = list.season < ladder.season.number || ladder.closed.is_some();
    let make = move || {
        let (members, incomplete) = (table.members, table.incomplete);
        let (season, section, division) = (list.season, list.section, list.division);
        let rows = rows(table);
        Reply::ok(&LadderCrosstableBody { season, section, division, is_final, members, rows, incomplete })
    };
    Ok(app.pool.run(Lane::Heavy, make).await??.header(header::VARY, "accept"))
}

fn rows(table: LadderCrosstable) -> Vec<LadderCrosstableRow> {
    let LadderCrosstable { standings, meetings, .. } = table;
    let row = |(row, standing): (usize, standings::LadderStanding)| {
        let met = meetings.range((row, 0)..(row + 1, 0));
        let results = met.map(|((_, column), met)| LadderCrosstableResult {
            column: column + 1,
            points: met.iter().map(points).sum(),
            pairings: met.iter().map(pairing).collect(),
        });
        LadderCrosstableRow {
            rank: row + 1,
            points: f64::from(standing.tally.half_points) / 2.0,
            score: points_of(standing.score),
            results: results.collect(),
            player: standing.player,
        }
    };
    standings.into_iter().enumerate().map(row).collect()
}

fn pairing(met: &Meeting) -> LadderCrosstablePairing {
    LadderCrosstablePairing { pairing_id: met.pairing, points: points(met) }
}

fn points(met: &Meeting) -> f64 {
    f64::from(met.half_points) / 2.0
}

/// The CSV table, with a column for each member.
fn written(table: &LadderCrosstable) -> Result<CsvTable> {
    let fixed = ["rank", "player", "points", "score"].map(str::to_owned);
    let names = table.standings.iter().map(|standing| standing.player.username.clone());
    let mut written = CsvTable::new(fixed.into_iter().chain(names))?;
    for (row, standing) in table.standings.iter().enumerate() {
        let own = [
            (row + 1).to_string(),
            standing.player.username.clone(),
            (f64::from(standing.tally.half_points) / 2.0).to_string(),
            points_of(standing.score).to_string(),
        ];
        let cells = (0..table.standings.len()).map(|column| match table.meetings.get(&(row, column)) {
            _ if column == row => "x".to_owned(),
            None => String::new(),
            Some(met) => met.iter().map(|met| points(met).to_string()).collect::<Vec<_>>().join(" "),
        });
        written.row(own.into_iter().chain(cells))?;
    }
    Ok(written)
}
