//! Position ladders with inactive members: members who could have played a challenge fall, others don't.

use serde_json::json;

use crate::support::TestApp;
use crate::support::club::{Club, DAY_S, SIX};

#[actix_web::test]
async fn who_stands_first_and_is_not_challenged_does_not_fall() {
    let app = TestApp::start().await;
    let terms = json!({ "inactive_after_s": 10 * DAY_S, "no_return_s": 0, "protection_s": 0 });
    let club = Club::of(&app, &["anna", "ben", "carl"], terms).await;
    app.passes_s(9 * DAY_S).await;
    club.plays("carl", "ben", "carl").await;
    app.passes_s(DAY_S).await;
    // Anna has nobody to challenge, and was not challenged.
    assert_eq!(club.wall().await, "anna ben carl");
    app.passes_s(7 * DAY_S).await;
    club.plays("carl", "ben", "carl").await;
    app.passes_s(9 * DAY_S).await;
    assert_eq!(club.wall().await, "anna ben carl");
    // Ben could challenge her, and doesn't: Ben falls after the ten days.
    club.plays("carl", "anna", "carl").await;
    app.passes_s(2 * DAY_S).await;
    assert_eq!(club.wall().await, "anna carl ben");
}

#[actix_web::test]
async fn who_stands_first_and_declines_falls_as_everybody_does() {
    let app = TestApp::start().await;
    let terms = json!({ "inactive_after_s": 10 * DAY_S, "declines": 5, "reach": 1 });
    let club = Club::of(&app, &["anna", "ben", "carl"], terms).await;
    // She had a challenge to play, and declined.
    app.passes_s(5 * DAY_S).await;
    let challenge = club.challenges("ben", "anna").await;
    club.who("anna").post(&format!("{challenge}/decline"), json!({})).await.expect(200);
    app.passes_s(5 * DAY_S).await;
    assert_eq!(club.wall().await, "ben anna carl");
    assert_eq!(club.steps().await.pop().unwrap()["reason"], "inactive");
}

#[actix_web::test]
async fn who_plays_no_challenge_falls() {
    let app = TestApp::start().await;
    let terms = json!({ "reach": 2, "inactive_after_s": 10 * DAY_S, "no_return_s": 0, "protection_s": 0 });
    let club = Club::of(&app, &SIX, terms).await;
    app.passes_s(5 * DAY_S).await;
    // Fritz and emil are active; dora is on vacation; and carl has a running challenge.
    club.plays("fritz", "emil", "fritz").await;
    let vacation = json!({ "starts_at": "2027-06-15T00:00:00Z", "ends_at": "2027-06-21T00:00:00Z" });
    club.who("dora").post("/v1/account/vacations", vacation).await.expect(201);
    // Anna has nobody to challenge, but she declined a challenge.
    let declined = club.challenges("ben", "anna").await;
    club.who("anna").post(&format!("{declined}/decline"), json!({})).await.expect(200);
    let challenge = club.challenges("carl", "ben").await;
    club.accepts("ben", &challenge).await;
    assert_eq!(club.wall().await, "anna ben carl dora emil fritz");
    app.passes_s(5 * DAY_S).await;
    // Anna alone falls, by two places.
    assert_eq!(club.wall().await, "ben carl anna dora emil fritz");
    assert_eq!(club.steps().await.pop().unwrap()["reason"], "inactive");
    let heard = club.hears("anna").await.pop().unwrap();
    assert_eq!((&heard["type"], &heard["reason"]), (&json!("ladder-position-changed"), &json!("inactive")));
    // Not again at once, and not twice by two nodes.
    let node = app.another_node().await;
    let (one, other) = futures_util::future::join(
        broadside::ladders::job::run(&app.app.matches),
        broadside::ladders::job::run(&node.app.matches),
    )
    .await;
    one.and(other).unwrap();
    assert_eq!(club.wall().await, "ben carl anna dora emil fritz");
    // Emil and fritz are next, one place after the other. Dora follows after her vacation and the rest of her ten days.
    app.passes_s(5 * DAY_S).await;
    assert_eq!((club.wall().await.as_str(), club.steps().await.len()), ("ben carl anna dora emil fritz", 9));
    app.passes_s(DAY_S - 2).await;
    assert_eq!(club.steps().await.len(), 9);
    app.passes_s(1).await;
    assert_eq!(club.wall().await, "ben carl anna emil fritz dora");

    // Olga, in first place, is the only one who doesn't play.
    let to_the_end = json!({ "reach": 1, "inactive_after_s": DAY_S, "inactivity": "to-the-end" });
    let other = Club::of(&app, &["olga", "paul", "quinn"], to_the_end).await;
    app.passes_s(DAY_S / 2).await;
    let declined = other.challenges("paul", "olga").await;
    other.who("olga").post(&format!("{declined}/decline"), json!({})).await.expect(200);
    other.plays("quinn", "paul", "quinn").await;
    app.passes_s(DAY_S / 2).await;
    assert_eq!(other.wall().await, "paul quinn olga");
}
