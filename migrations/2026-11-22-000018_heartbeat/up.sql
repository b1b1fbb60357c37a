-- The last sign of life of the service, in the time of the database: one row for all nodes.
create table service_heartbeat (
    only_row boolean primary key default true check (only_row),
    beat_at  timestamptz not null
);

-- When the service could not be reached, so that no clock ran. Each running match that it concerns is told so, by an
-- entry of its log.
create table down_times (
    number     bigint generated always as identity primary key,
    from_at    timestamptz not null,
    until_at   timestamptz not null check (from_at < until_at),
    noted_at   timestamptz not null,
    told_up_to uuid,                             -- the running matches up to this one have been told
    all_told   boolean not null default false
);

-- For going through the running matches. (It holds no column that an ordinary action changes: `check_at` becomes null
-- when a match ends.)
create index match_heads_timed on match_heads (match_id) where check_at is not null;
