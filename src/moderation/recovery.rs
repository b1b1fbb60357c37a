//! Account recovery by the operator, on the command line. Nothing here can be reached over HTTP.

use serde_json::json;

use super::grants::named;
use crate::accounts::account::PersonalTokens;
use crate::accounts::recovery::{self, OPERATORS_LINK_S};
use crate::accounts::roles::Actor;
use crate::accounts::second_factor;
use crate::accounts::{Accounts, Username, account, sign_out};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::db::Tx;
use crate::error::{Error, Result, problem};

/// Makes a password-reset link for the owner of an account, and returns its secret, valid once within a day. Links sent
/// to former addresses are revoked, because one of these may belong to another person; so are those to the current
/// address, if it is to be `removed`. Fails with `not-found` if there is no such name, and with `guest-not-allowed` for
/// a guest, who has no password.
pub async fn make_reset_link(
    tx: &mut Tx,
    accounts: &Accounts,
    name: &Username,
    removed: bool,
    reason: AuditReason,
) -> Result<String> {
    let player = named(tx, name).await?;
    account::lock_exclusively(tx, player.id).await?;
    if account::find(tx, player.id).await?.guest {
        return Err(Error::new(&problem::GUEST_NOT_ALLOWED, format!("{name} is a guest, and has no password.")));
    }
    recovery::forget_addresses(tx, accounts, player.id, removed).await?;
    let secret = recovery::make_link(tx, accounts, player.id, OPERATORS_LINK_S).await?;
    let (kind, subject) = (AuditKind::PasswordResetLinkMade, AuditSubject::account(player.id));
    let details = json!({ "address": if removed { "removed" } else { "kept" } });
    audit_log::append(tx, accounts, Actor::OPERATOR, AuditEntry { kind, subject, reason, details }).await?;
    Ok(secret)
}

/// Removes a lost second factor, including recovery codes. Returns false if there is none. Fails with `not-found` if
/// there is no such name.
pub async fn remove_second_factor(
    tx: &mut Tx,
    accounts: &Accounts,
    name: &Username,
    reason: AuditReason,
) -> Result<bool> {
    let player = named(tx, name).await?;
    account::lock_exclusively(tx, player.id).await?;
    if !second_factor::remove(tx, accounts, player.id).await? {
        return Ok(false);
    }
    let (kind, subject) = (AuditKind::SecondFactorRemoved, AuditSubject::account(player.id));
    audit_log::append(tx, accounts, Actor::OPERATOR, AuditEntry { kind, subject, reason, details: json!({}) }).await?;
    Ok(true)
}

/// Ends every session of an account, including those of apps; `tokens` decides about personal tokens. The owner is
/// notified. Fails with `not-found` if there is no such name.
pub async fn sign_out_everywhere(
    tx: &mut Tx,
    accounts: &Accounts,
    name: &Username,
    tokens: PersonalTokens,
    reason: AuditReason,
) -> Result<()> {
    let player = named(tx, name).await?;
    sign_out::everywhere(tx, accounts, player.id, tokens).await?;
    let (kind, subject) = (AuditKind::SignedOutEverywhere, AuditSubject::account(player.id));
    let details = json!({ "personal_tokens": if tokens == PersonalTokens::Revoke { "revoked" } else { "kept" } });
    audit_log::append(tx, accounts, Actor::OPERATOR, AuditEntry { kind, subject, reason, details }).await?;
    Ok(())
}
