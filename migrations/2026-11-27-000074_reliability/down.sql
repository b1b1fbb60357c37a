drop table kept_orders;
drop index match_heads_called_off;
alter table match_heads drop column annulled;
alter table match_heads add column timed_out integer not null default 0;
update match_heads as h set timed_out = coalesce((select sum(1 << s.seat) from match_seats as s
        where s.match_id = h.match_id and s.account_id = any (h.at_fault)), 0)
    where at_fault <> '{}' and status <> 'aborted';
alter table match_heads drop column at_fault;
