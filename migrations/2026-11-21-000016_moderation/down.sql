drop index chat_reports_open;
drop index chat_reports_id;
alter table chat_reports drop column id, drop column resolved_at, drop column resolution;
drop table forfeits;
drop index accounts_suspended;
alter table accounts drop column suspended_at, drop column suspended_until, drop column suspension_reason;
drop table moderation_actions;
drop table account_roles;
