-- In which session of the pages somebody has consented: what was opened with a passkey ends with it, grants to apps
-- too.
delete from authorization_codes;
alter table authorization_codes alter column page_session_id set not null;
delete from device_codes where account_id is not null;
alter table device_codes add column page_session_id uuid; -- null: nobody has decided

-- A second factor that was begun is confirmed soon, or never.
delete from recovery_codes where account_id in (select account_id from second_factors where enabled_at is null);
delete from second_factors where enabled_at is null;
alter table second_factors add column begun_at timestamptz not null default now();
alter table second_factors alter column begun_at drop default;
