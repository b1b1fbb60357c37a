//! The commands `broadside admin …` and `broadside clocks …`: roles, password resets, registered apps, the audit log,
//! and time credits. Part of the command, not of the service.

use broadside::accounts::Username;
use broadside::accounts::account::PersonalTokens;
use broadside::accounts::oauth::registered::RegisteredApp;
use broadside::accounts::roles::RoleHolder;
use broadside::app::App;
use broadside::config::{Admin, AppChange, Clocks, PasswordReset, RemoveSecondFactor, RoleChange, SignOut};
use broadside::error::Result;
use broadside::heartbeat;
use broadside::moderation::{Role, apps, grants, operator, read, recovery};
use broadside::notifications::mail::security::RESET_PATH;
use broadside_rules::DownTime;

use crate::said;

/// Runs a command and returns the lines of its output.
pub async fn run(app: &App, command: &Admin) -> Result<Vec<String>> {
    match command {
        Admin::Grant(change) => grant(app, change).await,
        Admin::Revoke(change) => revoke(app, change).await,
        Admin::PasswordReset(asked) => reset_password(app, asked).await,
        Admin::RemoveSecondFactor(asked) => remove_second_factor(app, asked).await,
        Admin::SignOut(asked) => sign_out(app, asked).await,
        Admin::List { .. } => list_roles(app).await,
        Admin::ListApps { owner, limit, .. } => list_apps(app, owner.as_ref(), *limit).await,
        Admin::SuspendApp(change) => suspend_app(app, change).await,
        Admin::ResumeApp(change) => resume_app(app, change).await,
        Admin::RemoveApp(change) => remove_app(app, change).await,
        Admin::Log { player, match_id, limit, .. } => {
            let wanted =
                read::AuditQuery { account: player.clone(), match_id: *match_id, ..read::AuditQuery::default() };
            let listed = read::audit_log_for_operator(app, wanted, i64::from(*limit)).await?;
            let mut lines: Vec<String> = listed.items.iter().map(broadside::audit_log::NamedAuditEntry::line).collect();
            if listed.is_incomplete() {
                lines.push("some entries can't be read, see the log".to_owned());
            }
            Ok(lines)
        }
    }
}

/// Runs a `clocks` command. Errors are sentences for the operator.
pub async fn clocks(app: &App, command: &Clocks) -> Result<Vec<String>, String> {
    match command {
        Clocks::List { .. } => heartbeat::list(&app.db).await.map_err(said),
        Clocks::Rest { from, to, .. } if from >= to => Err(format!("{from} is not before {to}")),
        Clocks::Rest { from, to, reason, .. } => {
            let down = DownTime { from: *from, until: *to };
            match operator::rest_clocks(app, down, reason.clone()).await {
                Ok(true) => Ok(vec![format!("no clock ran from {from} until {to}: running matches are told")]),
                Ok(false) => Err(format!("{to} is not over yet: only time that is over can be given back")),
                Err(error) => Err(said(error)),
            }
        }
    }
}

async fn grant(app: &App, change: &RoleChange) -> Result<Vec<String>> {
    let RoleChange { username, role, reason, .. } = change;
    let mut tx = app.db.begin().await?;
    let new = grants::grant(&mut tx, app, username, *role, reason.clone()).await?;
    tx.commit().await?;
    let granted = format!("{username} is {} now", with_article(*role));
    Ok(vec![outcome(new, granted, format!("{username} was that before"))])
}

async fn revoke(app: &App, change: &RoleChange) -> Result<Vec<String>> {
    let RoleChange { username, role, reason, .. } = change;
    let mut tx = app.db.begin().await?;
    let was = grants::revoke(&mut tx, app, username, *role, reason.clone()).await?;
    tx.commit().await?;
    let sentence = |verb: &str| format!("{username} {verb} {}", with_article(*role));
    Ok(vec![outcome(was, sentence("is no longer"), sentence("was not"))])
}

async fn reset_password(app: &App, asked: &PasswordReset) -> Result<Vec<String>> {
    let mut tx = app.db.begin().await?;
    let PasswordReset { username, remove_address, reason, .. } = asked;
    let secret = recovery::make_reset_link(&mut tx, &app.accounts, username, *remove_address, reason.clone()).await?;
    tx.commit().await?;
    Ok(vec![format!("{}{RESET_PATH}{secret}", asked.public_url)])
}

async fn remove_second_factor(app: &App, asked: &RemoveSecondFactor) -> Result<Vec<String>> {
    let username = &asked.username;
    let mut tx = app.db.begin().await?;
    let was = recovery::remove_second_factor(&mut tx, &app.accounts, username, asked.reason.clone()).await?;
    tx.commit().await?;
    let removed = format!("{username} signs in with the password alone now");
    Ok(vec![outcome(was, removed, format!("{username} has no second factor"))])
}

async fn sign_out(app: &App, asked: &SignOut) -> Result<Vec<String>> {
    let SignOut { username, revoke_tokens, reason, .. } = asked;
    let (tokens, and) = match revoke_tokens {
        true => (PersonalTokens::Revoke, "personal tokens are revoked"),
        false => (PersonalTokens::Keep, "personal tokens stay good"),
    };
    let mut tx = app.db.begin().await?;
    recovery::sign_out_everywhere(&mut tx, &app.accounts, username, tokens, reason.clone()).await?;
    tx.commit().await?;
    Ok(vec![format!("{username} is signed out everywhere, apps included; {and}")])
}

async fn list_roles(app: &App) -> Result<Vec<String>> {
    let holders = grants::list(&mut app.db.conn().await?).await?;
    let line = |holder: &RoleHolder| {
        format!("{} {} since {}", holder.role.into_str(), holder.player.username, holder.granted_at)
    };
    Ok(holders.iter().map(line).chain([format!("{} roles", holders.len())]).collect())
}

async fn list_apps(app: &App, owner: Option<&Username>, limit: u16) -> Result<Vec<String>> {
    let listed = apps::list(&mut app.db.conn().await?, app, owner, i64::from(limit)).await?;
    Ok(listed.iter().map(|(found, grants)| line_of(found, *grants)).collect())
}

async fn suspend_app(app: &App, change: &AppChange) -> Result<Vec<String>> {
    let mut tx = app.db.begin().await?;
    let (was, ended) = apps::suspend(&mut tx, app, change.app, change.reason.clone()).await?;
    tx.commit().await?;
    let suspended = format!("{} of {} is suspended now; {ended} grants have ended", was.name, was.owner);
    let before = format!("{} of {} was suspended before", was.name, was.owner);
    Ok(vec![outcome(was.suspended_at.is_none(), suspended, before)])
}

async fn resume_app(app: &App, change: &AppChange) -> Result<Vec<String>> {
    let mut tx = app.db.begin().await?;
    let was = apps::resume(&mut tx, app, change.app, change.reason.clone()).await?;
    tx.commit().await?;
    let resumed = format!("{} of {} may ask for grants again", was.name, was.owner);
    let never = format!("{} of {} was not suspended", was.name, was.owner);
    Ok(vec![outcome(was.suspended_at.is_some(), resumed, never)])
}

async fn remove_app(app: &App, change: &AppChange) -> Result<Vec<String>> {
    let mut tx = app.db.begin().await?;
    let (was, ended) = apps::remove(&mut tx, app, change.app, change.reason.clone()).await?;
    tx.commit().await?;
    Ok(vec![format!("{} of {} is removed; {ended} grants have ended", was.name, was.owner)])
}

fn line_of(app: &RegisteredApp, grants: i64) -> String {
    let RegisteredApp { name, owner, homepage, created_at, .. } = app;
    let suspended = app.suspended_at.map(|since| format!(", suspended since {since}")).unwrap_or_default();
    format!("{} {name}, by {owner}, {homepage}, since {created_at}, {grants} grants{suspended}", app.client_id())
}

fn outcome(changed: bool, news: String, nothing: String) -> String {
    if changed { news } else { format!("{nothing}; nothing has changed") }
}

fn with_article(role: Role) -> String {
    let article = if role == Role::Organizer { "an" } else { "a" };
    format!("{article} {}", role.into_str())
}
