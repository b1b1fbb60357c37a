//! Checks successful requests against the document: it must allow their parameters and bodies.

use actix_web::web::Query;
use serde_json::Value;

use super::answers::plain;
use super::{CONTRACT, Operation, Sent};

/// Deviations from the document.
pub fn faults(operation: &Operation, sent: &Sent) -> Vec<String> {
    if CONTRACT.at(&operation.place).is_none() {
        return vec![format!("nothing is documented at {}", operation.place)];
    }
    let mut faults = faults_of_parameters(operation, sent);
    faults.extend(faults_of_body(operation, sent));
    faults
}

fn faults_of_parameters(operation: &Operation, sent: &Sent) -> Vec<String> {
    let (path, query) = sent.target.split_once('?').unwrap_or((&sent.target, ""));
    let query = Query::<Vec<(String, String)>>::from_query(query).unwrap().into_inner();
    let mut faults = Vec::new();
    let mut known = Vec::new();
    let count = CONTRACT.document.pointer(&format!("{}/parameters", operation.place)).and_then(Value::as_array);
    for number in 0..count.map_or(0, Vec::len) {
        let (place, parameter) = CONTRACT.at(&format!("{}/parameters/{number}", operation.place)).unwrap();
        let name = parameter["name"].as_str().unwrap();
        let given: Vec<&str> = match parameter["in"].as_str().unwrap() {
            "query" => {
                known.push(name);
                query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
            }
            "header" => {
                let own = sent.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
                own.map(|(_, value)| value.as_str()).collect()
            }
            _ => {
                let own = operation.path_parameters(path).into_iter().filter(|(key, _)| *key == name);
                own.map(|(_, value)| value).collect()
            }
        };
        if given.is_empty() && parameter["required"] == true {
            faults.push(format!("the parameter {name} is required"));
        }
        for value in given {
            let wrong = CONTRACT.faults_of_text(&format!("{place}/schema"), value);
            faults.extend(wrong.into_iter().map(|fault| format!("parameter {name}: {fault}")));
        }
    }
    let unknown = query.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    faults.extend(unknown.map(|(key, _)| format!("the parameter {key} is not documented")));
    faults
}

fn faults_of_body(operation: &Operation, sent: &Sent) -> Vec<String> {
    let Some((place, body)) = CONTRACT.at(&format!("{}/requestBody", operation.place)) else {
        let nothing = sent.body.is_empty() || sent.body == b"{}";
        return if nothing { Vec::new() } else { vec!["no request body is documented".to_owned()] };
    };
    if sent.body.is_empty() {
        let required = body["required"] == true;
        return if required { vec!["the request body is required".to_owned()] } else { Vec::new() };
    }
    let value = serde_json::from_slice(&plain(&sent.headers, &sent.body)).unwrap();
    let faults = CONTRACT.schemas.faults(&format!("{place}/content/application~1json/schema"), &value);
    faults.into_iter().map(|fault| format!("request: {fault}")).collect()
}
