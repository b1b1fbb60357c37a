//! Whether the service can serve. The question may come from anybody and often, so it is found out once in a second at
//! most, and all who ask meanwhile get one answer.

use broadside_rules::Time;
use tokio::sync::Mutex;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::heartbeat::Hindrance;

/// How long an answer is good, in milliseconds.
const GOOD_MS: i64 = 1000;

/// What was found last.
#[derive(Default)]
pub struct Readiness {
    last: Mutex<Option<(Time, Result<(), Hindrance>)>>,
}

impl Readiness {
    /// Fails with `unavailable`, and says what stands in the way, when this node can't serve or couldn't less than a
    /// second ago.
    pub async fn check(&self, ctx: &Context) -> Result<()> {
        let mut last = self.last.lock().await;
        let now = ctx.clock.now();
        let found = match *last {
            Some((at, found)) if (0..GOOD_MS).contains(&now.millis_since(at)) => found,
            _ => {
                let found = ctx.heartbeat.probe().await;
                *last = Some((ctx.clock.now(), found));
                found
            }
        };
        found.map_err(|hindrance| Error::not_ready(hindrance.to_string()))
    }
}
