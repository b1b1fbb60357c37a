create index contest_log_by_actor on contest_log (actor_id);

-- Whose challenges an account takes: everybody | accounts (no guests) | played (who has played against it) | nobody
alter table accounts add column challenges_from text not null default 'everybody';

-- A report can be about more than messages, rule sets and profiles: `subject` says what, and `subject_id` which.
-- subject: challenge, substitution, contest, announcement or decision
alter table abuse_reports add column subject text;
alter table abuse_reports add column subject_id uuid;
alter table abuse_reports drop constraint abuse_reports_check;
alter table abuse_reports add constraint abuse_reports_check check (
    (subject is null) = (subject_id is null) and
    case when subject is not null
         then match_id is null and room is null and number is null and named_rule_set is null and username is null
         when match_id is not null
         then room is not null and number is not null and text is not null
              and named_rule_set is null and title is null and username is null
         when username is not null then room is null and number is null and named_rule_set is null
         else room is null and number is null and named_rule_set is not null end);
create unique index abuse_reports_of_others on abuse_reports (subject_id, reporter_id)
    where subject_id is not null and resolved_at is null;
