//! Clocks instead of moves: what the sweep costs with many of them running, and how late the last of many time-outs is
//! that are due in one second.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::Manner;
use super::measure::Used;
use super::player::{Player, text};
use super::postgres::{self, Programs};
use super::service::Service;
use super::{Outcome, register};

/// How long an idle service is watched.
const WATCHED: Duration = Duration::from_secs(20);
/// So many matches are due at once.
const AT_ONCE: u64 = 1000;
/// The clock of the matches that will be due, in seconds: time enough to copy them.
const SHORT_S: u32 = 60;
/// The clock of the others, in seconds: 14 days.
const LONG_S: u32 = 1_209_600;
/// When something isn't done by then, it never will be.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a sweep asks, two times a second on each node.
const DUE: &str = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) SELECT match_id FROM match_heads \
    WHERE check_at IS NOT NULL AND check_at <= now() ORDER BY check_at LIMIT 500";

/// Lets `clocks` clocks run, and measures.
pub async fn run(service: Service, programs: &Programs, clocks: u64) -> Outcome {
    let mut pairs = register(service.address, 1, 1, Manner::default()).await?;
    let players = pairs.first_mut().ok_or("nobody has registered")?;
    let idle = playing(players, LONG_S).await?;
    postgres::fill(programs, &service, &idle, 0, clocks)?;
    println!("{clocks} clocks are running");

    let watched = [service.pid(), service.postmaster()?];
    let before = Used::until_now(watched);
    tokio::time::sleep(WATCHED).await;
    if let Some((before, after)) = before.zip(Used::until_now(watched)) {
        let (service_s, database_s) = (after.service_s - before.service_s, after.database_s - before.database_s);
        let share = |used_s: f64| used_s * 100.0 / WATCHED.as_secs_f64();
        println!(
            "idle: the service takes {:.2} % of a processor, PostgreSQL {:.2} %",
            share(service_s),
            share(database_s)
        );
    }
    println!("a sweep that finds nothing:\n{}", programs.sql(&service, "broadside", DUE)?);

    let begun = Instant::now();
    let wake = format!(
        "UPDATE match_heads SET check_at = now() WHERE match_id IN (SELECT match_id FROM match_heads WHERE check_at IS NOT NULL LIMIT {AT_ONCE})"
    );
    programs.sql(&service, "broadside", &wake)?;
    let awake = "SELECT count(*) FROM match_heads WHERE check_at <= now()";
    until_none(&service, programs, awake).await?;
    println!(
        "{AT_ONCE} matches looked at and put to sleep again {:.2} s after they were woken",
        begun.elapsed().as_secs_f64()
    );

    let due = playing(players, SHORT_S).await?;
    postgres::fill(programs, &service, &due, clocks, AT_ONCE)?;
    let deadline = format!("SELECT deadline FROM match_heads WHERE match_id = '{due}'");
    let deadline = format!("'{}'::timestamptz", programs.sql(&service, "broadside", &deadline)?);
    let left = format!("SELECT extract(epoch FROM {deadline} - clock_timestamp())");
    let left_s: f64 = programs.sql(&service, "broadside", &left)?.parse().map_err(|_| "no deadline".to_owned())?;
    if left_s < 1.0 {
        return Err(format!("copying took longer than {SHORT_S} s: the deadline has passed"));
    }
    println!("a sweep before {AT_ONCE} time-outs, {left_s:.0} s ahead:\n{}", programs.sql(&service, "broadside", DUE)?);
    let begun = Instant::now();
    tokio::time::sleep(Duration::from_secs_f64(left_s)).await;
    let before = Used::until_now(watched);
    let running = format!("SELECT count(*) FROM match_heads WHERE finished_at IS NULL AND deadline <= {deadline}");
    until_none(&service, programs, &running).await?;
    let seen_s = begun.elapsed().as_secs_f64() - left_s;
    let late = format!(
        "SELECT count(*) || ' time-outs due at once: the first was judged after ' || round(extract(epoch FROM min(finished_at) - {deadline}), 2) || ' s, the last after ' \
         || round(extract(epoch FROM max(finished_at) - {deadline}), 2) || ' s' FROM match_heads WHERE result ->> 'reason' = 'time'"
    );
    println!("{}; all were in the log within {seen_s:.2} s", programs.sql(&service, "broadside", &late)?);
    if let Some((before, after)) = before.zip(Used::until_now(watched)) {
        let (service_s, database_s) = (after.service_s - before.service_s, after.database_s - before.database_s);
        println!("that took {service_s:.2} s of a processor in the service, {database_s:.2} s in PostgreSQL");
    }
    Ok(())
}

/// A match in which somebody must move.
async fn playing(players: &mut [Player; 2], move_s: u32) -> Outcome<String> {
    let [host, guest] = players;
    let clock = json!({ "kind": "per-move", "move_s": move_s, "rests": "none" });
    let terms = json!({ "variant": "classic", "opponent": guest.username, "clock": clock });
    let opened = host.ask("POST", "/v1/challenges", &terms).await?;
    let path = format!("/v1/challenges/{}/accept", text(&opened, "id")?);
    let accepted = guest.ask("POST", &path, &json!({})).await?;
    let id = text(&accepted, "match_id")?.to_owned();
    let actions = format!("/v1/matches/{id}/actions");
    let deploy = json!({ "action": { "type": "deploy-auto" } });
    host.ask("POST", &actions, &deploy).await?;
    guest.ask("POST", &actions, &deploy).await?;
    host.ask("GET", &format!("/v1/matches/{id}"), &Value::Null).await?;
    Ok(id)
}

/// Returns when `count` counts nothing any more.
async fn until_none(service: &Service, programs: &Programs, count: &str) -> Outcome {
    let begun = Instant::now();
    while programs.sql(service, "broadside", count)? != "0" {
        if begun.elapsed() > PATIENCE {
            return Err(format!("not done after {PATIENCE:?}: {count}; {}", service.log()));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
