//! The jobs of several nodes: shared, so that ten nodes query no more often than one, and never held up by foreign
//! locks.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use broadside::db::Deadline;
use broadside::jobs::{self, Due, JOBS, Leases};
use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::join_all;
use serde_json::json;

use crate::guests::guest;
use crate::support::receiver::Receiver;
use crate::support::smtp::Postbox;
use crate::support::{MORNING_MS, Player, Setup, TestApp, database};
use crate::webhooks::{anna_and_ben, happens, hooks};

const ROUNDS: usize = 20;

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// The number of transactions by closed connections to a database.
async fn transactions(name: &str) -> i64 {
    let mut connection =
        AsyncPgConnection::establish(&database::cluster().connection_string("postgres")).await.unwrap();
    let read = async |connection: &mut AsyncPgConnection, what: &str| {
        let sql = format!("SELECT ({what})::bigint AS count FROM pg_stat_database WHERE datname = '{name}'");
        diesel::sql_query(sql).get_result::<Count>(connection).await.unwrap().count
    };
    while read(&mut connection, "numbackends").await > 0 {
        tokio::task::yield_now().await;
    }
    read(&mut connection, "xact_commit + xact_rollback").await
}

/// The cost in transactions of some rounds of all jobs on this number of nodes, with matches that run out of time.
async fn cost_of(nodes: usize, rounds: usize) -> i64 {
    let url = database::fresh().await;
    let clock = Arc::new(AtomicI64::new(MORNING_MS));
    let start = || TestApp::on(url.clone(), Arc::clone(&clock), Setup::default());
    let all: Vec<TestApp> = join_all((0..nodes).map(|_| Box::pin(start()))).await;
    let (anna, ben) = (all[0].lasting_player("anna").await, all[0].lasting_player("ben").await);
    for _ in 0..10 {
        anna.challenges_and_meets(&ben, json!({ "clock": { "kind": "per-move", "move_s": 60 } })).await;
    }
    all[0].passes_unseen_s(3600);
    let leases: Vec<Leases> = all.iter().map(|node| Leases::new(&node.app, jobs::leased())).collect();
    for _ in 0..rounds {
        for (node, leases) in all.iter().zip(&leases) {
            leases.renew(&node.app).await.unwrap();
            for job in JOBS.iter().filter(|job| leases.holds(job.name)) {
                (job.round)(&node.app).await.unwrap();
            }
        }
    }
    if rounds > 0 {
        let over = anna.get("/v1/matches?player=anna&status=playing").await.expect(200);
        assert_eq!(over["items"], json!([]));
    }
    drop((anna, ben, leases, all));
    let (_, name) = url.rsplit_once("dbname=").unwrap();
    transactions(name.split_whitespace().next().unwrap().trim_matches('\'')).await
}

#[actix_web::test]
async fn ten_nodes_ask_hardly_more_often_than_one_whether_something_is_due() {
    // Citus keeps connections of its own to each database, and its transactions look like those of nodes.
    if database::are_distributed() {
        return;
    }
    let one = cost_of(1, ROUNDS).await - cost_of(1, 0).await;
    let ten = cost_of(10, ROUNDS).await - cost_of(10, 0).await;
    println!("{ROUNDS} rounds of all jobs: {one} transactions of one node, {ten} of ten");
    // Each node checks for work once per round.
    assert!(ten < 2 * one, "one node: {one}, ten: {ten}");
}

#[actix_web::test]
async fn a_node_that_stops_leaves_its_jobs_to_another() {
    let one = TestApp::start().await;
    let other = one.another_node().await;
    let [first, second] = [&one, &other].map(|node| Leases::new(&node.app, jobs::leased()));
    let held = |leases: &Leases| jobs::leased().filter(|job| leases.holds(job)).count();
    first.renew(&one.app).await.unwrap();
    second.renew(&other.app).await.unwrap();
    first.renew(&one.app).await.unwrap();
    assert_eq!((held(&first), held(&second)), (jobs::leased().count(), 0));
    first.release(&one.app).await.unwrap();
    second.renew(&other.app).await.unwrap();
    first.renew(&one.app).await.unwrap();
    assert_eq!((held(&first), held(&second)), (0, jobs::leased().count()));
    // A killed node gives no leases back; they expire.
    database::execute(&one.database, "UPDATE job_leases SET until_at = now() - interval '1 second'").await;
    first.renew(&one.app).await.unwrap();
    assert_eq!(held(&first), jobs::leased().count());
}

#[actix_web::test]
async fn a_row_that_somebody_holds_holds_up_no_other() {
    let url = database::fresh().await;
    let setup = Setup { deadline: Some(Deadline(Duration::from_millis(500))), ..Setup::default() };
    let app = Box::pin(TestApp::on(url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut offers = Vec::new();
    for _ in 0..2 {
        let offer = anna
            .post("/v1/challenges", json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" }))
            .await
            .expect(201);
        offers.push(offer["id"].as_str().unwrap().to_owned());
    }
    let mut holder = AsyncPgConnection::establish(&url).await.unwrap();
    let hold = format!("BEGIN; SELECT FROM challenges WHERE id = '{}' FOR UPDATE", offers[0]);
    holder.batch_execute(&hold).await.unwrap();
    app.passes_unseen_s(30 * 86_400);
    broadside::lobby::expire::sweep(&app.app.matches).await.unwrap();
    let expired = async || {
        let heard = ben.hears(0).await;
        let ids = heard.iter().filter(|event| event["type"] == "challenge-expired");
        ids.map(|event| event["challenge_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(expired().await, offers[1..]);
    drop(holder);
    while expired().await.len() < 2 {
        broadside::lobby::expire::sweep(&app.app.matches).await.unwrap();
    }
}

/// The values of a field in Ben's events of a kind.
async fn heard(ben: &Player, kind: &str, field: &str) -> Vec<String> {
    let news = ben.news_of(kind).await;
    news.iter().map(|event| event[field].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn creators_take_turns_when_their_challenges_expire() {
    let app = TestApp::start().await;
    let ben = app.lasting_player("ben").await;
    let (anna, gus, gina) = (app.lasting_player("anna").await, guest(&app, "gus").await, guest(&app, "gina").await);
    let mut offers = Vec::new();
    for (player, seconds) in [(&gus, 60), (&gina, 61), (&gus, 62), (&anna, 70), (&anna, 71)] {
        let clock = json!({ "kind": "per-move", "move_s": 86_400 });
        let body = json!({ "variant": "classic", "clock": clock, "opponent": "ben", "expires_in_s": seconds });
        offers.push(player.post("/v1/challenges", body).await.expect(201)["id"].as_str().unwrap().to_owned());
    }
    app.passes_unseen_s(100);
    broadside::lobby::expire::sweep(&app.app.matches).await.unwrap();
    // Both guests share one address, and Anna waits for only one of them.
    let expected = [0, 3, 1, 4, 2].map(|index: usize| offers[index].clone());
    assert_eq!(heard(&ben, "challenge-expired", "challenge_id").await, expected);
}

#[actix_web::test]
async fn accounts_take_turns_in_resigning() {
    let app = TestApp::start().await;
    let (anna, ben, carl) =
        (app.lasting_player("anna").await, app.lasting_player("ben").await, app.lasting_player("carl").await);
    for _ in 0..3 {
        anna.challenges_and_meets(&ben, json!({})).await;
    }
    let last = carl.challenges_and_meets(&ben, json!({})).await;
    let forfeit = "INSERT INTO pending_resignations (account_id, created_at) \
         SELECT a.id, (SELECT max(created_at) FROM matches) FROM accounts AS a WHERE a.username IN ('anna', 'carl')";
    database::execute(&app.database, forfeit).await;
    broadside::moderation::suspend::round(&app.app.matches).await.unwrap();
    let ended = heard(&ben, "match-finished", "match_id").await;
    assert_eq!(ended.len(), 4);
    assert!(ended[..2].contains(&last), "Carl's match waits for one of Anna's at most");
    let none = "SELECT 1 / (count(*) = 0)::int FROM pending_resignations";
    database::execute(&app.database, none).await;
}

/// A foreign lock on a row, until it is dropped.
async fn held(url: &str, row: &str) -> AsyncPgConnection {
    let mut holder = AsyncPgConnection::establish(url).await.unwrap();
    holder.batch_execute(&format!("BEGIN; SELECT FROM {row} FOR UPDATE")).await.unwrap();
    holder
}

#[actix_web::test]
async fn a_deleted_account_that_is_held_up_holds_up_no_other() {
    let url = database::fresh().await;
    let setup = Setup { deadline: Some(Deadline(Duration::from_millis(500))), ..Setup::default() };
    let app = Box::pin(TestApp::on(url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    let players = [app.lasting_player("anna").await, app.lasting_player("ben").await];
    let ended = "UPDATE accounts SET deleted_at = created_at, suspended_at = created_at, suspended_until = created_at";
    database::execute(&url, ended).await;
    let holder = held(&url, &format!("accounts WHERE id = '{}'", players[0].id)).await;
    broadside::account_deletion::round(&app.app).await.unwrap();
    let named = |name: &str| format!("SELECT 1 / count(*) FROM accounts WHERE username = '{name}'");
    database::execute(&url, &named("anna")).await;
    let unnamed =
        format!("SELECT 1 / count(*) FROM accounts WHERE id = '{}' AND username LIKE 'deleted-%'", players[1].id);
    database::execute(&url, &unnamed).await;
    drop(holder);
}

#[actix_web::test]
async fn a_lost_password_that_is_held_up_holds_up_no_other() {
    let (url, postbox) = (database::fresh().await, Postbox::open().await);
    let setup = Setup {
        deadline: Some(Deadline(Duration::from_millis(500))),
        mail: Some(postbox.setup()),
        match_link: Some("https://club.example/match/{id}"),
        ..Setup::default()
    };
    let app = Box::pin(TestApp::on(url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    for name in ["anna", "ben"] {
        crate::recovery::reachable(&app, &postbox, name).await;
    }
    for name in ["anna", "ben"] {
        crate::recovery::asks(&app, name).await.expect_status(202);
    }
    let holder = held(&url, "password_reset_requests WHERE login = 'anna'").await;
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.to, "ben@example.org");
    drop(holder);
}

#[actix_web::test]
async fn accounts_take_turns_with_mails_about_their_security() {
    let (app, postbox) = crate::mail::with_mail().await;
    for name in ["anna", "ben"] {
        crate::recovery::reachable(&app, &postbox, name).await;
    }
    let queue = "INSERT INTO security_notices (id, account_id, kind, address, at, due_at) \
         SELECT gen_random_uuid(), a.id, 'password-changed', a.email, a.created_at, a.created_at - (20 - n) * interval '1 ms' \
         FROM accounts AS a, generate_series(1, CASE a.username WHEN 'anna' THEN 20 ELSE 1 END) AS n";
    database::execute(&app.database, queue).await;
    assert_eq!(app.tells_owners().await, 21);
    let mails = postbox.empty();
    assert!(mails[..4].iter().any(|mail| mail.to == "ben@example.org"), "Ben waits behind all of Anna's");
}

/// The jobs with due work, of those that can report it.
async fn due(app: &TestApp) -> Vec<&'static str> {
    let mut due = Vec::new();
    for job in JOBS.iter().filter(|job| !matches!(job.due, Due::Unknown)) {
        if jobs::is_due(&app.app, job).await.unwrap() {
            due.push(job.name);
        }
    }
    due
}

#[actix_web::test]
async fn a_quiet_service_has_nothing_to_do_until_something_is_to_be_sent() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    hooks(&anna, &receiver.url(), &[]).await;
    assert!(due(&app).await.is_empty());
    happens(&ben, 1).await;
    assert_eq!(due(&app).await, ["webhooks"]);
    app.delivers().await;
    assert!(due(&app).await.is_empty());
}
