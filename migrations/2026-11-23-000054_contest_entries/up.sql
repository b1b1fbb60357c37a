-- How people get into a ladder or a tournament, and who sees it: the same for both.
alter table ladders add column entry text not null default 'open';              -- open | approval | invitation
alter table ladders add column visibility text not null default 'public';       -- public | private
alter table tournaments add column entry text not null default 'open';
alter table tournaments add column visibility text not null default 'public';

-- Who waits to get in: requests and invitations. Whoever has joined is no longer in it.
create table contest_entries (
    contest_id      uuid not null,                -- the ladder or the tournament
    account_id      uuid not null,
    kind            text not null,                -- ladder | tournament
    state           text not null,                -- requested | invited | declined | refused
    wanted_pairings smallint not null,            -- of a request to a ladder: how many pairings at once
    invited_by      uuid,                         -- the organizer who has invited
    at              timestamptz not null,         -- since when it is so
    primary key (contest_id, account_id)
);
create index contest_entries_by_account on contest_entries (account_id, contest_id);
create index contest_entries_by_inviter on contest_entries (invited_by) where invited_by is not null;
