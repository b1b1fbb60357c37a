//! Rounds of tournaments over HTTP: the pairings and their matches. All of it is public; a token makes no difference.

use actix_web::{HttpRequest, get, web};
use broadside_contests::{BoardState, ByeReason, swiss, tables};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::extract::Id;
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::tournaments::review::ByHandBody;
use crate::app::App;
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::{MatchId, PairingId, TournamentId};
use crate::listed::Listed;
use crate::player::Player;
use crate::tournaments::read::SeenTournament;
use crate::tournaments::{Board, Entrant, Tournament, read};

/// The rounds of a tournament.
#[derive(Serialize, ToSchema)]
pub struct TournamentRounds {
    /// Those that are known, from the first on.
    #[schema(max_items = 126)]
    items: Vec<RoundSummary>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// A round of a tournament.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentRoundSummary)]
pub struct RoundSummary {
    #[schema(minimum = 1, maximum = 126, format = Int32)]
    round: u16,
    /// How many boards it has, byes included.
    #[schema(minimum = 1, maximum = 2816, format = Int32)]
    boards: usize,
    /// How many of them are over.
    #[schema(minimum = 0, maximum = 2816, format = Int32)]
    finished_boards: usize,
    /// Whether it has come.
    started: bool,
}

/// List rounds of a tournament
///
/// Of a round robin, and of groups, all of them from the start on; in the other formats, and of finals after groups,
/// those that have been drawn.
#[utoipa::path(tag = "tournaments", operation_id = "list_tournament_rounds", security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    responses((status = 200, description = "The rounds.", body = TournamentRounds)))]
#[get("/v1/tournaments/{id}/rounds")]
pub async fn list_tournament_rounds(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<TournamentId>) -> Answer {
    let seen = SeenTournament::find(&app, id.0, visitor.identity()).await?;
    let read = async |conn: &mut PublicRead| {
        let tournament = seen.at(conn).await?;
        let mut incomplete = false;
        let (boards, _) = read::rounds(conn, &tournament, None, &mut incomplete).await?;
        Ok((tournament, boards, incomplete))
    };
    let (tournament, boards, incomplete) = app.public_reads.read(read).await?;
    let rounds = boards.chunk_by(|one, next| one.round == next.round).map(|boards| RoundSummary {
        round: boards[0].round,
        boards: boards.len(),
        finished_boards: boards.iter().filter(|board| board.state == BoardState::Finished).count(),
        started: boards[0].round <= tournament.round,
    });
    Ok(Reply::ok(&TournamentRounds { items: rounds.collect(), incomplete })?)
}

/// A round of a tournament, board by board.
#[derive(Serialize, ToSchema)]
pub struct TournamentRound {
    #[schema(minimum = 1, maximum = 126, format = Int32)]
    round: u16,
    /// The higher boards first; byes come last. In groups group by group. In a knockout, and in finals, first the first
    /// boards of all ties, then the second
    /// ones, and so on.
    #[schema(max_items = 2816)]
    boards: Vec<BoardBody>,
    /// Of a Swiss, and at tables: what the round was drawn from; of a Swiss in the order in which players are paired.
    /// With the rules in the documentation everybody can draw it again.
    #[schema(max_items = 512)]
    drawn_from: Vec<DrawnPlayer>,
    /// That an organizer has paired it by hand, why, and what the draw had given; null: it is as it was drawn.
    paired_by_hand: Option<ByHandBody>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// A place in a round: two players who meet, those who sit at a table, or one who sits out.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentBoard)]
pub struct BoardBody {
    #[schema(minimum = 1, maximum = 2816, format = Int32)]
    board: u16,
    /// Groups: the group to which it belongs; null: another format, or the finals.
    #[schema(minimum = 1, maximum = 128, format = Int32)]
    group: Option<u16>,
    /// Knockout, and finals after groups: the tie to which it belongs; null: another format, or the groups.
    #[schema(minimum = 1, maximum = 256, format = Int32)]
    tie: Option<u16>,
    /// Who begins (of paired games: the first one); of a table the first in the order of the seats.
    first: SeatedPlayer,
    /// The opponent, of a table the next one; null: a bye.
    second: Option<SeatedPlayer>,
    /// Of a table everybody who was drawn to sit at it, in the order of the seats; empty: another format, or a bye.
    #[schema(max_items = 7)]
    table: Vec<TablePlayer>,
    status: BoardState,
    /// Its matches; null: they have not been opened.
    pairing_id: Option<PairingId>,
    /// The matches themselves: one, or two of paired games.
    #[schema(max_items = 2)]
    match_ids: Vec<MatchId>,
    /// A bye, or somebody has won without play.
    unplayed: bool,
    /// Why somebody sits out; null: nobody does here.
    bye: Option<ByeReason>,
    /// By when its matches have to be over; null: they have not been opened, or rounds have no such time.
    due_at: Option<Time>,
    ended_at: Option<Time>,
}

/// A player at a board.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentBoardPlayer)]
pub struct SeatedPlayer {
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: u16,
    player: Player,
    /// The points for it; null: it isn't over, or was called off.
    #[schema(minimum = 0, maximum = 1)]
    points: Option<f64>,
}

/// A player at a table.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentTablePlayer)]
pub struct TablePlayer {
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: u16,
    player: Player,
    /// Their place, from 1; equals share one. Null: it isn't over, was called off, or they had withdrawn before it
    /// began.
    #[schema(minimum = 1, maximum = 7, format = Int32)]
    place: Option<u8>,
    /// The share of the others whom they are placed before; null: it isn't over, or was called off.
    #[schema(minimum = 0, maximum = 1)]
    points: Option<f64>,
    /// The same without rounding, in 1/120.
    #[schema(minimum = 0, maximum = 120, format = Int32)]
    points_120ths: Option<u32>,
}

/// A player before a round of a Swiss, or at tables, is drawn.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentDrawnPlayer)]
pub struct DrawnPlayer {
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: u16,
    #[schema(minimum = 0, maximum = 126)]
    points: f64,
    /// The same without rounding, in 1/120; null: a Swiss.
    #[schema(minimum = 0, maximum = 2400, format = Int32)]
    points_120ths: Option<u32>,
    /// The starting numbers of those whom they have met; at tables as often as they have.
    #[schema(schema_with = crate::schemas::starting_numbers)]
    met: Vec<u16>,
    /// In which of their games they moved first, in order; empty with paired games, and at tables.
    #[schema(max_items = 30)]
    began: Vec<bool>,
    #[schema(minimum = 0, maximum = 30, format = Int32)]
    byes: u16,
}

impl From<swiss::Entrant> for DrawnPlayer {
    fn from(entrant: swiss::Entrant) -> Self {
        Self {
            starting_number: entrant.number,
            points: f64::from(entrant.halves) / 2.0,
            points_120ths: None,
            met: entrant.met,
            began: entrant.began,
            byes: entrant.byes,
        }
    }
}

impl From<tables::Entrant> for DrawnPlayer {
    fn from(entrant: tables::Entrant) -> Self {
        Self {
            starting_number: entrant.number,
            points: share(entrant.points),
            points_120ths: Some(entrant.points),
            met: entrant.met,
            began: Vec::new(),
            byes: entrant.byes,
        }
    }
}

/// Points, from units of 1/120.
fn share(points: u32) -> f64 {
    f64::from(points) / f64::from(tables::POINT)
}

impl BoardBody {
    fn of(
        board: &Board,
        tournament: &Tournament,
        entrants: &[Entrant],
        match_ids: Vec<MatchId>,
        due_at: Option<Time>,
    ) -> Result<Self> {
        let named = |number: u16| {
            let found = entrants.iter().find(|entrant| entrant.number == Some(number));
            let unknown = || Error::internal(format!("nobody has the starting number {number}"));
            Ok::<_, Error>(found.ok_or_else(unknown)?.player.clone())
        };
        let seated = |number: u16| {
            let points = board.share_of(number).map(share);
            Ok::<_, Error>(SeatedPlayer { starting_number: number, player: named(number)?, points })
        };
        let at_table = |number: &u16| {
            let points_120ths = board.share_of(*number);
            Ok::<_, Error>(TablePlayer {
                starting_number: *number,
                player: named(*number)?,
                place: board.place_of(*number).filter(|place| *place != tables::ABSENT),
                points: points_120ths.map(share),
                points_120ths,
            })
        };
        Ok(Self {
            board: board.board,
            group: tournament.group_of(board),
            tie: tournament.tie_of(board, entrants).map(|(tie, _)| tie),
            first: seated(board.first)?,
            second: board.second.map(seated).transpose()?,
            table: board.table.iter().map(at_table).collect::<Result<_>>()?,
            status: board.state,
            pairing_id: board.pairing,
            match_ids,
            unplayed: board.unplayed,
            bye: board.bye_reason(),
            due_at,
            ended_at: board.over_at,
        })
    }
}

/// The number of the round in the path. Fails with `not-found` if it is out of range.
pub(super) fn round_number(request: &HttpRequest) -> Result<u16> {
    let number = request.match_info().get("number").and_then(|number| number.parse::<u16>().ok());
    number.filter(|round| (1..=1000).contains(round)).ok_or_else(Error::not_found)
}

/// Get a tournament round
///
/// Who meets whom, in which matches, and what it has brought. `not-found` for a round that isn't known (yet).
#[utoipa::path(tag = "tournaments", operation_id = "get_tournament_round", security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 1)),
    responses((status = 200, description = "The round.", body = TournamentRound)))]
#[get("/v1/tournaments/{id}/rounds/{number}")]
pub async fn get_tournament_round(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<TournamentId>,
    request: HttpRequest,
) -> Answer {
    let round = round_number(&request)?;
    let mut conn = app.db.conn().await?;
    let tournament = read::find(&mut conn, &app, id.0, visitor.identity()).await?;
    let mut incomplete = false;
    let (boards, entrants) = read::rounds(&mut conn, &tournament, Some(round), &mut incomplete).await?;
    if boards.is_empty() && !incomplete {
        return Err(Error::not_found().into());
    }
    let pairings: Vec<PairingId> = boards.iter().filter_map(|board| board.pairing).collect();
    let mut matches = read::matches_of(&mut conn, &pairings).await?;
    let due = read::due_times(&mut conn, tournament.id, round).await?;
    let boards = boards.iter().map(|board| {
        let match_ids = board.pairing.and_then(|pairing| matches.remove(&pairing)).unwrap_or_default();
        let body = BoardBody::of(board, &tournament, &entrants, match_ids, due.get(&board.board).copied());
        (tournament.id, body)
    });
    let what = "a board of a tournament lacks a player; lists leave it out";
    let boards = Listed::of(what, boards)?.note(&mut incomplete);
    let missing = &mut incomplete;
    let swiss = read::drawn_from(&mut conn, &tournament, round, missing).await?.into_iter().map(DrawnPlayer::from);
    let tables = read::tables_drawn_from(&mut conn, &tournament, round, missing).await?;
    let drawn_from = swiss.chain(tables.into_iter().map(DrawnPlayer::from)).collect();
    let paired_by_hand = read::draft(&mut conn, &tournament, round, missing).await?.and_then(ByHandBody::of);
    Ok(Reply::ok(&TournamentRound { round, boards, drawn_from, paired_by_hand, incomplete })?)
}
