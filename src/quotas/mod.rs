//! Quotas: an account's limits on stored data, as one table. A guest may store less than a member, and the guests of
//! one address share a limit.
//!
//! A capability calls [`check`] before it stores something counted, and uses [`Room`] around a change of something
//! measured. Both lock the quotas of the account until the transaction ends, so simultaneous requests can't exceed one
//! together. Call them after the locks of accounts, challenges and matches, and before everything else. The counts are
//! in `store`. `tests` checks that the guide shows this table, and that every table of the schema is in it or has
//! another limit.

mod store;
#[cfg(test)]
mod tests;

use broadside_rules::Time;

use crate::db::{Conn, Tx};
use crate::error::{Error, QuotaUse, Result};
use crate::ids::AccountId;
use crate::string_enums::string_enums;

string_enums! {
    /// Something of which an account may store so much.
    pub enum Quota {
        /// Matches that are running, and seats in open challenges: each may become one.
        Matches,
        /// Open challenges in which the account has a seat.
        OpenChallenges,
        /// Challenges that the account has made in 24 hours, rematches included.
        ChallengesADay,
        /// Private notes on matches.
        NoteBytes,
        /// Standing orders.
        StandingOrderBytes,
        /// Chat messages in 24 hours.
        MessagesADay,
        /// Reports of abuse in 24 hours.
        ReportsADay,
        /// Players who are muted.
        Mutes,
        /// Players who are blocked.
        Blocks,
        /// Followed players.
        Follows,
        /// Subscriptions of browsers to push messages.
        PushSubscriptions,
        /// Passkeys.
        Passkeys,
        /// Guests of one address.
        Guests,
        /// Personal access tokens.
        Tokens,
        /// Apps that may act for the account.
        Apps,
        /// Apps that the account has registered.
        RegisteredApps,
        /// Webhooks.
        Webhooks,
        /// Rule sets that the account has published.
        RuleSets,
        /// Ladders that the account has made and that are open.
        Ladders,
        /// Ladders in which the account takes part.
        LadderMemberships,
        /// Tournaments that the account has made and that are not over.
        Tournaments,
        /// Tournaments that are not over in which the account plays.
        TournamentEntries,
        /// Requests to enter a contest that wait for an answer.
        EntryRequests,
    }
}

/// A limit on stored data.
struct Allowance {
    quota: Quota,
    /// The counted things, in the plural.
    things: &'static str,
    /// Advice for making room.
    remedy: &'static str,
    /// The limits of a member, of a guest, and of all guests of an address together; 0 if they can't store it.
    limits: [i64; 3],
}

const fn row(quota: Quota, things: &'static str, remedy: &'static str, limits: [i64; 3]) -> Allowance {
    Allowance { quota, things, remedy, limits }
}

const KIB: i64 = 1024;
const MIB: i64 = 1024 * KIB;

const CLOSE: &str = "Close or cancel one, or wait for its end.";
const DELETE: &str = "Delete one first.";
const FINISH: &str = "Finish a match, or withdraw a challenge.";
const GIVE_BACK: &str = "Withdraw one of yours, or give back a seat (decline).";
const LEAVE: &str = "Leave one first.";
const SHORTEN: &str = "Shorten or empty others first.";
const WAIT: &str = "Wait until some of them are a day old.";

/// The limits, in the order of [`Quota`].
static TABLE: [Allowance; 23] = [
    row(Quota::Matches, "running matches and seats in open challenges", FINISH, [10_000, 50, 300]),
    row(Quota::OpenChallenges, "seats in open challenges", GIVE_BACK, [50, 10, 100]),
    row(Quota::ChallengesADay, "challenges made in 24 hours", WAIT, [1_000, 100, 500]),
    row(Quota::NoteBytes, "bytes of notes", SHORTEN, [10 * MIB, 256 * KIB, MIB]),
    row(Quota::StandingOrderBytes, "bytes of standing orders", SHORTEN, [20 * MIB, 512 * KIB, 2 * MIB]),
    row(Quota::MessagesADay, "chat messages in 24 hours", WAIT, [2_000, 0, 0]),
    row(Quota::ReportsADay, "reports of abuse in 24 hours", WAIT, [50, 10, 50]),
    row(Quota::Mutes, "muted players", DELETE, [1_000, 100, 1_000]),
    row(Quota::Blocks, "blocked players", DELETE, [1_000, 100, 1_000]),
    row(Quota::Follows, "followed players", DELETE, [500, 0, 0]),
    row(Quota::PushSubscriptions, "push subscriptions", DELETE, [20, 5, 100]),
    row(Quota::Passkeys, "passkeys", DELETE, [20, 1, 500]),
    row(Quota::Guests, "guests who have not gone", "Register instead.", [0, 0, 500]),
    row(Quota::Tokens, "personal access tokens", DELETE, [50, 0, 0]),
    row(Quota::Apps, "apps that act for the account", DELETE, [50, 0, 0]),
    row(Quota::RegisteredApps, "registered apps", DELETE, [10, 0, 0]),
    row(Quota::Webhooks, "webhooks", DELETE, [10, 0, 0]),
    row(Quota::RuleSets, "published rule sets", "They stay.", [100, 0, 0]),
    row(Quota::Ladders, "open ladders of its own", CLOSE, [3, 0, 0]),
    row(Quota::LadderMemberships, "memberships in ladders", LEAVE, [20, 0, 0]),
    row(Quota::Tournaments, "tournaments of its own that are not over", CLOSE, [3, 0, 0]),
    row(Quota::TournamentEntries, "tournaments in which it plays", LEAVE, [20, 0, 0]),
    row(Quota::EntryRequests, "requests to enter contests", "Withdraw one first.", [20, 0, 0]),
];

/// Open ladders allowed to an account with the organizer role.
pub const LADDERS_OF_ORGANIZER: i64 = 100;
/// Unfinished tournaments allowed to an account with the organizer role.
pub const TOURNAMENTS_OF_ORGANIZER: i64 = 50;

impl Quota {
    fn allowance(self) -> &'static Allowance {
        &TABLE[self as usize]
    }

    /// The limit of a member.
    pub fn most(self) -> i64 {
        self.allowance().limits[0]
    }

    /// The error for an account that uses `used` of its `limit`.
    pub fn exceeded(self, used: i64, limit: i64) -> Error {
        let Allowance { quota, things, remedy, .. } = self.allowance();
        let detail = format!("This account may have {limit} {things}, and has {used}. {remedy}");
        Error::quota_exceeded(QuotaUse { name: quota.into_str(), used, limit }, detail)
    }

    /// The error for the guests of an address together.
    fn exceeded_together(self, used: i64, limit: i64) -> Error {
        let Allowance { things, remedy, .. } = self.allowance();
        let detail =
            format!("The guests of your address may have {limit} {things} together, and have {used}. {remedy}");
        Error::quota_exceeded(QuotaUse { name: self.into_str(), used, limit }, detail)
    }
}

/// An account whose quotas are locked until the transaction ends.
struct Owner {
    account: AccountId,
    /// For a guest: all guests of its address, including itself.
    guests: Option<Vec<AccountId>>,
}

impl Owner {
    async fn lock(tx: &mut Tx, account: AccountId) -> Result<Self> {
        let guests = match store::lock_account(tx, account).await? {
            None => None,
            Some(None) => Some(vec![account]),
            Some(Some(origin)) => {
                store::lock_origin(tx, &origin).await?;
                Some(store::guests_of(tx, &origin).await?)
            }
        };
        Ok(Self { account, guests })
    }

    /// The use and the limit of a quota, for the account and for the guests of its address.
    async fn used(&self, tx: &mut Tx, quota: Quota, now: Time) -> Result<[(i64, i64); 2]> {
        let [member, guest, together] = quota.allowance().limits;
        let own = store::used(tx, quota, &[self.account], now).await?;
        Ok(match &self.guests {
            None => [(own, member), (0, i64::MAX)],
            Some(guests) => [(own, guest), (store::used(tx, quota, guests, now).await?, together)],
        })
    }
}

/// Locks the quotas of an account until the transaction ends, for a count made elsewhere.
pub async fn lock(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::lock_account(tx, account).await.map(drop)
}

/// Fails with `quota-exceeded` if the account has no room for one more of each of these.
pub async fn check(tx: &mut Tx, account: AccountId, now: Time, quotas: &[Quota]) -> Result<()> {
    let owner = Owner::lock(tx, account).await?;
    for &quota in quotas {
        let [(own, limit), (all, together)] = owner.used(tx, quota, now).await?;
        if own >= limit {
            return Err(quota.exceeded(own, limit));
        }
        if all >= together {
            return Err(quota.exceeded_together(all, together));
        }
    }
    Ok(())
}

/// [`check`] for a member with a limit other than the table's: the operator's, or that of a role.
pub async fn check_up_to(tx: &mut Tx, account: AccountId, now: Time, quota: Quota, limit: i64) -> Result<()> {
    store::lock_account(tx, account).await?;
    let used = store::used(tx, quota, &[account], now).await?;
    if used < limit { Ok(()) } else { Err(quota.exceeded(used, limit)) }
}

/// Fails with `quota-exceeded` if the guests of this address have reached their limit.
pub async fn check_guests(tx: &mut Tx, origin: &[u8]) -> Result<()> {
    store::lock_origin(tx, origin).await?;
    let [.., most] = Quota::Guests.allowance().limits;
    let there = i64::try_from(store::guests_of(tx, origin).await?.len()).unwrap_or(i64::MAX);
    if there < most {
        return Ok(());
    }
    let detail = format!("There are {there} guests of your address, and there may be {most}. Register instead.");
    Err(Error::quota_exceeded(QuotaUse { name: Quota::Guests.into_str(), used: there, limit: most }, detail))
}

/// The account's use of a quota.
pub async fn used(conn: &mut Conn, account: AccountId, now: Time, quota: Quota) -> Result<i64> {
    store::used(conn, quota, &[account], now).await
}

/// An account's room before a change of its stored data.
pub struct Room {
    owner: Owner,
    quota: Quota,
    now: Time,
    before: [(i64, i64); 2],
}

impl Room {
    /// Measures the stored data before the change.
    pub async fn of(tx: &mut Tx, account: AccountId, now: Time, quota: Quota) -> Result<Self> {
        let owner = Owner::lock(tx, account).await?;
        let before = owner.used(tx, quota, now).await?;
        Ok(Self { owner, quota, now, before })
    }

    /// Fails with `quota-exceeded` if the change has increased the stored data beyond the limit. Decreases are always
    /// allowed.
    pub async fn check(self, tx: &mut Tx) -> Result<()> {
        let [(own, limit), (all, together)] = self.owner.used(tx, self.quota, self.now).await?;
        let [(own_before, _), (all_before, _)] = self.before;
        if own > limit && own > own_before {
            return Err(self.quota.exceeded(own_before, limit));
        }
        if all > together && all > all_before {
            return Err(self.quota.exceeded_together(all_before, together));
        }
        Ok(())
    }
}
