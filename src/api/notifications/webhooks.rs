//! Webhooks over HTTP: made, listed, changed, tried, and what became of their deliveries. How they look is in [`crate::api::notifications::webhook_view`]; how they are sent is not
//! here at all.

use actix_web::{HttpRequest, delete, get, patch, post, web};

use crate::api::http::auth::{Caller, WebhooksRead, WebhooksWrite};
use crate::api::http::extract::{Body, Change, Id, InnerId, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::notifications::webhook_view::{DeliveryBody, EventType, MadeBody, SentDelivery, WebhookBody};
use crate::app::App;
use crate::ids::{DeliveryId, WebhookId};
use crate::notifications::webhooks::EventKind;
use crate::notifications::webhooks::manage as webhooks;
use crate::notifications::webhooks::target::Target;
use crate::rate_limits::RateLimitKey;

text_fields!(EventKind, Target, WebhookId, DeliveryId);

request! {
    /// A webhook to make.
    pub struct NewWebhook {
        /// Where it goes: `https`, without a name or a password in it, and an address of the public internet, unless the operator allows others.
        #[schema(value_type = String, min_length = 8, max_length = 2000, pattern = "^https?://[^\\s@#]+$")]
        pub url: Target,
        /// Which events it tells of; empty or left out: all of them, those of types that are yet to come included.
        #[schema(value_type = Option<Vec<EventType>>, max_items = 100)]
        pub events: Option<Vec<EventKind>>,
    }
}

request! {
    /// What to change of a webhook; what is left out stays.
    pub struct WebhookChanges {
        /// Where it shall go. Deliveries that are pending go there, too.
        #[schema(value_type = Option<String>, min_length = 8, max_length = 2000, pattern = "^https?://[^\\s@#]+$")]
        pub url: Option<Target>,
        /// Which events it shall tell of; empty: all.
        #[schema(value_type = Option<Vec<EventType>>, max_items = 100)]
        pub events: Option<Vec<EventKind>>,
        /// Whether it is on. Switched on again it goes on from the newest event; switched off it gives up what was pending.
        pub active: Option<bool>,
    }
}

request! {
    /// Nothing has to be said.
    pub struct Nothing {}
}

request! {
    /// Which webhooks to list.
    pub query WhichWebhooks {
        /// How many at most: 1 to 100, 50 unless given.
        #[param(minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<WebhookId>,
    }
}

request! {
    /// Which deliveries to list.
    pub query WhichDeliveries {
        /// How many at most: 1 to 100, 50 unless given.
        #[param(minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<DeliveryId>,
    }
}

fn path_of(id: WebhookId, delivery: DeliveryId) -> String {
    format!("/v1/webhooks/{id}/deliveries/{delivery}")
}

/// Make a webhook
///
/// It tells of what happens from now on: what `GET /v1/events` says, event by event, signed with the `secret` that this answer shows once. An address that this server
/// doesn't send to is `invalid-request` at `/url`; with 10 webhooks it is `too-many-open`. Needs the scope `webhooks:write`.
#[utoipa::path(tag = "webhooks", operation_id = "make_webhook", security(("bearer" = [])),
    request_body(content = NewWebhook, example = json!({"url": "https://bot.example/broadside", "events": ["your-turn", "match-finished"]})),
    responses((status = 201, description = "The webhook, and its secret.", body = MadeBody)))]
#[post("/v1/webhooks")]
pub async fn make_webhook(app: web::Data<App>, caller: Caller<WebhooksWrite>, change: Change<NewWebhook>) -> Answer {
    let Change { request: NewWebhook { url, events }, once } = change;
    let work = async |tx: &mut _| {
        let made = webhooks::make(tx, &app.webhooks, caller.account, &url, &events.unwrap_or_default()).await?;
        Reply::created(&format!("/v1/webhooks/{}", made.webhook.id), &MadeBody::from(made))
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List the own webhooks
///
/// The newest first, without their secrets. Needs the scope `webhooks:read`.
#[utoipa::path(tag = "webhooks", operation_id = "list_webhooks", security(("bearer" = [])), params(WhichWebhooks),
    responses((status = 200, description = "A page of them.", body = Page<WebhookBody>)))]
#[get("/v1/webhooks")]
pub async fn list_webhooks(
    app: web::Data<App>,
    caller: Caller<WebhooksRead>,
    query: Query<WhichWebhooks>,
    request: HttpRequest,
) -> Answer {
    let WhichWebhooks { limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 100)?;
    let mut conn = app.db.conn().await?;
    let found = webhooks::list(&mut conn, caller.account, cursor, limit + 1).await?;
    page(found, limit, |webhook| webhook.id.to_string(), WebhookBody::from).reply(&request)
}

/// Read a webhook
///
/// Without its secret, which is shown nowhere again. Needs the scope `webhooks:read`.
#[utoipa::path(tag = "webhooks", operation_id = "read_webhook", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    responses((status = 200, description = "The webhook.", body = WebhookBody)))]
#[get("/v1/webhooks/{id}")]
pub async fn read_webhook(app: web::Data<App>, caller: Caller<WebhooksRead>, id: Id<WebhookId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let webhook = webhooks::find(&mut conn, caller.account, id.0).await?;
    Ok(Reply::ok(&WebhookBody::from(webhook))?)
}

/// Change a webhook
///
/// Another address, other events, on or off. One that the service has switched off is switched on again with `{"active": true}`, and goes on from the newest event: what
/// was missed can be read at `GET /v1/events`. Refused with `invalid-request`, every fault named. Needs the scope `webhooks:write`.
#[utoipa::path(tag = "webhooks", operation_id = "change_webhook", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    request_body(content = WebhookChanges, example = json!({"url": "https://bot.example/broadside", "events": ["your-turn"], "active": true})),
    responses((status = 200, description = "The webhook as it is now.", body = WebhookBody)))]
#[patch("/v1/webhooks/{id}")]
pub async fn change_webhook(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    body: Body<WebhookChanges>,
) -> Answer {
    let WebhookChanges { url, events, active } = body.0;
    let change = webhooks::Change { target: url, kinds: events, active };
    let webhook = webhooks::change(&app.webhooks, caller.account, id.0, change).await?;
    Ok(Reply::ok(&WebhookBody::from(webhook))?)
}

/// Delete a webhook
///
/// With the list of its deliveries. What is on its way at this moment may still arrive. Needs the scope `webhooks:write`.
#[utoipa::path(tag = "webhooks", operation_id = "delete_webhook", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    responses((status = 204, description = "It is deleted.")))]
#[delete("/v1/webhooks/{id}")]
pub async fn delete_webhook(app: web::Data<App>, caller: Caller<WebhooksWrite>, id: Id<WebhookId>) -> Answer {
    webhooks::remove(&app, caller.account, id.0).await?;
    Ok(Reply::no_content())
}

/// Give a webhook a new secret
///
/// For a day the one before signs, too: messages carry both signatures, the new one first, so that receivers can change over without losing any. Rotated
/// twice in a day, the first no longer signs. Needs the scope `webhooks:write`.
#[utoipa::path(tag = "webhooks", operation_id = "rotate_webhook_secret", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    request_body(content = Nothing, example = json!({})),
    responses((status = 200, description = "The webhook, and its new secret.", body = MadeBody)))]
#[post("/v1/webhooks/{id}/secret")]
pub async fn rotate_webhook_secret(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    change: Change<Nothing>,
) -> Answer {
    let work = async |tx: &mut _| {
        let made = webhooks::rotate(tx, &app.webhooks, caller.account, id.0).await?;
        Reply::ok(&MadeBody::from(made))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Try a webhook
///
/// Sends it a message of type `ping` within some seconds; read the delivery to see what came of it. Refused with `webhook-off` when it is switched off, and with
/// `too-many-requests` after 60 that were asked for by hand in an hour. Needs the scope `webhooks:write`.
#[utoipa::path(tag = "webhooks", operation_id = "test_webhook", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    request_body(content = Nothing, example = json!({})),
    responses((status = 201, description = "The delivery, which is pending.", body = DeliveryBody)))]
#[post("/v1/webhooks/{id}/test")]
pub async fn test_webhook(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    change: Change<Nothing>,
) -> Answer {
    let work = async |tx: &mut _| {
        let delivery = webhooks::try_out(tx, &app, caller.account, id.0).await?;
        Reply::created(&path_of(id.0, delivery.id), &DeliveryBody::from(delivery))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List the deliveries of a webhook
///
/// The newest first, as far as they are kept: 30 days. Needs the scope `webhooks:read`.
#[utoipa::path(tag = "webhooks", operation_id = "list_deliveries", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook."), WhichDeliveries),
    responses((status = 200, description = "A page of them.", body = Page<DeliveryBody>)))]
#[get("/v1/webhooks/{id}/deliveries")]
pub async fn list_deliveries(
    app: web::Data<App>,
    caller: Caller<WebhooksRead>,
    id: Id<WebhookId>,
    query: Query<WhichDeliveries>,
    request: HttpRequest,
) -> Answer {
    let WhichDeliveries { limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 100)?;
    let mut conn = app.db.conn().await?;
    let found = webhooks::deliveries(&mut conn, caller.account, id.0, cursor, limit + 1).await?;
    page(found, limit, |delivery| delivery.id.to_string(), DeliveryBody::from).reply(&request)
}

/// Read a delivery
///
/// With the body that is sent. Needs the scope `webhooks:read`.
#[utoipa::path(tag = "webhooks", operation_id = "read_delivery", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook."), ("delivery" = DeliveryId, Path, description = "The delivery.")),
    responses((status = 200, description = "The delivery.", body = SentDelivery)))]
#[get("/v1/webhooks/{id}/deliveries/{delivery}")]
pub async fn read_delivery(
    app: web::Data<App>,
    caller: Caller<WebhooksRead>,
    id: Id<WebhookId>,
    inner: InnerId<DeliveryId>,
) -> Answer {
    let mut conn = app.db.conn().await?;
    let delivery = webhooks::find_delivery(&mut conn, caller.account, id.0, inner.0).await?;
    let message = webhooks::message(&mut conn, caller.account, &delivery).await?;
    Ok(Reply::ok(&SentDelivery { delivery: delivery.into(), message })?)
}

/// Deliver once more
///
/// The same message, under the same `webhook-id`, whatever became of it before; within some seconds. Refused with `webhook-off` when the webhook is switched off, and with
/// `too-many-requests` after 60 that were asked for by hand in an hour. Needs the scope `webhooks:write`.
#[utoipa::path(tag = "webhooks", operation_id = "redeliver", security(("bearer" = [])),
    params(("id" = WebhookId, Path, description = "The webhook."), ("delivery" = DeliveryId, Path, description = "The delivery.")),
    request_body(content = Nothing, example = json!({})),
    responses((status = 200, description = "The delivery, which is pending again.", body = DeliveryBody)))]
#[post("/v1/webhooks/{id}/deliveries/{delivery}/redeliver")]
pub async fn redeliver(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    inner: InnerId<DeliveryId>,
    change: Change<Nothing>,
) -> Answer {
    let work = async |tx: &mut _| {
        let delivery = webhooks::redeliver(tx, &app, caller.account, id.0, inner.0).await?;
        Reply::ok(&DeliveryBody::from(delivery))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
