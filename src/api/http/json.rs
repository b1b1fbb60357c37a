//! Strict parsing of requests in JSON. An object with a repeated key is refused, because readers differ in its meaning
//! (RFC 8259, section 4). A whole number may have a point: `7.0` is read as `7`. Everything else is left to serde_json.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses `bytes`. serde_json bounds the depth.
pub fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice::<Strict>(bytes).map(|Strict(value)| value)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

/// 2^53: every smaller whole number is exact in floating point.
const EXACT: f64 = 9_007_199_254_740_992.0;

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // `7.0` is as whole as `7`, and some languages have no other way to write it.
        if value.fract() == 0.0 && value.abs() < EXACT {
            return Ok(Value::from(value as i64));
        }
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if fields.contains_key(&key) {
                let shown: String = key.chars().take(100).collect();
                return Err(A::Error::custom(format!("the key {shown:?} is there twice in one object")));
            }
            let Strict(value) = object.next_value()?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_that_is_there_twice_is_refused_at_any_depth() {
        for doubled in [
            r#"{"a":1,"a":1}"#,
            r#"{"b":[{"c":{"a":1,"b":2,"a":null}}]}"#,
            r#"[[{"":0,"":1}]]"#,
            r#"{"a":1,"\u0061":2}"#,
        ] {
            let error = read(doubled.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("is there twice in one object"), "{doubled}: {error}");
        }
        assert!(read(br#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#).is_ok());
        assert!(read("[".repeat(10_000).as_bytes()).is_err());
        assert!(read(b"{} {}").is_err());
    }

    #[test]
    fn a_whole_number_may_have_a_point() {
        for (text, whole) in [("259200.0", 259_200), ("2.592e5", 259_200), ("-0.0", 0), ("-7.00", -7), ("1E2", 100)] {
            assert_eq!(read(text.as_bytes()).unwrap(), Value::from(whole), "{text}");
        }
        for text in ["7.5", "1e300", "9007199254740992.0", "1e-3"] {
            assert!(read(text.as_bytes()).unwrap().is_f64(), "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter("whole", |value| value.fract() != 0.0).prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("\\PC{0,4}", inner, 0..5).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn everything_else_is_read_as_serde_json_reads_it(value in any_json()) {
            let text = value.to_string();
            prop_assert_eq!(read(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        }
    }
}
