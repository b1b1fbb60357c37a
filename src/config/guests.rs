//! Settings of guests.

use clap::Args;

use super::Switch;
use crate::accounts::guests::GuestSettings;

/// Who may play without a password, and for how long.
#[derive(Args, Debug, Clone)]
pub struct Guests {
    /// Whether people may play unrated matches with a name and no password; those who do already stay
    #[arg(long = "guests", env = "BROADSIDE_GUESTS", value_enum, default_value_t = Switch::On)]
    pub guests: Switch,
    /// A guest whom nobody has used for so many days is deleted
    #[arg(long = "guest-idle-days", env = "BROADSIDE_GUEST_IDLE_DAYS", value_name = "DAYS", default_value_t = GuestSettings::default().idle_days, value_parser = clap::value_parser!(u16).range(1..=60))]
    pub idle_days: u16,
}

impl Guests {
    /// As account settings.
    pub fn settings(&self) -> GuestSettings {
        GuestSettings { allowed: self.guests == Switch::On, idle_days: self.idle_days }
    }
}
