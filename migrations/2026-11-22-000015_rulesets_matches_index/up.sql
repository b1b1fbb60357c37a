-- Matches are many: nobody has to wait while the index is built.
create index concurrently matches_by_named_rule_set on matches (named_rule_set, id desc) where named_rule_set is not null;
