//! How a test's app differs from the usual one.

use std::time::Duration;

use broadside::db::Deadline;
use broadside::notifications::webhooks::WebhookSettings;
use broadside::rate_limits::ProcessorBudgets;

/// How a test's app differs from the usual one.
#[derive(Default)]
pub struct Setup {
    /// How long anything waits for the database.
    pub deadline: Option<Deadline>,
    pub rate_limits: bool,
    /// How much processor time callers may spend, if there are limits.
    pub budgets: ProcessorBudgets,
    /// How long a stream is silent before it says that it is still there.
    pub keep_alive: Option<Duration>,
    /// How long the body of a request may take.
    pub body_timeout: Option<Duration>,
    /// How long connections wait for requests.
    pub connections: Option<broadside::app::ConnectionTimeouts>,
    /// Two worlds with one seed differ in nothing but what is done in them.
    pub seed: Option<u64>,
    /// How webhooks are sent; otherwise to loopback, and to no name.
    pub webhooks: Option<WebhookSettings>,
    /// No browser is told of anything.
    pub no_web_push: bool,
    /// How many rule sets players may publish.
    pub rulesets: Option<broadside::rulesets::RuleSetLimits>,
    /// How long sessions last.
    pub sessions: Option<broadside::accounts::SessionSettings>,
    /// Whether there are guests, and for how long.
    pub guests: Option<broadside::accounts::guests::GuestSettings>,
    /// How second factors are kept, and who needs one.
    pub second_factor: broadside::accounts::second_factor::SecondFactorSettings,
    /// The address under which clients reach the service; otherwise `https://broadside.test`.
    pub public_url: Option<String>,
    /// How it is watched over that the service lives.
    pub heartbeat: Option<broadside::heartbeat::HeartbeatSettings>,
    /// A read replica of the database.
    pub replica: Option<broadside::public_reads::ReplicaSettings>,
    /// How far the machine's clock is ahead of the database's, in milliseconds.
    pub ahead_ms: i64,
    /// Where people reach the operator.
    pub contact: Option<broadside::contact::Contact>,
    /// Where the pages for people come from.
    pub front_end: broadside::front_end::FrontEnd,
    /// The operator's proxies.
    pub proxies: broadside::proxies::Proxies,
    /// How mail is sent.
    pub mail: Option<broadside::notifications::mail::Setup>,
    /// Where the logs of matches go that were over long ago.
    pub archive: Option<broadside::archive::ArchiveSettings>,
    /// Where people find a match; otherwise, and if there is no mail, on its page.
    pub match_link: Option<&'static str>,
}
