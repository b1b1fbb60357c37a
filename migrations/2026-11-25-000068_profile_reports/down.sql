delete from abuse_reports where username is not null;
drop index abuse_reports_of_profiles;
alter table abuse_reports drop constraint abuse_reports_check;
alter table abuse_reports drop column username;
alter table abuse_reports add constraint abuse_reports_check check (
    case when match_id is null
         then room is null and number is null and named_rule_set is not null
         else room is not null and number is not null and text is not null and named_rule_set is null and title is null
         end);
