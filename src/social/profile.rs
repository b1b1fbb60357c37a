//! Public profiles of players.

use broadside_rules::Time;

use crate::accounts::account::KnownAccount;
use crate::accounts::profiles::AccountProfile;
use crate::accounts::{self, Suspension, Username};
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::matches::queries;
use crate::player::Player;

/// The public profile of a player.
pub struct Profile {
    pub player: Player,
    pub guest: bool,
    pub created_at: Time,
    pub deleted: bool,
    pub running: u32,
    pub finished: u32,
    /// See [`crate::matches::MatchCounts::reliability_percent`].
    pub reliability_percent: Option<u8>,
    /// In force or expired.
    pub suspension: Option<Suspension>,
    pub said: AccountProfile,
}

/// A player's profile. A deleted player gets the same answer as an unknown name, except while a suspension is in force.
pub async fn profile(conn: &mut PublicRead, name: &Username) -> Result<Profile> {
    let KnownAccount { player, guest, created_at, deleted, suspension, profile: said, .. } =
        accounts::store::accounts::find_by_name(conn, name).await?.ok_or_else(Error::not_found)?;
    let tally = queries::counts(conn, player.id).await?;
    let reliability_percent = tally.reliability_percent();
    let (running, finished) = (tally.running, tally.finished);
    Ok(Profile { player, guest, created_at, deleted, running, finished, reliability_percent, suspension, said })
}
