-- What quotas count. The guests of one address share some: a keyed hash of the address, from the making of a guest
-- until it is a guest no more.
alter table accounts add column guest_origin bytea;
create index accounts_by_guest_origin on accounts (guest_origin) where guest_origin is not null;

-- What the notes on a match take, a hundred bytes for the row itself.
alter table match_notes add column bytes integer not null
    generated always as (100 + octet_length(text) + octet_length(marks::text)) stored;

alter table standing_orders add column bytes integer not null
    generated always as (octet_length(orders::text)) stored;

create index chat_messages_by_time on chat_messages (author_id, at);
