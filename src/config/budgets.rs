//! Settings of the budgets of processor time.

use clap::Args;

use crate::rate_limits::ProcessorBudgets;

/// How much processor time callers may spend; moves, sign-ins and refreshes are counted apart.
#[derive(Args, Debug, Clone)]
pub struct Budgets {
    /// Processor time that an account may spend a minute, in milliseconds
    #[arg(long = "account-budget-ms", env = "BROADSIDE_ACCOUNT_BUDGET_MS", value_name = "MS", default_value_t = ProcessorBudgets::default().account_ms, value_parser = clap::value_parser!(u32).range(100..=6_000_000))]
    pub account_ms: u32,
    /// Processor time that all accounts of one address may spend a minute together, in milliseconds; 0: no limit
    #[arg(long = "address-budget-ms", env = "BROADSIDE_ADDRESS_BUDGET_MS", value_name = "MS", default_value_t = ProcessorBudgets::default().address_ms, value_parser = clap::value_parser!(u32).range(0..=6_000_000))]
    pub address_ms: u32,
    /// Processor time that those without an account may spend a minute at one address, in milliseconds
    #[arg(long = "anonymous-budget-ms", env = "BROADSIDE_ANONYMOUS_BUDGET_MS", value_name = "MS", default_value_t = ProcessorBudgets::default().anonymous_ms, value_parser = clap::value_parser!(u32).range(100..=6_000_000))]
    pub anonymous_ms: u32,
}

impl Budgets {
    /// As rate-limit settings.
    pub fn limits(&self) -> ProcessorBudgets {
        let Self { account_ms, address_ms, anonymous_ms } = *self;
        ProcessorBudgets { account_ms, address_ms, anonymous_ms }
    }
}
