//! The statement that writes a batch of moves: each of its forms, with one outdated move in it.

use std::time::Duration;

use broadside::db::{Db, Deadline};
use broadside::events::Notification;
use broadside::ids::{AccountId, MatchId};
use broadside::matches::log_chain::LogChain;
use broadside::matches::results::{SeatOutcome, SeatResult};
use broadside::matches::store::entries::{MatchHead, PendingEntry, WriteResult};
use broadside::matches::store::writer::EntryWriter;
use broadside::wakeups::Wakeups;
use broadside_rules::{Seat, Time};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::support::database;

/// A deadline like a service's, which sets lock timeouts.
const PATIENT: Deadline = Deadline(Duration::from_secs(10));

/// The running hash of a log before its entry `seq`.
fn before(seq: u32) -> LogChain {
    (2..seq).fold(LogChain::new(&[7; 32]), |chain, _| chain.with(&[1]))
}

/// Adds an entry to every log before the moves.
fn logs_first() -> String {
    let chain: String = before(2).as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("INSERT INTO match_log (match_id, seq, entry, chain) SELECT match_id, 1, '', '\\x{chain}' FROM match_heads")
}

/// A move that sends each of these accounts two events.
fn a_move(id: u128, seq: u32, tells: &[u128], ends: bool, key: Option<u8>) -> PendingEntry {
    let told = |account: &u128| Notification {
        account: AccountId(Uuid::from_u128(*account)),
        count: 2,
        lines: format!("x \"match\":{id}}}\ny \"match\":{id}}}"),
    };
    let head = MatchHead {
        status: "playing",
        to_act: 1,
        deadline: None,
        started_at: Some(Time(0)),
        finished_at: ends.then_some(Time(1)),
        result: None,
        at_fault: Vec::new(),
        wake_at: None,
    };
    let result = SeatResult {
        match_id: MatchId(Uuid::from_u128(id)),
        seat: Seat(0),
        account: AccountId(Uuid::from_u128(1)),
        variant: "classic".to_owned(),
        side: Seat(0),
        outcome: SeatOutcome::Won,
        place: Some(1),
        played_out: true,
        shots: Some((40, 17)),
        finished_at: Time(1),
    };
    PendingEntry {
        results: if ends { vec![result] } else { Vec::new() },
        match_id: MatchId(Uuid::from_u128(id)),
        seq,
        entry: vec![1],
        chain: [before(seq), before(seq + 1)],
        head,
        spends: key.map(|key| ([key; 32], [0; 32])),
        at: Time(1),
        told: tells.iter().map(told).collect(),
    }
}

#[actix_web::test]
async fn every_form_of_the_statement_writes_what_got_through_and_nothing_else() {
    for form in 0..8 {
        let [keys, ends, twice] = [1, 2, 4].map(|bit| form & bit != 0);
        let url = database::fresh().await;
        let id = |n: u128| format!("'{}'", Uuid::from_u128(n));
        let heads = [21, 22, 23].map(|n| format!("({}, 1, 'playing', 1)", id(n))).join(", ");
        let seats = [21, 22, 23].map(|n| format!("({}, 0, {}, 'x', false, true)", id(n), id(1))).join(", ");
        let counters = [1, 2, 3, 4].map(|n| format!("({}, 10)", id(n))).join(", ");
        let begin = format!(
            "INSERT INTO match_heads (match_id, seq, status, to_act) VALUES {heads}; \
             INSERT INTO match_seats (match_id, seat, account_id, username, bot, running) VALUES {seats}; \
             INSERT INTO event_counters (account_id, newest) VALUES {counters}"
        );
        database::execute(&url, &begin).await;
        database::execute(&url, &logs_first()).await;
        let db = Db::new(&url, 2, Some(PATIENT)).unwrap();
        let writer = EntryWriter::start(&db, &Wakeups::start(&db));
        // Account 5 has been deleted. The last move was decided on an older log.
        let moves = [
            a_move(22, 2, &[4, if twice { 1 } else { 3 }], ends, keys.then_some(1)),
            a_move(21, 2, &[2, 1, 5], false, None),
            a_move(23, 3, &[1, 2, 3, 4], ends, keys.then_some(2)),
        ];
        let written = join_all(moves.map(|what| writer.write(what))).await;
        let written: Vec<WriteResult> = written.into_iter().map(Result::unwrap).collect();
        assert_eq!(written, [WriteResult::Committed, WriteResult::Committed, WriteResult::Conflict], "form {form}");

        let told = |account: u128, rows: &[(u64, u64, &[u128])]| {
            let rows = rows.iter().map(|(number, count, matches)| {
                let lines = matches.iter().map(|id| format!("x \"match\":{id}}}\ny \"match\":{id}}}"));
                format!("{number}/{count}/{}", lines.collect::<Vec<_>>().join("\n"))
            });
            format!(
                "ASSERT (SELECT coalesce(string_agg(number || '/' || count || '/' || lines, ',' ORDER BY number), '') \
                 FROM account_events WHERE account_id = {}) = '{}';",
                id(account),
                rows.collect::<Vec<_>>().join(",")
            )
        };
        let (ended, spent) = (usize::from(ends), usize::from(keys));
        let expected = [
            // An account gets all events of one statement in one row, in the order of the matches.
            told(1, if twice { &[(14, 4, &[21, 22])] } else { &[(12, 2, &[21])] }),
            told(2, &[(12, 2, &[21])]),
            told(3, if twice { &[] } else { &[(12, 2, &[22])] }),
            told(4, &[(12, 2, &[22])]),
            told(5, &[]),
            "ASSERT (SELECT array_agg(seq ORDER BY match_id) FROM match_heads) = ARRAY[2, 2, 1];".to_owned(),
            format!("ASSERT (SELECT count(*) FROM match_seats WHERE NOT running AND match_id = {}) = {ended};", id(22)),
            format!("ASSERT (SELECT count(*) FROM match_seats WHERE NOT running) = {ended};"),
            format!("ASSERT (SELECT count(*) FROM match_results) = {ended};"),
            format!("ASSERT (SELECT count(*) FROM match_results WHERE match_id = {} AND hits = 17) = {ended};", id(22)),
            format!("ASSERT (SELECT count(*) FROM idempotency_keys) = {spent};"),
            "ASSERT (SELECT count(*) = 2 FROM match_log WHERE seq > 1);".to_owned(),
            // It was one transaction.
            "ASSERT (SELECT count(DISTINCT xmin::text) = 1 FROM event_counters WHERE newest > 10);".to_owned(),
        ];
        database::execute(&url, &format!("DO $$ BEGIN {} END $$", expected.concat())).await;
    }
}

#[actix_web::test]
async fn a_spent_key_lets_nothing_through() {
    let url = database::fresh().await;
    let id = |n: u128| Uuid::from_u128(n);
    let begin = format!(
        "INSERT INTO match_heads (match_id, seq, status, to_act) VALUES ('{}', 1, 'playing', 1), ('{}', 1, 'playing', 1); \
         INSERT INTO event_counters (account_id, newest) VALUES ('{}', 0)",
        id(21),
        id(22),
        id(1)
    );
    database::execute(&url, &begin).await;
    database::execute(&url, &logs_first()).await;
    let db = Db::new(&url, 2, Some(PATIENT)).unwrap();
    let writer = EntryWriter::start(&db, &Wakeups::start(&db));
    let first = writer.write(a_move(21, 2, &[1], false, Some(7))).await.unwrap();
    let second = writer.write(a_move(22, 2, &[1], false, Some(7))).await.unwrap();
    assert_eq!((first, second), (WriteResult::Committed, WriteResult::Conflict));
    // At the same moment, one of them is first.
    let both = [a_move(21, 3, &[1], false, Some(8)), a_move(22, 2, &[1], false, Some(8))];
    let both = join_all(both.map(|what| writer.write(what))).await;
    let lasting = both.iter().filter(|written| matches!(written, Ok(WriteResult::Committed))).count();
    assert_eq!(lasting, 1);
    let check = "DO $$ BEGIN ASSERT (SELECT array_agg(number ORDER BY number) FROM account_events) = ARRAY[2, 4]::bigint[]; END $$";
    database::execute(&url, check).await;
}
