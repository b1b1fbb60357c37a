//! Standing orders: what a seat does when its turn comes and its player is away. They are private to the player.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | manage | the owner reads, replaces and deletes the list | here |
//! | judge | which order a turn calls for, what is left of the list, when it is due; pure | [`tree`] |
//! | look | how a match stands for the owner, and what the owner has been told | [`seat_history`] |
//! | choose | jobs find what is due, and owners take turns | [`rounds`] |
//! | carry out | an order is executed, once | [`carry_out`] |
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

/// How many orders a list has at most, those inside others included.
pub const MOST: usize = 100;
/// How many conditions an order has at most.
pub const MOST_CONDITIONS: usize = 20;

/// No list has ever been changed so often.
const MOST_REVISIONS: u32 = i32::MAX.unsigned_abs() - 1;

/// The standing orders of one seat, as they are stored.
#[derive(Clone)]
pub struct StoredStandingOrders {
    pub match_id: MatchId,
    pub seat: Seat,
    /// Whose seat it is.
    pub account: AccountId,
    /// Whose share of the job and budget of actions it takes.
    pub share_owner: ShareOwner,
    /// Counts every change; 0: there has never been any order.
    pub revision: u32,
    /// The list.
    pub orders: Vec<StandingOrder>,
    /// The delay that the owner asks for.
    pub delay: Option<Delay>,
    /// When the owner last changed it.
    pub edited_at: Time,
    /// How long the log was when it was last worked out whether there is something to do.
    pub looked_seq: Option<u32>,
    /// When the next order is due; `None`: not known, or nothing is.
    pub due_at: Option<Time>,
    /// The turn that is left to the player since an order for it was dropped: when it began.
    pub open_since: Option<Time>,
    /// The number of the entry that is being written for this revision.
    pub firing_seq: Option<u32>,
    /// The revision that the owner wrote last; the later ones came about by carrying out.
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

    /// The same one revision on, with another list. Nothing has been worked out about it.
    fn followed_by(&self, orders: Vec<StandingOrder>) -> Self {
        let revision = self.revision + 1;
        Self { orders, revision, looked_seq: None, due_at: None, open_since: None, firing_seq: None, ..self.clone() }
    }
}

/// A new list, as its owner sends it.
pub struct StandingOrdersEdit {
    /// The revision that the owner has seen.
    pub revision: u32,
    /// The list.
    pub orders: Vec<StandingOrder>,
    /// The delay; `None`: the usual one.
    pub delay: Option<Delay>,
    /// Whose share of the job and budget of actions it takes.
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

/// Puts another list in the place of the one that the owner has seen. `stale-revision` when it isn't the current one
/// (but the same list in a repeated request is no conflict); `concurrent-action` when one of its orders is being
/// carried out at this moment; `quota-exceeded` when all lists of the account would be too long.
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

/// Takes every order back. Nothing happens when there is none.
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
    // The answer to the first request may have been lost: it is the same once more. A list that became the same by
    // carrying out isn't.
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

/// Refuses a viewer for whom the match is over.
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

/// Everything that is wrong with a list; that it is too long, and nothing else, if it is. Actions and patterns become
/// what they are kept as: cells get their own names, however the player writes them.
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

/// The terms of the match, and the shapes of its reports once a pattern needed them.
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

/// An action must be one that a turn can ask for. What is said at the table (a resignation, an offer) is left to the
/// player.
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

/// Every list of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<StoredStandingOrders>> {
    store::of_account(conn, account).await
}

/// Forgets the list of a player who has given the seat away. The list is the player's and not the seat's, so the
/// substitute begins without one, as if there had never been any.
pub async fn hand_over(tx: &mut Tx, id: MatchId, from: AccountId) -> Result<()> {
    store::hand_over(tx, id, from).await
}

/// Deletes every list of an account that is being deleted.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::forget_account(tx, account).await
}
