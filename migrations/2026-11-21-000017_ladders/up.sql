-- Ladders: their terms, their members, their seasons and standings. Who meets whom for them stands with the pairings.
-- Expands only. Nodes of the version before know no ladders, and don't touch these tables.

create table ladders (
    id                        uuid primary key,
    maker_id                  uuid not null,
    official                  boolean not null,       -- made by an organizer as such; it doesn't close for want of members
    title                     text not null,
    description               text,
    form                      text not null,          -- rating | ...
    form_terms                jsonb,                  -- what only this form has; null: nothing
    variant                   text not null,
    rule_set                  jsonb not null,
    clock                     jsonb not null,
    rated                     boolean not null,
    paired                    boolean not null,       -- two games at once are one pairing, each player begins one
    seats                     smallint not null,
    who                       text not null,          -- everybody | humans | bots | separate
    least_reliability_percent smallint,
    simultaneous              smallint not null,      -- how many pairings a member may wish for at once
    season_s                  integer,                -- how long a season lasts; null: there are none
    division_size             integer,                -- null: there are none
    division_movers           integer,                -- how many rise and fall between two divisions when a season ends
    created_at                timestamptz not null,
    season                    integer not null,       -- which one is on, from 1
    season_started_at         timestamptz not null,
    season_ends_at            timestamptz,
    look_at                   timestamptz,            -- when pairing is to be tried next; null: when something has changed
    edition                   integer not null,       -- counts what has changed since then that pairing depends on
    lonely_since              timestamptz,            -- since when it has fewer than two members
    closed_at                 timestamptz,
    closed_reason             text
);
create index ladders_made on ladders (maker_id, id desc);
create index ladders_season on ladders (season_ends_at) where closed_at is null and season_ends_at is not null;
create index ladders_look on ladders (look_at) where closed_at is null and look_at is not null;
create index ladders_lonely on ladders (lonely_since) where closed_at is null and not official and lonely_since is not null;

-- A member, also one who has left: what his next pairing follows from.
create table ladder_members (
    ladder_id     uuid not null,
    account_id    uuid not null,
    status        text not null,                      -- active | inactive (he has missed too many) | left
    section       text not null,                      -- all | humans | bots: whom he is listed and paired with
    division      integer not null,                   -- from 1, the highest
    simultaneous  smallint not null,                  -- how many pairings at once he wishes for
    running       smallint not null,                  -- how many he has
    joined_at     timestamptz not null,               -- last time
    waiting_since timestamptz not null,               -- when he last joined, was paired, or had a pairing end
    missed        smallint not null,                  -- pairings in a row that he has lost on time, or that were called off
    balance       integer not null,                   -- how much oftener he has sat early in the order of play than late
    recent        uuid[] not null,                    -- whom he was paired with last, the newest first
    opponents     uuid[] not null,                    -- whom he is paired with now
    primary key (ladder_id, account_id)
);
create index ladder_members_of_account on ladder_members (account_id, ladder_id);
create index ladder_members_active on ladder_members (ladder_id, section, division) where status = 'active';

create table ladder_seasons (
    ladder_id  uuid not null,
    season     integer not null,
    started_at timestamptz not null,
    ends_at    timestamptz,                           -- as planned
    ended_at   timestamptz,                           -- null: it is on
    primary key (ladder_id, season)
);

-- How a member has done in a season. What belongs to a season that is over never changes.
create table ladder_standings (
    ladder_id   uuid not null,
    season      integer not null,
    account_id  uuid not null,
    section     text not null,
    division    integer not null,
    half_points integer not null,
    pairings    integer not null,                     -- how many have ended with a result
    won         integer not null,
    drawn       integer not null,
    lost        integer not null,
    since       timestamptz not null,                 -- when the row began: who is longer in it goes before, where all else is equal
    rank        integer,                              -- the final one, when the season is over
    primary key (ladder_id, season, account_id)
);
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-half_points), pairings, (-won), since, account_id);

-- What all members of a ladder are still to be told, some at a time.
create table ladder_news (
    id         uuid primary key,
    ladder_id  uuid not null,
    kind       text not null,                         -- season-ended | ladder-closed
    season     integer not null,
    at         timestamptz not null,
    told_up_to uuid                                   -- who was told last: they are told in the order of their accounts
);
