//! Requirements for joining a contest: one set of limits for ladders and tournaments. They are checked on joining;
//! members stay, even if their ratings change.

use broadside_contests::Pool;
use broadside_contests::rating_algorithm::INITIAL_RATING;
use broadside_rules::Time;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::accounts::account;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::matches::queries;
use crate::pairings::eligibility::{IneligibilityReason, Obstacle};
use crate::pairings::terms::TermFaults;
use crate::ratings::read::shown;

/// Bounds of the rating limits.
pub const RATING: (i32, i32) = (100, 4000);
/// Bounds of the required account age in days: up to ten years.
pub const ACCOUNT_AGE_DAYS: (u16, u16) = (1, 3650);

const DAY_S: u32 = 86_400;

/// The limits of a contest; by default none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EntryLimits {
    /// The share of a player's finished matches not lost on time, in percent, 1 to 100.
    pub min_reliability_percent: Option<u8>,
    /// In the pool of the contest's matches.
    pub min_rating: Option<i32>,
    /// In the pool of the contest's matches.
    pub max_rating: Option<i32>,
    /// In days.
    pub min_account_age_days: Option<u16>,
}

impl EntryLimits {
    /// The requested limits. Values out of bounds are faults of the terms.
    pub fn asked(
        min_reliability_percent: Option<u32>,
        (min_rating, max_rating): (Option<u32>, Option<u32>),
        min_account_age_days: Option<u32>,
    ) -> Self {
        let rating = |rating: u32| i32::try_from(rating).unwrap_or(i32::MAX);
        Self {
            min_reliability_percent: min_reliability_percent.map(|percent| u8::try_from(percent).unwrap_or(0)),
            min_rating: min_rating.map(rating),
            max_rating: max_rating.map(rating),
            min_account_age_days: min_account_age_days.map(|days| u16::try_from(days).unwrap_or(0)),
        }
    }

    /// The limits as stored.
    pub(crate) fn own_terms(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(Error::internal)
    }

    pub(crate) fn stored(own_terms: &Value) -> Result<Self> {
        serde_json::from_value(own_terms.clone()).map_err(Error::internal)
    }

    /// Adds every fault of these limits.
    pub fn faults(&self, faults: &mut TermFaults) {
        faults.range("/min_reliability_percent", self.min_reliability_percent, (1_u8, 100), " percent");
        faults.range("/min_rating", self.min_rating, RATING, "");
        faults.range("/max_rating", self.max_rating, RATING, "");
        if let (Some(least), Some(most)) = (self.min_rating, self.max_rating)
            && least > most
        {
            faults.add("/min_rating", "conflicting-fields", "must not be more than `max_rating`");
        }
        faults.range("/min_account_age_days", self.min_account_age_days, ACCOUNT_AGE_DAYS, " days");
    }

    /// Every limit that the account doesn't meet now, in order of display. `pool` is the pool of the contest's matches.
    pub async fn obstacles(
        &self,
        conn: &mut Conn,
        account: AccountId,
        pool: Option<Pool>,
        now: Time,
    ) -> Result<Vec<Obstacle>> {
        let mut all = Vec::new();
        all.extend(self.reliability(conn, account).await?);
        all.extend(self.rating(conn, account, pool).await?);
        all.extend(self.age(conn, account, now).await?);
        Ok(all)
    }

    /// The reliability limit alone. An account without finished matches has no reliability and meets any limit.
    pub async fn reliability(&self, conn: &mut Conn, account: AccountId) -> Result<Option<Obstacle>> {
        let Some(least) = self.min_reliability_percent else { return Ok(None) };
        let percent = queries::counts(conn, account).await?.reliability_percent();
        Ok(percent.filter(|percent| *percent < least).map(|percent| {
            let detail = format!("It asks for a reliability of {least} percent at least; yours is {percent}.");
            Obstacle::new(IneligibilityReason::NotReliableEnough, detail)
        }))
    }

    /// The rating limits. An account without a rating counts as having the initial rating.
    async fn rating(&self, conn: &mut Conn, account: AccountId, pool: Option<Pool>) -> Result<Option<Obstacle>> {
        let asked = self.min_rating.is_some() || self.max_rating.is_some();
        let Some(pool) = pool.filter(|_| asked) else { return Ok(None) };
        let rating = shown(conn, &[(account, pool)]).await?.pop().flatten().unwrap_or(INITIAL_RATING as i32);
        if let Some(least) = self.min_rating.filter(|least| rating < *least) {
            let detail = format!("It asks for a rating of {least} at least in the pool {pool}; yours is {rating}.");
            return Ok(Some(Obstacle::new(IneligibilityReason::RatingTooLow, detail)));
        }
        let Some(most) = self.max_rating.filter(|most| rating > *most) else { return Ok(None) };
        let detail = format!("It asks for a rating of {most} at most in the pool {pool}; yours is {rating}.");
        Ok(Some(Obstacle::new(IneligibilityReason::RatingTooHigh, detail)))
    }

    async fn age(&self, conn: &mut Conn, id: AccountId, now: Time) -> Result<Option<Obstacle>> {
        let Some(days) = self.min_account_age_days else { return Ok(None) };
        let old_enough_at = account::find(conn, id).await?.created_at.plus_s(u32::from(days) * DAY_S);
        Ok((now < old_enough_at).then(|| {
            let detail =
                format!("It asks for an account of {days} days at least; yours is old enough at {old_enough_at}.");
            Obstacle::new(IneligibilityReason::AccountTooNew, detail)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(limits: EntryLimits) -> Vec<(String, &'static str)> {
        let mut faults = TermFaults(Vec::new());
        limits.faults(&mut faults);
        faults.0.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
    }

    #[test]
    fn limits_have_bounds_and_an_order() {
        assert!(faults(EntryLimits::asked(Some(100), (Some(1500), Some(1500)), Some(3650))).is_empty());
        let found = faults(EntryLimits::asked(Some(0), (Some(1600), Some(1500)), Some(70_000)));
        let expected = [
            ("/min_reliability_percent", "out-of-range"),
            ("/min_rating", "conflicting-fields"),
            ("/min_account_age_days", "out-of-range"),
        ];
        assert_eq!(found, expected.map(|(pointer, code)| (pointer.to_owned(), code)));
    }
}
