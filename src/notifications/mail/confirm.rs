//! Whose mailbox it is: an address is written to when somebody who reads its mail has said so, and no more when he says so.
//!
//! A link in a mail is opened by people and by programs that look for harm; so opening it changes nothing, and the button on its page does. The link that confirms holds a
//! secret that is stored nowhere, so its mail can't wait in the database: it is sent at once, tried three times within two minutes, and asked for again by a person if it
//! doesn't come.

use std::time::Duration;

use broadside_rules::Time;

use super::links::{Confirming, Ending};
use super::settings::{self, Asked, Kept, Standing, Tongue};
use super::smtp::{Letter, Mailer, Refusal};
use super::words;
use crate::accounts;
use crate::accounts::{Email, Identity, account};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::notifications::mail::store;

/// How long a link is good, in seconds: 48 hours.
pub const GOOD_FOR_S: u32 = 48 * 60 * 60;
/// How long somebody waits before he can ask for another, in seconds.
const BETWEEN_S: u32 = 10 * 60;
/// In how many seconds, and how often, an account can ask at most.
const WINDOW_S: u32 = 24 * 60 * 60;
const ASKED_AT_MOST: usize = 5;
/// How many links are sent to one address in that time, however many accounts ask. An account's first one has room beyond that, so that nobody keeps an address from being confirmed by asking
/// for it again and again from a few accounts; but not without end, since it is somebody's mailbox.
const SENT_AT_MOST: i64 = 10;
const FIRST_SENT_AT_MOST: i64 = 50;
/// The pauses before the attempts to send a link.
const ATTEMPTS: [Duration; 3] = [Duration::ZERO, Duration::from_secs(15), Duration::from_secs(90)];

/// Sends a link to the account's address, unless that is confirmed already. Fails with `mail-unavailable` where there is no SMTP server, with `no-address` when the account has none, and with
/// `too-many-requests` within ten minutes after the last link and after five in a day.
pub async fn ask(tx: &mut Tx, ctx: &Context, mailer: Option<&Mailer>, who: &Identity) -> Result<Standing> {
    let mailer = mailer.ok_or_else(|| Error::plain(&problem::MAIL_UNAVAILABLE))?;
    account::lock_existing(tx, who.account).await?;
    let Kept { preferences, .. } = settings::lock(tx, ctx, who.account).await?;
    let standing = settings::read(tx, who.account).await?;
    let address = standing.address.clone().ok_or_else(|| Error::plain(&problem::NO_ADDRESS))?;
    if standing.confirmed {
        return Ok(standing);
    }
    let asked = store::settings::asked(tx, who.account).await?;
    has_patience(&asked, ctx.clock.now())?;
    let (now, link) = (ctx.clock.now(), Confirming::new(who.account, ctx.random()));
    let day = now.plus_ms(-i64::from(WINDOW_S) * 1000);
    let is_first = !asked.iter().any(|asked| asked.at > day);
    let most = if is_first { FIRST_SENT_AT_MOST } else { SENT_AT_MOST };
    let is_sent = store::settings::sent_to(tx, &address, day).await? < most;
    store::settings::ask(tx, who.account, &link.hash(), &address, is_sent, now).await?;
    if !is_sent {
        // Said to nobody: else an account could find out what others ask for. And nobody's mailbox is filled by strangers.
        tracing::warn!("links to confirm one address were asked for so often that no more are sent there today");
        return Ok(standing);
    }
    let letter = letter(mailer, preferences.tongue, who, &address, &link);
    let mailer = mailer.clone();
    tx.afterwards(move || {
        tokio::spawn(send(mailer, letter));
    });
    Ok(standing)
}

/// Whether who has asked for these links, the oldest first, may ask for another.
fn has_patience(asked: &[Asked], now: Time) -> Result<()> {
    let ends = |at: Time, after_s: u32| at.plus_s(after_s).millis_since(now);
    let last = asked.last().map_or(0, |asked| ends(asked.at, BETWEEN_S));
    let window = asked.iter().rev().nth(ASKED_AT_MOST - 1).map_or(0, |asked| ends(asked.at, WINDOW_S));
    let wait_ms = u64::try_from(last.max(window)).unwrap_or_default();
    if wait_ms == 0 { Ok(()) } else { Err(Error::too_many(wait_ms.div_ceil(1000))) }
}

fn letter(mailer: &Mailer, tongue: Tongue, who: &Identity, address: &Email, link: &Confirming) -> Letter {
    let page = mailer.page(&format!("/v1/mail/confirm/{}", link.text()));
    let (subject, text) = words::please_confirm(tongue, who.username.as_str(), &page);
    let hash = link.hash();
    Letter {
        name: std::array::from_fn(|index| hash[index]),
        to: address.as_str().to_owned(),
        subject: subject.to_owned(),
        text,
        unsubscribe: None,
    }
}

async fn send(mailer: Mailer, letter: Letter) {
    for pause in ATTEMPTS {
        tokio::time::sleep(pause).await;
        let mut line = mailer.line().await;
        let handed_over = line.hand_over(&letter).await;
        line.hang_up().await;
        match handed_over {
            Ok(()) => {
                metrics::counter!("mails_total", "outcome" => "confirmation").increment(1);
                return;
            }
            Err(Refusal::Later(cause)) => tracing::warn!(cause, "a link to confirm an address could not be sent yet"),
            Err(Refusal::Never(cause)) => {
                tracing::info!(cause, "a link to confirm an address was refused");
                return;
            }
        }
    }
    tracing::error!("a link to confirm an address was not sent, since the SMTP server can't be used");
}

/// What a link in a mail leads to: in which language to speak to who has opened it; `None` when it is not good, or no longer.
pub async fn look_at_confirmation(ctx: &Context, text: &str) -> Result<Option<Tongue>> {
    let mut tx = ctx.db.begin().await?;
    let found = good_link(&mut tx, ctx, text).await?;
    tx.roll_back().await?;
    Ok(found.map(|(_, _, tongue)| tongue))
}

/// Confirms the address that the link was sent to, if it still is the account's; mail begins with what the account hears of from now on. A link is good once; who presses twice is told the same.
pub async fn confirm(ctx: &Context, text: &str) -> Result<Option<Tongue>> {
    let mut tx = ctx.db.begin().await?;
    let Some((link, address, tongue)) = good_link(&mut tx, ctx, text).await? else {
        tx.roll_back().await?;
        return Ok(None);
    };
    if let Some(address) = address {
        store::settings::use_link(&mut tx, link.account, &link.hash(), ctx.clock.now()).await?;
        store::settings::set_confirmed(&mut tx, link.account, address.as_str()).await?;
        store::settings::begin_anew(&mut tx, link.account).await?;
    }
    tx.commit().await?;
    Ok(Some(tongue))
}

/// The link, if it is good: with the address that is still to be confirmed by it, or without, if it has done so. The account and its row are held.
async fn good_link(tx: &mut Tx, ctx: &Context, text: &str) -> Result<Option<(Confirming, Option<Email>, Tongue)>> {
    let Some(link) = Confirming::read(text) else { return Ok(None) };
    if !accounts::store::accounts::lock_shared(tx, link.account).await? {
        return Ok(None);
    }
    let Some(kept) = store::settings::lock_known(tx, link.account).await? else { return Ok(None) };
    let Some(asked) = store::settings::link(tx, link.account, &link.hash()).await? else { return Ok(None) };
    let is_his = account::find(tx, link.account).await?.email.as_ref() == Some(&asked.address);
    let is_confirmed = kept.confirmed.as_deref() == Some(asked.address.as_str());
    let is_fresh = asked.used_at.is_none() && ctx.clock.now() < asked.at.plus_s(GOOD_FOR_S);
    let tongue = kept.preferences.tongue;
    Ok(match (is_his, is_confirmed, is_fresh) {
        (true, true, _) => Some((link, None, tongue)),
        (true, false, true) => Some((link, Some(asked.address), tongue)),
        _ => None,
    })
}

/// Whether the link would end all mail of somebody.
pub async fn look_at_ending(ctx: &Context, text: &str) -> Result<Option<Tongue>> {
    let mut tx = ctx.db.begin().await?;
    let found = good_ending(&mut tx, text).await?;
    tx.roll_back().await?;
    Ok(found.map(|(_, tongue)| tongue))
}

/// Ends all mail to the account that the link belongs to. It may ask for mail again.
pub async fn stop(ctx: &Context, text: &str) -> Result<Option<Tongue>> {
    let mut tx = ctx.db.begin().await?;
    let Some((account, tongue)) = good_ending(&mut tx, text).await? else {
        tx.roll_back().await?;
        return Ok(None);
    };
    store::settings::stop(&mut tx, account).await?;
    tx.commit().await?;
    Ok(Some(tongue))
}

async fn good_ending(tx: &mut Tx, text: &str) -> Result<Option<(AccountId, Tongue)>> {
    let Some(ending) = Ending::read(text) else { return Ok(None) };
    let kept = store::settings::lock_known(tx, ending.account).await?;
    let kept = kept.filter(|kept| ending.is_signed_with(&kept.key));
    Ok(kept.map(|kept| (ending.account, kept.preferences.tongue)))
}

/// Forgets links that are older than they can be good.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(GOOD_FOR_S) * 1000);
    loop {
        let mut tx = ctx.db.begin().await?;
        let forgotten = store::settings::forget_links_before(&mut tx, then).await?;
        tx.commit().await?;
        if forgotten == 0 {
            return Ok(());
        }
    }
}
