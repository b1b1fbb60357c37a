//! The order of play kept after a rated match was called off.
//!
//! The first player was drawn by lot and is known by then, and calling off must not allow another draw: each of the two
//! players has the same place in their next rated match by the same rules, against any opponent.
//!
//! The next match uses a kept place up, and frees it again if called off as well. So calling off never changes a
//! player's share of beginnings. If the kept places of two players conflict, that of their own last match counts, else
//! the older one; the other one stays kept.

use broadside_contests::RuleSetHash;
use broadside_rules::event::TableEvent;
use broadside_rules::{Entry, Event, First, Status, Variant, Viewer};

use super::match_state::MatchState;
use super::open::{MatchOrigin, MatchSettings, Participant};
use super::store;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::{AccountId, MatchId};

/// A player's kept place.
#[derive(Clone, Copy)]
pub struct KeptPlace {
    pub match_id: MatchId,
    pub account: AccountId,
    pub opponent: AccountId,
    pub begins: bool,
}

/// The places kept by the players after the end of a match.
pub(super) struct KeptOrder {
    rules: String,
    places: [KeptPlace; 2],
}

impl KeptOrder {
    /// The places kept after a rated match of two whose last entry calls it off. `None`: it was not called off, or a
    /// moderator has decided it.
    pub fn of(state: &MatchState, last: &Entry) -> Option<Self> {
        let terms = &state.terms;
        let is_decided = last.events.iter().any(|event| matches!(event, Event::Table(TableEvent::Adjudicated {})));
        if state.battle.status() != Status::Aborted || !terms.rated || terms.pairing.is_some() || is_decided {
            return None;
        }
        let players: Vec<AccountId> = terms.first_players().map(|player| player.id).collect();
        let [one, other] = players.try_into().ok()?;
        let first = state.view(Viewer::Spectator).first()?;
        let place =
            |account, opponent, seat| KeptPlace { match_id: terms.id, account, opponent, begins: first.0 == seat };
        let places = [place(one, other, 0), place(other, one, 1)];
        Some(Self { rules: key(terms.variant, terms.named.as_ref()), places })
    }

    pub async fn write(&self, tx: &mut Tx) -> Result<()> {
        store::kept_orders::keep(tx, &self.places, &self.rules).await
    }
}

/// The first player of the match `id` about to open; `None`: its rules decide.
pub(super) async fn first(
    tx: &mut Tx,
    id: MatchId,
    agreed: &MatchSettings,
    sitters: &[Participant],
    origin: MatchOrigin,
) -> Result<Option<First>> {
    let [one, other] = sitters else { return Ok(None) };
    let players = [one.player.id, other.player.id];
    if !agreed.rated || origin.pairing().is_some() {
        return Ok(None);
    }
    let kept = store::kept_orders::lock(tx, players, &key(agreed.variant, agreed.named.as_ref())).await?;
    let counts_first = |place: &&KeptPlace| (!players.contains(&place.opponent), place.match_id);
    let Some(decides) = kept.iter().min_by_key(counts_first) else { return Ok(None) };
    let one_begins = (decides.account == players[0]) == decides.begins;
    for (player, begins) in players.into_iter().zip([one_begins, !one_begins]) {
        let own = kept.iter().filter(|place| place.account == player && place.begins == begins);
        if let Some(place) = own.min_by_key(counts_first) {
            store::kept_orders::give(tx, place, id).await?;
        }
    }
    Ok(Some(if one_begins { First::Creator } else { First::Opponent }))
}

/// The key of the rules for kept places, independent of the clock.
fn key(variant: &Variant, named: Option<&RuleSetHash>) -> String {
    named.map_or(variant.id, RuleSetHash::as_str).to_owned()
}
