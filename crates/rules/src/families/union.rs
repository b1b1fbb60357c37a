//! The closed unions of the families' types, built from the one list of families in `mod.rs`. The logic is in
//! `dispatch.rs`.

/// Converts a family's part into the union.
macro_rules! part_of {
    ($(#[cfg($cfg:meta)])? $union:ident, $name:ident, $part:ty) => {
        $(#[cfg($cfg)])?
        impl From<$part> for $union {
            fn from(part: $part) -> Self {
                Self::$name(part)
            }
        }
    };
}

/// Declares the families (`$` first, so that macros can be declared in turn; then for each a number for its events in
/// logs, its name and its folder), the unions of their types, and the macro `family!`, which dispatches on the family.
macro_rules! families {
    ($d:tt $($(#[doc = $doc:literal])+ $(#[cfg($cfg:meta)])? $n:literal $name:ident $folder:ident),+ $(,)?) => {
        /// A family of games: one engine.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Family))]
        #[serde(rename_all = "kebab-case")]
        pub enum FamilyName { $($(#[doc = $doc])+ $(#[cfg($cfg)])? $name),+ }

        /// The lists of variants, and the parser of a stored rule set, by family.
        const LISTS: &[&[Variant]] = &[$($(#[cfg($cfg)])? <$folder::$name as Family>::VARIANTS),+];
        type Parse = fn(&Value) -> Result<RuleSet, Vec<Fault>>;
        const PARSERS: &[(&str, Parse)] = &[$(
            $(#[cfg($cfg)])?
            (<$folder::$name as Family>::NAME, |value| family::parse::<$folder::$name>(value).map(RuleSet::$name))
        ),+];

        impl FamilyName {
            /// The rules of all its variants for people.
            pub(crate) const fn prose(self, language: Language) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$name => <$folder::$name as Family>::PROSE[language as usize]),+ }
            }
        }

        /// The rules of one game: a family's parameters, a flat JSON object told apart by `family`.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum RuleSet { $(
            $(#[doc = $doc])+
            $(#[cfg($cfg)])?
            $name(#[serde(serialize_with = "family::serialize")] $folder::Rules)
        ),+ }

        impl RuleSet {
            /// The family.
            #[must_use]
            pub const fn family(&self) -> FamilyName {
                match self { $($(#[cfg($cfg)])? Self::$name(_) => FamilyName::$name),+ }
            }
        }

        /// An action of a family.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize)]
        #[serde(untagged)]
        pub enum Action { $($(#[doc = $doc])+ $(#[cfg($cfg)])? $name($folder::Action)),+ }

        /// An event in the battle of a family.
        #[derive(Clone, PartialEq, Eq, Encode, Decode)]
        #[cbor(flat)]
        pub enum Event { $($(#[doc = $doc])+ $(#[cfg($cfg)])? #[n($n)] $name(#[n(0)] $folder::Event)),+ }

        /// A report on the battle of a family.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[serde(untagged)]
        pub enum Report { $($(#[doc = $doc])+ $(#[cfg($cfg)])? $name($folder::Report)),+ }

        /// A decision of a family.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[serde(untagged)]
        pub enum Decision { $($(#[doc = $doc])+ $(#[cfg($cfg)])? $name($folder::Decision)),+ }

        /// The whole truth of a battle.
        #[derive(Clone)]
        #[allow(clippy::large_enum_variant, reason = "a match in memory has one, and most matches are of the largest")]
        pub(crate) enum State { $($(#[cfg($cfg)])? $name($folder::State)),+ }

        /// One viewer's knowledge of a battle.
        #[derive(Clone, PartialEq)]
        pub(crate) enum Knowledge { $($(#[cfg($cfg)])? $name($folder::Knowledge)),+ }

        $(
            part_of!($(#[cfg($cfg)])? RuleSet, $name, $folder::Rules);
            part_of!($(#[cfg($cfg)])? Action, $name, $folder::Action);
            part_of!($(#[cfg($cfg)])? Event, $name, $folder::Event);
            part_of!($(#[cfg($cfg)])? Report, $name, $folder::Report);
            part_of!($(#[cfg($cfg)])? Decision, $name, $folder::Decision);
            part_of!($(#[cfg($cfg)])? State, $name, $folder::State);
            part_of!($(#[cfg($cfg)])? Knowledge, $name, $folder::Knowledge);
        )+

        #[cfg(feature = "schema")]
        $crate::schema::union_of!(Action, "The actions of the families.", $($(#[cfg($cfg)])? $folder::Action),+);
        #[cfg(feature = "schema")]
        $crate::schema::union_of!(Report, "The reports of the families.", $($(#[cfg($cfg)])? $folder::Report),+);
        #[cfg(feature = "schema")]
        $crate::schema::union_of!(Decision, "The decisions of the families.", $($(#[cfg($cfg)])? $folder::Decision),+);

        /// Evaluates the expression for the current family, in which `F` is the family and each name its part of the
        /// union: `family!(State(state) = self, RuleSet(rules) = rules => state.drawn(), else other)`. The `else` is
        /// for parts of different families; a single union has none.
        macro_rules! family {
            ($d($d union:ident($d part:ident) = $d value:expr),+ => $d body:expr $d(, else $d other:expr)?) => {
                match ($d($d value,)+) {
                    $(
                        $(#[cfg($cfg)])?
                        ($d($crate::families::$d union::$name($d part),)+) => {
                            #[allow(dead_code, reason = "not every expression speaks of the family")]
                            type F = $crate::families::$folder::$name;
                            $d body
                        }
                    )+
                    $d(_ => $d other,)?
                }
            };
        }
    };
}
