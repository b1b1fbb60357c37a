-- A profile can be reported, too: the name as it was then, the club as title and the line about oneself as text. Once a
-- report is dealt with, the same player can be reported again: profiles change.
alter table abuse_reports add column username text;
alter table abuse_reports drop constraint abuse_reports_check;
alter table abuse_reports add constraint abuse_reports_check check (
    case when match_id is not null
         then room is not null and number is not null and text is not null
              and named_rule_set is null and title is null and username is null
         when username is not null then room is null and number is null and named_rule_set is null
         else room is null and number is null and named_rule_set is not null end);
create unique index abuse_reports_of_profiles on abuse_reports (author_id, reporter_id)
    where username is not null and resolved_at is null;
