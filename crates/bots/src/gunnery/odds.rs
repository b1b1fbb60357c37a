//! The expected hits of a salvo by chance, given its player's information.
use broadside_rules::families::gunnery::Rules;
use serde_json::Value;

use super::known::Waters;
use crate::{luck::Luck, sampler::Effort, view::View};

/// The effort of a salvo.
const EFFORT: Effort = Effort { chains: 2, sweeps: 40, kept: 0, share: 1 };

/// The expected hits by chance of a salvo at these cells of a sea; the other sea if the salvo names none. `None` where
/// the view has no such sea.
pub(crate) fn hits(rules: &Rules, view: &View, reports: &[Value], salvo: &Value, luck: &mut Luck) -> Option<f64> {
    let waters = Waters::new(rules, reports);
    let target = salvo["target"].as_str();
    let sea = view.seas.iter().find(|sea| match target {
        Some(id) => sea.id == id,
        None => sea.owner != view.viewer.seat,
    })?;
    let known = waters.cells(sea);
    let drawn = waters.puzzle(sea, &known, reports, target.is_none()).draw(EFFORT, luck);
    let cells = salvo["shots"].as_array()?.iter().filter_map(|shot| waters.board.parse(shot["cell"].as_str()?));
    Some(cells.map(|cell| f64::from(drawn.chance[cell.index()])).sum())
}
