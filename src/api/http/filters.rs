//! Names in list filters. A valid name that nothing has selects nothing.

use std::str::FromStr;

use broadside_contests::Pool;
use broadside_rules::Variant;

use crate::api::http::fields::text_fields;

text_fields!(PoolFilter, VariantFilter);

/// The variant of a filter, by its id. An unknown one stands for an id that no variant has.
#[derive(Clone, Copy)]
pub struct VariantFilter(pub &'static str);

impl FromStr for VariantFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Variant::find(text) {
            Some(variant) => Ok(Self(variant.id)),
            None => check(text, 40).map(|()| Self("")),
        }
    }
}

/// The pool of a filter; `None` if there is no such pool.
pub struct PoolFilter(pub Option<Pool>);

impl FromStr for PoolFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<Pool>() {
            Ok(pool) => Ok(Self(Some(pool))),
            Err(_) => check(text, 80).map(|()| Self(None)),
        }
    }
}

/// Refuses a text that can't be such a name.
fn check(text: &str, most: usize) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=most).contains(&text.len()) && text.bytes().all(fits) {
        Ok(())
    } else {
        Err("must be a name of lower-case letters, digits and hyphens".to_owned())
    }
}
