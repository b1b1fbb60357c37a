//! The words for special weapons: `red uses torpedo A1 south: A1 B1: miss, hit` (the cells fired at, then the answers
//! as to a salvo), `red uses sonar E5: 3`, `uses scout-plane E5: ships D4 E5` or `nothing`, and `shot down`; with more
//! than two seats `uses torpedo at green A1 south`.
use broadside_rules::Seat;
use serde_json::{Value, json};

use super::support::Game;

pub fn action(rest: &str) -> Value {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (weapon, target, aim) = match words.as_slice() {
        [weapon, "at", sea, aim @ ..] => (*weapon, Some(*sea), aim),
        [weapon, aim @ ..] => (*weapon, None, aim),
        [] => ("", None, &[][..]),
    };
    let mut action = json!({"type": "use-weapon", "weapon": weapon, "cell": aim.first()});
    if let Some(direction) = aim.get(1) {
        action["direction"] = json!(direction);
    }
    if let Some(target) = target {
        action["target"] = json!(target);
    }
    action
}

/// Plays it, and compares the public report.
pub fn uses(game: &mut Game, by: Seat, rest: &str, expected: &str) -> Result<(), String> {
    let sent = action(rest);
    game.play(by, &sent).map_err(|illegal| format!("refused: {illegal:?}"))?;
    let last: Vec<Value> = game.reports.iter().map(|reports| told(reports)).collect::<Option<_>>().ok_or("nothing")?;
    let told = &last[by.index()];
    if [&told["weapon"]["weapon"], &told["weapon"]["cell"]] != [&sent["weapon"], &sent["cell"]]
        || told["weapon"]["direction"] != sent["direction"]
        || told["target"] != sent["target"]
    {
        return Err(format!("told as {}", told["weapon"]));
    }
    if told["type"] == "scanned" {
        let numbered = |report: &Value| {
            let mut report = report.clone();
            report["number"] = Value::Null;
            report
        };
        if last.iter().any(|other| numbered(other) != numbered(told)) {
            return Err("not everybody is told the same".into());
        }
        let found = found(told);
        return if found == expected { Ok(()) } else { Err(format!("it finds `{found}`, not `{expected}`")) };
    }
    let (cells, answers) = expected.split_once(':').ok_or("shots need `cells: answers`")?;
    let shots: Vec<&str> = told["shots"].as_array().into_iter().flatten().filter_map(|s| s["cell"].as_str()).collect();
    if shots.join(" ") != cells {
        return Err(format!("it fires at {}", shots.join(" ")));
    }
    super::answered(game, by, answers.trim())
}

/// The report of the last action.
fn told(reports: &[broadside_rules::Report]) -> Option<Value> {
    let reports = reports.iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    reports.into_iter().find(|report| report["type"] == "fired" || report["type"] == "scanned")
}

fn found(report: &Value) -> String {
    if report["shot_down"] == true {
        return "shot down".into();
    }
    if let Some(count) = report["count"].as_u64() {
        return count.to_string();
    }
    let cells: Vec<&str> = report["occupied"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if cells.is_empty() { "nothing".into() } else { format!("ships {}", cells.join(" ")) }
}
