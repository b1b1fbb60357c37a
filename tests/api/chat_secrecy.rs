//! Secrecy of notes, marks, mutes and reports: worlds that differ only in these give everybody else the same bytes, on
//! every readable operation of the contract, also to a former player, a substitute, and a candidate.

use serde_json::{Value, json};

use crate::readable::readable;
use crate::substitutes::{answers, asks, is_ready};
use crate::support::{Answer, Player, Setup, TestApp, feed_of, seven_people};

/// Ben's private actions in one of the worlds. Each has the same number of requests, so their ids are equal.
fn private_actions(
    world: usize,
    id: &str,
    revision: usize,
    sea: &Value,
    cell: &Value,
) -> Vec<(&'static str, String, Value)> {
    let notes = format!("/v1/matches/{id}/notes");
    let marks = vec![json!({ "sea": sea, "cell": cell, "mark": "carrier?", "colour": "red" }); 40 * world];
    let text = if world == 0 { "nothing" } else { "Anna hides in the corners, and Carl bluffs." };
    let (muted, reason) = if world == 0 { ("zoe", "spam") } else { ("anna", "harassment") };
    vec![
        ("PUT", notes, json!({ "revision": revision, "text": text, "marks": marks })),
        ("PUT", format!("/v1/account/mutes/{muted}"), Value::Null),
        ("PUT", format!("/v1/account/follows/{muted}"), Value::Null),
        ("POST", format!("/v1/matches/{id}/chat/players/1/report"), json!({ "reason": reason })),
    ]
}

async fn transcript(world: usize) -> (Vec<(String, Answer)>, Vec<Vec<u8>>) {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let people = seven_people(&app).await;
    let zoe = app.lasting_player("zoe").await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let terms = json!({ "variant": "salvos", "clock": { "kind": "none" } });
    let id = anna.sits_down_with(&[ben, carl], terms, &[]).await;
    let mine = anna.get("/v1/challenges?mine=true").await.expect(200);
    let challenge = mine["items"][0]["id"].as_str().unwrap().to_owned();
    let reads = readable(&app, &id, &challenge, "salvos", &feed_of(anna).await).await;
    assert!(
        reads.iter().any(|path| path.ends_with("/notes")) && reads.iter().any(|path| path.ends_with("/chat/players"))
    );
    let board = anna.get(&format!("/v1/matches/{id}/board")).await.expect(200);
    let (sea, cell) = (&board["seas"][0]["id"], &board["seas"][0]["cells"][3]["label"]);
    let chat = format!("/v1/matches/{id}/chat/players");
    carl.post(&chat, json!({ "text": "good luck" })).await.expect(201);
    let handed_over = asks(carl, &id, json!({ "player": "dora" })).await.expect(201);
    is_ready(dora, &handed_over).await.expect(204);
    for player in [anna, ben] {
        answers(player, &handed_over, true).await.expect(204);
    }
    let offered = asks(anna, &id, json!({ "player": "emil" })).await.expect(201);
    is_ready(emil, &offered).await.expect(204);

    let (mut seen, mut bens) = (Vec::new(), Vec::new());
    for step in 0..3 {
        for (method, path, body) in private_actions(world, &id, step, sea, cell) {
            let body = Some(body).filter(|body| !body.is_null());
            let answer = ben.request(method, &path, body).await;
            assert!(answer.status < 300, "{}", answer.text());
        }
        // Meanwhile they play and talk, Anna and Zoe as if they were read.
        let player: &Player = [anna, dora, ben][step];
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
        seen.push((format!("step {step}: anna says"), anna.post(&chat, json!({ "text": "mind the gap" })).await));
        let spectators = format!("/v1/matches/{id}/chat/spectators");
        seen.push((format!("step {step}: zoe says"), zoe.post(&spectators, json!({ "text": "oh!" })).await));
        seen.push((format!("step {step}: carl says"), carl.post(&spectators, json!({ "text": "ah!" })).await));
        for path in &reads {
            for person in [anna, carl, dora, emil, &zoe] {
                seen.push((format!("step {step}: {} reads {path}", person.name), person.get(path).await));
            }
            seen.push((format!("step {step}: a stranger reads {path}"), app.get(path).await));
        }
        for path in [format!("/v1/matches/{id}/notes"), "/v1/account/mutes".to_owned(), chat.clone()] {
            bens.push(ben.get(&path).await.body);
        }
    }
    (seen, bens)
}

#[actix_web::test]
async fn private_actions_change_nothing_for_the_others() {
    let ((one, bens), (two, others)) = (transcript(0).await, transcript(1).await);
    assert_eq!(one.len(), two.len());
    for ((what, one), (_, two)) in one.into_iter().zip(two) {
        assert!(one == two, "{what}\n{one:?}\n{}\n{two:?}\n{}", one.text(), two.text());
    }
    // Ben does see the difference.
    assert!(bens.iter().zip(&others).all(|(one, two)| one != two));
}
