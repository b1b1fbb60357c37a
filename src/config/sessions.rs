//! Settings of sessions and second factors.

use clap::Args;

use crate::accounts::second_factor::SecondFactorSettings;
use crate::accounts::{Role, SessionSettings};
use crate::sealing::SealingKey;

/// How long a sign-in lasts, and what it asks for.
#[derive(Args, Debug, Clone)]
pub struct Sessions {
    /// A session ends this many days after the sign-in, however often it is refreshed (without a refresh it ends after
    /// 60)
    #[arg(long = "session-max-days", env = "BROADSIDE_SESSION_MAX_DAYS", value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u16).range(1..=3650))]
    pub max_days: u16,
    /// Roles that nobody may use without a second factor: moderator, organizer, or both, separated by a comma
    #[arg(long, env = "BROADSIDE_REQUIRE_SECOND_FACTOR", value_name = "ROLE", value_delimiter = ',')]
    pub require_second_factor: Vec<Role>,
}

impl Sessions {
    /// The accounts that need a second factor, and the key for their secrets.
    pub fn second_factor(&self, sealing_key: Option<SealingKey>) -> SecondFactorSettings {
        SecondFactorSettings { sealing_key, required_for: self.require_second_factor.clone() }
    }

    /// As account settings.
    pub fn settings(&self) -> SessionSettings {
        SessionSettings { max_days: self.max_days }
    }
}
