//! Clock terms: the time given, and when it stands still. `clocks.rs` has the clocks of a match; nothing here reads the
//! time.
use alloc::{format, vec::Vec};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    illegal::Fault,
    read::{Faults, Fields},
    rest::RestKind,
    schema::tag,
};

/// The shortest time for anything, in seconds.
pub const LEAST_S: u32 = 5;
/// The longest time for anything, in seconds: 14 days.
pub const MOST_S: u32 = 1_209_600;

/// The shortest time per move or bank that allows rests, in seconds: a day.
pub const LEAST_WITH_RESTS_S: u32 = 86_400;

/// What makes a player's clock stand still. Each player's own calendar says when that is; the terms of the match say
/// what of it counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RestTerms))]
#[serde(rename_all = "kebab-case")]
pub enum Rests {
    /// The player's nights, own days off, and vacations.
    Standard,
    /// The player's nights, Saturdays and Sundays (everybody's, in the player's time zone), and vacations.
    Weekdays,
    /// The player's nights alone.
    NoDaysOff,
    /// Nothing.
    None,
}

impl Rests {
    const ALL: [(&str, Self); 4] = [
        ("standard", Self::Standard),
        ("weekdays", Self::Weekdays),
        ("no-days-off", Self::NoDaysOff),
        ("none", Self::None),
    ];

    /// Do rests of this kind stop the clock?
    #[must_use]
    pub const fn allows(self, kind: RestKind) -> bool {
        match self {
            Self::Standard | Self::Weekdays => !matches!(kind, RestKind::DownTime | RestKind::ContestPause),
            Self::NoDaysOff => matches!(kind, RestKind::Night),
            Self::None => false,
        }
    }
}

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
    /// What makes clocks stand still; nothing when left out. Anything but `none` needs a `move_s` of at least 86 400 (a
    /// day).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub rests: Option<Rests>,
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
    /// What makes clocks stand still; nothing when left out. Anything but `none` needs an `initial_s` of at least 86
    /// 400 (a day).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub rests: Option<Rests>,
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
    /// A new time for each move, including the deployment.
    #[must_use]
    pub const fn per_move(move_s: u32) -> Self {
        Self::PerMove(PerMoveClock { kind: PerMoveTag::Value, move_s, deploy_s: Some(move_s), rests: None })
    }

    /// No limit.
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
        // The kind decides which fields are known, so it is read first and alone.
        let Value::Object(map) = value else {
            faults.push("", "wrong-type", "A clock is an object with a `kind`.");
            return None;
        };
        let all: Vec<&str> = map.keys().map(|name| name.as_str()).collect();
        let kinds = [("per-move", Kind::PerMove), ("bank", Kind::Bank), ("none", Kind::None)];
        let kind = Fields::of(value, "", &all, faults)?.choice("kind", &kinds, faults)?;
        let known: &[&str] = match kind {
            Kind::PerMove => &["kind", "move_s", "deploy_s", "rests"],
            Kind::Bank => &["kind", "initial_s", "increment_s", "cap_s", "deploy_s", "rests"],
            Kind::None => &["kind", "deploy_s"],
        };
        let fields = Fields::of(value, "", known, faults)?;
        let deploy_s = if fields.has("deploy_s") { fields.integer("deploy_s", LEAST_S, MOST_S, faults) } else { None };
        Some(match kind {
            Kind::PerMove => {
                let move_s = fields.integer("move_s", LEAST_S, MOST_S, faults);
                let rests = read_rests(&fields, "move_s", move_s, faults);
                let (move_s, deploy_s) = (move_s?, deploy_s.or(move_s));
                Self::PerMove(PerMoveClock { kind: PerMoveTag::Value, move_s, deploy_s, rests })
            }
            Kind::Bank => {
                let initial_s = fields.integer("initial_s", LEAST_S, MOST_S, faults);
                let increment_s = fields.integer("increment_s", 0, MOST_S, faults);
                let cap_s = fields.integer("cap_s", LEAST_S, MOST_S, faults);
                let rests = read_rests(&fields, "initial_s", initial_s, faults);
                let (initial_s, increment_s, cap_s) = (initial_s?, increment_s?, cap_s?);
                if cap_s < initial_s {
                    faults.push("/cap_s", "conflicting-fields", "`cap_s` must be at least `initial_s`.");
                }
                let deploy_s = deploy_s.or(Some(initial_s));
                Self::Bank(BankClock { kind: BankTag::Value, initial_s, increment_s, cap_s, deploy_s, rests })
            }
            Kind::None => Self::None(NoClock { kind: NoneTag::Value, deploy_s }),
        })
    }

    /// Seconds for the deployment, or `None` without a limit.
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

    /// The longest armistice, in seconds: a day, or the time for a move if that is shorter (sheet 003).
    #[must_use]
    pub const fn armistice_s(&self) -> u32 {
        const DAY_S: u32 = 86_400;
        match self {
            Self::PerMove(PerMoveClock { move_s, .. }) if *move_s < DAY_S => *move_s,
            _ => DAY_S,
        }
    }

    /// The rests that stop the clock.
    #[must_use]
    pub const fn rests(&self) -> Rests {
        match self {
            Self::PerMove(PerMoveClock { rests: Some(rests), .. })
            | Self::Bank(BankClock { rests: Some(rests), .. }) => *rests,
            _ => Rests::None,
        }
    }

    /// The clock with the standard rests, if no rests were set and it gives enough time for them.
    #[must_use]
    pub const fn with_rests_unless_said(mut self) -> Self {
        match &mut self {
            Self::PerMove(PerMoveClock { move_s: given_s, rests: rests @ None, .. })
            | Self::Bank(BankClock { initial_s: given_s, rests: rests @ None, .. })
                if *given_s >= LEAST_WITH_RESTS_S =>
            {
                *rests = Some(Rests::Standard);
            }
            _ => {}
        }
        self
    }

    /// A seat's time at the start of the battle, in milliseconds; `None` without a limit.
    pub(crate) fn battle_ms(&self) -> Option<i64> {
        let given_s = match self {
            Self::PerMove(PerMoveClock { move_s, .. }) => *move_s,
            Self::Bank(BankClock { initial_s, .. }) => *initial_s,
            Self::None(_) => return None,
        };
        Some(i64::from(given_s) * 1000)
    }

    /// Is there no time limit in battle?
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        matches!(self, Self::None(_))
    }
}

/// Reads the rests, which need a clock that gives at least a day.
fn read_rests(fields: &Fields<'_>, given: &str, given_s: Option<u32>, faults: &mut Faults) -> Option<Rests> {
    if !fields.has("rests") {
        return None;
    }
    let rests = fields.choice("rests", &Rests::ALL, faults)?;
    if rests != Rests::None && given_s.is_some_and(|given_s| given_s < LEAST_WITH_RESTS_S) {
        let detail =
            format!("Clocks that stand still need a `{given}` of at least {LEAST_WITH_RESTS_S} (a day); else `none`.");
        faults.push("/rests", "conflicting-fields", detail);
    }
    Some(rests)
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(|faults| crate::read::refused(&faults))
    }
}
