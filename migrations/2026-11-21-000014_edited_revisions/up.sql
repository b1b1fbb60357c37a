-- Which revision of a list of standing orders its owner wrote last: so a request that is repeated, because its answer was lost, is told from one whose list came
-- about by carrying an order out.
alter table standing_orders add column edited_revision integer; -- null: not known
