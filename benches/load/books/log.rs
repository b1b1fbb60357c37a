//! A player's event log, followed like a client would: no gap, no repetition; events of a match are kept until it is
//! compared.

use std::collections::HashMap;

use serde_json::Value;

use super::client::Client;
use super::count;
use crate::Outcome;

/// A player's position in the log, and the events of matches not yet compared.
#[derive(Default)]
pub struct Log {
    /// Events of each match, in order.
    pub of_match: HashMap<String, Vec<Value>>,
    /// Other events, by type and ladder or tournament.
    pub others: HashMap<(String, String), usize>,
    /// New epochs of the log, after which it was read from the beginning.
    pub epochs: usize,
    cursor: Option<String>,
    /// The last event of this reading, and of any reading.
    position: u64,
    read: u64,
}

impl Log {
    /// Reads new events.
    pub async fn follow(&mut self, client: &mut Client) -> Outcome {
        loop {
            let after = self.cursor.clone().unwrap_or_else(|| "0".to_owned());
            let path = format!("/v1/events?after={after}&limit=1000");
            let page = match client.insist("GET", &path, &Value::Null).await? {
                Ok(page) => page,
                // After a new epoch everything is read again, and must be unchanged.
                Err(refusal) if refusal.code == "log-rewound" && self.cursor.is_some() => {
                    self.epochs += 1;
                    (self.cursor, self.position) = (None, 0);
                    continue;
                }
                Err(refusal) => return Err(refusal.text),
            };
            let items = page["items"].as_array().cloned().unwrap_or_default();
            if items.is_empty() {
                if self.position < self.read {
                    let (name, read, there) = (&client.player.username, self.read, self.position);
                    client.around().findings.add(&format!("{name} had {read} events, and {there} are there now"));
                }
                return Ok(());
            }
            self.cursor = page["next_cursor"].as_str().map(str::to_owned);
            for (number, event) in (self.position + 1..).zip(items) {
                if event["number"] != number {
                    let (name, findings) = (&client.player.username, &client.around().findings);
                    findings.add(&format!("event {number} of {name} has the number {}", event["number"]));
                    return Ok(());
                }
                self.position = number;
                if number > self.read {
                    self.read = number;
                    self.take_in(event);
                    count(&client.around().findings.events, 1);
                }
            }
        }
    }

    fn take_in(&mut self, event: Value) {
        match event["match_id"].as_str() {
            Some(id) => self.of_match.entry(id.to_owned()).or_default().push(event),
            None => {
                let kind = event["type"].as_str().unwrap_or_default().to_owned();
                let of = ["tournament_id", "ladder_id"].iter().find_map(|field| event[*field].as_str());
                *self.others.entry((kind, of.unwrap_or_default().to_owned())).or_default() += 1;
            }
        }
    }
}
