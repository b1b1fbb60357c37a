//! A tournament in FIDE's report format TRF16 (Handbook C.04, Annex 2), which pairing programs and rating officers
//! read: columns at fixed places. Fields without a meaning in naval battles stay blank: sex, chess title, federation,
//! FIDE number, date of birth, city, arbiters.

use actix_web::http::header;
use actix_web::{get, web};
use broadside_contests::Form;
use broadside_contests::crosstable::Cell;
use broadside_contests::tie_breaks::Standing;
use broadside_rules::Time;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::csv::{self, file_name};
use crate::api::http::extract::Id;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::db::PublicRead;
use crate::error::{Error, problem};
use crate::ids::TournamentId;
use crate::tournaments::read::SeenTournament;
use crate::tournaments::{Entrant, Tournament, read};
use crate::work_pool::Lane;

/// The width of the name column.
const NAME: usize = 33;

/// A tournament report in FIDE's format TRF16: a line for each fact and each player, with columns at fixed places.
#[derive(ToSchema)]
#[schema(max_length = 4_194_304)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct TournamentReportText(String);

/// Get a tournament as a FIDE report
///
/// TRF16 (FIDE Handbook C.04, Annex 2), as text. Finished games alone are in it; a game under way is blank. Sex, chess
/// title, federation, FIDE number, date of birth, city and arbiters are left blank. Before the start it has no players.
/// Of a knockout and of finals, whose ties may have several boards, each board stands as a round. The format knows one
/// opponent a round, so a tournament at tables is refused with `no-report-of-tables`.
#[utoipa::path(tag = "tournaments", operation_id = "get_tournament_report", security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    responses((status = 200, description = "The report.", body = TournamentReportText, content_type = "text/plain")))]
#[get("/v1/tournaments/{id}/report")]
pub async fn get_tournament_report(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<TournamentId>) -> Answer {
    let seen = SeenTournament::find(&app, id.0, visitor.identity()).await?;
    let read = async |conn: &mut PublicRead| {
        let tournament = seen.at(conn).await?;
        if tournament.terms.form == Form::Tables {
            return Err(Error::plain(&problem::NO_REPORT_OF_TABLES));
        }
        let mut incomplete = false;
        let all = read::standings(conn, &tournament, &mut incomplete).await?;
        csv::must_be_whole(incomplete)?;
        Ok((tournament, all))
    };
    let (tournament, all) = app.public_reads.read(read).await?;
    let file = file_name(tournament.terms.title.as_str(), "report", "trf");
    let text = app.pool.run(Lane::Heavy, move || report(&tournament, &all)).await?;
    Ok(Reply::text(text).header(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{file}\"")))
}

fn report(tournament: &Tournament, all: &[(Entrant, Option<Standing>)]) -> String {
    let mut playing: Vec<(u16, &Entrant, &Standing)> =
        all.iter().filter_map(|(entrant, standing)| Some((entrant.number?, entrant, standing.as_ref()?))).collect();
    playing.sort_by_key(|(number, ..)| *number);
    let rated = playing.iter().filter(|(_, entrant, _)| entrant.rating.is_some()).count();
    let day = |at: Option<Time>| at.map(|at| at.to_string().chars().take(10).collect()).unwrap_or_default();
    let form = match tournament.terms.form {
        Form::Swiss => "Individual: Swiss-System",
        Form::RoundRobin => "Individual: Round-Robin",
        Form::Knockout => "Individual: Knock-Out",
        Form::Groups => "Individual: Round-Robin groups and Knock-Out",
        // Tables are refused earlier, because the format has one opponent per round.
        Form::Tables => "Individual",
    };
    let facts: [(&str, String); 11] = [
        ("012", tournament.terms.title.as_str().to_owned()),
        ("022", String::new()),
        ("032", String::new()),
        ("042", day(tournament.started_at)),
        ("052", day(tournament.ended_at)),
        ("062", playing.len().to_string()),
        ("072", rated.to_string()),
        ("082", "0".to_owned()),
        ("092", form.to_owned()),
        ("102", String::new()),
        ("122", "Correspondence".to_owned()),
    ];
    let mut lines: Vec<String> = facts.iter().map(|(code, fact)| format!("{code} {fact}")).collect();
    let columns: Vec<usize> = (1..=tournament.round)
        .map(|round| playing.iter().map(|(.., standing)| games_of(standing, round).count()).max().unwrap_or(0).max(1))
        .collect();
    lines.extend(playing.iter().map(|(number, entrant, standing)| player(*number, entrant, standing, &columns)));
    lines.iter().map(|line| format!("{}\r\n", line.trim_end())).collect()
}

/// A player's games of a round: one, except in a knockout with ties of several boards.
fn games_of(standing: &Standing, round: u16) -> impl Iterator<Item = &Cell> {
    standing.cells.iter().filter(move |cell| cell.round == round)
}

/// The line of a player. The columns are those of the format, counted from 1. `columns` is the number of games in each
/// round: the format has one per round, so each board of a tie takes a round of its own.
fn player(number: u16, entrant: &Entrant, standing: &Standing, columns: &[usize]) -> String {
    let name: String = entrant.player.username.chars().take(NAME).collect();
    let rating = entrant.rating.map(|rating| rating.to_string()).unwrap_or_default();
    let points = format!("{:.1}", f64::from(standing.halves) / 2.0);
    // 1 code, 5 number, 10 sex, 11 title, 15 name, 49 rating, 54 federation, 58 FIDE number, 70 date of birth, 81
    // points, 86 rank.
    let mut line = format!(
        "001 {number:>4} {:1}{:>3} {name:<33} {rating:>4} {:>3} {:>11} {:<10} {points:>4} {:>4}",
        "", "", "", "", "", standing.place
    );
    for (round, games) in (1..).zip(columns) {
        let mut cells = games_of(standing, round);
        for game in 0..*games {
            line.push_str("  ");
            match cells.next() {
                Some(cell) if cell.is_over => line.push_str(&result(cell)),
                None if game == 0 => line.push_str("0000 - Z"),
                // Not finished, or a board that this tie didn't need.
                Some(_) | None => line.push_str("        "),
            }
        }
    }
    line
}

/// A round in eight columns: the opponent's number, the color (`w`: the player began or should have begun), and the
/// result. Byes are `U` if allocated by the draw, and `H` (half a point) or `Z` (nothing) if requested or before a late
/// entry.
fn result(cell: &Cell) -> String {
    let opponent = cell.opponent.map_or("0000".to_owned(), |number| format!("{number:>4}"));
    let code = match (cell.halves, cell.opponent, cell.unplayed) {
        (Some(2), None, _) => 'U',
        (Some(1), None, _) => 'H',
        (_, None, _) => 'Z',
        (Some(2), _, true) => '+',
        // A game that was called off has no winner.
        (None, ..) | (Some(_), _, true) => '-',
        (Some(2), _, false) => '1',
        (Some(1), _, false) => '=',
        (Some(_), _, false) => '0',
    };
    let colour = match cell {
        Cell { opponent: None, .. } => '-',
        Cell { begins: true, .. } => 'w',
        Cell { .. } => 'b',
    };
    format!("{opponent} {colour} {code}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadside_contests::ByeReason;

    use crate::ids::AccountId;
    use crate::player::Player;

    fn cell(round: u16, opponent: Option<u16>, halves: Option<u8>, unplayed: bool) -> Cell {
        let bye = opponent.is_none().then_some(ByeReason::Allocated);
        Cell { round, opponent, begins: round % 2 == 1, halves, is_over: true, unplayed, bye, counts: true }
    }

    #[test]
    fn columns_are_at_their_places() {
        let entrant = Entrant {
            player: Player { id: AccountId(uuid::Uuid::nil()), username: "anna".to_owned(), bot: false },
            joined_at: Time(0),
            number: Some(7),
            rating: Some(1623),
            missed: 0,
            first_round: 1,
            withdrawn: None,
            finals_seed: None,
            at_the_end: None,
        };
        let cells = vec![
            cell(1, Some(12), Some(2), false),
            cell(2, Some(3), Some(1), false),
            cell(3, None, Some(2), true),
            cell(4, Some(4), Some(0), true),
            Cell { is_over: false, ..cell(5, Some(5), None, false) },
            cell(7, None, Some(1), true),
            cell(8, None, Some(0), true),
            cell(9, Some(5), Some(2), true),
        ];
        let standing = Standing { number: 7, place: 2, halves: 5, cells, ..Standing::default() };
        let line = player(7, &entrant, &standing, &[1; 9]);
        let at = |from: usize, to: usize| line.get(from - 1..to).unwrap();
        assert_eq!((at(1, 3), at(5, 8), at(10, 13)), ("001", "   7", "    "));
        assert_eq!((at(15, 47).trim_end(), at(49, 52)), ("anna", "1623"));
        assert_eq!((at(54, 79).trim(), at(81, 84), at(86, 89)), ("", " 2.5", "   2"));
        let rounds: Vec<&str> = (0..9).map(|round| at(92 + round * 10, 99 + round * 10)).collect();
        let played = ["  12 w 1", "   3 b =", "0000 - U", "   4 b -", "        ", "0000 - Z", "0000 - H", "0000 - Z"];
        let expected = [&played[..], &["   5 w +"]].concat();
        assert_eq!(rounds, expected);
    }
}
