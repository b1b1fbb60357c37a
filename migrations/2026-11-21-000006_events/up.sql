-- What each account hears of: one log an account, numbered from 1 without gaps, in the order of commits.
-- A number is given under the account's row in `event_counters`, which stays locked until the commit: whoever comes next waits, so nobody can
-- read number 8 before number 7 is there. Both keys lead with the account.

-- One row an account from its registration on, rewritten in place (a heap-only tuple) by everything that it hears of.
create table event_counters (
    account_id uuid primary key,
    newest     bigint not null,                  -- the number of its newest event
    forgotten  bigint not null default 0         -- up to this number its events are no longer kept
) with (fillfactor = 60);
insert into event_counters (account_id, newest) select id, 0 from accounts where deleted_at is null;

-- One row for all that one commit tells an account: its events have the numbers up to `number`, `count` of them.
-- A line is an event: its kind, a space, and its JSON from behind the number on. It is text, not jsonb, because it goes out as it came in: nobody
-- has to take it apart.
create table account_events (
    account_id uuid not null,
    number     bigint not null,
    count      integer not null,
    at         timestamptz not null,
    lines      text not null,
    primary key (account_id, number)
);

-- An offer whose time is over is marked as expired when those whom it concerned have been told. Old ones are no news.
update challenges set status = 'expired' where status = 'open' and expires_at <= now();
create index challenges_expiring on challenges (expires_at) where status = 'open';
