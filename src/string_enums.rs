//! String enums: enums whose values are words on the wire and in the database, in kebab case. `strum` derives both
//! directions; what a caller is told of an unknown word, and the method that gives the word, stand here.
//!
//! ```text
//! #[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, VariantNames, ToSchema)]
//! #[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = must_be_one_of::<Self>)]
//! #[schema(rename_all = "kebab-case")]
//! pub enum Role { … }
//!
//! crate::string_enums::into_str!(Role);
//! ```

use strum::VariantNames;

/// What is wrong with a text that is no value of the enum `T`: the detail of a fault, and the error of its `FromStr`.
pub(crate) fn must_be_one_of<T: VariantNames>(_text: &str) -> String {
    format!("must be one of {}", T::VARIANTS.join(", "))
}

/// Gives an enum with `IntoStaticStr` a method for it. (`strum` can derive one, but without documentation.)
macro_rules! into_str {
    ($type:ident) => {
        impl $type {
            /// The value's word on the wire and in the database.
            pub fn into_str(self) -> &'static str {
                self.into()
            }
        }
    };
}
pub(crate) use into_str;
