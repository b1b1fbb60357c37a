-- Cases about a player: what speaks for it, what was decided and why, and one appeal. A case is open until it is
-- decided, decided until closes_at, appealed while closes_at is null again, and closed from closes_at on.
create table cases (
    id                uuid primary key,
    contest_id        uuid,                          -- null: of the whole server, which moderators look after
    kind              text,                          -- ladder | tournament
    subject_id        uuid not null,
    title             text not null,
    opened_by         uuid not null,
    opened_at         timestamptz not null,
    decision          text,
    reason            text,
    match_ids         uuid[] not null default '{}',  -- that the decision was about
    ended_match       boolean not null default false, -- it has ended a match that was under way
    until_at          timestamptz,                   -- of a suspension; null: for good
    decided_by        uuid,
    decided_at        timestamptz,
    closes_at         timestamptz,
    appeal            text,                          -- null: none, or its author has deleted their account
    appealed_at       timestamptz,
    outcome           text,
    outcome_reason    text,
    remedy            text,                          -- what overturning has undone
    appeal_decided_by uuid,
    appeal_decided_at timestamptz,
    check ((contest_id is null) = (kind is null)),
    check ((decided_at is null) = (decision is null))
);
create index cases_by_contest on cases (contest_id, id);
create index cases_by_subject on cases (subject_id, id);
create index cases_by_closing on cases (closes_at) where closes_at is not null;

-- What stands in the file of a case: evidence as it was when it was added, and notes of those who look after it.
create table case_entries (
    id              uuid primary key,
    case_id         uuid not null references cases on delete cascade,
    author_id       uuid not null,
    at              timestamptz not null,
    evidence        text,                            -- its kind; null: it is a note
    match_ids       uuid[] not null default '{}',
    pairing_id      uuid,
    abuse_report_id uuid,
    details         jsonb,
    text            text,                            -- of a note
    check ((evidence is null) = (text is not null)),
    check ((evidence is null) = (details is null))
);
create index case_entries_by_case on case_entries (case_id, id);
create index case_entries_by_author on case_entries (author_id) where text is not null;
