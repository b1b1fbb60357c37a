//! Who begins after a rated match was called off. The lot was drawn and is known by then, so that calling a match off
//! must not draw it again: each of the two players has the same place in their next rated match by the same rules,
//! against whomever they play it.
//!
//! A place that a player still is to have is used up by the next match, and is free again if that is called off as
//! well. So calling off brings nobody another share of beginnings than the lot gave them. If the two players of a match
//! have places that exclude each other, that of their own last match counts, else the older one; the other one waits.

use broadside_contests::RuleSetHash;
use broadside_rules::event::TableEvent;
use broadside_rules::{Entry, Event, First, Status, Variant, Viewer};

use super::match_state::MatchState;
use super::open::{MatchOrigin, MatchSettings, Participant};
use super::store;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::{AccountId, MatchId};

/// The place that a player is to have again.
#[derive(Clone, Copy)]
pub struct KeptPlace {
    /// The match that was called off.
    pub match_id: MatchId,
    /// The player.
    pub account: AccountId,
    /// The player's opponent in that match.
    pub opponent: AccountId,
    /// Whether the player begins.
    pub begins: bool,
}

/// The places that the end of a match leaves to its players.
pub(super) struct KeptOrder {
    rules: String,
    places: [KeptPlace; 2],
}

impl KeptOrder {
    /// The places that a rated match of two leaves whose last entry calls it off. `None`: it was not called off, or a
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

    /// Keeps them.
    pub async fn write(&self, tx: &mut Tx) -> Result<()> {
        store::kept_orders::keep(tx, &self.places, &self.rules).await
    }
}

/// Who begins the match `id` that is about to open; `None`: its rules say it.
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

/// The rules by which a place is kept, whatever the clock.
fn key(variant: &Variant, named: Option<&RuleSetHash>) -> String {
    named.map_or(variant.id, RuleSetHash::as_str).to_owned()
}
