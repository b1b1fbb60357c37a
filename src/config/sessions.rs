//! Settings of sessions.

use clap::Args;

use crate::accounts::SessionSettings;

/// How long a sign-in lasts.
#[derive(Args, Debug, Clone)]
pub struct Sessions {
    /// A session ends this many days after the sign-in, however often it is refreshed (without a refresh it ends after
    /// 60)
    #[arg(long = "session-max-days", env = "BROADSIDE_SESSION_MAX_DAYS", value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u16).range(1..=3650))]
    pub max_days: u16,
}

impl Sessions {
    /// The same, as the accounts take it.
    pub fn settings(&self) -> SessionSettings {
        SessionSettings { max_days: self.max_days }
    }
}
