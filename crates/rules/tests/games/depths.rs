//! The words of the golden games of the family `depths`: `red deploys 1@100 14@200 36@300 mine 8`; `red moves heavy 12
//! 11` (with `: mine` when the move ends on the enemy's mine); `red charges heavy 200: hit`, `: miss` or `: near 2`;
//! `red torpedoes medium row-3: hit` or `: miss`; `red ends turn`.
use broadside_rules::Seat;
use serde_json::{Value, json};

use crate::support::Game;

/// The action for the words after the colour, if it is one of the family's own.
pub fn action(verb: &str, rest: &str) -> Option<Value> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    Some(match (verb, words.as_slice()) {
        ("deploys", [submarines @ .., "mine", mine]) => {
            json!({"type": "depths-deploy", "submarines": submarines, "mine": mine})
        }
        ("moves", [ship, path @ ..]) => json!({"type": "move", "ship": ship, "path": path}),
        ("charges", [ship, depth]) => json!({"type": "charge", "ship": ship, "depth": depth.parse::<u32>().ok()?}),
        ("torpedoes", [target, line]) => json!({"type": "torpedo", "target": target, "line": line}),
        ("ends", ["turn"]) => json!({"type": "end-turn"}),
        _ => return None,
    })
}

/// A report in the words of the games: the answer to its action.
fn answered(report: &Value) -> String {
    match report["type"].as_str() {
        Some("moved") if report["mine"] == true => "mine".into(),
        Some("charged") if report["answer"] == "near" => format!("near {}", report["near"]),
        Some("charged") => report["answer"].as_str().expect("an answer").into(),
        Some("torpedoed") => if report["hit"] == true { "hit" } else { "miss" }.into(),
        _ => String::new(),
    }
}

/// Plays a move and compares its public answer.
pub fn play(game: &mut Game, by: Seat, verb: &str, rest: &str) -> Result<(), String> {
    let (words, expected) = rest.split_once(':').unwrap_or((rest, ""));
    let before: Vec<usize> = game.reports.iter().map(Vec::len).collect();
    let action = crate::action(game, verb, words.trim())?;
    game.play(by, &action).map_err(|illegal| format!("refused: {illegal:?}"))?;
    let told = before.iter().zip(&game.reports).map(|(before, reports)| {
        let told = reports.get(*before).ok_or("nothing is reported")?;
        serde_json::to_value(told).map_err(|_| "no JSON")
    });
    let told: Vec<Value> = told.collect::<Result<_, _>>()?;
    if told.iter().any(|report| answered(report) != expected.trim()) {
        return Err(format!("the answer is `{}`, not `{}`", answered(&told[by.index()]), expected.trim()));
    }
    if verb != "deploys" && told.iter().any(|report| *report != told[0]) {
        return Err("not everybody is told the same".into());
    }
    Ok(())
}
