//! Planted fields do not change the hash, and every report has its line.
#![allow(clippy::expect_used, reason = "a test may stop")]
use alloc::{string::ToString, vec::Vec};

use serde_json::json;

use super::*;

#[test]
fn a_list_is_read_as_a_tree() {
    let read: Vec<_> = names("at seats{name seat{id}} type").collect();
    assert_eq!(read, [("at", ""), ("seats", "name seat{id}"), ("type", "")]);
    assert_eq!(names("").count(), 0);
}

#[test]
fn new_fields_are_left_out_wherever_they_are() {
    let before = json!({"at": 1, "next": null, "shots": [{"answer": "hit", "cell": "A1"}], "free": {"any": 1}});
    let mut planted = before.clone();
    planted["planted"] = json!(true);
    planted["shots"][0]["planted"] = json!({"deep": 1});
    keep("at free next{seat} shots{answer cell}", &mut planted);
    assert_eq!(planted, before);
}

#[test]
fn the_last_line_that_is_not_of_a_later_format_counts() {
    let lists = "\n1 fired cell\n1 moved ship\n2 fired cell wind\n";
    let fired = json!({"cell": "A1", "wind": 3, "later": 4});
    assert_eq!(Format(1).project(lists, "fired", fired.clone()), json!({"cell": "A1"}));
    assert_eq!(Format(2).project(lists, "fired", fired.clone()), json!({"cell": "A1", "wind": 3}));
    assert_eq!(Format(2).project(lists, "moved", json!({"ship": 1, "wind": 3})), json!({"ship": 1}));
    assert_eq!(Format(2).project(lists, "of no line", fired.clone()), fired);
}

#[test]
fn formats_have_names() {
    assert_eq!([0, 1, 2].map(Format::known), [None, Some(Format::CURRENT), None]);
    assert_eq!((Format(1).to_string(), Format(1).domain()), ("1".into(), "broadside record 1".into()));
}

#[cfg(feature = "schema")]
mod against_the_schema {
    use alloc::{collections::BTreeMap, string::String};

    use serde_json::Value;

    use super::*;
    use crate::{families::Variant, report::TableReport};

    /// Checks that the shape has every field of the list, and that the list names the fields of every object.
    fn check(list: &str, shape: &Value, named: &BTreeMap<String, Value>, at: &str) {
        let reference = shape["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        let shape = reference.and_then(|name| named.get(name)).unwrap_or(shape);
        let listed: Vec<_> = names(list).collect();
        let either: Vec<&Value> = shape["oneOf"].as_array().map_or_else(|| [shape].into(), |any| any.iter().collect());
        let mut known = BTreeMap::new();
        for shape in either {
            let name = shape["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
            let shape = name.and_then(|name| named.get(name)).unwrap_or(shape);
            match (&shape["properties"], &shape["items"]) {
                (Value::Object(fields), _) => known.extend(fields.clone()),
                (_, items) if items.is_object() => return check(list, items, named, at),
                _ => {}
            }
        }
        assert_eq!(listed.is_empty(), known.is_empty(), "{at}: an object is listed by its fields");
        for (name, within) in listed {
            let shape = known.get(name).unwrap_or_else(|| panic!("{at}: the field `{name}` of records is gone"));
            check(within, shape, named, &format!("{at}/{name}"));
        }
    }

    #[test]
    fn every_report_has_its_line_and_no_field_is_gone() {
        let rules = crate::variants().iter().map(Variant::rule_set);
        let families = rules.map(|rules| (rules.report_shapes(), rules.recorded()));
        let table = (crate::pattern::shapes_of::<TableReport>(), crate::report::RECORDED);
        let mut types = BTreeMap::new();
        for ((union, named), lists) in families.chain([table]) {
            let named: BTreeMap<String, Value> = named.into_iter().collect();
            for member in union["oneOf"].as_array().expect("a union") {
                let name = member["$ref"].as_str().expect("a name").rsplit('/').next().expect("a name");
                let kind = named[name]["properties"]["type"]["enum"][0].as_str().expect("a type");
                let line = Format::CURRENT.fields(lists, kind);
                let line = line.unwrap_or_else(|| panic!("reports of the type `{kind}` have no line"));
                check(line, &named[name], &named, kind);
                let other = types.insert(kind.to_string(), lists);
                assert!(other.is_none_or(|other| other == lists), "two unions have reports of the type `{kind}`");
            }
        }
    }
}
