//! Standing orders: a seat's prepared actions while its player is away. They are private to the player.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | manage | the owner reads, replaces and deletes the list | here |
//! | judge | choice of an order, remaining list, due time; pure | [`tree`] |
//! | look | the owner's view of the match, and the reports so far | [`seat_history`] |
//! | choose | selection of due orders, with turns between owners | [`rounds`] |
//! | carry out | execution of an order, exactly once | [`carry_out`] |
//!
//! No other account may learn that there are any. So an action in a match reads, writes and locks nothing of this. A
//! standing order is carried out by [`play`](crate::matches::play) as the owner's own action, and makes the same entry.

pub mod carry_out;
pub mod rounds;
mod seat_history;
pub(crate) mod store;
pub mod tree;

use std::cell::OnceCell;

use broadside_rules::illegal::Illegal;
use broadside_rules::pattern::Shapes;
use broadside_rules::view_model::SeatState;
use broadside_rules::{Action, Fault, Seat, Setup, Time};
use serde_json::Value;

pub use tree::{Condition, Delay, StandingBranch, StandingOrder};

use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem, under};
use crate::ids::{AccountId, MatchId};
use crate::listed::Listed;
use crate::matches::{MatchSnapshot, Matches};
use crate::quotas::{Quota, Room};
use crate::rate_limits::ShareOwner;

/// The maximum number of orders in a list, including nested ones.
pub const MOST: usize = 100;
/// The maximum number of conditions of an order.
pub const MOST_CONDITIONS: usize = 20;

/// An upper limit that no list ever reaches.
const MOST_REVISIONS: u32 = i32::MAX.unsigned_abs() - 1;

#[derive(Clone)]
pub struct StoredStandingOrders {
    pub match_id: MatchId,
    pub seat: Seat,
    /// The player at the seat.
    pub account: AccountId,
    /// The owner of the fair share (of the job and of the action budget) that it uses.
    pub share_owner: ShareOwner,
    /// Counts changes; 0: there has never been a list.
    pub revision: u32,
    pub orders: Vec<StandingOrder>,
    /// The delay set by the owner.
    pub delay: Option<Delay>,
    /// The time of the owner's last change.
    pub edited_at: Time,
    /// The length of the log when the due time was last determined.
    pub looked_seq: Option<u32>,
    /// The due time of the next order; `None`: unknown, or none is due.
    pub due_at: Option<Time>,
    /// The start of the turn that is left to the player because an order for it was dropped.
    pub open_since: Option<Time>,
    /// The number of the entry in progress for this revision.
    pub firing_seq: Option<u32>,
    /// The owner's last revision; later ones result from executed orders.
    pub edited_revision: u32,
}

impl StoredStandingOrders {
    fn none(match_id: MatchId, seat: Seat, account: AccountId) -> Self {
        let (orders, edited_at) = (Vec::new(), Time(0));
        Self {
            match_id,
            seat,
            account,
            share_owner: ShareOwner::account(account),
            revision: 0,
            orders,
            delay: None,
            edited_at,
            looked_seq: None,
            due_at: None,
            open_since: None,
            firing_seq: None,
            edited_revision: 0,
        }
    }

    /// The next revision, with another list and no due time determined.
    fn followed_by(&self, orders: Vec<StandingOrder>) -> Self {
        let revision = self.revision + 1;
        Self { orders, revision, looked_seq: None, due_at: None, open_since: None, firing_seq: None, ..self.clone() }
    }
}

/// A new list from its owner.
pub struct StandingOrdersEdit {
    /// The revision known to the owner.
    pub revision: u32,
    pub orders: Vec<StandingOrder>,
    /// `None`: the default.
    pub delay: Option<Delay>,
    /// The owner of the fair share (of the job and of the action budget) that it uses.
    pub share_owner: ShareOwner,
}

/// The list of the caller's seat. `not-found` for accounts without a seat.
pub async fn read(matches: &Matches, id: MatchId, account: AccountId) -> Result<StoredStandingOrders> {
    let snapshot = matches.read(id, Some(account)).await?;
    let seat = seat_of(&snapshot)?;
    let none = StoredStandingOrders::none(id, seat, account);
    if still_plays(&snapshot).is_err() {
        return Ok(none);
    }
    let mut conn = matches.db.conn().await?;
    let found = store::find(&mut conn, id, account).await?;
    drop(conn);
    match found {
        Some(list) => carry_out::timed(matches, list, &snapshot).await,
        None => Ok(none),
    }
}

/// Replaces the list at the revision known to the owner. `stale-revision` when another one is current (unless a
/// repeated request sends the same list); `concurrent-action` while one of its orders is being executed;
/// `quota-exceeded` when all lists of the account together would be too long.
pub async fn replace(
    matches: &Matches,
    id: MatchId,
    account: AccountId,
    mut edit: StandingOrdersEdit,
) -> Result<StoredStandingOrders> {
    let snapshot = matches.read(id, Some(account)).await?;
    let seat = seat_of(&snapshot)?;
    still_plays(&snapshot)?;
    let faults = faults(&snapshot.terms().setup, &mut edit);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    let before = StoredStandingOrders {
        revision: edit.revision,
        delay: edit.delay,
        share_owner: edit.share_owner,
        ..StoredStandingOrders::none(id, seat, account)
    };
    let new = StoredStandingOrders { edited_at: matches.clock.now(), ..before.followed_by(edit.orders) };
    let stored = put(matches, new).await?;
    carry_out::timed(matches, stored, &snapshot).await
}

/// Deletes all orders; does nothing if there are none.
pub async fn clear(matches: &Matches, id: MatchId, account: AccountId) -> Result<()> {
    let list = read(matches, id, account).await?;
    if list.orders.is_empty() {
        return Ok(());
    }
    put(matches, StoredStandingOrders { edited_at: matches.clock.now(), ..list.followed_by(Vec::new()) })
        .await
        .map(drop)
}

async fn put(ctx: &Context, new: StoredStandingOrders) -> Result<StoredStandingOrders> {
    let mut tx = ctx.db.begin().await?;
    let room = Room::of(&mut tx, new.account, new.edited_at, Quota::StandingOrderBytes).await?;
    if store::replace(&mut tx, &new).await? {
        room.check(&mut tx).await?;
        tx.commit().await?;
        return Ok(new);
    }
    let there = store::find(&mut tx, new.match_id, new.account).await?;
    tx.roll_back().await?;
    let current = there.as_ref().map_or(0, |list| list.revision);
    let being_carried_out = there.as_ref().is_some_and(|list| list.firing_seq.is_some());
    // The response to an earlier request may have been lost: the same list again is accepted. A list that became equal
    // by execution is not.
    let same = |list: &StoredStandingOrders| {
        list.edited_revision == new.revision
            && (list.revision, list.account, list.delay, &list.orders)
                == (new.revision, new.account, new.delay, &new.orders)
    };
    if let Some(list) = there.filter(same) {
        return Ok(list);
    }
    if current + 1 == new.revision && being_carried_out {
        let detail = "One of the orders is being carried out at this moment. Read the list again.";
        return Err(Error::new(&problem::CONCURRENT_ACTION, detail));
    }
    Err(Error::stale_revision(current))
}

/// The caller's seat. `not-a-player` for a spectator.
fn seat_of(snapshot: &MatchSnapshot) -> Result<Seat> {
    snapshot.view().viewer().seat().ok_or_else(|| Error::plain(&problem::NOT_A_PLAYER))
}

/// Refuses a viewer whose part in the match is over.
fn still_plays(snapshot: &MatchSnapshot) -> Result<()> {
    if snapshot.view().status().is_over() {
        return Err(Illegal::new("match-over", "The match has ended.").into());
    }
    let seat = snapshot.view().viewer().seat();
    if snapshot.view().seats().iter().any(|view| Some(view.seat) == seat && view.state == SeatState::Out) {
        return Err(Illegal::new("seat-out", "You are out of this match; the others play on.").into());
    }
    Ok(())
}

/// The errors in a list; for a list that is too long, only that error. Normalizes actions and patterns for storage:
/// cells get their canonical names.
fn faults(setup: &Setup, edit: &mut StandingOrdersEdit) -> Vec<Fault> {
    let mut faults = Vec::new();
    if edit.revision > MOST_REVISIONS {
        faults.push(Fault::new("/revision", "out-of-range", format!("must be 0 to {MOST_REVISIONS}")));
    }
    let count: usize = edit.orders.iter().map(StandingOrder::count).sum();
    if count > MOST {
        let detail = format!("are {count}, those inside others included, and may be {MOST}");
        faults.push(Fault::new("/orders", "too-many-items", detail));
        return faults;
    }
    if let Some(Delay { min_s, max_s }) = edit.delay {
        for (name, seconds) in [("min_s", min_s), ("max_s", max_s)] {
            if seconds > Delay::MOST_S {
                faults.push(Fault::new(
                    format!("/delay/{name}"),
                    "out-of-range",
                    format!("must be 0 to {}", Delay::MOST_S),
                ));
            }
        }
        if min_s > max_s {
            faults.push(Fault::new("/delay/max_s", "out-of-range", "must not be below min_s"));
        }
    }
    let shapes = OnceCell::new();
    faults_of_list((setup, &shapes), &mut edit.orders, "/orders", &mut faults);
    faults
}

/// The match settings, and the report shapes, computed when a pattern first needs them.
type Rules<'a> = (&'a Setup, &'a OnceCell<Shapes>);

fn faults_of_list(rules: Rules<'_>, orders: &mut [StandingOrder], at: &str, faults: &mut Vec<Fault>) {
    let (setup, shapes) = rules;
    for (index, order) in orders.iter_mut().enumerate() {
        let at = format!("{at}/{index}");
        if order.when.len() > MOST_CONDITIONS {
            faults.push(Fault::new(
                format!("{at}/when"),
                "too-many-items",
                format!("may be {MOST_CONDITIONS} at most"),
            ));
        }
        for (index, condition) in order.when.iter_mut().take(MOST_CONDITIONS).enumerate() {
            let inner = shapes.get_or_init(|| Shapes::of(setup)).faults(condition.pattern_mut());
            faults.extend(under(&format!("{at}/when/{index}/report"), inner));
        }
        let is_repeated = order.repeat;
        for (name, branch) in order.branches_mut() {
            let at = format!("{at}/{name}");
            faults.extend(under(&format!("{at}/action"), faults_of_action(setup, branch)));
            if is_repeated && !branch.next.is_empty() {
                let detail = "an order that is repeated stays in its place, so nothing can take it";
                faults.push(Fault::new(format!("{at}/next"), "invalid-value", detail));
            }
            faults_of_list(rules, &mut branch.next, &format!("{at}/next"), faults);
        }
    }
}

/// An action must be one that a turn can ask for. Resignations and offers are left to the player.
fn faults_of_action(setup: &Setup, branch: &mut StandingBranch) -> Vec<Fault> {
    match Action::parse(setup, &branch.action.clone().into()) {
        Ok(Action::Table(_)) => {
            let detail = "Standing orders carry out what a turn asks for; this is yours to say.";
            vec![Fault::new("/type", "unknown-action", detail)]
        }
        Ok(action) => {
            if let Ok(Value::Object(action)) = serde_json::to_value(action) {
                branch.action = action;
            }
            Vec::new()
        }
        Err(illegal) if illegal.faults.is_empty() => vec![Fault::new("", illegal.code, illegal.detail)],
        Err(illegal) => illegal.faults,
    }
}

/// All lists of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<StoredStandingOrders>> {
    store::of_account(conn, account).await
}

/// Deletes the list of a player who has given the seat away. It belongs to the player and not to the seat, so the
/// substitute starts without any.
pub async fn hand_over(tx: &mut Tx, id: MatchId, from: AccountId) -> Result<()> {
    store::hand_over(tx, id, from).await
}

pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::forget_account(tx, account).await
}
