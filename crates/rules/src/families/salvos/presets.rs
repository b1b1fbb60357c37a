//! The family's preset, as data. A new variant is one more entry.
use super::rules::{Deployment, MovesPosted, Rules, SalvosTag};
use crate::families::{FamilyName, RuleSet, Variant};

const fn salvos() -> Rules {
    Rules {
        roster: super::roster::EDITION as u16,
        family: SalvosTag::Value,
        fleets: None,
        rows_per_seat: 5,
        columns: 10,
        deployment: Deployment::Interleaved,
        moves_posted: MovesPosted::Steps,
        teams: None,
        rounds: 60,
    }
}

pub(crate) const VARIANTS: &[Variant] = &[Variant {
    id: "salvos",
    family: FamilyName::Salvos,
    source: "Rule sheet 004 (Règles de Salves)",
    title: ["Salvos", "Salves"],
    summary: [
        "Two to seven navies on one sea: ships move, fire, give themselves away, and the last fleet afloat wins.",
        "De deux à sept marines sur une même mer : les navires se déplacent, tirent, se trahissent, et la dernière flotte à flot l'emporte.",
    ],
    preset: || RuleSet::Salvos(salvos()),
}];
