-- The running hash of each log: the first 16 bytes of SHA-256 over the hash before and the entry. For the first entry
-- the hash before is the chance seed of the match. A missing, exchanged or changed entry breaks every hash after it.
alter table match_log add column chain bytea not null check (length(chain) = 16);
