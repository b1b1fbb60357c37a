//! The clock of a match, and the origin of its deadlines. It is public to everybody who may see the match.

use actix_web::{get, web};
use broadside_rules::timetable::SeatTimeView;
use broadside_rules::view_model::ArmisticeView;
use broadside_rules::{Clock, Status, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{MatchesRead, Visitor};
use crate::api::http::extract::Id;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::ids::MatchId;
use crate::matches::MatchSnapshot;

/// How the time of a match stands.
#[derive(Serialize, ToSchema)]
#[schema(as = MatchClock)]
pub struct ClockBody<'a> {
    id: MatchId,
    /// When that is: the time of the service, by which it judges who is late.
    at: Time,
    status: Status,
    /// The terms.
    clock: &'a Clock,
    /// When time runs out for the first of the seats that must act, or the armistice ends; null: no limit.
    deadline: Option<Time>,
    /// The armistice that is on; null when none is.
    armistice: Option<ArmisticeView>,
    /// How it stands for each seat.
    #[schema(max_items = 7)]
    seats: Vec<SeatTimeView>,
}

impl<'a> ClockBody<'a> {
    fn of(snapshot: &'a MatchSnapshot, at: Time) -> Self {
        let (terms, view) = (snapshot.terms(), snapshot.view());
        Self {
            id: terms.id,
            at,
            status: view.status(),
            clock: &terms.setup.clock,
            deadline: view.deadline(),
            armistice: view.armistice(),
            seats: view.times(at),
        }
    }
}

/// Get the clock of a match
///
/// For each seat what it has left now, its deadline, and the spans of time that give it: when its clock runs, and when
/// it stands still for a night, a day off, a vacation, an armistice or a pause. `prospect` is the deadline that a seat
/// would get if its turn began now: your opponent's, say, if you moved. `not-found` as for the match.
#[utoipa::path(tag = "matches", operation_id = "get_match_clock", security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match.")),
    responses((status = 200, description = "How time stands.", body = ClockBody)))]
#[get("/v1/matches/{id}/clock")]
pub async fn get_match_clock(app: web::Data<App>, visitor: Visitor<MatchesRead>, id: Id<MatchId>) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let now = app.clock.now();
    Ok(Reply::ok(&ClockBody::of(&app.matches.read(id.0, me).await?, now))?)
}
