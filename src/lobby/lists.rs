//! Lists of challenges: the open ones, an account's own, and all of an account for its export.

use broadside_contests::RuleSetHash;
use broadside_rules::Time;

use super::{Challenge, ChallengeStatus};
use crate::db::Conn;
use crate::error::Result;
use crate::ids::{AccountId, ChallengeId};
use crate::listed::Listed;
use crate::lobby::store;
use crate::matches::queries;

pub struct ChallengeFilter {
    /// Only challenges that this account created, received, is invited to or sits in; `None`: the open ones visible to
    /// all.
    pub mine: Option<AccountId>,
    pub variant: Option<&'static str>,
    pub named: Option<RuleSetHash>,
    /// Only rated ones, or only unrated ones.
    pub rated: Option<bool>,
    pub status: Option<ChallengeStatus>,
    /// Only those that this account may accept, given its reliability in percent, if any.
    pub acceptable: Option<(AccountId, Option<u8>)>,
    /// Only challenges created before this one.
    pub before: Option<ChallengeId>,
    /// The caller. The list of open challenges leaves out those of accounts that it blocks or that block it.
    pub viewer: Option<AccountId>,
    /// The maximum number.
    pub limit: i64,
}

/// A page of challenges, newest first.
pub async fn list(conn: &mut Conn, filter: &ChallengeFilter, now: Time) -> Result<Listed<Challenge>> {
    store::lists::list(conn, filter, now).await
}

/// The account with its reliability in percent, for [`ChallengeFilter::acceptable`].
pub async fn reliability_of(conn: &mut Conn, account: AccountId) -> Result<(AccountId, Option<u8>)> {
    Ok((account, queries::counts(conn, account).await?.reliability_percent()))
}

/// Every challenge that an account has created, received or joined, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Challenge>> {
    store::challenges::export(conn, account).await
}
