//! The fair-play report over HTTP, for moderators.

use actix_web::{get, web};
use broadside_contests::Pool;
use broadside_rules::Time;

use crate::api::http::auth::Moderator;
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::ratings::fair_play::{self, FairPlayFilter, FairPlayReport};

text_fields!(Pool);

request! {
    /// Which matches to look at.
    pub query FairPlayReportQuery {
        /// Only those of this pool; otherwise those of all pools of two seats together.
        #[param(value_type = Option<String>, max_length = 80, pattern = "^[a-z0-9-]+$")]
        pub pool: Option<Pool>,
        /// Only those rated since then; 90 days ago unless given.
        #[param(value_type = Option<String>, format = DateTime)]
        pub since: Option<Time>,
    }
}

/// Get the fair-play analysis
///
/// What in the results of rated duels looks like sandbagging or collusion, and who calls many of them off, each finding
/// with its figures: a reason to look, and no verdict. The newest fifty thousand matches are looked at; `whole` says
/// whether that was all. Needs the role `moderator` (`role-required`), and of a personal token the scope `moderation`.
#[utoipa::path(tag = "moderation", operation_id = "get_fair_play_analysis", security(("role" = ["moderator"])),
    params(FairPlayReportQuery),
    responses((status = 200, description = "What was found.", body = FairPlayReport)))]
#[get("/v1/moderation/fair-play")]
pub async fn get_fair_play_analysis(
    app: web::Data<App>,
    _moderator: Moderator,
    query: Query<FairPlayReportQuery>,
) -> Answer {
    let filter = FairPlayFilter { pool: query.0.pool, since: query.0.since };
    let report = fair_play::report(&app.db, &app.pool, app.clock.now(), filter).await?;
    Ok(Reply::ok(&report)?)
}
