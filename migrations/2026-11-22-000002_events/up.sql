-- What each account is told: one event log per account, numbered from 1 without gaps, in the order of commits.
-- A number is taken under the account's row in `event_counters`, which stays locked until the commit. The next writer
-- waits, so nobody can read number 8 before number 7 is there. Both keys begin with the account.

-- One row per account, from its registration on. Every event updates it in place (a heap-only tuple).
create table event_counters (
    account_id    uuid primary key,
    newest        bigint not null,               -- the number of its newest event
    deleted_up_to bigint not null default 0      -- events up to this number are no longer kept
) with (fillfactor = 60);

-- One row for everything that one commit tells one account: `count` events, of which the last has the number `number`.
-- A line is one event: its kind, a space, and its JSON from behind the number on. It is text, not jsonb, because it is
-- sent as it was written: nobody has to parse it.
create table account_events (
    account_id uuid not null,
    number     bigint not null,
    count      integer not null,
    at         timestamptz not null,
    lines      text not null,
    primary key (account_id, number)
);
