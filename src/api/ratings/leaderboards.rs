//! Leaderboards over HTTP: established and active players, best first, and the neighbors of a player.

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use broadside_contests::{Pool, Rating};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::{Username, find_player};
use crate::api::http::auth::Anyone;
use crate::api::http::csv::{self, CsvTable, TableCsv, TableForm};
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{linked, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::ratings::pool;
use crate::app::App;
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::player::Player;
use crate::ratings::read::{self, LeaderboardKey, LeaderboardSlice, RankedPlayer};
use crate::social::profile;

text_fields!(LeaderboardKey);

/// Somebody on a leaderboard.
#[derive(Serialize, ToSchema)]
pub struct LeaderboardEntry {
    /// The rank, from 1. In a pool of more than 1000 it is counted from marks that are made anew every ten minutes.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    rank: u64,
    player: Player,
    /// The rating at this moment.
    current: Rating,
    /// How many matches count for it.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    matches: u32,
    /// When the last match was rated.
    rated_at: Option<Time>,
}

/// Why somebody doesn't stand on a leaderboard.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnrankedReason {
    /// No match of the player was rated in this pool.
    Unrated,
    /// The rating is too uncertain, still or again.
    Provisional,
    /// The player has played no rated match for too long.
    Inactive,
    /// The player is suspended.
    Suspended,
}

/// Where the player stands who was asked for.
#[derive(Serialize, ToSchema)]
pub struct LeaderboardRank {
    /// The player's account id.
    player_id: AccountId,
    /// The player's rank; null: they aren't listed.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    rank: Option<u64>,
    /// Why the player isn't listed; null: they are.
    unranked_reason: Option<UnrankedReason>,
}

/// A page of a leaderboard.
#[derive(Serialize, ToSchema)]
pub struct LeaderboardPage {
    /// Established and active players, the best first.
    #[schema(max_items = 100)]
    items: Vec<LeaderboardEntry>,
    /// Where the player stands that was asked for with `around`.
    around: Option<LeaderboardRank>,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    next_cursor: Option<String>,
}

request! {
    /// Which part of a leaderboard to list.
    pub query LeaderboardQuery {
        /// A player: the page with this player in the middle, with rank and neighbours. Not together with `cursor`.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub around: Option<Username>,
        /// `json` or `csv`; what `Accept` prefers (`application/json`, `text/csv`) unless given.
        #[param(inline)]
        pub format: Option<TableForm>,
        ..page(LeaderboardKey)
    }
}

/// Get a leaderboard
///
/// Established players who are active, the best first, with their ranks. `around` asks for the page around one player;
/// if the player isn't listed, it says why not and the page begins at the top. As CSV a thousand come at once (a `Link`
/// says where the rest is); `around` and `limit` can't be given.
#[utoipa::path(tag = "ratings", operation_id = "get_leaderboard", security((), ("bearer" = [])),
    params(("pool" = String, Path, description = "The pool.", max_length = 80, pattern = "^[a-z0-9-]+$"), LeaderboardQuery),
    responses((status = 200, description = "A page of it.", content((LeaderboardPage = "application/json"), (TableCsv = "text/csv")))))]
#[get("/v1/pools/{pool}/leaderboard")]
pub async fn get_leaderboard(
    app: web::Data<App>,
    caller: Anyone,
    query: Query<LeaderboardQuery>,
    request: HttpRequest,
) -> Answer {
    let (pool, asked) = (pool(&app, &request).await?, query.0);
    if TableForm::wanted(asked.format, &request) == TableForm::Csv {
        csv::refuse(&[("/around", asked.around.is_some()), ("/limit", asked.limit.is_some())])?;
        return as_csv(&app, pool, asked.cursor, &request).await;
    }
    let (limit, now) = (page_limit(asked.limit, 50), app.clock.now());
    let (slice, around) = match (&asked.around, asked.cursor) {
        (Some(_), Some(_)) => {
            let detail = "can't be given together with cursor: a page around somebody is a first page";
            return Err(Error::invalid_at("/around", "conflicting-fields", detail).into());
        }
        (Some(name), None) => around(&app, caller, &pool, name, limit).await?,
        (None, after) => {
            let read = async |conn: &mut PublicRead| read::page(conn, now, &pool, after, limit).await;
            (app.public_reads.read(read).await?, None)
        }
    };
    let entry = |(rank, listed): (u64, RankedPlayer)| {
        let held = listed.held(pool, now);
        let (matches, rated_at) = (held.standing.matches, held.standing.rated_at);
        LeaderboardEntry { rank, player: listed.player, current: held.now, matches, rated_at }
    };
    let items = (slice.first_rank..).zip(slice.listed).map(entry).collect();
    let page = LeaderboardPage { items, around, next_cursor: slice.next.map(|key| key.to_string()) };
    let reply = Reply::ok(&page)?.header(header::VARY, "accept");
    Ok(linked(reply, &request, page.next_cursor.as_deref(), &["around"]))
}

/// The maximum number of players in one CSV table.
const CSV_ROWS: u32 = 1000;

async fn as_csv(app: &App, pool: Pool, after: Option<LeaderboardKey>, request: &HttpRequest) -> Answer {
    csv::charge(app, CSV_ROWS)?;
    let now = app.clock.now();
    let read = async |conn: &mut PublicRead| read::page(conn, now, &pool, after, i64::from(CSV_ROWS)).await;
    let slice = app.public_reads.read(read).await?;
    let next = slice.next.map(|key| key.to_string());
    let write = move || {
        let mut table =
            CsvTable::new(["rank", "player", "bot", "rating", "deviation", "provisional", "matches", "rated_at"])?;
        for (rank, listed) in (slice.first_rank..).zip(slice.listed) {
            let held = listed.held(pool, now);
            table.row([
                rank.to_string(),
                listed.player.username,
                listed.player.bot.to_string(),
                held.now.rating.to_string(),
                held.now.deviation.to_string(),
                held.provisional.to_string(),
                held.standing.matches.to_string(),
                held.standing.rated_at.map(|at| at.to_string()).unwrap_or_default(),
            ])?;
        }
        Ok(table)
    };
    let reply = csv::reply(app, &pool.to_string(), "leaderboard", write).await?;
    Ok(linked(reply.header(header::VARY, "accept"), request, next.as_deref(), &[]))
}

async fn around(
    app: &App,
    caller: Anyone,
    pool: &Pool,
    name: &Username,
    limit: i64,
) -> Result<(LeaderboardSlice, Option<LeaderboardRank>)> {
    let (player, now) = (find_player(app, name).await?.id, app.clock.now());
    let read = async |conn: &mut PublicRead| {
        if let Some(slice) = read::around(conn, now, pool, player, limit).await? {
            let rank = (slice.first_rank..).zip(&slice.listed).find(|(_, listed)| listed.player.id == player);
            let rank = rank.map(|(rank, _)| rank);
            return Ok((slice, Some(LeaderboardRank { player_id: player, rank, unranked_reason: None })));
        }
        let held = read::of_account_in(conn, player, now, pool).await?;
        let suspended = profile::profile(conn, name).await?.suspension;
        let unlisted = match held {
            None => UnrankedReason::Unrated,
            Some(_) if suspended.is_some_and(|suspension| suspension.is_on(now)) => UnrankedReason::Suspended,
            Some(held) if held.provisional => UnrankedReason::Provisional,
            Some(_) => UnrankedReason::Inactive,
        };
        let top = read::page(conn, now, pool, None, limit).await?;
        Ok((top, Some(LeaderboardRank { player_id: player, rank: None, unranked_reason: Some(unlisted) })))
    };
    app.public_reads.read_own(caller.is(player), read).await
}
