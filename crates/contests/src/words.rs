//! Enums with names on the wire and in a database: the variant's name in kebab case, derived by strum.

use broadside_rules::illegal::UnknownWord;
use strum::VariantNames;

/// The error for a text that is no value of the enum.
pub(crate) fn unknown<T: VariantNames>(_text: &str) -> UnknownWord {
    UnknownWord::none_of(T::VARIANTS)
}

/// The derives of such an enum: `word()` and `FromStr`, whose error lists the names.
macro_rules! words {
    ($($(#[$attribute:meta])* pub enum $name:ident { $($(#[$inner:meta])* $variant:ident),+ $(,)? })+) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[strum(
            serialize_all = "kebab-case",
            parse_err_ty = broadside_rules::illegal::UnknownWord,
            parse_err_fn = crate::words::unknown::<$name>
        )]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[cfg_attr(feature = "schema", schema(rename_all = "kebab-case"))]
        $(#[$attribute])*
        pub enum $name { $($(#[$inner])* $variant),+ }

        impl $name {
            /// Its name on the wire: the variant in kebab case.
            pub fn word(self) -> &'static str {
                self.into()
            }
        }
    )+};
}
pub(crate) use words;
