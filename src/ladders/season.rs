//! The end of a season: its standings become final, members are promoted and relegated, and the next one begins. All in
//! one transaction under the ladder's row lock, so it happens once.

use std::collections::BTreeMap;

use broadside_contests::divisions::{self, Ranked};
use broadside_rules::Time;

use super::announcements::{self, AnnouncementTopic};
use super::{Ladder, LadderSection, Season};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::matches::Contest;
use crate::pairings;

/// Time in seconds for which an ended season waits for missing results; then it closes without them, and they count for
/// the next one.
const PATIENCE_S: u32 = 600;

/// Longest time between the warning and the end, in milliseconds: three days.
const MAX_WARNING_MS: i64 = 3 * 24 * 60 * 60 * 1000;

impl Season {
    /// The time of the warning: a tenth of the season before its end, at most three days. `None` if it has no end.
    pub fn warn_at(&self) -> Option<Time> {
        let ends_at = self.ends_at?;
        let before_ms = (ends_at.millis_since(self.started_at) / 10).clamp(0, MAX_WARNING_MS);
        Some(ends_at.plus_ms(-before_ms))
    }
}

/// Warns the members of a ladder that its season ends soon, once for each end.
pub(super) async fn warn(ctx: &Context, id: LadderId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::ladders::lock(&mut tx, id).await?;
    let Some(ladder) = found.filter(goes_on) else { return tx.roll_back().await };
    if store::seasons::warned(&mut tx, id, ladder.season.number).await? {
        announcements::announce(&mut tx, ctx, &ladder, AnnouncementTopic::SeasonEndNear, ctx.clock.now()).await?;
    }
    tx.commit().await
}

/// Ends the season of a ladder if its time is over, and begins the next one.
pub(super) async fn turn(ctx: &Context, id: LadderId) -> Result<()> {
    let now = ctx.clock.now();
    let mut tx = ctx.db.begin().await?;
    let found = store::ladders::lock(&mut tx, id).await?;
    let is_due = |ladder: &Ladder| goes_on(ladder) && ladder.season.ends_at.is_some_and(|ends_at| ends_at <= now);
    let Some(ladder) = found.filter(is_due) else { return tx.roll_back().await };
    let ended_at = ladder.season.ends_at.unwrap_or(now);
    // Pairings that ended in time count for it, and are counted in the same round.
    if now < ended_at.plus_s(PATIENCE_S) && pairings::store::is_any_due(&mut tx, Contest::Ladder(id), ended_at).await? {
        return tx.roll_back().await;
    }
    store::standings::finish(&mut tx, id, ladder.season.number, ladder.terms.form.kind()).await?;
    store::seasons::end(&mut tx, id, ladder.season.number, ended_at).await?;
    regroup(&mut tx, &ladder).await?;
    let next = after(&ladder.season, ladder.terms.season_s.unwrap_or_default(), now);
    store::seasons::begin(&mut tx, id, &next).await?;
    store::ladders::set_season(&mut tx, id, &next).await?;
    store::standings::begin_all(&mut tx, &ladder, next.number).await?;
    store::ladders::request_matchmaking(&mut tx, id, now).await?;
    announcements::announce(&mut tx, ctx, &ladder, AnnouncementTopic::SeasonEnded, ended_at).await?;
    tx.commit().await
}

fn goes_on(ladder: &Ladder) -> bool {
    ladder.closed.is_none() && ladder.pause.is_none()
}

/// The season after one that ends. It begins at that end, or now if the service was down for longer than a season.
fn after(season: &Season, season_s: u32, now: Time) -> Season {
    let ended_at = season.ends_at.unwrap_or(now);
    let started_at = if ended_at.plus_s(season_s) > now { ended_at } else { now };
    Season { number: season.number + 1, started_at, ends_at: Some(started_at.plus_s(season_s)), ended_at: None }
}

/// Promotes and relegates members, each section separately; members who don't take part go to the lowest division.
async fn regroup(tx: &mut Tx, ladder: &Ladder) -> Result<()> {
    let Some(rule) = ladder.terms.divisions else { return Ok(()) };
    let mut sections: BTreeMap<LadderSection, BTreeMap<u32, Vec<Ranked<AccountId>>>> = BTreeMap::new();
    for (section, division, account, has_played) in
        store::standings::ranked(tx, ladder.id, ladder.season.number).await?
    {
        sections.entry(section).or_default().entry(division).or_default().push(Ranked { account, has_played });
    }
    let min = divisions::min_members(ladder.terms.agreed.seats);
    let mut places: Vec<(AccountId, u32)> = Vec::new();
    for section in [LadderSection::All, LadderSection::Humans, LadderSection::Bots] {
        let divisions: Vec<Vec<Ranked<AccountId>>> =
            sections.remove(&section).unwrap_or_default().into_values().collect();
        let mut lowest = 1;
        for (number, members) in (1..).zip(divisions::next(&divisions, rule, min)) {
            places.extend(members.into_iter().map(|account| (account, number)));
            lowest = number;
        }
        // Their later results count there, and they begin there when they return: absence at the end of a season
        // doesn't prevent relegation.
        store::seasons::relegate_absent(tx, ladder.id, section, lowest).await?;
    }
    store::seasons::move_members(tx, ladder.id, &places).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_season_is_said_to_end_soon_a_tenth_of_it_before_but_at_most_three_days() {
        let day_s = 24 * 60 * 60;
        let season = |days: u32| {
            let ends_at = Some(Time(0).plus_s(days * day_s));
            Season { number: 1, started_at: Time(0), ends_at, ended_at: None }
        };
        assert_eq!(season(10).warn_at(), Some(Time(0).plus_s(9 * day_s)));
        assert_eq!(season(90).warn_at(), Some(Time(0).plus_s(87 * day_s)));
        assert_eq!(Season { ends_at: None, ..season(10) }.warn_at(), None);
    }

    #[test]
    fn the_next_season_begins_where_the_last_one_ends() {
        let first = Season { number: 1, started_at: Time(0), ends_at: Some(Time(60_000)), ended_at: None };
        let next = after(&first, 60, Time(60_500));
        assert_eq!((next.number, next.started_at, next.ends_at), (2, Time(60_000), Some(Time(120_000))));
        // Three seasons were missed entirely: they aren't made up for.
        let late = after(&first, 60, Time(250_000));
        assert_eq!((late.number, late.started_at, late.ends_at), (2, Time(250_000), Some(Time(310_000))));
    }
}
