-- Guests: accounts with a name and nothing else. A guest's password hash is one that no password has; a guest who gives
-- the account a password is none any more.
alter table accounts add column guest boolean not null default false;
create index accounts_guests on accounts (id) where guest;
