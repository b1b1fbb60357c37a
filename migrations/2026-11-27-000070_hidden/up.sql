-- Accounts that were in the spectators' room of a match while it was running: they take no seat of it any more.
create table spectators_room_visits (
    account_id uuid not null,
    match_id   uuid not null,
    first_at   timestamptz not null,
    primary key (account_id, match_id)
);

-- One row per player and match, until the match ends: a substitute begins with none.
alter table standing_orders drop constraint standing_orders_pkey, add primary key (match_id, account_id);

-- One row per change, from `changed_at` on: that is later than the row for a vacation that was booked ahead.
alter table replanning_queue drop constraint replanning_queue_pkey, add primary key (account_id, changed_at);
create index replanning_queue_by_time on replanning_queue (changed_at);
