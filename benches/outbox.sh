#!/usr/bin/env bash
# Which is the faster way for what accounts hear of moves: in the transaction of the moves, or from an outbox that a job
# empties afterwards? With pgbench, on the tables of the service, without the service.
#
#     benches/outbox.sh SECONDS DATABASE
#
# The database has the service's schema (`broadside migrate`) and nothing else of worth; the schema `outbox` is made in
# it. Each transaction makes 32 moves, each of which tells two accounts; the job takes 128 rows at a time. Prints
# transactions a second: `together`, `moves` alone, and the `job` alone. An outbox has to do both, and so makes
# 1 / (1/moves + 1/(2·job)) groups of 32 moves a second.
set -euo pipefail
seconds=${1:?how many seconds each}
database=${2:?the address of a database}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > setup.sql <<'SQL'
DROP SCHEMA IF EXISTS outbox CASCADE;
CREATE SCHEMA outbox;
CREATE TABLE outbox.heads (LIKE match_heads INCLUDING ALL);
CREATE TABLE outbox.log (LIKE match_log INCLUDING ALL);
CREATE TABLE outbox.counters (LIKE event_counters INCLUDING ALL);
CREATE TABLE outbox.events (LIKE account_events INCLUDING ALL);
CREATE TABLE outbox.waiting (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account_id uuid NOT NULL, count int NOT NULL, lines text NOT NULL
);
CREATE TABLE outbox.seats (n int PRIMARY KEY, match_id uuid, a uuid, b uuid);
INSERT INTO outbox.seats SELECT n, md5('m' || n)::uuid, md5('a' || n)::uuid, md5('b' || n)::uuid
    FROM generate_series(0, 4095) AS n;
INSERT INTO outbox.counters (account_id, newest)
    SELECT a, 0 FROM outbox.seats UNION ALL SELECT b, 0 FROM outbox.seats;
INSERT INTO outbox.heads (match_id, seq, side_version, status, to_act)
    SELECT match_id, 0, 0, 'playing', 1 FROM outbox.seats;
ANALYZE outbox.seats, outbox.counters, outbox.heads;
SQL

cat > moved.sql <<'SQL'
\set k random(0, 127)
WITH s AS MATERIALIZED (SELECT * FROM outbox.seats WHERE n >= :k * 32 AND n < :k * 32 + 32),
moved AS (UPDATE outbox.heads AS h SET seq = h.seq + 1, to_act = 3 - h.to_act, deadline = now() FROM s
    WHERE h.match_id = s.match_id RETURNING h.match_id, h.seq, s.a, s.b),
logged AS (INSERT INTO outbox.log (match_id, seq, entry, chain)
    SELECT match_id, seq, decode(repeat('ab', 60), 'hex'), decode(repeat('cd', 16), 'hex') FROM moved)
SQL

{ cat moved.sql; cat <<'SQL'; } > together.sql
, told AS (SELECT unnest(ARRAY[a, b]) AS account_id FROM moved),
counted AS (UPDATE outbox.counters AS c SET newest = c.newest + 1 FROM told
    WHERE c.account_id = told.account_id RETURNING c.account_id, c.newest)
INSERT INTO outbox.events (account_id, number, count, at, lines)
    SELECT account_id, newest, 1, now(), repeat('x', 300) FROM counted;
SQL

{ cat moved.sql; cat <<'SQL'; } > moves.sql
INSERT INTO outbox.waiting (account_id, count, lines) SELECT unnest(ARRAY[a, b]), 1, repeat('x', 300) FROM moved;
SQL

cat > job.sql <<'SQL'
WITH taken AS (DELETE FROM outbox.waiting WHERE id IN
    (SELECT id FROM outbox.waiting ORDER BY id LIMIT 128 FOR UPDATE SKIP LOCKED) RETURNING *),
told AS (SELECT account_id, sum(count)::int AS count, string_agg(lines, E'\n' ORDER BY id) AS lines FROM taken
    GROUP BY account_id ORDER BY account_id),
counted AS (UPDATE outbox.counters AS c SET newest = c.newest + told.count FROM told
    WHERE c.account_id = told.account_id RETURNING c.account_id, c.newest, told.count, told.lines)
INSERT INTO outbox.events (account_id, number, count, at, lines)
    SELECT account_id, newest, count, now(), lines FROM counted;
SQL

run() { pgbench -n -M prepared -c 2 -T "$seconds" -f "$1.sql" "$database" | sed -n "s/^tps = \([0-9]*\).*/$1: \1/p"; }
for round in 1 2 3; do
    echo "round $round"
    psql -qX "$database" -f setup.sql 2> /dev/null
    run together
    psql -qX "$database" -c 'VACUUM outbox.heads' -c 'VACUUM outbox.counters'
    run moves
    psql -qX "$database" -c 'ANALYZE outbox.waiting'
    run job
done
psql -qX "$database" -c 'DROP SCHEMA outbox CASCADE' 2> /dev/null
