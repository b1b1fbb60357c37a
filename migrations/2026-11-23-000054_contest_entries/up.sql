-- Who waits to get into a ladder or a tournament: requests and invitations. Whoever has joined is no longer in it. How
-- people get in, and who sees a contest, stands in its `entry_limits`.
create table contest_entries (
    contest_id      uuid not null,                -- the ladder or the tournament
    account_id      uuid not null,
    kind            text not null,                -- ladder | tournament
    state           text not null,                -- requested | invited | declined | refused | taken-back
    wanted_pairings smallint not null,            -- of a request to a ladder: how many pairings at once
    invited_by      uuid,                         -- the organizer who has invited
    at              timestamptz not null,         -- since when it is so
    primary key (contest_id, account_id)
);
create index contest_entries_by_account on contest_entries (account_id, contest_id);
create index contest_entries_by_inviter on contest_entries (invited_by) where invited_by is not null;
