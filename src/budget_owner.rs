//! Whose budget the request under way is charged to: noted when its price is charged, and asked when it turns out to
//! cost more, or has work to queue.

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

/// Runs `request`, whose owner [`note`] names.
pub async fn of_caller<F: Future>(request: F) -> F::Output {
    REQUEST.scope(Request::default(), request).await
}

/// Runs `work`, which a request brings about, but which has to be done whatever its caller can pay.
pub async fn of_the_service<F: Future>(work: F) -> F::Output {
    REQUEST.scope(Request::default(), work).await
}

/// Says whose budget the request under way is charged to.
pub fn note(owner: BudgetOwner) {
    let _ = REQUEST.try_with(|request| request.owner.set(Some(owner)));
}

/// Whose work is being done; `None`: the service's own.
pub fn current() -> Option<RateLimitKey> {
    REQUEST.try_with(|request| request.owner.get()).ok().flatten().map(|owner| owner.key())
}

/// The address that the request under way comes from; `None`: it is the service's own work.
pub fn address() -> Option<RateLimitKey> {
    REQUEST.try_with(|request| request.owner.get()).ok().flatten().map(|owner| owner.address)
}

/// Notes what is left of the budget that was charged.
pub fn note_budget(budget: Budget) {
    let _ = REQUEST.try_with(|request| request.budget.set(Some(budget)));
}

/// What is left of the budget that was charged last.
pub fn budget() -> Option<Budget> {
    REQUEST.try_with(|request| request.budget.get()).ok().flatten()
}

/// Charges the request under way, which was refused, if it was an action: what others refuse has been paid.
pub fn charge_refusal(limits: Option<&RateLimits>, price: Price) {
    let owner = REQUEST.try_with(|request| request.owner.get()).ok().flatten();
    if let (Some(limits), Some(owner)) = (limits, owner.filter(|owner| owner.budget == BudgetKind::Orders)) {
        note_budget(limits.charge_refusal(&owner, price));
    }
}

/// Charges the request under way so many milliseconds of processor time more than its price, before they are spent.
/// `too-many-requests` if that is more than is left. The service's own work is charged to nobody.
pub fn charge_more(limits: Option<&RateLimits>, ms: u32) -> Result<()> {
    let owner = REQUEST.try_with(|request| request.owner.get()).ok().flatten();
    let (Some(limits), Some(owner), 1..) = (limits, owner, ms) else { return Ok(()) };
    let (budget, charged) = limits.charge_more(&owner, ms);
    note_budget(budget);
    charged
}
