//! Texts that users write, as types: a value has passed its type's check. [`fits_on_a_page`] is in every check of a
//! text that others see.

use std::fmt::Display;

use broadside_rules::text::is_invisible;

/// Declares such types, each with its check: `Ok`, or what is wrong with the text.
macro_rules! texts {
    ($($(#[$meta:meta])* pub struct $name:ident: $check:expr;)+) => {$(
        #[derive(Clone, PartialEq, Eq, Debug)]
        $(#[$meta])*
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let check: fn(&str) -> Result<(), String> = $check;
                check(text).map(|()| Self(text.to_owned()))
            }
        }
    )+};
}
pub(crate) use texts;

/// The numbers from `min` to `max` in words.
pub(crate) fn span<T: PartialEq + Display>(min: T, max: T) -> String {
    if min == max { min.to_string() } else { format!("{min} to {max}") }
}

/// Refuses invisible characters, and control characters except the `allowed` ones.
pub(crate) fn fits_on_a_page(text: &str, allowed: &[char]) -> Result<(), String> {
    if text.chars().any(|c| c.is_control() && !allowed.contains(&c) || is_invisible(c)) {
        return Err(match allowed {
            [] => "must not have control or invisible characters".to_owned(),
            _ => "must not have control or invisible characters, but for line breaks".to_owned(),
        });
    }
    Ok(())
}
