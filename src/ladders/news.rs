//! News that all members of a ladder are told. There may be many, so a note of it is written with what happened, and a job tells them some at a time, in the order of
//! their accounts: each once, whatever is killed in between.

use std::str::FromStr;

use broadside_rules::Time;
use uuid::Uuid;

use super::Ladder;
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{LadderClosedEvent, SeasonEndedEvent};
use crate::events::{self, AccountEvent};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::words::words;

/// How many are told at a time.
const AT_A_TIME: i64 = 200;

/// What there is to hear of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// A season is over.
    SeasonEnded,
    /// The ladder is closed.
    LadderClosed,
}

words!(Topic { SeasonEnded "season-ended", LadderClosed "ladder-closed" });

/// News of a ladder.
pub struct News {
    /// Names the note.
    pub id: Uuid,
    /// The ladder.
    pub ladder: LadderId,
    /// What there is to hear of.
    pub topic: Topic,
    /// The season that is over.
    pub season: u32,
    /// When it happened.
    pub at: Time,
    /// Who was told last.
    pub told_up_to: Option<AccountId>,
}

/// Notes it, in the transaction of what happened; the season is the one that is over.
pub(super) async fn announce(tx: &mut Tx, ctx: &Context, ladder: &Ladder, topic: Topic, at: Time) -> Result<()> {
    let news = News { id: ctx.new_id(), ladder: ladder.id, topic, season: ladder.season.number, at, told_up_to: None };
    store::seasons::announce(tx, &news).await
}

/// Tells some of those who are still to be told. False: there is nobody left.
pub(super) async fn tell_some(ctx: &Context, id: Uuid) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let Some(news) = store::seasons::lock_news(&mut tx, id).await? else {
        tx.roll_back().await?;
        return Ok(false);
    };
    let members = store::members::to_tell(&mut tx, news.ladder, news.told_up_to, AT_A_TIME).await?;
    let mut told = Vec::new();
    for (account, division) in &members {
        let standing = store::standings::of(&mut tx, news.ladder, news.season, *account).await?;
        let rank = standing.as_ref().and_then(|standing| standing.final_rank);
        let event: AccountEvent = match news.topic {
            Topic::SeasonEnded => {
                let was = standing.map_or(*division, |standing| standing.division);
                SeasonEndedEvent::at(news.at, news.ladder, news.season, rank, was, *division).into()
            }
            Topic::LadderClosed => LadderClosedEvent::at(news.at, news.ladder, rank).into(),
        };
        told.extend(events::notification(*account, &[event])?);
    }
    match members.last() {
        Some((account, _)) => store::seasons::told_up_to(&mut tx, id, *account).await?,
        None => store::seasons::strike_news(&mut tx, id).await?,
    }
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await?;
    Ok(!members.is_empty())
}
