//! Standing orders over HTTP: their owner reads, replaces and deletes them. Nobody else can learn of them.

use actix_web::{delete, get, put, web};
use broadside_rules::illegal::UnknownWord;
use broadside_rules::{Fault, Time};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::accounts::guests;
use crate::api::http::auth::{Caller, MatchesPlay, MatchesRead};
use crate::api::http::extract::{Body, Id};
use crate::api::http::fields::{Field, Fields, FromJson, kept, request};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::ids::MatchId;
use crate::standing_orders::{
    self as standing, Condition, Delay, StandingBranch, StandingOrder, StandingOrdersEdit, StoredStandingOrders,
};

/// The standing orders of a seat, as its owner sees them.
#[derive(Serialize, ToSchema)]
#[schema(as = StandingOrders)]
pub struct StandingOrdersBody {
    match_id: MatchId,
    /// Counts every change, yours and those of carrying out; 0 when there has never been any order. Send it with the
    /// next list.
    #[schema(minimum = 0, maximum = 2_147_483_647, format = Int64)]
    revision: u32,
    /// The orders, from the top.
    #[schema(max_items = 100)]
    orders: Vec<StandingOrder>,
    /// How long an order waits from the beginning of the turn on.
    delay: Delay,
    /// When the next order is due, once that is worked out. While another player's draw offer is open, that is in the
    /// last moments before your deadline. Null: not yet, it isn't your turn, or an offer is open and there is no
    /// deadline.
    due_at: Option<Time>,
    /// When you last changed the list; null when you never have.
    updated_at: Option<Time>,
}

impl From<StoredStandingOrders> for StandingOrdersBody {
    fn from(kept: StoredStandingOrders) -> Self {
        Self {
            match_id: kept.match_id,
            revision: kept.revision,
            orders: kept.orders,
            delay: kept.delay.unwrap_or(Delay::USUAL),
            due_at: kept.due_at,
            updated_at: (kept.revision > 0).then_some(kept.edited_at),
        }
    }
}

request! {
    /// A list of standing orders, to take the place of the one before.
    pub struct ReplaceStandingOrdersRequest {
        /// The revision that you have seen; 0 when there has never been any order.
        #[schema(minimum = 0, maximum = 2_147_483_646, format = Int64)]
        pub revision: u32,
        /// The orders, from the top: 100 at most, those inside others included.
        #[schema(max_items = 100)]
        pub orders: Vec<StandingOrder>,
        /// How long an order waits from the beginning of the turn on; a minute to an hour unless given, of a bank a
        /// twentieth at most, and never into a rest of yours.
        pub delay: Option<Delay>,
    }
}

/// Implements `FromJson` for an object, field by field, and passes its faults on.
macro_rules! object {
    ($type:ident { $($field:ident $(or $absent:expr)?),+ }) => {
        impl FromJson for $type {
            fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
                let mut fields = Fields::of(value.clone(), pointer.to_owned());
                $(let $field = object!(@take fields $field $(or $absent)?);)+
                let found = fields.finish(&[$(stringify!($field)),+]);
                let clean = found.is_empty();
                faults.extend(found);
                match ($($field,)+) {
                    ($(Some($field),)+) if clean => Some(Self { $($field),+ }),
                    _ => None,
                }
            }
        }
    };
    (@take $fields:ident $field:ident or $absent:expr) => {
        <Option<_> as Field>::take(&mut $fields, stringify!($field)).map(|given| given.unwrap_or($absent))
    };
    (@take $fields:ident $field:ident) => { Field::take(&mut $fields, stringify!($field)) };
}

object!(StandingOrder { when or Vec::new(), then, otherwise, repeat or false });
object!(StandingBranch { action, next or Vec::new() });
object!(Delay { min_s, max_s });

impl FromJson for Condition {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let mut fields = Fields::of(value.clone(), pointer.to_owned());
        let (kind, report) = (ConditionKind::take(&mut fields, "type"), Field::take(&mut fields, "report"));
        let found = fields.finish(&["type", "report"]);
        faults.extend(found);
        match kind? {
            ConditionKind::Reported => Some(Self::Reported { report: report? }),
            ConditionKind::NotReported => Some(Self::NotReported { report: report? }),
        }
    }
}

/// The `type` of a condition.
enum ConditionKind {
    Reported,
    NotReported,
}

impl FromJson for ConditionKind {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = match value.as_str() {
            Some("reported") => Ok(Self::Reported),
            Some("not-reported") => Ok(Self::NotReported),
            _ => Err(UnknownWord::none_of(&["reported", "not-reported"])),
        };
        kept(read, pointer, faults)
    }
}

/// Get your standing orders
///
/// What your seat shall do when its turn comes. Only you see it, and no other player can find out that there is
/// anything. `not-a-player` to whoever may see the match and has no seat in it. When the match is over, or you are out
/// of it, the list is empty.
#[utoipa::path(tag = "matches", operation_id = "get_standing_orders", security(("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match.")),
    responses((status = 200, description = "The orders.", body = StandingOrdersBody)))]
#[get("/v1/matches/{id}/standing-orders")]
pub async fn get_standing_orders(app: web::Data<App>, caller: Caller<MatchesRead>, id: Id<MatchId>) -> Answer {
    let kept = standing::read(&app.matches, id.0, caller.account).await?;
    Ok(Reply::ok(&StandingOrdersBody::from(kept))?)
}

/// Replace your standing orders
///
/// The list takes the place of the revision that it names; if that isn't the current one it is `stale-revision`, with
/// the current one (unless yours has just made it: repeating a lost request is safe), and `concurrent-action` while an
/// order of it is being carried out: read the list again. Actions are read by the match's rules and patterns of reports
/// by its reports; what could never be is `validation-failed`, every fault named. `quota-exceeded` when all your lists
/// together would be too long. `match-over` and `seat-out` when there is nothing to play for any more.
#[utoipa::path(tag = "matches", operation_id = "replace_standing_orders", security(("bearer" = ["matches:play"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = ReplaceStandingOrdersRequest,
    responses((status = 200, description = "The orders as they stand now.", body = StandingOrdersBody)))]
#[put("/v1/matches/{id}/standing-orders")]
pub async fn replace_standing_orders(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    body: Body<ReplaceStandingOrdersRequest>,
) -> Answer {
    let ReplaceStandingOrdersRequest { revision, orders, delay } = body.0;
    let share_owner = guests::share_owner(&app.accounts, &caller)?;
    let edit = StandingOrdersEdit { revision, orders, delay, share_owner };
    let kept = standing::replace(&app.matches, id.0, caller.account, edit).await?;
    Ok(Reply::ok(&StandingOrdersBody::from(kept))?)
}

/// Delete your standing orders
///
/// All of them. `concurrent-action` when one of them is being carried out at this moment: ask again.
#[utoipa::path(tag = "matches", operation_id = "delete_standing_orders", security(("bearer" = ["matches:play"])),
    params(("id" = MatchId, Path, description = "The match.")),
    responses((status = 204, description = "There are none now.")))]
#[delete("/v1/matches/{id}/standing-orders")]
pub async fn delete_standing_orders(app: web::Data<App>, caller: Caller<MatchesPlay>, id: Id<MatchId>) -> Answer {
    standing::clear(&app.matches, id.0, caller.account).await?;
    Ok(Reply::no_content())
}
