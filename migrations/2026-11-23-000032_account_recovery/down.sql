drop index mail_settings_by_address;
alter table mail_settings drop column reset_mailed_at;
alter table mail_settings drop column reset_mails_since;
alter table mail_settings drop column reset_mails;
drop table security_notices;
drop table password_reset_requests;
drop table password_reset_links;
