-- Named rule sets: rule sets that players have published under a title. They never change and are never deleted; a
-- moderator can hide what its author has written. Their creator's name is that of the account, while there is one.

create table named_rule_sets (
    hash        text primary key,                -- SHA-256 of its canonical JSON (RFC 8785), in hexadecimal
    variant     text not null,                   -- the variant that it started from
    family      text not null,
    rule_set    jsonb not null,                  -- all parameters
    title       text not null,
    rules_text  text,                            -- the rules in its author's words, in Markdown
    creator_id  uuid not null references accounts (id),
    forked_from text references named_rule_sets (hash),
    created_at  timestamptz not null,
    matches     integer not null default 0,      -- how many matches have been opened by it
    hidden_at   timestamptz                      -- since when title and text are hidden; null: they are not
);
create index named_rule_sets_newest on named_rule_sets (created_at desc, hash desc);
create index named_rule_sets_most_played on named_rule_sets (matches desc, hash desc);
create index named_rule_sets_by_creator on named_rule_sets (creator_id, created_at desc);
create index named_rule_sets_by_parent on named_rule_sets (forked_from) where forked_from is not null;
-- Words as they are written, since texts are in any language.
create index named_rule_sets_by_words on named_rule_sets
    using gin (to_tsvector('simple', title || ' ' || coalesce(rules_text, ''))) where hidden_at is null;

-- The named rule set that is played; null: a variant, with or without changes.
alter table challenges add column named_rule_set text;
alter table matches add column named_rule_set text;
alter table ladders add column named_rule_set text;
alter table tournaments add column named_rule_set text;
create index matches_by_named_rule_set on matches (named_rule_set, id desc) where named_rule_set is not null;

-- The named rule set that an action of a moderator is about.
alter table audit_log add column named_rule_set text;
create index audit_log_by_named_rule_set on audit_log (named_rule_set, id) where named_rule_set is not null;
