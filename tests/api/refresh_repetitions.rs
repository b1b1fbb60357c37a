//! Repeated refresh tokens: by another tab, after a lost answer, or by a thief.

use std::net::SocketAddr;

use futures_util::future::join;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::guests::guest;
use crate::refresh::{signs_in, with};
use crate::support::{Answer, TestApp, plain};

/// A client.
#[derive(Clone, Copy)]
struct Place {
    network: &'static str,
    agent: &'static str,
}

const HOME: Place = Place { network: "203.0.113.7:4000", agent: "chart/1.0" };
const STREET: Place = Place { network: "198.51.100.9:4000", agent: "chart/1.0" };
const ABROAD: Place = Place { network: "192.0.2.66:4000", agent: "chart/1.0" };

impl Place {
    async fn refreshes(self, app: &TestApp, token: &Value) -> Answer {
        let peer: SocketAddr = self.network.parse().unwrap();
        let request = plain("POST", "/v1/sessions/refresh", Some(json!({ "refresh_token": token })));
        app.send_from(peer, request.insert_header(("user-agent", self.agent))).await
    }
}

#[actix_web::test]
async fn two_tabs_may_refresh_at_the_same_moment_at_each_expiry() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let (anna, ben) = (app.player("anna").await, guest(&app, "Ben").await);
    let made = anna.post("/v1/account/tokens", json!({ "name": "bot", "scopes": ["account:read"] })).await;
    let bot = anna.with_token(made.expect(201)["token"].as_str().unwrap());
    for player in [&anna, &ben] {
        let mut token = json!(player.refresh_token);
        for expiry in 0..6 {
            app.passes_unseen_s(870);
            let both = join(HOME.refreshes(&app, &token), HOME.refreshes(&far, &token)).await;
            let (one, other) = (both.0.expect(200), both.1.expect(200));
            assert_eq!(one["refresh_token"], other["refresh_token"], "expiry {expiry}");
            with(player, &one).get("/v1/account").await.expect(200);
            token = one["refresh_token"].clone();
        }
        bot.get("/v1/account").await.expect(200);
    }
}

#[actix_web::test]
async fn a_thief_elsewhere_who_repeats_right_after_the_owner_keeps_up_for_one_token_only() {
    for owner_is_first in [true, false] {
        let app = TestApp::start().await;
        let anna = app.player("anna").await;
        let (first, second) = if owner_is_first { (HOME, ABROAD) } else { (ABROAD, HOME) };
        let mut stolen = json!(anna.refresh_token);
        let mut kept_up = 0;
        let ended = loop {
            let next = first.refreshes(&app, &stolen).await.expect(200);
            app.passes_unseen_s(5);
            let copy = second.refreshes(&app, &stolen).await;
            if copy.status != 200 {
                copy.problem(401, "refresh-token-reused");
                break next;
            }
            assert_eq!(copy.json()["refresh_token"], next["refresh_token"], "the same pair");
            kept_up += 1;
            assert!(kept_up < 5, "the thief keeps up with the owner");
            app.passes_unseen_s(800);
            stolen = next["refresh_token"].clone();
        };
        assert_eq!(kept_up, 1);
        with(&anna, &ended).get("/v1/account").await.problem(401, "token-unknown");
        HOME.refreshes(&app, &ended["refresh_token"]).await.problem(401, "token-unknown");
    }
}

#[actix_web::test]
async fn a_telephone_that_leaves_the_house_repeats_from_the_street() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut token = json!(anna.refresh_token);
    for (lost, repeated) in [(HOME, STREET), (STREET, STREET), (STREET, HOME), (HOME, HOME)] {
        app.passes_unseen_s(870);
        let next = lost.refreshes(&app, &token).await.expect(200);
        app.passes_unseen_s(10);
        assert_eq!(repeated.refreshes(&app, &token).await.expect(200)["refresh_token"], next["refresh_token"]);
        token = next["refresh_token"].clone();
    }
}

#[actix_web::test]
async fn another_program_repeats_nothing() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let token = json!(anna.refresh_token);
    let next = HOME.refreshes(&app, &token).await.expect(200);
    let thief = Place { agent: "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", ..HOME };
    thief.refreshes(&app, &token).await.problem(401, "refresh-token-reused");
    HOME.refreshes(&app, &next["refresh_token"]).await.problem(401, "token-unknown");
}

/// One expiry of an access token: two tabs refresh, possibly more than once because of lost answers.
#[derive(Clone, Debug)]
struct Expiry {
    /// The sending tab, in order; each occurs at least once.
    sends: Vec<bool>,
    /// Seconds between two of these; all fall within the grace period.
    gap_s: i64,
}

/// The time at which a thief uses a stolen token: before the owner, during an expiry, or after the grace period.
#[derive(Clone, Copy, Debug)]
enum Theft {
    Before,
    Amid,
    After,
}

fn expiries() -> impl Strategy<Value = Vec<Expiry>> {
    let sends = prop::collection::vec(any::<bool>(), 0..4).prop_map(|more| [more, vec![true, false]].concat());
    let expiry = (sends.prop_shuffle(), 0..4_i64).prop_map(|(sends, gap_s)| Expiry { sends, gap_s });
    prop::collection::vec(expiry, 5)
}

/// Both tabs get the same pair at each expiry, forever if there is no thief. A thief's tokens last at most one expiry
/// after the first use, and the owner is notified.
#[actix_web::test]
async fn tabs_live_and_thieves_are_found_in_every_order() {
    let mut runner = TestRunner::new(Config::default());
    let cases = (
        expiries(),
        prop::option::of((0..3_usize, prop::sample::select(vec![Theft::Before, Theft::Amid, Theft::After]))),
    );
    let app = TestApp::start().await;
    for number in 0..40 {
        let (expiries, theft) = cases.new_tree(&mut runner).unwrap().current();
        let told = || format!("{expiries:?} {theft:?}");
        let anna = app.player(&format!("anna{number}")).await;
        let mut tabs = [json!(anna.refresh_token), json!(anna.refresh_token)];
        let mut thief: Option<Value> = None;
        let mut over_at = None;
        for (number, expiry) in expiries.iter().enumerate() {
            app.passes_unseen_s(840);
            let held = tabs[0].clone();
            let steals = theft.filter(|(when, _)| *when == number).map(|(_, how)| how);
            // A thief with a token always follows right after the owner.
            let mut use_of = steals.or(thief.is_some().then_some(Theft::Amid));
            let stolen = thief.clone().unwrap_or_else(|| held.clone());
            if matches!(use_of, Some(Theft::Before)) {
                use_of = None;
                thief = Some(ABROAD.refreshes(&app, &stolen).await.expect(200)["refresh_token"].clone());
                app.passes_unseen_s(21);
            }
            for tab in &expiry.sends {
                let answer = HOME.refreshes(&app, &held).await;
                if answer.status == 200 {
                    tabs[usize::from(*tab)] = answer.json()["refresh_token"].clone();
                } else {
                    over_at = over_at.or(Some(number));
                }
                app.passes_unseen_s(expiry.gap_s);
                if use_of.take_if(|how| matches!(how, Theft::Amid)).is_some() {
                    let answer = ABROAD.refreshes(&app, &stolen).await;
                    thief = (answer.status == 200).then(|| answer.json()["refresh_token"].clone());
                }
            }
            if use_of.is_some() {
                app.passes_unseen_s(21);
                ABROAD.refreshes(&app, &stolen).await.problem(401, "refresh-token-reused");
            }
            if over_at.is_none() {
                assert_eq!(tabs[0], tabs[1], "{}", told());
            }
        }
        let last = HOME.refreshes(&app, &tabs[0]).await;
        match theft {
            None => assert_eq!((last.status, over_at), (200, None), "{}", told()),
            Some((when, _)) => {
                assert_eq!(last.status, 401, "{}", told());
                assert!(over_at.is_none_or(|over| over <= when + 1), "{over_at:?} {}", told());
                if let Some(thief) = thief {
                    ABROAD.refreshes(&app, &thief).await.problem(401, "token-unknown");
                }
                let again = with(&anna, &signs_in(&anna).await);
                let events = again.hears(0).await;
                assert_eq!(events.iter().filter(|event| event["type"] == "session-revoked").count(), 1, "{}", told());
            }
        }
    }
}
