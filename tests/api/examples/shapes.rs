//! The shape of a value: its names and kinds, without numbers and words.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// At each place, the names of fields or the kinds of values.
type Shape = BTreeMap<String, BTreeSet<String>>;

/// The differences between the shapes of two values. Nulls, missing values and empty lists on one side count as equal.
pub fn faults(kept: &Value, seen: &Value) -> Vec<String> {
    let (kept, seen) = (shape(kept), shape(seen));
    let unlike = |(place, kept): (&String, &BTreeSet<String>)| {
        let seen = seen.get(place)?;
        (kept != seen).then(|| format!("{place} has {kept:?}, and now {seen:?}"))
    };
    kept.iter().filter_map(unlike).collect()
}

fn shape(value: &Value) -> Shape {
    let mut shape = Shape::new();
    collect(value, "", &mut shape);
    shape
}

fn collect(value: &Value, place: &str, shape: &mut Shape) {
    let kind = match value {
        Value::Object(map) => {
            // Members of unions have shapes of their own.
            let tag = ["type", "kind", "family"].iter().find_map(|tag| map.get(*tag)?.as_str());
            let place = tag.map_or_else(|| place.to_owned(), |tag| format!("{place}<{tag}>"));
            shape.entry(place.clone()).or_default().extend(map.keys().cloned());
            map.iter().for_each(|(key, value)| collect(value, &format!("{place}/{key}"), shape));
            return;
        }
        Value::Array(list) => {
            list.iter().for_each(|value| collect(value, &format!("{place}/-"), shape));
            return;
        }
        Value::Null => return,
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
    };
    shape.entry(place.to_owned()).or_default().insert(kind.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn another_name_or_kind_is_another_shape_and_another_number_is_not() {
        let kept = json!({ "items": [{ "type": "fired", "cell": "B7" }, { "type": "left" }], "deadline": null });
        let other = json!({ "items": [{ "type": "fired", "cell": "A1" }], "deadline": "2026-11-21" });
        assert_eq!(faults(&kept, &other), Vec::<String>::new());
        assert_eq!(faults(&kept, &json!({ "items": [], "deadline": null })).len(), 0);
        assert_eq!(faults(&kept, &json!({ "items": [{ "type": "fired", "at": "B7" }], "deadline": null })).len(), 1);
        assert_eq!(faults(&kept, &json!({ "items": [{ "type": "left", "cell": 7 }], "deadline": null })).len(), 1);
        assert_eq!(faults(&kept, &json!({ "deadline": null })).len(), 1);
    }
}
