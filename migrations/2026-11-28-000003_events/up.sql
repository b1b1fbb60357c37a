-- The events of each account: one log per account, numbered from 1 without gaps, in the order of commits.
-- A number is taken under the account's row in `event_counters`, which stays locked until the commit: nobody can read
-- number 8 before number 7 is there. Both keys begin with the account, so that the log can be spread over machines.

-- One row per account, from its registration on. Every event updates it in place (a heap-only tuple).
create table event_counters (
    account_id    uuid primary key,
    newest        bigint not null,
    deleted_up_to bigint not null default 0      -- events up to this number are no longer kept
) with (fillfactor = 60);

-- One row for all events that one commit has for one account: `count` events, the last of which is `number`.
-- Each line is one event: its kind, a space, and its JSON after the number. It is text, not jsonb, because it is sent
-- as it was written, and nobody has to parse it.
create table account_events (
    account_id uuid not null,
    number     bigint not null,
    count      integer not null,
    at         timestamptz not null,
    lines      text not null,
    primary key (account_id, number)
);
