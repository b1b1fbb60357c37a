//! A player's results over HTTP, by variant and by opponent. They are derived from finished matches, which are public;
//! a token makes no difference.

use actix_web::{HttpRequest, get, web};
use broadside_rules::{Seat, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::find_player;
use crate::api::http::auth::Anyone;
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::filters::VariantFilter;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::ids::MatchId;
use crate::matches::results::{SeatOutcome, SeatResult};
use crate::matches::statistics::{self, OpponentCursor, OpponentRecord, Results, Shooting, VariantRecord};
use crate::player::Player;

text_fields!(OpponentCursor);

/// How matches came out.
#[derive(Serialize, ToSchema)]
pub struct ResultCounts {
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    won: u32,
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    drawn: u32,
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    lost: u32,
    /// Called off: they are none of the others.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    aborted: u32,
}

impl From<Results> for ResultCounts {
    fn from(results: Results) -> Self {
        let Results { won, drawn, lost, aborted } = results;
        Self { won, drawn, lost, aborted }
    }
}

/// What became of a player's shots in the finished matches of a variant.
#[derive(Serialize, ToSchema)]
pub struct ShootingStatistics {
    /// In how many matches shots were fired and counted.
    #[schema(minimum = 1, maximum = 4294967295_i64, format = Int64)]
    matches: u32,
    /// All shots of the player.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    shots: u64,
    /// How many of them hit a ship, whatever the players were told at the time.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    hits: u64,
    /// Hits for each shot, cut off after four decimals; null: the player has fired none.
    #[schema(minimum = 0, maximum = 1)]
    hit_rate: Option<f64>,
    /// How many of the matches the player has won by the battle: not by a resignation, the clock or a moderator.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    wins_by_battle: u32,
    /// The player's shots for each of these, on average, cut off after two decimals; null: there are none.
    #[schema(minimum = 0, maximum = 1_000_000)]
    shots_to_win: Option<f64>,
}

impl From<Shooting> for ShootingStatistics {
    fn from(shooting: Shooting) -> Self {
        let Shooting { matches, shots, hits, wins, shots_of_wins } = shooting;
        Self {
            matches,
            shots,
            hits,
            hit_rate: ratio(hits, shots, 10_000),
            wins_by_battle: wins,
            shots_to_win: ratio(shots_of_wins, wins.into(), 100),
        }
    }
}

/// A ratio, rounded down to a multiple of `1 / parts`.
fn ratio(part: u64, of: u64, parts: u32) -> Option<f64> {
    let cut = part.saturating_mul(parts.into()).checked_div(of)?;
    Some(f64::from(u32::try_from(cut).unwrap_or(u32::MAX)) / f64::from(parts))
}

/// What a player has made of the matches of a variant.
#[derive(Serialize, ToSchema)]
pub struct VariantStatistics {
    /// The variant; matches by a named rule set count for the one from which it started.
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: String,
    results: ResultCounts,
    /// What became of the shots; null: it is no game of gunnery, or nobody has fired.
    shooting: Option<ShootingStatistics>,
}

impl From<VariantRecord> for VariantStatistics {
    fn from(record: VariantRecord) -> Self {
        let VariantRecord { variant, results, shooting } = record;
        Self { variant, results: results.into(), shooting: shooting.map(Into::into) }
    }
}

/// What a player has made of their matches.
#[derive(Serialize, ToSchema)]
#[schema(as = PlayerStatistics)]
pub struct StatisticsBody {
    /// By variant, the most played first.
    #[schema(max_items = 1000)]
    variants: Vec<VariantStatistics>,
    /// Whether every match that is over is counted. After an update of the service older ones are counted bit by bit.
    is_complete: bool,
}

/// What a player has made of the matches against another.
#[derive(Serialize, ToSchema)]
pub struct OpponentStatistics {
    /// The opponent.
    player: Player,
    /// The results of the player whose opponents are listed. Of more than two seats whoever is placed before the other
    /// has won; who plays on the same side is no opponent.
    results: ResultCounts,
    /// When the last of the matches was over.
    last_finished_at: Time,
}

impl From<OpponentRecord> for OpponentStatistics {
    fn from(record: OpponentRecord) -> Self {
        let OpponentRecord { player, results, last_at } = record;
        Self { player, results: results.into(), last_finished_at: last_at }
    }
}

/// What an account has made of a match that is over, in its export.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportedMatchResult)]
pub struct ExportedResult {
    match_id: MatchId,
    seat: Seat,
    outcome: SeatOutcome,
    /// The place, from 1; null: the match was called off.
    #[schema(minimum = 1, maximum = 7, format = Int32)]
    place: Option<u8>,
    /// Whether the battle decided the match.
    by_battle: bool,
    /// How many shots were fired; null: it is no game of gunnery, or the match was called off.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    shots: Option<u32>,
    /// How many of them hit.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    hits: Option<u32>,
    finished_at: Time,
}

impl From<SeatResult> for ExportedResult {
    fn from(result: SeatResult) -> Self {
        Self {
            match_id: result.match_id,
            seat: result.seat,
            outcome: result.outcome,
            place: result.place,
            by_battle: result.played_out,
            shots: result.shots.map(|(shots, _)| shots),
            hits: result.shots.map(|(_, hits)| hits),
            finished_at: result.finished_at,
        }
    }
}

/// Get a player's statistics
///
/// Matches won, drawn, lost and called off, by variant; of games of gunnery also shots and hits. Only matches that are
/// over count. Ratings as a curve are in the rating history.
#[utoipa::path(tag = "players", operation_id = "get_player_statistics", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 200, description = "The statistics.", body = StatisticsBody)))]
#[get("/v1/players/{username}/statistics")]
pub async fn get_player_statistics(app: web::Data<App>, caller: Anyone, request: HttpRequest) -> Answer {
    let player = find_player(&app, &named(&request)?).await?;
    let found = statistics::of_player(&app, player.id, caller.is(player.id)).await?;
    let variants = found.variants.into_iter().map(VariantStatistics::from).collect();
    Ok(Reply::ok(&StatisticsBody { variants, is_complete: found.is_complete })?)
}

request! {
    /// Which opponents of a player to list.
    pub query PlayerOpponentListQuery {
        /// Only by matches of this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantFilter>,
        ..page(OpponentCursor)
    }
}

/// List a player's opponents
///
/// Against whom the player has played, and what came of it: those whom they have met most often first. Only matches
/// that are over count.
#[utoipa::path(tag = "players", operation_id = "list_player_opponents", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna"), PlayerOpponentListQuery),
    responses((status = 200, description = "A page of them.", body = Page<OpponentStatistics>)))]
#[get("/v1/players/{username}/opponents")]
pub async fn list_player_opponents(
    app: web::Data<App>,
    caller: Anyone,
    query: Query<PlayerOpponentListQuery>,
    request: HttpRequest,
) -> Answer {
    let PlayerOpponentListQuery { variant, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let player = find_player(&app, &named(&request)?).await?;
    let variant = variant.map(|VariantFilter(id)| id);
    let whose = (player.id, caller.is(player.id));
    let found = statistics::of_opponents(&app, whose, variant, cursor, limit + 1).await?;
    page(found, limit, |record| OpponentCursor::behind(record).to_string(), OpponentStatistics::from).reply(&request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_cut_off() {
        assert_eq!((ratio(1, 3, 10_000), ratio(2, 2, 10_000), ratio(0, 5, 100)), (Some(0.3333), Some(1.0), Some(0.0)));
        assert_eq!((ratio(100, 3, 100), ratio(0, 0, 100)), (Some(33.33), None));
    }
}
