//! Enums whose values are words on the wire and in the database, in kebab case unless a value defines its word. `strum`
//! derives both directions; this module adds the error for an unknown word, and `into_str`.
//!
//! ```text
//! string_enums! {
//!     /// A role that an account may have.
//!     pub enum Role { Moderator, Organizer }
//! }
//! ```

use broadside_rules::illegal::UnknownWord;
use strum::VariantNames;

use crate::suggest;

/// The error of `FromStr` for a text that is no value of the enum `T`.
pub(crate) fn must_be_one_of<T: VariantNames>(text: &str) -> UnknownWord {
    suggest::must_be_one_of(text, T::VARIANTS)
}

macro_rules! string_enums {
    ($($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident $(= $word:tt)?,)+ })+) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, utoipa::ToSchema)]
        #[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantArray, strum::VariantNames)]
        #[strum(serialize_all = "kebab-case", parse_err_ty = broadside_rules::illegal::UnknownWord)]
        #[strum(parse_err_fn = $crate::string_enums::must_be_one_of::<Self>)]
        #[serde(rename_all = "kebab-case")]
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $(#[strum(serialize = $word)] #[serde(rename = $word)])? $value,)+
        }

        impl $name {
            /// The value's word on the wire and in the database.
            pub fn into_str(self) -> &'static str {
                self.into()
            }
        }
    )+};
}
pub(crate) use string_enums;
