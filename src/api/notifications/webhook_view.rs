//! JSON views of webhooks: the webhook, its deliveries, and the message. Each struct lists every field.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::events::AccountEvent;
use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::notifications::webhooks::{Delivery, EventKind, Webhook, WebhookWithSecret};

/// The type of an event, as `GET /v1/events` lists them.
pub(in crate::api) struct EventType;

impl PartialSchema for EventType {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
        let text = text.description(Some("The type of an event, as `GET /v1/events` lists them. New ones may come."));
        text.enum_values(Some(EventKind::all().map(|kind| kind.0))).into()
    }
}

impl ToSchema for EventType {}

/// A webhook, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub struct WebhookBody {
    id: WebhookId,
    /// The URL, in its normal form.
    #[schema(max_length = 2000, pattern = "^https?://[^\\s]+$")]
    url: String,
    /// The types of events that it sends; empty: all.
    #[schema(max_items = 100, value_type = Vec<EventType>)]
    events: Vec<String>,
    /// Whether it is enabled.
    active: bool,
    /// Why the service disabled it: `gone` (it answered 410) or `failing` (three days of nothing but failures); null:
    /// it did not.
    #[schema(max_length = 20, pattern = "^[a-z-]+$")]
    disabled_reason: Option<String>,
    /// Since when all attempts have failed; null: the last one succeeded.
    failing_since: Option<Time>,
    /// When something was last delivered; null: never.
    last_delivered_at: Option<Time>,
    /// Until when the previous secret also signs; null: there is none.
    previous_secret_expires_at: Option<Time>,
    created_at: Time,
}

impl From<Webhook> for WebhookBody {
    fn from(webhook: Webhook) -> Self {
        Self {
            id: webhook.id,
            url: webhook.url,
            events: webhook.kinds,
            active: webhook.active,
            disabled_reason: webhook.off_reason,
            failing_since: webhook.failing_since,
            last_delivered_at: webhook.delivered_at,
            previous_secret_expires_at: webhook.old_secret_until,
            created_at: webhook.created_at,
        }
    }
}

/// A webhook with the secret that signs its messages.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookWithSecret)]
pub struct WebhookWithSecretBody {
    /// The secret that signs its messages: `whsec_` and the base64 of 32 bytes. It is shown only this once.
    #[schema(max_length = 50, pattern = "^whsec_[A-Za-z0-9+/]{43}=$")]
    secret: String,
    /// The webhook.
    webhook: WebhookBody,
}

impl From<WebhookWithSecret> for WebhookWithSecretBody {
    fn from(created: WebhookWithSecret) -> Self {
        Self { secret: created.secret, webhook: created.webhook.into() }
    }
}

/// The delivery of an event to a webhook, and its outcome.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub struct DeliveryBody {
    id: WebhookDeliveryId,
    webhook_id: WebhookId,
    /// The `webhook-id` header: the same for every attempt.
    #[schema(max_length = 80, pattern = "^[a-z0-9_]+$")]
    message_id: String,
    /// The type of the event, or `ping`.
    #[schema(max_length = 40, pattern = "^[a-z-]+$")]
    event_type: String,
    /// The number of the event in your log; null: a ping.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    event_number: Option<u64>,
    /// `pending`: it is waiting for its first attempt or a retry. `delivered`: it was answered with 2xx. `failed`: it
    /// was given up.
    #[schema(max_length = 20, pattern = "^[a-z]+$")]
    status: &'static str,
    /// The attempts so far.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    attempts: u32,
    /// When the next attempt is due; null: there is none.
    next_attempt_at: Option<Time>,
    created_at: Time,
    /// When the last attempt was made; null: not yet.
    last_attempt_at: Option<Time>,
    /// The HTTP status of the last attempt; null: there was no answer.
    #[schema(minimum = 100, maximum = 999, format = Int32)]
    response_status: Option<u16>,
    /// What went wrong in the last attempt, for people; null: nothing. The body of an answer is never read.
    #[schema(max_length = 300)]
    error: Option<String>,
}

impl From<Delivery> for DeliveryBody {
    fn from(delivery: Delivery) -> Self {
        Self {
            id: delivery.id,
            webhook_id: delivery.webhook,
            message_id: delivery.message_id(),
            event_type: delivery.kind,
            event_number: delivery.number,
            status: delivery.status.into_str(),
            attempts: delivery.attempts,
            next_attempt_at: delivery.due_at,
            created_at: delivery.created_at,
            last_attempt_at: delivery.attempted_at,
            response_status: delivery.answer,
            error: delivery.diagnosis,
        }
    }
}

/// The message to a webhook (Standard Webhooks), with the headers `webhook-id`, `webhook-timestamp` and
/// `webhook-signature`.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
struct WebhookMessage {
    /// The type of the event, or `ping`.
    #[schema(max_length = 40, pattern = "^[a-z-]+$")]
    r#type: String,
    /// When it happened.
    timestamp: Time,
    /// The event, as `GET /v1/events` has it; or a `ping`, which is in no log.
    data: AccountEvent,
}

/// A delivery with its message.
#[derive(Serialize, ToSchema)]
pub struct WebhookDeliveryDetails {
    /// The delivery.
    pub(in crate::api) delivery: DeliveryBody,
    /// The body as it is sent and signed; null: its event is deleted.
    #[schema(value_type = Option<WebhookMessage>)]
    pub(in crate::api) message: Option<Box<serde_json::value::RawValue>>,
}
