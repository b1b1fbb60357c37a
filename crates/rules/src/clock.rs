//! The terms on which time is given. How the clocks of one match stand is in `table.rs`; nothing here reads the time.
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    illegal::Fault,
    read::{Faults, Fields},
    schema::tag,
};

/// The shortest time that can be given for anything, in seconds.
pub const LEAST_S: u32 = 5;
/// The longest time that can be given for anything, in seconds: 14 days.
pub const MOST_S: u32 = 1_209_600;

tag!(
    /// Always `per-move`.
    PerMoveTag = "per-move"
);
tag!(
    /// Always `bank`.
    BankTag = "bank"
);
tag!(
    /// Always `none`.
    NoneTag = "none"
);

/// A fresh `move_s` seconds each time a seat has to act. Fields left out take their defaults.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PerMoveClock {
    /// Always `per-move`.
    #[cfg_attr(feature = "schema", schema(schema_with = PerMoveTag::shape))]
    pub kind: PerMoveTag,
    /// Seconds for each move, 5 to 1 209 600 (14 days).
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 1_209_600, format = Int32))]
    pub move_s: u32,
    /// Seconds for the deployment; `move_s` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 5, maximum = 1_209_600, format = Int32))]
    pub deploy_s: Option<u32>,
}

/// A store of time that runs down while a seat must act, and gains `increment_s` when it has acted, up to `cap_s`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BankClock {
    /// Always `bank`.
    #[cfg_attr(feature = "schema", schema(schema_with = BankTag::shape))]
    pub kind: BankTag,
    /// Seconds in the bank when the battle begins.
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 1_209_600, format = Int32))]
    pub initial_s: u32,
    /// Seconds gained with each move; may be 0.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1_209_600, format = Int32))]
    pub increment_s: u32,
    /// The bank never holds more seconds than this; at least `initial_s`.
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 1_209_600, format = Int32))]
    pub cap_s: u32,
    /// Seconds for the deployment, apart from the bank; `initial_s` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 5, maximum = 1_209_600, format = Int32))]
    pub deploy_s: Option<u32>,
}

/// No limit in the battle, and none in the deployment unless `deploy_s` is given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NoClock {
    /// Always `none`.
    #[cfg_attr(feature = "schema", schema(schema_with = NoneTag::shape))]
    pub kind: NoneTag,
    /// Seconds for the deployment; no limit when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 5, maximum = 1_209_600, format = Int32))]
    pub deploy_s: Option<u32>,
}

/// The terms on which time is given: the union of three objects told apart by `kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Clock {
    /// A fresh time for each move.
    PerMove(PerMoveClock),
    /// A store of time.
    Bank(BankClock),
    /// No limit.
    None(NoClock),
}

impl Clock {
    /// A fresh time for each move, the deployment included.
    #[must_use]
    pub const fn per_move(move_s: u32) -> Self {
        Self::PerMove(PerMoveClock { kind: PerMoveTag::Value, move_s, deploy_s: Some(move_s) })
    }

    /// No limit at all.
    #[must_use]
    pub const fn none() -> Self {
        Self::None(NoClock { kind: NoneTag::Value, deploy_s: None })
    }

    /// Reads clock terms and fills in the default of `deploy_s`.
    ///
    /// # Errors
    /// Every fault, with JSON Pointers relative to the clock object.
    pub fn parse(value: &Value) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let clock = Self::read(value, &mut faults);
        match clock {
            Some(clock) if faults.0.is_empty() => Ok(clock),
            _ => Err(faults.0),
        }
    }

    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        #[derive(Clone, Copy)]
        enum Kind {
            PerMove,
            Bank,
            None,
        }
        // The kind says which fields are known, so it is read first and alone.
        let Value::Object(map) = value else {
            faults.push("", "wrong-type", "A clock is an object with a `kind`.");
            return None;
        };
        let all: Vec<&str> = map.keys().map(|name| name.as_str()).collect();
        let kinds = [("per-move", Kind::PerMove), ("bank", Kind::Bank), ("none", Kind::None)];
        let kind = Fields::of(value, "", &all, faults)?.choice("kind", &kinds, faults)?;
        let known: &[&str] = match kind {
            Kind::PerMove => &["kind", "move_s", "deploy_s"],
            Kind::Bank => &["kind", "initial_s", "increment_s", "cap_s", "deploy_s"],
            Kind::None => &["kind", "deploy_s"],
        };
        let fields = Fields::of(value, "", known, faults)?;
        let deploy_s = if fields.has("deploy_s") { fields.integer("deploy_s", LEAST_S, MOST_S, faults) } else { None };
        Some(match kind {
            Kind::PerMove => {
                let move_s = fields.integer("move_s", LEAST_S, MOST_S, faults)?;
                Self::PerMove(PerMoveClock { kind: PerMoveTag::Value, move_s, deploy_s: deploy_s.or(Some(move_s)) })
            }
            Kind::Bank => {
                let initial_s = fields.integer("initial_s", LEAST_S, MOST_S, faults);
                let increment_s = fields.integer("increment_s", 0, MOST_S, faults);
                let cap_s = fields.integer("cap_s", LEAST_S, MOST_S, faults);
                let (initial_s, increment_s, cap_s) = (initial_s?, increment_s?, cap_s?);
                if cap_s < initial_s {
                    faults.push("/cap_s", "contradiction", "`cap_s` must be at least `initial_s`.");
                }
                let deploy_s = deploy_s.or(Some(initial_s));
                Self::Bank(BankClock { kind: BankTag::Value, initial_s, increment_s, cap_s, deploy_s })
            }
            Kind::None => Self::None(NoClock { kind: NoneTag::Value, deploy_s }),
        })
    }

    /// Seconds for the deployment, or `None` when there is no limit.
    #[must_use]
    pub const fn deploy_s(&self) -> Option<u32> {
        match self {
            Self::PerMove(PerMoveClock { move_s, deploy_s, .. }) => match deploy_s {
                Some(deploy_s) => Some(*deploy_s),
                None => Some(*move_s),
            },
            Self::Bank(BankClock { initial_s, deploy_s, .. }) => match deploy_s {
                Some(deploy_s) => Some(*deploy_s),
                None => Some(*initial_s),
            },
            Self::None(NoClock { deploy_s, .. }) => *deploy_s,
        }
    }

    /// How long an armistice lasts at most, in seconds: a day, or the time for a move if that is shorter (sheet 003).
    #[must_use]
    pub const fn armistice_s(&self) -> u32 {
        const DAY_S: u32 = 86_400;
        match self {
            Self::PerMove(PerMoveClock { move_s, .. }) if *move_s < DAY_S => *move_s,
            _ => DAY_S,
        }
    }

    /// Does no seat ever run out of time in battle?
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        matches!(self, Self::None(_))
    }
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(|faults| crate::read::refused(&faults))
    }
}
