//! Lists of challenges, filtered, without those between accounts that block each other.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::challenges::{ChallengeRow, WHAT, assemble, challenge_ids_of};
use super::invitations::challenge_ids_to;
use crate::db::schema::{account_blocks, challenges};
use crate::db::{At, Conn};
use crate::error::Result;
use crate::ids::AccountId;
use crate::listed::Listed;
use crate::lobby::lists::ChallengeFilter;
use crate::lobby::{Challenge, ChallengeStatus, Visibility};
use crate::social::BlockKind;

#[diesel::dsl::auto_type(no_type_alias)]
fn blocked_by(account: AccountId) -> _ {
    let of_account: diesel::dsl::Eq<account_blocks::account_id, Uuid> = account_blocks::account_id.eq(account.0);
    let block: diesel::dsl::Eq<account_blocks::kind, &'static str> =
        account_blocks::kind.eq(BlockKind::Block.into_str());
    account_blocks::table.filter(of_account).filter(block).select(account_blocks::other_id)
}

#[diesel::dsl::auto_type(no_type_alias)]
fn blockers_of(account: AccountId) -> _ {
    let of_account: diesel::dsl::Eq<account_blocks::other_id, Uuid> = account_blocks::other_id.eq(account.0);
    let block: diesel::dsl::Eq<account_blocks::kind, &'static str> =
        account_blocks::kind.eq(BlockKind::Block.into_str());
    account_blocks::table.filter(of_account).filter(block).select(account_blocks::account_id)
}

/// A page of challenges, newest first.
pub async fn list(conn: &mut Conn, filter: &ChallengeFilter, now: Time) -> Result<Listed<Challenge>> {
    let mut query = challenges::table.select(ChallengeRow::as_select()).into_boxed();
    match filter.mine {
        Some(account) => {
            let received = challenges::opponent_id.is_not_distinct_from(account.0);
            let mine = challenges::creator_id.eq(account.0).or(received);
            query = query.filter(
                mine.or(challenges::id.eq_any(challenge_ids_of(account)))
                    .or(challenges::id.eq_any(challenge_ids_to(account))),
            );
        }
        None => query = query.filter(challenges::visibility.eq(Visibility::Open.into_str())),
    }
    if let (None, Some(viewer)) = (filter.mine, filter.viewer) {
        // The viewer's own challenges and those they sit in stay in the list.
        let blocking =
            challenges::creator_id.ne_all(blocked_by(viewer)).and(challenges::creator_id.ne_all(blockers_of(viewer)));
        query = query.filter(blocking.or(challenges::id.eq_any(challenge_ids_of(viewer))));
    }
    if let Some(variant) = filter.variant {
        query = query.filter(challenges::variant.eq(variant));
    }
    if let Some(named) = &filter.named {
        query = query.filter(challenges::named_rule_set.eq(named.as_str()));
    }
    if let Some(rated) = filter.rated {
        query = query.filter(challenges::rated.eq(rated));
    }
    if let Some((account, percent)) = filter.acceptable {
        query = query
            .filter(challenges::creator_id.ne(account.0))
            .filter(diesel::dsl::not(challenges::id.eq_any(challenge_ids_of(account))));
        if let Some(percent) = percent {
            let least = challenges::min_reliability_percent;
            query = query.filter(least.is_null().or(least.le(i16::from(percent)).is_not_distinct_from(true)));
        }
    }
    if let Some(before) = filter.before {
        query = query.filter(challenges::id.lt(before.0));
    }
    let open = ChallengeStatus::Open.into_str();
    match filter.status {
        Some(ChallengeStatus::Open) => {
            query = query.filter(challenges::status.eq(open)).filter(challenges::expires_at.gt(At(now)));
        }
        Some(ChallengeStatus::Expired) => {
            // Expired, whether marked or not.
            let due = challenges::status.eq(open).and(challenges::expires_at.le(At(now)));
            query = query.filter(due.or(challenges::status.eq(ChallengeStatus::Expired.into_str())));
        }
        Some(status) => query = query.filter(challenges::status.eq(status.into_str())),
        None => {}
    }
    let rows = query.order(challenges::id.desc()).limit(filter.limit);
    let rows = rows.load(conn.sql()).await?;
    Listed::of(WHAT, assemble(conn, rows).await?)
}
