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

use strum::VariantNames;

/// What is wrong with a text that is no value of the enum `T`: the detail of a fault, and the error of its `FromStr`.
pub(crate) fn must_be_one_of<T: VariantNames>(_text: &str) -> String {
    format!("must be one of {}", T::VARIANTS.join(", "))
}

/// Declares string enums.
macro_rules! string_enums {
    ($($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident $(= $word:tt)?,)+ })+) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, utoipa::ToSchema)]
        #[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantArray, strum::VariantNames)]
        #[strum(serialize_all = "kebab-case", parse_err_ty = String)]
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
