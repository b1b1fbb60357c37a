//! Announcements to the members of a ladder or a tournament, over HTTP.

use actix_web::{HttpRequest, get, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::contests::announcements::{self, AnnouncementText, ContestAnnouncement};
use crate::contests::{either, head};
use crate::ids::{ContestAnnouncementId, ContestId, LadderId, TournamentId};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;

text_fields!(AnnouncementText, ContestAnnouncementId);

/// An announcement to the members of a ladder or a tournament.
#[derive(Serialize, ToSchema)]
#[schema(as = ContestAnnouncement)]
pub struct AnnouncementBody {
    id: ContestAnnouncementId,
    /// The ladder; null: it is a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is a ladder.
    tournament_id: Option<TournamentId>,
    /// The organizer who has written it.
    author: Player,
    /// What it says, as plain text.
    #[schema(min_length = 1, max_length = 1000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    at: Time,
}

impl From<ContestAnnouncement> for AnnouncementBody {
    fn from(announcement: ContestAnnouncement) -> Self {
        let (ladder_id, tournament_id) = either(announcement.contest);
        let ContestAnnouncement { id, author, text, at, .. } = announcement;
        Self { id, ladder_id, tournament_id, author, text, at }
    }
}

request! {
    /// What to announce.
    pub struct CreateAnnouncementRequest {
        /// The text: 1 to 1000 characters, with line breaks.
        #[schema(value_type = String, min_length = 1, max_length = 1000, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub text: AnnouncementText,
    }
}

request! {
    /// Which announcements to list.
    pub query ContestAnnouncementListQuery {
        ..page(ContestAnnouncementId)
    }
}

/// Announce something to the members
///
/// For those who run the ladder or the tournament: every member is told (`contest-announced`), and whoever sees the
/// contest can read it. Five a day at most, then `quota-exceeded`. Refused with `not-an-organizer`.
#[utoipa::path(tag = "contests", operation_id = "create_contest_announcement", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament.")),
    request_body = CreateAnnouncementRequest,
    responses((status = 201, description = "It is told to everybody.", body = AnnouncementBody)))]
#[post("/v1/contests/{id}/announcements")]
pub async fn create_contest_announcement(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    change: Change<CreateAnnouncementRequest>,
) -> Answer {
    let text = change.request.text;
    let work = async |tx: &mut _| {
        let (head, _) = head::hold(tx, &app, &caller, id.0).await?;
        let announcement = announcements::announce(tx, &app, &caller, head.contest, &text).await?;
        let location = format!("/v1/contests/{}/announcements", id.0);
        Reply::created(&location, &AnnouncementBody::from(announcement))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List announcements of a contest
///
/// The newest first, for whoever sees the ladder or the tournament.
#[utoipa::path(tag = "contests", operation_id = "list_contest_announcements", security((), ("bearer" = ["lobby:read"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."), ContestAnnouncementListQuery),
    responses((status = 200, description = "A page of them.", body = Page<AnnouncementBody>)))]
#[get("/v1/contests/{id}/announcements")]
pub async fn list_contest_announcements(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<ContestId>,
    query: Query<ContestAnnouncementListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let contest = head::seen(&mut conn, &app, id.0, visitor.identity()).await?.contest;
    let found = announcements::list(&mut conn, contest, query.0.cursor, limit + 1).await?;
    page(found, limit, |announcement| announcement.id.to_string(), AnnouncementBody::from).reply(&request)
}
