//! The operations of the document, found by method and path.

use serde_json::Value;

pub struct Operation {
    pub id: &'static str,
    method: String,
    segments: Vec<&'static str>,
    /// Its place in the document, as a JSON pointer.
    pub place: String,
}

pub struct Operations(Vec<Operation>);

impl Operations {
    pub fn of(document: &'static Value) -> Self {
        let mut all = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let place = format!("/paths/{}/{method}", escaped(path));
                let (id, method) = (operation["operationId"].as_str().unwrap(), method.to_uppercase());
                all.push(Operation { id, method, segments: path.split('/').collect(), place });
            }
        }
        // A path without parameters takes precedence over a matching one with parameters.
        all.sort_by_key(|operation| operation.segments.iter().filter(|segment| segment.contains('{')).count());
        Self(all)
    }

    /// The requested operation.
    pub fn find(&self, method: &str, path: &str) -> Option<&Operation> {
        let given: Vec<&str> = path.split('/').collect();
        self.0.iter().find(|operation| operation.method == method && operation.fits(&given))
    }
}

impl Operation {
    /// The webhook request for this type of event.
    pub fn of_webhook(kind: &str) -> Self {
        let place = format!("/webhooks/{kind}/post");
        Self { id: "", method: "POST".to_owned(), segments: Vec::new(), place }
    }

    fn fits(&self, given: &[&str]) -> bool {
        let fits = |(segment, given): (&&'static str, &&str)| segment == given || parameter(segment, given).is_some();
        self.segments.len() == given.len() && self.segments.iter().zip(given).all(fits)
    }

    /// The parameters of a path: name and value.
    pub fn path_parameters<'a>(&self, path: &'a str) -> Vec<(&'static str, &'a str)> {
        self.segments.iter().zip(path.split('/')).filter_map(|(segment, given)| parameter(segment, given)).collect()
    }
}

/// Name and value of the parameter in a segment such as `{id}` or `{address}.ics`.
fn parameter<'a>(segment: &'static str, given: &'a str) -> Option<(&'static str, &'a str)> {
    let (name, end) = segment.strip_prefix('{')?.split_once('}')?;
    given.strip_suffix(end).filter(|value| !value.is_empty()).map(|value| (name, value))
}

/// A name as a part of a JSON pointer (RFC 6901).
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
