//! Announcements of organizers to all members of a contest. There may be many members, so an announcement is stored,
//! and a job notifies them in batches, in account order: each member once, even if nodes are killed in between.

use broadside_rules::Time;

use super::{Contest, either, store};
use crate::accounts::Identity;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::due::{each_due, pass_over};
use crate::error::{Error, Result, problem};
use crate::events::{self, kinds::ContestAnnouncedEvent};
use crate::ids::{AccountId, ContestAnnouncementId};
use crate::listed::Listed;
use crate::player::Player;
use crate::texts::{lines, texts};

/// Most announcements of a contest in a day.
pub const MAX_A_DAY: i64 = 5;
const DAY_MS: i64 = 86_400_000;
/// Members notified in one transaction.
const AT_A_TIME: i64 = 200;
/// Announcements read at a time.
const AT_MOST: i64 = 50;

texts! {
    /// An announcement: 1 to 1000 characters, not all of them blank, with line breaks (`\n`).
    pub struct AnnouncementText: |text| lines(text, 1, 1000);
}

pub struct ContestAnnouncement {
    pub id: ContestAnnouncementId,
    pub contest: Contest,
    pub author: Player,
    pub text: String,
    pub at: Time,
}

/// An announcement that is still being sent.
pub struct ToTell {
    pub contest: Contest,
    pub at: Time,
    pub author: AccountId,
    /// The last notified member.
    pub told_up_to: Option<AccountId>,
}

/// Makes an announcement in a held contest. Fails with `quota-exceeded`.
pub async fn announce(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    contest: Contest,
    text: &AnnouncementText,
) -> Result<ContestAnnouncement> {
    let now = ctx.clock.now();
    if store::announcements::count_since(tx, contest, now.plus_ms(-DAY_MS)).await? >= MAX_A_DAY {
        let detail = format!("A contest may have {MAX_A_DAY} announcements a day.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let announcement = ContestAnnouncement {
        id: ctx.new_id(),
        contest,
        author: caller.player(),
        text: text.as_str().to_owned(),
        at: now,
    };
    store::announcements::insert(tx, &announcement).await?;
    Ok(announcement)
}

/// The announcements of a contest before the given one, newest first.
pub async fn list(
    conn: &mut Conn,
    contest: Contest,
    before: Option<ContestAnnouncementId>,
    limit: i64,
) -> Result<Listed<ContestAnnouncement>> {
    store::announcements::page(conn, contest, before, limit).await
}

/// Notifies members of pending announcements.
pub async fn round(ctx: &Context) -> Result<()> {
    let mut more = true;
    // Batches of all announcements in turns, so that a contest of thousands doesn't delay the others.
    while std::mem::take(&mut more) {
        each_due!(ctx, (conn, last) => store::announcements::to_tell(conn, last, AT_MOST), id by *id => {
            let told = tell_some(ctx, id).await;
            more |= pass_over(told, id, "an announcement could not be told; the next round tries again")?.unwrap_or(false);
        });
    }
    Ok(())
}

/// Notifies the next members. Returns false if all are notified, or another node is at work.
async fn tell_some(ctx: &Context, id: ContestAnnouncementId) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let Some(announcement) = store::announcements::lock(&mut tx, id).await? else {
        tx.roll_back().await?;
        return Ok(false);
    };
    let ToTell { contest, at, author, told_up_to } = announcement;
    let members = store::announcements::members(&mut tx, contest, told_up_to, AT_A_TIME).await?;
    let (ladder, tournament) = either(contest);
    let event = ContestAnnouncedEvent::at(at, ladder, tournament, id).into();
    let mut told = Vec::new();
    for account in members.iter().filter(|account| **account != author) {
        told.extend(events::notification(*account, std::slice::from_ref(&event))?);
    }
    store::announcements::told(&mut tx, id, members.last().copied()).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await?;
    Ok(!members.is_empty())
}

/// The announcements written by an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<ContestAnnouncement>> {
    store::announcements::of_author(conn, account).await
}
