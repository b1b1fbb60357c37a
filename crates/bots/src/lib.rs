//! Players that decide from a rule set, a view and the reports alone, all as the JSON that any client of the service
//! gets. They can look at nothing else: there is no other argument. So two matches that look alike to a viewer get the
//! same answer, whatever is hidden.
//!
//! What is hidden is guessed by sampling: [`sampler`] draws fleets, or submarines, that agree with all that was told.
mod depths;
mod gunnery;
mod luck;
mod ratings;
mod salvos;
mod sampler;
mod slips;
mod view;

use broadside_rules::{
    RuleSet,
    families::gunnery::{Rules as GunneryRules, rules::Relocation},
};
use serde::Deserialize;
use serde_json::Value;

use luck::Luck;
use view::View;

/// How well a player plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// It knows where to look next when it has hit something, and little else; two answers in five are drawn by lot.
    Easy,
    /// It counts what is likely; one answer in five is drawn by lot.
    Normal,
    /// It samples what is hidden, and weighs what each action risks and tells.
    Strong,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Normal, Self::Strong];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Normal => "normal",
            Self::Strong => "strong",
        }
    }
}

/// A player of one rule set.
pub struct Bot {
    rules: RuleSet,
    level: Level,
    seed: u64,
}

impl Bot {
    /// A player of this rule set, as a match or a variant's page has it. The same seed makes the same decisions;
    /// whoever knows it knows what the player will do, so it is a secret.
    ///
    /// # Errors
    /// What is wrong with the rule set.
    pub fn new(rule_set: &Value, level: Level, seed: u64) -> Result<Self, serde_json::Error> {
        Ok(Self { rules: RuleSet::deserialize(rule_set)?, level, seed })
    }

    /// What to do now: an action, or `None` when the match does not wait for the viewer. `view` is the match as
    /// `GET /v1/matches/{id}` answers it, `reports` are those of the same viewer, from the first on, in order.
    ///
    /// # Errors
    /// What is wrong with the view.
    pub fn choose(&self, view: &Value, reports: &[Value]) -> Result<Option<Value>, serde_json::Error> {
        let view = View::deserialize(view)?;
        let Some(first) = view.decisions.iter().find(|decision| decision["required"] == true) else { return Ok(None) };
        let mut luck = Luck::new(self.seed, view.version);
        let deploys = first["type"].as_str().is_some_and(|kind| kind.ends_with("deploy"));
        let slips = self.level.slips(&mut luck) && !deploys;
        let chosen = (!slips).then(|| match &self.rules {
            RuleSet::Gunnery(rules) => gunnery::choose(rules, &view, reports, self.level, &mut luck),
            RuleSet::Depths(rules) => depths::choose(rules, &view, reports, self.level, &mut luck),
            RuleSet::Salvos(rules) => salvos::choose(rules, &view, reports, self.level, &mut luck),
        });
        // The example of a decision is always legal, and drawn by lot.
        Ok(Some(chosen.flatten().unwrap_or_else(|| first["example"].clone())))
    }
}

/// What chance makes of salvos in a rule set, for whoever knows what their player was told: the sampler of the players,
/// as a measure of others.
pub struct HitOdds {
    rules: GunneryRules,
    seed: u64,
}

impl HitOdds {
    /// `None` for the rule sets in which the chances can't be told well enough: those without guns, and those whose
    /// ships move.
    #[must_use]
    pub fn new(rule_set: &RuleSet, seed: u64) -> Option<Self> {
        match rule_set {
            RuleSet::Gunnery(rules) if rules.relocation == Relocation::No => Some(Self { rules: rules.clone(), seed }),
            _ => None,
        }
    }

    /// How many hits chance makes of the salvo of a report of type `fired`, in the eyes of a player who has this view
    /// and has heard these reports, both from before the salvo. `None` where the view doesn't show the sea.
    ///
    /// # Errors
    /// What is wrong with the view.
    pub fn hits(&self, view: &Value, reports: &[Value], fired: &Value) -> Result<Option<f64>, serde_json::Error> {
        let view = View::deserialize(view)?;
        let mut luck = Luck::new(self.seed, view.version);
        Ok(gunnery::odds::hits(&self.rules, &view, reports, fired, &mut luck))
    }
}
