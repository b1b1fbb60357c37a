//! The export of an account's stored data, besides challenges and matches, for its owner.

use broadside_rules::Time;

use super::account::{self, Account};
use super::oauth::apps::{self, App};
use super::oauth::registered::{self, RegisteredApp};
use super::passkeys::{self, Passkey};
use super::second_factor::{self, SecondFactorStatus};
use super::security_log::{self, SecurityEvent};
use super::sessions::Session;
use super::store;
use super::tokens::PersonalToken;
use super::username_change::{self, FormerUsername};
use crate::db::Conn;
use crate::error::Result;
use crate::ids::AccountId;
use crate::quotas::Quota;

pub struct Export {
    pub account: Account,
    /// Including ended ones and those of apps.
    pub sessions: Vec<Session>,
    pub apps: Vec<App>,
    pub registered_apps: Vec<RegisteredApp>,
    /// Without their texts, which are not stored.
    pub tokens: Vec<PersonalToken>,
    /// Without the secret.
    pub second_factor: SecondFactorStatus,
    pub security_events: Vec<SecurityEvent>,
    /// Recent previous names.
    pub former_usernames: Vec<FormerUsername>,
    /// Without the keys.
    pub passkeys: Vec<Passkey>,
}

pub async fn export(conn: &mut Conn, id: AccountId, now: Time) -> Result<Export> {
    let account = account::find(conn, id).await?;
    let sessions = store::sessions::all(conn, id).await?;
    let tokens = store::tokens::page(conn, id, None, Quota::Tokens.most()).await?;
    let apps = apps::list(conn, id, now, None, Quota::Apps.most()).await?;
    let registered_apps = registered::list(conn, id, None, Quota::RegisteredApps.most()).await?;
    let second_factor = second_factor::status(conn, id).await?;
    let security_events = security_log::export(conn, id).await?;
    let former_usernames = username_change::export(conn, id).await?;
    let passkeys = passkeys::list(conn, id, None, Quota::Passkeys.most()).await?;
    Ok(Export {
        account,
        sessions,
        apps,
        registered_apps,
        tokens,
        second_factor,
        security_events,
        former_usernames,
        passkeys,
    })
}
