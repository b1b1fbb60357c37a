//! The bracket of a knockout, or of finals after groups, over HTTP: the pairings of each round, the origin of the
//! players, and the decisive criterion. All of it is public; a token makes no difference.

use actix_web::{get, web};
use broadside_contests::knockout::{Decision, Tie};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::extract::Id;
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::db::PublicRead;
use crate::ids::TournamentId;
use crate::player::Player;
use crate::tournaments::read::SeenTournament;
use crate::tournaments::{Entrant, read};

/// The bracket of a knockout, or of finals after groups.
#[derive(Serialize, ToSchema)]
pub struct TournamentBracket {
    /// All rounds, from the first to the final, those that are still to come included. Empty before the start, or
    /// before the finals after groups are drawn, and in other formats.
    #[schema(max_items = 9)]
    rounds: Vec<BracketRound>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// A round of a bracket.
#[derive(Serialize, ToSchema)]
pub struct BracketRound {
    /// Its number in the tournament: of finals after groups, the rounds of the groups are counted as well.
    #[schema(minimum = 1, maximum = 39, format = Int32)]
    round: u16,
    /// From top to bottom: the winners of two neighbouring ties meet in the next round.
    #[schema(max_items = 256)]
    ties: Vec<BracketTie>,
}

/// Two who meet in a round of a knockout, until one of them goes on.
#[derive(Serialize, ToSchema)]
pub struct BracketTie {
    /// Its number in the round, from 1.
    #[schema(minimum = 1, maximum = 256, format = Int32)]
    tie: u16,
    /// Whether it is for the third place, between those who have lost the semi-finals.
    for_third_place: bool,
    first: TieSeat,
    /// Null: `first` has a bye.
    second: Option<TieSeat>,
    /// The numbers of its boards in the round, in the order in which they are played.
    #[schema(schema_with = crate::schemas::board_numbers)]
    boards: Vec<u16>,
    /// The starting number of who goes on, or is placed higher; null: it isn't decided.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    winner: Option<u16>,
    /// What has decided; null: it isn't decided.
    decided_by: Option<Decision>,
}

/// One side of a tie.
#[derive(Serialize, ToSchema)]
pub struct TieSeat {
    /// The tie of the round before from which they come: its winner, or for the third place its loser. Null in the
    /// first round.
    #[schema(minimum = 1, maximum = 256, format = Int32)]
    from_tie: Option<u16>,
    /// Their starting number; null: they aren't known yet.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: Option<u16>,
    /// Their seed: in a knockout their starting number, in finals after groups by their ranks in these. Null: they
    /// aren't known yet.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    seed: Option<u16>,
    /// Null: they aren't known yet.
    player: Option<Player>,
    /// The points of its boards so far.
    #[schema(minimum = 0, maximum = 11)]
    points: f64,
}

impl BracketTie {
    fn of(tie: Tie, entrants: &[Entrant]) -> Self {
        let seat = |at: usize| {
            let number = tie.players[at];
            let found = entrants.iter().find(|entrant| number.is_some() && entrant.number == number);
            TieSeat {
                from_tie: tie.from.map(|from| from[at]),
                starting_number: number,
                seed: found.and_then(|entrant| entrant.finals_seed).or(number),
                player: found.map(|entrant| entrant.player.clone()),
                points: f64::from(tie.halves[at]) / 2.0,
            }
        };
        let has_bye = tie.from.is_none() && tie.players[1].is_none();
        Self {
            tie: tie.tie,
            for_third_place: tie.for_third_place,
            first: seat(0),
            second: (!has_bye).then(|| seat(1)),
            winner: tie.outcome.map(|outcome| outcome.winner),
            decided_by: tie.outcome.map(|outcome| outcome.by),
            boards: tie.boards,
        }
    }
}

/// Get a tournament bracket
///
/// Of a knockout, or of the finals after groups, as far as it is known: each tie, from which ties of the round before
/// its players come, its boards, and what has decided it. Everybody can draw it again from the seeds and the boards.
#[utoipa::path(tag = "tournaments", operation_id = "get_tournament_bracket", security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    responses((status = 200, description = "The bracket.", body = TournamentBracket)))]
#[get("/v1/tournaments/{id}/bracket")]
pub async fn get_tournament_bracket(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<TournamentId>) -> Answer {
    let seen = SeenTournament::find(&app, id.0, visitor.identity()).await?;
    let read = async |conn: &mut PublicRead| {
        let tournament = seen.at(conn).await?;
        let mut incomplete = false;
        let (drawn, entrants) = read::bracket(conn, &tournament, &mut incomplete).await?;
        Ok((drawn, entrants, incomplete))
    };
    let (drawn, entrants, incomplete): (Vec<Vec<Tie>>, Vec<Entrant>, bool) = app.public_reads.read(read).await?;
    let rounds = drawn.into_iter().map(|ties| BracketRound {
        round: ties.first().map_or(0, |tie| tie.round),
        ties: ties.into_iter().map(|tie| BracketTie::of(tie, &entrants)).collect(),
    });
    Ok(Reply::ok(&TournamentBracket { rounds: rounds.collect(), incomplete })?)
}
