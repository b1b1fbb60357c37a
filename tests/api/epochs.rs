//! Epochs: after a restore, numbers are reused. Clients with an older cursor are told to read anew, and miss nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use broadside::epoch::{Cursor, Epoch};
use broadside::events::read::LogReader;
use broadside::heartbeat::HeartbeatSettings;
use broadside::moderation::{operator, read};
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::database::STORED_EVENT;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::streams::Listening;
use crate::support::{MORNING_MS, Player, Setup, TestApp, database, plain};

/// Copies every table, like a dump.
const SAVE: &str = "CREATE SCHEMA saved; DO $$ DECLARE t text; BEGIN \
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_\\_%' LOOP \
    EXECUTE format('CREATE TABLE saved.%I AS TABLE public.%I', t, t); END LOOP; END $$";

/// Puts every row back, like the restore of a dump into existing tables.
const RESTORE: &str = "SET session_replication_role = replica; DO $$ DECLARE t text; columns text; BEGIN \
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'saved' LOOP \
    SELECT string_agg(quote_ident(column_name), ', ') INTO columns FROM information_schema.columns \
      WHERE table_schema = 'public' AND table_name = t AND is_generated = 'NEVER'; \
    EXECUTE format('DELETE FROM public.%I', t); \
    EXECUTE format('INSERT INTO public.%1$I (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM saved.%1$I', t, columns); \
    END LOOP; END $$";

async fn node_on(database: &str, clock: &Arc<AtomicI64>) -> TestApp {
    let setup = Setup { heartbeat: Some(HeartbeatSettings::default()), ..Setup::default() };
    let app = Box::pin(TestApp::on(database.to_owned(), Arc::clone(clock), setup)).await;
    app.beats().await;
    app
}

async fn start() -> TestApp {
    node_on(&database::fresh().await, &Arc::new(AtomicI64::new(MORNING_MS))).await
}

async fn battle(app: &TestApp) -> (Player, Player, String) {
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    (anna, ben, id)
}

async fn newest(player: &Player) -> String {
    player.get("/v1/events").await.expect(200)["next_cursor"].as_str().unwrap().to_owned()
}

/// The cursor in the answer to an outdated cursor.
#[track_caller]
fn goes_on_from(answer: &crate::support::Answer) -> String {
    answer.problem(410, "log-rewound")["next_cursor"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn who_asks_for_everything_is_not_sent_away_by_a_new_epoch() {
    let app = start().await;
    let (anna, ..) = battle(&app).await;
    let account = anna.id.parse().unwrap();
    let (mut reader, _) = LogReader::new(&app.app, account, Some(Cursor::BEGINNING)).await.unwrap();
    app.app.epochs.learn(Epoch::drawn(app.app.random()));
    assert_eq!(reader.next(&app.app, 10).await.unwrap()[0].number, 1);
    app.app.epochs.learn(Epoch::drawn(app.app.random()));
    assert!(reader.next(&app.app, 10).await.is_err());
    // Nor does a client that waits for everything and has received nothing yet.
    let carl = app.lasting_player("carl").await.id.parse().unwrap();
    let (mut reader, _) = LogReader::new(&app.app, carl, Some(Cursor::BEGINNING)).await.unwrap();
    for _ in 0..2 {
        assert!(reader.next(&app.app, 10).await.unwrap().is_empty());
        app.app.epochs.learn(Epoch::drawn(app.app.random()));
    }
    // A client that waits for new events may know more than an empty log tells.
    let (mut reader, range) = LogReader::new(&app.app, carl, None).await.unwrap();
    assert_eq!(range.newest, 0);
    app.app.epochs.learn(Epoch::drawn(app.app.random()));
    assert!(reader.next(&app.app, 10).await.is_err());
}

#[actix_web::test]
async fn who_asks_for_everything_gets_it_of_one_epoch() {
    let app = start().await;
    let anna = app.lasting_player("anna").await;
    let many = format!(
        "DELETE FROM account_events WHERE account_id = '{0}'; \
         INSERT INTO account_events SELECT '{0}', n, 1, now(), '{STORED_EVENT}' FROM generate_series(1, 450) AS n; \
         UPDATE event_counters SET newest = 450 WHERE account_id = '{0}'",
        anna.id
    );
    database::execute(&app.database, &many).await;
    // Each new epoch begins a little later: before, between and after the reads of a page.
    for pause in 0..60 {
        let begins = async {
            for _ in 0..pause {
                tokio::task::yield_now().await;
            }
            app.app.epochs.learn(Epoch::drawn(app.app.random()));
        };
        let (answer, ()) = join(anna.get("/v1/events?after=0&limit=1000"), begins).await;
        assert_eq!(answer.expect(200)["items"].as_array().unwrap().len(), 450, "after {pause}");
    }
}

#[actix_web::test]
async fn after_a_restore_every_old_cursor_is_refused_and_nobody_misses_what_has_its_number() {
    let app = start().await;
    let other = node_on(&app.database, &app.clock).await;
    let (anna, ben, id) = battle(&app).await;
    let chat = format!("/v1/matches/{id}/chat/players");
    database::execute(&app.database, SAVE).await;
    let saved = anna.sees(&id).await;
    anna.fires(&id, &["A10"]).await;
    anna.post(&chat, json!({ "text": "one" })).await.expect(201);
    let (cursor, seen) = (newest(&ben).await, ben.sees(&id).await);
    let of_reports = format!("/v1/matches/{id}/reports?after={}", seen["reports_cursor"].as_str().unwrap());
    let of_chat = format!("{chat}?after={}", app.cursor(1));
    for path in [&of_reports, &of_chat] {
        assert_eq!(ben.get(path).await.expect(200)["items"], json!([]));
    }
    let etag = anna.get(&format!("/v1/matches/{id}")).await.header("etag").unwrap().to_owned();
    let mut stream = Listening::sse(&ben, &format!("/v1/events?after={cursor}"), None).await;
    stream.next().await.unwrap();

    let superuser = app.database.replace("user='broadside'", "user='postgres'");
    database::execute(&superuser, RESTORE).await;
    app.beats().await;
    other.beats().await;
    assert!(stream.next().await.is_none(), "a stream of the old epoch ends");
    // The match is as it was, also in this node's cache, and continues differently, with the same numbers.
    let restored = anna.sees(&id).await;
    assert_eq!(restored["version"], saved["version"]);
    anna.fires(&id, &["B10"]).await;
    ben.post(&chat, json!({ "text": "another" })).await.expect(201);
    let request = anna.signed(plain("GET", &format!("/v1/matches/{id}"), None)).insert_header(("if-none-match", etag));
    assert_eq!(app.send(request).await.status, 200, "the same version of another view");
    for node in [&app, &other] {
        let ben = ben.at(node);
        let next = goes_on_from(&ben.get(&format!("/v1/events?after={cursor}")).await);
        assert_eq!(next, newest(&ben).await);
        let header = ben.signed(plain("GET", "/v1/events", None)).insert_header(("last-event-id", cursor.clone()));
        assert_eq!(goes_on_from(&node.send(header.insert_header(("accept", "text/event-stream"))).await), next);
        let of_match = goes_on_from(&ben.get(&of_reports).await);
        assert_eq!(of_match, ben.sees(&id).await["reports_cursor"]);
        assert_eq!(goes_on_from(&ben.get(&of_chat).await), "0");
        assert_eq!(ben.get(&format!("/v1/events?after={next}")).await.expect(200)["items"], json!([]));
    }
    // Nothing is missing from there on.
    let next = newest(&anna.at(&other)).await;
    ben.fires(&id, &["J1"]).await;
    let heard = anna.get(&format!("/v1/events?after={next}")).await.expect(200);
    assert_eq!(heard["items"][0]["type"], "report");
}

/// A node has cached an entry that a failover lost, and is notified when another entry has taken its number.
#[actix_web::test]
async fn an_entry_that_took_the_number_of_a_lost_one_is_noticed_with_the_next() {
    let app = start().await;
    let remembers = node_on(&app.database, &app.clock).await;
    let (anna, ben, id) = battle(&app).await;
    database::execute(&app.database, SAVE).await;
    anna.at(&remembers).fires(&id, &["A10"]).await;
    let superuser = app.database.replace("user='broadside'", "user='postgres'");
    database::execute(&superuser, RESTORE).await;
    app.passes_unseen_s(1);
    let epoch = remembers.app.epochs.current();

    let fresh = Box::pin(TestApp::on(app.database.clone(), Arc::clone(&app.clock), Setup::default())).await;
    let (anna, ben) = (anna.at(&fresh), ben.at(&fresh));
    anna.fires(&id, &["B10"]).await;
    ben.fires(&id, &["J1"]).await;
    let (seen, other) = (anna.sees(&id).await, anna.at(&remembers).sees(&id).await);
    for what in ["version", "seas", "proof"] {
        assert_eq!(other[what], seen[what]);
    }
    assert_ne!(remembers.app.epochs.current(), epoch);
}

#[actix_web::test]
async fn an_epoch_goes_on_until_something_may_be_lost() {
    let app = start().await;
    let of = |app: &TestApp| app.app.epochs.current();
    let first = of(&app);
    app.beats().await;
    let other = node_on(&app.database, &app.clock).await;
    let other = [other.restarted().await, other];
    app.beats().await;
    assert_eq!(
        [of(&app), of(&other[0]), of(&other[1])],
        [first; 3],
        "a start, a stop and signs of life change nothing"
    );

    // This node's last signs of life are gone.
    database::execute(&app.database, "UPDATE node_heartbeats SET beats = beats - 2").await;
    app.beats().await;
    let second = of(&app);
    assert_ne!(second, first);
    // A new timeline: a standby that confirmed nothing took over, or there was a recovery.
    let promoted = "UPDATE log_epoch SET timeline = timeline + 1, \
        home = regexp_replace(home, '[0-9]+$', pg_current_xact_id()::xid::text)";
    database::execute(&app.database, promoted).await;
    app.beats().await;
    let third = of(&app);
    assert_ne!(third, second);
    // No node has to be running meanwhile.
    database::execute(&app.database, promoted).await;
    let restarted = node_on(&app.database, &app.clock).await;
    assert_ne!(of(&restarted), third);
    // An undetectable loss is reported by the operator; running nodes are notified.
    let said = operator::begin_epoch(&restarted.app, "the disk was put back".parse().unwrap()).await.unwrap();
    assert_eq!(of(&restarted), said);
    app.beats().await;
    assert_eq!(of(&app), said);
    let log = read::audit_log_for_operator(&app.app, read::AuditQuery::default(), 10).await.unwrap().items;
    assert!(
        log[0]
            .line()
            .contains(&format!("epoch-began  by the operator: the disk was put back {{\"epoch\":\"{said}\"}}"))
    );
}

#[actix_web::test]
async fn what_a_failover_has_lost_of_a_match_is_in_nobodys_memory() {
    let app = start().await;
    let (anna, ben, id) = battle(&app).await;
    let other = node_on(&app.database, &app.clock).await;
    let (before, first) = (ben.sees(&id).await["version"].clone(), app.app.epochs.current());
    anna.fires(&id, &["A10"]).await;
    let (cursor, seen) = (newest(&ben).await, ben.at(&other).sees(&id).await);
    assert_ne!(seen["version"], before);
    // The primary had not waited for the promoted standby.
    let lost = format!(
        "UPDATE match_heads SET seq = seq - 1, to_act = 1 WHERE match_id = '{id}'; DELETE FROM match_log AS e \
         USING match_heads AS h WHERE e.match_id = h.match_id AND e.seq > h.seq AND h.match_id = '{id}'"
    );
    database::execute(&app.database, &lost).await;

    for node in [&app, &other] {
        assert_eq!(ben.at(node).sees(&id).await["version"], before);
    }
    let second = app.app.epochs.current();
    assert_ne!(second, first);
    assert_eq!(other.app.epochs.current(), second, "it is noticed by both, and ended once");
    goes_on_from(&ben.get(&format!("/v1/events?after={cursor}")).await);
    anna.at(&other).fires(&id, &["B10"]).await;
    let shots = ben.get(&format!("/v1/matches/{id}/reports")).await.expect(200)["items"].as_array().unwrap().clone();
    let cells: Vec<&Value> =
        shots.iter().filter(|report| report["type"] == "fired").map(|r| &r["shots"][0]["cell"]).collect();
    assert_eq!(cells, ["B10"]);
}

#[actix_web::test]
async fn a_cursor_beyond_the_end_is_of_a_time_that_was_taken_back() {
    let app = start().await;
    let (anna, ben, id) = battle(&app).await;
    anna.fires(&id, &["A10"]).await;
    let (there, all) = (newest(&anna).await, anna.hears(0).await.len() as u64);
    let answer = anna.get(&format!("/v1/events?after={}", app.cursor(all + 1))).await;
    assert_eq!(goes_on_from(&answer), there);
    let version = ben.sees(&id).await["version"].as_u64().unwrap();
    let path = format!("/v1/matches/{id}/reports?after={}", app.cursor(version + 1));
    assert_eq!(goes_on_from(&ben.get(&path).await), app.cursor(version));
    let known = ben.get(&path).await.problem(410, "log-rewound").clone();
    assert_eq!(known["errors"], Value::Array(Vec::new()));
}
