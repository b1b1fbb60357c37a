-- Accounts that run a ladder or a tournament together with its creator.
create table contest_organizers (
    contest_id uuid not null,                     -- the ladder or the tournament
    account_id uuid not null,
    kind       text not null,                     -- ladder | tournament
    leads      boolean not null,                  -- decides as the creator did, who has deleted their account
    named_at   timestamptz not null,
    primary key (contest_id, account_id)
);
create index contest_organizers_by_account on contest_organizers (account_id, contest_id);
