//! Strict JSON, with one spelling for each value: no object has a name twice, and numbers are whole and plain.
//! Otherwise the checked value could differ from the written one.
use alloc::string::String;
use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

pub(super) struct Strict(pub Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        // Beyond 2^53 canonical JSON cannot tell neighbouring numbers apart.
        if value <= 1 << 53 { Ok(value.into()) } else { Err(E::custom("a number is too large")) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Err(E::custom(format_args!("there is no negative number in a record, as {value}")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Err(E::custom(format_args!("numbers are whole and plainly written, not as {value}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, Strict(value))) = fields.next_entry::<String, Strict>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the name `{name}` stands there twice")));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}
