-- Named rule sets that were reported to the moderators, with a copy of title and text, which stays when their author
-- deletes the account. (The parameters never change.)
create table ruleset_reports (
    id             uuid primary key,
    named_rule_set text not null,                -- its hash
    reporter_id    uuid not null,
    author_id      uuid not null,
    title          text not null,                -- empty: its author had taken it along
    rules_text     text,
    reason         text not null,
    comment        text,                         -- null: none, or the reporter's account is deleted
    at             timestamptz not null,
    resolved_at    timestamptz,
    resolution     text,
    unique (named_rule_set, reporter_id)
);
create index ruleset_reports_by_time on ruleset_reports (at, id);
create index ruleset_reports_by_reporter on ruleset_reports (reporter_id);
create index ruleset_reports_open on ruleset_reports (at, id) where resolved_at is null;
