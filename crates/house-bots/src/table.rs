//! One match from a bot's seat: its reports and actions.

use std::sync::Arc;

use broadside_bots::{Bot, Level};
use serde_json::{Value, json};

use crate::House;
use crate::api::{Answer, Api, Problem};

/// The most actions in a row: more than any match lasts.
const IN_A_ROW: u32 = 10_000;

pub(crate) struct Table {
    id: String,
    bot: Arc<Bot>,
    /// All reports from the first on, without a gap.
    reports: Vec<Value>,
}

impl Table {
    /// Starts from the shown view of a match.
    pub(crate) fn new(id: &str, view: &Value, level: Level, seed: u64) -> Answer<Self> {
        let bot = Bot::new(&view["rule_set"], level, seed).map_err(|error| Problem::unreadable(&error.to_string()))?;
        Ok(Self { id: id.to_owned(), bot: Arc::new(bot), reports: Vec::new() })
    }

    /// Takes in a report, if it is the next one.
    pub(crate) fn hear(&mut self, report: Value) {
        if report["number"].as_u64() == Some(self.reports.len() as u64 + 1) {
            self.reports.push(report);
        }
    }

    /// Acts as long as the match waits for the bot. Returns whether it is over.
    pub(crate) async fn play(&mut self, house: &House, api: &Api, mut view: Value) -> Answer<bool> {
        for _ in 0..IN_A_ROW {
            let Some(example) = required(&view) else { return Ok(!view["result"].is_null()) };
            self.catch_up(api, &view).await?;
            let action = self.choose(house, &view).await.unwrap_or_else(|| example.clone());
            view = match self.send(api, &view, &action, "").await {
                Err(problem) if problem.status == 422 && action != example => {
                    tracing::error!(match_id = self.id, %problem, %action, "a bot was refused its action; it sends the example");
                    self.send(api, &view, &example, "-example").await?
                }
                answer => answer?,
            };
        }
        Ok(false)
    }

    /// Sends an action, and returns the match as it is now.
    async fn send(&mut self, api: &Api, view: &Value, action: &Value, key: &str) -> Answer {
        let (path, version) = (format!("/v1/matches/{}", self.id), &view["version"]);
        let body = json!({ "version": version, "action": action });
        let key = format!("{}-{version}{key}", self.id);
        match api.post(&format!("{path}/actions"), &body, &key).await {
            Ok(mut acted) => {
                if let Value::Array(reports) = acted["reports"].take() {
                    reports.into_iter().for_each(|report| self.hear(report));
                }
                Ok(acted["match"].take())
            }
            // Another action was faster: decide again.
            Err(problem) if problem.status == 409 => api.get(&path).await,
            Err(problem) => Err(problem),
        }
    }

    /// Reads the missing reports.
    async fn catch_up(&mut self, api: &Api, view: &Value) -> Answer<()> {
        let version = view["version"].as_u64().unwrap_or(0);
        if self.reports.len() as u64 > version {
            self.reports.clear(); // the match was put back to an earlier time
        }
        let cursor = view["reports_cursor"].as_str().unwrap_or_default();
        let epoch = cursor.split_once('-').map_or("", |(epoch, _)| epoch);
        while (self.reports.len() as u64) < version {
            let known = self.reports.len();
            let after = if known == 0 { "0".to_owned() } else { format!("{epoch}-{known}") };
            let page = api.get(&format!("/v1/matches/{}/reports?after={after}&limit=1000", self.id)).await;
            if let Value::Array(reports) = page?["items"].take() {
                reports.into_iter().for_each(|report| self.hear(report));
            }
            if self.reports.len() == known {
                return Err(Problem::unreadable("there are fewer reports than the match says"));
            }
        }
        Ok(())
    }

    /// Decides when a turn to think is free. `None`: it has no idea.
    async fn choose(&mut self, house: &House, view: &Value) -> Option<Value> {
        let _turn = house.turns.acquire().await.ok()?;
        let (bot, view, reports) = (Arc::clone(&self.bot), view.clone(), std::mem::take(&mut self.reports));
        let thought = tokio::task::spawn_blocking(move || {
            let chosen = bot.choose(&view, &reports);
            (chosen, reports)
        });
        let (chosen, reports) = match thought.await {
            Ok(thought) => thought,
            Err(error) => {
                tracing::error!(match_id = self.id, %error, "a bot could not decide; it sends the example");
                return None;
            }
        };
        self.reports = reports;
        chosen.inspect_err(|error| tracing::error!(match_id = self.id, %error, "a bot can't read the match")).ok()?
    }
}

/// The example of the decision that the match requires of the bot.
fn required(view: &Value) -> Option<Value> {
    let decisions = view["decisions"].as_array()?;
    decisions.iter().find(|decision| decision["required"] == true).map(|decision| decision["example"].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_heard_once_and_in_order() {
        let rules = serde_json::to_value(broadside_rules::variants()[0].rule_set()).unwrap();
        let mut table = Table::new("a", &json!({ "rule_set": rules }), Level::Easy, 1).unwrap();
        for number in [1, 2, 2, 1, 4, 3] {
            table.hear(json!({ "number": number }));
        }
        let heard: Vec<_> = table.reports.iter().map(|report| report["number"].as_u64().unwrap()).collect();
        assert_eq!(heard, [1, 2, 3], "4 came before its time, and is read when it is needed");
    }
}
