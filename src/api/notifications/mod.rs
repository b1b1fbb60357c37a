//! Webhooks, Web Push and mail over HTTP.

pub mod mail;
pub mod mail_pages;
pub mod push;
pub mod webhook_view;
pub mod webhooks;
