//! The ratings specification (docs/RATINGS.md) is accurate: its example is played and compared with the ledger, number
//! by number. The script that recomputes ratings from outside gets the same results, and finds forgeries.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::process::{Command, Output};
use std::sync::atomic::Ordering;

use broadside::ratings::Note;
use serde_json::{Value, json};

use crate::ledger::{adjudicated, annulled};
use crate::paired::meet;
use crate::ratings::DAY_S;
use crate::sockets::{beside, served};
use crate::support::{Player, TestApp, database};

const DOCUMENT: &str = include_str!("../../docs/RATINGS.md");
const POOL: &str = "classic-days";
const SCALE: f64 = 173.7178;

/// The cells of the document's table rows with a matching first cell.
fn rows(fits: impl Fn(&str) -> bool) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    DOCUMENT.lines().filter(|line| line.starts_with("| ")).map(cells).filter(|cells| fits(cells[0])).collect()
}

fn figure(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no figure"))
}

/// Both agree on a draw.
async fn draw(one: &Player, other: &Player) {
    let id = one.begins_rated(other).await;
    one.acts(&id, json!({ "type": "offer-draw" })).await.expect(200);
    other.acts(&id, json!({ "type": "accept-draw" })).await.expect(200);
}

#[actix_web::test]
async fn every_number_of_the_example_stands_in_the_ledger() {
    let app = TestApp::start().await;
    let mut people = BTreeMap::new();
    for name in ["anna", "ben", "carl"] {
        people.insert(name, app.lasting_player(name).await);
    }
    let (anna, ben, carl) = (&people["anna"], &people["ben"], &people["carl"]);
    app.passes_s(DAY_S).await;
    anna.beats(ben).await;
    app.passes_s(10 * DAY_S + 5 * 3600 + 30 * 60 + 20).await;
    app.clock.fetch_add(750, Ordering::SeqCst);
    ben.beats(anna).await;
    app.passes_s(7 * 365 * DAY_S).await;
    draw(anna, carl).await;

    let stated = rows(|first| first.starts_with("20"));
    assert_eq!(stated.len(), 6);
    for row in &stated {
        let player = &people[row[1]];
        let ledger = player.ledger(POOL).await;
        let change = ledger.iter().find(|change| change["number"] == row[3].parse::<u64>().unwrap()).unwrap();
        let own =
            change["participants"].as_array().unwrap().iter().find(|seat| seat["player_id"] == player.id.as_str());
        let own = own.unwrap();
        assert_eq!(change["at"], row[0]);
        assert_eq!(own["place"], row[2].parse::<u64>().unwrap());
        assert_eq!(own["idle_s"], row[4].parse::<u64>().map_or(Value::Null, Value::from));
        let figures = [("before", &row[5..8]), ("after", &row[8..11])];
        for (side, cells) in figures {
            for (field, cell) in ["rating", "deviation", "volatility"].iter().zip(cells) {
                let (is, due) = (change[side][field].as_f64().unwrap(), figure(cell));
                assert!((is - due).abs() < 1e-9, "{} {} {side} {field}: {is}, not {due}", row[0], row[1]);
            }
        }
    }
}

/// Computes the example's steps from the numbers in its table by the document's formulas.
#[test]
fn every_step_of_the_example_follows_from_the_one_before() {
    let table = rows(|first| first.starts_with("2026-12-02"));
    let [anna, ben] = [0, 1].map(|at: usize| [5, 6, 7].map(|cell: usize| figure(table[at][cell])));
    let mut steps: BTreeMap<&str, f64> = BTreeMap::new();
    let t = figure(table[0][4]) / 403_060.0;
    let grown = (ben[1].powi(2) + t * (SCALE * ben[2]).powi(2)).sqrt().min(350.0);
    let (mu, phi) = ((anna[0] - 1500.0) / SCALE, anna[1] / SCALE);
    let (mu_j, phi_j) = ((ben[0] - 1500.0) / SCALE, grown / SCALE);
    let g = 1.0 / (1.0 + 3.0 * phi_j * phi_j / (PI * PI)).sqrt();
    let expected = 1.0 / (1.0 + (-g * (mu - mu_j)).exp());
    let v = 1.0 / (g * g * expected * (1.0 - expected));
    let delta = v * g * (0.0 - expected);
    // The root of f, by bisection.
    let a = (anna[2] * anna[2]).ln();
    let f = |x: f64| {
        let e = x.exp();
        let sum = phi * phi + v + e;
        e * (delta * delta - phi * phi - v - e) / (2.0 * sum * sum) - (x - a) / (0.75 * 0.75)
    };
    let (mut low, mut high) = (a - 10.0, a + 10.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    let sigma = (low / 2.0).exp();
    let phi_star = (phi * phi + t * sigma * sigma).sqrt().min(350.0 / SCALE);
    let phi_after = 1.0 / (1.0 / (phi_star * phi_star) + 1.0 / v).sqrt();
    let mu_after = mu + phi_after * phi_after * g * (0.0 - expected);
    steps.extend([("t", t), ("grown", grown), ("μ", mu), ("φ", phi), ("μⱼ", mu_j), ("φⱼ", phi_j), ("g", g)]);
    steps.extend([("E", expected), ("v", v), ("Δ", delta), ("σ′", sigma), ("φ*", phi_star), ("φ′", phi_after)]);
    steps.extend([("μ′", mu_after), ("rating′", SCALE * mu_after + 1500.0), ("deviation′", SCALE * phi_after)]);
    let stated = rows(|first| steps.contains_key(first));
    assert_eq!(stated.len(), steps.len(), "each step is in the document once");
    for row in stated {
        let (due, is) = (steps[row[0]], figure(row[2]));
        assert!((is - due).abs() < 2e-9, "{}: {is}, not {due}", row[0]);
    }
    // The result equals the ledger's.
    assert!((steps["rating′"] - figure(table[0][8])).abs() < 1e-8, "{steps:?}");
    // The cap applies: Anna's deviation before the third match.
    let late = rows(|first| first.starts_with("2033"));
    let [deviation, sigma, idle] = [6, 10, 4].map(|cell: usize| figure(late[0][cell]));
    let uncapped = (deviation.powi(2) + idle / 403_060.0 * (SCALE * sigma).powi(2)).sqrt();
    assert!((uncapped - 356.9).abs() < 0.05, "{uncapped}");
}

/// The script's output for this service.
async fn recomputed(app: &TestApp) -> Output {
    let (address, handle) = served(app);
    let now = app.app.clock.now().to_string();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/recompute_ratings.py");
    let said = beside(move || {
        let mut command = Command::new("python3");
        command.args(["-B", script, "--all", "--url", &format!("http://{address}"), "--now", &now]);
        command.env_remove("BROADSIDE_TOKEN").output().unwrap()
    });
    let said = said.await;
    handle.stop(true).await;
    said
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|done| done.status.success())
}

/// The player resigns each of these matches.
async fn resigns_all(player: &Player, ids: &[String]) {
    for id in ids {
        player.resigns(id).await;
    }
}

#[actix_web::test]
async fn a_script_from_outside_comes_to_the_same_and_finds_what_is_forged() {
    if !has_python() {
        return;
    }
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for name in ["anna", "ben", "carl"] {
        people.push(app.lasting_player(name).await);
    }
    let [anna, ben, carl] = [&people[0], &people[1], &people[2]];
    let first = anna.beats(ben).await;
    app.passes_s(3 * DAY_S).await;
    ben.beats(carl).await;
    let second = carl.beats(anna).await;
    app.passes_s(40_000).await;
    draw(anna, ben).await;
    // Two paired games with one win each; three at one table; one match is annulled, one adjudicated twice, and play
    // goes on.
    let (_, pair) = meet(&app, "classic", &[anna, ben], true).await;
    anna.resigns(&pair[0]).await;
    ben.resigns(&pair[1]).await;
    let (_, table) = meet(&app, "salvos", &[anna, ben, carl], false).await;
    resigns_all(ben, &table).await;
    resigns_all(anna, &table).await;
    let note: Note = "a bet".parse().unwrap();
    annulled(&app, first.parse().unwrap(), &note).await.unwrap();
    for places in [[1, 1], [2, 1]] {
        adjudicated(&app, second.parse().unwrap(), &places, &note).await.unwrap();
    }
    app.passes_s(5000).await;
    carl.beats(anna).await;

    let said = recomputed(&app).await;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    assert!(text.contains("salvos-many-days: 3 changes of 3 players\n") && text.contains(" 0 differences"), "{text}");
    assert!(text.contains("classic-days: 22 changes of 3 players\n"), "{text}");

    for (forgery, back, found) in [
        ("after_rating = after_rating + 0.001", "after_rating = after_rating - 0.001", "the rating after"),
        ("before_deviation = before_deviation - 1", "before_deviation = before_deviation + 1", "the rating before"),
        ("at = at - interval '1 hour'", "at = at + interval '1 hour'", "idle_s of seat"),
    ] {
        let of = "WHERE pool = 'classic-days' AND number = 3";
        database::execute(&app.database, &format!("UPDATE rating_changes SET {forgery} {of}")).await;
        let said = recomputed(&app).await;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(!said.status.success() && text.contains(found), "{forgery}: {text}");
        database::execute(&app.database, &format!("UPDATE rating_changes SET {back} {of}")).await;
    }
    let rating = "UPDATE ratings SET matches = matches + 1 WHERE pool = 'classic-days'";
    database::execute(&app.database, rating).await;
    let said = recomputed(&app).await;
    assert!(String::from_utf8_lossy(&said.stdout).contains("matches of anna is"), "{said:?}");
}
