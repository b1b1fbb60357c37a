//! The operator's remedy for a compromised account: sign out everywhere.

use super::account::PersonalTokens;
use super::notices::{self, NoticeKind};
use super::security_log::{self, About, SecurityEventKind};
use super::store;
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// Ends every session of the account, including those of apps and of the service's own pages, and deletes everything
/// that could still become one (codes, tickets, challenges, links); `tokens` decides on personal tokens. The owner is
/// told. Nodes that have cached a valid token check it again within half a minute.
pub async fn everywhere(tx: &mut Tx, ctx: &Context, account: AccountId, tokens: PersonalTokens) -> Result<()> {
    store::accounts::lock_exclusively(tx, account).await?;
    store::sessions::end_all(tx, account, None, ctx.clock.now()).await?;
    store::codes::delete_all(tx, account).await?;
    store::devices::delete_all(tx, account).await?;
    store::stream_tickets::delete_all(tx, account).await?;
    store::second_factors::delete_challenges(tx, account).await?;
    store::recovery::delete_plain_links(tx, account).await?;
    if tokens == PersonalTokens::Revoke {
        store::tokens::delete_all(tx, account).await?;
    }
    security_log::record(tx, ctx, account, SecurityEventKind::SignedOutByOperator, About::ACCOUNT).await?;
    notices::add(tx, ctx, account, NoticeKind::SignedOut).await
}
