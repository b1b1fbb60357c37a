//! Moderation over HTTP: for people with a role, which the operator gives and takes by a command. Each operation asks for the role; what it does is noted.

use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::auth::Moderator;
use super::extract::Query;
use super::fields::{request, text_fields};
use super::paging::{Page, page, page_limit};
use super::reply::Answer;
use crate::accounts::Username;
use crate::app::App;
use crate::deeds::{Kind, Listed};
use crate::ids::{DeedId, LadderId, MatchId, TournamentId};
use crate::moderation::read::{self, Wanted};
use crate::player::Player;

text_fields!(DeedId);

request! {
    /// Which actions to list.
    pub query WhichActions {
        /// Only those about this player.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only those of this player.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub by: Option<Username>,
        /// Only those about this match.
        pub match_id: Option<MatchId>,
        /// How many at most: 1 to 200, 50 unless given.
        #[param(minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<DeedId>,
    }
}

super::openapi::free_form! {
    /// What else there is to know of an action, by its kind.
    pub struct ModerationDetails;
}

/// Something that was done by somebody with a role, or by the operator.
#[derive(Serialize, ToSchema)]
#[schema(as = ModerationAction)]
pub struct ActionBody {
    id: DeedId,
    #[schema(value_type = Kind)]
    kind: &'static str,
    /// Who did it, by his name of today; null: the operator.
    by: Option<Player>,
    /// The account that it is about.
    player: Option<Player>,
    /// The match that it is about.
    match_id: Option<MatchId>,
    /// The ladder that it is about.
    ladder_id: Option<LadderId>,
    /// The tournament that it is about.
    tournament_id: Option<TournamentId>,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: String,
    #[schema(value_type = ModerationDetails)]
    details: Value,
    at: Time,
}

impl From<Listed> for ActionBody {
    fn from(listed: Listed) -> Self {
        let Listed { noted, actor, account } = listed;
        let deed = noted.deed;
        let about = deed.about;
        Self {
            id: noted.id,
            kind: deed.kind.word(),
            by: actor,
            player: account,
            match_id: about.match_id,
            ladder_id: about.ladder,
            tournament_id: about.tournament,
            reason: deed.reason.as_str().to_owned(),
            details: deed.details,
            at: noted.at,
        }
    }
}

/// List what was done
///
/// By people with a role and by the operator, the newest first; nothing is ever changed or taken out. Needs the role `moderator` (`role-missing`), and of a personal
/// token the scope `moderation`.
#[utoipa::path(tag = "moderation", operation_id = "list_moderation_actions", security(("bearer" = [])), params(WhichActions),
    responses((status = 200, description = "A page of actions.", body = Page<ActionBody>)))]
#[get("/v1/moderation/actions")]
pub async fn list_moderation_actions(
    app: web::Data<App>,
    moderator: Moderator,
    query: Query<WhichActions>,
    request: HttpRequest,
) -> Answer {
    let WhichActions { player, by, match_id, limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 200)?;
    let wanted = Wanted { actor: by, account: player, match_id, before: cursor };
    let found = read::deeds(&app, &moderator, wanted, limit + 1).await?;
    page(found, limit, |listed| listed.noted.id.to_string(), ActionBody::from).reply(&request)
}
