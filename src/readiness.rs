//! Whether the service can serve. The question may come from anybody and often, so the database is asked once in a
//! second at most, and all who ask meanwhile get one answer.

use broadside_rules::Time;
use tokio::sync::Mutex;

use crate::context::Context;
use crate::error::{Error, Result};

/// How long an answer is good, in milliseconds.
const GOOD_MS: i64 = 1000;

/// The last answer of the database.
#[derive(Default)]
pub struct Readiness {
    last: Mutex<Option<(Time, bool)>>,
}

impl Readiness {
    /// Fails with `unavailable` when the database didn't answer, less than a second ago.
    pub async fn check(&self, ctx: &Context) -> Result<()> {
        let mut last = self.last.lock().await;
        let now = ctx.clock.now();
        match *last {
            Some((at, answered)) if (0..GOOD_MS).contains(&now.millis_since(at)) => match answered {
                true => Ok(()),
                false => Err(Error::unavailable("the database did not answer a moment ago")),
            },
            _ => {
                let answer = ctx.db.ping().await;
                *last = Some((ctx.clock.now(), answer.is_ok()));
                answer
            }
        }
    }
}
