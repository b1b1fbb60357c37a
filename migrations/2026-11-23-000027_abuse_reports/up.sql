-- One list of reports to the moderators, whatever they are about. The words are copies, which stay when their author
-- takes them along.
create table abuse_reports (
    id             uuid primary key,
    reporter_id    uuid not null,
    author_id      uuid not null,                -- who has written the words
    match_id       uuid,                         -- of a message: its match, room and number
    room           text,
    number         integer,
    named_rule_set text,                         -- of a rule set: its hash
    title          text,                         -- of a rule set; null: its author had taken it along
    text           text,                         -- of the message or the rule set
    reason         text not null,
    comment        text,                         -- null: none, or the reporter's account is deleted
    at             timestamptz not null,
    resolved_at    timestamptz,
    resolution     text,
    check (case when match_id is null
           then room is null and number is null and named_rule_set is not null
           else room is not null and number is not null and text is not null and named_rule_set is null and title is null
           end)
);
create unique index abuse_reports_of_messages on abuse_reports (match_id, room, number, reporter_id)
    where match_id is not null;
create unique index abuse_reports_of_rule_sets on abuse_reports (named_rule_set, reporter_id)
    where named_rule_set is not null;
create index abuse_reports_by_time on abuse_reports (at, id);
create index abuse_reports_by_reporter on abuse_reports (reporter_id);
create index abuse_reports_open on abuse_reports (at, id) where resolved_at is null;

insert into abuse_reports (id, reporter_id, author_id, match_id, room, number, text, reason, comment, at, resolved_at, resolution)
    select id, reporter_id, author_id, match_id, room, number, text, reason, comment, at, resolved_at, resolution
    from chat_reports;
insert into abuse_reports (id, reporter_id, author_id, named_rule_set, title, text, reason, comment, at, resolved_at, resolution)
    select id, reporter_id, author_id, named_rule_set, nullif(title, ''), rules_text, reason, comment, at, resolved_at, resolution
    from ruleset_reports;
drop table chat_reports, ruleset_reports;

update audit_log set kind = 'abuse-report-resolved' where kind in ('chat-report-resolved', 'ruleset-report-resolved');
