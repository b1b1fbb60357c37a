alter table audit_log drop column named_rule_set;
alter table tournaments drop column named_rule_set;
alter table ladders drop column named_rule_set;
alter table matches drop column named_rule_set;
alter table challenges drop column named_rule_set;
drop table named_rule_sets;
