//! Held standing orders: they wait during an armistice and while a draw is offered, so that their owner sees it first.

use serde_json::json;

use crate::support::TestApp;
use crate::support::orders::chain;

#[actix_web::test]
async fn orders_rest_in_an_armistice() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    anna.tries_orders(&id, chain(&["A10"]), (100, 100)).await.expect(200);
    ben.acts(&id, json!({ "type": "call-armistice" })).await.expect(200);
    app.passes_s(1000).await;
    assert_eq!(anna.sees(&id).await["status"], "armistice");
    anna.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    ben.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    app.passes_s(99).await;
    assert!(anna.shots_of(&id, 0).await.is_empty());
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"]);
}

#[actix_web::test]
async fn an_order_waits_for_its_owner_while_a_draw_is_on_offer() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    anna.tries_orders(&id, chain(&["A10", "B10"]), (100, 100)).await.expect(200);
    ben.acts(&id, json!({ "type": "offer-draw" })).await.expect(200);
    app.passes_s(3600).await;
    assert!(anna.shots_of(&id, 0).await.is_empty(), "to fire declines the draw, of which she has not heard");
    let due = anna.orders(&id).await["due_at"].as_str().unwrap().to_owned();
    assert!(("2026-11-22T07:10:00.000Z"..="2026-11-22T07:20:00.000Z").contains(&due.as_str()), "{due}");
    // She answers, and the order is executed as usual.
    anna.acts(&id, json!({ "type": "decline-draw" })).await.expect(200);
    for _ in 0..30 {
        app.passes_s(5).await;
    }
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"]);
    // If she doesn't, her time takes precedence over the offer.
    ben.fires(&id, &["J1"]).await;
    ben.acts(&id, json!({ "type": "offer-draw" })).await.expect(200);
    app.passes_s(86_400 - 1201).await;
    assert!(anna.sees(&id).await["decisions"].to_string().contains("accept-draw"), "the offer stands");
    for _ in 0..121 {
        app.passes_s(5).await;
    }
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "B10"]);
    assert_eq!(ben.sees(&id).await["status"], "playing");
    // Her own offer is no reason to wait.
    anna.orders_to(&id, chain(&["C10"])).await;
    anna.acts(&id, json!({ "type": "offer-draw" })).await.expect(200);
    ben.fires(&id, &["I1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "B10", "C10"]);
}
