//! `broadside admin …`: the operator's commands for roles, lost passwords, registered apps, and the audit log.

use clap::{Args, Subcommand};

use super::Database;
use crate::accounts::oauth::registered;
use crate::accounts::{Role, Username};
use crate::audit_log::AuditReason;
use crate::ids::RegisteredAppId;

/// What an operator does about people.
#[derive(Subcommand, Debug)]
pub enum Admin {
    /// Give an account a role: moderator (people and matches) or organizer (ladders and tournaments); nobody has one
    /// otherwise
    Grant(RoleChange),
    /// Take a role from an account; it is felt at once, on every node
    Revoke(RoleChange),
    /// List everybody who has a role
    List {
        /// The database.
        #[command(flatten)]
        database: Database,
    },
    /// Print a link with which the owner of an account chooses another password: it works once, for a day, and ends
    /// every session, app and token. Give it to nobody else
    PasswordReset(PasswordReset),
    /// Remove the second factor of an account whose owner has lost it, recovery codes included; the owner is told by
    /// mail
    RemoveSecondFactor(RemoveSecondFactor),
    /// List registered apps, with how many accounts let each act
    ListApps {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// Only the apps of this account
        #[arg(long, value_name = "USERNAME")]
        owner: Option<Username>,
        /// How many at most
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
    /// Suspend a registered app: all that it was granted ends, within 30 seconds everywhere, and it gets no more
    SuspendApp(AppChange),
    /// Let a suspended app ask for grants again
    ResumeApp(AppChange),
    /// Remove a registered app: all that it was granted ends, and nobody gets its name for a year
    RemoveApp(AppChange),
    /// End every session of an account, those of apps included, when there is a sign that somebody else uses it; the
    /// owner is told by mail
    SignOut(SignOut),
    /// List what moderators, organizers and operators have done, the newest first
    Log {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// Only what is about this account
        #[arg(long, value_name = "USERNAME")]
        player: Option<Username>,
        /// Only what is about this match
        #[arg(long = "match", value_name = "ID")]
        match_id: Option<crate::ids::MatchId>,
        /// How many at most
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
}

/// A role that is given or taken.
#[derive(Args, Debug)]
pub struct RoleChange {
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Whom
    #[arg(value_name = "USERNAME")]
    pub username: Username,
    /// What: moderator or organizer
    #[arg(value_name = "ROLE")]
    pub role: Role,
    /// Why, for the log: 1 to 500 characters
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub reason: AuditReason,
}

/// Whose password was lost.
#[derive(Args, Debug)]
pub struct PasswordReset {
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Whose
    #[arg(value_name = "USERNAME")]
    pub username: Username,
    /// The address under which people reach the service, for the link
    #[arg(long, env = "BROADSIDE_PUBLIC_URL", value_name = "URL", default_value = "http://127.0.0.1:8080", value_parser = super::public_url)]
    pub public_url: String,
    /// Removes the e-mail address as well, for an account whose address somebody else has changed
    #[arg(long)]
    pub remove_address: bool,
    /// Why, for the log: 1 to 500 characters
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub reason: AuditReason,
}

/// Whose second factor was lost.
#[derive(Args, Debug)]
pub struct RemoveSecondFactor {
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Whose
    #[arg(value_name = "USERNAME")]
    pub username: Username,
    /// Why, for the log: 1 to 500 characters
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub reason: AuditReason,
}

/// Which app, and why.
#[derive(Args, Debug)]
pub struct AppChange {
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Which: its client_id, registered-…
    #[arg(value_name = "CLIENT_ID", value_parser = registered_app)]
    pub app: RegisteredAppId,
    /// Why, for the log: 1 to 500 characters
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub reason: AuditReason,
}

fn registered_app(text: &str) -> Result<RegisteredAppId, String> {
    registered::id_of(text).ok_or_else(|| {
        format!(
            "must be the client_id of a registered app: {}…, as `admin list-apps` shows it",
            registered::CLIENT_PREFIX
        )
    })
}

/// Whose sessions end.
#[derive(Args, Debug)]
pub struct SignOut {
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Whose
    #[arg(value_name = "USERNAME")]
    pub username: Username,
    /// Revoke personal access tokens as well
    #[arg(long)]
    pub revoke_tokens: bool,
    /// Why, for the log: 1 to 500 characters
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub reason: AuditReason,
}

impl Admin {
    pub fn database(&self) -> &Database {
        match self {
            Self::Grant(change) | Self::Revoke(change) => &change.database,
            Self::PasswordReset(lost) => &lost.database,
            Self::RemoveSecondFactor(lost) => &lost.database,
            Self::SuspendApp(change) | Self::ResumeApp(change) | Self::RemoveApp(change) => &change.database,
            Self::SignOut(whose) => &whose.database,
            Self::List { database } | Self::ListApps { database, .. } | Self::Log { database, .. } => database,
        }
    }
}
