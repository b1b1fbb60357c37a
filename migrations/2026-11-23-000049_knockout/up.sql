-- What only one format of tournament is played by: of a round robin whether it is played twice, and all at once; of a
-- knockout its ties and the seeding. The ties themselves follow from the boards, so they have no table.

alter table tournaments add column format_terms jsonb not null default '{}';
update tournaments set format_terms = jsonb_build_object('twice', double_round_robin, 'at_once', all_rounds_at_once)
where format = 'round-robin';
alter table tournaments alter column format_terms drop default;
alter table tournaments drop column double_round_robin, drop column all_rounds_at_once;
