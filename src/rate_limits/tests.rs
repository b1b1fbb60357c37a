//! Tests of budgets and charges.

use super::*;
use uuid::Uuid;

fn account(number: u128) -> Option<AccountId> {
    Some(AccountId(Uuid::from_u128(number)))
}

fn address(last: u8) -> RateLimitKey {
    RateLimitKey::address(Some(IpAddr::from([192, 0, 2, last])))
}

fn limits() -> RateLimits {
    RateLimits::new(ProcessorBudgets { account_ms: 100, address_ms: 250, anonymous_ms: 50 })
}

/// The number of such requests that pass, and the name of the budget that is then used up.
fn passes(
    limits: &RateLimits,
    charge: Charge,
    account: Option<AccountId>,
    from: RateLimitKey,
) -> (usize, &'static str) {
    for number in 0..2000 {
        if let (budget, Err(error)) = limits.charge(charge, account, from) {
            assert!(error.retry_after_s() >= Some(1));
            return (number, budget.name);
        }
    }
    (2000, "none")
}

const HEAVY: Charge = Charge { price: Price::Heavy, budget: BudgetKind::General };
const MOVE: Charge = Charge { price: Price::Light, budget: BudgetKind::Orders };

#[test]
fn what_costs_more_is_allowed_less_often() {
    let limits = limits();
    assert_eq!(passes(&limits, HEAVY, account(1), address(1)), (4, "general"));
    assert_eq!(passes(&limits, HEAVY, None, address(2)), (2, "general"));
    let light = passes(&limits, Charge::LIGHT, account(2), address(3));
    assert!((100..=101).contains(&light.0), "{light:?}");
}

#[test]
fn accounts_of_one_address_share_its_budget_and_moves_do_not() {
    let limits = limits();
    let heavy: Vec<_> = (1..=4).map(|number| passes(&limits, HEAVY, account(number), address(1))).collect();
    assert_eq!(heavy, [(4, "general"), (4, "general"), (2, "address"), (0, "address")]);
    assert_eq!(passes(&limits, HEAVY, account(5), address(2)).0, 4, "another address has its own");
    assert!(passes(&limits, MOVE, account(4), address(1)).0 >= 1200, "moves have room of their own");
    assert_eq!(passes(&limits, HEAVY, None, address(1)).0, 2, "and so has who isn't signed in");
}

#[test]
fn what_costs_more_is_paid_by_what_paid_the_price() {
    let limits = limits();
    let owner = |account, budget| BudgetOwner { account, address: address(1), budget };
    let left = |owner: &BudgetOwner, ms| {
        let (budget, charged) = limits.charge_more(owner, ms);
        charged.map(|()| (budget.name, budget.remaining)).map_err(|refusal| refusal.problem().code)
    };
    assert_eq!(left(&owner(account(1), BudgetKind::General), 90), Ok(("general", 10)));
    assert_eq!(left(&owner(account(1), BudgetKind::General), 20), Err("too-many-requests"));
    assert_eq!(left(&owner(account(1), BudgetKind::Orders), 200), Ok(("actions", 1000)));
    assert_eq!(left(&owner(account(2), BudgetKind::Calendar), 100), Ok(("general", 0)));
    assert_eq!(left(&owner(account(3), BudgetKind::General), 60), Ok(("address", 0)), "accounts share their address");
    assert_eq!(left(&owner(None, BudgetKind::General), 50), Ok(("general", 0)), "an address pays apart");
}

#[test]
fn what_is_counted_costs_its_price_too() {
    let limits = limits();
    let webhook = Charge { price: Price::Heavy, budget: BudgetKind::Webhooks };
    let (budget, charged) = limits.charge(webhook, account(1), address(1));
    assert!(charged.is_ok());
    assert_eq!((budget.name, budget.unit, budget.remaining), ("webhooks", Unit::Requests, 119));
    assert_eq!(passes(&limits, webhook, account(1), address(1)), (3, "general"));
    let password = Charge { price: Price::Huge, budget: BudgetKind::Passwords };
    assert_eq!(passes(&limits, password, account(2), address(2)), (1, "general"));
}

#[test]
fn an_address_may_have_no_limit_and_a_price_is_at_most_the_budget() {
    let limits = RateLimits::new(ProcessorBudgets { account_ms: 10, address_ms: 0, anonymous_ms: 10 });
    for number in 1..100 {
        assert_eq!(passes(&limits, HEAVY, account(number), address(1)), (1, "general"));
    }
}

#[test]
fn executed_orders_and_actions_are_one_budget() {
    let limits = limits();
    let anna = ShareOwner::account(AccountId(Uuid::from_u128(1)));
    let orders = (0..2000).take_while(|_| limits.charge_executed_order(anna)).count();
    assert!((1200..1500).contains(&orders), "{orders}");
    assert!(passes(&limits, MOVE, account(1), address(1)).0 < 300);
    assert!(passes(&limits, MOVE, account(2), address(1)).0 >= 1200);
    assert!(
        limits.charge_executed_order(ShareOwner::guests(&[1; 32])),
        "guests of an address have a budget of their own"
    );
}
