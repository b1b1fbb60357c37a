//! A long history instead of moves: very many rated duels, ten thousand of which are one player's. How long do the
//! statistics of that player take, and the report of fair play?

use std::time::Instant;

use serde_json::Value;

use super::Outcome;
use super::http::{Connection, Manner, Request};
use super::measure::{Round, Used};
use super::postgres::Programs;
use super::service::Service;

/// How many of the duels are the one player's.
const OWN: u64 = 10_000;
/// Among so many others the rest are divided.
const OTHERS: u64 = 20_000;
/// How often each answer is asked for.
const REQUESTS: usize = 200;
/// How often each report is made.
const REPORTS: usize = 3;

/// What fills the tables: copies of the match `id` over two years, with ids in the order of time as real ones have,
/// results for both seats, and two changes of ratings each. One duel in fourteen is of another pool.
fn filling(id: &str, duels: u64) -> String {
    let every = (duels / OWN).max(1);
    format!(
        "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at)
           SELECT gen_random_uuid(), name, name, convert_to(name, 'UTF8'), '', false, now()
           FROM (SELECT 'player' || n AS name FROM generate_series(0, {OTHERS}) AS n) AS names;
         CREATE TEMP TABLE people AS
           SELECT id, substr(username, 7)::int AS k FROM accounts WHERE username LIKE 'player%';
         CREATE INDEX ON people (k);
         CREATE TEMP TABLE duels AS
           SELECT n, at, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008'
               || substr(md5(n::text), 1, 15))::uuid AS id,
             CASE WHEN n % {every} = 0 THEN 0 ELSE 1 + (random() * {half})::int END AS one,
             1 + {half} + (random() * ({half} - 1))::int AS other,
             CASE WHEN n % 14 = 0 THEN 'sea-battle' ELSE 'classic' END AS variant, (n % 2)::int AS loser
           FROM (SELECT n, now() - n * interval '730 days' / {duels} AS at FROM generate_series(1, {duels}) AS n) AS s;
         CREATE TEMP TABLE seats AS
           SELECT d.id, d.n, d.at, d.variant, s.seat, p.id AS account, q.id AS opponent, 1 + (s.seat # d.loser) AS place
           FROM duels AS d CROSS JOIN (VALUES (0), (1)) AS s (seat)
             JOIN people AS p ON p.k = CASE s.seat WHEN 0 THEN d.one ELSE d.other END
             JOIN people AS q ON q.k = CASE s.seat WHEN 0 THEN d.other ELSE d.one END;
         INSERT INTO matches SELECT copy.* FROM duels AS d, matches AS m,
           LATERAL jsonb_populate_record(m, jsonb_build_object('id', d.id, 'variant', d.variant)) AS copy
           WHERE m.id = '{id}';
         INSERT INTO match_heads SELECT copy.* FROM duels AS d, match_heads AS h,
           LATERAL jsonb_populate_record(h, jsonb_build_object('match_id', d.id, 'finished_at', d.at)) AS copy
           WHERE h.match_id = '{id}';
         INSERT INTO match_results (match_id, seat, account_id, variant, side, outcome, place, played_out, shots, hits,
             finished_at)
           SELECT id, seat, account, variant, seat, CASE place WHEN 1 THEN 'won' ELSE 'lost' END, place, true, 60, 17, at
           FROM seats;
         INSERT INTO rating_changes (account_id, pool, number, match_id, seat, reason, algorithm, algorithm_version, at,
             before_rating, before_deviation, before_volatility, after_rating, after_deviation, after_volatility,
             participants)
           SELECT account, variant || '-days', n, id, seat, 'match', 'glicko-2', 1, at, 1500, 80, 0.06, 1501, 80, 0.06,
             CASE seat WHEN 0 THEN jsonb_build_array(own, theirs) ELSE jsonb_build_array(theirs, own) END
           FROM seats, LATERAL (SELECT jsonb_build_object('player_id', account, 'place', place, 'idle_s', 86400,
               'before', jsonb_build_object('rating', 1500, 'deviation', 80, 'volatility', 0.06)) AS own,
             jsonb_build_object('player_id', opponent, 'place', 3 - place, 'idle_s', 86400,
               'before', jsonb_build_object('rating', 1500, 'deviation', 80, 'volatility', 0.06)) AS theirs) AS changes;",
        half = OTHERS / 2,
    )
}

/// Fills the tables with copies of the finished match `id`, and measures.
pub async fn run(mut service: Service, programs: &Programs, id: &str, duels: u64) -> Outcome {
    programs.sql(&service, "broadside", &filling(id, duels))?;
    programs.sql(&service, "postgres", "VACUUM ANALYZE")?;
    let mut connection = Connection::to(service.address, Manner { gzip: true, ..Manner::default() });
    let watched = [service.pid(), service.postmaster()?];
    println!("{duels} duels, {OWN} of them of one player; {REQUESTS} answers a row");
    println!("{:<44} {:>8} {:>8} {:>14} {:>8}", "answer", "p50 ms", "p99 ms", "processor ms", "others");
    let second = next_page(&mut connection, "/v1/players/player0/opponents?limit=50").await?;
    for path in
        ["/v1/players/player0/statistics", "/v1/players/player0/opponents?limit=50", &second, "/v1/players/player0"]
    {
        let (mut took_us, begun) = (Vec::new(), Instant::now());
        let before = Used::until_now(watched);
        for _ in 0..REQUESTS {
            let asked = Instant::now();
            ask(&mut connection, path).await?;
            took_us.push(asked.elapsed().as_micros() as u32);
        }
        let mut measured = Round::of(took_us, begun.elapsed());
        if let Some((before, after)) = before.zip(Used::until_now(watched)) {
            measured.account(before, after, REQUESTS);
        }
        let [_, service_us, database_us] = measured.cpu_us.unwrap_or([f64::NAN; 3]);
        println!(
            "{:<44} {:>8.2} {:>8.2} {:>14.2} {:>6.0} %",
            path.split("cursor").next().unwrap_or(path),
            measured.percentile_ms(0.5),
            measured.percentile_ms(0.99),
            (service_us + database_us) / 1000.0,
            measured.others.unwrap_or(f64::NAN) * 100.0,
        );
    }
    service.stop()?;
    println!("the report of fair play, with a start of the cluster, {REPORTS} times:");
    for words in [
        &["fair-play", "--json"][..],
        &["fair-play", "--json", "--pool", "sea-battle-days", "--since", "2020-01-01"],
        &["fair-play", "--json", "--pool", "depths-days"],
    ] {
        let mut took_s = Vec::new();
        for _ in 0..REPORTS {
            let begun = Instant::now();
            let (made, said) = service.command(words)?;
            if !made {
                return Err(said);
            }
            took_s.push(format!("{:.2} s", begun.elapsed().as_secs_f64()));
        }
        println!("broadside {}: {}", words.join(" "), took_s.join(", "));
    }
    service.restart().map(drop)
}

async fn next_page(connection: &mut Connection, path: &str) -> Outcome<String> {
    let page = ask(connection, path).await?;
    let cursor = page["next_cursor"].as_str().ok_or("a list of one page")?;
    Ok(format!("{path}&cursor={cursor}"))
}

async fn ask(connection: &mut Connection, path: &str) -> Outcome<Value> {
    let request = Request { method: "GET", path, token: None, key: None, body: "" };
    let answer = connection.exchange(&request).await.map_err(|error| format!("GET {path}: {error}"))?;
    if answer.status == 200 { answer.json() } else { Err(format!("GET {path}: {}", answer.text())) }
}
