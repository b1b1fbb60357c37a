-- The words that ladders and tournaments are found by: title and description as the service folds them, in lower case
-- and without accents. The database's own lower() knows only the letters of its locale.
create table contest_words (
    contest_id uuid primary key,
    words      text not null,
    ended_by   uuid                -- the organizer who has closed or cancelled the contest: the reason is theirs, and
                                   -- goes with their account; null: a moderator, or the service itself
);
insert into contest_words
    select id, lower(title || ' ' || coalesce(description, '')) from ladders
    union all select id, lower(title || ' ' || coalesce(description, '')) from tournaments;
create index contest_words_by_end on contest_words (ended_by) where ended_by is not null;
create index contest_words_by_word on contest_words using gin (to_tsvector('simple', words));
drop index ladders_by_words;
drop index tournaments_by_words;

-- The same for named rule sets: title and text.
drop index named_rule_sets_by_words;
alter table named_rule_sets add column words text;
update named_rule_sets set words = lower(title || ' ' || coalesce(rules_text, ''));
alter table named_rule_sets alter column words set not null;
create index named_rule_sets_by_word on named_rule_sets using gin (to_tsvector('simple', words))
    where hidden_at is null;

-- The last mail to the account that could not be delivered; null: none since one was, or since the address changed.
alter table mail_settings add column failed_at timestamptz, add column failure text;
