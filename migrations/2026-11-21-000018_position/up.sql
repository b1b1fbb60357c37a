-- Position ladders: who stands where, the log of every step, and challenges for places.
-- Expands only. Nodes of the version before know no such ladders, and don't touch these tables.

-- Who stands where: 1 to n without gaps, changed by whoever has locked the ladder's row. It follows from the log of steps.
create table ladder_places (
    ladder_id       uuid not null,
    account_id      uuid not null,
    place           integer not null,
    active_at       timestamptz not null,             -- when something last came of a challenge of his, or he came, or he fell for being inactive
    look_at         timestamptz,                      -- when he may be inactive, at the earliest; null: never
    protected_until timestamptz,                      -- since he has held his place
    primary key (ladder_id, account_id)
);
create index ladder_places_order on ladder_places (ladder_id, place);
create index ladder_places_of_account on ladder_places (account_id);
create index ladder_places_look on ladder_places (look_at) where look_at is not null;

-- Every step, for ever: who came from which place to which, over whom, and why. The others' places follow from it.
create table ladder_moves (
    ladder_id    uuid not null,
    number       integer not null,                    -- from 1 without gaps
    at           timestamptz not null,
    account_id   uuid not null,
    from_place   integer,                             -- null: he has come to the ladder
    to_place     integer,                             -- null: he has left it
    reason       text not null,
    over_id      uuid,                                -- whose place he has taken, or to whom he has lost
    challenge_id uuid,
    pairing_id   uuid,
    primary key (ladder_id, number)
);

create table ladder_challenges (
    ladder_id        uuid not null,
    id               uuid not null,
    challenger_id    uuid not null,
    defender_id      uuid not null,
    challenger_place integer not null,                -- where the two stood when it was made
    defender_place   integer not null,
    status           text not null,                   -- open | accepted | over
    outcome          text,                            -- null: it isn't over
    made_at          timestamptz not null,
    answer_by        timestamptz not null,            -- at or before the end of the time for an answer: vacations may have moved that
    answered_at      timestamptz,
    pairing_id       uuid,
    ended_at         timestamptz,
    primary key (ladder_id, id)
);
-- One challenge of one's own, and one to oneself: kept by the ladder's lock, and here once more.
create unique index ladder_challenges_out on ladder_challenges (ladder_id, challenger_id) where status <> 'over';
create unique index ladder_challenges_in on ladder_challenges (ladder_id, defender_id) where status <> 'over';
create unique index ladder_challenges_pairing on ladder_challenges (pairing_id) where pairing_id is not null;
create index ladder_challenges_due on ladder_challenges (answer_by) where status = 'open';
create index ladder_challenges_by on ladder_challenges (challenger_id, ladder_id, ended_at);
create index ladder_challenges_to on ladder_challenges (defender_id, ladder_id, ended_at);
