//! Field-by-field parsing of requests, so that one answer can name every fault: missing, unknown and malformed fields.
//!
//! [`request!`] declares a request's struct, its schema and its reader together. A field's type says what is
//! acceptable: types of the domain parse themselves from text, and their message becomes the fault's detail.

use broadside_rules::Fault;
use broadside_rules::illegal::UnknownWord;
use serde_json::{Map, Value};

/// A value of a field, parsed from JSON.
pub trait FromJson: Sized {
    /// Reads `value`, which stands at `pointer`. Adds every fault to `faults`.
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self>;

    /// Reads a query parameter. Most types take it as a JSON string.
    fn from_query(text: &str, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        Self::from_json(&Value::from(text), pointer, faults)
    }
}

/// A field of a request: a value, or an [`Option`] of one.
pub trait Field: Sized {
    /// Takes the field `name` out of `fields`.
    fn take(fields: &mut Fields, name: &'static str) -> Option<Self>;
}

impl<T: FromJson> Field for T {
    fn take(fields: &mut Fields, name: &'static str) -> Option<Self> {
        match fields.read::<T>(name) {
            Read::Value(value) => Some(value),
            Read::Faulty => None,
            Read::Absent | Read::Null => {
                fields.fault(name, "missing-field", "is required".to_owned());
                None
            }
        }
    }
}

impl<T: FromJson> Field for Option<T> {
    fn take(fields: &mut Fields, name: &'static str) -> Option<Self> {
        match fields.read::<T>(name) {
            Read::Value(value) => Some(Some(value)),
            Read::Faulty => None,
            Read::Null if fields.source == Source::Patch => {
                fields.faults.push(null_fault(format!("{}/{name}", fields.prefix)));
                None
            }
            Read::Absent | Read::Null => Some(None),
        }
    }
}

/// The result of taking a field.
pub(super) enum Read<T> {
    Value(T),
    Faulty,
    Absent,
    Null,
}

/// The fields of one request that have not been taken yet.
pub struct Fields {
    rest: Map<String, Value>,
    prefix: String,
    source: Source,
    faults: Vec<Fault>,
}

/// The origin of the fields, which decides how they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A body, in which null means absent.
    Body,
    /// The body of a PATCH, in which only a `Nullable` field may be null.
    Patch,
    /// A query, in which every value is a text.
    Query,
}

/// The fault of a PATCH field that is null although it can't be cleared.
pub fn null_fault(pointer: String) -> Fault {
    let detail = "can't be null; leave it out, and it stays as it is".to_owned();
    Fault { pointer, code: "wrong-type", detail }
}

impl Fields {
    /// The fields of a body. A body that isn't an object is a fault of its own.
    pub fn of_body(body: Value) -> Self {
        Self::of(body, String::new())
    }

    /// The fields of a PATCH body.
    pub fn of_patch(body: Value) -> Self {
        Self { source: Source::Patch, ..Self::of_body(body) }
    }

    /// The fields of a value inside a body.
    pub fn of(value: Value, prefix: String) -> Self {
        let mut fields = Self { rest: Map::new(), prefix, source: Source::Body, faults: Vec::new() };
        match value {
            Value::Object(map) => fields.rest = map,
            _ => fields.faults.push(Fault {
                pointer: fields.prefix.clone(),
                code: "wrong-type",
                detail: "must be a JSON object".to_owned(),
            }),
        }
        fields
    }

    /// The parameters of a query string, each at most once.
    pub fn of_query(pairs: Vec<(String, String)>) -> Self {
        let mut fields = Self { rest: Map::new(), prefix: String::new(), source: Source::Query, faults: Vec::new() };
        for (name, value) in pairs {
            if fields.rest.insert(name.clone(), Value::from(value)).is_some() {
                fields.faults.push(Fault {
                    pointer: format!("/{name}"),
                    code: "duplicate-parameter",
                    detail: "is given more than once".to_owned(),
                });
            }
        }
        fields
    }

    /// All fields as sent, for a request that is merged into stored data.
    pub fn into_map(self) -> Result<Map<String, Value>, Vec<Fault>> {
        if self.faults.is_empty() { Ok(self.rest) } else { Err(self.faults) }
    }

    pub(super) fn read<T: FromJson>(&mut self, name: &'static str) -> Read<T> {
        let pointer = format!("{}/{name}", self.prefix);
        let value = match self.rest.remove(name) {
            None => return Read::Absent,
            Some(Value::Null) => return Read::Null,
            Some(value) => value,
        };
        let read = match (&value, self.source) {
            (Value::String(text), Source::Query) if name == "cursor" && !may_be_cursor(text) => {
                let detail = "must be `next_cursor` of the page before".to_owned();
                kept::<T>(Err(detail), &pointer, &mut self.faults)
            }
            (Value::String(text), Source::Query) => T::from_query(text, &pointer, &mut self.faults),
            _ => T::from_json(&value, &pointer, &mut self.faults),
        };
        read.map_or(Read::Faulty, Read::Value)
    }

    fn fault(&mut self, name: &str, code: &'static str, detail: String) {
        self.faults.push(Fault { pointer: format!("{}/{name}", self.prefix), code, detail });
    }

    /// All faults, including those of fields that were not taken.
    pub fn finish(mut self, known: &[&str]) -> Vec<Fault> {
        let unknown: Vec<String> = self.rest.keys().cloned().collect();
        for name in unknown {
            let detail = match known {
                [] => "is unknown; nothing can be given here".to_owned(),
                _ => format!("is unknown; what can be given is {}", known.join(", ")),
            };
            // A JSON pointer (RFC 6901) writes ~ as ~0 and / as ~1.
            let escaped = name.replace('~', "~0").replace('/', "~1");
            self.fault(&escaped, "unknown-field", detail);
        }
        self.faults
    }
}

/// True if the text has the form that the contract states for the cursors of all lists.
fn may_be_cursor(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=200).contains(&text.len()) && text.bytes().all(fits)
}

pub trait Request: Sized {
    /// Reads the request, or returns all its faults.
    fn read(fields: Fields) -> Result<Self, Vec<Fault>>;
}

/// Declares a request: its struct, its schema and its reader. A query that ends with `..page(Cursor)` asks for a page
/// of a list, and gets the fields `limit` and `cursor`.
macro_rules! request {
    ($(#[$doc:meta])* pub struct $name:ident { $($(#[$field_doc:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(utoipa::ToSchema)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
        $crate::api::http::fields::request!(@read $name { $($field: $type),* });
    };
    ($(#[$doc:meta])* pub query $name:ident {
        $($(#[$field_doc:meta])* pub $field:ident: $type:ty,)* ..page($cursor:ty)
    }) => {
        $crate::api::http::fields::request! {
            $(#[$doc])*
            pub query $name {
                $($(#[$field_doc])* pub $field: $type,)*
                /// How many at most: 1 to 100, 50 unless given.
                #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
                pub limit: Option<$crate::api::http::fields::Ranged<1, 100>>,
                /// `next_cursor` of the page before.
                #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
                pub cursor: Option<$cursor>,
            }
        }
    };
    ($(#[$doc:meta])* pub query $name:ident { $($(#[$field_doc:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(utoipa::IntoParams)]
        #[into_params(parameter_in = Query)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
        $crate::api::http::fields::request!(@read $name { $($field: $type),* });
    };
    (@read $name:ident { $($field:ident: $type:ty),* }) => {
        impl $crate::api::http::fields::Request for $name {
            #[allow(unused_mut, reason = "a request may have no fields to read")]
            fn read(mut fields: $crate::api::http::fields::Fields) -> Result<Self, Vec<broadside_rules::Fault>> {
                $(let $field = <$type as $crate::api::http::fields::Field>::take(&mut fields, stringify!($field));)*
                let faults = fields.finish(&[$(stringify!($field)),*]);
                match ($($field,)*) {
                    ($(Some($field),)*) if faults.is_empty() => Ok(Self { $($field),* }),
                    _ => Err(faults),
                }
            }
        }
    };
}
pub(crate) use request;

/// Reads a request inside another request.
pub fn inner<T: Request>(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<T> {
    T::read(Fields::of(value.clone(), pointer.to_owned())).map_err(|inner| faults.extend(inner)).ok()
}

/// Makes domain types that implement `FromStr` readable as fields.
macro_rules! text_fields {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::api::http::fields::FromJson for $type {
            fn from_json(value: &serde_json::Value, pointer: &str, faults: &mut Vec<broadside_rules::Fault>) -> Option<Self> {
                let text = $crate::api::http::fields::typed(value.as_str(), "must be a string", pointer, faults)?;
                $crate::api::http::fields::kept(text.parse::<$type>(), pointer, faults)
            }
        }
    )+};
}
pub(crate) use text_fields;

/// Makes requests readable as fields of other requests.
macro_rules! nested {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::api::http::fields::FromJson for $type {
            fn from_json(value: &serde_json::Value, pointer: &str, faults: &mut Vec<broadside_rules::Fault>) -> Option<Self> {
                $crate::api::http::fields::inner(value, pointer, faults)
            }
        }
    )+};
}
pub(crate) use nested;

// Types that several capabilities share.
text_fields!(crate::social::text::Title, crate::social::text::Description, crate::epoch::Cursor);

/// The error of a failed parse, as a fault of the request.
pub(crate) trait Wrong {
    /// The fault for the value at `pointer`.
    fn at(self, pointer: &str) -> Fault;
}

/// The text says what the value must be.
impl Wrong for String {
    fn at(self, pointer: &str) -> Fault {
        Fault::new(pointer, "invalid-value", self)
    }
}

impl Wrong for UnknownWord {
    fn at(self, pointer: &str) -> Fault {
        Fault::new(pointer, "unknown-value", self.0)
    }
}

/// The value, or `None` with a fault at `pointer` if it could not be parsed.
pub(crate) fn kept<T>(read: Result<T, impl Wrong>, pointer: &str, faults: &mut Vec<Fault>) -> Option<T> {
    read.map_err(|wrong| faults.push(wrong.at(pointer))).ok()
}

/// The value, or `None` with the fault `wrong-type` at `pointer` if it is another type of JSON.
pub(crate) fn typed<T>(read: Option<T>, expected: &str, pointer: &str, faults: &mut Vec<Fault>) -> Option<T> {
    if read.is_none() {
        faults.push(Fault { pointer: pointer.to_owned(), code: "wrong-type", detail: expected.to_owned() });
    }
    read
}

impl FromJson for bool {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        typed(value.as_bool(), "must be true or false", pointer, faults)
    }

    fn from_query(text: &str, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        kept(text.parse().map_err(|_| "must be true or false".to_owned()), pointer, faults)
    }
}

impl FromJson for u32 {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let number = typed(value.as_number(), "must be a whole number of 0 or more", pointer, faults)?;
        let read = number.as_u64().and_then(|number| u32::try_from(number).ok());
        kept(read.ok_or_else(|| "must be a whole number of 0 or more".to_owned()), pointer, faults)
    }

    fn from_query(text: &str, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = text.parse().map_err(|_| "must be a whole number of 0 or more".to_owned());
        kept(read, pointer, faults)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Ranged<const MIN: u32, const MAX: u32>(pub u32);

impl<const MIN: u32, const MAX: u32> Ranged<MIN, MAX> {
    fn within(number: u32, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        if !(MIN..=MAX).contains(&number) {
            let detail = format!("must be {MIN} to {MAX}");
            faults.push(Fault { pointer: pointer.to_owned(), code: "out-of-range", detail });
            return None;
        }
        Some(Self(number))
    }
}

impl<const MIN: u32, const MAX: u32> FromJson for Ranged<MIN, MAX> {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        Self::within(u32::from_json(value, pointer, faults)?, pointer, faults)
    }

    fn from_query(text: &str, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        Self::within(u32::from_query(text, pointer, faults)?, pointer, faults)
    }
}

/// Numbers that every JSON reader keeps exactly: up to 2^53 - 1.
impl FromJson for u64 {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let number = typed(value.as_number(), "must be a whole number of 0 or more", pointer, faults)?;
        let read = number.as_u64().filter(|number| *number < 1 << 53);
        kept(read.ok_or_else(|| "must be a whole number of 0 or more".to_owned()), pointer, faults)
    }

    fn from_query(text: &str, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = text.parse().ok().filter(|number| *number < 1 << 53);
        kept(read.ok_or_else(|| "must be a whole number of 0 or more".to_owned()), pointer, faults)
    }
}

/// Any JSON object, to be checked by later code.
impl FromJson for Map<String, Value> {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        typed(value.as_object().cloned(), "must be a JSON object", pointer, faults)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let list = typed(value.as_array(), "must be a list", pointer, faults)?;
        let items: Vec<Option<T>> = list
            .iter()
            .enumerate()
            .map(|(index, item)| T::from_json(item, &format!("{pointer}/{index}"), faults))
            .collect();
        items.into_iter().collect()
    }
}

/// A list of at most `MAX` items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtMost<T, const MAX: usize>(pub Vec<T>);

impl<T: FromJson, const MAX: usize> FromJson for AtMost<T, MAX> {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        if value.as_array().is_some_and(|list| list.len() > MAX) {
            let detail = format!("must have {MAX} items at most");
            faults.push(Fault { pointer: pointer.to_owned(), code: "too-many-items", detail });
            return None;
        }
        Vec::from_json(value, pointer, faults).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    request! {
        /// A request to try the reader on.
        pub struct Sample {
            /// Must be there.
            pub wanted: u32,
            /// May be there.
            pub optional: Option<bool>,
        }
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let body = json!({"optional": "yes", "a/b": 1, "optinal": true});
        let faults = Sample::read(Fields::of_body(body)).err().unwrap();
        let mut named: Vec<_> = faults.iter().map(|f| (f.pointer.as_str(), f.code)).collect();
        named.sort_unstable();
        assert_eq!(
            named,
            [
                ("/a~1b", "unknown-field"),
                ("/optinal", "unknown-field"),
                ("/optional", "wrong-type"),
                ("/wanted", "missing-field"),
            ]
        );
    }

    #[test]
    fn null_is_the_same_as_absent() {
        let sample = Sample::read(Fields::of_body(json!({"wanted": 3, "optional": null}))).unwrap();
        assert_eq!((sample.wanted, sample.optional), (3, None));
    }

    #[test]
    fn a_query_is_read_by_the_same_rules() {
        let pairs =
            |list: &[(&str, &str)]| Fields::of_query(list.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect());
        let sample = Sample::read(pairs(&[("wanted", "7"), ("optional", "true")])).unwrap();
        assert_eq!((sample.wanted, sample.optional), (7, Some(true)));
        let faults = Sample::read(pairs(&[("wanted", "7"), ("wanted", "8")])).err().unwrap();
        assert_eq!(faults[0].code, "duplicate-parameter");
    }

    #[test]
    fn a_list_has_as_many_items_as_it_may_have() {
        let read = |count: usize| {
            let mut faults = Vec::new();
            let read = AtMost::<u32, 3>::from_json(&json!(vec![1; count]), "/list", &mut faults);
            (read.map(|list| list.0.len()), faults.first().map(|fault| fault.code))
        };
        assert_eq!((read(3), read(4)), ((Some(3), None), (None, Some("too-many-items"))));
    }

    #[test]
    fn a_body_that_is_no_object_is_refused() {
        let faults = Sample::read(Fields::of_body(json!([1]))).err().unwrap();
        assert!(faults.iter().any(|fault| fault.code == "wrong-type"));
    }
}
