-- Table talk: what people say beside the game, whom they keep away, what they note for themselves, and rematches.
-- Expands only. Keys lead with the match or the account, and none goes across to the tables of matches.

-- One row a room of a match, once something was said there: its numbers are given under this row, which stays locked until the commit, so that nobody
-- can read message 8 before message 7 is there.
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
    text      text,                              -- null: its author has deleted his account
    at        timestamptz not null,
    primary key (match_id, room, number)
);
-- How much somebody has said of late; all that he ever said, for his export and his deletion.
create index chat_messages_by on chat_messages (author_id, match_id, at);

-- What was reported to the operator, as it was then: it stays readable when the message does not.
create table chat_reports (
    match_id    uuid not null,
    room        text not null,
    number      integer not null,
    reporter_id uuid not null,
    author_id   uuid not null,
    text        text not null,
    reason      text not null,
    comment     text,                            -- null: none, or the reporter has deleted his account
    at          timestamptz not null,
    primary key (match_id, room, number, reporter_id)
);
create index chat_reports_at on chat_reports (at);
create index chat_reports_by on chat_reports (reporter_id);

-- Whom an account shuns: `mute` doesn't read him, `block` keeps him away altogether.
create table shuns (
    account_id uuid not null,
    kind       text not null,                    -- mute | block
    other_id   uuid not null,
    since      timestamptz not null,
    primary key (account_id, kind, other_id)
);
create index shuns_of on shuns (other_id, kind, account_id);

-- What somebody notes for himself beside a match. Nobody else reads this table.
create table match_notes (
    account_id uuid not null,
    match_id   uuid not null,
    revision   integer not null,                 -- counts how often it was written
    text       text not null,
    marks      jsonb not null,                   -- [{sea, cell, mark, colour}]
    changed_at timestamptz not null,
    primary key (account_id, match_id)
);

alter table challenges
    add column rematch_of   uuid,                -- the match that it repeats
    add column counter_wish text;                -- what the other seat is called unless its player wishes otherwise: a nation
create index challenges_rematch on challenges (rematch_of) where rematch_of is not null;
