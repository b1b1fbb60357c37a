-- Standing orders: what a seat shall do when its turn comes. Its owner's alone.
-- No column of another table says that there are any: an ordinary move reads and writes nothing here, whether a seat has orders or not.

-- One row a seat that has ever had some, until its match ends. It stays when the list is empty, so that no revision is ever given twice.
create table standing_orders (
    match_id   uuid not null,
    seat       smallint not null,
    account_id uuid not null,                    -- whose seat it is
    revision   integer not null,                 -- counts every change, the owner's and those of carrying out
    orders     jsonb not null,                   -- the list, as it goes out
    armed      boolean not null,                 -- whether the list holds anything
    least_s    integer,                          -- the delay that the owner asks for; null: the usual one
    most_s     integer,
    edited_at  timestamptz not null,             -- when the owner last changed it
    looked_seq integer,                          -- how long the log was when it was last worked out whether there is something to do
    due_at     timestamptz,                      -- when it is to be done; null: nothing as long as the log has `looked_seq` entries
    open_since timestamptz,                      -- the turn that is left to the player, since an order for it was dropped: when it began
    firing_seq integer,                          -- the number of the entry that is being written for this revision
    edited_revision integer,                     -- the revision that its owner wrote last: so a repeated request is told from a list that came about by carrying out
    primary key (match_id, seat)
) with (fillfactor = 60);
create index standing_orders_of_account on standing_orders (account_id);
