-- Reports to the moderators, cases about players, and the audit log.

-- A report is about a message (match_id, room, number), a named rule set, a profile (username, with the club as title
-- and the bio as text), or another text (subject and subject_id). The words are copies: they stay when their author
-- deletes them.
create table abuse_reports (
    id             uuid primary key,
    reporter_id    uuid not null,
    author_id      uuid not null,                -- of the words
    match_id       uuid,
    room           text,
    number         integer,
    named_rule_set text,                         -- its hash
    username       text,                         -- as it was then
    subject        text,                         -- challenge | substitution | contest | announcement | decision | app
    subject_id     uuid,
    title          text,                         -- null: none, or its author had deleted it before
    text           text,
    reason         text not null,
    comment        text,                         -- null: none, or the reporter's account is deleted
    at             timestamptz not null,
    resolved_at    timestamptz,
    resolution     text,
    constraint abuse_reports_one_subject check (
        (subject is null) = (subject_id is null) and
        case when subject is not null
             then match_id is null and room is null and number is null and named_rule_set is null and username is null
             when match_id is not null
             then room is not null and number is not null and text is not null
                  and named_rule_set is null and title is null and username is null
             when username is not null then room is null and number is null and named_rule_set is null
             else room is null and number is null and named_rule_set is not null end)
);
create unique index abuse_reports_of_messages on abuse_reports (match_id, room, number, reporter_id)
    where match_id is not null;
create unique index abuse_reports_of_rule_sets on abuse_reports (named_rule_set, reporter_id)
    where named_rule_set is not null;
-- Profiles and other texts change: a player can report them again once the first report is resolved.
create unique index abuse_reports_of_profiles on abuse_reports (author_id, reporter_id)
    where username is not null and resolved_at is null;
create unique index abuse_reports_of_others on abuse_reports (subject_id, reporter_id)
    where subject_id is not null and resolved_at is null;
create index abuse_reports_by_time on abuse_reports (at, id);
create index abuse_reports_by_reporter on abuse_reports (reporter_id);
create index abuse_reports_open on abuse_reports (at, id) where resolved_at is null;

-- Cases about a player: evidence, a decision with its reason, and one appeal. A case is open until it is decided,
-- decided until `closes_at`, appealed while `closes_at` is null again, and closed from `closes_at` on.
create table cases (
    id                uuid primary key,
    contest_id        uuid,                      -- null: of the whole server, for moderators
    kind              text,                      -- ladder | tournament
    subject_id        uuid not null,             -- the player
    title             text not null,
    opened_by         uuid not null,
    opened_at         timestamptz not null,
    decision          text,
    reason            text,
    match_ids         uuid[] not null default '{}', -- of the decision
    ended_match       boolean not null default false, -- it has ended a live match
    until_at          timestamptz,               -- of a suspension; null: for good
    decided_by        uuid,
    decided_at        timestamptz,
    closes_at         timestamptz,
    appeal            text,                      -- null: none, or its author has deleted their account
    appealed_at       timestamptz,
    outcome           text,
    outcome_reason    text,
    remedy            text,                      -- what overturning has undone
    appeal_decided_by uuid,
    appeal_decided_at timestamptz,
    constraint cases_of_contests check ((contest_id is null) = (kind is null)),
    constraint cases_decided check ((decided_at is null) = (decision is null))
);
create index cases_by_contest on cases (contest_id, id);
create index cases_by_subject on cases (subject_id, id);
create index cases_by_closing on cases (closes_at) where closes_at is not null;

-- The file of a case: evidence as it was when it was added, and notes.
create table case_entries (
    id              uuid primary key,
    case_id         uuid not null references cases (id) on delete cascade,
    author_id       uuid not null,
    at              timestamptz not null,
    evidence        text,                        -- its kind; null: a note
    match_ids       uuid[] not null default '{}',
    pairing_id      uuid,
    abuse_report_id uuid,
    details         jsonb,
    text            text,                        -- of a note
    constraint case_entries_text check ((evidence is null) = (text is not null)),
    constraint case_entries_details check ((evidence is null) = (details is null))
);
create index case_entries_by_case on case_entries (case_id, id);
create index case_entries_by_author on case_entries (author_id) where text is not null;

-- Actions of moderators, organizers and the operator: one row each, written in the transaction of the action itself.
-- Rows are never updated or deleted.
create table audit_log (
    id             uuid primary key,             -- UUIDv7: in the order of time
    actor_id       uuid,                         -- null: the operator, by a command
    kind           text not null,
    account_id     uuid,                         -- the objects of the action: any number of these five
    match_id       uuid,
    ladder_id      uuid,
    tournament_id  uuid,
    named_rule_set text,
    reason         text not null,
    details        jsonb not null,
    at             timestamptz not null
);
create index audit_log_by_actor on audit_log (actor_id, id) where actor_id is not null;
create index audit_log_by_account on audit_log (account_id, id) where account_id is not null;
create index audit_log_by_match on audit_log (match_id, id) where match_id is not null;
create index audit_log_by_ladder on audit_log (ladder_id, id) where ladder_id is not null;
create index audit_log_by_tournament on audit_log (tournament_id, id) where tournament_id is not null;
create index audit_log_by_named_rule_set on audit_log (named_rule_set, id) where named_rule_set is not null;
