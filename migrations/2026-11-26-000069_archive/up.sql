-- Logs of matches that were over long ago, in objects outside of the database. What lists, statistics, ratings and
-- contests read stays in the tables: of an archived match only the rows of match_log are deleted, and matches.rule_set
-- is the JSON null.

-- An object, from before it is written: so one that was written and never used is found without listing the archive.
create table archive_objects (
    id         uuid primary key,                -- its name in the archive
    state      text not null check (state in ('writing', 'kept', 'abandoned')),
    created_at timestamptz not null,
    matches    integer,                         -- how many it has; this and what follows: null unless it is kept
    bytes      bigint,
    sha256     bytea,
    check (state <> 'kept' or matches is not null and bytes is not null and sha256 is not null)
);

-- Where the log of a match is: a part of an object.
create table archived_matches (
    match_id    uuid primary key,
    object_id   uuid not null,
    byte_offset integer not null,
    byte_length integer not null,
    restored_at timestamptz,                    -- since when the log is in the tables again; null: it is not
    sha256      bytea not null                  -- of these bytes
);
