//! Enums that are words on the wire and in the database: one table gives both directions.

/// The words of an enum: its names on the wire and in the database.
macro_rules! words {
    ($type:ident { $($variant:ident $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every word.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($type::$variant),)+
                    _ => Err(format!("must be one of {}", Self::WORDS.join(", "))),
                }
            }
        }
    };
}
pub(crate) use words;
