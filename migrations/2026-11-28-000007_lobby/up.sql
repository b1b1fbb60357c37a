-- Where matches come from: named rule sets, challenges, bots' offers to play, and substitutes for players who leave.

-- Rule sets that players have published under a title. They never change and are never deleted; a moderator can hide
-- the author's words. The author's name is that of the account, while it exists.
create table named_rule_sets (
    hash        text primary key,                -- SHA-256 of its canonical JSON (RFC 8785), in hexadecimal
    variant     text not null,                   -- the variant that it started from
    family      text not null,
    rule_set    jsonb not null,                  -- all parameters
    title       text not null,
    rules_text  text,                            -- the rules in the author's words, in Markdown
    -- Title and text as the service folds them for search, in lower case and without accents: the database's own
    -- lower() knows only the letters of its locale.
    words       text not null,
    creator_id  uuid not null references accounts (id),
    forked_from text references named_rule_sets (hash),
    created_at  timestamptz not null,
    hidden_at   timestamptz                      -- since then title and text are hidden; null: they are not
);
create index named_rule_sets_newest on named_rule_sets (created_at desc, hash desc);
create index named_rule_sets_by_creator on named_rule_sets (creator_id, created_at desc);
create index named_rule_sets_by_parent on named_rule_sets (forked_from) where forked_from is not null;
create index named_rule_sets_by_word on named_rule_sets using gin (to_tsvector('simple', words))
    where hidden_at is null;

-- The number of matches opened by a named rule set. The rows are narrow because each match rewrites one; the wide row
-- with the words, their search index and all parameters stays.
create table named_rule_set_counts (
    hash    text primary key references named_rule_sets (hash),
    matches integer not null
);
create index named_rule_set_counts_most_played on named_rule_set_counts (matches desc, hash desc);

-- Offers to play. A challenge past `expires_at` is expired even while its status is still `open`: readers compare the
-- time. The status becomes `expired` when the players have been notified.
create table challenges (
    id                      uuid primary key,
    creator_id              uuid not null references accounts (id),
    opponent_id             uuid references accounts (id), -- of a direct challenge
    variant                 text not null,
    named_rule_set          text,                -- null: a variant, with or without changes
    rule_set                jsonb not null,
    clock                   jsonb not null,
    rated                   boolean not null,
    spectators              boolean not null,    -- others may watch the match
    seats                   smallint not null,
    visibility              text not null,       -- open | direct | link
    min_reliability_percent smallint,            -- the least share of matches not lost on time; null: any
    opponent_preferred_name text,                -- the nation of the other seat, unless its player asks for another
    rematch_of              uuid,
    -- The source of the match's chance: 32 bytes, secret until the match is over. Its hash is shown from the beginning.
    chance_seed             bytea not null,
    message                 text,
    status                  text not null,       -- open | accepted | declined | withdrawn | expired
    reason                  text,                -- why it was declined or withdrawn
    match_id                uuid,                -- the match that started from it
    created_at              timestamptz not null,
    expires_at              timestamptz not null
);
create index challenges_open on challenges (id desc) where status = 'open' and visibility = 'open';
create index challenges_by_creator on challenges (creator_id, id desc);
create index challenges_by_opponent on challenges (opponent_id, id desc) where opponent_id is not null;
create index challenges_by_named_rule_set on challenges (named_rule_set, id desc) where named_rule_set is not null;
create index challenges_by_rematch on challenges (rematch_of) where rematch_of is not null;
create index challenges_expiring on challenges (expires_at) where status = 'open';

-- The seats that are taken: one player per seat, one seat per player.
create table challenge_seats (
    challenge_id   uuid not null references challenges (id) on delete cascade,
    seat           smallint not null,
    account_id     uuid not null references accounts (id),
    preferred_name text,                         -- the nation that the player asks for
    nonce          text,                         -- the player's part in the chance of the match
    primary key (challenge_id, seat),
    unique (challenge_id, account_id)
);
create index challenge_seats_by_account on challenge_seats (account_id, challenge_id);

-- Invited players who have not declined.
create table challenge_invitations (
    challenge_id uuid not null references challenges (id) on delete cascade,
    account_id   uuid not null references accounts (id),
    primary key (challenge_id, account_id)
);
create index challenge_invitations_by_account on challenge_invitations (account_id, challenge_id);

-- The challenges that a bot accepts. A bot renews its offer before it expires.
create table bot_offers (
    account_id   uuid primary key references accounts (id),
    level        text,                           -- easy | normal | strong; null: not given
    description  text,
    variants     text[],                         -- null: all of them
    custom_rules boolean not null,
    rated        boolean not null,
    max_seats    smallint not null,
    min_move_s   integer not null,
    max_matches  integer not null,               -- at a time
    expires_at   timestamptz not null
);

-- Requests for a substitute: one open request per seat.
create table substitutions (
    id           uuid primary key,
    match_id     uuid not null,
    seat         smallint not null,
    asked_by     text not null,                  -- the requester's right to ask: player | organizer | moderator
    requester_id uuid not null,
    player_id    uuid not null,                  -- in the seat
    named_id     uuid,                           -- the player who is asked; null: anybody can offer
    candidate_id uuid,
    -- open | proposed | completed | withdrawn | declined | refused | expired
    status       text not null,
    message      text,                           -- null: none, or its author has deleted their account
    created_at   timestamptz not null,
    due_at       timestamptz not null,           -- when it expires, or when silence counts as agreement
    closed_at    timestamptz
);
create unique index substitutions_open on substitutions (match_id, seat) where closed_at is null;
create index substitutions_by_match on substitutions (match_id, id desc);
create index substitutions_offered on substitutions (id desc) where status = 'open' and named_id is null;
create index substitutions_due on substitutions (due_at) where closed_at is null;
create index substitutions_by_requester on substitutions (requester_id);
create index substitutions_by_candidate on substitutions (candidate_id);
create index substitutions_by_named on substitutions (named_id);

-- Answers to a proposed candidate, by the other players of the match or those who decide for them.
create table substitution_answers (
    substitution_id uuid not null,
    account_id      uuid not null,
    agrees          boolean not null,
    at              timestamptz not null,
    primary key (substitution_id, account_id)
);
create index substitution_answers_by_account on substitution_answers (account_id);
