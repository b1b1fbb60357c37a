-- What each seat of a match that is over has made of it: written with its last entry, read by the statistics of
-- players. All of it follows from the log.
create table match_results (
    match_id    uuid not null,
    seat        smallint not null,
    account_id  uuid not null,
    variant     text not null,
    side        smallint not null,                              -- the first seat of those that play together
    outcome     text not null,                                  -- won, drawn, lost, aborted
    place       smallint,                                       -- from 1; null: the match was aborted
    played_out  boolean not null,                               -- whether the battle decided it, and nothing else
    shots       integer,                                        -- null: it isn't a game of gunnery, or was aborted
    hits        integer,
    finished_at timestamptz not null,
    primary key (match_id, seat) include (account_id, side, place)
);
create index match_results_by_account on match_results (account_id, variant)
    include (match_id, side, outcome, place, played_out, shots, hits, finished_at);

-- Matches that were over before: their logs are still to be folded for it, which a job does.
create table match_results_due (
    match_id uuid primary key
);
insert into match_results_due select match_id from match_heads where finished_at is not null;

-- A player's honours are read from their standings.
create index ladder_standings_by_account on ladder_standings (account_id, ladder_id, season);
