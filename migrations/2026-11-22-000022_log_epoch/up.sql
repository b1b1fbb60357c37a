-- The epoch of the logs: numbers of events, reports and messages mean something within one epoch only. A new one begins
-- when the database was restored or has lost what was committed, because numbers are given again then.
create table log_epoch (
    only_row boolean primary key default true check (only_row),
    epoch    text not null check (epoch ~ '^[a-z2-9]{8}$'),
    home     text not null,                      -- where this row was written: cluster, database, table, transaction
    timeline integer not null,                   -- of the cluster's write-ahead log, when the row was written
    began_at timestamptz not null
);

-- The signs of life that each node has given. A node that finds fewer than it remembers knows that some are lost.
create table node_heartbeats (
    node    uuid primary key,
    beats   bigint not null,
    beat_at timestamptz not null
);
