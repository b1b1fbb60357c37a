-- What lists are searched by. The names are compared byte by byte, whatever the database's collation is.
create index accounts_by_name on accounts (username_key text_pattern_ops) where deleted_at is null;
create index matches_by_pool on matches (pool, id desc) where pool is not null;
