//! Reading many challenges at once: the list of open ones, one's own, and all of an account for its export.

use broadside_rules::Time;

use super::{Challenge, Status};
use crate::db::Conn;
use crate::error::Result;
use crate::ids::{AccountId, ChallengeId};
use crate::lobby::store;
use crate::matches::queries;

/// Which challenges to list.
pub struct Filter {
    /// Only those made by or addressed to this account, or in which it has a seat; else the open ones that everybody may see.
    pub mine: Option<AccountId>,
    /// Only of this variant.
    pub variant: Option<&'static str>,
    /// Only rated ones, or only unrated ones.
    pub rated: Option<bool>,
    /// Only with this status (open, for everybody's list).
    pub status: Option<Status>,
    /// Only those that this account may accept, with its reliability in percent, if it has one.
    pub acceptable: Option<(AccountId, Option<u8>)>,
    /// Only those made before this one.
    pub before: Option<ChallengeId>,
    /// Who asks: challenges of those whom he blocks, or who block him, are left out of the list of open ones.
    pub viewer: Option<AccountId>,
    /// How many at most.
    pub limit: i64,
}

/// A page of challenges, the newest first.
pub async fn list(conn: &mut Conn, filter: &Filter, now: Time) -> Result<Vec<Challenge>> {
    store::lists::list(conn, filter, now).await
}

/// What [`Filter::acceptable`] wants to know of an account.
pub async fn accepting(conn: &mut Conn, account: AccountId) -> Result<(AccountId, Option<u8>)> {
    Ok((account, queries::counts(conn, account).await?.reliability_percent()))
}

/// Every challenge that an account has made or received, as it is stored: for the account's own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<Challenge>> {
    store::challenges::all_of(conn, account).await
}
