//! Settings of rule sets published by players.

use clap::Args;

use crate::rulesets::RuleSetLimits;

/// How many rule sets players may publish, and how long their texts may be.
#[derive(Args, Debug, Clone)]
pub struct RuleSets {
    /// How many rule sets an account may publish, ever; 0: none
    #[arg(long = "rule-sets-per-account", env = "BROADSIDE_RULE_SETS_PER_ACCOUNT", value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub per_account: u32,
    /// How many of these in 24 hours; 0: none
    #[arg(long = "rule-sets-per-day", env = "BROADSIDE_RULE_SETS_PER_DAY", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub per_day: u32,
    /// How many characters the text of one may have, 20000 at most
    #[arg(long = "rule-set-max-text-chars", env = "BROADSIDE_RULE_SET_MAX_TEXT_CHARS", value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u16).range(1..=20_000))]
    pub text_chars: u16,
}

impl RuleSets {
    /// As rule-set limits.
    pub fn limits(&self) -> RuleSetLimits {
        let Self { per_account, per_day, text_chars } = *self;
        RuleSetLimits { per_account, per_day, text_chars }
    }
}
