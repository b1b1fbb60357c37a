//! Invitations: players invited to a challenge that has more than two seats, or is open to others, too.
//!
//! An invitation reserves no seat. It notifies the player, makes a direct challenge visible, and ends when they
//! decline. A direct challenge that the others can't fill is declined as a whole.

use broadside_rules::Fault;

use super::{Challenge, ChallengeDeclineReason, ChallengeStatus, Visibility, notifications_for, others, store};
use crate::accounts::account::{self, KnownAccount};
use crate::accounts::{self, Identity, Username};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events::kinds::{ChallengeDeclinedEvent, ChallengeLeftEvent};
use crate::events::{self, AccountEvent};
use crate::ids::AccountId;
use crate::player::Player;
use crate::social::blocks;

/// The most players who can be invited to a challenge.
pub const MOST: usize = 6;

/// Locks the accounts of the creator and of the invited players, and returns the latter. Names every fault.
pub(super) async fn invite(
    tx: &mut Tx,
    ctx: &Context,
    creator: &Identity,
    names: &[Username],
    rated: bool,
) -> Result<Vec<Player>> {
    let now = ctx.clock.now();
    let (mut players, mut faults) = (Vec::new(), Vec::new());
    let mut fault = |index: usize, code, detail| {
        faults.push(Fault { pointer: format!("/invited/{index}"), code, detail });
    };
    let unknown = |name: &Username| format!("there is no player named {name}");
    for (index, name) in names.iter().enumerate() {
        match accounts::store::accounts::find_by_name(tx, name).await?.filter(|known| !known.deleted) {
            None => fault(index, "unknown-player", unknown(name)),
            Some(KnownAccount { player, .. }) if player.id == creator.account => {
                fault(index, "own-account", "no player can invite their own account".to_owned());
            }
            Some(KnownAccount { suspension: Some(suspension), .. }) if suspension.is_on(now) => {
                fault(index, "player-suspended", format!("{name} is suspended and accepts nothing"));
            }
            Some(KnownAccount { guest: true, .. }) if rated => {
                fault(index, "guest", format!("{name} is a guest and plays unrated matches only"));
            }
            Some(known) => {
                let refusal = super::asked::refusal(tx, creator, &known).await?;
                players.push((index, known.player, refusal));
            }
        }
    }
    // All locks at once. Deleted and suspended accounts are not returned.
    let ids: Vec<AccountId> = players.iter().map(|(_, player, _)| player.id).chain([creator.account]).collect();
    let active = account::lock_all_active(tx, ctx, &ids).await?;
    if !active.iter().any(|player| player.id == creator.account) {
        account::lock_active(tx, ctx, creator.account).await?;
    }
    let mut invited: Vec<Player> = Vec::new();
    for (index, player, refusal) in players {
        if blocks::blocks(tx, creator.account, player.id).await? {
            return Err(Error::plain(&problem::PLAYER_BLOCKED));
        }
        // A blocked player gets the same answer as for a name that does not exist.
        let is_active = active.iter().any(|other| other.id == player.id);
        if !is_active || blocks::blocks(tx, player.id, creator.account).await? {
            fault(index, "unknown-player", unknown(&names[index]));
        } else if let Some(detail) = refusal {
            fault(index, "challenges-not-taken", detail);
        } else if invited.contains(&player) {
            fault(index, "named-twice", format!("{} is invited already", names[index]));
        } else {
            invited.push(player);
        }
    }
    // The order in which they are read.
    invited.sort_unstable_by_key(|player| player.id);
    if faults.is_empty() { Ok(invited) } else { Err(Error::invalid(faults)) }
}

/// The visibility of a challenge to one player, or with invited players; `lost` is the field with an unknown name. A
/// challenge possibly meant for one player is open only if the request says so.
pub fn visibility(
    wanted: Option<Visibility>,
    (opponent, invited): (bool, bool),
    lost: Option<&str>,
    faults: &mut Vec<Fault>,
) -> Visibility {
    let visibility = wanted.unwrap_or(if opponent || invited { Visibility::Direct } else { Visibility::Open });
    let mut conflict = |pointer: &str, detail: &str| {
        faults.push(Fault { pointer: pointer.to_owned(), code: "conflicting-fields", detail: detail.to_owned() });
    };
    if opponent && invited {
        conflict("/invited", "a challenge to one player (`opponent`) is for nobody else");
    } else if opponent && visibility != Visibility::Direct {
        conflict("/visibility", "a challenge to one player (`opponent`) is direct");
    } else if opponent || invited {
        return visibility;
    } else if visibility == Visibility::Direct {
        conflict(lost.unwrap_or("/visibility"), "a direct challenge says whom it is for: `opponent`, or `invited`");
    } else if let Some(lost) = lost.filter(|_| wanted.is_none()) {
        conflict(lost, "names nobody; leave it out, or set `visibility` to `open` if everybody may accept");
    }
    visibility
}

/// The faults in the number of invitations to a challenge with this number of seats.
pub fn faults(invited: usize, seats: u8, visibility: Visibility) -> Vec<Fault> {
    let fault = |code, detail| vec![Fault { pointer: "/invited".to_owned(), code, detail }];
    if invited > MOST {
        return fault("too-many-items", format!("must be {MOST} at most"));
    }
    if visibility == Visibility::Direct && invited > 0 && invited + 1 < usize::from(seats) {
        let detail = "a direct challenge is for those who are invited only: invite somebody for every seat".to_owned();
        return fault("too-few-items", detail);
    }
    Vec::new()
}

/// Removes an account's invitation from a challenge. True: this declines the challenge, since no other player can take
/// the free seats.
pub(super) fn remove(challenge: &mut Challenge, account: AccountId) -> bool {
    challenge.invited.retain(|player| player.id != account);
    let is_seated = |id: AccountId| challenge.seats.iter().flatten().any(|sitter| sitter.player.id == id);
    let free = challenge.seats.iter().filter(|seat| seat.is_none()).count();
    let waiting = challenge.invited.iter().filter(|player| !is_seated(player.id)).count();
    challenge.visibility == Visibility::Direct && challenge.opponent.is_none() && waiting < free
}

/// Stores a removed invitation and its consequences. Returns the notifications.
pub(super) async fn withdraw(
    tx: &mut Tx,
    ctx: &Context,
    challenge: &mut Challenge,
    account: AccountId,
    reason: ChallengeDeclineReason,
) -> Result<AccountEvent> {
    let now = ctx.clock.now();
    store::invitations::delete(tx, challenge.id, account).await?;
    if !remove(challenge, account) {
        return Ok(ChallengeLeftEvent::at(now, challenge.id, account).into());
    }
    challenge.status = ChallengeStatus::Declined;
    challenge.reason = Some(reason);
    store::challenges::update_outcome(tx, challenge).await?;
    Ok(ChallengeDeclinedEvent::at(now, challenge.id, account, Some(reason.into_str())).into())
}

/// Declines an invitation for the invited player.
pub(super) async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    mut challenge: Challenge,
    reason: ChallengeDeclineReason,
) -> Result<Challenge> {
    let event = withdraw(tx, ctx, &mut challenge, who.account, reason).await?;
    events::notify(tx, ctx, notifications_for(others(&challenge, who.account), &event)?).await?;
    Ok(challenge)
}
