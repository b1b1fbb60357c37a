//! Confirmation of addresses, and unsubscribing: mail goes only to an address confirmed by its owner, until they
//! unsubscribe.
//!
//! Links in mails are opened by people and by security scanners. So opening one changes nothing; the button on its page
//! does. The confirmation link contains a secret that isn't stored, so its mail can't be queued in the database: it is
//! sent immediately, with three attempts within two minutes, and the user requests another one if it doesn't arrive.

use std::time::Duration;

use broadside_rules::Time;
use broadside_rules::card::Language;

use super::links::{ConfirmationToken, UnsubscribeToken};
use super::settings::{self, ConfirmationRequest, MailStatus, StoredMailSettings};
use super::smtp::{Mailer, OutgoingMail, SendError};
use super::texts;
use crate::accounts;
use crate::accounts::{Email, Identity, account};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events::kinds::MailFailure;
use crate::ids::AccountId;
use crate::notifications::mail::store;

/// Validity of a link, in seconds: 48 hours.
pub const VALID_FOR_S: u32 = 48 * 60 * 60;
/// Time before an account can request another link to the same address, in seconds.
const MIN_INTERVAL_S: u32 = 10 * 60;
/// The window of the limits on links, in seconds.
const WINDOW_S: u32 = 24 * 60 * 60;
const MAX_REQUESTS: usize = 5;
/// Most links sent to one address in that window, over all accounts. The first request of an account has a higher
/// limit, so that an owner can't be kept from confirming an address by requests from a few other accounts. It still is
/// a limit, to protect the mailbox.
const MAX_SENT: i64 = 10;
const MAX_SENT_FIRST: i64 = 50;
/// Delays before the attempts to send a link.
const RETRY_DELAYS: [Duration; 3] = [Duration::ZERO, Duration::from_secs(15), Duration::from_secs(90)];

/// Sends a link to the account's address, unless it is confirmed already. Accounts without mail settings get mail in
/// `language`. Fails with `mail-unavailable` without an SMTP server, `email-missing` if the account has no address, and
/// `too-many-requests` within ten minutes of the last link to the same address or after five in a day.
pub async fn request_confirmation(
    tx: &mut Tx,
    ctx: &Context,
    mailer: Option<&Mailer>,
    who: &Identity,
    language: Language,
) -> Result<MailStatus> {
    let mailer = mailer.ok_or_else(|| Error::plain(&problem::MAIL_UNAVAILABLE))?;
    account::lock_existing(tx, who.account).await?;
    let StoredMailSettings { preferences, .. } = settings::lock(tx, ctx, who.account, language).await?;
    let status = settings::read(tx, who.account).await?;
    let address = status.address.clone().ok_or_else(|| Error::plain(&problem::NO_ADDRESS))?;
    if status.confirmed {
        return Ok(status);
    }
    let requests = store::settings::requests(tx, who.account).await?;
    check_request_rate(&requests, &address, ctx.clock.now())?;
    let (now, link) = (ctx.clock.now(), ConfirmationToken::new(who.account, ctx.random()));
    let day = now.plus_ms(-i64::from(WINDOW_S) * 1000);
    let is_first = !requests.iter().any(|request| request.at > day);
    let most = if is_first { MAX_SENT_FIRST } else { MAX_SENT };
    let is_sent = store::settings::sent_to(tx, &address, day).await? < most;
    store::settings::insert_request(tx, who.account, &link.hash(), &address, is_sent, now).await?;
    if !is_sent {
        // The caller isn't told: the answer would reveal the requests of others, and strangers must not fill a mailbox.
        tracing::warn!("links to confirm one address were asked for so often that no more are sent there today");
        return Ok(status);
    }
    let mail = mail(mailer, preferences.language, who, &address, &link);
    let (mailer, db, clock, account) = (mailer.clone(), ctx.db.clone(), ctx.clock.clone(), who.account);
    tx.afterwards(move || {
        tokio::spawn(async move {
            let failure = send(mailer, &mail).await;
            if let Err(error) = settings::note_outcome((&db, clock.now()), account, &mail.to, failure).await {
                tracing::error!(%error, "whether a link to confirm an address was sent could not be noted");
            }
        });
    });
    Ok(status)
}

/// Checks whether an account with these requests, oldest first, may make another one for this address.
fn check_request_rate(requests: &[ConfirmationRequest], address: &Email, now: Time) -> Result<()> {
    let ends = |at: Time, after_s: u32| at.plus_s(after_s).millis_since(now);
    let to_it = requests.iter().rfind(|request| request.address == *address);
    let last = to_it.map_or(0, |request| ends(request.at, MIN_INTERVAL_S));
    let window = requests.iter().rev().nth(MAX_REQUESTS - 1).map_or(0, |request| ends(request.at, WINDOW_S));
    let wait_ms = u64::try_from(last.max(window)).unwrap_or_default();
    if wait_ms == 0 { Ok(()) } else { Err(Error::too_many(wait_ms.div_ceil(1000))) }
}

fn mail(
    mailer: &Mailer,
    language: Language,
    who: &Identity,
    address: &Email,
    link: &ConfirmationToken,
) -> OutgoingMail {
    let page = mailer.page(&format!("/v1/mail/confirm/{}", link.text()));
    let (subject, text) = texts::please_confirm(language, who.username.as_str(), &page);
    let hash = link.hash();
    OutgoingMail {
        name: std::array::from_fn(|index| hash[index]),
        to: address.as_str().to_owned(),
        subject: subject.to_owned(),
        text,
        unsubscribe: None,
    }
}

/// Sends the link; returns the reason of a failure.
async fn send(mailer: Mailer, mail: &OutgoingMail) -> Option<MailFailure> {
    for pause in RETRY_DELAYS {
        tokio::time::sleep(pause).await;
        let mut connection = mailer.connection().await;
        let sent = connection.send(mail).await;
        connection.close().await;
        match sent {
            Ok(()) => {
                metrics::counter!("mails_total", "outcome" => "confirmation").increment(1);
                return None;
            }
            Err(SendError::Temporary(cause)) => {
                tracing::warn!(cause, "a link to confirm an address could not be sent yet")
            }
            Err(SendError::Permanent(cause)) => {
                tracing::info!(cause, "a link to confirm an address was refused");
                return Some(MailFailure::Refused);
            }
        }
    }
    tracing::error!("a link to confirm an address was not sent, since the SMTP server can't be used");
    Some(MailFailure::GivenUp)
}

/// The language of the account of a valid confirmation link; `None` if the link is invalid.
pub async fn preview_confirmation(ctx: &Context, text: &str) -> Result<Option<Language>> {
    let mut tx = ctx.db.begin().await?;
    let found = valid_confirmation(&mut tx, ctx, text).await?;
    tx.roll_back().await?;
    Ok(found.map(|(_, _, language)| language))
}

/// Confirms the address to which the link was sent, if the account still has it; mail begins with events from now on. A
/// link works once; using it again gets the same answer.
pub async fn confirm(ctx: &Context, text: &str) -> Result<Option<Language>> {
    let mut tx = ctx.db.begin().await?;
    let Some((link, address, language)) = valid_confirmation(&mut tx, ctx, text).await? else {
        tx.roll_back().await?;
        return Ok(None);
    };
    if let Some(address) = address {
        store::settings::use_link(&mut tx, link.account, &link.hash(), ctx.clock.now()).await?;
        store::settings::set_confirmed(&mut tx, link.account, address.as_str()).await?;
        store::settings::skip_to_newest(&mut tx, link.account).await?;
    }
    tx.commit().await?;
    Ok(Some(language))
}

/// The link, if valid, with the address to confirm, or `None` if it is confirmed already. The account and its settings
/// are locked.
async fn valid_confirmation(
    tx: &mut Tx,
    ctx: &Context,
    text: &str,
) -> Result<Option<(ConfirmationToken, Option<Email>, Language)>> {
    let Some(link) = ConfirmationToken::read(text) else { return Ok(None) };
    if !accounts::store::accounts::lock_shared(tx, link.account).await? {
        return Ok(None);
    }
    let Some(stored) = store::settings::lock_known(tx, link.account).await? else { return Ok(None) };
    let Some(request) = store::settings::link(tx, link.account, &link.hash()).await? else { return Ok(None) };
    let is_current = account::find(tx, link.account).await?.email.as_ref() == Some(&request.address);
    let is_confirmed = stored.confirmed.as_deref() == Some(request.address.as_str());
    let is_fresh = request.used_at.is_none() && ctx.clock.now() < request.at.plus_s(VALID_FOR_S);
    let language = stored.preferences.language;
    Ok(match (is_current, is_confirmed, is_fresh) {
        (true, true, _) => Some((link, None, language)),
        (true, false, true) => Some((link, Some(request.address), language)),
        _ => None,
    })
}

/// The language of the account of a valid unsubscribe link; `None` if the link is invalid.
pub async fn preview_unsubscribe(ctx: &Context, text: &str) -> Result<Option<Language>> {
    let mut tx = ctx.db.begin().await?;
    let found = valid_unsubscribe(&mut tx, text).await?;
    tx.roll_back().await?;
    Ok(found.map(|(_, language)| language))
}

/// Unsubscribes the account of the link from all mail. It may subscribe again.
pub async fn unsubscribe(ctx: &Context, text: &str) -> Result<Option<Language>> {
    let mut tx = ctx.db.begin().await?;
    let Some((account, language)) = valid_unsubscribe(&mut tx, text).await? else {
        tx.roll_back().await?;
        return Ok(None);
    };
    store::settings::unsubscribe(&mut tx, account).await?;
    tx.commit().await?;
    Ok(Some(language))
}

async fn valid_unsubscribe(tx: &mut Tx, text: &str) -> Result<Option<(AccountId, Language)>> {
    let Some(token) = UnsubscribeToken::read(text) else { return Ok(None) };
    let stored = store::settings::lock_known(tx, token.account).await?;
    let stored = stored.filter(|stored| token.is_signed_with(&stored.key));
    Ok(stored.map(|stored| (token.account, stored.preferences.language)))
}

/// Deletes expired links.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(VALID_FOR_S) * 1000);
    loop {
        let mut tx = ctx.db.begin().await?;
        let forgotten = store::settings::forget_links_before(&mut tx, then).await?;
        tx.commit().await?;
        if forgotten == 0 {
            return Ok(());
        }
    }
}
