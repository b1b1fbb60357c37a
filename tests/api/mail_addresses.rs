//! Bounces of mail, and the owners' view of them.

use serde_json::{Value, json};

use crate::mail::{settings, with_mail};
use crate::support::smtp::Trouble;

#[actix_web::test]
async fn what_no_mail_reaches_is_no_address() {
    let (app, _) = with_mail().await;
    let anna = app.player("anna").await;
    for wrong in [
        ".dot@example.org",
        "dot.@example.org",
        "a..b@example.org",
        "anna@example..org",
        "anna@-example.org",
        "anna@example_x.org",
        "anna@example.org.",
        "anna@127.0.0.1",
        "anna@xn--a.org",
        &format!("anna@{}.org", "x".repeat(64)),
    ] {
        let body = json!({ "email": wrong, "current_password": anna.password });
        let refused = anna.request("PUT", "/v1/account/email", Some(body)).await;
        assert_eq!((refused.status, refused.pointers()), (422, vec!["/email".to_owned()]), "{wrong}");
        let new = json!({ "username": "benedict", "password": "three masts and a storm", "email": wrong });
        app.post("/v1/accounts", new).await.problem(422, "validation-failed");
    }
    // A domain is stored in its ASCII form (RFC 5890).
    anna.changes_email("Anna@BÜCHER.example").await;
    assert_eq!(settings(&anna).await["email"], "Anna@xn--bcher-kva.example");
}

#[actix_web::test]
async fn a_mistyped_address_is_seen_and_replaced_at_once() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    assert_eq!(settings(&anna).await["last_failure"], Value::Null);
    anna.changes_email("ana@example.org").await;
    postbox.expects(&[Trouble::Explains("RCPT", 550, "5.1.1 no such user")]);
    anna.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
    let failed = loop {
        let failed = settings(&anna).await["last_failure"].clone();
        if failed != Value::Null {
            break failed;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    assert_eq!((&failed["reason"], &failed["at"]), (&json!("refused"), &json!("2026-11-21T07:30:00.000Z")));
    // The same address has to wait; another one gets its link at once, and counts as working.
    anna.post("/v1/account/mail/confirmation", json!({})).await.problem(429, "too-many-requests");
    anna.changes_email("anna@example.org").await;
    assert_eq!(settings(&anna).await["last_failure"], Value::Null);
    anna.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
    let mail = postbox.next().await;
    assert_eq!(mail.to, "anna@example.org");
    assert_eq!(app.request("POST", &mail.link("confirm"), None).await.status, 200);
}
