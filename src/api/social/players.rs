//! Player profiles over HTTP: the public facts about a player.

use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::profiles::AccountProfile;
use crate::accounts::{self, NamePrefix, Username};
use crate::api::http::auth::Anyone;
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::calendar;
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::player::Player;
use crate::social::profile::Profile;

text_fields!(NamePrefix);

/// What everybody may know of a player.
#[derive(Serialize, ToSchema)]
#[schema(as = Profile)]
pub struct ProfileBody {
    id: AccountId,
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    username: String,
    /// Whether the account is marked as a bot.
    bot: bool,
    /// Whether it is a guest: an account without a password, which plays unrated matches only.
    guest: bool,
    /// When the account was created.
    created_at: Time,
    /// Whether its owner has deleted it. Such an account has a profile only while it is suspended.
    deleted: bool,
    matches: MatchCounts,
    /// The reliability: the share of the player's matches that were neither lost on time nor, if rated, called off, in
    /// percent, rounded down. Finished matches count, without annulled ones, and rated ones that the player called off.
    /// The player who used up the time answers for a time-out, if a substitute has taken over the seat. Null while no
    /// match counts.
    #[schema(minimum = 0, maximum = 100, format = Int32)]
    reliability_percent: Option<u8>,
    /// When the player's current vacation ends; null: the player is not on vacation.
    on_vacation_until: Option<Time>,
    /// Whether the account is suspended: it may finish its matches, and begin no new ones.
    suspended: bool,
    /// A line that the player says of themselves: plain text, never markup; null: nothing, or the account is suspended.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f]+$", examples("I sail in Brest."))]
    bio: Option<String>,
    /// The player's country, as they say: two letters of ISO 3166-1; null: they don't.
    #[schema(min_length = 2, max_length = 2, pattern = "^[A-Z]{2}$", examples("FR"))]
    country: Option<String>,
    /// The player's club, as they say; null: they don't.
    #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    club: Option<String>,
    /// The time zone of the player's calendar; null: they don't show it.
    #[schema(max_length = 64, pattern = "^[A-Za-z0-9_+/-]+$", examples("Europe/Paris"))]
    time_zone: Option<String>,
}

/// The numbers of a player's matches.
#[derive(Serialize, ToSchema)]
pub struct MatchCounts {
    /// Running matches that are open to spectators.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    running: u32,
    /// Finished matches.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    finished: u32,
}

impl ProfileBody {
    fn of(known: Profile, (on_vacation_until, time_zone): (Option<Time>, Option<String>), now: Time) -> Self {
        let Profile { player, guest, created_at, deleted, running, finished, reliability_percent, suspension, said } =
            known;
        let suspended = suspension.is_some_and(|suspension| suspension.is_on(now));
        // A suspended player's texts are withheld: they may contain the reason for the suspension.
        let AccountProfile { bio, country, club, shows_time_zone: _ } =
            if suspended { AccountProfile::default() } else { said };
        Self {
            id: player.id,
            username: player.username,
            bot: player.bot,
            guest,
            created_at,
            deleted,
            matches: MatchCounts { running, finished },
            reliability_percent,
            on_vacation_until,
            suspended,
            bio,
            country,
            club,
            time_zone,
        }
    }
}

request! {
    /// Which players to find.
    pub query PlayerListQuery {
        /// How the name begins: 2 to 24 characters; case and accents make no difference.
        #[param(value_type = String, min_length = 2, max_length = 24, pattern = "^[^\\u0000-\\u002c]+$", example = "an")]
        pub prefix: NamePrefix,
        ..page(Username)
    }
}

/// Find players by name
///
/// Those whose names begin with `prefix`, by name.
#[utoipa::path(tag = "players", operation_id = "list_players", security((), ("bearer" = [])), params(PlayerListQuery),
    responses((status = 200, description = "A page of them.", body = Page<Player>)))]
#[get("/v1/players")]
pub async fn list_players(
    app: web::Data<App>,
    _: Anyone,
    query: Query<PlayerListQuery>,
    request: HttpRequest,
) -> Answer {
    let PlayerListQuery { prefix, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let found = accounts::search(&app, &prefix, cursor.as_ref(), limit + 1).await?;
    page(found, limit, |player| player.username.clone(), |player| player).reply(&request)
}

/// The name in the path. Fails with `not-found` for a text that can't be a name.
pub(in crate::api) fn named(request: &HttpRequest) -> Result<Username> {
    let text = request.match_info().get("username").unwrap_or_default();
    text.parse().map_err(|_| Error::not_found())
}

/// Get a player's profile
///
/// A deleted player is `not-found`, like an unknown name. A suspended one is not, until the suspension is over. A name
/// that the player has changed within a year leads here as well: `username` is the one of today.
#[utoipa::path(tag = "players", operation_id = "get_player", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 200, description = "The profile.", body = ProfileBody)))]
#[get("/v1/players/{username}")]
pub async fn get_player(app: web::Data<App>, caller: Anyone, request: HttpRequest) -> Answer {
    let (name, now) = (named(&request)?, app.clock.now());
    let read = async |conn: &mut PublicRead| {
        let known = crate::social::profile::profile(conn, &name).await?;
        let on_vacation_until = calendar::on_vacation_until(conn, known.player.id, now).await?;
        let time_zone = match known.said.shows_time_zone {
            true => Some(calendar::time_zone(conn, known.player.id).await?),
            false => None,
        };
        Ok(ProfileBody::of(known, (on_vacation_until, time_zone), now))
    };
    Ok(Reply::ok(&app.public_reads.read_own(caller.is_named(&name), read).await?)?)
}
