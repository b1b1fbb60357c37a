//! Invitations to challenges.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::challenge_invitations as invitations;
use crate::db::{Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, ChallengeId};
use crate::lobby::Challenge;

#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn challenge_ids_to(account: AccountId) -> _ {
    let to_account: diesel::dsl::Eq<invitations::account_id, Uuid> = invitations::account_id.eq(account.0);
    invitations::table.filter(to_account).select(invitations::challenge_id)
}

pub async fn insert(tx: &mut Tx, challenge: &Challenge) -> Result<()> {
    let row = |id: Uuid| (invitations::challenge_id.eq(challenge.id.0), invitations::account_id.eq(id));
    let rows: Vec<_> = challenge.invited.iter().map(|player| row(player.id.0)).collect();
    if rows.is_empty() { Ok(()) } else { diesel::insert_into(invitations::table).values(rows).run(tx).await }
}

pub async fn delete(tx: &mut Tx, id: ChallengeId, account: AccountId) -> Result<()> {
    diesel::delete(invitations::table.find((id.0, account.0))).run(tx).await
}

/// The invitations to these challenges: challenge and account.
pub async fn all(conn: &mut Conn, challenges: &[Uuid]) -> Result<Vec<(Uuid, Uuid)>> {
    let rows = invitations::table
        .filter(invitations::challenge_id.eq_any(challenges))
        .order((invitations::challenge_id, invitations::account_id))
        .select((invitations::challenge_id, invitations::account_id));
    Ok(rows.load(conn.sql()).await?)
}
