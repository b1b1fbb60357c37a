//! Request fields for which null and absence differ.

use std::str::FromStr;

use crate::api::http::fields::{Field, Fields, FromJson, Read};

/// A field for which null and absence differ: in a PATCH, null clears the value (RFC 7396).
pub enum Nullable<T> {
    Absent,
    Null,
    Value(T),
}

impl<T> Nullable<T> {
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl<T: FromStr> Nullable<T> {
    /// The change to a text, where an empty text clears it; `None` for no change.
    pub fn change_of_text(self) -> Option<T> {
        match self {
            Self::Value(text) => Some(text),
            Self::Null => "".parse().ok(),
            Self::Absent => None,
        }
    }
}

impl<T: FromJson> Field for Nullable<T> {
    fn take(fields: &mut Fields, name: &'static str) -> Option<Self> {
        match fields.read::<T>(name) {
            Read::Value(value) => Some(Self::Value(value)),
            Read::Faulty => None,
            Read::Absent => Some(Self::Absent),
            Read::Null => Some(Self::Null),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::http::fields::{Request, request};

    #[test]
    fn null_is_refused_in_a_patch_unless_it_clears() {
        request! {
            /// A patch to try the reader on.
            pub struct SamplePatch {
                /// Can't be empty.
                pub kept: Option<u32>,
                /// Can be empty.
                #[schema(value_type = Option<u32>)]
                pub cleared: Nullable<u32>,
            }
        }
        let read = |body| SamplePatch::read(Fields::of_patch(body));
        let faults = read(json!({"kept": null, "cleared": null})).err().unwrap();
        assert_eq!((faults.len(), faults[0].pointer.as_str(), faults[0].code), (1, "/kept", "wrong-type"));
        assert!(matches!(read(json!({"cleared": null})), Ok(SamplePatch { kept: None, cleared: Nullable::Null })));
        assert!(matches!(read(json!({"kept": 1})), Ok(SamplePatch { kept: Some(1), cleared: Nullable::Absent })));
        assert!(matches!(read(json!({"cleared": 2})), Ok(SamplePatch { kept: None, cleared: Nullable::Value(2) })));
    }
}
