-- Cooperation of nodes, idempotency, down times and restores.

-- Leases of jobs. A node that doesn't renew its lease in time loses the job to another node.
create table job_leases (
    job      text primary key,
    holder   uuid not null,                      -- drawn by a node when it starts
    until_at timestamptz not null                -- by the database's clock
);

-- The last sign of life of the service, by the database's clock: one row for all nodes.
create table service_heartbeat (
    only_row boolean primary key default true constraint service_heartbeat_only_row check (only_row),
    beat_at  timestamptz not null
);

-- The signs of life of each node. A node that finds fewer than it remembers knows that commits are lost.
create table node_heartbeats (
    node    uuid primary key,
    beats   bigint not null,
    beat_at timestamptz not null
);

-- When players could not reach the service, so that no clock ran. Each live match learns of it by an entry of its log.
create table down_times (
    number     bigint generated always as identity primary key,
    from_at    timestamptz not null,
    until_at   timestamptz not null,
    noted_at   timestamptz not null,
    told_up_to uuid,                             -- the last match that knows of it
    all_told   boolean not null default false,
    constraint down_times_forward check (from_at < until_at)
);

-- The epoch of the logs: numbers of events, reports and messages are valid within one epoch only. A new one begins when
-- the database was restored or has lost commits, because numbers are then used again.
create table log_epoch (
    only_row    boolean primary key default true constraint log_epoch_only_row check (only_row),
    epoch       text not null constraint log_epoch_word check (epoch ~ '^[a-z2-9]{8}$'),
    home        text not null,                   -- where this row was written: cluster, database, table, transaction
    timeline    integer not null,                -- of the cluster's write-ahead log, when the row was written
    began_at    timestamptz not null,
    restored_at timestamptz,                     -- the last restore from a backup
    restored_to timestamptz                      -- the time of that backup
);

-- Facts that a restore from an older backup must not undo: deleted and suspended accounts, and every sign-in that was
-- revoked. Triggers note them, so that no way of revoking is forgotten. A node on the private cluster moves the rows
-- into a file beside the cluster.
create table revocations (
    number  bigint generated always as identity primary key,
    at      timestamptz not null default now(),  -- by the database's clock, as the time of a backup
    kind    text not null,
    subject uuid not null,
    details jsonb not null default '{}'
);

create function note_account_revocation() returns trigger language plpgsql as $$
begin
    if old.deleted_at is null and new.deleted_at is not null then
        -- Nothing else is kept of a deleted account.
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

-- The argument is the kind.
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

-- Responses kept for 24 hours under the Idempotency-Key of their request.
-- The key is not stored: `id` is a hash of it and of its owner, `fingerprint` is keyed with it, and `response` is
-- encrypted with it. The table alone reveals nothing (a response may hold fresh tokens, a request a password).
-- For an action in a match the log holds the response already: `match_id` and `seq` say where.
-- The oldest responses of an address go when all of its responses are larger than a limit.
create table idempotency_keys (
    id          bytea primary key,
    fingerprint bytea not null,                  -- of the request
    created_at  timestamptz not null,
    response    bytea,
    owner       bytea,                           -- keyed hash of the caller's address; null without `response`
    match_id    uuid,
    seq         integer
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
create index idempotency_keys_by_owner on idempotency_keys (owner, created_at) where owner is not null;
