//! Settings of the heartbeat, and `broadside clocks …`.

use broadside_rules::Time;
use clap::{Args, Subcommand};

use super::Database;
use crate::audit_log::AuditReason;
use crate::heartbeat::HeartbeatSettings;

/// How the service notices that it could not be reached, and whether it can trust its clock.
#[derive(Args, Debug, Clone)]
pub struct Heartbeat {
    /// Without a sign of life of any node for longer than this, in seconds, no player's clock ran: the time is charged
    /// to nobody
    #[arg(long = "rest-clocks-after-s", env = "BROADSIDE_REST_CLOCKS_AFTER_S", value_name = "SECONDS", default_value_t = HeartbeatSettings::default().rest_after_s, value_parser = clap::value_parser!(u16).range(8..=3600))]
    pub rest_after_s: u16,
    /// A node whose clock differs from the database's by more than this, in seconds, is not ready, and judges and
    /// deletes nothing
    #[arg(long = "clock-tolerance-s", env = "BROADSIDE_CLOCK_TOLERANCE_S", value_name = "SECONDS", default_value_t = HeartbeatSettings::default().clock_tolerance_s, value_parser = clap::value_parser!(u16).range(1..=3600))]
    pub clock_tolerance_s: u16,
    /// Be ready (/readyz) only while a synchronous standby confirms what is committed; the role needs `pg_monitor`
    #[arg(long = "require-sync-standby", env = "BROADSIDE_REQUIRE_SYNC_STANDBY")]
    pub requires_sync_standby: bool,
}

impl Heartbeat {
    /// As heartbeat settings.
    pub fn settings(&self) -> HeartbeatSettings {
        let Self { rest_after_s, clock_tolerance_s, requires_sync_standby } = *self;
        HeartbeatSettings { rest_after_s, clock_tolerance_s, requires_sync_standby }
    }
}

/// What an operator does about clocks.
#[derive(Subcommand, Debug)]
pub enum Clocks {
    /// Say that players could not reach the service in a span of time, of which it knows nothing by itself: clocks that
    /// run stood still then. Running matches are told at once, in public. Matches that are over stay as they are
    Rest {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// From when on, in UTC: 2026-11-21T07:30:00Z
        #[arg(long, value_name = "TIME", value_parser = time)]
        from: Time,
        /// Until when; it must be over
        #[arg(long, value_name = "TIME", value_parser = time)]
        to: Time,
        /// Why, for the audit log: 1 to 500 characters
        #[arg(long, value_name = "TEXT", default_value = "by the operator")]
        reason: AuditReason,
    },
    /// List when the service could not be reached, so that clocks rested
    List {
        /// The database.
        #[command(flatten)]
        database: Database,
    },
}

impl Clocks {
    pub fn database(&self) -> &Database {
        match self {
            Self::Rest { database, .. } | Self::List { database } => database,
        }
    }
}

fn time(text: &str) -> Result<Time, String> {
    let time = text.parse::<jiff::Timestamp>();
    time.map(|time| Time(time.as_millisecond()))
        .map_err(|_| "is no time in UTC such as 2026-11-21T07:30:00Z".to_owned())
}

/// A date or a time, in UTC.
pub(super) fn day_or_time(text: &str) -> Result<Time, String> {
    let day = |day: jiff::civil::Date| day.to_zoned(jiff::tz::TimeZone::UTC).map(|midnight| midnight.timestamp());
    let time = text.parse::<jiff::Timestamp>().or_else(|_| text.parse().and_then(day));
    time.map(|time| Time(time.as_millisecond()))
        .map_err(|_| "is no day such as 2026-11-21, and no time in UTC".to_owned())
}
