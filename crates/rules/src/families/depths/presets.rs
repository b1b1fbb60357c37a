//! The family's two presets, as data. A new variant is one more entry.
use alloc::vec;

use super::rules::{AfterMine, Charge, DepthsTag, Lines, Odds, Rules, Torpedoes, WithoutMove};
use crate::families::First;
use crate::families::{FamilyName, RuleSet, Variant};

/// The game of sheet 000, and the base of the other preset.
fn depths() -> Rules {
    Rules {
        family: DepthsTag::Value,
        rows: 6,
        columns: 6,
        charge: Charge::Cross,
        arrows: vec![12, 18, 24, 30],
        lines: Lines::Straight,
        torpedo_hits: Odds { hits: 1, of: 3 },
        torpedoes: Torpedoes::EachSubmarine,
        after_mine: AfterMine::One,
        without_move: WithoutMove::ChargeAndTorpedo,
        turns: 200,
        first: First::Random,
    }
}

fn depths_blast() -> Rules {
    Rules { charge: Charge::Blast, ..depths() }
}

const fn variant(
    id: &'static str,
    source: &'static str,
    title: [&'static str; 2],
    summary: [&'static str; 2],
    preset: fn() -> RuleSet,
) -> Variant {
    Variant { id, family: FamilyName::Depths, source, title, summary, preset }
}

/// The variants, the simplest first.
pub(crate) const VARIANTS: &[Variant] = &[
    variant(
        "depths",
        "Rule sheet 000 (Bataille sous les mers, MB 1974)",
        ["Battle under the seas", "Bataille sous les mers"],
        [
            "Three ships hunt three submarines on three levels, with depth charges against torpedoes and a mine.",
            "Trois bâtiments traquent trois sous-marins sur trois niveaux : grenades contre torpilles et mine.",
        ],
        || RuleSet::Depths(depths()),
    ),
    variant(
        "depths-blast",
        "Rule sheet 000 (Bataille sous les mers, MB 1974), the other way of playing",
        ["Battle under the seas, wide blast", "Bataille sous les mers, explosion large"],
        [
            "The same hunt, but a charge is felt in the eight cells around it and only at its own depth.",
            "La même traque, mais la grenade se fait sentir dans les huit cases autour, à sa seule profondeur.",
        ],
        || RuleSet::Depths(depths_blast()),
    ),
];
