//! The words for the cost of mines and minesweepers.
use broadside_rules::Seat;
use serde_json::Value;

use super::{action, in_words, support::Game};

/// Plays a payment, and compares its public report.
pub fn gives(game: &mut Game, by: Seat, what: &str, expected: &str) -> Result<(), String> {
    game.play(by, &action(game, "gives", what)?).map_err(|illegal| format!("refused: {illegal:?}"))?;
    let last = |viewer: usize| -> Option<Value> {
        let reports = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
        reports.into_iter().find(|report| report["type"] == "gave-up")
    };
    let (told, enemy) = (last(2).ok_or("nothing was given up")?, last(by.other().index()));
    if in_words(&told) != expected {
        return Err(format!("everybody is told `{}`, not `{expected}`", in_words(&told)));
    }
    if enemy.is_none_or(|enemy| enemy["shots"] != told["shots"] || enemy["mines"] != told["mines"]) {
        return Err("the enemy is told something else than a spectator".into());
    }
    Ok(())
}
