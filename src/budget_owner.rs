//! The budget owner of the current request: recorded when its price is charged, and read when it costs more or queues
//! work.

use std::cell::Cell;
use std::future::Future;

use crate::error::Result;
use crate::rate_limits::{Budget, BudgetKind, BudgetOwner, Price, RateLimitKey, RateLimits};

tokio::task_local! {
    static REQUEST: Request;
}

#[derive(Default)]
struct Request {
    owner: Cell<Option<BudgetOwner>>,
    budget: Cell<Option<Budget>>,
}

/// Runs a request; [`note`] sets its owner.
pub async fn of_caller<F: Future>(request: F) -> F::Output {
    REQUEST.scope(Request::default(), request).await
}

/// Runs work that a request causes, but that must be done whatever its caller can pay.
pub async fn of_the_service<F: Future>(work: F) -> F::Output {
    REQUEST.scope(Request::default(), work).await
}

/// Sets the budget owner of the current request.
pub fn note(owner: BudgetOwner) {
    let _ = REQUEST.try_with(|request| request.owner.set(Some(owner)));
}

/// The budget owner of the current work; `None` for the service itself.
pub fn current() -> Option<RateLimitKey> {
    REQUEST.try_with(|request| request.owner.get()).ok().flatten().map(|owner| owner.key())
}

/// The client address of the current request; `None` for the service's own work.
pub fn address() -> Option<RateLimitKey> {
    REQUEST.try_with(|request| request.owner.get()).ok().flatten().map(|owner| owner.address)
}

/// Records the remainder of the charged budget.
pub fn note_budget(budget: Budget) {
    let _ = REQUEST.try_with(|request| request.budget.set(Some(budget)));
}

/// The remainder of the budget charged last.
pub fn budget() -> Option<Budget> {
    REQUEST.try_with(|request| request.budget.get()).ok().flatten()
}

/// Charges the current request for its refusal if it was an action; other refused requests have been charged already.
pub fn charge_refusal(limits: Option<&RateLimits>, price: Price) {
    let owner = REQUEST.try_with(|request| request.owner.get()).ok().flatten();
    if let (Some(limits), Some(owner)) = (limits, owner.filter(|owner| owner.budget == BudgetKind::Orders)) {
        note_budget(limits.charge_refusal(&owner, price));
    }
}

/// Charges the current request this many milliseconds of processor time beyond its price, before they are spent. Fails
/// with `too-many-requests` if less is left. The service's own work is free.
pub fn charge_more(limits: Option<&RateLimits>, ms: u32) -> Result<()> {
    let owner = REQUEST.try_with(|request| request.owner.get()).ok().flatten();
    let (Some(limits), Some(owner), 1..) = (limits, owner, ms) else { return Ok(()) };
    let (budget, charged) = limits.charge_more(&owner, ms);
    note_budget(budget);
    charged
}
