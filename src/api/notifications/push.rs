//! Web Push over HTTP: the service's key, and the subscribed browsers.

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::Time;
use broadside_rules::card::Language;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Anyone, Caller, SessionOnly};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{AtMost, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::ids::{PushSubscriptionId, SessionId};
use crate::notifications::mail::settings::MailTopic;
use crate::notifications::push::keys::{BrowserKey, BrowserSecret};
use crate::notifications::push::manage::{self, NewSubscription};
use crate::notifications::push::{BrowserName, Subscription};
use crate::notifications::webhooks::target::Target;
use crate::rate_limits::RateLimitKey;

text_fields!(BrowserKey, BrowserName, BrowserSecret, PushSubscriptionId);

/// The default topics of a subscription: events that a player must not miss.
const USUAL: [MailTopic; 3] = [MailTopic::YourTurn, MailTopic::DeadlineNear, MailTopic::ChallengeReceived];

request! {
    /// A browser that is to be told of events. `endpoint`, `p256dh` and `auth` are what `PushSubscription.toJSON()`
    /// has.
    pub struct CreatePushSubscriptionRequest {
        /// Where its push service takes messages: `https`, at an address of the public internet.
        #[schema(value_type = String, min_length = 8, max_length = 2000, pattern = "^https?://[^\\s@#]+$")]
        pub endpoint: Target,
        /// Its public key: a point of P-256, 65 bytes in base64url.
        #[schema(value_type = String, min_length = 87, max_length = 87, pattern = "^[A-Za-z0-9_-]{87}$")]
        pub p256dh: BrowserKey,
        /// Its secret: 16 bytes in base64url.
        #[schema(value_type = String, min_length = 22, max_length = 22, pattern = "^[A-Za-z0-9_-]{22}$")]
        pub auth: BrowserSecret,
        /// What to call it: 1 to 60 characters.
        #[schema(value_type = String, min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub name: BrowserName,
        /// The events to tell it of, by their `type`: those that there may be mail about. Left out: `your-turn`,
        /// `deadline-near` and `challenge-received`.
        #[schema(value_type = Option<Vec<MailTopic>>, max_items = 20)]
        pub events: Option<AtMost<MailTopic, 20>>,
        /// The language of the messages: `en` (the default) or `fr`.
        pub language: Option<Language>,
    }
}

request! {
    /// Which push subscriptions to list.
    pub query WhichPushSubscriptions {
        ..page(PushSubscriptionId)
    }
}

/// The key of this server for Web Push.
#[derive(Serialize, ToSchema)]
pub struct PushKey {
    /// Whether this server sends push messages at all.
    available: bool,
    /// The `applicationServerKey` for `PushManager.subscribe`: a point of P-256, 65 bytes in base64url. Null: there is
    /// none.
    #[schema(min_length = 87, max_length = 87, pattern = "^[A-Za-z0-9_-]{87}$")]
    application_server_key: Option<String>,
}

/// A browser that is told of events, without its address and its keys.
#[derive(Serialize, ToSchema)]
#[schema(as = PushSubscription)]
pub struct PushSubscriptionBody {
    id: PushSubscriptionId,
    #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    name: String,
    /// The host of its push service.
    #[schema(max_length = 2000, pattern = "^[^\\s/]+$")]
    service: String,
    /// The events that it is told of.
    #[schema(value_type = Vec<MailTopic>, max_items = 20)]
    events: Vec<&'static str>,
    /// The language of the messages.
    language: Language,
    /// Whether the session that asks has subscribed it.
    current: bool,
    created_at: Time,
    /// When its push service last took a message; null: never.
    last_delivered_at: Option<Time>,
}

impl PushSubscriptionBody {
    /// The subscription in its owner's view, in this session.
    pub fn of(subscription: Subscription, session: Option<SessionId>) -> Self {
        Self {
            id: subscription.id,
            name: subscription.name,
            service: subscription.host,
            events: subscription.kinds.into_iter().map(MailTopic::into_str).collect(),
            language: subscription.language,
            current: session == Some(subscription.session),
            created_at: subscription.created_at,
            last_delivered_at: subscription.delivered_at,
        }
    }
}

/// Get the push key
///
/// What a browser needs to subscribe (`PushManager.subscribe`), and whether this server sends push messages at all
/// (`available`). The key stays the same as long as the server has its database.
#[utoipa::path(tag = "push", operation_id = "get_push_key", security((), ("bearer" = [])),
    responses((status = 200, description = "The key.", body = PushKey)))]
#[get("/v1/push-key")]
pub async fn get_push_key(app: web::Data<App>, _: Anyone) -> Answer {
    let key = app.push.application_server_key().map(str::to_owned);
    Ok(Reply::ok(&PushKey { available: key.is_some(), application_server_key: key })?)
}

/// Subscribe a browser
///
/// It is told of events from now on, by the push service of its maker, until it is deleted here, the push service says
/// that it is gone, or the session ends that has subscribed it: a session has one subscription. The same `endpoint`
/// again changes what is there; of another account, it is that account's no more. Needs a session. A guest may
/// subscribe. An endpoint to which this server doesn't send is `validation-failed` at `/endpoint`; with 20
/// subscriptions it is `quota-exceeded`, and where the server sends no push messages `push-unavailable`.
#[utoipa::path(tag = "push", operation_id = "create_push_subscription", security(("session" = [])),
    request_body = CreatePushSubscriptionRequest,
    responses((status = 201, description = "The subscription, new or as it is now.", body = PushSubscriptionBody)))]
#[post("/v1/account/push-subscriptions")]
pub async fn create_push_subscription(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<CreatePushSubscriptionRequest>,
) -> Answer {
    let Change { request, once } = change;
    let CreatePushSubscriptionRequest { endpoint, p256dh, auth, name, events, language } = request;
    let new = NewSubscription {
        endpoint,
        key: p256dh,
        secret: auth,
        name,
        kinds: events.map_or_else(|| USUAL.to_vec(), |events| events.0),
        language: language.unwrap_or(Language::English),
    };
    let work = async |tx: &mut _| {
        let made = manage::subscribe(tx, &app.push, &caller, new).await?;
        let location = format!("/v1/account/push-subscriptions/{}", made.id);
        Reply::created(&location, &PushSubscriptionBody::of(made, caller.session))
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List push subscriptions
///
/// The newest first, without their addresses and keys. Needs a session.
#[utoipa::path(tag = "push", operation_id = "list_push_subscriptions", security(("session" = [])),
    params(WhichPushSubscriptions),
    responses((status = 200, description = "A page of them.", body = Page<PushSubscriptionBody>)))]
#[get("/v1/account/push-subscriptions")]
pub async fn list_push_subscriptions(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichPushSubscriptions>,
    request: HttpRequest,
) -> Answer {
    let WhichPushSubscriptions { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = manage::list(&mut conn, caller.account, app.clock.now(), cursor, limit + 1).await?;
    let body = |subscription| PushSubscriptionBody::of(subscription, caller.session);
    page(found, limit, |subscription| subscription.id.to_string(), body).reply(&request)
}

/// Delete a push subscription
///
/// The browser is told of nothing any more; a message under way may still arrive. Needs a session.
#[utoipa::path(tag = "push", operation_id = "delete_push_subscription", security(("session" = [])),
    params(("id" = PushSubscriptionId, Path, description = "The subscription.")),
    responses((status = 204, description = "It is deleted.")))]
#[delete("/v1/account/push-subscriptions/{id}")]
pub async fn delete_push_subscription(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    id: Id<PushSubscriptionId>,
) -> Answer {
    manage::delete(&app, caller.account, id.0).await?;
    Ok(Reply::no_content())
}
