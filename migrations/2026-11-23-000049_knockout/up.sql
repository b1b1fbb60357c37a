-- Knockouts: of how many boards a tie is the best, what follows a draw, the third place, the seeding. Their ties follow
-- from the boards, so they have no table. Null: another format.

alter table tournaments add column knockout jsonb;
