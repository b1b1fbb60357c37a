-- What bots say that they accept, until they have to say it again.
create table bot_offers (
    account_id   uuid primary key references accounts (id),
    level        text,                           -- easy | normal | strong; null: it doesn't say
    description  text,
    variants     text[],                         -- null: all of them
    custom_rules boolean not null,
    rated        boolean not null,
    max_seats    smallint not null,
    min_move_s   integer not null,
    max_matches  integer not null,               -- at a time
    expires_at   timestamptz not null
);
