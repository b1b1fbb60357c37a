//! String enums: enums whose values are words on the wire and in the database, in kebab case unless a value says its
//! word itself. `strum` derives both directions; what a caller is told of an unknown word, and the method that gives
//! the word, stand here.
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

/// What is wrong with a text that is no value of the enum `T`: the error of its `FromStr`.
pub(crate) fn must_be_one_of<T: VariantNames>(text: &str) -> UnknownWord {
    suggest::must_be_one_of(text, T::VARIANTS)
}

/// Declares string enums.
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
