//! The result of a pairing: it counts for the season's standings and for the players' next pairings. It is counted
//! once, under the rows of the ladder and of the pairing.

use broadside_contests::ranking::gains;
use broadside_rules::Time;

use super::terms::{FormTerms, MAX_MISSED};
use super::{Ladder, LadderMember, MemberStatus, position};
use crate::audit_log;
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{LadderMembershipInactiveEvent, LadderPairingMissedEvent};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::{AccountId, LadderId, PairingId};
use crate::ladders::store;
use crate::matches::queries;
use crate::pairings::{self, Pairing};

/// The effects of counting a pairing.
pub(super) struct Settled {
    pub told: Vec<Notification>,
    pub counts: bool,
}

/// Counts the result of a finished pairing. Returns false to try again later, because it ended after a season that
/// isn't closed yet.
pub(super) async fn settle(ctx: &Context, ladder: LadderId, id: PairingId) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let Some(ladder) = store::ladders::lock(&mut tx, ladder).await? else {
        tx.roll_back().await?;
        return Ok(true);
    };
    let Some(pairing) = pairings::lock_ended(&mut tx, id).await? else {
        tx.roll_back().await?;
        return Ok(true);
    };
    let ended_at = pairing.ended_at.unwrap_or(pairing.opened_at);
    if ladder.closed.is_none() && ladder.season.ends_at.is_some_and(|ends_at| ends_at <= ended_at) {
        tx.roll_back().await?;
        return Ok(false);
    }
    let now = ctx.clock.now();
    let Settled { told, counts } = match &ladder.terms.form {
        FormTerms::Rating(_) => of_rating_ladder(&mut tx, &ladder, &pairing, now).await?,
        FormTerms::Position(terms) => position::end::settle(&mut tx, &ladder, terms, &pairing, now).await?,
    };
    pairings::settle(&mut tx, id, now, counts.then_some(ladder.season.number)).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await?;
    Ok(true)
}

/// Adds the points for the season, and frees the players for the next pairing.
async fn of_rating_ladder(tx: &mut Tx, ladder: &Ladder, pairing: &Pairing, now: Time) -> Result<Settled> {
    let accounts: Vec<AccountId> = pairing.players.iter().map(|player| player.id).collect();
    let half_points = pairing.half_points();
    let counts = half_points.is_some() && ladder.closed.is_none();
    let matches: Vec<_> = pairing.games.iter().map(|game| game.match_id).collect();
    let at_fault = queries::at_fault(tx, &matches).await?;
    let former = queries::former_players(tx, &matches).await?;
    // A match aborted by a moderator is nobody's fault.
    let is_called_off = half_points.is_none() && audit_log::store::is_any_adjudicated(tx, &matches).await?;
    let mut told = Vec::new();
    for member in store::members::some(tx, ladder.id, &accounts).await? {
        let missed = match &half_points {
            _ if is_called_off => member.missed,
            Some(_) if at_fault.contains(&member.account) => member.missed + 1,
            // A member with a substitute has neither missed the pairing nor played it.
            Some(_) if former.contains(&member.account) => member.missed,
            Some(_) => 0,
            None => member.missed + 1,
        };
        let (was_active, has_missed) = (member.status == MemberStatus::Active, missed > member.missed);
        let member = freed(member, &accounts, missed, now);
        let event: Option<AccountEvent> = match member.status {
            MemberStatus::Inactive if was_active => Some(LadderMembershipInactiveEvent::at(now, ladder.id).into()),
            MemberStatus::Active if has_missed => Some(LadderPairingMissedEvent::at(now, ladder.id, pairing.id).into()),
            _ => None,
        };
        told.extend(event.map(|event| events::notification(member.account, &[event])).transpose()?.flatten());
        store::members::put(tx, ladder.id, &member).await?;
        if let (Some(half_points), None) = (&half_points, &ladder.closed) {
            let gain = accounts
                .iter()
                .zip(gains(half_points, pairing.games_played()))
                .find(|(account, _)| **account == member.account);
            store::standings::begin(tx, ladder, ladder.season.number, &member).await?;
            if let Some((account, gain)) = gain {
                store::standings::add(tx, ladder, ladder.season.number, *account, &gain).await?;
            }
        }
    }
    if ladder.closed.is_none() {
        let over_at = pairing.ended_at.unwrap_or(now);
        store::meetings::note(tx, ladder.id, ladder.season.number, &accounts, counts, over_at).await?;
    }
    store::ladders::members_changed(tx, ladder.id, now).await?;
    Ok(Settled { told, counts })
}

/// A member after the end of a pairing with these players, with the new number of pairings missed in a row.
fn freed(member: LadderMember, players: &[AccountId], missed: u32, now: Time) -> LadderMember {
    let waited = member.waits();
    let gone = |account: &AccountId| !players.contains(account);
    LadderMember {
        running: member.running.saturating_sub(1),
        opponents: member.opponents.iter().copied().filter(gone).collect(),
        waiting_since: if waited { member.waiting_since } else { now },
        missed,
        status: if missed >= MAX_MISSED && member.status == MemberStatus::Active {
            MemberStatus::Inactive
        } else {
            member.status
        },
        ..member
    }
}
