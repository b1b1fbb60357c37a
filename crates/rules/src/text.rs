//! Short inline texts: one view has hundreds of labels and ids, and none needs an allocation.
use alloc::string::String;
use core::{fmt, ops::Deref};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A `Copy` text of at most `N` bytes, stored in place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Short<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

/// A cell's name on the wire, for example `H10` or `C4`.
pub type Label = Short<7>;

/// The id of a class of ships: kebab-case, 1 to 24 characters.
pub type ClassId = Short<24>;

/// The id of one ship of a fleet: the class id, or `<class>-<n>` when the fleet has several of that class; the name,
/// where ships have names.
pub type ShipId = Short<27>;

/// The id of a line of a board, for example `row-3`.
pub type LineId = Short<16>;

/// 32 bytes in lower-case hexadecimal.
pub type Digest = Short<64>;

impl Digest {
    /// The bytes in hexadecimal.
    #[must_use]
    pub fn of(bytes: &[u8; 32]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        Self { bytes: text, len: 64 }
    }

    /// The 32 bytes, if it is 64 hexadecimal digits in lower case.
    #[must_use]
    pub fn bytes(&self) -> Option<[u8; 32]> {
        let mut bytes = [0; 32];
        if self.len != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(self.bytes.chunks_exact(2)) {
            for digit in pair {
                let value = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return None,
                };
                *byte = *byte << 4 | value;
            }
        }
        Some(bytes)
    }
}

impl<const N: usize> Short<N> {
    /// The text, or `None` when it is longer than `N` bytes.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; N];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { bytes, len: u8::try_from(text.len()).ok()? })
    }

    /// The text cut to `N` bytes: for texts known to be short.
    #[must_use]
    pub(crate) fn cut(text: fmt::Arguments<'_>) -> Self {
        struct Pen<const N: usize>(Short<N>);
        impl<const N: usize> fmt::Write for Pen<N> {
            fn write_str(&mut self, part: &str) -> fmt::Result {
                for c in part.chars() {
                    let start = usize::from(self.0.len);
                    let room = self.0.bytes.get_mut(start..start + c.len_utf8()).ok_or(fmt::Error)?;
                    c.encode_utf8(room);
                    self.0.len += c.len_utf8() as u8;
                }
                Ok(())
            }
        }
        let mut pen = Pen(Self { bytes: [0; N], len: 0 });
        // A text that is too long is cut: the error reports nothing else.
        let _ = fmt::Write::write_fmt(&mut pen, text);
        pen.0
    }

    /// A literal of at most `N` bytes.
    pub(crate) const fn literal(text: &str) -> Self {
        let (from, mut bytes, mut len) = (text.as_bytes(), [0; N], 0);
        while len < from.len() && len < N {
            bytes[len] = from[len];
            len += 1;
        }
        Self { bytes, len: len as u8 }
    }

    /// The ASCII letters in upper case.
    pub(crate) const fn upper(mut self) -> Self {
        self.bytes.make_ascii_uppercase();
        self
    }

    /// From at most `N` ASCII bytes.
    pub(crate) const fn ascii(bytes: [u8; N], len: u8) -> Self {
        Self { bytes, len }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl<const N: usize> Deref for Short<N> {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<const N: usize> fmt::Display for Short<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Short<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> Serialize for Short<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, const N: usize> Deserialize<'de> for Short<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("text too long"))
    }
}
