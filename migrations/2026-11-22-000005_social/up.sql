-- Chat, blocks and mutes, and private notes. Keys begin with the match or the account.

-- One row per room of a match, from its first message on. A message takes its number under this row, which stays locked
-- until the commit, so that nobody can read message 8 before message 7 is there.
create table chat_rooms (
    match_id uuid not null,
    room     text not null,                      -- players | spectators
    newest   integer not null,                   -- the number of its newest message
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
-- For limits on how much an author writes, for their data export, and for their deletion.
create index chat_messages_by_author on chat_messages (author_id, match_id, at);

-- Messages that were reported to the moderators, with a copy of the text, which stays when the message goes.
create table chat_reports (
    match_id    uuid not null,
    room        text not null,
    number      integer not null,
    reporter_id uuid not null,
    author_id   uuid not null,
    text        text not null,
    reason      text not null,
    comment     text,                            -- null: none, or the reporter's account is deleted
    at          timestamptz not null,
    id          uuid not null default gen_random_uuid(),
    resolved_at timestamptz,
    resolution  text,
    primary key (match_id, room, number, reporter_id)
);
create index chat_reports_by_time on chat_reports (at);
create index chat_reports_by_reporter on chat_reports (reporter_id);
create unique index chat_reports_id on chat_reports (id);
create index chat_reports_open on chat_reports (at, id) where resolved_at is null;

-- Whom an account mutes (doesn't read) or blocks (doesn't meet).
create table account_blocks (
    account_id uuid not null,
    kind       text not null,                    -- mute | block
    other_id   uuid not null,
    created_at timestamptz not null,
    primary key (account_id, kind, other_id)
);
create index account_blocks_by_other on account_blocks (other_id, kind, account_id);

-- What a player notes beside a match. Nobody else reads it.
create table match_notes (
    account_id uuid not null,
    match_id   uuid not null,
    revision   integer not null,                 -- counts how often it was written
    text       text not null,
    marks      jsonb not null,                   -- [{sea, cell, mark, colour}]
    changed_at timestamptz not null,
    primary key (account_id, match_id)
);
