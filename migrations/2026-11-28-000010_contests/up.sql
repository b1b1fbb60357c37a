-- Contests: ladders and tournaments, and the parts that both have. In tables for both, `contest_id` is the ladder or
-- the tournament, and `kind` says which: ladder | tournament.

-- The players whom a contest has brought together, in one match or in two.
create table pairings (
    id            uuid primary key,
    kind          text not null,
    contest_id    uuid not null,
    season        integer,                       -- of its ladder, in which the result counts; null: none, or not yet
    games         smallint not null,             -- 1, or 2 for paired games
    running_games smallint not null,
    opened_at     timestamptz not null,
    ended_at      timestamptz,                   -- the end of the last game
    settled_at    timestamptz                    -- when the contest has counted the result
);
create index pairings_by_contest on pairings (kind, contest_id, id);
create index pairings_by_season on pairings (contest_id, season, id) where season is not null;
create index pairings_to_settle on pairings (kind, id) where running_games = 0 and settled_at is null;

create table pairing_players (
    pairing_id uuid not null,
    number     smallint not null,                -- from 0; number 0 begins in the first game
    account_id uuid not null,
    primary key (pairing_id, number)
);
create index pairing_players_by_account on pairing_players (account_id, pairing_id);

create table pairing_games (
    pairing_id uuid not null,
    game       smallint not null,                -- from 1
    match_id   uuid not null,
    seats      smallint[] not null,              -- by seat: the player's number
    primary key (pairing_id, game)
);

-- Accounts that run a contest together with its creator.
create table contest_organizers (
    contest_id uuid not null,
    account_id uuid not null,
    kind       text not null,
    leads      boolean not null,                 -- has the creator's rights, because the creator's account is deleted
    named_at   timestamptz not null,
    primary key (contest_id, account_id)
);
create index contest_organizers_by_account on contest_organizers (account_id, contest_id);

-- Requests to join and invitations. The row goes when the player joins.
create table contest_entries (
    contest_id      uuid not null,
    account_id      uuid not null,
    kind            text not null,
    state           text not null,               -- requested | invited | declined | refused | taken-back
    wanted_pairings smallint not null,           -- of a request to a ladder: pairings at once
    invited_by      uuid,                        -- the organizer
    at              timestamptz not null,        -- of the last change
    primary key (contest_id, account_id)
);
create index contest_entries_by_account on contest_entries (account_id, contest_id);
create index contest_entries_by_inviter on contest_entries (invited_by) where invited_by is not null;

-- Players who can't join again.
create table contest_bars (
    contest_id uuid not null,
    account_id uuid not null,
    kind       text not null,
    barred_at  timestamptz not null,
    primary key (contest_id, account_id)
);
create index contest_bars_by_account on contest_bars (account_id);

-- Actions of organizers against members.
create table contest_log (
    id         uuid primary key,
    contest_id uuid not null,
    kind       text not null,
    action     text not null,                    -- removed | barred | bar-lifted | warned
    actor_id   uuid not null,                    -- the organizer
    account_id uuid not null,                    -- the member
    reason     text,
    at         timestamptz not null
);
create index contest_log_by_contest on contest_log (contest_id, id);
create index contest_log_by_actor on contest_log (actor_id);
create index contest_log_by_account on contest_log (account_id, contest_id);

create table contest_announcements (
    id             uuid primary key,
    contest_id     uuid not null,
    kind           text not null,
    author_id      uuid not null,
    text           text not null,
    at             timestamptz not null,
    notified_up_to uuid,                         -- the last notified member
    is_told        boolean not null default false -- all members are notified
);
create index contest_announcements_by_contest on contest_announcements (contest_id, id);
create index contest_announcements_by_author on contest_announcements (author_id);
create index contest_announcements_to_tell on contest_announcements (id) where not is_told;

-- The live matches learn of a pause by entries of their logs; members by events, once at its start and once at its end.
create table contest_pauses (
    id             uuid primary key,
    contest_id     uuid not null,
    kind           text not null,
    organizer_id   uuid,
    reason         text,                         -- null: its author has deleted their account
    from_at        timestamptz not null,
    until_at       timestamptz not null,         -- the planned end; once it is over, the real one
    is_over        boolean not null default false,
    matches_told   boolean not null default false, -- all live matches know of the latest change
    telling        text,                         -- the news that some members still lack: paused | resumed
    notified_up_to uuid,                         -- the last member who has it
    constraint contest_pauses_forward check (from_at <= until_at)
);
create unique index contest_pauses_on on contest_pauses (contest_id) where not is_over;
create index contest_pauses_by_contest on contest_pauses (contest_id, from_at);
create index contest_pauses_by_organizer on contest_pauses (organizer_id);
create index contest_pauses_untold on contest_pauses (id) where not matches_told;
create index contest_pauses_to_tell on contest_pauses (id) where telling is not null;

-- For search: title and description, folded as in `named_rule_sets`.
create table contest_words (
    contest_id uuid primary key,
    words      text not null,
    -- The organizer who has closed or cancelled it: the reason is theirs, and goes with their account. Null: a
    -- moderator, or the service itself.
    ended_by   uuid
);
create index contest_words_by_word on contest_words using gin (to_tsvector('simple', words));
create index contest_words_by_end on contest_words (ended_by) where ended_by is not null;

create table ladders (
    id                  uuid primary key,
    creator_id          uuid not null,
    official            boolean not null,        -- made by an organizer: it doesn't close for lack of members
    title               text not null,
    description         text,
    format              text not null,           -- rating | position
    format_terms        jsonb not null,          -- terms of this format alone
    variant             text not null,
    named_rule_set      text,                    -- null: a variant, with or without changes
    rule_set            jsonb not null,
    clock               jsonb not null,
    rated               boolean not null,
    paired_games        boolean not null,        -- a pairing is two games at once, each player begins one
    seats               smallint not null,
    audience            text not null,           -- everybody | humans | bots | separate
    entry_limits        jsonb not null,          -- how to join, for whom, and who sees it
    max_pairings        smallint not null,       -- the most pairings at once that a member may ask for
    max_meetings        smallint,                -- results of one pair in a season; null: any number
    ranking             text not null,
    ranking_results     smallint,                -- the number of results that the ranking asks for; null: a sum
    season_length_s     integer,                 -- null: no seasons
    division_size       integer,                 -- null: no divisions
    division_promotions integer,                 -- how many rise, and how many fall, at the end of a season
    created_at          timestamptz not null,
    season              integer not null,        -- the current one, from 1
    season_started_at   timestamptz not null,
    season_ends_at      timestamptz,
    check_at            timestamptz,             -- when to try pairing next; null: after the next change
    revision            integer not null,        -- counts changes that pairing depends on
    below_minimum_since timestamptz,             -- since then it has fewer than two active members
    closed_at           timestamptz,
    closed_reason       text
);
create index ladders_by_creator on ladders (creator_id, id desc);
create index ladders_by_named_rule_set on ladders (named_rule_set, id desc) where named_rule_set is not null;
create index ladders_season_end on ladders (season_ends_at) where closed_at is null and season_ends_at is not null;
create index ladders_due on ladders (check_at) where closed_at is null and check_at is not null;
create index ladders_below_minimum on ladders (below_minimum_since)
    where closed_at is null and not official and below_minimum_since is not null;

-- Members, also those who have left: their next pairing follows from these rows.
create table ladder_members (
    ladder_id         uuid not null,
    account_id        uuid not null,
    status            text not null,             -- active | inactive (missed too many pairings) | left
    section           text not null,             -- all | humans | bots: they are listed and paired apart
    division          integer not null,          -- from 1, the highest
    wanted_pairings   smallint not null,         -- pairings at once
    running_pairings  smallint not null,
    joined_at         timestamptz not null,      -- the last time
    waiting_since     timestamptz not null,      -- when they last joined, were paired, or had a pairing end
    missed            smallint not null,         -- consecutive pairings lost on time or aborted
    seat_balance      integer not null,          -- how much more often they sat early than late in the order
    recent_opponents  uuid[] not null,           -- the newest first
    current_opponents uuid[] not null,
    primary key (ladder_id, account_id)
);
create index ladder_members_by_account on ladder_members (account_id, ladder_id);
create index ladder_members_active on ladder_members (ladder_id, section, division) where status = 'active';

create table ladder_seasons (
    ladder_id  uuid not null,
    season     integer not null,
    started_at timestamptz not null,
    ends_at    timestamptz,                      -- as planned
    warn_at    timestamptz,                      -- when to warn members of its end; null: they were, or it has no end
    ended_at   timestamptz,                      -- null: it is the current one
    primary key (ladder_id, season)
);
create index ladder_seasons_warn on ladder_seasons (warn_at) where warn_at is not null;

-- The results of a member in a season. Rows of past seasons never change.
create table ladder_standings (
    ladder_id    uuid not null,
    season       integer not null,
    account_id   uuid not null,
    section      text not null,
    division     integer not null,
    half_points  integer not null,
    pairings     integer not null,               -- with a result
    games        integer not null,               -- with a result, of paired games each
    won          integer not null,
    drawn        integer not null,
    lost         integer not null,
    best_results smallint[] not null,            -- half points, the most first
    score        bigint not null,                -- the ranking, in millionths of a point
    tie_break    integer not null,               -- the less, the better
    since        timestamptz not null,           -- when the row began: the last tie-break, the earlier is first
    rank         integer,                        -- the final one; null: the season is not over
    primary key (ladder_id, season, account_id)
);
-- A rank is counted. An index on expressions is read alone, without the rows, only if it also has their columns.
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-score), tie_break, (-won), since, account_id)
    include (score, won);
-- A player's honours are read from their standings.
create index ladder_standings_by_account on ladder_standings (account_id, ladder_id, season);

-- Meetings of members of a ladder: `low_id` is the lower of the two accounts. It follows from the pairings.
create table ladder_meetings (
    ladder_id uuid not null,
    low_id    uuid not null,
    high_id   uuid not null,
    season    integer not null,                  -- in which their last meeting counts
    meetings  integer not null,                  -- results in that season
    last_at   timestamptz not null,              -- the end of their last pairing, however it ended
    primary key (ladder_id, low_id, high_id)
);
create index ladder_meetings_recent on ladder_meetings (ladder_id, last_at);
create index ladder_meetings_by_low on ladder_meetings (low_id);
create index ladder_meetings_by_high on ladder_meetings (high_id);

-- A work queue: news for all members of a ladder, a batch at a time.
create table ladder_announcements (
    id             uuid primary key,
    ladder_id      uuid not null,
    kind           text not null,                -- season-ended | ladder-closed
    season         integer not null,
    at             timestamptz not null,
    notified_up_to uuid                          -- the last notified account, in the order of accounts; null: none
);

-- The members of a position ladder, on positions from 1 without gaps. Every writer has locked the ladder's row.
-- It follows from the log of changes below.
create table ladder_positions (
    ladder_id       uuid not null,
    account_id      uuid not null,
    position        integer not null,
    active_at       timestamptz not null,        -- their last challenge with a result, when they joined, or when they
                                                 -- fell for being inactive
    check_at        timestamptz,                 -- when they may be inactive, at the earliest; null: never
    protected_until timestamptz,                 -- no challenges until then, after a defence
    -- Consecutive challenges have kept others from this position since the one time, and up to the other. Null: nobody
    -- has challenged them.
    kept_since      timestamptz,
    kept_until      timestamptz,
    primary key (ladder_id, account_id)
);
create index ladder_positions_order on ladder_positions (ladder_id, position);
create index ladder_positions_by_account on ladder_positions (account_id);
create index ladder_positions_due on ladder_positions (check_at) where check_at is not null;

-- The log of position ladders. The positions of the other members follow from it. Rows are never updated or deleted.
create table ladder_position_changes (
    ladder_id     uuid not null,
    number        integer not null,              -- from 1 without gaps
    at            timestamptz not null,
    account_id    uuid not null,
    from_position integer,                       -- null: they joined the ladder
    to_position   integer,                       -- null: they left it
    reason        text not null,
    opponent_id   uuid,                          -- whose position they took, or to whom they lost
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
    challenger_position integer not null,        -- when it was made
    defender_position   integer not null,
    status              text not null,           -- open | accepted | finished
    outcome             text,                    -- null: not over
    created_at          timestamptz not null,
    answer_by           timestamptz not null,    -- at or before the end: vacations may move that later
    answered_at         timestamptz,
    pairing_id          uuid,
    ended_at            timestamptz,
    primary key (ladder_id, id)
);
-- A member has one challenge at a time; a position that was kept for long can be challenged by several. The ladder's
-- lock ensures this as well.
create unique index ladder_challenges_one_by_challenger on ladder_challenges (ladder_id, challenger_id)
    where status <> 'finished';
create index ladder_challenges_running on ladder_challenges (ladder_id, defender_id, id) where status <> 'finished';
create unique index ladder_challenges_by_pairing on ladder_challenges (pairing_id) where pairing_id is not null;
create index ladder_challenges_due on ladder_challenges (answer_by) where status = 'open';
create index ladder_challenges_by_challenger on ladder_challenges (challenger_id, ladder_id, ended_at);
create index ladder_challenges_by_defender on ladder_challenges (defender_id, ladder_id, ended_at);

create table tournaments (
    id                   uuid primary key,
    creator_id           uuid not null,
    title                text not null,
    description          text,
    format               text not null,
    format_terms         jsonb not null,         -- terms of this format alone
    variant              text not null,
    named_rule_set       text,                   -- null: a variant, with or without changes
    rule_set             jsonb not null,
    clock                jsonb not null,
    rated                boolean not null,
    paired_games         boolean not null,       -- a board is two games at once, each player begins one
    rounds               smallint,               -- of a round robin: known when it has started
    audience             text not null,          -- everybody | humans | bots
    entry_limits         jsonb not null,         -- how to join, for whom, and who sees it
    min_players          smallint not null,
    max_players          smallint not null,
    registration_ends_at timestamptz,
    starts_at            timestamptz,            -- null: the organizer starts it
    -- When it starts by itself, or is cancelled for lack of players: `starts_at`, or 90 days after it was made.
    start_due_at         timestamptz not null,
    status               text not null,          -- open | running | finished | cancelled
    round                smallint not null,      -- the current one; 0: none yet
    players              smallint not null,      -- who have joined; after the start: who have started
    boards_left          smallint not null,      -- boards of the current rounds that are not over
    chance_seed          bytea not null,         -- starting numbers are drawn from it: secret until the start
    reason               text,                   -- why it was cancelled, or ended before its last round
    created_at           timestamptz not null,
    started_at           timestamptz,
    ended_at             timestamptz
);
create index tournaments_by_creator on tournaments (creator_id, id desc);
create index tournaments_by_status on tournaments (status, id desc);
create index tournaments_by_variant on tournaments (variant, id desc);
create index tournaments_by_format on tournaments (format, id desc);
create index tournaments_by_named_rule_set on tournaments (named_rule_set, id desc) where named_rule_set is not null;
create index tournaments_by_start on tournaments (coalesce(started_at, starts_at));
create index tournaments_to_start on tournaments (start_due_at, id) where status = 'open';
create index tournaments_to_advance on tournaments (id) where status = 'running' and boards_left = 0;

-- The row of a player who leaves before the start is deleted.
create table tournament_players (
    tournament_id     uuid not null,
    account_id        uuid not null,
    joined_at         timestamptz not null,
    starting_number   smallint,                  -- from 1; null until the start
    rating            integer,                   -- in the pool of its matches, at the start
    first_round       smallint,                  -- the first round they could be drawn into; null: the first of all
    finals_seed       smallint,                  -- of groups with finals; null: not drawn, or not in the finals
    missed            smallint not null,         -- consecutive boards lost on time
    withdrawn_at      timestamptz,
    withdrawn_round   smallint,                  -- the last round in which they were or could have been paired
    withdrawal_reason text,                      -- left | timed-out | account-deleted | account-suspended
    final_standing    jsonb,                     -- with tie-breaks
    primary key (tournament_id, account_id)
);
create index tournament_players_by_account on tournament_players (account_id, tournament_id);

-- The pairings of each round; their matches are in `pairings`. Rows are never deleted. Groups, finals and knockout ties
-- follow from the boards.
create table tournament_boards (
    tournament_id      uuid not null,
    round              smallint not null,
    board              smallint not null,        -- from 1
    first_player       smallint not null,        -- by starting number, as all below; begins (of paired games the first)
    second_player      smallint,                 -- null: a bye
    -- At a table of three to seven: all players in the order of the seats, and their places when it is over (0: one who
    -- had withdrawn before it began). Null at boards of two.
    table_seats        smallint[],
    table_places       smallint[],
    bye                text,                     -- why: requested | late-entry; null: left over by the draw, or no bye
    status             text not null,            -- planned | waiting (to be opened) | running | finished | cancelled
    pairing_id         uuid,                     -- null: nothing was opened, or not yet
    first_half_points  smallint,                 -- twice the points; null: not over, or without a result
    second_half_points smallint,
    unplayed           boolean not null,         -- a bye, or a win without play
    -- Of a tournament with a time for its rounds:
    due_from           timestamptz,              -- when the time begins to count
    due_extra_s        integer not null default 0, -- added by an organizer
    due_at             timestamptz,              -- the deadline that follows; down times of the service move it
    due_warn_at        timestamptz,              -- when to warn the players; null: they were
    due_checked        bigint not null default 0, -- the last down time that is counted in the deadline
    due_open           boolean not null default false, -- still to be watched
    ended_at           timestamptz,
    primary key (tournament_id, round, board)
);
create index tournament_boards_waiting on tournament_boards (tournament_id, round, board) where status = 'waiting';
create index tournament_boards_due on tournament_boards (tournament_id) where due_open;
create unique index tournament_boards_by_pairing on tournament_boards (pairing_id) where pairing_id is not null;

-- Byes of rounds that are not drawn. The draw turns the row into a board.
create table tournament_bye_requests (
    tournament_id uuid not null,
    account_id    uuid not null,
    round         smallint not null,
    half_points   smallint not null,
    granted_by    uuid,                          -- the organizer who asked for them; null: their own request
    asked_at      timestamptz not null,
    primary key (tournament_id, account_id, round)
);
create index tournament_bye_requests_by_account on tournament_bye_requests (account_id);

-- Rounds that an organizer looks at before they begin. `drawn` is the draw, `paired` the organizer's change of it; both
-- are {games: [[first, second], …], bye, out: [[number, half points], …]}.
create table tournament_drafts (
    tournament_id uuid not null,
    round         smallint not null,
    drawn         jsonb not null,
    drawn_at      timestamptz not null,
    release_at    timestamptz not null,          -- when it begins by itself
    paired        jsonb,
    paired_by     uuid,
    paired_at     timestamptz,
    reason        text,                          -- null: nothing was changed, or its author has deleted their account
    released_at   timestamptz,                   -- null: it waits
    primary key (tournament_id, round)
);
create unique index tournament_drafts_waiting on tournament_drafts (tournament_id) where released_at is null;
create index tournament_drafts_by_organizer on tournament_drafts (paired_by);
