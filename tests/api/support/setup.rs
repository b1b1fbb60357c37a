//! Settings of a test's app.

use std::time::Duration;

use broadside::db::Deadline;
use broadside::notifications::webhooks::WebhookSettings;
use broadside::rate_limits::ProcessorBudgets;

/// Deviations of a test's app from the default one.
#[derive(Default)]
pub struct Setup {
    /// Deadline for the database.
    pub deadline: Option<Deadline>,
    pub rate_limits: bool,
    /// The callers' budgets of processor time, if there are limits.
    pub budgets: ProcessorBudgets,
    /// Silence of a stream before a keep-alive.
    pub keep_alive: Option<Duration>,
    /// Time limit for a request's body.
    pub body_timeout: Option<Duration>,
    /// Time-outs of connections.
    pub connections: Option<broadside::app::ConnectionTimeouts>,
    /// Two worlds with the same seed differ only by the actions in them.
    pub seed: Option<u64>,
    /// Settings of webhooks; the default is loopback without any name.
    pub webhooks: Option<WebhookSettings>,
    /// Without Web Push.
    pub no_web_push: bool,
    /// Limits for players' rule sets.
    pub rulesets: Option<broadside::rulesets::RuleSetLimits>,
    /// Lifetimes of sessions.
    pub sessions: Option<broadside::accounts::SessionSettings>,
    /// Settings of guest accounts.
    pub guests: Option<broadside::accounts::guests::GuestSettings>,
    /// Storage of second factors, and the roles that need one.
    pub second_factor: broadside::accounts::second_factor::SecondFactorSettings,
    /// The service's public address; the default is `https://broadside.test`.
    pub public_url: Option<String>,
    /// Settings of the signs of life.
    pub heartbeat: Option<broadside::heartbeat::HeartbeatSettings>,
    pub replica: Option<broadside::public_reads::ReplicaSettings>,
    /// Milliseconds by which the machine's clock is ahead of the database's.
    pub ahead_ms: i64,
    /// The operator's contact.
    pub contact: Option<broadside::contact::Contact>,
    /// The source of the web pages.
    pub front_end: broadside::front_end::FrontEnd,
    /// The operator's proxies.
    pub proxies: broadside::proxies::Proxies,
    pub mail: Option<broadside::notifications::mail::Setup>,
    /// The archive for logs of old matches.
    pub archive: Option<broadside::archive::ArchiveSettings>,
    /// The address of a match for people; the default, also without mail, is its page.
    pub match_link: Option<&'static str>,
}
