//! Nobody learns what he may not, over HTTP: two worlds that differ only in what is hidden give a viewer the same bytes.
//!
//! Both worlds run from one seed, so that ids and times are the same too. Anna is the opponent of the hidden fleet, Carl watches, and a stranger has no
//! account. At every step each of them reads every readable operation of the contract, and Anna tries wrong actions. Which shots both worlds answer alike
//! is worked out beforehand with the rules crate, on two battles at a table of our own.
//!
//! A planted leak has to turn this red; see `every_planted_leak_is_found`.

use broadside_rules::{
    Action, Battle, Chance, Clock, Decision, Dice, Event, Leak, Report, RuleSet, Seat, Setup, Time, Variant, View,
    Viewer, disclose, variants,
};
use serde_json::{Value, json};

use crate::support::{Answer, Player, Setup as World, TestApp, plain};

const ANNA: Seat = Seat(0);
const BEN: Seat = Seat(1);
const NOW: Time = Time(0);

/// How many of Anna's salvos are played in each world.
const SALVOS: usize = 6;

/// One world at our own table: the whole truth, and what each viewer knows of it.
struct Table {
    setup: Setup,
    battle: Battle,
    views: [View; 3],
}

impl Table {
    fn new(variant: &Variant) -> Self {
        let rules = RuleSet::customised(variant, &json!({ "first": "creator" })).unwrap();
        let setup = Setup::new(rules, Clock::none());
        let viewers = [Viewer::Seat(ANNA), Viewer::Seat(BEN), Viewer::Spectator];
        let mut table =
            Self { battle: Battle::new(setup.clone()), views: viewers.map(|viewer| View::new(&setup, viewer)), setup };
        let opened = Battle::open(&table.setup, &Chance::new(&[1; 32], &[None, None]));
        table.take(&opened);
        table
    }

    fn view(&self, seat: Seat) -> &View {
        &self.views[seat.index()]
    }

    fn take(&mut self, events: &[Event]) -> Vec<Vec<Report>> {
        let mut told = vec![Vec::new(); 3];
        for event in events {
            self.battle.apply(event, NOW);
            for (view, told) in self.views.iter_mut().zip(&mut told) {
                if let Some(report) = disclose(&self.setup, event, view.viewer()) {
                    view.learn(&report, NOW);
                    told.push(report);
                }
            }
        }
        told
    }

    fn would_tell(&self, seat: Seat, action: &Value) -> (Vec<Event>, String) {
        let action = Action::parse(&self.setup, action).unwrap();
        let events =
            self.battle.decide(seat, &action, &mut Dice::from_seed([2; 32]), &Chance::new(&[1; 32], &[None, None]));
        let told: Vec<Report> = events
            .iter()
            .flat_map(|event| {
                [Viewer::Seat(ANNA), Viewer::Spectator].map(|viewer| disclose(&self.setup, event, viewer))
            })
            .flatten()
            .collect();
        let ends = events.iter().any(|event| matches!(event, Event::Table(_)));
        (events, format!("{} {ends}", serde_json::to_string(&told).unwrap()))
    }

    /// The example of the required decision, drawn with this seed.
    fn example(&self, seat: Seat, seed: u8) -> Option<Value> {
        let decisions = self.view(seat).decisions([seed; 32]);
        let required = decisions.iter().find(|decision| Decision::required(decision));
        required.map(|decision| serde_json::to_value(decision.example()).unwrap())
    }
}

/// One action of the script: who, and what he does in either world.
struct Step {
    anna: bool,
    actions: [Value; 2],
}

/// A script that both worlds answer alike, to Anna and to a spectator: Ben's fleet differs, and so does what he does in secret.
fn script(variant: &Variant, other_fleet: u8) -> Vec<Step> {
    let mut tables = [Table::new(variant), Table::new(variant)];
    let mut steps = Vec::new();
    let play = |tables: &mut [Table; 2], seat: Seat, actions: [Value; 2], steps: &mut Vec<Step>| {
        for (table, action) in tables.iter_mut().zip(&actions) {
            let (events, _) = table.would_tell(seat, action);
            table.take(&events);
        }
        steps.push(Step { anna: seat == ANNA, actions });
    };
    let hidden = [tables[0].example(BEN, 7).unwrap(), tables[1].example(BEN, other_fleet).unwrap()];
    assert_ne!(hidden[0], hidden[1]);
    play(&mut tables, BEN, hidden, &mut steps);
    let hers = tables[0].example(ANNA, 9).unwrap();
    play(&mut tables, ANNA, [hers.clone(), hers], &mut steps);

    let mut salvos = 0;
    let mut seed = 10_u8;
    while salvos < SALVOS {
        seed = seed.wrapping_add(1);
        let to_act = tables[0].battle.to_act();
        if to_act.contains(BEN) {
            // What he does in secret may differ; what he does in public is the same.
            let theirs = [tables[0].example(BEN, seed).unwrap(), tables[1].example(BEN, seed + 1).unwrap()];
            let secret = theirs[0]["type"] == "relocate";
            let theirs = if secret { theirs } else { [theirs[0].clone(), theirs[0].clone()] };
            play(&mut tables, BEN, theirs, &mut steps);
            continue;
        }
        if tables[0].example(ANNA, seed).unwrap()["type"] == "relocate" {
            let hers = tables[0].example(ANNA, seed).unwrap();
            play(&mut tables, ANNA, [hers.clone(), hers], &mut steps);
            continue;
        }
        let alike = (0..250).map(|seed| tables[0].example(ANNA, seed).unwrap()).find(|action| {
            let (told, other) = (tables[0].would_tell(ANNA, action).1, tables[1].would_tell(ANNA, action).1);
            told == other && told.ends_with("false")
        });
        let Some(action) = alike else { break };
        play(&mut tables, ANNA, [action.clone(), action], &mut steps);
        salvos += 1;
    }
    assert!(salvos > 0, "no salvo of {} is answered alike in both worlds", variant.id);
    steps
}

/// Everything that the three of them get to read while the script is played in one of the two worlds.
async fn transcript(variant: &Variant, which: usize, steps: &[Step], leak: Option<Leak>) -> Vec<(String, Answer)> {
    let app = TestApp::with(World { leak, seed: Some(4), ..World::default() }).await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let id = anna.challenges_and_meets(&ben, json!({ "variant": variant.id })).await;
    let mine = anna.get("/v1/challenges?mine=true").await.expect(200);
    let challenge = mine["items"][0]["id"].as_str().unwrap().to_owned();
    let reads = readable(&app, &id, &challenge, variant.id).await;

    let mut seen = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let actor = if step.anna { &anna } else { &ben };
        let answer = actor.acts(&id, step.actions[which].clone()).await;
        answer.expect(200);
        if step.anna {
            seen.push((format!("step {number}"), answer));
        }
        look_around(&mut seen, number, &app, [&anna, &carl], &reads).await;
        try_wrong(&mut seen, number, &anna, &id).await;
    }
    seen
}

async fn look_around(
    seen: &mut Vec<(String, Answer)>,
    number: usize,
    app: &TestApp,
    people: [&Player; 2],
    reads: &[String],
) {
    for path in reads {
        for person in people {
            seen.push((format!("step {number}: {} reads {path}", person.name), person.get(path).await));
        }
        seen.push((format!("step {number}: a stranger reads {path}"), app.get(path).await));
    }
    let version = people[0].get(&reads[0]).await;
    let known =
        plain("GET", &reads[0], None).insert_header(("if-none-match", version.header("etag").unwrap().to_owned()));
    seen.push((format!("step {number}: anna reads again"), app.send(people[0].signed(known)).await));
}

/// Every GET of the contract, with this match and these people in the place of its parameters. The match itself comes first.
async fn readable(app: &TestApp, id: &str, challenge: &str, variant: &str) -> Vec<String> {
    let document = app.get("/openapi.json").await.json();
    let mut paths = vec![
        format!("/v1/matches/{id}"),
        format!("/v1/matches/{id}/reports?after=2"),
        "/v1/matches?player=ben".to_owned(),
    ];
    for (path, item) in document["paths"].as_object().unwrap() {
        // Keys and the devices of sessions are made before the match and are their owner's own.
        if item["get"].is_null() || path.contains("jwks") {
            continue;
        }
        let id = match path {
            path if path.contains("challenges") => challenge,
            path if path.contains("variants") => variant,
            _ => id,
        };
        paths.push(path.replace("{id}", id).replace("{username}", "ben"));
    }
    paths
}

async fn try_wrong(seen: &mut Vec<(String, Answer)>, number: usize, anna: &Player, id: &str) {
    let view = anna.sees(id).await;
    let mut wrong = vec![
        json!({ "type": "fire", "cells": [] }),
        json!({ "type": "fire", "cells": ["A1", "A1"] }),
        json!({ "type": "fire", "cells": ["Z99"] }),
        json!({ "type": "deploy", "auto": true }),
        json!({ "type": "relocate", "ships": [{ "ship": "carrier", "cells": ["A1"] }] }),
        json!({ "type": "accept-draw" }),
        json!({ "type": "surrender" }),
    ];
    // Every cell by itself: wrong wherever a salvo is more than one shot, and judged without being carried out elsewhere.
    let sea = view["seas"].as_array().unwrap().iter().find(|sea| sea["owner"] == 1).unwrap();
    let tried = sea["marks"].as_array().unwrap().iter().map(|mark| mark["cell"].clone());
    wrong.extend(tried.take(3).map(|cell| json!({ "type": "fire", "cells": [cell] })));
    for action in wrong {
        let path = format!("/v1/matches/{id}/actions?dry_run=true");
        let answer = anna.post(&path, json!({ "action": action })).await;
        seen.push((format!("step {number}: anna tries {action}"), answer));
    }
    for cell in ["A1", "B2", "C3", "D4", "E5", "F6", "G7", "H8"] {
        let path = format!("/v1/matches/{id}/actions?dry_run=true");
        let answer = anna.post(&path, json!({ "action": { "type": "fire", "cells": [cell] } })).await;
        seen.push((format!("step {number}: anna would fire at {cell}"), answer));
    }
}

/// An answer without what is made of a secret and a salt that nobody else has: commitments, and the chain and the signature of the reports that hold them.
/// (The salts stay: they are drawn from dice of their own.) Each is as long as before; everything else, the lengths included, has to be the same.
fn without_proof(mut answer: Answer) -> Answer {
    let mut text = answer.text();
    for (key, length) in [("commitment", 64), ("chain_head", 64), ("value", 86)] {
        let key = format!("\"{key}\":\"");
        let places: Vec<usize> = text.match_indices(&key).map(|(at, _)| at + key.len()).collect();
        for at in places {
            if text[at + length..].starts_with('"') {
                text.replace_range(at..at + length, &"0".repeat(length));
            }
        }
    }
    if let Some(from) = text.find("\"links\":[") {
        let to = from + text[from..].find(']').unwrap();
        let blank: String = text[from..to].chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }).collect();
        text.replace_range(from..to, &blank);
    }
    answer.body = text.into_bytes();
    answer
}

/// The first answer that differs between the two worlds.
async fn difference(variant: &Variant, other_fleet: u8, leak: Option<Leak>) -> Option<String> {
    let steps = script(variant, other_fleet);
    let one = transcript(variant, 0, &steps, leak).await;
    let two = transcript(variant, 1, &steps, leak).await;
    assert_eq!(one.len(), two.len());
    let pairs =
        one.into_iter().zip(two).map(|(one, two)| ((one.0, without_proof(one.1)), (two.0, without_proof(two.1))));
    pairs.into_iter().find(|(one, two)| one != two).map(|((what, one), (_, two))| {
        format!(
            "{what}\n{} {:?}\n{}\n{} {:?}\n{}",
            one.status,
            one.headers,
            one.text(),
            two.status,
            two.headers,
            two.text()
        )
    })
}

#[actix_web::test]
async fn worlds_that_differ_in_secret_look_the_same() {
    for variant in variants() {
        if let Some(difference) = difference(variant, 8, None).await {
            panic!("{}: {difference}", variant.id);
        }
    }
}

#[actix_web::test]
async fn every_planted_leak_is_found() {
    let variant = Variant::find("classic").unwrap();
    for leak in Leak::ALL {
        // One of the leaks says no more than even or odd: of a few other fleets one is unlike the first.
        let mut found = false;
        for other_fleet in 8..16 {
            found = found || difference(variant, other_fleet, Some(leak)).await.is_some();
        }
        assert!(found, "{leak:?} is not found");
    }
}
