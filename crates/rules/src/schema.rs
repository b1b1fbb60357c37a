//! OpenAPI shapes of our small types, and of tagged unions: `oneOf` of named objects, each with a required field that
//! is a string enum of a single value. Without the feature `schema` only `tag!` is left.

/// A type with one value, a fixed text on the wire, that tells the objects of a union apart.
macro_rules! tag {
    ($(#[$doc:meta])* $name:ident = $value:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub enum $name {
            /// The value.
            #[default]
            Value,
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($value)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = alloc::string::String::deserialize(deserializer)?;
                if text == $value { Ok(Self::Value) } else { Err(serde::de::Error::custom(concat!("must be `", $value, "`"))) }
            }
        }

        #[cfg(feature = "schema")]
        impl $name {
            /// The inline shape of a field of this type: a string enum of a single value. (An inlined reference would
            /// become an `allOf` with the field's description, which generators misread.)
            pub(crate) fn shape() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::schema::single($value)
            }
        }
    };
}
pub(crate) use tag;

#[cfg(feature = "schema")]
mod shapes {
    use alloc::{borrow::Cow, string::String, vec::Vec};

    use utoipa::{
        PartialSchema, ToSchema,
        openapi::{
            KnownFormat, ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
            schema::{ArrayBuilder, SchemaType},
        },
    };

    use crate::{
        seat::{Seat, SeatSet},
        text::{ClassId, Digest, Label, LineId, ShipId},
        time::Time,
    };

    /// A string enum of a single value.
    pub(crate) fn single(value: &'static str) -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).enum_values(Some([value])).into()
    }

    fn text(description: &str, pattern: &str, max_length: usize, example: &str) -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::new(Type::String))
            .description(Some(description))
            .pattern(Some(pattern))
            .min_length(Some(1))
            .max_length(Some(max_length))
            .examples([serde_json::Value::String(example.into())])
            .into()
    }

    macro_rules! shape {
        ($type:ty, $name:literal, $schema:expr) => {
            impl PartialSchema for $type {
                fn schema() -> RefOr<Schema> {
                    $schema
                }
            }
            impl ToSchema for $type {
                fn name() -> Cow<'static, str> {
                    Cow::Borrowed($name)
                }
            }
        };
    }

    shape!(
        Label,
        "CellLabel",
        text(
            "A cell's name as the variant's own board names it. In a request case makes no difference: `b7` is `B7`.",
            "^([A-Za-z]{1,2}[1-9][0-9]?|[1-9][0-9]?(@[123]00)?|port)$",
            7,
            "H10"
        )
    );
    shape!(
        Digest,
        "Sha256",
        text(
            "32 bytes in lower-case hexadecimal.",
            "^[0-9a-f]{64}$",
            64,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    );
    shape!(LineId, "LineId", text("The id of a line of a board.", "^[a-z0-9-]+$", 16, "row-3"));
    shape!(ClassId, "ClassId", text("The id of a class of ships.", "^[a-z0-9]+(-[a-z0-9]+)*$", 24, "carrier"));
    shape!(
        ShipId,
        "ShipId",
        text(
            "The id of one ship: its class, or `<class>-<n>` when the fleet has several of that class; where ships have names of their own, the name.",
            "^[a-z0-9]+(-[a-z0-9]+)*$",
            27,
            "cruiser-2"
        )
    );
    shape!(
        Time,
        "Timestamp",
        ObjectBuilder::new()
            .schema_type(SchemaType::new(Type::String))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("An RFC 3339 time in UTC with milliseconds."))
            .examples([serde_json::Value::String("2026-11-21T07:30:00.000Z".into())])
            .into()
    );
    shape!(
        Seat,
        "Seat",
        ObjectBuilder::new()
            .schema_type(SchemaType::new(Type::Integer))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
            .description(Some("A place in the match, counted from 0; seat 0 is whoever made the match."))
            .minimum(Some(0))
            .maximum(Some(6))
            .into()
    );
    shape!(
        SeatSet,
        "SeatSet",
        ArrayBuilder::new()
            .items(Ref::from_schema_name("Seat"))
            .description(Some("Seats, ascending."))
            .max_items(Some(7))
            .into()
    );

    /// One flat `oneOf` from the unions of the table and of the families.
    pub(crate) fn flat_union(description: &str, parts: impl IntoIterator<Item = RefOr<Schema>>) -> RefOr<Schema> {
        let mut union = OneOfBuilder::new().description(Some(description));
        for part in parts {
            match part {
                RefOr::T(Schema::OneOf(inner)) => union = inner.items.into_iter().fold(union, OneOfBuilder::item),
                other => union = union.item(other),
            }
        }
        union.into()
    }

    /// A union of unions: its members listed flat, and every schema of every part registered.
    macro_rules! union_of {
        ($type:ty, $description:literal, $($(#[cfg($cfg:meta)])? $part:ty),+) => {
            impl utoipa::PartialSchema for $type {
                fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                    $crate::schema::flat_union($description, [$($(#[cfg($cfg)])? <$part as utoipa::PartialSchema>::schema()),+])
                }
            }
            impl utoipa::ToSchema for $type {
                fn schemas(schemas: &mut $crate::schema::Registered) {
                    $($(#[cfg($cfg)])? <$part as utoipa::ToSchema>::schemas(schemas);)+
                }
            }
        };
    }
    pub(crate) use union_of;

    /// Utoipa's list of schemas.
    pub(crate) type Registered = Vec<(String, RefOr<Schema>)>;
}
#[cfg(feature = "schema")]
pub(crate) use shapes::{Registered, flat_union, single, union_of};
