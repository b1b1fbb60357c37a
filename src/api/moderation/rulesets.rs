//! Hiding of named rule sets with offensive texts, over HTTP, for moderators.

use actix_web::{get, post, web};
use broadside_contests::RuleSetHash;

use crate::api::http::auth::Moderator;
use crate::api::http::bodies::ReasonRequest;
use crate::api::http::extract::{Change, InnerId};
use crate::api::http::reply::{Answer, Reply};
use crate::api::rulesets::view::PublishedRuleSetBody;
use crate::app::App;
use crate::moderation::rulesets::{find, set_hidden};
use crate::rate_limits::RateLimitKey;

/// Get a named rule set, as a moderator
///
/// What its author has written, also when it is hidden. Earlier actions about it are listed by `GET
/// /v1/moderation/actions?named_rule_set=`.
#[utoipa::path(tag = "moderation", operation_id = "get_moderated_rule_set", security(("role" = ["moderator"])),
    params(("hash" = String, Path, description = "Its hash.", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")),
    responses((status = 200, description = "What there is to know.", body = PublishedRuleSetBody)))]
#[get("/v1/moderation/rule-sets/{hash}")]
pub async fn get_moderated_rule_set(app: web::Data<App>, moderator: Moderator, hash: InnerId<RuleSetHash>) -> Answer {
    Ok(Reply::ok(&PublishedRuleSetBody::from(find(&app, &moderator, hash.0).await?))?)
}

/// Hide the text of a named rule set
///
/// Title and text are shown to nobody but its author (in the export) and moderators, and not found by a search. The
/// rule set stays, under its hash: matches, ladders and tournaments by it go on. `already-done` when they are hidden,
/// `conflict-of-interest` for one's own.
#[utoipa::path(tag = "moderation", operation_id = "hide_rule_set", security(("role" = ["moderator"])),
    params(("hash" = String, Path, description = "Its hash.", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")),
    request_body = ReasonRequest,
    responses((status = 204, description = "They are hidden.")))]
#[post("/v1/moderation/rule-sets/{hash}/hide")]
pub async fn hide_rule_set(
    app: web::Data<App>,
    moderator: Moderator,
    hash: InnerId<RuleSetHash>,
    change: Change<ReasonRequest>,
) -> Answer {
    hidden(&app, &moderator, hash.0, true, change).await
}

/// Unhide the text of a named rule set
///
/// `already-done` when they are not hidden, `conflict-of-interest` for one's own.
#[utoipa::path(tag = "moderation", operation_id = "unhide_rule_set", security(("role" = ["moderator"])),
    params(("hash" = String, Path, description = "Its hash.", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")),
    request_body = ReasonRequest,
    responses((status = 204, description = "They are shown again.")))]
#[post("/v1/moderation/rule-sets/{hash}/unhide")]
pub async fn unhide_rule_set(
    app: web::Data<App>,
    moderator: Moderator,
    hash: InnerId<RuleSetHash>,
    change: Change<ReasonRequest>,
) -> Answer {
    hidden(&app, &moderator, hash.0, false, change).await
}

async fn hidden(
    app: &App,
    moderator: &Moderator,
    hash: RuleSetHash,
    hide: bool,
    change: Change<ReasonRequest>,
) -> Answer {
    let Change { request: ReasonRequest { reason }, once } = change;
    let work = async |tx: &mut _| {
        set_hidden(tx, app, moderator, hash, hide, reason).await?;
        Ok(Reply::no_content())
    };
    once.run(app, &RateLimitKey::Account(moderator.account), work).await
}
