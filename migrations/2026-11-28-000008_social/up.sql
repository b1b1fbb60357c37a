-- Chat, blocks and mutes, and private notes. Keys begin with the match or the account.

-- One row per room of a match, from its first message on. A message takes its number under this row, which stays locked
-- until the commit: nobody can read message 8 before message 7 is there.
create table chat_rooms (
    match_id uuid not null,
    room     text not null,                      -- players | spectators
    newest   integer not null,
    primary key (match_id, room)
);

create table chat_messages (
    match_id  uuid not null,
    room      text not null,
    number    integer not null,
    author_id uuid not null,
    text      text,                              -- null: the author's account is deleted
    at        timestamptz not null,
    primary key (match_id, room, number)
);
-- For the author's limits, data export and deletion.
create index chat_messages_by_author on chat_messages (author_id, match_id, at);
create index chat_messages_by_time on chat_messages (author_id, at);

-- Accounts that were in the spectators' room of a live match: they can't take a seat in it.
create table spectators_room_visits (
    account_id uuid not null,
    match_id   uuid not null,
    first_at   timestamptz not null,
    primary key (account_id, match_id)
);

-- An account doesn't read the players it mutes, and doesn't meet those it blocks.
create table account_blocks (
    account_id uuid not null,
    kind       text not null,                    -- mute | block
    other_id   uuid not null,
    created_at timestamptz not null,
    primary key (account_id, kind, other_id)
);
create index account_blocks_by_other on account_blocks (other_id, kind, account_id);

-- Followed players of an account.
create table follows (
    account_id uuid not null,
    other_id   uuid not null,
    created_at timestamptz not null,
    primary key (account_id, other_id)
);
create index follows_by_other on follows (other_id);

-- A player's private notes on a match.
create table match_notes (
    account_id uuid not null,
    match_id   uuid not null,
    revision   integer not null,                 -- counts changes
    text       text not null,
    marks      jsonb not null,                   -- [{sea, cell, mark, colour}]
    bytes      integer not null                  -- for the quota, with a hundred for the row itself
        generated always as (100 + octet_length(text) + octet_length(marks::text)) stored,
    changed_at timestamptz not null,
    primary key (account_id, match_id)
);
