drop table device_codes;
drop table authorization_codes;
drop table page_cookies;
-- The version before would take the session of an app for one of its owner.
delete from sessions where client_id is not null;
alter table sessions drop column scopes;
alter table sessions drop column redirect_uri;
alter table sessions drop column client_id;
