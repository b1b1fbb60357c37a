//! Players' actions, and reading them from JSON with every fault named. [`crate::legal()`] decides whether they may be
//! played.
use alloc::{format, vec::Vec};

use serde::Serialize;
use serde_json::Value;

use crate::{
    families,
    illegal::Illegal,
    read::{Faults, Fields, listed},
    schema::tag,
    setup::Setup,
};

tag!(
    /// Always `deploy`.
    DeployTag = "deploy"
);
tag!(
    /// Always `deploy-auto`.
    DeployAutoTag = "deploy-auto"
);

/// A player's action: a union of objects told apart by `type`, the same in memory and on the wire.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Action {
    /// An action of the table.
    Table(TableAction),
    /// Let the server place the fleet.
    Auto(DeployAutoAction),
    /// An action of the family.
    Family(families::Action),
}

#[cfg(feature = "schema")]
crate::schema::union_of!(
    Action,
    "What a player asks. `decisions` of the match lists the actions that are possible now, each with a complete example.",
    families::Action,
    AutoUnion,
    TableAction
);

/// The one member of the union that neither the table nor a family owns, as a union of its own.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema, Serialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "it only describes the contract")]
enum AutoUnion {
    Auto(DeployAutoAction),
}

/// Places the fleet for you, at random within the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeployAutoAction {
    /// Always `deploy-auto`.
    #[cfg_attr(feature = "schema", schema(schema_with = DeployAutoTag::shape))]
    pub r#type: DeployAutoTag,
}

/// Declares the table's actions, which have no field but the type.
macro_rules! plain_actions {
    ($($(#[$doc:meta])* $variant:ident $name:ident $tag:ident $value:literal),+ $(,)?) => {
        $(
            tag!(
                #[doc = concat!("Always `", $value, "`.")]
                $tag = $value
            );
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
            #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                #[doc = concat!("Always `", $value, "`.")]
                #[cfg_attr(feature = "schema", schema(schema_with = $tag::shape))]
                pub r#type: $tag,
            }
        )+

        /// What a player can ask whatever is played.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum TableAction { $($(#[$doc])* $variant($name)),+ }

        impl TableAction {
            /// The table's actions with their types on the wire and the names of their schemas.
            pub(crate) const ALL: &[(&str, &str, Self)] = &[$(($value, stringify!($name), Self::$variant($name { r#type: $tag::Value }))),+];
        }
    };
}

plain_actions! {
    /// Gives the match up.
    Resign ResignAction ResignTag "resign",
    /// Calls the match off, before the first salvo.
    Abort AbortAction AbortTag "abort",
    /// Offers a draw.
    OfferDraw OfferDrawAction OfferDrawTag "offer-draw",
    /// Accepts the draw on offer.
    AcceptDraw AcceptDrawAction AcceptDrawTag "accept-draw",
    /// Declines the draw on offer.
    DeclineDraw DeclineDrawAction DeclineDrawTag "decline-draw",
    /// Calls an armistice: play and clocks stop. Each seat may call one in a match.
    CallArmistice CallArmisticeAction CallArmisticeTag "call-armistice",
    /// Agrees to end the armistice; it ends when everybody does.
    EndArmistice EndArmisticeAction EndArmisticeTag "end-armistice",
}

impl Action {
    /// Let the server place the fleet.
    pub const DEPLOY_AUTO: Self = Self::Auto(DeployAutoAction { r#type: DeployAutoTag::Value });
    /// Resign.
    pub const RESIGN: Self = Self::Table(TableAction::Resign(ResignAction { r#type: ResignTag::Value }));
    /// Abort the match.
    pub const ABORT: Self = Self::Table(TableAction::Abort(AbortAction { r#type: AbortTag::Value }));
    /// Offer a draw.
    pub const OFFER_DRAW: Self = Self::Table(TableAction::OfferDraw(OfferDrawAction { r#type: OfferDrawTag::Value }));
    /// Accept the draw on offer.
    pub const ACCEPT_DRAW: Self =
        Self::Table(TableAction::AcceptDraw(AcceptDrawAction { r#type: AcceptDrawTag::Value }));
    /// Decline the draw on offer.
    pub const DECLINE_DRAW: Self =
        Self::Table(TableAction::DeclineDraw(DeclineDrawAction { r#type: DeclineDrawTag::Value }));

    /// Call an armistice.
    pub const CALL_ARMISTICE: Self =
        Self::Table(TableAction::CallArmistice(CallArmisticeAction { r#type: CallArmisticeTag::Value }));
    /// Agree to end the armistice.
    pub const END_ARMISTICE: Self =
        Self::Table(TableAction::EndArmistice(EndArmisticeAction { r#type: EndArmisticeTag::Value }));

    /// Reads an action of a match on these terms. Dispatches on `type` by hand, so that a fault names its place.
    ///
    /// # Errors
    /// Every fault of form, with JSON Pointers relative to the action; a fault lists the known types, and names unknown
    /// fields and cells.
    pub fn parse(setup: &Setup, value: &Value) -> Result<Self, Illegal> {
        let mut faults = Faults::default();
        let action = Self::read(setup, value, &mut faults);
        Illegal::unless_none(faults.0)?;
        action.ok_or_else(|| Illegal::new("wrong-type", "An action is an object with a `type`."))
    }

    fn read(setup: &Setup, value: &Value, faults: &mut Faults) -> Option<Self> {
        let Value::Object(map) = value else {
            faults.push("", "wrong-type", "An action is an object with a `type`.");
            return None;
        };
        let Some(kind) = map.get("type") else {
            faults.push("/type", "missing-field", "`type` is required.");
            return None;
        };
        let Some(kind) = kind.as_str() else {
            faults.push("/type", "wrong-type", "`type` is a text.");
            return None;
        };
        if kind == "deploy-auto" {
            Fields::of(value, "", &["type"], faults)?;
            return Some(Self::DEPLOY_AUTO);
        }
        if let Some((_, _, action)) = TableAction::ALL.iter().find(|(name, _, _)| *name == kind) {
            Fields::of(value, "", &["type"], faults)?;
            return Some(Self::Table(*action));
        }
        let known = setup.rules.action_types();
        if known.contains(&kind) {
            return families::Action::read(&setup.rules, setup.seats, kind, value, faults).map(Self::Family);
        }
        let all: Vec<&str> = known
            .iter()
            .copied()
            .chain(["deploy-auto"])
            .chain(TableAction::ALL.iter().map(|(name, _, _)| *name))
            .collect();
        faults.push(
            "/type",
            "unknown-action",
            format!("No such action in this match; the types are {}.", listed(&all)),
        );
        None
    }
}
