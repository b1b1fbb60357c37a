//! Rate limits for callers.
//!
//! They limit processor time: every operation has a [`Price`], and an account, all accounts of an address together, and
//! all requests of an address without an account may each spend a certain amount per minute. Operations that affect
//! others are counted as well. Actions in a match have their own budget, so that a bot that reads too much never loses
//! on time for it; dry runs and refused actions are paid as processor time. Each caller has one GCRA limiter (the
//! `governor` crate) for each budget; the prices are in `api/http/prices.rs`, and `api/http/envelope.rs` writes the
//! rest of the budget into the response headers.

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};

/// The processor cost of an operation, as a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Price {
    /// Up to 1,000 microseconds: a look-up, a small change.
    Light,
    /// Up to 5,000 microseconds: a composed list or card, the start of a match.
    Medium,
    /// Up to 25,000 microseconds: replaying or proving a whole match, testing a rule set.
    Heavy,
    /// Up to 100,000 microseconds: two password hashes, the export of an account.
    Huge,
}

impl Price {
    /// The price in milliseconds of processor time.
    pub const fn ms(self) -> u32 {
        match self {
            Self::Light => 1,
            Self::Medium => 5,
            Self::Heavy => 25,
            Self::Huge => 100,
        }
    }
}

/// The charge for a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    pub price: Price,
    pub budget: BudgetKind,
}

impl Charge {
    /// The smallest charge.
    pub const LIGHT: Self = Self { price: Price::Light, budget: BudgetKind::General };
    /// A page outside the API: prepared, but long.
    pub const PAGE: Self = Self { price: Price::Medium, budget: BudgetKind::General };
}

/// The payer of a request, and the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BudgetOwner {
    /// The account, if the caller is signed in.
    pub account: Option<AccountId>,
    pub address: RateLimitKey,
    /// The budget that paid the price.
    pub budget: BudgetKind,
}

impl BudgetOwner {
    /// The account, or else the address.
    pub fn key(&self) -> RateLimitKey {
        self.account.map_or(self.address, RateLimitKey::Account)
    }
}

/// The owner of work done later by a job: an account, or all guests of an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ShareOwner(Uuid);

impl ShareOwner {
    pub fn account(id: AccountId) -> Self {
        Self(id.0)
    }

    /// All guests of an address, by its mark. No account has such an id, because its UUID version differs.
    pub fn guests(mark: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(mark).for_each(|(byte, marked)| *byte = *marked);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// As stored.
    pub fn id(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for ShareOwner {
    fn from(stored: Uuid) -> Self {
        Self(stored)
    }
}

/// The budget that a request is charged to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetKind {
    /// Processor time: of the account and of its address, or without an account of the address alone.
    General,
    /// Actions in a match, counted by account, and charged to nothing else.
    Orders,
    /// New accounts, counted by address.
    Registration,
    /// Sign-ins, counted by address.
    SignIn,
    /// Refreshes, counted by session, or by address for unknown tokens.
    Refresh,
    /// Links for lost passwords, counted by address.
    PasswordReset,
    /// Requests with the password, counted by account; they also cost processor time.
    Passwords,
    /// Requests that change webhooks or make them send, counted by account; they also cost processor time.
    Webhooks,
    /// Changes of a calendar and its vacations, counted by account; they also cost processor time.
    Calendar,
}

/// Budgets of processor time, in milliseconds per minute. At most one minute's budget can be saved up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessorBudgets {
    pub account_ms: u32,
    /// For all accounts of one address together; 0 for no limit.
    pub address_ms: u32,
    /// For all requests of one address without an account.
    pub anonymous_ms: u32,
}

impl Default for ProcessorBudgets {
    fn default() -> Self {
        Self { account_ms: 1200, address_ms: 30_000, anonymous_ms: 1200 }
    }
}

/// The caller whose budget is charged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RateLimitKey {
    /// A signed-in account.
    Account(AccountId),
    /// A session, known by one of its refresh tokens.
    Session(SessionId),
    /// An anonymous caller, by address (IPv6 by its /64, the range of one household).
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
    unit: Unit,
    burst: u32,
    window_s: u64,
    limiter: Limiter,
}

/// The unit of a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Requests,
    ProcessorMs,
}

impl Bucket {
    fn new(name: &'static str, unit: Unit, burst: u32, window_s: u64) -> Self {
        let burst_size = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let each = Duration::from_secs(window_s) / burst_size.get();
        let quota = Quota::with_period(each).unwrap_or_else(|| Quota::per_second(burst_size)).allow_burst(burst_size);
        let limiter = RateLimiter::keyed(quota).with_middleware::<StateInformationMiddleware>();
        Self { name, unit, burst: burst_size.get(), window_s, limiter }
    }

    fn requests(name: &'static str, burst: u32, window_s: u64) -> Self {
        Self::new(name, Unit::Requests, burst, window_s)
    }

    fn processor(name: &'static str, ms_a_minute: u32) -> Self {
        Self::new(name, Unit::ProcessorMs, ms_a_minute, 60)
    }

    /// Takes `amount` completely, or nothing. (An amount beyond the whole budget counts as the whole budget.)
    fn charge(&self, key: RateLimitKey, amount: u32) -> Charged {
        let amount = NonZeroU32::new(amount.min(self.burst)).unwrap_or(NonZeroU32::MIN);
        let budget = |remaining| Budget {
            name: self.name,
            unit: self.unit,
            burst: self.burst,
            window_s: self.window_s,
            remaining,
        };
        match self.limiter.check_key_n(&key, amount) {
            Ok(Ok(state)) => (budget(state.remaining_burst_capacity()), Ok(())),
            Ok(Err(refusal)) => {
                let wait = refusal.wait_time_from(DefaultClock::default().now());
                (budget(0), Err(Error::too_many(wait.as_secs() + 1)))
            }
            Err(_) => (budget(0), Err(Error::too_many(self.window_s))),
        }
    }
}

/// The rest of a budget, and whether the request may proceed.
type Charged = (Budget, Result<()>);

/// All budgets of this node; nodes don't share them.
pub struct RateLimits {
    account: Bucket,
    address: Option<Bucket>,
    anonymous: Bucket,
    orders: Bucket,
    registration: Bucket,
    sign_in: Bucket,
    refresh: Bucket,
    unknown_token: Bucket,
    password_reset: Bucket,
    passwords: Bucket,
    webhooks: Bucket,
    calendar: Bucket,
}

impl RateLimits {
    /// The budgets as stated in `docs/guide/limits.md`, with the operator's for processor time.
    pub fn new(budgets: ProcessorBudgets) -> Self {
        Self {
            account: Bucket::processor("general", budgets.account_ms),
            address: (budgets.address_ms > 0).then(|| Bucket::processor("address", budgets.address_ms)),
            anonymous: Bucket::processor("general", budgets.anonymous_ms),
            orders: Bucket::requests("actions", 1200, 60),
            registration: Bucket::requests("registration", 30, 3600),
            sign_in: Bucket::requests("sign-in", 30, 300),
            refresh: Bucket::requests("refresh", 30, 300),
            unknown_token: Bucket::requests("unknown-token", 30, 300),
            password_reset: Bucket::requests("password-reset", 20, 3600),
            passwords: Bucket::requests("passwords", 20, 3600),
            // Prevents misuse of this server for sending requests to others by making, testing and deleting webhooks.
            webhooks: Bucket::requests("webhooks", 120, 3600),
            // Each change may be written to the log of every match of the account, and is read by all their players.
            calendar: Bucket::requests("calendar", 20, 3600),
        }
    }

    /// Charges one request of `account` (or an anonymous one) from `address`. Returns the budget counted for this sort
    /// of request, or else the one with the least left.
    pub fn charge(&self, charge: Charge, account: Option<AccountId>, address: RateLimitKey) -> Charged {
        let counted = match charge.budget {
            BudgetKind::Registration => return self.registration.charge(address, 1),
            BudgetKind::SignIn => return self.sign_in.charge(address, 1),
            BudgetKind::PasswordReset => return self.password_reset.charge(address, 1),
            BudgetKind::Refresh => return self.charge_refresh(None, address),
            BudgetKind::General => None,
            BudgetKind::Orders => Some(&self.orders),
            BudgetKind::Passwords => Some(&self.passwords),
            BudgetKind::Webhooks => Some(&self.webhooks),
            BudgetKind::Calendar => Some(&self.calendar),
        };
        let Some(account) = account.map(RateLimitKey::Account) else {
            return self.anonymous.charge(address, charge.price.ms());
        };
        let counted = counted.map(|bucket| bucket.charge(account, 1));
        match counted {
            Some((budget, Err(refusal))) => (budget, Err(refusal)),
            Some(counted) if charge.budget == BudgetKind::Orders => counted,
            counted => {
                let (spent, charged) = self.spend(charge.price.ms(), account, address);
                let shown = counted.map(|(budget, _)| budget).filter(|_| charged.is_ok());
                (shown.unwrap_or(spent), charged)
            }
        }
    }

    /// Charges a request that costs more than its price. The budget of actions pays this for actions, too, at one
    /// action per millisecond; everything else is paid as processor time.
    pub fn charge_more(&self, owner: &BudgetOwner, ms: u32) -> Charged {
        match (owner.account.map(RateLimitKey::Account), owner.budget) {
            (Some(account), BudgetKind::Orders) => self.orders.charge(account, ms),
            (Some(account), _) => self.spend(ms, account, owner.address),
            (None, _) => self.anonymous.charge(owner.address, ms),
        }
    }

    /// Charges an order executed by a job to the actions of its owner. Returns false if these are used up for now.
    pub fn charge_executed_order(&self, owner: ShareOwner) -> bool {
        self.orders.charge(RateLimitKey::Account(AccountId(owner.id())), 1).1.is_ok()
    }

    /// Charges a refused action as processor time. If that budget is empty, the budget of actions pays at one action
    /// per millisecond, so that a player who sends nothing else uses it up as well.
    pub fn charge_refusal(&self, owner: &BudgetOwner, price: Price) -> Budget {
        let as_time = BudgetOwner { budget: BudgetKind::General, ..*owner };
        let (budget, charged) = self.charge_more(&as_time, price.ms());
        if charged.is_err() {
            let _ = self.charge_more(owner, price.ms());
        }
        budget
    }

    /// Charges an impossible token to its address, before any look-up.
    pub fn charge_unknown_token(&self, address: RateLimitKey) -> Charged {
        self.unknown_token.charge(address, 1)
    }

    /// Charges a refresh to the session of its token, or for unknown tokens to its address.
    pub fn charge_refresh(&self, session: Option<SessionId>, address: RateLimitKey) -> Charged {
        match session {
            Some(session) => self.refresh.charge(RateLimitKey::Session(session), 1),
            None => self.charge_unknown_token(address),
        }
    }

    /// Spends processor time of an account and of its address.
    fn spend(&self, ms: u32, account: RateLimitKey, address: RateLimitKey) -> Charged {
        let own = self.account.charge(account, ms);
        if own.1.is_err() {
            return own;
        }
        match self.address.as_ref().map(|bucket| bucket.charge(address, ms)) {
            Some(of_all) if of_all.1.is_err() || of_all.0.remaining < own.0.remaining => of_all,
            _ => own,
        }
    }

    /// Removes the limiters of callers whose budget is full again.
    pub fn forget_idle(&self) {
        let counted = [&self.orders, &self.passwords, &self.webhooks, &self.calendar];
        let before_sign_in =
            [&self.registration, &self.sign_in, &self.password_reset, &self.refresh, &self.unknown_token];
        let spent = [Some(&self.account), self.address.as_ref(), Some(&self.anonymous)].into_iter().flatten();
        counted.into_iter().chain(before_sign_in).chain(spent).for_each(|bucket| bucket.limiter.retain_recent());
    }
}

/// The state of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The name in the `RateLimit` headers.
    pub name: &'static str,
    pub unit: Unit,
    /// The full amount.
    pub burst: u32,
    /// Seconds from empty to full.
    pub window_s: u64,
    pub remaining: u32,
}

impl Budget {
    /// Seconds until it is full again.
    pub fn full_in_s(&self) -> u64 {
        u64::from(self.burst.saturating_sub(self.remaining)) * self.window_s / u64::from(self.burst)
    }
}

#[cfg(test)]
mod tests;
