//! Standings of ladders as a table for spreadsheets: all rows of a division, at most [`csv::MAX_ROWS`].

use actix_web::HttpRequest;
use actix_web::http::header;

use crate::api::http::csv::{self, CsvTable};
use crate::api::http::paging::linked;
use crate::api::http::reply::Answer;
use crate::api::ladders::standings::points_of;
use crate::app::App;
use crate::db::PublicRead;
use crate::ladders::LadderSection;
use crate::ladders::read::SeenLadder;
use crate::ladders::standings::{self, LadderStanding, StandingsCursor, StandingsList, StandingsQuery};

const HEADER: [&str; 13] = [
    "rank",
    "player",
    "bot",
    "section",
    "division",
    "points",
    "score",
    "pairings",
    "games",
    "wins",
    "draws",
    "losses",
    "member_since",
];

/// Answers with the standings that follow `after`.
pub async fn of_standings(
    app: &App,
    seen: &SeenLadder,
    wanted: StandingsQuery,
    after: Option<StandingsCursor>,
    request: &HttpRequest,
) -> Answer {
    let read = async |conn: &mut PublicRead| {
        let ladder = seen.at(conn).await?;
        let list = standings::of(&ladder, wanted)?;
        csv::charge(app, standings::size(conn, &ladder, list, csv::MAX_ROWS).await?)?;
        Ok((standings::page(conn, &ladder, list, after, csv::MAX_ROWS).await?, ladder, list))
    };
    let (slice, ladder, list) = app.public_reads.read(read).await?;
    csv::must_be_whole(slice.incomplete)?;
    let next = slice.next.map(|cursor| cursor.to_string());
    let what = list_name(list, "standings");
    let write = move || {
        let mut table = CsvTable::new(HEADER)?;
        for (rank, standing) in slice.standings {
            table.row(row(rank, standing))?;
        }
        Ok(table)
    };
    let reply = csv::reply(app, ladder.terms.title.as_str(), &what, write).await?;
    Ok(linked(reply.header(header::VARY, "accept"), request, next.as_deref(), &[]))
}

/// The name of a file with a list of this ladder.
pub fn list_name(list: StandingsList, what: &str) -> String {
    let section = match list.section {
        LadderSection::All => String::new(),
        apart => format!("-{}", apart.into_str()),
    };
    format!("season-{}-division-{}{section}-{what}", list.season, list.division)
}

fn row(rank: u32, standing: LadderStanding) -> [String; 13] {
    let LadderStanding { player, section, division, tally, score, since, .. } = standing;
    [
        rank.to_string(),
        player.username,
        player.bot.to_string(),
        section.into_str().to_owned(),
        division.to_string(),
        (f64::from(tally.half_points) / 2.0).to_string(),
        points_of(score).to_string(),
        tally.pairings.to_string(),
        tally.games.to_string(),
        tally.won.to_string(),
        tally.drawn.to_string(),
        tally.lost.to_string(),
        since.to_string(),
    ]
}
