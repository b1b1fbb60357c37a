alter table authorization_codes drop column page_session_id;
alter table page_cookies drop column expires_at;
