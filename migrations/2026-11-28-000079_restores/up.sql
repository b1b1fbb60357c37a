-- What has to be true after a restore from an older backup as well: accounts that are deleted or suspended, and
-- everything that no longer signs anybody in. Triggers note it, so that no way of doing it is forgotten. A node on the
-- private cluster writes the rows into a file beside the cluster, and deletes them here.
create table revocations (
    number bigint generated always as identity primary key,
    -- By the clock of the database, as the time of a backup is.
    at timestamptz not null default now(),
    kind text not null,
    subject uuid not null,
    details jsonb not null default '{}'
);

create function note_account_revocation() returns trigger language plpgsql as $$
begin
    if old.deleted_at is null and new.deleted_at is not null then
        -- Nothing that was noted of the account is kept, but that it is gone.
        delete from revocations where subject = new.id;
        insert into revocations (kind, subject) values ('account-deleted', new.id);
        return null;
    end if;
    if (old.suspended_at, old.suspended_until) is distinct from (new.suspended_at, new.suspended_until) then
        insert into revocations (kind, subject, details) values ('suspension', new.id, jsonb_build_object(
            'at', new.suspended_at, 'until', new.suspended_until, 'reason', new.suspension_reason));
    end if;
    if old.password_hash <> new.password_hash and not old.guest then
        insert into revocations (kind, subject, details)
        values ('password', new.id, jsonb_build_object('hash', new.password_hash));
    end if;
    return null;
end
$$;
create trigger note_revocation after update of deleted_at, suspended_at, suspended_until, password_hash on accounts
    for each row execute function note_account_revocation();

-- A row that is deleted, or a session that ends: its kind is the argument.
create function note_revocation() returns trigger language plpgsql as $$
begin
    insert into revocations (kind, subject) values (tg_argv[0], old.id);
    return null;
end
$$;
create trigger note_revocation after update of ended_at on sessions
    for each row when (old.ended_at is null and new.ended_at is not null)
    execute function note_revocation('session-ended');
create trigger note_revocation after delete on access_tokens
    for each row execute function note_revocation('token-revoked');
create trigger note_revocation after delete on passkeys
    for each row execute function note_revocation('passkey-removed');

create function note_role_revocation() returns trigger language plpgsql as $$
begin
    insert into revocations (kind, subject, details)
    values ('role-taken', old.account_id, jsonb_build_object('role', old.role));
    return null;
end
$$;
create trigger note_revocation after delete on account_roles
    for each row execute function note_role_revocation();

-- The last restore from a backup: when it was done, and the time of the backup.
alter table log_epoch add column restored_at timestamptz, add column restored_to timestamptz;

-- The SHA-256 of what all refresh tokens of the session have in common. After a restore the client may hold a token
-- that is newer than the backup: once, it may go on with that.
alter table sessions add column token_family bytea, add column may_rejoin boolean not null default false;
create index sessions_by_token_family on sessions (token_family) where token_family is not null;
