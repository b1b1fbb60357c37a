drop index matches_by_pool;
drop index accounts_by_name;
