-- Ladders: their terms, members, seasons and standings. Who meets whom is in the pairings.

create table ladders (
    id                      uuid primary key,
    creator_id              uuid not null,
    official                boolean not null,         -- made by an organizer: it doesn't close for lack of members
    title                   text not null,
    description             text,
    format                  text not null,            -- rating | position
    format_terms            jsonb,                    -- terms of this format alone; null: none
    variant                 text not null,
    rule_set                jsonb not null,
    clock                   jsonb not null,
    rated                   boolean not null,
    paired_games            boolean not null,         -- a pairing is two games at once, each player begins one
    seats                   smallint not null,
    eligibility             text not null,            -- everybody | humans | bots | separate
    min_reliability_percent smallint,
    max_pairings            smallint not null,        -- how many pairings at once a member may ask for
    season_length_s         integer,                  -- null: no seasons
    division_size           integer,                  -- null: no divisions
    division_promotions     integer,                  -- how many rise, and how many fall, between two divisions
                                                      -- at the end of a season
    created_at              timestamptz not null,
    season                  integer not null,         -- the current one, from 1
    season_started_at       timestamptz not null,
    season_ends_at          timestamptz,
    check_at                timestamptz,              -- when to try pairing next; null: after the next change
    revision                integer not null,         -- counts changes on which pairing depends
    below_minimum_since     timestamptz,              -- since when it has fewer than two active members
    closed_at               timestamptz,
    closed_reason           text
);
create index ladders_by_creator on ladders (creator_id, id desc);
create index ladders_season_end on ladders (season_ends_at) where closed_at is null and season_ends_at is not null;
create index ladders_due on ladders (check_at) where closed_at is null and check_at is not null;
create index ladders_below_minimum on ladders (below_minimum_since)
    where closed_at is null and not official and below_minimum_since is not null;

-- Members, also those who have left: what their next pairing follows from.
create table ladder_members (
    ladder_id         uuid not null,
    account_id        uuid not null,
    status            text not null,                  -- active | inactive (missed too many pairings) | left
    section           text not null,                  -- all | humans | bots: with whom they are listed and paired
    division          integer not null,               -- from 1, the highest
    wanted_pairings   smallint not null,              -- how many pairings at once they ask for
    running_pairings  smallint not null,              -- how many they have
    joined_at         timestamptz not null,           -- the last time
    waiting_since     timestamptz not null,           -- when they last joined, were paired, or had a pairing end
    missed            smallint not null,              -- consecutive pairings lost on time or called off
    seat_balance      integer not null,               -- how much more often they sat early than late in the order
    recent_opponents  uuid[] not null,                -- the newest first
    current_opponents uuid[] not null,
    primary key (ladder_id, account_id)
);
create index ladder_members_by_account on ladder_members (account_id, ladder_id);
create index ladder_members_active on ladder_members (ladder_id, section, division) where status = 'active';

create table ladder_seasons (
    ladder_id  uuid not null,
    season     integer not null,
    started_at timestamptz not null,
    ends_at    timestamptz,                           -- as planned
    ended_at   timestamptz,                           -- null: it is the current one
    primary key (ladder_id, season)
);

-- The results of a member in a season. Rows of past seasons never change.
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
    since       timestamptz not null,                 -- when the row began: the last tie-break, the earlier is first
    rank        integer,                              -- the final one; null: the season is not over
    primary key (ladder_id, season, account_id)
);
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-half_points), pairings, (-won), since, account_id);

-- A work queue: what all members of a ladder are still to be notified of, a batch at a time.
create table ladder_announcements (
    id             uuid primary key,
    ladder_id      uuid not null,
    kind           text not null,                     -- season-ended | ladder-closed
    season         integer not null,
    at             timestamptz not null,
    notified_up_to uuid                               -- the last account notified, in the order of accounts; null: none
);

-- Position ladders: who is on which position, from 1 without gaps. Whoever writes has locked the ladder's row.
-- It follows from the log of changes below.
create table ladder_positions (
    ladder_id       uuid not null,
    account_id      uuid not null,
    position        integer not null,
    active_at       timestamptz not null,             -- when a challenge of theirs last came to something, when they
                                                      -- joined, or when they fell for being inactive
    check_at        timestamptz,                      -- when they may be inactive, at the earliest; null: never
    protected_until timestamptz,                      -- they can't be challenged until then, after a defence
    primary key (ladder_id, account_id)
);
create index ladder_positions_order on ladder_positions (ladder_id, position);
create index ladder_positions_by_account on ladder_positions (account_id);
create index ladder_positions_due on ladder_positions (check_at) where check_at is not null;

-- The log of position ladders: who went from which position to which, over whom, and why. The positions of the others
-- follow from it. Rows are never updated or deleted.
create table ladder_position_changes (
    ladder_id     uuid not null,
    number        integer not null,                   -- from 1 without gaps
    at            timestamptz not null,
    account_id    uuid not null,
    from_position integer,                            -- null: they joined the ladder
    to_position   integer,                            -- null: they left it
    reason        text not null,
    opponent_id   uuid,                               -- whose position they took, or to whom they lost
    challenge_id  uuid,
    pairing_id    uuid,
    primary key (ladder_id, number)
);

-- Challenges for a position above.
create table ladder_challenges (
    ladder_id           uuid not null,
    id                  uuid not null,
    challenger_id       uuid not null,
    defender_id         uuid not null,
    challenger_position integer not null,             -- when it was made
    defender_position   integer not null,
    status              text not null,                -- open | accepted | over
    outcome             text,                         -- null: it is not over
    created_at          timestamptz not null,
    answer_by           timestamptz not null,         -- at or before the end: vacations may move that later
    answered_at         timestamptz,
    pairing_id          uuid,
    ended_at            timestamptz,
    primary key (ladder_id, id)
);
-- One challenge at a time by a member, and one to a member. The ladder's lock keeps this as well.
create unique index ladder_challenges_one_by_challenger on ladder_challenges (ladder_id, challenger_id)
    where status <> 'over';
create unique index ladder_challenges_one_by_defender on ladder_challenges (ladder_id, defender_id)
    where status <> 'over';
create unique index ladder_challenges_by_pairing on ladder_challenges (pairing_id) where pairing_id is not null;
create index ladder_challenges_due on ladder_challenges (answer_by) where status = 'open';
create index ladder_challenges_by_challenger on ladder_challenges (challenger_id, ladder_id, ended_at);
create index ladder_challenges_by_defender on ladder_challenges (defender_id, ladder_id, ended_at);
