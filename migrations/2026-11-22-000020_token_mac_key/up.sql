-- The key of the checksum at the end of refresh tokens and personal tokens, by which a node recognises an invented one
-- without looking it up. Whoever has it can make the service look tokens up, and nothing else.
create table token_mac_key (
    only_row boolean primary key default true check (only_row),
    key      bytea not null                      -- 32 random bytes
);
