//! A leaderboard instead of moves: one pool in which very many players are rated, established and active. How long does
//! a page of 50 take: the first, any other, and the one around a player?

use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::Outcome;
use super::http::{Connection, Manner, Request};
use super::measure::{Round, Used};
use super::postgres::Programs;
use super::service::Service;

/// The pool.
const POOL: &str = "classic-days";
/// So many pages of each sort are asked for in a round.
const REQUESTS: u32 = 1000;
/// So many rounds.
const ROUNDS: usize = 3;
/// How long the service has for its first round of jobs, which counts the samples that ranks are counted from.
const SETTLED: Duration = Duration::from_secs(15);

/// Players whose ratings are normally distributed, so that the middle is dense.
fn filling(players: u64) -> String {
    format!(
        "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at)
           SELECT gen_random_uuid(), name, name, convert_to(name, 'UTF8'), '', false, now()
           FROM (SELECT 'player' || n AS name FROM generate_series(1, {players}) AS n) AS names;
         INSERT INTO ratings (account_id, pool, number, rating, deviation, volatility, matches, rated_at, listed_until,
             account_deleted)
           SELECT id, '{POOL}', 1, 1500 + 300 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()), 80, 0.06, 40,
             now(), now() + interval '90 days', false FROM accounts;"
    )
}

/// Fills the pool with `players` players, and measures.
pub async fn run(mut service: Service, programs: &Programs, players: u64, seed: u64) -> Outcome {
    programs.sql(&service, "broadside", &filling(players))?;
    programs.sql(&service, "postgres", "VACUUM ANALYZE")?;
    service.stop()?;
    service.restart()?;
    tokio::time::sleep(SETTLED).await;
    println!("{players} players in one pool; {REQUESTS} pages of 50 a row");
    println!("{:>5} {:<24} {:>8} {:>8} {:>14} {:>8}", "round", "page", "p50 ms", "p99 ms", "processor ms", "others");
    let mut dice = StdRng::seed_from_u64(seed);
    let mut connection = Connection::to(service.address, Manner { gzip: true, ..Manner::default() });
    let watched = [service.pid(), service.postmaster()?];
    for round in 1..=ROUNDS {
        for sort in ["the first", "any other", "around a random player", "(a player's profile)"] {
            let mut took_us = Vec::new();
            let (before, begun) = (Used::until_now(watched), Instant::now());
            for _ in 0..REQUESTS {
                let player = format!("player{}", dice.random_range(1..=players));
                let board = format!("/v1/pools/{POOL}/leaderboard");
                let path = match sort {
                    "the first" => board,
                    "any other" => {
                        let around = ask(&mut connection, &format!("{board}?around={player}")).await?;
                        let cursor = around.0["next_cursor"].as_str().unwrap_or_default().to_owned();
                        format!("{board}?cursor={cursor}")
                    }
                    "around a random player" => format!("{board}?around={player}"),
                    _ => format!("/v1/players/{player}"),
                };
                took_us.push(ask(&mut connection, &path).await?.1);
            }
            let mut measured = Round::of(took_us, begun.elapsed());
            if let Some((before, after)) = before.zip(Used::until_now(watched)) {
                measured.account(before, after, REQUESTS as usize);
            }
            let [_, service_us, database_us] = measured.cpu_us.unwrap_or([f64::NAN; 3]);
            println!(
                "{round:>5} {sort:<24} {:>8.2} {:>8.2} {:>14.2} {:>6.0} %",
                measured.percentile_ms(0.5),
                measured.percentile_ms(0.99),
                (service_us + database_us) / 1000.0,
                measured.others.unwrap_or(f64::NAN) * 100.0,
            );
        }
    }
    println!("(Processor time of \"any other\" is with the page around a player that its cursor is taken from.)");
    Ok(())
}

/// An answer, and how many microseconds it took.
async fn ask(connection: &mut Connection, path: &str) -> Outcome<(serde_json::Value, u32)> {
    let begun = Instant::now();
    let request = Request { method: "GET", path, token: None, key: None, body: "" };
    let answer = connection.exchange(&request).await.map_err(|error| format!("GET {path}: {error}"))?;
    let took_us = begun.elapsed().as_micros() as u32;
    if answer.status != 200 {
        return Err(format!("GET {path}: {}", answer.text()));
    }
    Ok((answer.json()?, took_us))
}
