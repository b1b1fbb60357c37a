//! Points in time, as values. Nothing here reads a clock: the caller passes the time.
use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A point in time in Unix milliseconds. On the wire it is an RFC 3339 time in UTC with exactly three decimals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct Time(#[n(0)] pub i64);

impl Time {
    /// The time this many seconds later, saturating.
    #[must_use]
    pub const fn plus_s(self, seconds: u32) -> Self {
        self.plus_ms(seconds as i64 * 1000)
    }

    /// The time this many milliseconds later, saturating.
    #[must_use]
    pub const fn plus_ms(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// The milliseconds since an earlier time (negative if that is later).
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clamped = jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        });
        write!(f, "{clamped:.3}")
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed: jiff::Timestamp = text.parse().map_err(|_| D::Error::custom("not an RFC 3339 time"))?;
        Ok(Self(parsed.as_millisecond()))
    }
}
