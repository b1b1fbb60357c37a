//! Ratings over HTTP: pools, a player's ratings and their history. All of it is public; a token makes no difference.
//! Leaderboards are in [`crate::api::ratings::leaderboards`].

pub mod changes;
pub mod fair_play;
pub mod leaderboards;

use actix_web::{HttpRequest, get, web};
use broadside_contests::rating_algorithm::{
    Algorithm, INITIAL_RATING, MAX_RATING, MIN_RATING, Method, PERIOD_S, active_s,
};
use broadside_contests::{Pool, PoolRules, Rating, RuleSetHash, Speed};
use broadside_rules::text::Digest;
use broadside_rules::{Time, Variant};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::find_player;
use crate::api::http::auth::Anyone;
use crate::api::http::extract::Query;
use crate::api::http::fields::{Ranged, request};
use crate::api::http::paging::{Page, is_whole, linked, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::ratings::read::{self, Point, PoolRating};
use crate::ratings::{RatedGame, RatedSeat, RatingChange, RatingChangeReason};
use crate::rulesets;

/// A pool of matches that count for one rating, and all that the rating depends on.
#[derive(Serialize, ToSchema)]
#[schema(as = Pool)]
pub struct PoolBody {
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$")]
    id: String,
    /// The variant that is played in it, or from which its named rule set started.
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    /// The named rule set that is played in it; null: the variant's own.
    named_rule_set: Option<Digest>,
    speed: Speed,
    /// Whether its matches have more than two seats.
    more_than_two_seats: bool,
    /// The method: `glicko-2` or `weng-lin`.
    #[schema(max_length = 20, pattern = "^[a-z0-9-]+$")]
    algorithm: &'static str,
    /// Counts the sets of constants; each change in the ledger names its own.
    #[schema(minimum = 1, maximum = 1000, format = Int32)]
    version: u32,
    constants: Constants,
}

/// The constants of a pool's method.
#[derive(Serialize, ToSchema)]
#[schema(as = PoolConstants)]
pub struct Constants {
    /// What newcomers begin with.
    initial: Rating,
    #[schema(minimum = 0, maximum = 10000)]
    min_rating: f64,
    #[schema(minimum = 0, maximum = 10000)]
    max_rating: f64,
    /// No deviation falls below this.
    #[schema(minimum = 0, maximum = 1000)]
    min_deviation: f64,
    /// A rating is provisional while its deviation is above this.
    #[schema(minimum = 0, maximum = 1000)]
    established_deviation: f64,
    /// For how many seconds after their last rated match a player is active.
    #[schema(minimum = 1, maximum = 315_360_000, format = Int32)]
    active_s: u32,
    /// A rating period, in seconds: the unit of idle time.
    #[schema(minimum = 1, maximum = 315_360_000)]
    period_s: f64,
    /// Glicko-2: no volatility rises above this.
    #[schema(minimum = 0, maximum = 1)]
    max_volatility: Option<f64>,
    /// Glicko-2: how far the volatility may change.
    #[schema(minimum = 0, maximum = 10)]
    tau: Option<f64>,
    /// Weng-Lin: how much a single performance varies.
    #[schema(minimum = 0, maximum = 10000)]
    beta: Option<f64>,
    /// Weng-Lin: by the square of this the variance grows in an idle period.
    #[schema(minimum = 0, maximum = 1000)]
    drift: Option<f64>,
}

impl PoolBody {
    /// A pool of this variant, or of a rule set that started from it.
    fn of(variant: &'static Variant, pool: Pool) -> Self {
        let algorithm = Algorithm::of(&pool);
        let (most_volatility, tau, beta, drift) = match algorithm.method {
            Method::Glicko2 { max_volatility, tau, .. } => (Some(max_volatility), Some(tau), None, None),
            Method::WengLin { beta, drift } => (None, None, Some(beta), Some(drift)),
        };
        Self {
            id: pool.to_string(),
            variant: variant.id,
            named_rule_set: pool.rule_set().map(RuleSetHash::digest),
            speed: pool.speed,
            more_than_two_seats: pool.many,
            algorithm: algorithm.name,
            version: algorithm.version,
            constants: Constants {
                initial: Rating { rating: INITIAL_RATING, ..algorithm.initial() },
                min_rating: MIN_RATING,
                max_rating: MAX_RATING,
                min_deviation: algorithm.min_deviation,
                established_deviation: algorithm.established_deviation,
                active_s: active_s(pool.speed),
                period_s: PERIOD_S,
                max_volatility: most_volatility,
                tau,
                beta,
                drift,
            },
        }
    }
}

/// Pools of ratings.
#[derive(Serialize, ToSchema)]
pub struct Pools {
    /// The pools: of the variants in their order, or of one named rule set.
    #[schema(max_items = 1000)]
    items: Vec<PoolBody>,
}

request! {
    /// Which pools to list.
    pub query WhichPools {
        /// Those of this named rule set; without it those of the variants.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
    }
}

/// List rating pools
///
/// The matches that count for one rating: of a variant or a named rule set, of two seats or of more, and of a speed
/// (`live`: less than a day for a move; `days`). Each with its method and all its constants, so that everybody can work
/// ratings out again.
#[utoipa::path(tag = "ratings", operation_id = "list_pools", security((), ("bearer" = [])), params(WhichPools),
    responses((status = 200, description = "The pools.", body = Pools)))]
#[get("/v1/pools")]
pub async fn list_pools(app: web::Data<App>, _: Anyone, query: Query<WhichPools>) -> Answer {
    let items = match query.0.named_rule_set {
        None => Pool::all().filter_map(of_variant).collect(),
        Some(hash) => {
            let mut conn = app.db.conn().await?;
            if !rulesets::read::exists(&mut conn, hash).await? {
                return Ok(Reply::ok(&Pools { items: Vec::new() })?);
            }
            let rule_set = rulesets::read::known(&mut conn, hash, "/named_rule_set").await?;
            rule_set.pools().map(|pool| PoolBody::of(rule_set.variant, pool)).collect()
        }
    };
    Ok(Reply::ok(&Pools { items })?)
}

fn of_variant(pool: Pool) -> Option<PoolBody> {
    match pool.rules {
        PoolRules::Variant(variant) => Some(PoolBody::of(variant, pool)),
        PoolRules::RuleSet(_) => None,
    }
}

/// A player's rating in a pool.
#[derive(Serialize, ToSchema)]
#[schema(as = PlayerRating)]
pub struct RatingBody {
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$")]
    pool: String,
    /// The rating at this moment: its deviation has grown with the time since the last match.
    current: Rating,
    /// Whether it is too uncertain to be listed on the leaderboard.
    provisional: bool,
    /// How many matches count for it.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    matches: u32,
    /// The number of the newest change in the history.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    change_number: u32,
    /// When the last match was rated.
    rated_at: Option<Time>,
}

impl From<PoolRating> for RatingBody {
    fn from(held: PoolRating) -> Self {
        Self {
            pool: held.pool.to_string(),
            current: held.now,
            provisional: held.provisional,
            matches: held.standing.matches,
            change_number: held.standing.number,
            rated_at: held.standing.rated_at,
        }
    }
}

request! {
    /// Which ratings of a player to list.
    pub query PlayerRatingsQuery {
        /// How many at most: 1 to 200, 50 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<Ranged<1, 200>>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<Pool>,
    }
}

/// List a player's ratings
///
/// By pool; those in which the player has finished no rated match are left out.
#[utoipa::path(tag = "ratings", operation_id = "list_player_ratings", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna"), PlayerRatingsQuery),
    responses((status = 200, description = "A page of the ratings.", body = Page<RatingBody>)))]
#[get("/v1/players/{username}/ratings")]
pub async fn list_player_ratings(
    app: web::Data<App>,
    caller: Anyone,
    query: Query<PlayerRatingsQuery>,
    request: HttpRequest,
) -> Answer {
    let PlayerRatingsQuery { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let player = find_player(&app, &named(&request)?).await?;
    let now = app.clock.now();
    let read = async |conn: &mut PublicRead| read::of_account(conn, player.id, now, cursor.as_ref(), limit + 1).await;
    let held = app.public_reads.read_own(caller.is(player.id), read).await?;
    page(held, limit, |held| held.pool.to_string(), RatingBody::from).reply(&request)
}

/// A row of the ledger: one change of one player's rating, with everything that it was worked out from.
#[derive(Serialize, ToSchema)]
#[schema(as = RatingChange)]
pub struct ChangeBody {
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$")]
    pool: String,
    /// Counts the player's changes in the pool, from 1 without gaps, in the order in which they count.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    number: u32,
    /// The match; of paired games the first.
    match_id: MatchId,
    /// Of paired games that were rated as one, the second.
    paired_match_id: Option<MatchId>,
    /// The player's seat in the match.
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    seat: u8,
    reason: RatingChangeReason,
    /// How often the match had been rated before, by its result and by adjudications; of an annulment, that of the
    /// change that it takes back.
    #[schema(minimum = 0, maximum = 32767, format = Int32)]
    revision: u16,
    #[schema(max_length = 20, pattern = "^[a-z0-9-]+$")]
    algorithm: String,
    #[schema(minimum = 1, maximum = 1000, format = Int32)]
    version: u32,
    at: Time,
    before: Rating,
    after: Rating,
    /// Every seat of the match, as the method was given it; empty for an annulment, which is worked out from the change
    /// that it takes back.
    #[schema(max_items = 7)]
    participants: Vec<RatedSeat>,
    /// Of paired games: each with its places, from which those in `field` come. Empty for a match by itself, and for an
    /// annulment.
    #[schema(max_items = 2)]
    games: Vec<RatedGame>,
    /// The number of the change that an annulment takes back.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    annuls: Option<u32>,
    /// Why the match was annulled or adjudicated.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f]+$")]
    note: Option<String>,
}

impl From<RatingChange> for ChangeBody {
    fn from(change: RatingChange) -> Self {
        Self {
            pool: change.pool.to_string(),
            number: change.number,
            match_id: change.match_id,
            paired_match_id: change.paired,
            seat: change.seat,
            reason: change.reason,
            revision: change.revision,
            algorithm: change.algorithm,
            version: change.version,
            at: change.at,
            before: change.before,
            after: change.after,
            participants: change.field,
            games: change.games,
            annuls: change.annuls,
            note: change.note,
        }
    }
}

/// A point of the curve: the last change of a day.
#[derive(Serialize, ToSchema)]
pub struct RatingPoint {
    at: Time,
    #[schema(minimum = 0, maximum = 10000)]
    rating: f64,
    #[schema(minimum = 0, maximum = 1000)]
    deviation: f64,
}

impl From<Point> for RatingPoint {
    fn from((at, rating, deviation): Point) -> Self {
        Self { at, rating, deviation }
    }
}

/// A page of a player's changes in a pool.
#[derive(Serialize, ToSchema)]
pub struct RatingHistoryPage {
    /// The changes, the newest first.
    #[schema(max_items = 200)]
    items: Vec<ChangeBody>,
    /// The curve, ready to be drawn, the oldest first: where the player stood at the end of each day (UTC) with a
    /// change, the newest 1000 of them. On the first page only.
    #[schema(max_items = 1000)]
    series: Vec<RatingPoint>,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    next_cursor: Option<String>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

request! {
    /// Which changes to list.
    pub query RatingHistoryQuery {
        /// How many at most: 1 to 200, 50 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<Ranged<1, 200>>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<u32>,
    }
}

/// The pool in the path. Fails with `not-found` for a malformed pool or an unknown rule set.
pub(in crate::api) async fn pool(app: &App, request: &HttpRequest) -> Result<Pool> {
    let pool: Pool = request.match_info().get("pool").unwrap_or_default().parse().map_err(|_| Error::not_found())?;
    match pool.rule_set() {
        Some(hash) if !rulesets::read::exists(&mut app.db.conn().await?, hash).await? => Err(Error::not_found()),
        _ => Ok(pool),
    }
}

/// Get a player's rating history
///
/// The player's ledger in a pool, the newest change first, each with everything that it was worked out from; and the
/// curve of it, to be drawn.
#[utoipa::path(tag = "ratings", operation_id = "get_rating_history", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
            min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna"),
        ("pool" = String, Path, description = "The pool.", max_length = 80, pattern = "^[a-z0-9-]+$"), RatingHistoryQuery),
    responses((status = 200, description = "A page of the history.", body = RatingHistoryPage)))]
#[get("/v1/players/{username}/ratings/{pool}/history")]
pub async fn get_rating_history(
    app: web::Data<App>,
    caller: Anyone,
    query: Query<RatingHistoryQuery>,
    request: HttpRequest,
) -> Answer {
    let (pool, player) = (pool(&app, &request).await?, find_player(&app, &named(&request)?).await?);
    let limit = page_limit(query.0.limit, 50);
    let cursor = query.0.cursor;
    let read = async |conn: &mut PublicRead| {
        let found = read::history(conn, player.id, &pool, cursor, limit + 1).await?;
        let series = match cursor {
            None => read::series(conn, player.id, &pool).await?,
            Some(_) => Vec::new(),
        };
        Ok((found, series))
    };
    let (found, series) = app.public_reads.read_own(caller.is(player.id), read).await?;
    let Page { items, next_cursor, incomplete } =
        page(found, limit, |change| change.number.to_string(), ChangeBody::from);
    let series = series.into_iter().map(RatingPoint::from).collect();
    let page = RatingHistoryPage { items, series, next_cursor, incomplete };
    Ok(linked(Reply::ok(&page)?, &request, page.next_cursor.as_deref(), &[]))
}
