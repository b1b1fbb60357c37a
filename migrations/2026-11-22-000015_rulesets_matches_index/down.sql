drop index matches_by_named_rule_set;
