//! Request fields for values of the rules.

use broadside_rules::text::Digest;
use broadside_rules::{Clock, Fault, Nonce, Seat};
use serde_json::Value;

use crate::api::http::fields::{FromJson, kept};
use crate::error::under;

impl FromJson for Clock {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        Clock::parse(value).map_err(|inner| faults.extend(under(pointer, inner))).ok()
    }
}

impl FromJson for Seat {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = value.as_u64().and_then(|seat| u8::try_from(seat).ok()).map(Seat);
        kept(read.ok_or_else(|| "must be the number of a seat".to_owned()), pointer, faults)
    }
}

impl FromJson for Digest {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = value.as_str().and_then(Digest::new).filter(|digest| digest.bytes().is_some());
        kept(read.ok_or_else(|| "must be 64 hexadecimal digits in lower case".to_owned()), pointer, faults)
    }
}

impl FromJson for Nonce {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = value.as_str().and_then(Nonce::new);
        if read.is_none() {
            let detail = format!("must be 1 to {} printable ASCII characters", Nonce::MOST);
            faults.push(Fault { pointer: pointer.to_owned(), code: "invalid-nonce", detail });
        }
        read
    }
}
