//! The decisions open to the viewer, as data: the family's and the table's, each with a complete example.
use serde::Serialize;

use crate::{
    action::{
        AbortAction, AbortTag, AcceptDrawAction, AcceptDrawTag, Action, CallArmisticeAction, CallArmisticeTag,
        DeclineDrawAction, DeclineDrawTag, EndArmisticeAction, EndArmisticeTag, OfferDrawAction, OfferDrawTag,
        ResignAction, ResignTag, TableAction,
    },
    families,
    time::Time,
};

/// A decision open to the viewer: a union of objects told apart by `kind`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Decision {
    /// A decision of the battle.
    Family(families::Decision),
    /// A decision of the table.
    Table(TableDecision),
}

#[cfg(feature = "schema")]
crate::schema::union_of!(
    Decision,
    "One thing that the viewer may do now, with the choices as data. Required decisions come first: the match waits for one of them, whichever the viewer likes. `example` is a complete legal action.",
    families::Decision,
    TableDecision
);

impl Decision {
    /// Must the viewer decide before the match can go on?
    #[must_use]
    pub const fn required(&self) -> bool {
        matches!(self, Self::Family(_))
    }

    /// The example as an action.
    #[must_use]
    pub fn example(&self) -> Action {
        match self {
            Self::Family(decision) => Action::Family(decision.example()),
            Self::Table(decision) => Action::Table(decision.example()),
        }
    }
}

/// Declares the table's decisions: optional, and without choices.
macro_rules! table_decisions {
    ($($(#[$doc:meta])* $variant:ident $name:ident $tag:ident $action:ident),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, PartialEq, Debug, Serialize)]
            #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                /// What is to decide: the type of the action that answers it.
                #[cfg_attr(feature = "schema", schema(schema_with = $tag::shape))]
                pub r#type: $tag,
                /// Always `null`: it need not be decided.
                #[cfg_attr(feature = "schema", schema(required))]
                pub deadline: Option<Time>,
                /// Always false: the match does not wait for it.
                pub required: bool,
                /// A complete legal action.
                pub example: $action,
            }
        )+

        /// A decision at the table.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum TableDecision { $($(#[$doc])* $variant($name)),+ }

        impl TableDecision {
            fn example(&self) -> TableAction {
                match self { $(Self::$variant(decision) => TableAction::$variant(decision.example)),+ }
            }

            pub(crate) const fn of(action: TableAction) -> Self {
                match action {
                    $(TableAction::$variant(example) => Self::$variant($name {
                        r#type: $tag::Value,
                        deadline: None,
                        required: false,
                        example,
                    })),+
                }
            }
        }
    };
}

table_decisions! {
    /// You may accept the draw on offer.
    AcceptDraw AcceptDrawDecision AcceptDrawTag AcceptDrawAction,
    /// You may decline the draw on offer.
    DeclineDraw DeclineDrawDecision DeclineDrawTag DeclineDrawAction,
    /// You may end the armistice, as far as it is for you to say.
    EndArmistice EndArmisticeDecision EndArmisticeTag EndArmisticeAction,
    /// You may call an armistice.
    CallArmistice CallArmisticeDecision CallArmisticeTag CallArmisticeAction,
    /// You may offer a draw.
    OfferDraw OfferDrawDecision OfferDrawTag OfferDrawAction,
    /// You may call the match off.
    Abort AbortDecision AbortTag AbortAction,
    /// You may give the match up.
    Resign ResignDecision ResignTag ResignAction,
}

/// How many cells a salvo names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShotRange {
    /// At least.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub min: u8,
    /// At most.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub max: u8,
}
