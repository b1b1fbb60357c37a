-- Moderation: who may do more than a player, what such people have done, whom they have suspended, and which reports they have dealt with.
-- Expands only. A node of the version before lets a suspended account go on as before; it does not lose anything.

-- Roles are given by a command alone, and by nothing else.
create table account_roles (
    account_id uuid not null,
    role       text not null,                    -- moderator | organizer
    granted_at timestamptz not null,
    primary key (account_id, role)
);

-- What was done by people with a role, and by the operator: one row each, written in the transaction of what it is about. Nothing here is updated or deleted.
create table moderation_actions (
    id            uuid primary key,              -- UUIDv7: in the order of time
    actor_id      uuid,                          -- null: the operator, by a command
    kind          text not null,
    account_id    uuid,                          -- what it is about: one of these, or several
    match_id      uuid,
    ladder_id     uuid,
    tournament_id uuid,
    reason        text not null,
    details       jsonb not null,
    at            timestamptz not null
);
create index moderation_actions_by on moderation_actions (actor_id, id) where actor_id is not null;
create index moderation_actions_of_account on moderation_actions (account_id, id) where account_id is not null;
create index moderation_actions_of_match on moderation_actions (match_id, id) where match_id is not null;
create index moderation_actions_of_ladder on moderation_actions (ladder_id, id) where ladder_id is not null;
create index moderation_actions_of_tournament on moderation_actions (tournament_id, id) where tournament_id is not null;

-- An account is suspended from `suspended_at` on, until `suspended_until` (null: for good). It stands in the account's own row, since whoever lets it begin something
-- holds that row: so he sees a suspension that came before, and one that comes after waits for him.
alter table accounts
    add column suspended_at      timestamptz,
    add column suspended_until   timestamptz,
    add column suspension_reason text;
create index accounts_suspended on accounts (id) where suspended_at is not null;

-- Suspended accounts that forfeit, and whose running matches are still to be resigned.
create table forfeits (
    account_id uuid primary key,
    since      timestamptz not null
);

-- Reports of messages get a name of their own, and say whether somebody has dealt with them.
alter table chat_reports
    add column id          uuid not null default gen_random_uuid(),
    add column resolved_at timestamptz,
    add column resolution  text;
create unique index chat_reports_id on chat_reports (id);
create index chat_reports_open on chat_reports (at, id) where resolved_at is null;
