//! SQL of webhooks: the only part of `notifications/webhooks` that uses diesel.

pub mod deliveries;
pub mod webhooks;
