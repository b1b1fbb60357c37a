//! The SQL of accounts: the only part of `accounts` that knows diesel.

pub mod accounts;
pub mod apps;
pub mod codes;
pub mod devices;
pub mod guests;
pub mod notices;
pub mod page_cookies;
pub mod passkey_challenges;
pub mod passkeys;
pub mod recovery;
pub mod roles;
pub mod search;
pub mod second_factors;
pub mod sessions;
pub mod signing_keys;
pub mod stream_tickets;
pub mod token_mac_key;
pub mod tokens;
