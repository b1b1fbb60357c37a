//! The seasons of a ladder over HTTP, with their winners: an archive that remains after the ladder is closed.

use std::str::FromStr;

use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::Answer;
use crate::app::App;
use crate::db::PublicRead;
use crate::honours::{self, SeasonWinner};
use crate::ids::LadderId;
use crate::ladders::read::SeenLadder;
use crate::ladders::{LadderSection, Season, read};
use crate::player::Player;

text_fields!(SeasonCursor);

/// The season after which a page begins.
#[derive(Clone, Copy)]
pub struct SeasonCursor(u32);

impl FromStr for SeasonCursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| "is no cursor of seasons: send a `next_cursor` as it came".to_owned())
    }
}

/// A season in the list of a ladder's.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedLadderSeason)]
pub struct ListedSeason {
    /// Counts the ladder's seasons, from 1.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    number: u32,
    started_at: Time,
    /// When it is to end; null: never.
    ends_at: Option<Time>,
    /// When it was ended; null: it is on.
    ended_at: Option<Time>,
    /// Who has won it, one of each section; nobody while it is on, or if nothing was played.
    #[schema(max_items = 3)]
    winners: Vec<SeasonWinnerBody>,
}

/// Who has won a season of a ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderSeasonWinner)]
pub struct SeasonWinnerBody {
    /// In which section.
    section: LadderSection,
    player: Player,
    /// The points that they have won.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    points: f64,
}

impl ListedSeason {
    fn of(season: Season, winners: &[SeasonWinner]) -> Self {
        let Season { number, started_at, ends_at, ended_at } = season;
        let own = winners.iter().filter(|winner| winner.season == number && ended_at.is_some());
        let winners = own.map(|winner| SeasonWinnerBody {
            section: winner.section,
            player: winner.player.clone(),
            points: f64::from(winner.half_points) / 2.0,
        });
        Self { number, started_at, ends_at, ended_at, winners: winners.collect() }
    }
}

request! {
    /// Which seasons of a ladder to list.
    pub query LadderSeasonListQuery {
        ..page(SeasonCursor)
    }
}

/// List seasons of a ladder
///
/// The newest first, with those who have won them; they stay when the ladder is closed. The standings of each are at
/// `GET /v1/ladders/{id}/standings?season=`.
#[utoipa::path(tag = "ladders", operation_id = "list_ladder_seasons", security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder."), LadderSeasonListQuery),
    responses((status = 200, description = "A page of them.", body = Page<ListedSeason>)))]
#[get("/v1/ladders/{id}/seasons")]
pub async fn list_ladder_seasons(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    query: Query<LadderSeasonListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    SeenLadder::find(&app, id.0, visitor.identity()).await?;
    let before = query.0.cursor.map(|SeasonCursor(number)| number);
    let read = async |conn: &mut PublicRead| {
        let found = read::seasons(conn, id.0, before, limit + 1).await?;
        let numbers: Vec<u32> = found.iter().map(|season| season.number).collect();
        let winners = honours::winners(conn, id.0, &numbers).await?;
        Ok((found, winners))
    };
    let (found, winners) = app.public_reads.read(read).await?;
    let page =
        page(found, limit, |season| season.number.to_string(), |season| ListedSeason::of(season, &winners.items));
    Page { incomplete: winners.is_incomplete(), ..page }.reply(&request)
}
