drop index device_codes_by_client;
drop index authorization_codes_by_client;
drop index sessions_by_client;
drop table registered_app_names;
-- The version before would let apps act that nobody knows any more.
update sessions set ended_at = now() where client_id like 'registered-%' and ended_at is null;
delete from authorization_codes where client_id like 'registered-%';
delete from device_codes where client_id like 'registered-%';
drop table registered_apps;
