-- Accounts that are deleted, and whose log of events and whose words in the logs of others are still to be forgotten: written with the deletion, gone when
-- that is done, by whatever node.
create table farewells (
    account_id uuid primary key,
    since      timestamptz not null              -- when it was deleted
);
