alter table mail_settings drop column failure, drop column failed_at;
drop index named_rule_sets_by_word;
alter table named_rule_sets drop column words;
create index named_rule_sets_by_words on named_rule_sets
    using gin (to_tsvector('simple', title || ' ' || coalesce(rules_text, ''))) where hidden_at is null;
create index tournaments_by_words on tournaments
    using gin (to_tsvector('simple', title || ' ' || coalesce(description, '')));
create index ladders_by_words on ladders using gin (to_tsvector('simple', title || ' ' || coalesce(description, '')));
drop table contest_words;
