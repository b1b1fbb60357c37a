//! Anna's webhook and its deliveries.

use serde_json::json;

use super::{Tour, text};
use crate::support::Player;

pub async fn begin(tour: &mut Tour, anna: &Player) {
    let body = json!({ "url": tour.receiver.url(), "events": ["your-turn", "match-finished"] });
    let made = tour.post(anna, "/v1/webhooks", body, "bot: Anna's bot is called when it has to act.").await;
    let path = format!("/v1/webhooks/{}", text(&made["webhook"], "id"));
    tour.post(anna, &format!("{path}/test"), json!({}), "ping: A test message is on its way.").await;
    tour.app.delivers().await;
}

pub async fn deliveries(tour: &mut Tour, anna: &Player) {
    tour.app.delivers().await;
    let all = tour.get(anna, "/v1/webhooks", "one: Anna's only webhook.").await;
    let path = format!("/v1/webhooks/{}", text(&all["items"][0], "id"));
    tour.get(anna, &path, "bot: The webhook of Anna's bot.").await;
    let body = json!({ "url": tour.receiver.url(), "events": ["your-turn"], "active": true });
    tour.patch(anna, &path, body, "turns: It is called for turns alone.").await;
    let list = format!("{path}/deliveries");
    let found = tour.get(anna, &format!("{list}?limit=3"), "newest: The three newest.").await;
    let one = format!("{list}/{}", text(&found["items"][0], "id"));
    tour.get(anna, &one, "delivered: A message that was taken.").await;
    tour.post(anna, &format!("{one}/redeliver"), json!({}), "again: It will be sent once more.").await;
    tour.post(anna, &format!("{path}/secret"), json!({}), "another: Another secret.").await;
    tour.delete(anna, &path, None, "bot: The bot is called no longer.").await;
}
