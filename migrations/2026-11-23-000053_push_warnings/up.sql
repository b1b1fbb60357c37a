-- Warnings are told before news that wait a few seconds.
alter table push_subscriptions
    add column told_ahead bigint[] not null default '{}',   -- events after `told` that were told before an earlier one
    add column waits_until timestamptz,                     -- until then nothing is due of the events up to `seen`
    add column seen bigint not null default 0;
