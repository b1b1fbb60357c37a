//! Webhooks over HTTP: create, list, change, test, delete, and their deliveries. Their shapes are in
//! [`crate::api::notifications::webhook_view`].

use actix_web::{HttpRequest, delete, get, patch, post, web};

use crate::api::http::auth::{Caller, WebhooksRead, WebhooksWrite};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Body, Change, Id, InnerId, Query};
use crate::api::http::fields::{AtMost, Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::notifications::webhook_view::{
    DeliveryBody, EventType, WebhookBody, WebhookDeliveryDetails, WebhookWithSecretBody,
};
use crate::app::App;
use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::notifications::webhooks::target::Target;
use crate::notifications::webhooks::{EventKind, manage as webhooks};
use crate::rate_limits::RateLimitKey;

text_fields!(EventKind, Target, WebhookId, WebhookDeliveryId);

request! {
    /// A webhook to create.
    pub struct CreateWebhookRequest {
        /// The URL: `https`, without a user name or a password, at an address of the public internet, unless the
        /// operator allows others.
        #[schema(value_type = String, min_length = 8, max_length = 2000, pattern = "^https?://[^\\s@#]+$")]
        pub url: Target,
        /// The types of events that it sends; empty or left out: all, including types that are added later.
        #[schema(value_type = Option<Vec<EventType>>, max_items = 100)]
        pub events: Option<AtMost<EventKind, 100>>,
    }
}

request! {
    /// Changes to a webhook; what you leave out stays.
    pub struct UpdateWebhookRequest {
        /// The new URL. Pending deliveries go there, too.
        #[schema(value_type = Option<String>, nullable = false, min_length = 8, max_length = 2000, pattern = "^https?://[^\\s@#]+$")]
        pub url: Option<Target>,
        /// The new types of events; empty: all.
        #[schema(value_type = Option<Vec<EventType>>, nullable = false, max_items = 100)]
        pub events: Option<AtMost<EventKind, 100>>,
        /// Whether it is enabled. Enabled again, it goes on after the newest event; disabled, it gives up its pending
        /// deliveries.
        #[schema(nullable = false)]
        pub active: Option<bool>,
    }
}

request! {
    /// Which webhooks to list.
    pub query WebhooksQuery {
        /// The length of the page: 1 to 100, 50 by default.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<Ranged<1, 100>>,
        /// `next_cursor` of the previous page.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<WebhookId>,
    }
}

request! {
    /// Which deliveries to list.
    pub query DeliveriesQuery {
        /// The length of the page: 1 to 100, 50 by default.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<Ranged<1, 100>>,
        /// `next_cursor` of the previous page.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<WebhookDeliveryId>,
    }
}

fn path_of(id: WebhookId, delivery: WebhookDeliveryId) -> String {
    format!("/v1/webhooks/{id}/deliveries/{delivery}")
}

/// Create a webhook
///
/// It sends events from now on: what `GET /v1/events` shows, event by event, signed with the `secret` that this answer
/// shows once. An address to which this server doesn't send is `validation-failed` at `/url`; with 10 webhooks it is
/// `quota-exceeded`.
#[utoipa::path(tag = "webhooks", operation_id = "create_webhook", security(("bearer" = ["webhooks:write"])),
    request_body = CreateWebhookRequest,
    responses((status = 201, description = "The webhook, and its secret.", body = WebhookWithSecretBody)))]
#[post("/v1/webhooks")]
pub async fn create_webhook(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    change: Change<CreateWebhookRequest>,
) -> Answer {
    let Change { request: CreateWebhookRequest { url, events }, once } = change;
    let work = async |tx: &mut _| {
        let kinds = events.map(|events| events.0).unwrap_or_default();
        let created = webhooks::create(tx, &app.webhooks, caller.account, &url, &kinds).await?;
        Reply::created(&format!("/v1/webhooks/{}", created.webhook.id), &WebhookWithSecretBody::from(created))
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List webhooks
///
/// The newest first, without their secrets.
#[utoipa::path(tag = "webhooks", operation_id = "list_webhooks", security(("bearer" = ["webhooks:read"])),
    params(WebhooksQuery),
    responses((status = 200, description = "A page of them.", body = Page<WebhookBody>)))]
#[get("/v1/webhooks")]
pub async fn list_webhooks(
    app: web::Data<App>,
    caller: Caller<WebhooksRead>,
    query: Query<WebhooksQuery>,
    request: HttpRequest,
) -> Answer {
    let WebhooksQuery { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = webhooks::list(&mut conn, caller.account, cursor, limit + 1).await?;
    page(found, limit, |webhook| webhook.id.to_string(), WebhookBody::from).reply(&request)
}

/// Get a webhook
///
/// Without its secret, which is shown nowhere again.
#[utoipa::path(tag = "webhooks", operation_id = "get_webhook", security(("bearer" = ["webhooks:read"])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    responses((status = 200, description = "The webhook.", body = WebhookBody)))]
#[get("/v1/webhooks/{id}")]
pub async fn get_webhook(app: web::Data<App>, caller: Caller<WebhooksRead>, id: Id<WebhookId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let webhook = webhooks::find(&mut conn, caller.account, id.0).await?;
    Ok(Reply::ok(&WebhookBody::from(webhook))?)
}

/// Update a webhook
///
/// Changes the URL, the types of events, or whether it is enabled. A webhook that the service has disabled is enabled
/// again with `{"active": true}`, and goes on after the newest event; the missed ones can be read at `GET /v1/events`.
/// Refused with `validation-failed`, every fault named.
#[utoipa::path(tag = "webhooks", operation_id = "update_webhook", security(("bearer" = ["webhooks:write"])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    request_body = UpdateWebhookRequest,
    responses((status = 200, description = "The webhook as it is now.", body = WebhookBody)))]
#[patch("/v1/webhooks/{id}")]
pub async fn update_webhook(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    body: Body<UpdateWebhookRequest>,
) -> Answer {
    let UpdateWebhookRequest { url, events, active } = body.0;
    let change = webhooks::Change { target: url, kinds: events.map(|events| events.0), active };
    let webhook = webhooks::change(&app.webhooks, caller.account, id.0, change).await?;
    Ok(Reply::ok(&WebhookBody::from(webhook))?)
}

/// Delete a webhook
///
/// Deletes its deliveries, too. A running attempt may still arrive.
#[utoipa::path(tag = "webhooks", operation_id = "delete_webhook", security(("bearer" = ["webhooks:write"])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    responses((status = 204, description = "It is deleted.")))]
#[delete("/v1/webhooks/{id}")]
pub async fn delete_webhook(app: web::Data<App>, caller: Caller<WebhooksWrite>, id: Id<WebhookId>) -> Answer {
    webhooks::remove(&app, caller.account, id.0).await?;
    Ok(Reply::no_content())
}

/// Rotate a webhook secret
///
/// For a day the previous secret also signs: messages carry both signatures, the new one first, so that receivers can
/// change over without losing any. After two rotations in a day the first secret no longer signs.
#[utoipa::path(tag = "webhooks", operation_id = "rotate_webhook_secret", security(("bearer" = ["webhooks:write"])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "The webhook, and its new secret.", body = WebhookWithSecretBody)))]
#[post("/v1/webhooks/{id}/secret")]
pub async fn rotate_webhook_secret(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let created = webhooks::rotate(tx, &app.webhooks, caller.account, id.0).await?;
        Reply::ok(&WebhookWithSecretBody::from(created))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Send a test event to a webhook
///
/// Sends it a message of type `ping` within some seconds; read the delivery for the outcome. Refused with
/// `webhook-disabled` when it is disabled, and with `too-many-requests` after 60 manual deliveries in an hour.
#[utoipa::path(tag = "webhooks", operation_id = "test_webhook", security(("bearer" = ["webhooks:write"])),
    params(("id" = WebhookId, Path, description = "The webhook.")),
    request_body = EmptyRequest,
    responses((status = 201, description = "The delivery, which is pending.", body = DeliveryBody)))]
#[post("/v1/webhooks/{id}/test")]
pub async fn test_webhook(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let delivery = webhooks::send_ping(tx, &app, caller.account, id.0).await?;
        Reply::created(&path_of(id.0, delivery.id), &DeliveryBody::from(delivery))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List webhook deliveries
///
/// The newest first; they are kept for 30 days.
#[utoipa::path(tag = "webhooks", operation_id = "list_webhook_deliveries", security(("bearer" = ["webhooks:read"])),
    params(("id" = WebhookId, Path, description = "The webhook."), DeliveriesQuery),
    responses((status = 200, description = "A page of them.", body = Page<DeliveryBody>)))]
#[get("/v1/webhooks/{id}/deliveries")]
pub async fn list_webhook_deliveries(
    app: web::Data<App>,
    caller: Caller<WebhooksRead>,
    id: Id<WebhookId>,
    query: Query<DeliveriesQuery>,
    request: HttpRequest,
) -> Answer {
    let DeliveriesQuery { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = webhooks::deliveries(&mut conn, caller.account, id.0, cursor, limit + 1).await?;
    page(found, limit, |delivery| delivery.id.to_string(), DeliveryBody::from).reply(&request)
}

/// Get a webhook delivery
///
/// With the body that is sent.
#[utoipa::path(tag = "webhooks", operation_id = "get_webhook_delivery", security(("bearer" = ["webhooks:read"])),
    params(("id" = WebhookId, Path, description = "The webhook."), ("delivery_id" = WebhookDeliveryId, Path, description = "The delivery.")),
    responses((status = 200, description = "The delivery.", body = WebhookDeliveryDetails)))]
#[get("/v1/webhooks/{id}/deliveries/{delivery_id}")]
pub async fn get_webhook_delivery(
    app: web::Data<App>,
    caller: Caller<WebhooksRead>,
    id: Id<WebhookId>,
    inner: InnerId<WebhookDeliveryId>,
) -> Answer {
    let mut conn = app.db.conn().await?;
    let delivery = webhooks::find_delivery(&mut conn, caller.account, id.0, inner.0).await?;
    let message = webhooks::message(&mut conn, caller.account, &delivery).await?;
    Ok(Reply::ok(&WebhookDeliveryDetails { delivery: delivery.into(), message })?)
}

/// Redeliver a webhook delivery
///
/// Sends the same message with the same `webhook-id` again within some seconds, whatever its status. Refused with
/// `webhook-disabled` when the webhook is disabled, and with `too-many-requests` after 60 manual deliveries in an hour.
#[utoipa::path(tag = "webhooks", operation_id = "redeliver_webhook_delivery", security(("bearer" = ["webhooks:write"])),
    params(("id" = WebhookId, Path, description = "The webhook."), ("delivery_id" = WebhookDeliveryId, Path, description = "The delivery.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "The delivery, which is pending again.", body = DeliveryBody)))]
#[post("/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver")]
pub async fn redeliver_webhook_delivery(
    app: web::Data<App>,
    caller: Caller<WebhooksWrite>,
    id: Id<WebhookId>,
    inner: InnerId<WebhookDeliveryId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let delivery = webhooks::redeliver(tx, &app, caller.account, id.0, inner.0).await?;
        Reply::ok(&DeliveryBody::from(delivery))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
