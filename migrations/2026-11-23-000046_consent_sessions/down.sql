alter table second_factors drop column begun_at;
alter table device_codes drop column page_session_id;
alter table authorization_codes alter column page_session_id drop not null;
