delete from abuse_reports where subject is not null;
drop index abuse_reports_of_others;
alter table abuse_reports drop constraint abuse_reports_check;
alter table abuse_reports add constraint abuse_reports_check check (
    case when match_id is not null
         then room is not null and number is not null and text is not null
              and named_rule_set is null and title is null and username is null
         when username is not null then room is null and number is null and named_rule_set is null
         else room is null and number is null and named_rule_set is not null end);
alter table abuse_reports drop column subject, drop column subject_id;

alter table accounts drop column challenges_from;

drop index contest_log_by_actor;
