//! Texts that users write, as types: a value has passed its type's check.

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
