//! Support for standing orders.

use broadside::standing_orders::rounds::{self, Lane};
use serde_json::{Value, json};

use super::{Answer, Player, TestApp};

/// The path of a player's orders in a match.
pub fn path(id: &str) -> String {
    format!("/v1/matches/{id}/standing-orders")
}

/// An order to fire at one cell.
pub fn fire(cell: &str) -> Value {
    json!({ "then": { "action": { "type": "fire", "cells": [cell] } } })
}

/// Orders to fire at these cells, one a turn.
pub fn chain(cells: &[&str]) -> Value {
    cells.iter().map(|cell| fire(cell)).collect()
}

impl Player {
    pub async fn orders(&self, id: &str) -> Value {
        self.get(&path(id)).await.expect(200)
    }

    /// Replaces the list of orders; `delay` is the range in seconds before execution.
    pub async fn tries_orders(&self, id: &str, orders: Value, delay: (u32, u32)) -> Answer {
        let revision = self.orders(id).await["revision"].clone();
        let delay = json!({ "min_s": delay.0, "max_s": delay.1 });
        let list = json!({ "revision": revision, "orders": orders, "delay": delay });
        self.request("PUT", &path(id), Some(list)).await
    }

    /// The same without a delay. Panics if it is refused.
    pub async fn orders_to(&self, id: &str, orders: Value) -> Value {
        self.tries_orders(id, orders, (0, 0)).await.expect(200)
    }

    /// The player's notifications about standing orders: type, and the action's first cell or its type.
    pub async fn hears_of_orders(&self) -> Vec<(String, Value)> {
        let heard = self.hears(0).await;
        let of_orders = heard.iter().filter(|event| event["type"].as_str().unwrap().starts_with("standing-order"));
        let kind = |event: &Value| match event["code"].as_str() {
            Some(code) => code.to_owned(),
            None => event["type"].as_str().unwrap().trim_start_matches("standing-order-").to_owned(),
        };
        let what = |event: &Value| match &event["action"]["cells"][0] {
            Value::Null => event["action"]["type"].clone(),
            cell => cell.clone(),
        };
        of_orders.map(|event| (kind(event), what(event))).collect()
    }

    /// The cells that a seat has fired at, in order, in the player's view.
    pub async fn shots_of(&self, id: &str, seat: u8) -> Vec<String> {
        let reports = self.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
        let reports = reports["items"].as_array().unwrap().clone();
        let fired = reports.iter().filter(|report| report["type"] == "fired" && report["seat"] == seat);
        fired
            .flat_map(|report| report["shots"].as_array().unwrap())
            .map(|shot| shot["cell"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// Notifications about standing orders in the form of [`Player::hears_of_orders`].
pub fn told(list: &[(&str, &str)]) -> Vec<(String, Value)> {
    list.iter().map(|(kind, what)| ((*kind).to_owned(), json!(what))).collect()
}

impl TestApp {
    /// Runs the jobs that execute standing orders once.
    pub async fn executes_orders(&self) -> broadside::error::Result<()> {
        let near = rounds::round(&self.app.matches, Lane::NearDeadline).await;
        near.and(rounds::round(&self.app.matches, Lane::Others).await)
    }

    /// Anna (who begins) and Ben, with tokens that last, at a match on these terms.
    pub async fn long_table(&self, terms: Value) -> (Player, Player, String) {
        let (anna, ben) = (self.lasting_player("anna").await, self.lasting_player("ben").await);
        let id = anna.challenges_and_meets(&ben, terms).await;
        (anna, ben, id)
    }

    /// The same with both fleets placed.
    pub async fn battle(&self, move_s: u32) -> (Player, Player, String) {
        let terms = json!({ "clock": { "kind": "per-move", "move_s": move_s } });
        let (anna, ben, id) = self.long_table(terms).await;
        anna.deploys(&id, super::fleets::NORTH_WEST).await;
        ben.deploys(&id, super::fleets::SOUTH_EAST).await;
        (anna, ben, id)
    }
}
