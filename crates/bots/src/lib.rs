//! Players that decide from a rule set, a view and the reports alone, all as the JSON of any client of the service.
//! They have no other argument, so two matches that look alike to a viewer get the same answer, whatever is hidden.
//!
//! Hidden pieces are guessed by sampling: [`sampler`] draws fleets, or submarines, that agree with all reports.
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

/// The strength of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Follows up its hits, and little else; two answers in five are drawn by lot.
    Easy,
    /// Counts likelihoods; one answer in five is drawn by lot.
    Normal,
    /// Samples hidden pieces, and weighs the risk and the information of each action.
    Strong,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Normal, Self::Strong];

    /// The name.
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
    /// A player of this rule set, as in a match or on a variant's page. The same seed makes the same decisions; it
    /// predicts the player's actions, so it is a secret.
    ///
    /// # Errors
    /// The faults of the rule set.
    pub fn new(rule_set: &Value, level: Level, seed: u64) -> Result<Self, serde_json::Error> {
        Ok(Self { rules: RuleSet::deserialize(rule_set)?, level, seed })
    }

    /// The viewer's next action, or `None` when the match does not wait for the viewer. `view` is the answer of `GET
    /// /v1/matches/{id}`, `reports` are all reports to the same viewer, in order.
    ///
    /// # Errors
    /// The fault of the view.
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

/// The expected hits of salvos by chance in a rule set, given a player's information: the players' sampler, used to
/// measure others.
pub struct HitOdds {
    rules: GunneryRules,
    seed: u64,
}

impl HitOdds {
    /// `None` for rule sets without sufficiently exact chances: those without guns, and those whose ships move.
    #[must_use]
    pub fn new(rule_set: &RuleSet, seed: u64) -> Option<Self> {
        match rule_set {
            RuleSet::Gunnery(rules) if rules.relocation == Relocation::No => Some(Self { rules: rules.clone(), seed }),
            _ => None,
        }
    }

    /// The expected hits by chance of the salvo in a report of type `fired`, for a player with this view and these
    /// reports, both from before the salvo. `None` where the view doesn't show the sea.
    ///
    /// # Errors
    /// The fault of the view.
    pub fn hits(&self, view: &Value, reports: &[Value], fired: &Value) -> Result<Option<f64>, serde_json::Error> {
        let view = View::deserialize(view)?;
        let mut luck = Luck::new(self.seed, view.version);
        Ok(gunnery::odds::hits(&self.rules, &view, reports, fired, &mut luck))
    }
}
