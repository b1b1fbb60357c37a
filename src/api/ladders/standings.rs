//! Standings and pairings of a ladder over HTTP. They are public, as results of matches are.

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::{Username, find_named, find_player};
use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::csv::{self, TableCsv, TableForm};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, is_whole, linked, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::ladders::table;
use crate::api::pairings::PairingBody;
use crate::app::App;
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::{LadderId, PairingId};
use crate::ladders::read::SeenLadder;
use crate::ladders::standings::{self, LadderStanding, StandingsCursor, StandingsQuery, StandingsSlice};
use crate::ladders::{LadderSection, read};
use crate::matches::Contest;
use crate::pairings::{self, PairingFilter};
use crate::player::Player;

text_fields!(StandingsCursor, LadderSection, PairingId);

/// How a member has done in a season.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderStanding)]
pub struct StandingBody {
    /// The rank in the division, from 1; on a position ladder, the place.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    rank: u32,
    player: Player,
    /// What they have won: of two players 1 for a game won and 0.5 for a draw; of more, 1 for each other player placed
    /// behind, 0.5 for each with the same place.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    points: f64,
    /// What the standings rank by: what the ladder's `ranking` makes of the points, cut off after six decimals. On a
    /// position ladder the positions rank.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    score: f64,
    /// How many of their pairings have ended with a result.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    pairings: u32,
    /// How many games of these have a result: of paired games each counts.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    games: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    wins: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    draws: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    losses: u32,
    /// Since when they take part.
    member_since: Time,
}

impl StandingBody {
    fn of(rank: u32, standing: LadderStanding) -> Self {
        Self {
            rank,
            points: f64::from(standing.tally.half_points) / 2.0,
            score: points_of(standing.score),
            pairings: standing.tally.pairings,
            games: standing.tally.games,
            wins: standing.tally.won,
            draws: standing.tally.drawn,
            losses: standing.tally.lost,
            member_since: standing.since,
            player: standing.player,
        }
    }
}

/// A score in points, stored in millionths of a point.
pub fn points_of(score: u64) -> f64 {
    let whole = |millionths: u64| f64::from(u32::try_from(millionths).unwrap_or(u32::MAX));
    whole(score / 1_000_000) + whole(score % 1_000_000) / 1e6
}

/// A page of standings.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderStandingsPage)]
pub struct StandingsPage {
    /// The season.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    season: u32,
    /// Which of several lists it is.
    section: LadderSection,
    /// The division, from 1, the highest.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    division: u32,
    /// Whether the season is over, and these are the final places.
    is_final: bool,
    /// Who stands there, the best first: on a position ladder by the places; else a higher `score` comes first, then
    /// (where it is a sum or of the best results) fewer pairings, then more of them won, then who takes part for
    /// longer.
    #[schema(max_items = 100)]
    items: Vec<StandingBody>,
    /// The rank of the player named in `around`; null: the player has none in this season, or nobody was named.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    around_rank: Option<u32>,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    next_cursor: Option<String>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

request! {
    /// Which part of the standings to list.
    pub query LadderStandingsQuery {
        /// The season; the newest unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 2147483647, format = Int32)]
        pub season: Option<Ranged<1, 2_147_483_647>>,
        /// Where bots and humans are listed apart: `humans` (unless given) or `bots`.
        #[param(value_type = Option<LadderSection>, inline)]
        pub section: Option<LadderSection>,
        /// The division; 1, the highest, unless given.
        #[param(minimum = 1, maximum = 2147483647, format = Int32)]
        pub division: Option<u32>,
        /// A player: the page with this player in the middle, of their own section and division. Not together with
        /// `cursor`.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub around: Option<Username>,
        /// `json` or `csv`; what `Accept` prefers (`application/json`, `text/csv`) unless given.
        #[param(inline)]
        pub format: Option<TableForm>,
        ..page(StandingsCursor)
    }
}

/// Get ladder standings
///
/// Of the season that is on they are live; of one that is over, final. `around` asks for the page around one player. As
/// CSV all rows come at once, at most 10 000 (then a `Link` says where the rest is); `around` and `limit` can't be
/// given.
/// `not-found`: there was no such season, or there is no such player.
#[utoipa::path(tag = "ladders", operation_id = "get_ladder_standings", security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder."), LadderStandingsQuery),
    responses((status = 200, description = "A page of them, or all.", content((StandingsPage = "application/json"), (TableCsv = "text/csv")))))]
#[get("/v1/ladders/{id}/standings")]
pub async fn get_ladder_standings(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    query: Query<LadderStandingsQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let form = TableForm::wanted(asked.format, &request);
    if form == TableForm::Csv {
        csv::refuse(&[("/around", asked.around.is_some()), ("/limit", asked.limit.is_some())])?;
    }
    let limit = page_limit(asked.limit, 50);
    let season = asked.season.map(|season| season.0);
    let numbers = [("/season", season), ("/division", asked.division)];
    if let Some((pointer, _)) =
        numbers.iter().find(|(_, number)| number.is_some_and(|n| i32::try_from(n).is_err() || n == 0))
    {
        return Err(Error::invalid_at(pointer, "out-of-range", "must be 1 to 2147483647").into());
    }
    if asked.around.is_some() && asked.cursor.is_some() {
        let detail = "can't be given together with cursor: a page around somebody is a first page";
        return Err(Error::invalid_at("/around", "conflicting-fields", detail).into());
    }
    let around = match &asked.around {
        Some(name) => Some(find_player(&app, name).await?.id),
        None => None,
    };
    let seen = SeenLadder::find(&app, id.0, visitor.identity()).await?;
    let wanted = || StandingsQuery { season, section: asked.section, division: asked.division };
    if form == TableForm::Csv {
        return table::of_standings(&app, &seen, wanted(), asked.cursor, &request).await;
    }
    let read = async |conn: &mut PublicRead| {
        let ladder = seen.at(conn).await?;
        let list = standings::of(&ladder, wanted())?;
        let found = match around {
            Some(player) => standings::around(conn, &ladder, list, player, limit).await?,
            None => None,
        };
        let slice = match found {
            Some(slice) => slice,
            None => standings::page(conn, &ladder, list, asked.cursor, limit).await?,
        };
        Ok((slice, list.season < ladder.season.number || ladder.closed.is_some()))
    };
    let (slice, is_final) = app.public_reads.read(read).await?;
    let page = standings_page(slice, is_final, around);
    let reply = Reply::ok(&page)?.header(header::VARY, "accept");
    Ok(linked(reply, &request, page.next_cursor.as_deref(), &["around"]))
}

fn standings_page(slice: StandingsSlice, is_final: bool, around: Option<crate::ids::AccountId>) -> StandingsPage {
    let ranked = slice.standings;
    let own = ranked.iter().find(|(_, standing)| Some(standing.player.id) == around);
    StandingsPage {
        season: slice.list.season,
        section: slice.list.section,
        division: slice.list.division,
        is_final,
        around_rank: own.map(|(rank, _)| *rank),
        items: ranked.into_iter().map(|(rank, standing)| StandingBody::of(rank, standing)).collect(),
        next_cursor: slice.next.map(|key| key.to_string()),
        incomplete: slice.incomplete,
    }
}

request! {
    /// Which pairings of a ladder to list.
    pub query LadderPairingListQuery {
        /// Only those of this player.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only those whose result isn't taken in yet, or only the others.
        pub running: Option<bool>,
        /// Only those whose result counts for this season: its standings follow from them.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 2147483647, format = Int32)]
        pub season: Option<Ranged<1, 2_147_483_647>>,
        ..page(PairingId)
    }
}

/// List pairings of a ladder
///
/// Who has met whom, and what came of it: the newest first.
#[utoipa::path(tag = "ladders", operation_id = "list_ladder_pairings", security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder."), LadderPairingListQuery),
    responses((status = 200, description = "A page of them.", body = Page<PairingBody>)))]
#[get("/v1/ladders/{id}/pairings")]
pub async fn list_ladder_pairings(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    query: Query<LadderPairingListQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let limit = page_limit(asked.limit, 50);
    let player = find_named(&app, asked.player.as_ref()).await?;
    let mut conn = app.db.conn().await?;
    let ladder = read::find(&mut conn, &app, id.0, visitor.identity()).await?;
    let filter = PairingFilter {
        player,
        running: asked.running,
        season: asked.season.map(|season| season.0),
        before: asked.cursor,
        ..PairingFilter::default()
    };
    let found = pairings::of_contest(&mut conn, Contest::Ladder(ladder.id), filter, limit + 1).await?;
    page(found, limit, |pairing| pairing.id.to_string(), PairingBody::from).reply(&request)
}
