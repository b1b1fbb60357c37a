//! Shared parameters: identical parameters of many operations become components.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::shapes::PREFIX;

const PARAMETERS: &str = "#/components/parameters/";
/// The minimum number of uses of a parameter that becomes a component.
const MANY: usize = 5;

/// Moves shared parameters to the components, and leaves references in their places.
pub fn share(document: &mut Value) {
    let shared = shared(document);
    for parameter in all(document).filter(|parameter| parameter["name"].is_string()) {
        let name = component(parameter);
        if shared.get(&name) == Some(parameter) {
            *parameter = json!({ "$ref": format!("{PARAMETERS}{name}") });
        }
    }
    if let Some(components) = document["components"]["parameters"].as_object_mut() {
        components.extend(shared);
    }
}

/// The components: of each name the most frequent parameter, if it is frequent enough.
fn shared(document: &mut Value) -> Map<String, Value> {
    let mut uses: BTreeMap<String, Vec<(Value, usize)>> = BTreeMap::new();
    for parameter in all(document).filter(|parameter| parameter["name"].is_string()) {
        let same_name = uses.entry(component(parameter)).or_default();
        match same_name.iter_mut().find(|(known, _)| known == parameter) {
            Some((_, count)) => *count += 1,
            None => same_name.push((parameter.clone(), 1)),
        }
    }
    let most = |(name, uses): (String, Vec<(Value, usize)>)| {
        let (parameter, _) = uses.into_iter().filter(|(_, count)| *count >= MANY).max_by_key(|(_, count)| *count)?;
        Some((name, parameter))
    };
    uses.into_iter().filter_map(most).collect()
}

/// Every parameter of every operation.
fn all(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations = items.flat_map(|item| item.as_object_mut().into_iter().flat_map(Map::values_mut));
    operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut()).flatten()
}

/// The component's name: `MatchIdInPath`, `LimitInQuery`. It must differ from the names of schemas, for generators that
/// make types of components.
fn component(parameter: &Value) -> String {
    let schema = parameter["schema"]["$ref"].as_str().and_then(|reference| reference.strip_prefix(PREFIX));
    let words = |name: &Value| in_capitals(name.as_str().unwrap_or_default());
    let name = schema.map_or_else(|| words(&parameter["name"]), str::to_owned);
    format!("{name}In{}", words(&parameter["in"]))
}

/// `named_rule_set` as `NamedRuleSet`.
fn in_capitals(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split(['_', '-']).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_operations_take_is_said_once() {
        let limit = |most: u32| json!({ "name": "page_limit", "in": "query", "schema": { "maximum": most } });
        let id = json!({ "name": "id", "in": "path", "schema": { "$ref": format!("{PREFIX}MatchId") } });
        let item = |limit: Value| json!({ "get": { "parameters": [id, limit] }, "put": {} });
        let mut paths = Map::new();
        for number in 0..MANY {
            paths.insert(format!("/{number}"), item(limit(50)));
        }
        paths.insert("/other".to_owned(), item(limit(7)));
        let mut document = json!({ "paths": paths, "components": { "parameters": {} } });
        share(&mut document);
        assert_eq!(document["components"]["parameters"], json!({ "MatchIdInPath": id, "PageLimitInQuery": limit(50) }));
        let reference = |name: &str| json!({ "$ref": format!("{PARAMETERS}{name}") });
        let kept = |path: &str| document["paths"][path]["get"]["parameters"].clone();
        assert_eq!(kept("/0"), json!([reference("MatchIdInPath"), reference("PageLimitInQuery")]));
        assert_eq!(kept("/other"), json!([reference("MatchIdInPath"), limit(7)]));
    }
}
