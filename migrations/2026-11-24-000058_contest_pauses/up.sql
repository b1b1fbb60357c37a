-- When ladders and tournaments are, or were, paused. until_at is when a pause is to end, and once it is over when it
-- did. The matches that go on are told by entries of their logs; members by events, once when it begins and once when
-- it is over.
create table contest_pauses (
    id             uuid primary key,
    contest_id     uuid not null,
    kind           text not null,                  -- ladder | tournament
    organizer_id   uuid,                           -- who has paused it
    reason         text,                           -- null: its author has deleted their account
    from_at        timestamptz not null,
    until_at       timestamptz not null check (from_at <= until_at),
    is_over        boolean not null default false,
    matches_told   boolean not null default false, -- all running matches know it as it is
    telling        text,                           -- paused | resumed: of what members are still to be told
    notified_up_to uuid                            -- the last member who was
);
create unique index contest_pauses_on on contest_pauses (contest_id) where not is_over;
create index contest_pauses_by_contest on contest_pauses (contest_id, from_at);
create index contest_pauses_by_organizer on contest_pauses (organizer_id);
create index contest_pauses_untold on contest_pauses (id) where not matches_told;
create index contest_pauses_to_tell on contest_pauses (id) where telling is not null;
