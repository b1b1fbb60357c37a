-- Apps that an account has registered, so that those whom they ask see a name and an owner. Their client_id is
-- 'registered-' and the id.
create table registered_apps (
    id            uuid primary key,
    account_id    uuid not null references accounts (id),  -- the owner
    name          text not null,
    homepage      text not null,
    description   text not null,
    redirect_uris text[] not null,
    scopes        text[] not null,                         -- what it may ask for
    created_at    timestamptz not null,
    suspended_at  timestamptz                              -- since when the operator lets it get no grants
);
create index registered_apps_by_account on registered_apps (account_id, id);

-- What names of registered apps look like, by the SHA-256 of their skeletons. A name that is given up is kept from
-- others for a time.
create table registered_app_names (
    skeleton   bytea primary key,
    app_id     uuid,                                       -- which app has it; null: it was given up
    account_id uuid,                                       -- who may take it again; null: nobody before free_at
    free_at    timestamptz                                 -- when everybody may take it; null: an app has it
);
create index registered_app_names_by_app on registered_app_names (app_id) where app_id is not null;
create index registered_app_names_by_account on registered_app_names (account_id, free_at) where app_id is null;
create index registered_app_names_by_time on registered_app_names (free_at) where free_at is not null;

-- An app that goes takes everything with it that it was granted.
create index sessions_by_client on sessions (client_id) where client_id is not null and ended_at is null;
create index authorization_codes_by_client on authorization_codes (client_id);
create index device_codes_by_client on device_codes (client_id);
