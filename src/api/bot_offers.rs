//! Offers of bots that look for opponents, over HTTP, and the list of these offers.

use actix_web::{HttpRequest, delete, get, put, web};
use broadside_rules::{Fault, Time, clock};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Anyone, Caller, LobbyWrite};
use crate::api::http::extract::{Body, Query};
use crate::api::http::fields::{AtMost, request, text_fields};
use crate::api::http::filters::VariantFilter;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::challenges::VariantId;
use crate::app::App;
use crate::bot_offers::{self, BotDescription, BotFilter, BotLevel, BotOffer, LONGEST_S, ListedBot};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::player::Player;

text_fields!(BotLevel, BotDescription);

/// Upper bound of the number of simultaneous matches in a bot's offer.
const MOST_MATCHES: u32 = 10_000;

request! {
    /// What a bot accepts; what is left out has its default.
    pub struct ReplaceBotOfferRequest {
        /// How well it plays, by its own account; not said by default.
        pub level: Option<BotLevel>,
        /// What it says of itself: 1 to 280 characters on one line.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
        pub description: Option<BotDescription>,
        /// The variants that it plays, by their ids; all of them by default.
        #[schema(value_type = Option<Vec<VariantName>>, max_items = 100)]
        pub variants: Option<AtMost<VariantId, 100>>,
        /// Whether it plays by changed rule sets of these variants and by named ones, too; false by default.
        pub custom_rules: Option<bool>,
        /// Whether it plays for ratings; false by default.
        pub rated: Option<bool>,
        /// The most seats of a match: 2 by default.
        #[schema(minimum = 2, maximum = 7, format = Int32)]
        pub max_seats: Option<u32>,
        /// The least time for a move, in seconds; 5 by default, which is the least that there is.
        #[schema(minimum = 5, maximum = 1_209_600, format = Int32)]
        pub min_move_s: Option<u32>,
        /// How many matches it plays at a time; 1 by default.
        #[schema(minimum = 1, maximum = 10000, format = Int32)]
        pub max_matches: Option<u32>,
        /// For how long the offer stands unless it is renewed, in seconds: 60 to 86400; 600 by default.
        #[schema(minimum = 60, maximum = 86400, format = Int32)]
        pub available_for_s: Option<u32>,
    }
}

impl ReplaceBotOfferRequest {
    /// Fails if a number is out of its bounds.
    fn offer(self, now: Time) -> Result<BotOffer> {
        let mut faults = Vec::new();
        let mut within = |name: &str, value: Option<u32>, least: u32, most: u32, default: u32| {
            let value = value.unwrap_or(default);
            if !(least..=most).contains(&value) {
                let detail = format!("must be {least} to {most}");
                faults.push(Fault { pointer: format!("/{name}"), code: "out-of-range", detail });
            }
            value
        };
        let max_seats = within("max_seats", self.max_seats, 2, 7, 2);
        let min_move_s = within("min_move_s", self.min_move_s, clock::LEAST_S, clock::MOST_S, clock::LEAST_S);
        let max_matches = within("max_matches", self.max_matches, 1, MOST_MATCHES, 1);
        let available_for_s = within("available_for_s", self.available_for_s, 60, LONGEST_S, 600);
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        let ids = |variants: AtMost<VariantId, 100>| {
            let mut ids: Vec<String> = variants.0.into_iter().map(|VariantId(variant)| variant.id.to_owned()).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        Ok(BotOffer {
            level: self.level,
            description: self.description.map(|text| text.as_str().to_owned()),
            variants: self.variants.map(ids),
            custom_rules: self.custom_rules.unwrap_or(false),
            rated: self.rated.unwrap_or(false),
            max_seats: u8::try_from(max_seats).unwrap_or(2),
            min_move_s,
            max_matches,
            expires_at: now.plus_s(available_for_s),
        })
    }
}

/// The id of a variant.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 40, pattern = "^[a-z0-9-]+$", examples("classic"))]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct VariantName(String);

/// What a bot accepts.
#[derive(Serialize, ToSchema)]
#[schema(as = BotOffer)]
pub struct BotOfferBody {
    /// How well it plays, by its own account; null: it doesn't say.
    level: Option<BotLevel>,
    /// What it says of itself.
    #[schema(max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
    description: Option<String>,
    /// The variants that it plays, by their ids; null: all of them.
    #[schema(value_type = Option<Vec<VariantName>>, max_items = 100)]
    variants: Option<Vec<String>>,
    /// Whether it plays by changed rule sets of these variants and by named ones, too.
    custom_rules: bool,
    /// Whether it plays for ratings.
    rated: bool,
    /// The most seats of a match.
    #[schema(minimum = 2, maximum = 7, format = Int32)]
    max_seats: u8,
    /// The least time for a move, in seconds.
    #[schema(minimum = 5, maximum = 1_209_600, format = Int32)]
    min_move_s: u32,
    /// How many matches it plays at a time.
    #[schema(minimum = 1, maximum = 10000, format = Int32)]
    max_matches: u32,
    /// When the offer lapses unless it is renewed.
    expires_at: Time,
}

impl From<BotOffer> for BotOfferBody {
    fn from(offer: BotOffer) -> Self {
        let BotOffer { level, description, variants, custom_rules, rated, max_seats, min_move_s, .. } = offer;
        let (max_matches, expires_at) = (offer.max_matches, offer.expires_at);
        Self { level, description, variants, custom_rules, rated, max_seats, min_move_s, max_matches, expires_at }
    }
}

/// A bot that waits for opponents.
#[derive(Serialize, ToSchema)]
pub struct Bot {
    player: Player,
    offer: BotOfferBody,
    /// How many matches it plays now.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    running_matches: u32,
}

impl From<ListedBot> for Bot {
    fn from(listed: ListedBot) -> Self {
        Self { player: listed.player, offer: listed.offer.into(), running_matches: listed.running }
    }
}

request! {
    /// Which bots to list.
    pub query BotsQuery {
        /// Only those that play this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantFilter>,
        /// Only of this level.
        #[param(value_type = Option<BotLevel>, inline)]
        pub level: Option<BotLevel>,
        ..page(AccountId)
    }
}

/// List bots that wait for opponents
///
/// Bots of everybody, with what they accept: those that have said so and not long ago (`PUT /v1/account/bot-offer`), in
/// the order in which their accounts were created. Challenge one as any player, with `opponent`, or several with
/// `invited`.
#[utoipa::path(tag = "challenges", operation_id = "list_bots", security((), ("bearer" = [])), params(BotsQuery),
    responses((status = 200, description = "A page of them.", body = Page<Bot>)))]
#[get("/v1/bots")]
pub async fn list_bots(app: web::Data<App>, _: Anyone, query: Query<BotsQuery>, request: HttpRequest) -> Answer {
    let BotsQuery { variant, level, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let variant = variant.map(|VariantFilter(id)| id);
    let filter = BotFilter { variant, level, after: cursor, limit: limit + 1 };
    let mut conn = app.db.conn().await?;
    let found = bot_offers::list(&mut conn, &filter, app.clock.now()).await?;
    page(found, limit, |bot| bot.player.id.to_string(), Bot::from).reply(&request)
}

/// Replace your bot's offer
///
/// For an account that is marked as a bot, else `not-a-bot`: it is listed with what it accepts, until the offer lapses.
/// Renew it as long as the bot runs. An offer binds nobody: the bot gets `challenge-received` as any player, and
/// accepts or declines; do it at once. Refused with `validation-failed`, every fault named.
#[utoipa::path(tag = "challenges", operation_id = "replace_bot_offer", security(("bearer" = ["lobby:write"])),
    request_body = ReplaceBotOfferRequest,
    responses((status = 200, description = "The bot as it is listed.", body = Bot)))]
#[put("/v1/account/bot-offer")]
pub async fn replace_bot_offer(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    body: Body<ReplaceBotOfferRequest>,
) -> Answer {
    let offer = body.0.offer(app.clock.now())?;
    let mut tx = app.db.begin().await?;
    let listed = bot_offers::replace(&mut tx, &app, &caller, offer).await?;
    tx.commit().await?;
    Ok(Reply::ok(&Bot::from(listed))?)
}

/// Withdraw your bot's offer
///
/// The bot is no longer listed. Its matches and challenges stay as they are.
#[utoipa::path(tag = "challenges", operation_id = "withdraw_bot_offer", security(("bearer" = ["lobby:write"])),
    responses((status = 204, description = "There is no offer.")))]
#[delete("/v1/account/bot-offer")]
pub async fn withdraw_bot_offer(app: web::Data<App>, caller: Caller<LobbyWrite>) -> Answer {
    let mut tx = app.db.begin().await?;
    bot_offers::withdraw(&mut tx, caller.account).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}
