//! Lists of matches: all public ones, a player's, and the turns that wait for the caller. They contain public facts
//! only, in an order that reveals nothing.

use actix_web::{HttpRequest, get, web};
use broadside_contests::RuleSetHash;
use broadside_rules::text::Digest;
use broadside_rules::{Outcome, Seat, SeatSet, Status, Time};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::accounts::{Username, find_named, find_player};
use crate::api::http::auth::{MatchesRead, Visitor};
use crate::api::http::extract::Query;
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::filters::{PoolFilter, VariantFilter};
use crate::api::http::paging::{Page, linked, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::matches::view::FormerPlayerBody;
use crate::app::App;
use crate::contests::access;
use crate::error::Error;
use crate::ids::{LadderId, MatchId, TournamentId};
use crate::listed::Listed;
use crate::matches::{Contest, ContestFilter, MatchFilter, MatchSummary, PlayerResult, queries};
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::work_pool::Lane;

text_fields!(MatchId, MatchStatus, Me, PlayerResult);

string_enums! {
    /// Where a match stands.
    pub enum MatchStatus {
        /// The fleets are being placed.
        Deploying,
        /// The battle is on.
        Playing,
        /// The battle is interrupted, and the clocks stand still.
        Armistice,
        /// It is over.
        Finished,
        /// It was called off before the battle.
        Aborted,
    }

    /// The word `me`.
    pub enum Me {
        /// The caller.
        Me,
    }
}

/// A match in a list: public facts only.
#[derive(Serialize, ToSchema)]
#[schema(as = MatchSummary)]
pub struct MatchSummaryBody {
    id: MatchId,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: String,
    /// The named rule set that it is played by; null: a variant.
    named_rule_set: Option<Digest>,
    rated: bool,
    spectators: bool,
    #[schema(value_type = Status)]
    status: String,
    #[schema(max_items = 7)]
    seats: Vec<SummarySeat>,
    /// Who has had a seat before somebody took it over, in the order in which they left.
    #[schema(max_items = 100)]
    former_players: Vec<FormerPlayerBody>,
    /// The seats that must act.
    to_act: SeatSet,
    deadline: Option<Time>,
    #[schema(value_type = Option<Outcome>)]
    result: Option<Value>,
    created_at: Time,
    started_at: Option<Time>,
    finished_at: Option<Time>,
}

/// A seat of a match in a list.
#[derive(Serialize, ToSchema)]
pub struct SummarySeat {
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    seat: usize,
    player: Player,
    /// The player's rating when they sat down: in the list of your turns, if they had one; not there otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 10000, format = Int32, nullable = false)]
    rating: Option<i32>,
}

impl MatchSummaryBody {
    /// Sets the players' ratings, by seat.
    pub fn rate(&mut self, ratings: &[Option<i32>]) {
        for (seat, rating) in self.seats.iter_mut().zip(ratings) {
            seat.rating = *rating;
        }
    }
}

impl From<MatchSummary> for MatchSummaryBody {
    fn from(summary: MatchSummary) -> Self {
        let players = summary.players.into_iter().enumerate();
        Self {
            id: summary.id,
            variant: summary.variant,
            named_rule_set: summary.named.map(RuleSetHash::digest),
            rated: summary.rated,
            spectators: summary.spectators,
            status: summary.status,
            seats: players.map(|(seat, player)| SummarySeat { seat, player, rating: None }).collect(),
            former_players: summary.former.iter().map(FormerPlayerBody::from).collect(),
            to_act: (0..7).filter(|seat| summary.to_act >> seat & 1 == 1).map(Seat).collect(),
            deadline: summary.deadline,
            result: summary.result,
            created_at: summary.created_at,
            started_at: summary.started_at,
            finished_at: summary.finished_at,
        }
    }
}

request! {
    /// Which matches to list.
    pub query MatchListQuery {
        /// Only matches in which this player has a seat or has had one (without `result`).
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only of this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantFilter>,
        /// Only by this named rule set.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
        /// Only with this status.
        #[param(value_type = Option<Status>, inline)]
        pub status: Option<MatchStatus>,
        /// Only rated ones, or only unrated ones.
        pub rated: Option<bool>,
        /// Only those that count in this rating pool.
        #[param(value_type = Option<String>, max_length = 80, pattern = "^[a-z0-9-]+$")]
        pub pool: Option<PoolFilter>,
        /// Only those that `player` has won, lost or drawn.
        #[param(value_type = Option<PlayerResult>, inline)]
        pub result: Option<PlayerResult>,
        /// Only those of this ladder.
        #[param(value_type = Option<String>, format = Uuid)]
        pub ladder: Option<LadderId>,
        /// Only those whose result counts for this season of `ladder`.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 2147483647, format = Int32)]
        pub season: Option<Ranged<1, 2_147_483_647>>,
        /// Only those of this tournament.
        #[param(value_type = Option<String>, format = Uuid)]
        pub tournament: Option<TournamentId>,
        /// Only those of this round of `tournament`.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 126, format = Int32)]
        pub round: Option<Ranged<1, 126>>,
        /// Only those created at this time or later.
        #[param(value_type = Option<Time>)]
        pub created_from: Option<Time>,
        /// Only those created before this time.
        #[param(value_type = Option<Time>)]
        pub created_until: Option<Time>,
        /// `me`: only matches where I must act; needs a token.
        #[param(value_type = Option<String>, max_length = 2, pattern = "^me$")]
        pub to_act: Option<Me>,
        ..page(MatchId)
    }
}

/// List matches
///
/// The newest first. Matches that are closed to spectators are listed for their players only, until they are over.
#[utoipa::path(tag = "matches", operation_id = "list_matches", security((), ("bearer" = ["matches:read"])),
    params(MatchListQuery),
    responses((status = 200, description = "A page of them.", body = Page<MatchSummaryBody>)))]
#[get("/v1/matches")]
pub async fn list_matches(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    query: Query<MatchListQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let me = visitor.identity().map(|me| me.account);
    let contest = contest(&asked)?;
    let is_hidden = match &contest {
        Some(of) => {
            let mut conn = app.db.conn().await?;
            !access::is_seen(&mut conn, &app, of.contest.id(), visitor.identity()).await?
        }
        None => false,
    };
    let to_act = match asked.to_act {
        Some(Me::Me) => Some(visitor.signed_in()?.account),
        None => None,
    };
    let player = find_named(&app, asked.player.as_ref()).await?.or(to_act);
    let limit = page_limit(asked.limit, 50);
    if asked.result.is_some() && player.is_none() {
        return Err(Error::invalid_at("/player", "missing-field", "is needed with result").into());
    }
    if is_hidden || matches!(asked.pool, Some(PoolFilter(None))) {
        return Page::<MatchSummaryBody> { items: Vec::new(), next_cursor: None, incomplete: false }.reply(&request);
    }
    let filter = MatchFilter {
        contest,
        rated: asked.rated,
        pool: asked.pool.and_then(|PoolFilter(pool)| pool),
        result: asked.result,
        from: asked.created_from,
        until: asked.created_until,
        player,
        variant: asked.variant.map(|VariantFilter(id)| id.to_owned()),
        named: asked.named_rule_set,
        status: asked.status.map(|status| status.into_str().to_owned()),
        to_act,
        viewer: me,
        before: asked.cursor,
        limit: limit + 1,
    };
    // Everybody sees the same finished matches, except their players, who may have ended one a moment ago.
    let is_public = asked.status == Some(MatchStatus::Finished) && to_act.is_none() && (me.is_none() || player != me);
    let found = match is_public {
        true => queries::list_finished(&app, filter).await?,
        false => queries::list(&app, &filter).await?,
    };
    summaries(&app, found, limit, &request).await
}

/// The contest of the matches. An unknown id selects nothing, and so does one that the caller may not know.
fn contest(asked: &MatchListQuery) -> Result<Option<ContestFilter>, Error> {
    let conflict = |pointer, detail: &str| Err(Error::invalid_at(pointer, "conflicting-fields", detail));
    let missing = |pointer, detail: &str| Err(Error::invalid_at(pointer, "missing-field", detail));
    let contest = match (asked.ladder, asked.tournament) {
        (Some(_), Some(_)) => return conflict("/tournament", "can't be given together with ladder"),
        (None, _) if asked.season.is_some() => return missing("/ladder", "is needed with season"),
        (_, None) if asked.round.is_some() => return missing("/tournament", "is needed with round"),
        (None, None) => return Ok(None),
        (Some(ladder), None) => Contest::Ladder(ladder),
        (None, Some(tournament)) => Contest::Tournament(tournament),
    };
    let season = asked.season.map(|season| season.0);
    let round = asked.round.map(|round| u16::try_from(round.0).unwrap_or(u16::MAX));
    Ok(Some(ContestFilter { contest, season, round }))
}

request! {
    /// A page of a player's matches.
    pub query PlayerMatchListQuery {
        ..page(MatchId)
    }
}

/// List a player's matches
///
/// The newest first; the same as `GET /v1/matches` with `player`.
#[utoipa::path(tag = "players", operation_id = "list_player_matches", security((), ("bearer" = ["matches:read"])),
    params(("username" = String, Path, description = "The player's name; case makes no difference.", max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$", example = "anna"), PlayerMatchListQuery),
    responses((status = 200, description = "A page of them.", body = Page<MatchSummaryBody>)))]
#[get("/v1/players/{username}/matches")]
pub async fn matches_of_player(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    name: web::Path<String>,
    query: Query<PlayerMatchListQuery>,
    request: HttpRequest,
) -> Answer {
    let name = name.parse::<Username>().map_err(|_| Error::not_found())?;
    let player = find_player(&app, &name).await?;
    let limit = page_limit(query.0.limit, 50);
    let filter = MatchFilter {
        player: Some(player.id),
        viewer: visitor.identity().map(|me| me.account),
        before: query.0.cursor,
        limit: limit + 1,
        ..MatchFilter::default()
    };
    summaries(&app, queries::list(&app, &filter).await?, limit, &request).await
}

/// A page of matches for a list. It is made in the pool: a long one takes as long as some moves.
async fn summaries(app: &App, found: Listed<MatchSummary>, limit: i64, request: &HttpRequest) -> Answer {
    let make = move || {
        let page = page(found, limit, |summary| summary.id.to_string(), MatchSummaryBody::from);
        Ok::<_, Error>((Reply::ok(&page)?, page.next_cursor))
    };
    let (reply, next_cursor) = app.pool.run(Lane::Heavy, make).await??;
    Ok(linked(reply, request, next_cursor.as_deref(), &[]))
}
