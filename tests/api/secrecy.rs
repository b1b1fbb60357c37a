//! Secrecy over HTTP: two worlds that differ only in hidden data give every viewer the same bytes.
//!
//! Both worlds run from one seed, so that ids, times, salts and draws are the same too. Ben's secrets differ. Everybody
//! else at the table looks, Zoe watches, and a stranger has no account. At every step each of them reads the match, now
//! and then every readable operation of the contract, and tries actions, right and wrong, without playing them. The
//! rules crate computes beforehand which actions get the same answers in both worlds, on two battles at a table of our
//! own.
//!
//! Commitments are made of the secret and a private salt, so they differ, and with them the chain and its signature:
//! only these are blanked, each at its own length.
//!
//! A planted leak must make this test fail; see `every_planted_leak_is_found`.

use std::collections::BTreeMap;

use broadside_rules::{
    Action, Battle, Chance, Clock, Decision, Dice, Event, Seat, SeatSet, Setup, Time, Variant, View, Viewer, disclose,
    legal, variants,
};
use diesel::QueryableByName;
use diesel::sql_types::Binary;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};

use crate::leak::{Hidden, Leak};
use crate::rated_past::{Planted, behind_them, challenge_of, rated};
use crate::readable::{OF_THE_MATCH, readable};
use crate::support::{Answer, Player, Setup as World, TestApp, feed_of, plain, seven_people};
use crate::tournaments::under_way;

/// The seat whose secrets differ.
const BEN: Seat = Seat(1);
const NOW: Time = Time(0);

/// Number of steps played in each world, deployments included, and number that suffices to find a leak.
const STEPS: usize = 13;
const STEPS_TO_A_LEAK: usize = 5;

/// Number of Ben's examples compared with each other.
const EXAMPLES: usize = 60;

/// One world at our own table: the whole truth, and each viewer's knowledge.
struct Table {
    setup: Setup,
    chance: Chance,
    battle: Battle,
    views: Vec<View>,
}

impl Table {
    fn new(variant: &Variant, seats: u8, seed: &[u8; 32]) -> Self {
        let mut setup = Setup::new(variant.rule_set(), Clock::none());
        setup.seats = seats;
        let viewers = SeatSet::first(seats).iter().map(Viewer::Seat).chain([Viewer::Spectator]);
        let chance = Chance::new(seed, &vec![None; usize::from(seats)]);
        let opened = Battle::open(&setup, &chance);
        let views = viewers.map(|viewer| View::new(&setup, viewer)).collect();
        let mut table = Self { battle: Battle::new(setup.clone()), views, setup, chance };
        table.take(&opened);
        table
    }

    fn take(&mut self, events: &[Event]) {
        for event in events {
            self.battle.apply(event, NOW);
            for view in &mut self.views {
                if let Some(report) = disclose(&self.setup, event, view.viewer()) {
                    view.learn(&report, NOW);
                }
            }
        }
    }

    /// The events of an action, and the answers to everybody but Ben. `None` if it is illegal, ends the match, or makes
    /// a player give up a ship, since Ben's ships are on different cells in the two worlds.
    fn would(&self, seat: Seat, action: &Value) -> Option<(Vec<Event>, String)> {
        let action = Action::parse(&self.setup, action).ok()?;
        legal(&self.views[seat.index()], &action).ok()?;
        let events = self.battle.decide(seat, &action, &mut Dice::from_seed([2; 32]), &self.chance);
        let ends = events.iter().any(|event| matches!(event, Event::Table(_)));
        let others = self.views.iter().map(View::viewer).filter(|viewer| *viewer != Viewer::Seat(BEN));
        let told: Vec<_> =
            others.flat_map(|viewer| events.iter().map(move |event| disclose(&self.setup, event, viewer))).collect();
        let told = serde_json::to_string(&told).unwrap();
        (!ends && !told.contains(r#""owed""#)).then_some((events, told))
    }

    /// Examples of all required decisions of this seat, drawn with many seeds.
    fn examples(&self, seat: Seat, first_seed: u8) -> impl Iterator<Item = Value> {
        let seeds = (0..=u8::MAX).map(move |seed| first_seed.wrapping_add(seed));
        let decisions = seeds.flat_map(move |seed| self.views[seat.index()].decisions([seed; 32]));
        let required = decisions.filter(Decision::required);
        required.map(|decision| serde_json::to_value(decision.example()).unwrap())
    }
}

/// One action of the script: its seat, and that player's action in either world.
struct Step {
    seat: Seat,
    actions: [Value; 2],
}

/// The next step that both worlds answer alike to everybody but Ben. Ben's actions may differ (in `public`, only the
/// deployment does); the others' are the same.
fn alike(tables: &[Table; 2], seat: Seat, other_seed: u8, public: bool) -> Option<(Step, [Vec<Event>; 2])> {
    let [one, two] = tables;
    if seat != BEN || public && one.views[BEN.index()].seats()[BEN.index()].deployed {
        return one.examples(seat, 1).find_map(|action| {
            let (events, told) = one.would(seat, &action)?;
            let (others, heard) = two.would(seat, &action)?;
            (told == heard).then(|| (Step { seat, actions: [action.clone(), action] }, [events, others]))
        });
    }
    // Ben's own in each world; the same in both if no pair has the same answers.
    let of_one: Vec<Value> = one.examples(seat, 1).take(EXAMPLES).collect();
    let heard: BTreeMap<String, (Value, Vec<Event>)> = of_one
        .iter()
        .cloned()
        .chain(two.examples(seat, other_seed).take(EXAMPLES))
        .filter_map(|action| two.would(seat, &action).map(|(events, heard)| (heard, (action, events))))
        .collect();
    of_one.into_iter().find_map(|action| {
        let (events, told) = one.would(seat, &action)?;
        let (other, others) = heard.get(&told)?.clone();
        Some((Step { seat, actions: [action, other] }, [events, others]))
    })
}

/// A script that both worlds answer alike. Ben's secret orders may become public later; if no script is found, Ben
/// gives the same orders in both.
fn script(variant: &Variant, seats: u8, chance: &[u8; 32], other_seed: u8, most: usize) -> Vec<Step> {
    let mut steps = attempt(variant, seats, chance, other_seed, most, false);
    if steps.len() < most {
        let other = attempt(variant, seats, chance, other_seed, most, true);
        steps = if steps.len() < other.len() { other } else { steps };
    }
    let differ = steps.iter().filter(|step| step.actions[0] != step.actions[1]).count();
    assert!(
        differ > 0 && steps.len() > usize::from(seats) + 1,
        "{}: {differ} of {} steps differ",
        variant.id,
        steps.len()
    );
    steps
}

fn attempt(variant: &Variant, seats: u8, chance: &[u8; 32], other_seed: u8, most: usize, public: bool) -> Vec<Step> {
    let mut tables = [Table::new(variant, seats, chance), Table::new(variant, seats, chance)];
    let mut steps: Vec<Step> = Vec::new();
    while steps.len() < most {
        // Ben first: Ben's secrets have to differ as long as possible.
        let to_act = tables[0].battle.to_act();
        assert_eq!(to_act, tables[1].battle.to_act());
        let order = to_act.iter().filter(|seat| *seat == BEN).chain(to_act.iter().filter(|seat| *seat != BEN));
        let Some((step, events)) = order.into_iter().find_map(|seat| alike(&tables, seat, other_seed, public)) else {
            break;
        };
        for (table, events) in tables.iter_mut().zip(&events) {
            table.take(events);
        }
        steps.push(step);
    }
    steps
}

/// The seed of the match's randomness, as an operator can read it.
async fn chance_of(app: &TestApp, challenge: &str) -> [u8; 32] {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Binary)]
        chance_seed: Vec<u8>,
    }
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let query = diesel::sql_query(format!("SELECT chance_seed FROM challenges WHERE id = '{challenge}'"));
    let row: Row = query.get_result(&mut connection).await.unwrap();
    row.chance_seed.try_into().unwrap()
}

/// Everything that everybody but Ben reads while the script is played in one of the two worlds.
async fn transcript(
    variant: &Variant,
    which: usize,
    other_seed: u8,
    leak: Planted,
    steps: &mut Vec<Step>,
) -> Vec<(String, Answer)> {
    let app = TestApp::with(World { seed: Some(4), ..World::default() }).await;
    let (people, zoe) = (seven_people(&app).await, app.player("zoe").await);
    let (least, most) = variant.seats();
    let seats = (least + 1).min(most);
    let players: Vec<&Player> = people.iter().take(usize::from(seats)).collect();
    under_way(&people[..3]).await;
    let past = behind_them(&app, variant.id, &players).await;
    let id = players[0].sits_down_with(&players[1..], rated(variant.id), &[]).await;
    let challenge = challenge_of(players[0], &id).await;
    let most = if matches!(leak, Planted::Nothing) { STEPS } else { STEPS_TO_A_LEAK };
    if steps.is_empty() {
        *steps = script(variant, seats, &chance_of(&app, &challenge).await, other_seed, most);
    }
    if seats == 2 {
        // Ben's secrets also differ in the other match that Ben has begun. (With more seats the nations are drawn, so
        // Ben's fleet is a different one there.)
        let fleet = steps.iter().find(|step| step.seat == BEN).unwrap().actions[which].clone();
        players[BEN.index()].acts(&past.last, fleet).await.expect(200);
    }
    if matches!(leak, Planted::InRatings) {
        past.gives_away(&app, which).await;
    }
    let feed = feed_of(players[0]).await;
    let mut reads = readable(&app, &id, &challenge, variant.id, &feed).await;
    reads.extend(past.readable(variant.id));
    let lookers: Vec<&Player> = players.iter().copied().filter(|player| player.name != "ben").chain([&zoe]).collect();

    let mut seen = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let answer = players[step.seat.index()].acts(&id, step.actions[which].clone()).await;
        answer.expect(200);
        if step.seat != BEN {
            seen.push((format!("step {number}"), answer));
        }
        // The whole contract now and then; the match itself always.
        let all = number % 5 == 0 || number + 1 == steps.len();
        let reads = if all { &reads[..] } else { &reads[..OF_THE_MATCH] };
        look_around(&mut seen, number, &app, &lookers, reads).await;
        try_out(&mut seen, number, players[0], &id).await;
    }
    if let Planted::InAnswers(leak) = leak {
        let deployment = &steps.iter().find(|step| step.seat == BEN).unwrap().actions[which];
        let hidden = Hidden::of(BEN.0, deployment);
        seen.iter_mut().for_each(|(_, answer)| plant(leak, &hidden, answer));
    }
    seen
}

/// Adds hidden data to an answer, as a faulty service might.
fn plant(leak: Leak, hidden: &Hidden, answer: &mut Answer) {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return };
    if body["seas"].is_array() {
        let [mut version, mut seas, mut decisions] = ["version", "seas", "decisions"].map(|part| body[part].take());
        hidden.in_view(leak, &mut version, &mut seas, &mut decisions);
        (body["version"], body["seas"], body["decisions"]) = (version, seas, decisions);
        let tags = answer.headers.iter_mut().filter(|(name, _)| name == "etag");
        tags.for_each(|(_, etag)| hidden.in_etag(leak, etag));
    }
    hidden.in_refusal(leak, &mut body);
    answer.body = body.to_string().into_bytes();
}

pub async fn look_around(
    seen: &mut Vec<(String, Answer)>,
    number: usize,
    app: &TestApp,
    people: &[&Player],
    reads: &[String],
) {
    for path in reads {
        for person in people {
            seen.push((format!("step {number}: {} reads {path}", person.name), person.get(path).await));
        }
        seen.push((format!("step {number}: a stranger reads {path}"), app.get(path).await));
    }
    for path in &reads[..2] {
        let version = people[0].get(path).await;
        let known =
            plain("GET", path, None).insert_header(("if-none-match", version.header("etag").unwrap().to_owned()));
        seen.push((format!("step {number}: anna reads {path} again"), app.send(people[0].signed(known)).await));
    }
}

/// Anna tries actions without playing them: all her examples, and actions that are wrong in some games.
pub async fn try_out(seen: &mut Vec<(String, Answer)>, number: usize, anna: &Player, id: &str) {
    let view = anna.sees(id).await;
    let mut tries: Vec<Value> =
        view["decisions"].as_array().unwrap().iter().map(|decision| decision["example"].clone()).collect();
    tries.extend([
        json!({ "type": "fire", "cells": [] }),
        json!({ "type": "fire", "cells": ["A1", "A1"] }),
        json!({ "type": "fire", "cells": ["Z99"] }),
        json!({ "type": "deploy-auto" }),
        json!({ "type": "relocate", "ships": [{ "ship": "carrier", "cells": ["A1"] }] }),
        json!({ "type": "charge", "ship": "heavy", "depth": 100 }),
        json!({ "type": "move", "ship": "light", "path": ["12", "11", "10"] }),
        json!({ "type": "torpedo", "target": "heavy", "line": "row-1" }),
        json!({ "type": "end-turn" }),
        json!({ "type": "orders", "orders": [] }),
        json!({ "type": "accept-draw" }),
        json!({ "type": "surrender" }),
    ]);
    // Every single cell: invalid where a salvo has more than one shot, and elsewhere judged without being played.
    let seas = view["seas"].as_array().unwrap();
    let tried = seas.iter().flat_map(|sea| sea["marks"].as_array().unwrap()).map(|mark| mark["cell"].clone());
    tries.extend(tried.take(3).map(|cell| json!({ "type": "fire", "cells": [cell] })));
    tries.extend(["A1", "C3", "E5", "G7"].map(|cell| json!({ "type": "fire", "cells": [cell] })));
    for action in tries {
        let path = format!("/v1/matches/{id}/actions?dry_run=true");
        let answer = anna.post(&path, json!({ "action": action })).await;
        seen.push((format!("step {number}: anna tries {action}"), answer));
    }
}

/// An answer without values derived from a secret and a private salt: commitments, and the chain and signature of their
/// reports. (The salts stay: they have a generator of their own.) Blanks keep the length; everything else must be
/// equal.
pub fn without_proof(mut answer: Answer) -> Answer {
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
    let blank = |text: &str| text.chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }).collect::<String>();
    // An export has one record per line.
    let chains: Vec<usize> = text.match_indices("\"links\":[").map(|(at, _)| at).collect();
    for from in chains {
        let to = from + text[from..].find(']').unwrap();
        let links = blank(&text[from..to]);
        text.replace_range(from..to, &links);
    }
    if answer.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")) {
        let is_digest = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let words = text.split_inclusive([' ', '\n']);
        text = words.map(|word| if is_digest(word.trim_end()) { blank(word) } else { word.to_owned() }).collect();
    }
    answer.body = text.into_bytes();
    answer
}

/// The first answer that differs between the two worlds.
pub async fn difference(variant: &Variant, other_seed: u8, leak: Planted) -> Option<String> {
    // Both worlds have the same seed, so one script serves both.
    let mut steps = Vec::new();
    let one = transcript(variant, 0, other_seed, leak, &mut steps).await;
    let two = transcript(variant, 1, other_seed, leak, &mut steps).await;
    let bare =
        |seen: Vec<(String, Answer)>| seen.into_iter().map(|(what, answer)| (what, without_proof(answer))).collect();
    first_unlike(bare(one), bare(two))
}

/// The first answer in which two transcripts differ; a different number of examples gives a different number of
/// answers, too.
pub fn first_unlike(one: Vec<(String, Answer)>, two: Vec<(String, Answer)>) -> Option<String> {
    let unlike = (one.len() != two.len()).then(|| format!("{} answers and {}", one.len(), two.len()));
    let found = one.into_iter().zip(two).find(|((_, one), (_, two))| one != two).map(|((what, one), (_, two))| {
        format!(
            "{what}\n{} {:?}\n{}\n{} {:?}\n{}",
            one.status,
            one.headers,
            one.text(),
            two.status,
            two.headers,
            two.text()
        )
    });
    found.or(unlike)
}

#[actix_web::test]
async fn worlds_that_differ_in_secret_look_the_same() {
    for variant in variants() {
        if let Some(difference) = difference(variant, 201, Planted::Nothing).await {
            panic!("{}: {difference}", variant.id);
        }
    }
}

#[actix_web::test]
async fn every_planted_leak_is_found() {
    let variant = Variant::find("classic").unwrap();
    for leak in Leak::ALL {
        // One of the leaks reveals only even or odd: of several other fleets, one must differ from the first.
        let mut found = false;
        for other_seed in 201..207 {
            found = found || difference(variant, other_seed, Planted::InAnswers(leak)).await.is_some();
        }
        assert!(found, "{leak:?} is not found");
    }
}
