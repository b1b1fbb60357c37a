//! Rate limits: how many requests of each kind a caller may make.
//!
//! Each caller has one GCRA limiter (the `governor` crate) for each kind of budget. Actions in a match have a budget of
//! their own, so that a bot that reads too much never loses on time for it. `api/http/envelope.rs` writes what is left
//! into the headers of the answer.

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};

/// The budget that a request is charged to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetKind {
    /// Reading, and everything that has no budget of its own.
    General,
    /// Actions in a match.
    Orders,
    /// New accounts, by address.
    Registration,
    /// Sign-ins, by address.
    SignIn,
    /// Refreshes of a session, by session.
    Refresh,
    /// Refreshes with tokens that nobody has, by address.
    UnknownToken,
    /// Requests that change webhooks or make them send something.
    Webhooks,
    /// Changes of a calendar and its vacations.
    Calendar,
}

/// The caller whose budget is charged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RateLimitKey {
    /// An account that is signed in.
    Account(AccountId),
    /// A session, known by one of its refresh tokens.
    Session(SessionId),
    /// A caller who isn't, by address (IPv6 by its /64, which is what one household gets).
    Address(IpAddr),
}

impl RateLimitKey {
    /// The key for a peer's address.
    pub fn address(address: Option<IpAddr>) -> Self {
        match address {
            Some(IpAddr::V6(v6)) => {
                let network = u128::from(v6) & !u128::from(u64::MAX);
                RateLimitKey::Address(IpAddr::V6(network.into()))
            }
            Some(v4) => RateLimitKey::Address(v4),
            None => RateLimitKey::Address(IpAddr::from([0, 0, 0, 0])),
        }
    }
}

impl fmt::Display for RateLimitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RateLimitKey::Account(account) => write!(f, "account {account}"),
            RateLimitKey::Session(session) => write!(f, "session {session}"),
            RateLimitKey::Address(address) => write!(f, "address {address}"),
        }
    }
}

type Limiter =
    RateLimiter<RateLimitKey, DefaultKeyedStateStore<RateLimitKey>, DefaultClock, StateInformationMiddleware>;

struct Bucket {
    name: &'static str,
    burst: u32,
    window_s: u64,
    limiter: Limiter,
}

impl Bucket {
    fn new(name: &'static str, burst: u32, window_s: u64) -> Self {
        let burst_size = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let each = Duration::from_secs(window_s) / burst_size.get();
        let quota = Quota::with_period(each).unwrap_or_else(|| Quota::per_second(burst_size)).allow_burst(burst_size);
        let limiter = RateLimiter::keyed(quota).with_middleware::<StateInformationMiddleware>();
        Self { name, burst, window_s, limiter }
    }
}

/// All budgets of this node; nodes don't share them.
pub struct RateLimits {
    general: Bucket,
    orders: Bucket,
    registration: Bucket,
    sign_in: Bucket,
    refresh: Bucket,
    unknown_token: Bucket,
    webhooks: Bucket,
    calendar: Bucket,
}

impl RateLimits {
    /// The budgets as `docs/API.md` states them.
    pub fn standard() -> Self {
        Self {
            general: Bucket::new("general", 1200, 60),
            orders: Bucket::new("orders", 1200, 60),
            registration: Bucket::new("registration", 30, 3600),
            sign_in: Bucket::new("sign-in", 30, 300),
            refresh: Bucket::new("refresh", 30, 300),
            unknown_token: Bucket::new("unknown-token", 30, 300),
            // So that nobody uses this server to send requests to others by making, testing and deleting webhooks.
            webhooks: Bucket::new("webhooks", 120, 3600),
            // Each change may write into the log of every match of the account, and everybody in them reads it.
            calendar: Bucket::new("calendar", 20, 3600),
        }
    }

    /// Charges one request: what is left, and whether the request may go on.
    pub fn charge(&self, kind: BudgetKind, key: RateLimitKey) -> (Budget, Result<()>) {
        let bucket = match kind {
            BudgetKind::General => &self.general,
            BudgetKind::Orders => &self.orders,
            BudgetKind::Registration => &self.registration,
            BudgetKind::SignIn => &self.sign_in,
            BudgetKind::Refresh => &self.refresh,
            BudgetKind::UnknownToken => &self.unknown_token,
            BudgetKind::Webhooks => &self.webhooks,
            BudgetKind::Calendar => &self.calendar,
        };
        let budget =
            |remaining| Budget { name: bucket.name, burst: bucket.burst, window_s: bucket.window_s, remaining };
        match bucket.limiter.check_key(&key) {
            Ok(state) => (budget(state.remaining_burst_capacity()), Ok(())),
            Err(refusal) => {
                let wait = refusal.wait_time_from(DefaultClock::default().now());
                (budget(0), Err(Error::too_many(wait.as_secs() + 1)))
            }
        }
    }

    /// Removes the limiters of callers whose budget is full again.
    pub fn forget_idle(&self) {
        let by_caller = [&self.general, &self.orders, &self.webhooks, &self.calendar];
        let before_sign_in = [&self.registration, &self.sign_in, &self.refresh, &self.unknown_token];
        for bucket in by_caller.into_iter().chain(before_sign_in) {
            bucket.limiter.retain_recent();
        }
    }
}

/// What is left of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The name in the `RateLimit` headers.
    pub name: &'static str,
    /// How many requests it holds when full.
    pub burst: u32,
    /// In how many seconds an empty one is full again.
    pub window_s: u64,
    /// How many requests are left.
    pub remaining: u32,
}

impl Budget {
    /// In how many seconds it is full again.
    pub fn full_in_s(&self) -> u64 {
        u64::from(self.burst.saturating_sub(self.remaining)) * self.window_s / u64::from(self.burst)
    }
}
