//! Mail settings: confirmation of an address, unsubscription, and privacy of both.

use serde_json::{Value, json};

use crate::support::smtp::{Postbox, Received, Trouble};
use crate::support::{Answer, Player, Setup, TestApp, plain};

/// A node that sends mail, and its receiver.
pub async fn with_mail() -> (TestApp, Postbox) {
    let postbox = Postbox::open().await;
    let match_link = Some("https://club.example/match/{id}");
    let app = TestApp::with(Setup { mail: Some(postbox.setup()), match_link, ..Setup::default() }).await;
    (app, postbox)
}

/// Sets this address, and confirms it by the link mailed there.
pub async fn confirms(player: &Player, postbox: &Postbox, address: &str) {
    player.changes_email(address).await;
    let asked = player.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
    assert_eq!(asked["confirmed"], false);
    let link = postbox.next().await.link("confirm");
    assert_eq!(player.app.request("POST", &link, None).await.status, 200);
}

pub async fn settings(player: &Player) -> Value {
    player.get("/v1/account/mail").await.expect(200)
}

pub async fn wants(player: &Player, wishes: Value) -> Value {
    player.request("PUT", "/v1/account/mail", Some(wishes)).await.expect(200)
}

fn is_page(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"), "{policy}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
}

#[actix_web::test]
async fn a_server_without_mail_says_so() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let usual = json!({
        "available": false, "email": null, "confirmed": false, "events": [], "digest": "immediate", "daily_hour": 8,
        "quiet_hours": null, "time_zone": "UTC", "language": "en", "last_failure": null,
    });
    assert_eq!(settings(&anna).await, usual);
    anna.changes_email("anna@example.org").await;
    anna.post("/v1/account/mail/confirmation", json!({})).await.problem(409, "mail-unavailable");
    assert_eq!(wants(&anna, json!({ "events": ["your-turn"] })).await["available"], false);
}

#[actix_web::test]
async fn preferences_are_replaced_whole_and_every_fault_is_named() {
    let (app, _) = with_mail().await;
    let anna = app.player("anna").await;
    let wishes = json!({
        "events": ["chat", "your-turn", "chat"], "digest": "daily", "daily_hour": 0, "time_zone": "america/new_york",
        "quiet_hours": { "start": "22:00", "end": "07:30" }, "language": "fr",
    });
    let set = wants(&anna, wishes).await;
    assert_eq!((&set["events"], &set["time_zone"]), (&json!(["your-turn", "chat"]), &json!("America/New_York")));
    assert_eq!(set["quiet_hours"], json!({ "start": "22:00", "end": "07:30" }));
    assert_eq!((&set["digest"], &set["daily_hour"], &set["language"]), (&json!("daily"), &json!(0), &json!("fr")));
    assert_eq!(settings(&anna).await, set);
    let set = wants(&anna, json!({ "events": ["chat"] })).await;
    assert_eq!(
        (&set["digest"], &set["quiet_hours"], &set["language"]),
        (&json!("immediate"), &Value::Null, &json!("en"))
    );

    let put = async |wishes: Value| anna.request("PUT", "/v1/account/mail", Some(wishes)).await;
    let wrong = json!({
        "events": ["your-turn", "snapshot"], "digest": "weekly", "time_zone": "Europe/Atlantis", "language": "de", "to": "x",
        "quiet_hours": { "start": "25:00", "til": "07:30" },
    });
    let refused = put(wrong).await;
    refused.problem(422, "validation-failed");
    let mut pointers = refused.pointers();
    pointers.sort();
    let expected = [
        "/digest",
        "/events/1",
        "/language",
        "/quiet_hours/end",
        "/quiet_hours/start",
        "/quiet_hours/til",
        "/time_zone",
        "/to",
    ];
    assert_eq!(pointers, expected);
    let refused = put(json!({ "daily_hour": 24, "quiet_hours": { "start": "07:00", "end": "07:00" } })).await;
    assert_eq!(refused.pointers(), ["/daily_hour", "/quiet_hours/end"]);
    assert_eq!(settings(&anna).await, set, "nothing has changed");
}

#[actix_web::test]
async fn an_address_is_confirmed_by_a_button_and_not_by_a_look() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    anna.post("/v1/account/mail/confirmation", json!({})).await.problem(409, "email-missing");
    anna.changes_email("anna@example.org").await;
    anna.post_once("k", "/v1/account/mail/confirmation", json!({})).await.expect(200);
    anna.post_once("k", "/v1/account/mail/confirmation", json!({})).await.expect(200);
    let mail = postbox.next().await;
    assert_eq!((mail.to.as_str(), mail.from.as_str()), ("anna@example.org", "mail@club.example"));
    assert_eq!(mail.header("subject"), "Please confirm your address");
    assert_eq!(mail.header("auto-submitted"), "auto-generated");
    assert!(mail.headers.iter().all(|(name, _)| name != "List-Unsubscribe"));

    let link = mail.link("confirm");
    for _ in 0..3 {
        let page = app.get(&link).await;
        is_page(&page, 200);
        assert!(page.text().contains("<form method=post><button>") && !page.text().contains("anna"), "{}", page.text());
        assert_eq!(settings(&anna).await["confirmed"], false, "a program may have looked");
    }
    // A form post from a page with an opaque origin.
    let form = plain("POST", &link, None)
        .insert_header(("origin", "null"))
        .insert_header(("content-type", "application/x-www-form-urlencoded"));
    let done = app.send(form).await;
    is_page(&done, 200);
    assert!(done.text().contains("confirmed") && !done.text().contains("<form"));
    assert_eq!(settings(&anna).await["confirmed"], true);
    is_page(&app.request("POST", &link, None).await, 200);
    // A confirmed address gets no link.
    assert_eq!(anna.post("/v1/account/mail/confirmation", json!({})).await.expect(200)["confirmed"], true);
    assert!(postbox.empty().is_empty());
    let hash = format!(
        "SELECT 1 / (count(*) = 1)::int FROM mail_confirmations WHERE account_id = '{}' AND length(hash) = 32 \
        AND position(hash in '{}'::bytea) = 0",
        anna.id, link
    );
    crate::support::database::execute(&app.database, &hash).await;
}

#[actix_web::test]
async fn a_link_is_for_one_address_and_for_two_days() {
    let (app, postbox) = with_mail().await;
    let anna = app.lasting_player("anna").await;
    let patch = async |address: &str| {
        anna.changes_email(address).await;
    };
    let asks = async || {
        anna.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
        postbox.next().await.link("confirm")
    };
    patch("anna@example.org").await;
    let old = asks().await;
    patch("anna@elsewhere.example").await;
    is_page(&app.request("POST", &old, None).await, 404);
    is_page(&app.get(&old).await, 404);
    app.passes_s(600).await;
    let expired = asks().await;
    app.passes_s(48 * 3600).await;
    is_page(&app.request("POST", &expired, None).await, 404);
    assert_eq!(settings(&anna).await["confirmed"], false);
    let good = asks().await;
    app.passes_s(48 * 3600 - 1).await;
    assert_eq!(app.request("POST", &good, None).await.status, 200);
    assert_eq!(settings(&anna).await["confirmed"], true);
    // The same address is no change; another one is, and so is the change back.
    patch("anna@elsewhere.example").await;
    assert_eq!(settings(&anna).await["confirmed"], true);
    patch("anna@example.org").await;
    assert_eq!(settings(&anna).await["confirmed"], false);
    patch("anna@elsewhere.example").await;
    assert_eq!(settings(&anna).await["confirmed"], false);
    is_page(&app.request("POST", &good, None).await, 404);
    for nobody in ["x", &"A".repeat(64), "%00", "..%2f.."] {
        is_page(&app.request("POST", &format!("/v1/mail/confirm/{nobody}"), None).await, 404);
        is_page(&app.get(&format!("/v1/mail/unsubscribe/{nobody}")).await, 404);
    }
    // Expired links are deleted.
    app.passes_s(3 * 24 * 3600).await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    let none = "SELECT 1 / (count(*) = 0)::int FROM mail_confirmations";
    crate::support::database::execute(&app.database, none).await;
}

#[actix_web::test]
async fn nobody_can_have_a_mailbox_filled() {
    let (app, postbox) = with_mail().await;
    let anna = app.lasting_player("anna").await;
    anna.changes_email("victim@example.org").await;
    let ask = async || anna.post("/v1/account/mail/confirmation", json!({})).await;
    for wait in ["600", "600", "600", "600", "84000"] {
        ask().await.expect(200);
        postbox.next().await;
        let early = ask().await;
        early.problem(429, "too-many-requests");
        assert_eq!(early.header("retry-after"), Some(wait));
        app.passes_s(600).await;
    }
    let sixth = ask().await;
    sixth.problem(429, "too-many-requests");
    assert_eq!(sixth.header("retry-after"), Some("83400"), "a day after the first");
    // The same with many accounts, in any spelling: each is sent one link, and from the eleventh account on no second
    // one. Nobody is notified.
    let mut socks = Vec::new();
    for number in 0..7 {
        let sock = app.lasting_player(&format!("sock-{number}")).await;
        sock.changes_email("Victim@Example.ORG").await;
        sock.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
        postbox.next().await;
        socks.push(sock);
    }
    app.passes_s(600).await;
    for sock in &socks {
        sock.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
    }
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(postbox.empty().is_empty());
    // Unsent links don't count: a day after Anna's five, seven were sent.
    app.passes_s(24 * 3600 - 900).await;
    socks[0].post("/v1/account/mail/confirmation", json!({})).await.expect(200);
    postbox.next().await;
}

#[actix_web::test]
async fn a_link_comes_in_french_and_at_the_second_attempt() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    anna.changes_email("änna@exämple.org").await;
    wants(&anna, json!({ "language": "fr" })).await;
    anna.post("/v1/account/mail/confirmation", json!({})).await.expect(200);
    let mail = postbox.next().await;
    assert_eq!((mail.header("subject"), mail.to.as_str()), ("Confirmez votre adresse", "änna@xn--exmple-cua.org"));
    assert!(mail.text.starts_with("Bonjour anna,"), "{}", mail.text);
    let page = app.get(&mail.link("confirm")).await;
    assert!(page.text().contains("<html lang=fr>") && page.text().contains("Oui, je confirme"), "{}", page.text());
}

#[actix_web::test]
async fn who_has_set_no_language_gets_the_one_of_the_request() {
    let (app, postbox) = with_mail().await;
    let [anna, ben] = [app.player("anna").await, app.player("ben").await];
    let french = |player: &Player, method: &str, path: &str| {
        let request = player.signed(plain(method, path, Some(json!({}))));
        request.insert_header(("accept-language", "fr-FR, fr;q=0.9, en;q=0.5"))
    };
    anna.changes_email("anna@example.org").await;
    app.send(french(&anna, "POST", "/v1/account/mail/confirmation")).await.expect(200);
    let mail = postbox.next().await;
    assert_eq!(mail.header("subject"), "Confirmez votre adresse");
    assert!(app.get(&mail.link("confirm")).await.text().contains("<html lang=fr>"));
    assert_eq!(settings(&anna).await["language"], "fr", "later mails as well");
    // An earlier setting takes precedence; settings without a language take it from the request, too.
    wants(&ben, json!({ "language": "en" })).await;
    ben.changes_email("ben@example.org").await;
    app.send(french(&ben, "POST", "/v1/account/mail/confirmation")).await.expect(200);
    assert_eq!(postbox.next().await.header("subject"), "Please confirm your address");
    assert_eq!(app.send(french(&ben, "PUT", "/v1/account/mail")).await.expect(200)["language"], "fr");
}

/// Anna wants mail about her turns and has confirmed her address; Ben plays with her, and it is her turn. Returns the
/// mail about it.
async fn first_mail(app: &TestApp, postbox: &Postbox) -> (Player, Received) {
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    confirms(&anna, postbox, "anna@example.org").await;
    wants(&anna, json!({ "events": ["your-turn"] })).await;
    anna.challenges_and_meets(&ben, json!({})).await;
    app.passes_s(60).await;
    app.posts().await;
    (anna, postbox.next().await)
}

#[actix_web::test]
async fn one_click_ends_all_mail() {
    let (app, postbox) = with_mail().await;
    let (anna, mail) = first_mail(&app, &postbox).await;
    let link = mail.link("unsubscribe");
    assert_eq!(mail.header("list-unsubscribe"), format!("<https://broadside.test{link}>"));
    assert_eq!(mail.header("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    let page = app.get(&link).await;
    is_page(&page, 200);
    assert!(page.text().contains("<form method=post>"));
    assert_eq!(settings(&anna).await["events"], json!(["your-turn"]), "a look changes nothing");
    // The link of another account, or a forged one, ends nothing.
    let mut forged = link.clone();
    let place = forged.len() - 3..forged.len() - 2;
    let other = if &forged[place.clone()] == "A" { "B" } else { "A" };
    forged.replace_range(place, other);
    is_page(&app.request("POST", &forged, None).await, 404);
    // One-click unsubscription (RFC 8058).
    let click = plain("POST", &link, None)
        .insert_header(("content-type", "application/x-www-form-urlencoded"))
        .set_payload("List-Unsubscribe=One-Click");
    is_page(&app.send(click).await, 200);
    let after = settings(&anna).await;
    assert_eq!((&after["events"], &after["confirmed"]), (&json!([]), &json!(true)));
    let ben = app.lasting_player("ben2").await;
    anna.challenges_and_meets(&ben, json!({})).await;
    app.passes_s(3600).await;
    app.posts().await;
    assert!(postbox.empty().is_empty());
    // After a new subscription, only later events are mailed.
    wants(&anna, json!({ "events": ["your-turn"] })).await;
    app.passes_s(3600).await;
    app.posts().await;
    assert!(postbox.empty().is_empty());
}

#[actix_web::test]
async fn a_mail_to_an_address_of_before_ends_nothing() {
    let (app, postbox) = with_mail().await;
    let (anna, mail) = first_mail(&app, &postbox).await;
    app.passes_s(600).await;
    confirms(&anna, &postbox, "anna@elsewhere.example").await;
    is_page(&app.request("POST", &mail.link("unsubscribe"), None).await, 404);
    assert_eq!(settings(&anna).await["events"], json!(["your-turn"]));
}

#[actix_web::test]
async fn an_export_holds_it_and_a_deletion_forgets_it() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    wants(&anna, json!({ "events": ["chat"], "time_zone": "Asia/Kathmandu" })).await;
    let export = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(export["mail"], settings(&anna).await);
    assert_eq!(export["mail_confirmations"][0]["email"], "anna@example.org");
    assert_eq!(export["mail_confirmations"][0]["used_at"], "2026-11-21T07:30:00.000Z");
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    for table in ["mail_settings", "mail_confirmations"] {
        let none = format!("SELECT 1 / (count(*) = 0)::int FROM {table}");
        crate::support::database::execute(&app.database, &none).await;
    }
}

/// Every GET of the contract about this match, as this player.
async fn sees_everything(player: &Player, id: &str) -> Vec<(String, Answer)> {
    let document = player.app.get("/openapi.json").await.json();
    let mut seen = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        if item["get"].is_null() || path.contains("jwks") {
            continue;
        }
        let id = if path.contains("variants") { "classic" } else { id };
        let path = path.replace("{id}", id).replace("{username}", "anna");
        seen.push((path.clone(), player.get(&path).await));
    }
    seen
}

#[actix_web::test]
async fn nobody_else_can_see_whether_somebody_gets_mail() {
    let mut worlds = Vec::new();
    for wants_mail in [false, true] {
        let postbox = Postbox::open().await;
        let app = TestApp::with(Setup { mail: Some(postbox.setup()), seed: Some(9), ..Setup::default() }).await;
        let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
        let id = anna.challenges_and_meets(&ben, json!({})).await;
        if wants_mail {
            // Her random values come from a generator of their own, so the worlds stay comparable.
            confirms(&anna, &postbox, "anna@example.org").await;
            wants(&anna, json!({ "events": ["your-turn", "match-finished"] })).await;
            postbox.expects(&[Trouble::Says("RCPT", 550)]);
        }
        ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
        app.passes_s(61).await;
        app.posts().await;
        let heard = anna.hears(0).await;
        assert_eq!(heard.last().unwrap()["type"] == "mail-failed", wants_mail);
        let seen = sees_everything(&ben, &id).await;
        worlds.push(seen.into_iter().map(|(path, answer)| (path, without_drawn(answer))).collect::<Vec<_>>());
    }
    assert_eq!(worlds[0], worlds[1]);
}

/// An answer without its request id, which is random.
fn without_drawn(mut answer: Answer) -> Answer {
    answer.headers.retain(|(name, _)| name != "x-request-id");
    if answer.status >= 400 {
        let mut body = answer.json();
        body["request_id"] = Value::Null;
        answer.body = body.to_string().into_bytes();
    }
    answer
}
