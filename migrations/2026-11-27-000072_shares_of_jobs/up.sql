-- Jobs that work for many owners give each of them a share.

alter table standing_orders
    add column share_owner uuid,               -- whose share of the job and budget of actions it takes: the account;
                                               -- of a guest, a keyed hash of the address, so that guests share
    add column executed_at timestamptz;        -- when an order of the list was last executed
update standing_orders set share_owner = account_id;
alter table standing_orders alter column share_owner set not null;

-- Changes of calendars that follow each other are planned together: up to when the account has used up its share of
-- plannings (a GCRA clock, src/calendar/store.rs).
alter table account_calendars add column replanned_until timestamptz;
