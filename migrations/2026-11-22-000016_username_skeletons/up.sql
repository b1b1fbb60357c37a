-- SHA-256 of what a name looks like: no two accounts have names that look alike. It stays when the account is deleted,
-- so nobody can take the name of somebody who has gone. Null: a job has yet to compute it, or the account was deleted
-- by the version before. (An index of its own: rows that were there before may be many, and all are null.)
alter table accounts add column username_skeleton bytea;
-- When the owner was last told of many wrong passwords.
alter table accounts add column sign_in_warned_at timestamptz;
create unique index accounts_by_skeleton on accounts (username_skeleton);
create index accounts_without_skeleton on accounts (id) where username_skeleton is null and deleted_at is null;

-- A suspended account that was deleted keeps its name until the suspension is over: a job removes it then.
create index accounts_deleted_while_suspended on accounts (suspended_until)
    where deleted_at is not null and suspended_at is not null;
