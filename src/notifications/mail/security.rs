//! Mail about the security of an account: links for lost passwords, and warnings for the owner. It goes to a confirmed
//! address, immediately, independent of mail preferences, and has no unsubscribe link.
//!
//! The queue is in the database ([`crate::accounts::notices`]), so a mail is sent even if a node dies or the SMTP
//! server is down for a while. The secret of a link isn't stored: each attempt makes a new link.

use futures_util::future::join_all;
use sha2::{Digest, Sha256};

use super::links::MailName;
use super::security_texts;
use super::settings::note_outcome_in;
use super::smtp::{MAX_CONNECTIONS, Mailer, OutgoingMail, SendError};
use crate::accounts::Accounts;
use crate::accounts::notices::{self, Notice, NoticeKind};
use crate::accounts::recovery;
use crate::due::{each_due, pass_over};
use crate::error::Result;
use crate::events;
use crate::events::kinds::{MailFailedEvent, MailFailure};

/// Notices read in one query.
const AT_MOST: i64 = 100;
/// The start page for lost passwords.
pub const FORGOT_PATH: &str = "/oauth/forgot-password";
/// The page of a reset link; the secret follows.
pub const RESET_PATH: &str = "/oauth/reset-password/";

/// Answers requests for lost passwords, and sends all due mail. Returns the number of mails sent.
pub async fn round(accounts: &Accounts, mailer: &Mailer) -> Result<usize> {
    recovery::answer(accounts).await?;
    give_up(accounts).await?;
    let mut sent = 0;
    loop {
        let claimed = notices::claim(accounts, MAX_CONNECTIONS).await?;
        if claimed.is_empty() || accounts.is_stopping() {
            return Ok(sent);
        }
        let outcomes = join_all(claimed.iter().map(|notice| send(accounts, mailer, notice))).await;
        for (notice, outcome) in claimed.iter().zip(outcomes) {
            let is_sent = pass_over(outcome, notice.id, "a mail about security could not be made; it is tried again")?;
            sent += usize::from(is_sent == Some(true));
        }
    }
}

/// Gives up mails that could not be sent for long.
async fn give_up(accounts: &Accounts) -> Result<()> {
    let now = accounts.clock.now();
    each_due!(accounts, (conn, last) => notices::too_old(conn, now, last, AT_MOST), notice by notice.id => {
        tracing::error!(kind = notice.kind.into_str(), "a mail about the security of an account was given up");
        let failed = fail(accounts, &notice, MailFailure::GivenUp).await;
        pass_over(failed, notice.id, "a mail about security could not be given up; the next round tries again")?;
    });
    Ok(())
}

/// Records an undelivered notice: in the mail settings, in the security log and as an event.
async fn fail(accounts: &Accounts, notice: &Notice, failure: MailFailure) -> Result<()> {
    let (mut tx, now) = (accounts.db.begin().await?, accounts.clock.now());
    if notices::fail(&mut tx, accounts, notice).await? {
        note_outcome_in(&mut tx, now, notice.account, notice.address.as_str(), Some(failure)).await?;
        let event = MailFailedEvent::at(now, failure).into();
        events::notify(&mut tx, accounts, events::notification(notice.account, &[event])?).await?;
    }
    tx.commit().await
}

/// Sends a notice. Returns false if it can't be sent now, or never.
async fn send(accounts: &Accounts, mailer: &Mailer, notice: &Notice) -> Result<bool> {
    let Some(mail) = compose(accounts, mailer, notice).await? else {
        notices::finish(accounts, notice).await?;
        return Ok(false);
    };
    let mut connection = mailer.connection().await;
    let outcome = connection.send(&mail).await;
    connection.close().await;
    let kind = notice.kind.into_str();
    match outcome {
        Ok(()) => metrics::counter!("mails_total", "outcome" => "security").increment(1),
        Err(SendError::Temporary(cause)) => {
            tracing::warn!(cause, kind, "a mail about the security of an account could not be sent yet");
            return Ok(false);
        }
        Err(SendError::Permanent(cause)) => {
            tracing::warn!(cause, kind, "a mail about the security of an account was refused");
            fail(accounts, notice, MailFailure::Refused).await?;
            return Ok(false);
        }
    }
    notices::finish(accounts, notice).await?;
    Ok(true)
}

/// The mail; `None` if it is obsolete.
async fn compose(accounts: &Accounts, mailer: &Mailer, notice: &Notice) -> Result<Option<OutgoingMail>> {
    let secret = recovery::link_for(accounts, notice).await?;
    let link = match (notice.kind, &secret) {
        (_, Some(secret)) => mailer.page(&format!("{RESET_PATH}{secret}")),
        (NoticeKind::PasswordResetRequested | NoticeKind::EmailChanged, None) => return Ok(None),
        (_, None) => mailer.page(FORGOT_PATH),
    };
    let (subject, text) = security_texts::of(notice, &link);
    let to = notice.address.as_str().to_owned();
    Ok(Some(OutgoingMail { name: name(notice, &link), to, subject: subject.to_owned(), text, unsubscribe: None }))
}

/// The id of the mail. It depends on the link, because mail readers would otherwise take a second attempt for a
/// duplicate.
fn name(notice: &Notice, link: &str) -> MailName {
    let mut hash = Sha256::new_with_prefix(b"broadside: a mail about security");
    hash.update(notice.id.as_bytes());
    hash.update(link);
    let hash: [u8; 32] = hash.finalize().into();
    std::array::from_fn(|index| hash[index])
}
