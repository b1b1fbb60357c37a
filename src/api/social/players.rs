//! Players over HTTP: what everybody may know of the others.

use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::Username;
use crate::api::http::auth::Visitor;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::calendar;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::social::profile::Profile;

/// What everybody may know of a player.
#[derive(Serialize, ToSchema)]
#[schema(as = Profile)]
pub struct ProfileBody {
    id: AccountId,
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    username: String,
    /// Whether it is marked as a program.
    bot: bool,
    /// When the account was made.
    created_at: Time,
    matches: MatchCounts,
    /// The share of the finished matches that were not lost on time, 0 to 1; null while none is finished.
    #[schema(minimum = 0, maximum = 1)]
    reliability: Option<f64>,
    /// Until when the player is on vacation; null: he isn't.
    on_vacation_until: Option<Time>,
    /// Whether he is suspended: he finishes what he plays, and begins nothing.
    suspended: bool,
}

/// How many matches a player has.
#[derive(Serialize, ToSchema)]
pub struct MatchCounts {
    /// Under way.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    running: u32,
    /// Played to an end.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    finished: u32,
}

impl ProfileBody {
    fn of(known: Profile, on_vacation_until: Option<Time>, now: Time) -> Self {
        let Profile { player, created_at, running, finished, reliability, suspension } = known;
        Self {
            id: player.id,
            username: player.username,
            bot: player.bot,
            created_at,
            matches: MatchCounts { running, finished },
            reliability,
            on_vacation_until,
            suspended: suspension.is_some_and(|suspension| suspension.is_on(now)),
        }
    }
}

/// The name in the path; what can't be a name belongs to nobody.
pub(in crate::api) fn named(request: &HttpRequest) -> Result<Username> {
    let text = request.match_info().get("username").unwrap_or_default();
    text.parse().map_err(|_| Error::not_found())
}

/// Read a player's profile
///
/// A deleted player is `not-found`, like one who never was.
#[utoipa::path(tag = "players", operation_id = "read_player", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 200, description = "The profile.", body = ProfileBody)))]
#[get("/v1/players/{username}")]
pub async fn profile(app: web::Data<App>, _visitor: Visitor, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut conn = app.db.conn().await?;
    let known = crate::social::profile::profile(&mut conn, &name).await?;
    let now = app.clock.now();
    let on_vacation_until = calendar::on_vacation_until(&mut conn, known.player.id, now).await?;
    Ok(Reply::ok(&ProfileBody::of(known, on_vacation_until, now))?)
}
