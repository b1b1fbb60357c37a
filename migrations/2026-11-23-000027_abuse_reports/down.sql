create table chat_reports (
    match_id    uuid not null,
    room        text not null,
    number      integer not null,
    reporter_id uuid not null,
    author_id   uuid not null,
    text        text not null,
    reason      text not null,
    comment     text,
    at          timestamptz not null,
    id          uuid not null default gen_random_uuid(),
    resolved_at timestamptz,
    resolution  text,
    primary key (match_id, room, number, reporter_id)
);
create index chat_reports_by_time on chat_reports (at);
create index chat_reports_by_reporter on chat_reports (reporter_id);
create unique index chat_reports_id on chat_reports (id);
create index chat_reports_open on chat_reports (at, id) where resolved_at is null;

create table ruleset_reports (
    id             uuid primary key,
    named_rule_set text not null,
    reporter_id    uuid not null,
    author_id      uuid not null,
    title          text not null,
    rules_text     text,
    reason         text not null,
    comment        text,
    at             timestamptz not null,
    resolved_at    timestamptz,
    resolution     text,
    unique (named_rule_set, reporter_id)
);
create index ruleset_reports_by_time on ruleset_reports (at, id);
create index ruleset_reports_by_reporter on ruleset_reports (reporter_id);
create index ruleset_reports_open on ruleset_reports (at, id) where resolved_at is null;

insert into chat_reports (match_id, room, number, reporter_id, author_id, text, reason, comment, at, id, resolved_at, resolution)
    select match_id, room, number, reporter_id, author_id, text, reason, comment, at, id, resolved_at, resolution
    from abuse_reports where match_id is not null;
insert into ruleset_reports (id, named_rule_set, reporter_id, author_id, title, rules_text, reason, comment, at, resolved_at, resolution)
    select id, named_rule_set, reporter_id, author_id, coalesce(title, ''), text, reason, comment, at, resolved_at, resolution
    from abuse_reports where named_rule_set is not null;
drop table abuse_reports;

update audit_log set kind = case when named_rule_set is null then 'chat-report-resolved' else 'ruleset-report-resolved' end
    where kind = 'abuse-report-resolved';
