//! Announcements by the service to all members of a ladder. There may be many members, so an announcement is stored in
//! the transaction of its event, and a job notifies members in batches, in account order: each member once, even if
//! nodes are killed in between.

use broadside_rules::Time;
use uuid::Uuid;

use super::Ladder;
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{LadderClosedEvent, SeasonEndNearEvent, SeasonEndedEvent};
use crate::events::{self, AccountEvent};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::string_enums::string_enums;

/// Members notified in one transaction.
const AT_A_TIME: i64 = 200;

string_enums! {
    pub enum AnnouncementTopic {
        /// A season ends soon.
        SeasonEndNear,
        /// A season is over.
        SeasonEnded,
        /// The ladder is closed.
        LadderClosed,
    }
}

pub struct Announcement {
    pub id: Uuid,
    pub ladder: LadderId,
    pub topic: AnnouncementTopic,
    /// The season that is over, or ends soon.
    pub season: u32,
    /// The end of the season, the closing of the ladder, or the time when the end came near.
    pub at: Time,
    /// The last notified member; `None` before the first.
    pub told_up_to: Option<AccountId>,
}

/// Stores an announcement in the transaction of its event; its season is the current one before the event.
pub(super) async fn announce(
    tx: &mut Tx,
    ctx: &Context,
    ladder: &Ladder,
    topic: AnnouncementTopic,
    at: Time,
) -> Result<()> {
    let announcement =
        Announcement { id: ctx.new_id(), ladder: ladder.id, topic, season: ladder.season.number, at, told_up_to: None };
    store::seasons::announce(tx, &announcement).await
}

/// Notifies the next members. Returns false if all are notified.
pub(super) async fn notify_some(ctx: &Context, id: Uuid) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let Some(announcement) = store::seasons::lock_announcement(&mut tx, id).await? else {
        tx.roll_back().await?;
        return Ok(false);
    };
    // If a season ended before all members heard that it would, only its end is announced.
    let ends_at = store::seasons::end_of(&mut tx, announcement.ladder, announcement.season).await?;
    if announcement.topic == AnnouncementTopic::SeasonEndNear && ends_at.is_none() {
        store::seasons::delete_announcement(&mut tx, id).await?;
        tx.commit().await?;
        return Ok(false);
    }
    let members = store::members::to_notify(&mut tx, announcement.ladder, announcement.told_up_to, AT_A_TIME).await?;
    let mut told = Vec::new();
    for (account, division) in &members {
        let standing = store::standings::of(&mut tx, announcement.ladder, announcement.season, *account).await?;
        let rank = standing.as_ref().and_then(|standing| standing.final_rank);
        let event: AccountEvent = match announcement.topic {
            AnnouncementTopic::SeasonEndNear => {
                let Some(ends_at) = ends_at else { continue };
                SeasonEndNearEvent::at(announcement.at, announcement.ladder, announcement.season, *division, ends_at)
                    .into()
            }
            AnnouncementTopic::SeasonEnded => {
                let was = standing.map_or(*division, |standing| standing.division);
                SeasonEndedEvent::at(announcement.at, announcement.ladder, announcement.season, rank, was, *division)
                    .into()
            }
            AnnouncementTopic::LadderClosed => LadderClosedEvent::at(announcement.at, announcement.ladder, rank).into(),
        };
        told.extend(events::notification(*account, &[event])?);
    }
    match members.last() {
        Some((account, _)) => store::seasons::told_up_to(&mut tx, id, *account).await?,
        None => store::seasons::delete_announcement(&mut tx, id).await?,
    }
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await?;
    Ok(!members.is_empty())
}
