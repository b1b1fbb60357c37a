-- How many matches have been opened by a named rule set, in narrow rows of its own: each match rewrites one, and the
-- wide row with the words, their search index and all parameters stays as it is.
create table named_rule_set_counts (
    hash    text primary key references named_rule_sets (hash),
    matches integer not null
);
insert into named_rule_set_counts select hash, matches from named_rule_sets;
create index named_rule_set_counts_most_played on named_rule_set_counts (matches desc, hash desc);
drop index named_rule_sets_most_played;
alter table named_rule_sets drop column matches;

-- Lists by rule set.
create index challenges_by_named_rule_set on challenges (named_rule_set, id desc) where named_rule_set is not null;
create index ladders_by_named_rule_set on ladders (named_rule_set, id desc) where named_rule_set is not null;
create index tournaments_by_named_rule_set on tournaments (named_rule_set, id desc) where named_rule_set is not null;
