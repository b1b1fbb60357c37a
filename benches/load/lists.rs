//! Long lists instead of moves: a pool, a ladder or the tournaments of a service, with very many rows. How long does a
//! page of 50 take: the first, any other, and the one around a player?

use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::Outcome;
use super::http::{Connection, Manner, Request};
use super::measure::{Round, Used};
use super::player::Player;
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

/// What is long.
#[derive(Clone, Copy)]
pub enum List {
    /// The leaderboard of a pool; every account is rated in it.
    Leaderboard,
    /// The standings of a ladder; every account is a member.
    Ladder,
    /// The tournaments of the service. Nearly all are over.
    Tournaments,
}

impl List {
    /// Makes by the API what the rows of the list belong to, or are copies of.
    async fn begin(self, service: &Service) -> Outcome {
        let mut organizer = Player::register(service.address, "founder".to_owned(), Manner::default()).await?;
        let clock = json!({ "kind": "per-move", "move_s": 86_400 });
        match self {
            Self::Leaderboard => {}
            Self::Ladder => {
                let terms = json!({ "title": "All of them", "variant": "classic", "clock": clock, "rated": false });
                organizer.ask("POST", "/v1/ladders", &terms).await?;
            }
            Self::Tournaments => {
                let terms = json!({
                    "title": "One of many", "variant": "classic", "clock": clock, "rated": false, "format": "swiss",
                    "rounds": 5, "min_players": 3, "max_players": 32,
                });
                organizer.ask("POST", "/v1/tournaments", &terms).await?;
            }
        }
        Ok(())
    }

    /// What fills it with `rows` rows. Ratings are normally distributed, and so are the points of members of a ladder:
    /// the middle is dense.
    fn filling(self, rows: u64) -> String {
        let accounts = format!(
            "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at)
               SELECT gen_random_uuid(), name, name, convert_to(name, 'UTF8'), '', false, now()
               FROM (SELECT 'player' || n AS name FROM generate_series(1, {rows}) AS n) AS names;"
        );
        match self {
            Self::Leaderboard => format!(
                "{accounts} INSERT INTO ratings (account_id, pool, number, rating, deviation, volatility, matches,
                   rated_at, listed_until, account_deleted)
                 SELECT id, '{POOL}', 1, 1500 + 300 * {NORMAL}, 80, 0.06, 40, now(), now() + interval '90 days', false
                 FROM accounts WHERE username LIKE 'player%';"
            ),
            // They ask for no pairing, so what is measured is not the pairing of them all.
            Self::Ladder => format!(
                "{accounts} INSERT INTO ladder_members (ladder_id, account_id, status, section, division,
                   wanted_pairings, running_pairings, joined_at, waiting_since, missed, seat_balance, recent_opponents,
                   current_opponents)
                 SELECT l.id, a.id, 'active', 'all', 1, 0, 0, now(), now(), 0, 0, '{{}}', '{{}}'
                 FROM ladders AS l, accounts AS a WHERE a.username LIKE 'player%';
                 INSERT INTO ladder_standings (ladder_id, season, account_id, section, division, half_points, pairings,
                   games, won, drawn, lost, best_results, score, tie_break, since)
                 SELECT l.id, l.season, a.id, 'all', 1, points, 60, 60, points / 2, points % 2,
                   60 - points / 2 - points % 2, '{{}}', points * 500000, 60, now() - random() * interval '90 days'
                 FROM ladders AS l, (SELECT id, greatest(0, least(120, (60 + 15 * {NORMAL})::int)) AS points
                   FROM accounts WHERE username LIKE 'player%') AS a;"
            ),
            Self::Tournaments => format!(
                "INSERT INTO tournaments SELECT copy.* FROM tournaments AS t, generate_series(1, {rows}) AS n,
                   LATERAL jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'title', 'Cup ' || n,
                     'status', CASE WHEN n % 1000 = 0 THEN 'open' ELSE 'cancelled' END,
                     'variant', CASE WHEN n % 100 = 0 THEN 'paper' ELSE 'classic' END)) AS copy;"
            ),
        }
    }

    /// The sorts of pages.
    fn sorts(self) -> &'static [Sort] {
        match self {
            Self::Leaderboard | Self::Ladder => &[Sort::First, Sort::Next, Sort::Around, Sort::Profile],
            Self::Tournaments => &[Sort::First, Sort::Next, Sort::Rare, Sort::Profile],
        }
    }

    /// Where it is.
    fn path(self, id: &str) -> String {
        match self {
            Self::Leaderboard => format!("/v1/pools/{POOL}/leaderboard"),
            Self::Ladder => format!("/v1/ladders/{id}/standings"),
            Self::Tournaments => "/v1/tournaments".to_owned(),
        }
    }

    /// The list of which the first row is what the standings belong to.
    const fn belongs_to(self) -> Option<&'static str> {
        match self {
            Self::Ladder => Some("/v1/ladders?limit=1"),
            Self::Leaderboard | Self::Tournaments => None,
        }
    }
}

/// A normally distributed number in SQL: its mean is 0 and its deviation 1.
const NORMAL: &str = "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())";

/// A sort of page.
#[derive(Clone, Copy)]
enum Sort {
    /// The first page.
    First,
    /// The page after the one around a random player, or of a list without players after the one before.
    Next,
    /// The page around a random player.
    Around,
    /// The first page of what a filter lets through, one row in a thousand.
    Rare,
    /// For comparison, a player's profile: one row is looked up.
    Profile,
}

impl Sort {
    const fn name(self) -> &'static str {
        match self {
            Self::First => "the first",
            Self::Next => "any other",
            Self::Around => "around a random player",
            Self::Rare => "of one in a thousand",
            Self::Profile => "(a player's profile)",
        }
    }
}

/// Who asks, and what for.
struct Asker {
    connection: Connection,
    list: List,
    path: String,
    players: u64,
    dice: StdRng,
    /// The page after the last one, where the list names no players.
    cursor: Option<String>,
}

impl Asker {
    async fn page(&mut self, sort: Sort) -> Outcome<u32> {
        let player = match self.list {
            List::Tournaments => "founder".to_owned(),
            List::Leaderboard | List::Ladder => format!("player{}", self.dice.random_range(1..=self.players)),
        };
        let around = format!("{}?around={player}", self.path);
        let path = match (sort, self.list) {
            (Sort::First, _) => self.path.clone(),
            (Sort::Around, _) => around,
            (Sort::Rare, _) => format!("{}?status=open", self.path),
            (Sort::Profile, _) => format!("/v1/players/{player}"),
            (Sort::Next, List::Tournaments) => match self.cursor.take() {
                Some(cursor) => format!("{}?cursor={cursor}", self.path),
                None => self.path.clone(),
            },
            (Sort::Next, List::Leaderboard | List::Ladder) => {
                let (page, _) = self.ask(&around).await?;
                // Nothing follows the last page: then it is the first one again.
                page["next_cursor"]
                    .as_str()
                    .map_or_else(|| self.path.clone(), |next| format!("{}?cursor={next}", self.path))
            }
        };
        let (page, took_us) = self.ask(&path).await?;
        self.cursor = page["next_cursor"].as_str().map(str::to_owned);
        Ok(took_us)
    }

    /// An answer, and how many microseconds it took.
    async fn ask(&mut self, path: &str) -> Outcome<(Value, u32)> {
        let begun = Instant::now();
        let request = Request { method: "GET", path, token: None, key: None, body: "" };
        let answer = self.connection.exchange(&request).await.map_err(|error| format!("GET {path}: {error}"))?;
        let took_us = begun.elapsed().as_micros() as u32;
        if answer.status != 200 {
            return Err(format!("GET {path}: {}", answer.text()));
        }
        Ok((answer.json()?, took_us))
    }
}

/// Fills the list with `rows` rows, and measures.
pub async fn run(mut service: Service, programs: &Programs, list: List, rows: u64, seed: u64) -> Outcome {
    list.begin(&service).await?;
    programs.sql(&service, "broadside", &list.filling(rows))?;
    programs.sql(&service, "postgres", "VACUUM ANALYZE")?;
    service.stop()?;
    service.restart()?;
    tokio::time::sleep(SETTLED).await;
    let connection = Connection::to(service.address, Manner { gzip: true, ..Manner::default() });
    let dice = StdRng::seed_from_u64(seed);
    let mut asker = Asker { connection, list, path: String::new(), players: rows, dice, cursor: None };
    let owner = match list.belongs_to() {
        Some(path) => asker.ask(path).await?.0["items"][0]["id"].as_str().ok_or("nothing is there")?.to_owned(),
        None => String::new(),
    };
    asker.path = list.path(&owner);
    println!("{rows} rows in {}; {REQUESTS} pages of 50 a row of this table", asker.path);
    println!("{:>5} {:<24} {:>8} {:>8} {:>14} {:>8}", "round", "page", "p50 ms", "p99 ms", "processor ms", "others");
    let watched = [service.pid(), service.postmaster()?];
    for round in 1..=ROUNDS {
        for &sort in list.sorts() {
            measure(&mut asker, sort, round, watched).await?;
        }
    }
    println!("(Processor time of \"any other\" is with the page around a player that its cursor is taken from.)");
    Ok(())
}

/// Asks for many pages of one sort, and prints what they took.
async fn measure(asker: &mut Asker, sort: Sort, round: usize, watched: [u32; 2]) -> Outcome {
    let mut took_us = Vec::new();
    let (before, begun) = (Used::until_now(watched), Instant::now());
    for _ in 0..REQUESTS {
        took_us.push(asker.page(sort).await?);
    }
    let mut measured = Round::of(took_us, begun.elapsed());
    if let Some((before, after)) = before.zip(Used::until_now(watched)) {
        measured.account(before, after, REQUESTS as usize);
    }
    let [_, service_us, database_us] = measured.cpu_us.unwrap_or([f64::NAN; 3]);
    println!(
        "{round:>5} {:<24} {:>8.2} {:>8.2} {:>14.2} {:>6.0} %",
        sort.name(),
        measured.percentile_ms(0.5),
        measured.percentile_ms(0.99),
        (service_us + database_us) / 1000.0,
        measured.others.unwrap_or(f64::NAN) * 100.0,
    );
    Ok(())
}
