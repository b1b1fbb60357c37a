//! The SQL of webhooks: the only part of `notifications/webhooks` that knows diesel.

pub mod deliveries;
pub mod webhooks;
