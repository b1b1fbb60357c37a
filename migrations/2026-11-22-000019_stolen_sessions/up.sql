-- The session in which a personal token was made: if that session was stolen, the token goes with it. Null: made at a
-- node of the version before.
alter table access_tokens add column session_id uuid;
-- Whether a refresh token was given a second time, because the one before it was repeated. Two may have it then, so it
-- can't be repeated itself.
alter table refresh_tokens add column given_again boolean not null default false;
