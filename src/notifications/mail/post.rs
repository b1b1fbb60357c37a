//! The post: looks which accounts have heard of something that they want to be written about, notes when a mail is due, and sends what is due.
//!
//! Any number of nodes do so at once. One takes a mail under a lease, sends it, and notes that it is dealt with. If it dies in between, another sends it again when the lease
//! has run out, about the same events and with the same `Message-ID`, by which readers drop doubles: at least once, and as long as nothing dies exactly once.

use broadside_rules::Time;
use futures_util::future::join_all;
use uuid::Uuid;

use super::letter::{self, Content, Item};
use super::links::{Ending, mail_name};
use super::settings::{News, Preferences};
use super::smtp::{LINES, Letter, Mailer, Refusal};
use super::{when, words};
use crate::accounts::Email;
use crate::context::Context;
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::{MailFailedEvent, MailFailure};
use crate::events::read::Reader;
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::notifications::mail::store;

/// How many accounts are looked at, and how many mails are taken, at a time.
const LOOK_AT: i64 = 500;
const TAKE: usize = 4 * LINES;
/// How long a lease lasts, in seconds: longer than all that is taken at a time can take.
const LEASE_S: u32 = 5 * 60;
/// What of it must be left when a mail is handed over, in seconds.
const HANDED_OVER_IN_S: u32 = 60;
/// How many events are read at a time, and at most for one mail: who hears of so much reads his log.
const READ: usize = 1000;
const READ_AT_MOST: u64 = 20_000;
/// The pauses after failures, in seconds; the last one again and again.
const PAUSES_S: [u32; 6] = [60, 5 * 60, 15 * 60, 30 * 60, 60 * 60, 2 * 60 * 60];
/// How long a mail is tried, in seconds: a day.
const TRIED_FOR_S: u32 = 24 * 60 * 60;

/// An account that has heard of something that nobody has looked at.
pub struct Behind {
    /// Whose.
    pub account: AccountId,
    /// What it wants.
    pub preferences: Preferences,
    /// Events up to this number have been looked at.
    pub seen: u64,
    /// The number of the newest.
    pub newest: u64,
}

/// A mail that this node has taken to send.
pub struct Claimed {
    /// To whom.
    pub account: AccountId,
    /// By what it is known that it is still this node's.
    pub lease: Uuid,
    /// What he wants.
    pub preferences: Preferences,
    /// His name.
    pub username: String,
    /// His address, confirmed.
    pub address: Email,
    /// What links that end all mail are signed with.
    pub key: Vec<u8>,
    /// It is about the events behind this number,
    pub from: u64,
    /// up to this one.
    pub upto: u64,
    /// How often it has failed.
    pub attempts: u32,
    /// Since when.
    pub failing_since: Option<Time>,
}

/// Looks, and sends all that is due. Returns how many mails were handed over.
pub async fn deliver(ctx: &Context, mailer: &Mailer) -> Result<usize> {
    look(ctx).await?;
    let mut sent = 0;
    loop {
        let taken = take(ctx).await?;
        let full = taken.len() == TAKE;
        sent += send_all(ctx, mailer, taken).await;
        if !full || ctx.is_stopping() {
            return Ok(sent);
        }
    }
}

/// Notes for each account that has heard of something when a mail is due.
async fn look(ctx: &Context) -> Result<()> {
    let mut after = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let behind = store::queue::behind(&mut conn, after, LOOK_AT).await?;
        drop(conn);
        for account in &behind {
            if let Err(error) = look_at(ctx, account).await {
                tracing::error!(%error, cause = error.cause().map(tracing::field::display), "what an account has heard of could not be looked at for its mail");
            }
        }
        match behind.last() {
            Some(last) => after = Some(last.account),
            None => return Ok(()),
        }
    }
}

async fn look_at(ctx: &Context, behind: &Behind) -> Result<()> {
    let (seen, items) = items(ctx, behind.account, behind.seen, behind.newest).await?;
    let wanted = items.iter().filter(|item| behind.preferences.on.contains(&item.news));
    let due = wanted.map(|item| when::due(&behind.preferences, item.news, item.at)).min();
    let mut tx = ctx.db.begin().await?;
    store::queue::note(&mut tx, behind, seen, due).await?;
    tx.commit().await
}

/// The events behind `from`, up to `upto` or as many as one mail can be about, that mail can be about at all; and how far they go.
async fn items(ctx: &Context, account: AccountId, from: u64, upto: u64) -> Result<(u64, Vec<Item>)> {
    let upto = upto.min(from + READ_AT_MOST);
    let mut items = Vec::new();
    let mut reader = match Reader::new(ctx, account, Some(from)).await {
        Ok((reader, _)) => reader,
        // Some are no longer kept: what nobody has sent in 30 days is no news. What is kept still is.
        Err(error) if error.problem().code == problem::CURSOR_TOO_OLD.code => {
            let mut conn = ctx.db.conn().await?;
            let kept_behind = events::store::bounds(&mut conn, account).await?.forgotten;
            drop(conn);
            Reader::new(ctx, account, Some(kept_behind)).await?.0
        }
        Err(error) => return Err(error),
    };
    while reader.cursor() < upto {
        let missing = usize::try_from(upto - reader.cursor()).unwrap_or(READ);
        let found = reader.next(ctx, missing.min(READ)).await?;
        if found.is_empty() {
            break;
        }
        for item in found {
            items.extend(Item::read(&item.kind, item.heard.text())?);
        }
    }
    Ok((upto, items))
}

async fn take(ctx: &Context) -> Result<Vec<Claimed>> {
    let now = ctx.clock.now();
    let limit = i64::try_from(TAKE).map_err(Error::internal)?;
    let mut tx = ctx.db.begin().await?;
    let taken = store::queue::claim(&mut tx, ctx.new_id(), now, now.plus_s(LEASE_S), limit).await?;
    tx.commit().await?;
    Ok(taken)
}

/// Sends what was taken, over a few lines at once. What fails is noted, and tried again later.
async fn send_all(ctx: &Context, mailer: &Mailer, taken: Vec<Claimed>) -> usize {
    let share = taken.len().div_ceil(LINES).max(1);
    let lines = taken.chunks(share).map(async |mails| {
        let mut line = mailer.line().await;
        let mut sent = 0;
        for mail in mails {
            let outcome = match write(ctx, mailer, mail).await {
                Ok(Written::Letter(letter)) => match is_still_ours(ctx, mail).await {
                    true => Outcome::of(line.hand_over(&letter).await),
                    false => continue,
                },
                Ok(Written::Nothing) => Outcome::Nothing,
                Ok(Written::PutOff(until)) => Outcome::PutOff(until),
                Err(error) => {
                    tracing::error!(%error, cause = error.cause().map(tracing::field::display), "a mail could not be written");
                    Outcome::Failed("it could not be written".to_owned())
                }
            };
            sent += usize::from(matches!(outcome, Outcome::Sent));
            metrics::counter!("mails_total", "outcome" => outcome.word()).increment(1);
            if let Err(error) = settle(ctx, mail, outcome).await {
                // The lease runs out, and somebody tries again.
                tracing::error!(%error, cause = error.cause().map(tracing::field::display), "what became of a mail could not be noted");
            }
        }
        line.hang_up().await;
        sent
    });
    join_all(lines).await.into_iter().sum()
}

/// Whether the lease lasts long enough to hand the mail over: waiting for a line may have taken long, or the account's owner has changed what he wants. If not, nothing is noted, and whoever
/// takes it next decides.
async fn is_still_ours(ctx: &Context, mail: &Claimed) -> bool {
    let asked = async {
        let mut conn = ctx.db.conn().await?;
        store::queue::is_leased(&mut conn, mail, ctx.clock.now().plus_s(HANDED_OVER_IN_S)).await
    };
    let asked: Result<bool> = asked.await;
    asked.unwrap_or_else(|error| {
        tracing::error!(%error, "whose a mail is to send could not be asked");
        false
    })
}

enum Written {
    Letter(Letter),
    /// All of it has become untrue meanwhile.
    Nothing,
    /// Quiet hours have begun meanwhile; until when.
    PutOff(Time),
}

async fn write(ctx: &Context, mailer: &Mailer, mail: &Claimed) -> Result<Written> {
    let now = ctx.clock.now();
    let due = when::after_quiet(&mail.preferences, now);
    if due > now {
        return Ok(Written::PutOff(due));
    }
    let from = mail.from.max(mail.upto.saturating_sub(READ_AT_MOST));
    let (_, items) = items(ctx, mail.account, from, mail.upto).await?;
    let about = |is_challenge: bool| {
        let items = items.iter().filter(move |item| (item.news == News::ChallengeReceived) == is_challenge);
        let mut ids: Vec<Uuid> = items.map(|item| item.about).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let matches: Vec<MatchId> = about(false).into_iter().map(MatchId).collect();
    let challenges: Vec<ChallengeId> = about(true).into_iter().map(ChallengeId).collect();
    let mut conn = ctx.db.conn().await?;
    let matches = store::queue::matches(&mut conn, mail.account, &matches).await?;
    let challenges = store::queue::challenges(&mut conn, &challenges, now).await?;
    drop(conn);
    let content = Content {
        reader: &mail.username,
        preferences: &mail.preferences,
        items: &items,
        matches: &matches,
        challenges: &challenges,
    };
    let link = |news: News, id: Uuid| match news {
        News::ChallengeReceived => mailer.page(&format!("/v1/challenges/{id}")),
        _ => mailer.link_to_match(&id.to_string()),
    };
    let Some((subject, text)) = letter::compose(&content, link) else { return Ok(Written::Nothing) };
    let name = mail_name(mail.account, mail.from, mail.upto, &mail.key);
    let ending = Ending::new(mail.account, name, &mail.key)?.text();
    let unsubscribe = mailer.page(&format!("/v1/mail/unsubscribe/{ending}"));
    let text = format!("{text}{}", words::footer(mail.preferences.tongue, &unsubscribe));
    let to = mail.address.as_str().to_owned();
    Ok(Written::Letter(Letter { name, to, subject, text, unsubscribe: Some(unsubscribe) }))
}

enum Outcome {
    Sent,
    Nothing,
    PutOff(Time),
    Failed(String),
    Refused(String),
}

impl Outcome {
    fn of(handed_over: Result<(), Refusal>) -> Self {
        match handed_over {
            Ok(()) => Outcome::Sent,
            Err(Refusal::Later(cause)) => Outcome::Failed(cause),
            Err(Refusal::Never(cause)) => Outcome::Refused(cause),
        }
    }

    /// For the metrics.
    fn word(&self) -> &'static str {
        match self {
            Outcome::Sent => "sent",
            Outcome::Nothing => "nothing-left",
            Outcome::PutOff(_) => "put-off",
            Outcome::Failed(_) => "failed",
            Outcome::Refused(_) => "refused",
        }
    }
}

/// Notes what became of a mail, if it is still this node's to say.
async fn settle(ctx: &Context, mail: &Claimed, outcome: Outcome) -> Result<()> {
    let now = ctx.clock.now();
    let mut tx = ctx.db.begin().await?;
    let failure = match outcome {
        Outcome::Sent | Outcome::Nothing => {
            store::queue::done(&mut tx, mail).await?;
            None
        }
        Outcome::PutOff(until) => {
            store::queue::later(&mut tx, mail, until, mail.attempts, mail.failing_since).await?;
            None
        }
        Outcome::Failed(cause) => {
            let since = mail.failing_since.unwrap_or(now);
            if now < since.plus_s(TRIED_FOR_S) {
                tracing::warn!(cause, attempts = mail.attempts + 1, "a mail could not be sent yet");
                let due = now.plus_s(pause_s(mail.attempts));
                store::queue::later(&mut tx, mail, due, mail.attempts + 1, Some(since)).await?;
                None
            } else {
                tracing::error!(cause, attempts = mail.attempts + 1, "a mail was given up after a day");
                store::queue::done(&mut tx, mail).await?.then_some(MailFailure::GivenUp)
            }
        }
        Outcome::Refused(cause) => {
            tracing::warn!(cause, "a mail was refused; its address is no longer confirmed");
            let own = store::queue::done(&mut tx, mail).await?;
            if own {
                store::settings::unconfirm(&mut tx, mail.account, None, None).await?;
            }
            own.then_some(MailFailure::Refused)
        }
    };
    if let Some(failure) = failure {
        let event = MailFailedEvent::at(now, failure).into();
        events::tell(&mut tx, ctx, events::told(mail.account, &[event])?).await?;
    }
    tx.commit().await
}

fn pause_s(attempts: u32) -> u32 {
    let index = usize::try_from(attempts).unwrap_or(usize::MAX).min(PAUSES_S.len() - 1);
    PAUSES_S[index]
}
