//! Moderation over HTTP, for accounts with a role, which the operator grants and revokes by a command. Each operation
//! checks the role and appends to the audit log.

pub mod adjudication;
pub mod rulesets;
pub mod shooting;

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::RuleSetHash;
use broadside_rules::Time;
use broadside_rules::text::Digest;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::accounts::{Role, Username};
use crate::api::accounts::SuspensionBody;
use crate::api::http::auth::Moderator;
use crate::api::http::bodies::ReasonRequest;
use crate::api::http::extract::{Change, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::audit_log::{AuditKind, AuditReason, NamedAuditEntry};
use crate::error::{Error, Result};
use crate::ids::{LadderId, MatchId, ModerationActionId, TournamentId};
use crate::moderation::read::{self, AuditQuery, ModerationProfile};
use crate::moderation::suspend::{self, MIN_SUSPENSION_S, RunningMatchesPolicy, SuspensionOrder};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;

text_fields!(ModerationActionId, RunningMatchesPolicy);

request! {
    /// Which actions to list.
    pub query WhichActions {
        /// Only those about this player.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only those of this player.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub actor: Option<Username>,
        /// Only those about this match.
        pub match_id: Option<MatchId>,
        /// Only those about this ladder.
        pub ladder_id: Option<LadderId>,
        /// Only those about this named rule set.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
        /// How many at most: 1 to 200, 50 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<Ranged<1, 200>>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<ModerationActionId>,
    }
}

crate::api::openapi::free_form! {
    /// What else there is to know of an action, by its kind.
    pub struct ModerationDetails;
}

/// An action of an account with a role, or of the operator.
#[derive(Serialize, ToSchema)]
#[schema(as = ModerationAction)]
pub struct ActionBody {
    id: ModerationActionId,
    kind: AuditKind,
    /// Who acted, by their current name; null: the operator.
    actor: Option<Player>,
    /// The account that it is about.
    player: Option<Player>,
    /// The match that it is about.
    match_id: Option<MatchId>,
    /// The ladder that it is about.
    ladder_id: Option<LadderId>,
    /// The tournament that it is about.
    tournament_id: Option<TournamentId>,
    /// The named rule set that it is about.
    named_rule_set: Option<Digest>,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: String,
    #[schema(value_type = ModerationDetails)]
    details: Value,
    at: Time,
}

impl From<NamedAuditEntry> for ActionBody {
    fn from(named: NamedAuditEntry) -> Self {
        let NamedAuditEntry { stored, actor, account } = named;
        let entry = stored.entry;
        let subject = entry.subject;
        Self {
            id: stored.id,
            kind: entry.kind,
            actor,
            player: account,
            match_id: subject.match_id,
            ladder_id: subject.ladder,
            tournament_id: subject.tournament,
            named_rule_set: subject.named_rule_set.map(RuleSetHash::digest),
            reason: entry.reason.as_str().to_owned(),
            details: entry.details,
            at: stored.at,
        }
    }
}

/// List moderation actions (audit log)
///
/// By people with a role and by the operator, the newest first; nothing is ever changed or taken out. What is done with
/// a case about the caller isn't shown to them. Needs the role `moderator` (`role-required`), and of a personal token
/// the scope `moderation`.
#[utoipa::path(tag = "moderation", operation_id = "list_moderation_actions", security(("role" = ["moderator"])),
    params(WhichActions),
    responses((status = 200, description = "A page of actions.", body = Page<ActionBody>)))]
#[get("/v1/moderation/actions")]
pub async fn list_moderation_actions(
    app: web::Data<App>,
    moderator: Moderator,
    query: Query<WhichActions>,
    request: HttpRequest,
) -> Answer {
    let WhichActions { player, actor, match_id, ladder_id, named_rule_set, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let wanted = AuditQuery { actor, account: player, match_id, ladder: ladder_id, named_rule_set, before: cursor };
    let found = read::audit_log(&app, &moderator, wanted, limit + 1).await?;
    page(found, limit, |named| named.stored.id.to_string(), ActionBody::from).reply(&request)
}

/// The maximum length of a temporary suspension, in seconds: ten years.
const AT_MOST_S: u32 = 315_360_000;

request! {
    /// A suspension.
    pub struct SuspendPlayerRequest {
        /// Why: 1 to 500 characters. The player and moderators read it, and nobody else.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
        /// In how many seconds it ends: 60 to 315360000 (ten years); for good unless given.
        #[schema(minimum = 60, maximum = 315_360_000, format = Int32)]
        pub expires_in_s: Option<u32>,
        /// What becomes of the player's running matches: `play-on` unless given.
        pub running_matches: Option<RunningMatchesPolicy>,
    }
}

/// What a moderator knows of a player.
#[derive(Serialize, ToSchema)]
pub struct ModeratedPlayer {
    player: Player,
    /// Whether the account is deleted. Its name and suspension stay until the suspension is over.
    deleted: bool,
    /// Their roles.
    #[schema(max_items = 10)]
    roles: Vec<Role>,
    /// Their suspension; null: they aren't suspended.
    suspension: Option<SuspensionBody>,
}

impl From<ModerationProfile> for ModeratedPlayer {
    fn from(known: ModerationProfile) -> Self {
        let ModerationProfile { player, deleted, roles, suspension } = known;
        Self { player, deleted, roles, suspension: suspension.map(SuspensionBody::from) }
    }
}

/// Get a player, as a moderator
///
/// Their roles, and their suspension with its reason. Earlier actions about them are listed by `GET
/// /v1/moderation/actions?player=`.
#[utoipa::path(tag = "moderation", operation_id = "get_moderated_player", security(("role" = ["moderator"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 200, description = "What there is to know.", body = ModeratedPlayer)))]
#[get("/v1/moderation/players/{username}")]
pub async fn get_moderated_player(app: web::Data<App>, moderator: Moderator, request: HttpRequest) -> Answer {
    let known = read::player(&app, &moderator, &named(&request)?).await?;
    Ok(Reply::ok(&ModeratedPlayer::from(known))?)
}

/// Suspend a player
///
/// The player may finish their running matches (or, with `forfeit`, resigns them all), read, and manage their account,
/// but begin nothing new (`account-suspended`). Their open challenges are withdrawn, and their seats in other
/// challenges are given back. They are notified (event `account-suspended`). Everybody sees that they are suspended,
/// and nobody else why. `own-account` for oneself, `player-has-role`, and `conflict-of-interest` with `forfeit` while
/// the caller has a seat in one of their running matches; `already-done` if they are suspended.
#[utoipa::path(tag = "moderation", operation_id = "suspend_player", security(("role" = ["moderator"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = SuspendPlayerRequest,
    responses((status = 204, description = "The player is suspended.")))]
#[post("/v1/moderation/players/{username}/suspend")]
pub async fn suspend_player(
    app: web::Data<App>,
    moderator: Moderator,
    change: Change<SuspendPlayerRequest>,
    request: HttpRequest,
) -> Answer {
    let Change { request: SuspendPlayerRequest { reason, expires_in_s, running_matches: running }, once } = change;
    check_length(expires_in_s, "/expires_in_s")?;
    let name = named(&request)?;
    let until = expires_in_s.map(|seconds| app.clock.now().plus_s(seconds));
    let order = SuspensionOrder { until, running: running.unwrap_or(RunningMatchesPolicy::PlayOn), reason };
    let forfeits = order.running == RunningMatchesPolicy::Forfeit;
    let mut suspended = None;
    let work = async |tx: &mut _| {
        suspended = Some(suspend::suspend(tx, &app, &moderator, &name, order).await?);
        Ok(Reply::no_content())
    };
    let answer = once.run(&app, &RateLimitKey::Account(moderator.account), work).await?;
    if let Some(account) = suspended.filter(|_| forfeits) {
        suspend::forfeit_or_log(&app.matches, account).await;
    }
    Ok(answer)
}

/// Fails if the length of a suspension is out of range. `at` is its field.
pub(in crate::api) fn check_length(expires_in_s: Option<u32>, at: &'static str) -> Result<()> {
    if expires_in_s.is_none_or(|length| (MIN_SUSPENSION_S..=AT_MOST_S).contains(&length)) {
        return Ok(());
    }
    let detail = format!("must be {MIN_SUSPENSION_S} to {AT_MOST_S} seconds");
    Err(Error::invalid_at(at, "out-of-range", detail))
}

/// Lift a suspension
///
/// Ends it before its time; a suspension that expires needs no operation. What was withdrawn or resigned stays so.
/// `already-done` when the player isn't suspended, `own-account` for oneself.
#[utoipa::path(tag = "moderation", operation_id = "lift_suspension", security(("role" = ["moderator"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = ReasonRequest,
    responses((status = 204, description = "It is lifted.")))]
#[post("/v1/moderation/players/{username}/lift-suspension")]
pub async fn lift_suspension(
    app: web::Data<App>,
    moderator: Moderator,
    change: Change<ReasonRequest>,
    request: HttpRequest,
) -> Answer {
    let name = named(&request)?;
    let work = async |tx: &mut _| {
        suspend::lift(tx, &app, &moderator, &name, change.request.reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(moderator.account), work).await
}
