//! Patterns of reports: a JSON object that fits a report with the same fields and fitting values. Patterns know no
//! family; they look at reports as sent. Their users are elsewhere: conditions of standing orders, clients' filters.
use alloc::string::String;

use serde_json::{Map, Value};

/// Does the report fit the pattern? Every field of the pattern must fit: an object by its fields, an array if each
/// element of the pattern fits some element, anything else if equal.
#[must_use]
pub fn fits(pattern: &Map<String, Value>, report: &Value) -> bool {
    report.as_object().is_some_and(|report| fields_fit(pattern, report))
}

fn fields_fit(pattern: &Map<String, Value>, fields: &Map<String, Value>) -> bool {
    pattern.iter().all(|(name, wanted)| fields.get(name).is_some_and(|value| value_fits(wanted, value)))
}

fn value_fits(pattern: &Value, value: &Value) -> bool {
    match (pattern, value) {
        (Value::Object(pattern), Value::Object(fields)) => fields_fit(pattern, fields),
        (Value::Array(pattern), Value::Array(list)) => {
            pattern.iter().all(|wanted| list.iter().any(|value| value_fits(wanted, value)))
        }
        _ => pattern == value,
    }
}

#[cfg(feature = "schema")]
mod check {
    use alloc::{
        collections::BTreeMap,
        format,
        string::{String, ToString},
        vec::Vec,
    };

    use serde_json::{Map, Value};
    use utoipa::ToSchema;

    use crate::{families::RuleSet, illegal::Fault, read::listed, report::TableReport, setup::Setup, text::Label};

    /// A JSON Pointer (RFC 6901) to a field, with ~ as ~0 and / as ~1.
    fn pointer(at: &str, name: &str) -> String {
        format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
    }

    /// Control characters: no report has one in a name or a text, and not every database takes them.
    fn check_text(value: &Value, at: &str, faults: &mut Vec<Fault>) {
        match value {
            Value::String(text) => check_word(text, at, faults),
            Value::Object(fields) => {
                for (name, value) in fields {
                    let at = pointer(at, name);
                    check_word(name, &at, faults);
                    check_text(value, &at, faults);
                }
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, value)| check_text(value, &format!("{at}/{index}"), faults));
            }
            _ => {}
        }
    }

    fn check_word(text: &str, at: &str, faults: &mut Vec<Fault>) {
        if text.chars().any(char::is_control) {
            faults.push(Fault::new(at, "invalid-value", "must not have control characters"));
        }
    }

    /// The shapes of a union of reports: their names, and the shapes that each one refers to.
    pub(crate) fn shapes_of<T: ToSchema>() -> (Value, Vec<(String, Value)>) {
        let mut named = Vec::new();
        T::schemas(&mut named);
        let value = |shape| serde_json::to_value(shape).unwrap_or_default();
        (value(T::schema()), named.into_iter().map(|(name, shape)| (name, value(shape))).collect())
    }

    /// The shapes of the reports of a match. Building them is expensive: keep them for all patterns checked together.
    pub struct Shapes {
        named: BTreeMap<String, Value>,
        /// By `type`.
        reports: BTreeMap<String, Value>,
        cells: Vec<Label>,
    }

    impl Shapes {
        /// The shapes for a match on these terms.
        #[must_use]
        pub fn of(setup: &Setup) -> Self {
            let rules: &RuleSet = &setup.rules;
            let mut shapes = Self { named: BTreeMap::new(), reports: BTreeMap::new(), cells: Vec::new() };
            for (union, named) in [shapes_of::<TableReport>(), rules.report_shapes()] {
                shapes.named.extend(named);
                for member in union["oneOf"].as_array().into_iter().flatten() {
                    let shape = shapes.resolved(member).1.clone();
                    if let Some(kind) = shape["properties"]["type"]["enum"][0].as_str() {
                        shapes.reports.insert(kind.to_string(), shape);
                    }
                }
            }
            let seas = rules.board(setup.seats).seas.into_iter();
            shapes.cells = seas.flat_map(|sea| sea.cells).map(|cell| cell.label).collect();
            shapes
        }

        /// The reasons why no report could ever fit the pattern: every fault, with JSON Pointers relative to the
        /// pattern. It must name the `type` of a report, fields of that type, values of their kind, and cells of the
        /// board. Cells are rewritten to their own names, since reports distinguish case and people don't (`b7` is
        /// `B7`).
        #[must_use]
        pub fn faults(&self, pattern: &mut Map<String, Value>) -> Vec<Fault> {
            let mut faults = Vec::new();
            for (name, value) in pattern.iter() {
                let at = pointer("", name);
                check_word(name, &at, &mut faults);
                check_text(value, &at, &mut faults);
            }
            if !faults.is_empty() {
                return faults;
            }
            let known: Vec<&str> = self.reports.keys().map(String::as_str).collect();
            match pattern.get("type").map(|kind| kind.as_str().and_then(|kind| self.reports.get(kind))) {
                Some(Some(shape)) => self.check_fields(shape, pattern, "", &mut faults),
                Some(None) => {
                    let detail = format!("No report of this match has that type; the types are {}.", listed(&known));
                    faults.push(Fault::new("/type", "unknown-value", detail));
                }
                None => {
                    let detail = format!("`type` is required; the types are {}.", listed(&known));
                    faults.push(Fault::new("/type", "missing-field", detail));
                }
            }
            faults
        }

        /// The target of a reference, and its name.
        fn resolved<'a>(&'a self, shape: &'a Value) -> (Option<&'a str>, &'a Value) {
            let name = shape["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
            (name, name.and_then(|name| self.named.get(name)).unwrap_or(shape))
        }

        /// The cell of this name, in any case.
        fn cell(&self, text: &str) -> Option<Label> {
            self.cells.iter().find(|cell| cell.eq_ignore_ascii_case(text)).copied()
        }

        fn check_fields(&self, shape: &Value, fields: &mut Map<String, Value>, at: &str, faults: &mut Vec<Fault>) {
            let Some(properties) = shape["properties"].as_object() else { return };
            for (name, value) in fields {
                let at = pointer(at, name);
                match properties.get(name) {
                    Some(shape) => self.check(shape, value, &at, faults),
                    None => {
                        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                        let detail = format!("No such field here; there are {}.", listed(&known));
                        faults.push(Fault::new(at, "unknown-field", detail));
                    }
                }
            }
        }

        fn check(&self, shape: &Value, value: &mut Value, at: &str, faults: &mut Vec<Fault>) {
            let (name, shape) = self.resolved(shape);
            if let Some(either) = shape["oneOf"].as_array() {
                let tried = either.iter().map(|shape| {
                    let (mut faults, mut read) = (Vec::new(), value.clone());
                    self.check(shape, &mut read, at, &mut faults);
                    // A null that doesn't fit says least of all.
                    (faults.len(), shape["type"] == "null", faults, read)
                });
                let best = tried.min_by_key(|(count, is_null, ..)| (*count > 0 && *is_null, *count));
                if let Some((_, _, found, read)) = best {
                    faults.extend(found);
                    *value = read;
                }
                return;
            }
            let mut wrong = |code, detail| faults.push(Fault::new(at, code, detail));
            if let Some(known) = shape["enum"].as_array().filter(|known| !known.contains(&*value)) {
                let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
                return wrong("unknown-value", format!("Never that; there are {}.", listed(&known)));
            }
            let kinds: Vec<&str> = match &shape["type"] {
                Value::String(kind) => [kind.as_str()].into(),
                Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            };
            if !kinds.is_empty() && !kinds.contains(&kind_of(value)) {
                return wrong("wrong-type", format!("Never a {} here, but {}.", kind_of(value), listed(&kinds)));
            }
            match value {
                Value::String(text) if name == Some("CellLabel") => match self.cell(text) {
                    Some(cell) => *text = cell.to_string(),
                    None => wrong("unknown-cell", "The board has no cell of that name.".to_string()),
                },
                Value::Object(fields) => self.check_fields(shape, fields, at, faults),
                Value::Array(list) => {
                    for (index, value) in list.iter_mut().enumerate() {
                        self.check(&shape["items"], value, &format!("{at}/{index}"), faults);
                    }
                }
                _ => {}
            }
        }
    }

    fn kind_of(value: &Value) -> &'static str {
        match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }
}
#[cfg(feature = "schema")]
pub use check::Shapes;
#[cfg(feature = "schema")]
pub(crate) use check::shapes_of;
