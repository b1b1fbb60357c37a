//! Challenged and invited players: their acceptance rules, and limits on repeated challenges.

use broadside_rules::Time;

use super::store;
use crate::accounts::account::KnownAccount;
use crate::accounts::profiles::ChallengesFrom;
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{self, Identity, Username, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::matches;
use crate::player::Player;
use crate::social::blocks;

/// The maximum number of unanswered challenges per day from one account to a player.
pub const MAX_UNANSWERED: i64 = 3;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The challenged player, with both accounts locked.
pub(super) async fn addressee(
    tx: &mut Tx,
    ctx: &Context,
    creator: &Identity,
    name: &Username,
    rated: bool,
) -> Result<Player> {
    let found = accounts::store::accounts::find_by_name(tx, name).await?.filter(|known| !known.deleted);
    let unknown = || Error::invalid_at("/opponent", "unknown-player", format!("there is no player named {name}"));
    let known = found.ok_or_else(unknown)?;
    let refusal = refusal(tx, creator, &known).await?;
    let KnownAccount { player, guest, .. } = known;
    if player.id == creator.account {
        return Err(Error::invalid_at("/opponent", "own-account", "no player can challenge their own account"));
    }
    // The other player may be deleting the account, or either may be blocking the other, at this moment. The locks
    // decide: such a change is either committed and seen here, or it comes later and sees the challenge.
    let other = account::lock_active_with(tx, ctx, creator.account, player.id).await?;
    if blocks::blocks(tx, creator.account, player.id).await? {
        return Err(Error::plain(&problem::PLAYER_BLOCKED));
    }
    // A blocked player gets the same answer as for a name that does not exist.
    if other == OtherAccount::Deleted || blocks::blocks(tx, player.id, creator.account).await? {
        return Err(unknown());
    }
    if other == OtherAccount::Suspended {
        return Err(Error::invalid_at(
            "/opponent",
            "player-suspended",
            format!("{name} is suspended and accepts nothing"),
        ));
    }
    if guest && rated {
        return Err(Error::invalid_at(
            "/opponent",
            "guest",
            format!("{name} is a guest and plays unrated matches only"),
        ));
    }
    if let Some(detail) = refusal {
        return Err(Error::invalid_at("/opponent", "challenges-not-taken", detail));
    }
    Ok(player)
}

/// Fails with `quota-exceeded` when the account has sent a player too many unanswered challenges.
pub(super) async fn check_unanswered(
    tx: &mut Tx,
    ctx: &Context,
    from: AccountId,
    to: &Player,
    now: Time,
) -> Result<()> {
    // Without rate limits (tests, load) this isn't limited either.
    if ctx.rate_limits.is_none() {
        return Ok(());
    }
    let since = now.plus_ms(-DAY_MS);
    if store::challenges::count_unanswered(tx, from, to.id, since).await? < MAX_UNANSWERED {
        return Ok(());
    }
    let name = &to.username;
    let detail = format!(
        "You have challenged {name} {MAX_UNANSWERED} times within a day without an answer. Try again when a day is over."
    );
    Err(Error::new(&problem::TOO_MANY_OPEN, detail))
}

/// The reason why an account doesn't accept challenges from another one; `None`: it does.
pub(super) async fn refusal(conn: &mut Conn, creator: &Identity, asked: &KnownAccount) -> Result<Option<String>> {
    let whose = match asked.challenges_from {
        ChallengesFrom::Everybody => return Ok(None),
        ChallengesFrom::Accounts if !creator.guest => return Ok(None),
        ChallengesFrom::Accounts => "from guests",
        ChallengesFrom::Played if matches::queries::have_met(conn, creator.account, asked.player.id).await? => {
            return Ok(None);
        }
        ChallengesFrom::Played => "from players they have not played with",
        ChallengesFrom::Nobody => "",
    };
    Ok(Some(format!("{} takes no challenges {whose}", asked.player.username).trim_end().to_owned()))
}
