drop index tournaments_by_named_rule_set, ladders_by_named_rule_set, challenges_by_named_rule_set;
alter table named_rule_sets add column matches integer not null default 0;
update named_rule_sets set matches = c.matches from named_rule_set_counts as c where c.hash = named_rule_sets.hash;
create index named_rule_sets_most_played on named_rule_sets (matches desc, hash desc);
drop table named_rule_set_counts;
