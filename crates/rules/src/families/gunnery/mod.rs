//! The family `gunnery`: two seats or more, each with a sea of its own that the others shoot at by cell (rule sheets
//! 001, 002, 003). The table, which all families share, has the clock, draws, resigning and the result.
pub mod action;
mod answers;
pub mod arsenal;
pub(crate) mod card;
pub mod class;
mod clue;
pub(crate) mod course;
pub mod decision;
pub(crate) mod disclose;
pub mod ends;
pub mod event;
pub(crate) mod fleet;
pub mod giving;
pub mod islands;
pub(crate) mod knowledge;
pub(crate) mod legal;
mod lying;
mod mark;
pub mod mines;
pub(crate) mod muster;
mod next;
pub(crate) mod notation;
mod packed;
mod placing;
pub(crate) mod presets;
mod reading;
pub mod report;
pub mod rules;
pub mod salvo;
pub mod scanned;
mod sea;
pub(crate) mod seating;
mod seen;
pub mod shape;
mod shot_answer;
pub mod sides;
mod sight;
pub(crate) mod state;
mod told;
pub mod using;
pub mod weapons;
pub mod withdrawn;

pub use action::Action;
pub use decision::Decision;
pub use event::Event;
pub(crate) use knowledge::Knowledge;
pub use report::Report;
pub use rules::Rules;
pub(crate) use state::State;

use super::{
    added::{Added, Before},
    family::Family,
    variant::Variant,
};

/// The family; see `Family` for its parts.
pub(crate) struct Gunnery;

impl Family for Gunnery {
    const NAME: &'static str = "gunnery";
    const VARIANTS: &'static [Variant] = presets::VARIANTS;
    const ADDED: &'static [Added] = &[
        Added { path: &["announces_sunk"], before: Before::Is(false) },
        Added { path: &["clue"], before: Before::Named("none") },
        Added { path: &["salvo", "shots"], before: Before::Named("fixed") },
        Added { path: &["salvo", "extra"], before: Before::Named("none") },
        Added { path: &["fleet", "*", "shots"], before: Before::Number(1) },
        Added { path: &["relocation_ships"], before: Before::Null },
        Added { path: &["relocation_range"], before: Before::Null },
        Added { path: &["relocation_damaged"], before: Before::Is(true) },
        Added { path: &["islands"], before: Before::Null },
        Added { path: &["fleet", "*", "shape"], before: Before::Null },
        Added { path: &["fleet", "*", "turning"], before: Before::Is(true) },
        Added { path: &["fleet", "*", "mirroring"], before: Before::Is(false) },
        Added { path: &["fleet", "*", "sweeper"], before: Before::Is(false) },
        Added { path: &["mines"], before: Before::Null },
        Added { path: &["weapons"], before: Before::Json("[]") },
        Added { path: &["last_turn"], before: Before::Is(false) },
        Added { path: &["turn_limit"], before: Before::Null },
        Added { path: &["seats"], before: Before::Json(r#"{"min":2,"max":2}"#) },
        Added { path: &["teams"], before: Before::Null },
        Added { path: &["handicaps"], before: Before::Json("[]") },
        Added { path: &["fleet", "*", "points"], before: Before::Null },
        Added { path: &["team_seas"], before: Before::Named("own") },
    ];
    const PROSE: [&'static str; 2] = [include_str!("rules.en.md"), include_str!("rules.fr.md")];
    #[cfg(feature = "proof")]
    const BATTLE_REPORTS: &'static [&'static str] = report::BATTLE;
    #[cfg(feature = "proof")]
    const RECORDED: &'static str = report::RECORDED;

    type Rules = Rules;
    type Action = Action;
    type Event = Event;
    type Report = Report;
    type Decision = Decision;
    type State = State;
    type Knowledge = Knowledge;
}
