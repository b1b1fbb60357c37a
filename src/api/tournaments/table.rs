//! Standings of tournaments as a table for spreadsheets: all players, with every tie-break in a column.

use actix_web::http::header;
use broadside_contests::tie_breaks::Standing;

use crate::api::http::csv::{self, CsvTable};
use crate::api::http::reply::Answer;
use crate::app::App;
use crate::tournaments::{Entrant, Tournament};

const HEADER: [&str; 26] = [
    "rank",
    "player",
    "bot",
    "starting_number",
    "rating",
    "points",
    "played",
    "wins",
    "draws",
    "losses",
    "buchholz",
    "buchholz_cut_1",
    "sonneborn_berger",
    "direct_encounter",
    "withdrawn_after_round",
    "struck",
    "joined_at",
    "points_120ths",
    "opponents_average_7200ths",
    "first_places",
    "head_to_head",
    "first_round",
    "group",
    "group_rank",
    "group_points",
    "finals_seed",
];

/// Answers with the standings of all players, or of a group: at most 512.
pub async fn of_standings(app: &App, tournament: &Tournament, all: Vec<(Entrant, Option<Standing>)>) -> Answer {
    let write = move || {
        let mut table = CsvTable::new(HEADER)?;
        for (entrant, standing) in all {
            table.row(row(entrant, standing))?;
        }
        Ok(table)
    };
    let reply = csv::reply(app, tournament.terms.title.as_str(), "standings", write).await?;
    Ok(reply.header(header::VARY, "accept"))
}

/// The value as text, or an empty cell.
pub fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Points as text, such as `2.5`, from half points.
fn points(halves: u32) -> String {
    (f64::from(halves) / 2.0).to_string()
}

fn row(entrant: Entrant, standing: Option<Standing>) -> [String; 26] {
    let rank = standing.as_ref().map(|standing| standing.place);
    let standing = standing.unwrap_or_default();
    [
        or_empty(rank),
        entrant.player.username,
        entrant.player.bot.to_string(),
        or_empty(entrant.number),
        or_empty(entrant.rating),
        standing.points().to_string(),
        standing.played.to_string(),
        standing.wins.to_string(),
        standing.draws.to_string(),
        standing.losses.to_string(),
        points(standing.buchholz),
        points(standing.buchholz_cut_1),
        (f64::from(standing.sonneborn_berger) / 4.0).to_string(),
        or_empty(standing.direct_encounter.map(points)),
        or_empty(entrant.withdrawn.map(|withdrawn| withdrawn.round)),
        standing.struck.to_string(),
        entrant.joined_at.to_string(),
        or_empty(standing.tables.map(|score| score.points)),
        or_empty(standing.tables.map(|score| score.opponents_average)),
        or_empty(standing.tables.map(|score| score.first_places)),
        or_empty(standing.tables.and_then(|score| score.head_to_head).map(points)),
        entrant.first_round.to_string(),
        or_empty(standing.group.map(|own| own.group)),
        or_empty(standing.group.map(|own| own.place)),
        or_empty(standing.group.map(|own| points(own.halves))),
        or_empty(entrant.finals_seed),
    ]
}
