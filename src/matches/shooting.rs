//! A seat's shooting in a finished match, compared with the chances of its salvos given its knowledge.

use std::sync::Arc;

use broadside_bots::HitOdds;
use broadside_contests::fair_play::Salvo;
use broadside_rules::{Event, Report, Seat, View, Viewer};
use serde_json::{Value, json, to_value};

use super::match_state::{MatchState, entry, terms};
use super::{Matches, StoredMatch};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::work_pool::Lane;

/// The fixed seed for estimating chances, so that a match always gets the same verdict.
const SEED: u64 = 0x4272_6f61_6473_6964;

/// The salvos that a player fired from a seat, in order, without those of other players at the seat; `None` where their
/// chances can't be computed (see [`HitOdds`]). Takes some tens of milliseconds in the pool.
pub async fn of_seat(matches: &Matches, id: MatchId, seat: Seat, player: AccountId) -> Result<Option<Vec<Salvo>>> {
    let stored = matches.stored(id).await?.ok_or_else(Error::not_found)?;
    matches.pool.run(Lane::Heavy, move || judge(stored, seat, player)).await?
}

fn judge(mut stored: StoredMatch, seat: Seat, player: AccountId) -> Result<Option<Vec<Salvo>>> {
    let Some(odds) = HitOdds::new(&stored.rules, SEED) else { return Ok(None) };
    let entries = std::mem::take(&mut stored.entries);
    let mut state = MatchState::new(Arc::new(terms(stored)?));
    let (mut told, mut salvos) = (Vec::new(), Vec::new());
    for bytes in &entries {
        let entry = entry(bytes, &state.terms)?;
        let own = entry.events.iter().filter_map(Event::shots).filter(|(by, ..)| *by == seat);
        let own: Vec<_> = own.map(|(_, shots, hits)| (counted(shots), counted(hits))).collect();
        let is_judged = !own.is_empty() && state.player_of(seat) == Some(player);
        let before = is_judged.then(|| seen(state.view(Viewer::Seat(seat))));
        let mut learnt = state.absorb(&entry, bytes);
        let learnt: Vec<Value> = learnt.swap_remove(seat.index()).iter().filter_map(of_the_game).collect();
        if let Some(before) = before {
            let fired = learnt.iter().filter(|report| report["type"] == "fired" && report["seat"] == seat.0);
            for (fired, (shots, hits)) in fired.zip(own) {
                let expected = odds.hits(&before, &told, fired).map_err(Error::internal)?;
                salvos.extend(expected.map(|expected| Salvo { shots, hits, expected }));
            }
        }
        told.extend(learnt);
    }
    Ok(Some(salvos))
}

fn counted(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The part of a player's view that the chances need.
fn seen(view: &View) -> Value {
    json!({ "viewer": { "seat": view.viewer().seat() }, "version": view.version(), "seas": view.seas(), "decisions": [] })
}

fn of_the_game(report: &Report) -> Option<Value> {
    match report {
        Report::Family(report) => to_value(report).ok(),
        Report::Table(_) => None,
    }
}
