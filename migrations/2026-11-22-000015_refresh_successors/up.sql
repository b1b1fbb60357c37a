-- A refresh token that was used is followed by one token only, which is computed from it and from this salt. So the
-- answer to a repetition needs no copy of the token. Null: not used yet, or used at a node of the version before.
alter table refresh_tokens add column successor_salt bytea;
