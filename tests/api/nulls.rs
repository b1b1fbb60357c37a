//! `null` in a PATCH clears what can be empty, and is refused everywhere else (RFC 7396).

use serde_json::{Value, json};

use crate::ladders;
use crate::passkeys::adds;
use crate::registered_apps;
use crate::support::authenticator::Authenticator;
use crate::support::{Player, TestApp};
use crate::tournaments;

/// A resource with a PATCH: the contract's path, its own path, and the way to read it.
struct Patched {
    template: &'static str,
    path: String,
    /// The list that contains it, if it can't be read alone.
    list: Option<&'static str>,
}

impl Patched {
    async fn read(&self, owner: &Player) -> Value {
        match self.list {
            None => owner.get(&self.path).await.expect(200),
            Some(list) => owner.get(list).await.expect(200)["items"][0].clone(),
        }
    }
}

/// One of each, with a value in every field that can be cleared.
async fn one_of_each(anna: &Player) -> Vec<Patched> {
    let profile = json!({ "bio": "I sail in Brest.", "country": "FR", "club": "Naval club", "shows_time_zone": true });
    anna.request("PATCH", "/v1/account", Some(profile)).await.expect(200);
    let passkey = adds(anna, &mut Authenticator::new(1)).await;
    let app = registered_apps::registers(anna, "Harbour Chart").await;
    let hook = json!({ "url": "https://bot.example/", "events": ["your-turn"] });
    let hook = anna.post("/v1/webhooks", hook).await.expect(201)["webhook"]["id"].as_str().unwrap().to_owned();
    let shared = json!({
        "description": "Every Tuesday.", "visibility": "private", "entry": "approval", "audience": "humans",
        "min_reliability_percent": 80, "min_rating": 1200, "max_rating": 1800, "min_account_age_days": 3,
    });
    let with = |own: Value| {
        let mut all = shared.as_object().unwrap().clone();
        all.extend(own.as_object().unwrap().clone());
        Value::Object(all)
    };
    let ladder = json!({
        "season_s": 864_000, "max_meetings": 3, "divisions": { "size": 8, "promotions": 2 }, "ranking": "best",
        "ranking_results": 7, "max_pairings": 2,
    });
    let ladder = anna.post("/v1/ladders", ladders::terms(with(ladder))).await.expect(201);
    let cup = json!({
        "format": "swiss", "rounds": 4, "review_s": 3600, "round_time_s": 864_000, "late_entry": { "until_round": 2 },
        "registration_ends_at": "2026-12-01T10:00:00.000Z", "starts_at": "2026-12-02T10:00:00.000Z", "max_players": 16,
    });
    let cup = tournaments::tournament(anna, &[], with(cup)).await;
    let of = |template, path| Patched { template, path, list: None };
    vec![
        of("/v1/account", "/v1/account".to_owned()),
        Patched {
            template: "/v1/account/passkeys/{id}",
            path: format!("/v1/account/passkeys/{passkey}"),
            list: Some("/v1/account/passkeys"),
        },
        of("/v1/account/registered-apps/{id}", app.path()),
        of("/v1/ladders/{id}", format!("/v1/ladders/{}", ladder["id"].as_str().unwrap())),
        of("/v1/tournaments/{id}", cup),
        of("/v1/webhooks/{id}", format!("/v1/webhooks/{hook}")),
    ]
}

fn may_be_null(field: &Value) -> bool {
    let kinds = field["type"].as_array().into_iter().flatten();
    let choices = field["oneOf"].as_array().into_iter().flatten();
    kinds.chain(choices.map(|choice| &choice["type"])).any(|kind| kind == "null")
}

#[actix_web::test]
async fn null_clears_what_can_be_empty_and_nothing_else() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let document = app.get("/openapi.json").await.json();
    let all = one_of_each(&anna).await;
    let paths = document["paths"].as_object().unwrap();
    let patched = paths.iter().filter(|(_, item)| item["patch"].is_object()).map(|(path, _)| path.as_str());
    assert_eq!(patched.collect::<Vec<_>>(), all.iter().map(|one| one.template).collect::<Vec<_>>());
    let (mut cleared, mut refused) = (0, 0);
    for one in &all {
        let schema = &document["paths"][one.template]["patch"]["requestBody"]["content"]["application/json"]["schema"];
        let schema = document.pointer(schema["$ref"].as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
        for (name, field) in schema["properties"].as_object().unwrap() {
            let before = one.read(&anna).await;
            let answer = anna.request("PATCH", &one.path, Some(json!({ (name.as_str()): null }))).await;
            let after = one.read(&anna).await;
            let place = format!("{} {name}", one.path);
            if may_be_null(field) {
                cleared += 1;
                answer.expect(200);
                let is_empty = after[name].is_null() || after[name] == "";
                assert!(!before[name].is_null() && is_empty, "{place}: {} {}", before[name], after[name]);
            } else {
                refused += 1;
                answer.problem(422, "validation-failed");
                assert_eq!(answer.pointers(), [format!("/{name}")], "{place}");
            }
            let fields = before.as_object().unwrap().keys();
            // Derived fields: the end of a season, the policy for late games.
            let follow = ["season", "at_deadline", "eligibility", "policies"];
            let differ = |other: &&String| before[*other] != after[*other];
            let others: Vec<_> = fields.filter(|other| *other != name && !follow.contains(&other.as_str())).collect();
            assert_eq!(others.into_iter().filter(differ).collect::<Vec<_>>(), Vec::<&String>::new(), "{place}");
        }
    }
    assert!(cleared >= 20 && refused >= 40, "{cleared} cleared, {refused} refused");
}

#[actix_web::test]
async fn null_opens_nothing() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let closed = json!({ "visibility": "private", "entry": "invitation", "min_rating": 1200 });
    for path in [
        tournaments::tournament(&anna, &[], closed.clone()).await,
        format!("/v1/ladders/{}", anna.makes_ladder(closed).await),
    ] {
        let change = json!({ "title": "Another title", "visibility": null, "entry": null, "audience": null });
        let refused = anna.request("PATCH", &path, Some(change)).await;
        refused.problem(422, "validation-failed");
        let mut pointers = refused.pointers();
        pointers.sort_unstable();
        assert_eq!(pointers, ["/audience", "/entry", "/visibility"]);
        app.get(&path).await.problem(404, "not-found");
        assert_eq!(anna.get(&path).await.expect(200)["min_rating"], 1200);
    }
}

#[actix_web::test]
async fn null_is_the_same_as_left_out_in_a_request_that_makes_something() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let terms = json!({ "visibility": null, "min_rating": null, "season_s": null });
    let ladder = anna.post("/v1/ladders", ladders::terms(terms)).await.expect(201);
    assert_eq!([&ladder["visibility"], &ladder["season_s"]], [&json!("public"), &Value::Null]);
}
