//! The SQL of accounts: the only part of `accounts` that knows diesel.

pub mod accounts;
pub mod roles;
pub mod sessions;
pub mod signing_keys;
pub mod tokens;
