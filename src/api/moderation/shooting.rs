//! Statistics over HTTP, for moderators, on whether a player's hits are suspiciously good.

use actix_web::{HttpRequest, get, web};
use broadside_contests::fair_play::{HitTest, SUSPECT};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::find_player;
use crate::api::http::auth::Moderator;
use crate::api::http::extract::Query;
use crate::api::http::fields::{Ranged, request};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::ids::MatchId;
use crate::moderation::shooting::{self, JudgedMatch};
use crate::player::Player;

request! {
    /// How much to look at.
    pub query PlayerHitAnalysisQuery {
        /// How many of the newest matches: 1 to 50; 20 unless given.
        #[param(value_type = Option<i32>, minimum = 1, maximum = 50, default = 20, format = Int32)]
        pub matches: Option<Ranged<1, 50>>,
    }
}

/// What chance would have made of shots, and what they made.
#[derive(Serialize, ToSchema)]
pub struct HitEvidence {
    /// All shots until then, from the first of these matches on.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    shots: u64,
    /// How many of them hit a ship.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    hits: u64,
    /// How many would have hit by chance, for whoever knows what the player was told before each salvo; cut off after
    /// two decimals.
    #[schema(minimum = 0)]
    expected_hits: f64,
    /// What speaks against the player: an honest one gets it to *n* with a chance of 1/*n* at most, however long they
    /// play. At most 10¹².
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64)]
    evidence: f64,
}

impl From<HitTest> for HitEvidence {
    fn from(test: HitTest) -> Self {
        let cut = |number: f64| (number * 100.0).floor() / 100.0;
        let evidence = cut(test.evidence()).clamp(1.0, 1e12);
        Self { shots: test.shots(), hits: test.hits(), expected_hits: cut(test.expected()), evidence }
    }
}

/// A match, and what there is to say after it.
#[derive(Serialize, ToSchema)]
pub struct MatchHitEvidence {
    match_id: MatchId,
    after: HitEvidence,
}

impl From<JudgedMatch> for MatchHitEvidence {
    fn from(judged: JudgedMatch) -> Self {
        Self { match_id: judged.id, after: judged.test.into() }
    }
}

/// How well a player hits hidden fleets.
#[derive(Serialize, ToSchema)]
#[schema(as = PlayerHitAnalysis)]
pub struct PlayerHitAnalysis {
    player: Player,
    /// The matches that were judged, the oldest first.
    #[schema(max_items = 50)]
    matches: Vec<MatchHitEvidence>,
    /// What all of them come to.
    total: HitEvidence,
    /// From so much evidence on, chance is no explanation.
    #[schema(minimum = 1)]
    suspect_from: f64,
    /// Whether there is so much.
    is_suspect: bool,
}

/// Get a player's hit analysis
///
/// Whether a player hits hidden fleets more often than anybody could who knows only what they were told: their newest
/// matches in games of gunnery that are over, salvo by salvo, beside what chance makes of each. It is a sequential test
/// with a stated rate of false alarms (`evidence`): a reason to look, and no verdict. Matches whose ships move, and
/// other families, are left out. `not-found` when there is no such player, `too-many-requests` when the caller has no
/// budget left for so many matches. Needs the role `moderator` (`role-required`), and of a personal token the scope
/// `moderation`.
#[utoipa::path(tag = "moderation", operation_id = "get_player_hit_analysis", security(("role" = ["moderator"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben"), PlayerHitAnalysisQuery),
    responses((status = 200, description = "What was found.", body = PlayerHitAnalysis)))]
#[get("/v1/moderation/players/{username}/hit-analysis")]
pub async fn get_player_hit_analysis(
    app: web::Data<App>,
    _moderator: Moderator,
    request: HttpRequest,
    query: Query<PlayerHitAnalysisQuery>,
) -> Answer {
    let limit = query.0.matches.map_or(20, |matches| matches.0.into());
    let player = find_player(&app, &named(&request)?).await?;
    let judged = shooting::of_player(&app.matches, player.id, limit).await?;
    let test = judged.last().map(|last| last.test).unwrap_or_default();
    Ok(Reply::ok(&PlayerHitAnalysis {
        player,
        matches: judged.into_iter().map(Into::into).collect(),
        total: test.into(),
        suspect_from: SUSPECT,
        is_suspect: test.is_suspect(),
    })?)
}
