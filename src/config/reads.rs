//! Settings of a read replica.

use std::time::Duration;

use clap::Args;

use super::{Heartbeat, Hidden};
use crate::db::{Db, Deadline};
use crate::public_reads::ReplicaSettings;

/// Where what is public is read.
#[derive(Args, Debug, Clone)]
pub struct Reads {
    /// A read replica (hot standby) of the database, from which is read what is public and may be some seconds old
    #[arg(id = "read-url", long = "read-url", env = "BROADSIDE_READ_URL", value_name = "URL", hide_env_values = true)]
    pub url: Option<Hidden>,
    /// How old an answer of the replica may be, in seconds; if the replica is further behind, the primary is read
    #[arg(long = "read-max-lag-s", env = "BROADSIDE_READ_MAX_LAG_S", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u16).range(4..=3600))]
    pub max_lag_s: u16,
}

impl Reads {
    /// Checks that need all settings. Heartbeats show the age of the replica, so two of them must fit into the allowed
    /// age.
    pub fn check(&self, heartbeat: &Heartbeat) -> Result<(), String> {
        let beats_s = heartbeat.rest_after_s.div_ceil(2);
        if self.url.is_some() && self.max_lag_s < beats_s {
            return Err(format!(
                "--read-max-lag-s must be at least {beats_s}: half of --rest-clocks-after-s, in which signs of life come twice"
            ));
        }
        Ok(())
    }

    /// The replica, if configured, not yet connected. It has half the primary's deadline, so that the primary has the
    /// other half if the replica is silent.
    pub fn replica(&self, connections: u16, deadline: Duration) -> Result<Option<ReplicaSettings>, String> {
        let Some(url) = &self.url else { return Ok(None) };
        let db = Db::new(url.reveal(), connections.into(), Some(Deadline(deadline / 2))).map_err(|error| {
            let cause = error.cause().map(ToString::to_string).unwrap_or_default();
            format!("BROADSIDE_READ_URL can't be used: {cause}")
        })?;
        Ok(Some(ReplicaSettings { db, max_lag_s: self.max_lag_s }))
    }
}
