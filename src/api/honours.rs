//! A player's honours over HTTP. All of them are public; a token makes no difference.

use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::find_player;
use crate::api::http::auth::Anyone;
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::Answer;
use crate::api::matches::view::named as contest_ids;
use crate::api::social::players::named;
use crate::app::App;
use crate::db::PublicRead;
use crate::honours::{self, Honour, HonourCursor, HonourKind};
use crate::ids::{LadderId, TournamentId};
use crate::ladders::LadderSection;

text_fields!(HonourCursor);

/// What a player has won.
#[derive(Serialize, ToSchema)]
#[schema(as = Honour)]
pub struct HonourBody {
    kind: HonourKind,
    /// The ladder; null: it is of a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is of a ladder.
    tournament_id: Option<TournamentId>,
    /// What the ladder or the tournament is called.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    /// The season of the ladder.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    season: Option<u32>,
    /// The section of the ladder.
    section: Option<LadderSection>,
    /// The division of the ladder in that season, from 1, the highest.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    division: Option<u32>,
    /// The final place there.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    rank: u32,
    /// When the season or the tournament was over.
    at: Time,
}

impl From<Honour> for HonourBody {
    fn from(honour: Honour) -> Self {
        let (ladder_id, tournament_id) = contest_ids(honour.contest);
        Self {
            kind: honour.kind,
            ladder_id,
            tournament_id,
            title: honour.title,
            season: honour.season.map(|place| place.season),
            section: honour.season.map(|place| place.section),
            division: honour.season.map(|place| place.division),
            rank: honour.rank,
            at: honour.at,
        }
    }
}

request! {
    /// A page of a player's honours.
    pub query PlayerHonourListQuery {
        ..page(HonourCursor)
    }
}

/// List a player's honours
///
/// Seasons of ladders and tournaments that the player has won (`winner`) or in which they were second or third with
/// somebody behind them (`podium`), and promotions to a higher division (`promoted`), the newest first. They stay when
/// a ladder is closed.
#[utoipa::path(tag = "players", operation_id = "list_player_honours", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna"), PlayerHonourListQuery),
    responses((status = 200, description = "A page of them.", body = Page<HonourBody>)))]
#[get("/v1/players/{username}/honours")]
pub async fn list_player_honours(
    app: web::Data<App>,
    caller: Anyone,
    query: Query<PlayerHonourListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let player = find_player(&app, &named(&request)?).await?;
    let cursor = query.0.cursor;
    let read = async |conn: &mut PublicRead| honours::of_account(conn, player.id, cursor, limit + 1).await;
    let found = app.public_reads.read_own(caller.is(player.id), read).await?;
    page(found, limit, |honour| HonourCursor::behind(honour).to_string(), HonourBody::from).reply(&request)
}
