//! Mail delivery: schedules mail for accounts with new events, and sends due mail.
//!
//! Any number of nodes do this at once. A node takes a mail under a lease, sends it, and records that its events are
//! done. If it dies in between, another node sends the mail again when the lease has expired, about the same events and
//! with the same `Message-ID`, by which mail readers drop duplicates. So a mail is sent at least once, and exactly once
//! if no node dies.

use broadside_rules::Time;
use futures_util::future::join_all;
use uuid::Uuid;

use super::event::{MailEvent, MailLog};
use super::links::{UnsubscribeToken, mail_name};
use super::message::{self, MailContent};
use super::settings::{FailedMail, MailTopic, Preferences};
use super::smtp::{MAX_CONNECTIONS, Mailer, OutgoingMail, SendError};
use super::{texts, when};
use crate::accounts::Email;
use crate::context::Context;
use crate::due::each_due;
use crate::epoch::Cursor;
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::{MailFailedEvent, MailFailure};
use crate::events::read::LogReader;
use crate::ids::AccountId;
use crate::listed::readable;
use crate::notifications::mail::store;

/// Accounts scheduled at a time, and mails leased at a time.
const ACCOUNTS_PER_READ: i64 = 500;
const LEASE_BATCH: usize = 4 * MAX_CONNECTIONS;
/// Duration of a lease in seconds: longer than sending all mails of one batch can take.
const LEASE_S: u32 = 5 * 60;
/// Least time left of the lease when a mail is sent, in seconds.
const MIN_LEASE_LEFT_S: u32 = 60;
/// Events read at a time, and the most for one mail.
const EVENTS_PER_READ: usize = 1000;
const MAX_EVENTS_PER_MAIL: u64 = 20_000;
/// Delays after failures, in seconds; the last one repeats.
const RETRY_DELAYS_S: [u32; 6] = [60, 5 * 60, 15 * 60, 30 * 60, 60 * 60, 2 * 60 * 60];
/// Time limit for retries, in seconds: one day.
const GIVE_UP_AFTER_S: u32 = 24 * 60 * 60;

/// An account with events not yet scheduled for mail.
pub struct UnreadAccount {
    pub account: AccountId,
    pub preferences: Preferences,
    /// Events up to this number are scheduled.
    pub seen: u64,
    /// The number of the newest event.
    pub newest: u64,
}

/// A mail leased by this node.
pub struct LeasedMail {
    pub account: AccountId,
    /// Another node that takes over the mail has another lease.
    pub lease: Uuid,
    pub preferences: Preferences,
    pub username: String,
    /// The confirmed address.
    pub address: Email,
    /// The key that signs the unsubscribe links.
    pub key: Vec<u8>,
    /// It covers the events after this number, up to `upto`.
    pub from: u64,
    pub upto: u64,
    /// The number of failed attempts.
    pub attempts: u32,
    /// The time of the first failure, if any.
    pub failing_since: Option<Time>,
}

/// Schedules new events, and sends all due mail. Returns the number of mails sent.
pub async fn deliver(ctx: &Context, mailer: &Mailer) -> Result<usize> {
    schedule_due(ctx).await?;
    let mut sent = 0;
    loop {
        let leased = lease_due(ctx).await?;
        let full = leased.len() == LEASE_BATCH;
        sent += send_all(ctx, mailer, leased).await;
        if !full || ctx.is_stopping() {
            return Ok(sent);
        }
    }
}

/// Schedules a mail for each account with new events that it wants mail about.
async fn schedule_due(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => store::queue::unread(conn, last, ACCOUNTS_PER_READ), unread by unread.account => {
        if let Err(error) = schedule(ctx, &unread).await {
            tracing::error!(%error, cause = error.cause().map(tracing::field::display), "the events of an account could not be scheduled for its mail");
        }
    });
    Ok(())
}

async fn schedule(ctx: &Context, unread: &UnreadAccount) -> Result<()> {
    let (seen, log) = read(ctx, unread.account, unread.seen, unread.newest).await?;
    let wanted = log.events.iter().filter(|event| unread.preferences.on.contains(&event.topic));
    let due = wanted.map(|event| when::due(&unread.preferences, event.topic, event.at)).min();
    let mut tx = ctx.db.begin().await?;
    store::queue::record_scheduled(&mut tx, unread, seen, due).await?;
    tx.commit().await
}

/// The possible content of a mail about the events after `from` and up to `upto` (or as many as one mail can cover),
/// and the number up to which they were read.
async fn read(ctx: &Context, account: AccountId, from: u64, upto: u64) -> Result<(u64, MailLog)> {
    let upto = upto.min(from + MAX_EVENTS_PER_MAIL);
    let mut log = MailLog::default();
    let behind = |number| Some(Cursor::new(ctx.epochs.current(), number));
    let mut reader = match LogReader::new(ctx, account, behind(from)).await {
        Ok((reader, _)) => reader,
        // Some are deleted: unsent events older than 30 days are no news. The others are read.
        Err(error) if error.problem().code == problem::CURSOR_TOO_OLD.code => {
            let mut conn = ctx.db.conn().await?;
            let kept_behind = events::store::range(&mut conn, account).await?.forgotten;
            drop(conn);
            LogReader::new(ctx, account, behind(kept_behind)).await?.0
        }
        Err(error) => return Err(error),
    };
    while reader.cursor().number < upto {
        let missing = usize::try_from(upto - reader.cursor().number).unwrap_or(EVENTS_PER_READ);
        let found = reader.next(ctx, missing.min(EVENTS_PER_READ)).await?;
        if found.is_empty() {
            break;
        }
        for event in found {
            let id = format_args!("{} of {account}", event.number);
            readable("an event can't be read; no mail is sent of it", id, log.take(&event.kind, event.json.text()))?;
        }
    }
    Ok((upto, log))
}

async fn lease_due(ctx: &Context) -> Result<Vec<LeasedMail>> {
    let now = ctx.clock.now();
    let limit = i64::try_from(LEASE_BATCH).map_err(Error::internal)?;
    let mut tx = ctx.db.begin().await?;
    let leased = store::queue::lease(&mut tx, ctx.new_id(), now, now.plus_s(LEASE_S), limit).await?;
    tx.commit().await?;
    Ok(leased)
}

/// Sends the leased mails over a few connections at once. Failures are recorded, and retried later.
async fn send_all(ctx: &Context, mailer: &Mailer, leased: Vec<LeasedMail>) -> usize {
    let share = leased.len().div_ceil(MAX_CONNECTIONS).max(1);
    let connections = leased.chunks(share).map(async |mails| {
        let mut connection = mailer.connection().await;
        let mut sent = 0;
        for mail in mails {
            let outcome = match compose(ctx, mailer, mail).await {
                Ok(Composed::Mail(outgoing)) => match is_still_leased(ctx, mail).await {
                    true => SendOutcome::of(connection.send(&outgoing).await),
                    false => continue,
                },
                Ok(Composed::Nothing) => SendOutcome::Nothing,
                Ok(Composed::Postponed(until)) => SendOutcome::Postponed(until),
                Err(error) => {
                    tracing::error!(%error, cause = error.cause().map(tracing::field::display), "a mail could not be composed");
                    SendOutcome::Failed("it could not be composed".to_owned())
                }
            };
            sent += usize::from(matches!(outcome, SendOutcome::Sent));
            metrics::counter!("mails_total", "outcome" => outcome.metric()).increment(1);
            if let Err(error) = settle(ctx, mail, outcome).await {
                // The lease expires, and a node tries again.
                tracing::error!(%error, cause = error.cause().map(tracing::field::display), "the outcome of a mail could not be recorded");
            }
        }
        connection.close().await;
        sent
    });
    join_all(connections).await.into_iter().sum()
}

/// True if the lease lasts long enough to send the mail: the wait for a connection may have been long, or the owner may
/// have changed the preferences. If false, nothing is recorded, and the next node that takes the mail decides.
async fn is_still_leased(ctx: &Context, mail: &LeasedMail) -> bool {
    let requests = async {
        let mut conn = ctx.db.conn().await?;
        store::queue::is_leased(&mut conn, mail, ctx.clock.now().plus_s(MIN_LEASE_LEFT_S)).await
    };
    let requests: Result<bool> = requests.await;
    requests.unwrap_or_else(|error| {
        tracing::error!(%error, "whether a mail is still leased could not be read");
        false
    })
}

enum Composed {
    Mail(OutgoingMail),
    /// All its events are outdated.
    Nothing,
    /// Quiet hours have begun; the time is their end.
    Postponed(Time),
}

async fn compose(ctx: &Context, mailer: &Mailer, mail: &LeasedMail) -> Result<Composed> {
    let now = ctx.clock.now();
    let due = when::after_quiet(&mail.preferences, now);
    if due > now {
        return Ok(Composed::Postponed(due));
    }
    let from = mail.from.max(mail.upto.saturating_sub(MAX_EVENTS_PER_MAIL));
    let (_, log) = read(ctx, mail.account, from, mail.upto).await?;
    let facts = store::facts::of(&mut ctx.db.conn().await?, mail.account, &log, now).await?;
    let content = MailContent { reader: &mail.username, preferences: &mail.preferences, log: &log, facts: &facts };
    let link = |event: &MailEvent| link(mailer, event);
    let Some((subject, text)) = message::compose(&content, link) else { return Ok(Composed::Nothing) };
    let name = mail_name(mail.account, mail.from, mail.upto, &mail.key);
    let token = UnsubscribeToken::new(mail.account, name, &mail.key)?.text();
    let unsubscribe = mailer.page(&format!("/v1/mail/unsubscribe/{token}"));
    let text = format!("{text}{}", texts::footer(mail.preferences.language, &unsubscribe));
    let to = mail.address.as_str().to_owned();
    Ok(Composed::Mail(OutgoingMail { name, to, subject, text, unsubscribe: Some(unsubscribe) }))
}

/// The link for an event: to a page, or without web pages to the API.
fn link(mailer: &Mailer, event: &MailEvent) -> String {
    let (id, page) = (event.about, event.page());
    let resource = match event.topic {
        MailTopic::YourTurn
        | MailTopic::DeadlineNear
        | MailTopic::MatchStarted
        | MailTopic::MatchFinished
        | MailTopic::Chat => return mailer.link_to_match(&id.to_string()),
        MailTopic::ChallengeReceived => format!("/v1/challenges/{id}"),
        MailTopic::LadderChallengeReceived => format!("/v1{page}/challenges/{id}"),
        MailTopic::SignInFailures | MailTopic::SessionRevoked => "/v1/sessions".to_owned(),
        _ => format!("/v1{page}"),
    };
    mailer.link_to(&page, &resource)
}

enum SendOutcome {
    Sent,
    Nothing,
    Postponed(Time),
    Failed(String),
    Refused(String),
}

impl SendOutcome {
    fn of(sent: Result<(), SendError>) -> Self {
        match sent {
            Ok(()) => SendOutcome::Sent,
            Err(SendError::Temporary(cause)) => SendOutcome::Failed(cause),
            Err(SendError::Permanent(cause)) => SendOutcome::Refused(cause),
        }
    }

    fn metric(&self) -> &'static str {
        match self {
            SendOutcome::Sent => "sent",
            SendOutcome::Nothing => "nothing-left",
            SendOutcome::Postponed(_) => "put-off",
            SendOutcome::Failed(_) => "failed",
            SendOutcome::Refused(_) => "refused",
        }
    }
}

/// Records the outcome of a mail, if this node still has the lease.
async fn settle(ctx: &Context, mail: &LeasedMail, outcome: SendOutcome) -> Result<()> {
    let now = ctx.clock.now();
    let mut tx = ctx.db.begin().await?;
    let is_sent = matches!(outcome, SendOutcome::Sent);
    let failure = match outcome {
        SendOutcome::Sent | SendOutcome::Nothing => {
            if store::queue::finish(&mut tx, mail).await? && is_sent {
                store::settings::set_failure(&mut tx, mail.account, None).await?;
            }
            None
        }
        SendOutcome::Postponed(until) => {
            store::queue::postpone(&mut tx, mail, until, mail.attempts, mail.failing_since).await?;
            None
        }
        SendOutcome::Failed(cause) => {
            let since = mail.failing_since.unwrap_or(now);
            if now < since.plus_s(GIVE_UP_AFTER_S) {
                tracing::warn!(cause, attempts = mail.attempts + 1, "a mail could not be sent yet");
                let due = now.plus_s(retry_delay_s(mail.attempts));
                store::queue::postpone(&mut tx, mail, due, mail.attempts + 1, Some(since)).await?;
                None
            } else {
                tracing::error!(cause, attempts = mail.attempts + 1, "a mail was given up after a day");
                store::queue::finish(&mut tx, mail).await?.then_some(MailFailure::GivenUp)
            }
        }
        SendOutcome::Refused(cause) => {
            tracing::warn!(cause, "a mail was refused; its address is no longer confirmed");
            let own = store::queue::finish(&mut tx, mail).await?;
            if own {
                store::settings::unconfirm(&mut tx, mail.account, None, None).await?;
            }
            own.then_some(MailFailure::Refused)
        }
    };
    if let Some(failure) = failure {
        let failed = FailedMail { at: now, reason: failure };
        store::settings::set_failure(&mut tx, mail.account, Some(failed)).await?;
        let event = MailFailedEvent::at(now, failure).into();
        events::notify(&mut tx, ctx, events::notification(mail.account, &[event])?).await?;
    }
    tx.commit().await
}

fn retry_delay_s(attempts: u32) -> u32 {
    let index = usize::try_from(attempts).unwrap_or(usize::MAX).min(RETRY_DELAYS_S.len() - 1);
    RETRY_DELAYS_S[index]
}
