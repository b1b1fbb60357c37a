-- What organizers have done about members of their ladders and tournaments, who may not join again, and what was
-- announced to all members.
create table contest_bars (
    contest_id uuid not null,                     -- the ladder or the tournament
    account_id uuid not null,
    kind       text not null,                     -- ladder | tournament
    barred_at  timestamptz not null,
    primary key (contest_id, account_id)
);
create index contest_bars_by_account on contest_bars (account_id);

create table contest_log (
    id         uuid primary key,
    contest_id uuid not null,
    kind       text not null,                     -- ladder | tournament
    action     text not null,                     -- removed | barred | bar-lifted | warned
    actor_id   uuid not null,                     -- the organizer
    account_id uuid not null,                     -- the member
    reason     text,
    at         timestamptz not null
);
create index contest_log_by_contest on contest_log (contest_id, id);
create index contest_log_by_account on contest_log (account_id, contest_id);

create table contest_announcements (
    id             uuid primary key,
    contest_id     uuid not null,
    kind           text not null,                 -- ladder | tournament
    author_id      uuid not null,
    text           text not null,
    at             timestamptz not null,
    notified_up_to uuid,                          -- the last member who was told
    is_told        boolean not null default false -- all were
);
create index contest_announcements_by_contest on contest_announcements (contest_id, id);
create index contest_announcements_by_author on contest_announcements (author_id);
create index contest_announcements_to_tell on contest_announcements (id) where not is_told;
