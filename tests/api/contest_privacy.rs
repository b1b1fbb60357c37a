//! Private ladders and tournaments, and their visibility.

use serde_json::{Value, json};

use crate::authorization::{operations, tried};
use crate::contest_entries::at;
use crate::support::{Answer, Player, TestApp, plain, seven_people};
use crate::tournaments::{named, resigns, starts, tournament};

/// An id without an object, for the contract's operations.
const NOTHING: &str = "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn titles(who: &Player, list: &str) -> Vec<String> {
    let shown = who.get(list).await.expect(200);
    let title = |one: &Value| one["title"].as_str().unwrap().to_owned();
    shown["items"].as_array().unwrap().iter().map(title).collect()
}

/// A private position ladder and a private tournament of Anna's, with Ben in both; Carl has asked to join both, Dora is
/// invited.
pub async fn private_contests(people: &[Player]) -> [String; 2] {
    let [anna, ben, carl, ..] = people else { unreachable!() };
    let terms = json!({ "format": "position", "entry": "approval", "title": "Behind the door" });
    let ladder = format!("/v1/ladders/{}", anna.makes_ladder(terms).await);
    let cup = tournament(anna, &[], json!({ "entry": "approval", "title": "Behind the door" })).await;
    for path in [&ladder, &cup] {
        for player in [ben, carl] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        anna.post(&at(path, "entry-requests/ben/accept"), json!({})).await.expect(204);
        anna.request("PUT", &at(path, "invitations/dora"), None).await.expect(204);
        anna.request("PATCH", path, Some(json!({ "visibility": "private" }))).await.expect(200);
    }
    [ladder, cup]
}

/// The answer without its request id.
pub fn said(answer: &Answer) -> Value {
    let mut said = answer.json_or_null();
    if let Some(fields) = said.as_object_mut() {
        fields.remove("request_id");
    }
    said
}

#[actix_web::test]
async fn for_others_a_private_contest_is_none() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let emil = &people[4];
    let contests = private_contests(&people).await;
    let mut seen = 0;
    for mut operation in operations(&app).await {
        let (kind, rest) = match operation.path.strip_prefix("/v1/").and_then(|path| path.split_once('/')) {
            Some((kind @ ("ladders" | "tournaments" | "contests"), rest)) => (kind.to_owned(), rest.to_owned()),
            _ => continue,
        };
        let Some(rest) = rest.strip_prefix(NOTHING) else { continue };
        for contest in contests.iter().filter(|path| kind == "contests" || path.contains(&kind)) {
            for token in [None, Some(emil.token.as_str())] {
                operation.path = format!("/v1/{kind}/{NOTHING}{rest}");
                let nothing = tried(&app, &operation, token).await;
                operation.path = format!("/v1/{kind}/{}{rest}", id_of(contest));
                let private = tried(&app, &operation, token).await;
                assert_eq!(
                    (nothing.status, said(&nothing)),
                    (private.status, said(&private)),
                    "{} {}",
                    operation.id,
                    operation.path
                );
                assert!(matches!(private.status, 401 | 404 | 422), "{}: {}", operation.id, private.text());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[actix_web::test]
async fn who_has_a_part_in_it_sees_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let moderator = app.moderator("mona").await;
    for path in private_contests(&people).await {
        for player in [anna, ben, carl, dora, &moderator] {
            assert_eq!(player.get(&path).await.expect(200)["visibility"], "private");
            player.get(&format!("{path}/standings")).await.expect(200);
        }
        emil.get(&path).await.problem(404, "not-found");
        // Access ends with the request, and with the invitation.
        carl.request("DELETE", &at(&path, "entry-request"), None).await.expect(204);
        anna.request("DELETE", &at(&path, "invitations/dora"), None).await.expect(204);
        for player in [carl, dora] {
            player.get(&path).await.problem(404, "not-found");
        }
        ben.post(&format!("{path}/leave"), json!({})).await.expect(200);
        ben.get(&path).await.problem(404, "not-found");
        anna.request("PATCH", &path, Some(json!({ "visibility": "public" }))).await.expect(200);
        emil.get(&path).await.expect(200);
        app.get(&path).await.expect(200);
    }
}

#[actix_web::test]
async fn who_is_barred_from_a_private_contest_sees_it_no_more() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [_, ben, carl, .., gina] = people.as_slice() else { unreachable!() };
    let cup = tournament(gina, &people[..4], json!({ "title": "Behind the door" })).await;
    gina.request("PATCH", &cup, Some(json!({ "visibility": "private" }))).await.expect(200);
    starts(gina, &cup).await;
    for (name, bar) in [("ben", true), ("carl", false)] {
        let body = json!({ "reason": "no", "bar": bar });
        gina.post(&at(&cup, &format!("members/{name}/remove")), body).await.expect(204);
    }
    gina.post(&at(&cup, "announcements"), json!({ "text": "We meet at nine." })).await.expect(201);
    for path in [cup.clone(), format!("{cup}/standings"), at(&cup, "announcements")] {
        ben.get(&path).await.problem(404, "not-found");
        // A withdrawn player who isn't barred keeps a place in the standings.
        carl.get(&path).await.expect(200);
    }
    for list in ["/v1/tournaments", "/v1/tournaments?player=ben"] {
        assert!(titles(ben, list).await.is_empty(), "{list}");
    }
    assert_eq!(titles(carl, "/v1/tournaments").await, ["Behind the door"]);
    gina.request("PUT", &at(&cup, "invitations/ben"), None).await.problem(409, "tournament-closed");
    gina.request("DELETE", &at(&cup, "bars/ben"), None).await.expect(204);
    ben.get(&cup).await.expect(200);
}

#[actix_web::test]
pub async fn private_contests_are_in_no_list_of_others() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    private_contests(&people).await;
    for list in ["/v1/ladders", "/v1/tournaments", "/v1/ladders?search=door", "/v1/tournaments?search=door"] {
        for player in [anna, ben] {
            assert_eq!(titles(player, list).await, ["Behind the door"], "{list}");
        }
        for player in [carl, dora, emil] {
            assert!(titles(player, list).await.is_empty(), "{list}");
        }
        assert_eq!(app.get(list).await.expect(200)["items"], json!([]));
    }
    assert!(titles(emil, "/v1/tournaments?player=ben").await.is_empty());
    assert_eq!(titles(ben, "/v1/account/ladders").await, ["Behind the door"]);
    assert_eq!(titles(carl, "/v1/account/contest-entries").await.len(), 2);
    assert_eq!(titles(dora, "/v1/account/contest-entries").await.len(), 2);
}

/// The second of each pair resigns; a member reads the pairings.
async fn plays_round(reader: &Player, people: &[Player], path: &str, round: u64) {
    let shown = reader.get(&format!("{path}/rounds/{round}")).await.expect(200);
    for board in shown["boards"].as_array().unwrap().iter().filter(|board| board["second"].is_object()) {
        let (first, second) = (named(people, &board["first"]), named(people, &board["second"]));
        resigns(&[first, second], second, board["match_ids"][0].as_str().unwrap()).await;
    }
}

#[actix_web::test]
async fn what_is_played_in_private_is_no_honour_and_no_pairing_for_others() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, _, emil, ..] = people.as_slice() else { unreachable!() };
    let cup = tournament(anna, &people[..3], json!({})).await;
    anna.request("PATCH", &cup, Some(json!({ "visibility": "private" }))).await.expect(200);
    starts(anna, &cup).await;
    plays_round(anna, &people[..3], &cup, 1).await;
    let list = format!("/v1/matches?tournament={}", id_of(&cup));
    let played = ben.get(&list).await.expect(200)["items"].as_array().unwrap().clone();
    assert!(!played.is_empty());
    assert_eq!(emil.get(&list).await.expect(200)["items"], json!([]));
    assert_eq!(app.get(&list).await.expect(200)["items"], json!([]));
    let view = ben.get(&format!("/v1/matches/{}", played[0]["id"].as_str().unwrap())).await.expect(200);
    let pairing = format!("/v1/pairings/{}", view["pairing"]["id"].as_str().unwrap());
    ben.get(&pairing).await.expect(200);
    emil.get(&pairing).await.problem(404, "not-found");
    app.get(&pairing).await.problem(404, "not-found");
    shows_its_contest_to_its_own(&people, &cup, played[0]["id"].as_str().unwrap()).await;

    for round in 2..=3 {
        app.passes_s(1).await;
        plays_round(anna, &people[..3], &cup, round).await;
    }
    app.passes_s(5).await;
    assert_eq!(anna.get(&cup).await.expect(200)["status"], "finished");
    assert_eq!(anna.get("/v1/players/anna/honours").await.expect(200)["items"], json!([]));
}

/// A match names its private contest only to viewers of that contest. Anna is the organizer.
async fn shows_its_contest_to_its_own(people: &[Player], cup: &str, id: &str) {
    let [anna, ben, carl, _, emil, ..] = people else { unreachable!() };
    let app = &anna.app;
    let path = format!("/v1/matches/{id}");
    let mona = app.moderator("mona").await;
    for player in [anna, ben, carl, &mona] {
        assert_eq!(player.sees(id).await["pairing"]["tournament_id"], id_of(cup), "{}", player.name);
    }
    assert_eq!(app.get(&path).await.expect(200)["pairing"], Value::Null);
    let unseen = emil.get(&path).await;
    assert_eq!(unseen.expect(200)["pairing"], Value::Null);
    // When Emil gains access to the contest, the old ETag is no longer valid.
    app.grants("emil", "moderator").await;
    let again = plain("GET", &path, None).insert_header(("if-none-match", unseen.header("etag").unwrap().to_owned()));
    assert_eq!(app.send(emil.signed(again)).await.expect(200)["pairing"]["tournament_id"], id_of(cup));
    app.revokes("emil", "moderator").await;
}

#[actix_web::test]
async fn a_substitute_is_not_told_for_which_private_contest_they_play() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, dora) = (&people[0], &people[3]);
    let cup = tournament(anna, &[1, 2, 4, 5].map(|one| people[one].clone()), json!({})).await;
    anna.request("PATCH", &cup, Some(json!({ "visibility": "private" }))).await.expect(200);
    starts(anna, &cup).await;
    let board = anna.get(&format!("{cup}/rounds/1")).await.expect(200)["boards"][0].clone();
    let id = board["match_ids"][0].as_str().unwrap();
    let (ben, carl) = (named(&people, &board["first"]), named(&people, &board["second"]));
    let seat = ben.sees(id).await["viewer"]["seat"].clone();
    let asked = json!({ "seat": seat, "player": "dora", "reason": "They are ill." });
    let wanted = anna.post(&format!("/v1/matches/{id}/substitutions"), asked).await.expect(201);
    dora.post(&format!("/v1/substitutions/{}/accept", wanted["id"].as_str().unwrap()), json!({})).await.expect(204);
    let view = dora.sees(id).await;
    assert_eq!((&view["viewer"]["seat"], &view["pairing"]), (&seat, &Value::Null));
    let acted = dora.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    assert_eq!(acted["match"]["pairing"], Value::Null);
    carl.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    for player in [carl, dora] {
        for turn in player.get("/v1/turns").await.expect(200)["items"].as_array().unwrap() {
            assert_eq!(turn["pairing"].is_null(), player.name == "dora");
        }
    }
    assert_eq!(ben.sees(id).await["pairing"]["tournament_id"], id_of(&cup), "who was paired knows");
}
