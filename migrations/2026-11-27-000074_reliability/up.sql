-- Reliability, and the order of play after rated matches that were called off.

-- The accounts that answer for how the match has gone: their time ran out; of an aborted match, the player who called
-- it off. A substitute doesn't answer for time that others have used up, so seats don't say it.
alter table match_heads add column at_fault uuid[] not null default '{}';
update match_heads as h set at_fault = (select array_agg(s.account_id order by s.seat) from match_seats as s
        where s.match_id = h.match_id and h.timed_out >> s.seat & 1 = 1)
    where timed_out <> 0;
alter table match_heads drop column timed_out;
-- Whether a moderator has annulled it: then it leaves no trace in reliability.
alter table match_heads add column annulled boolean not null default false;
update match_heads as h set annulled = true where exists (
    select 1 from rating_changes as c where h.match_id in (c.match_id, c.paired_match_id) and c.reason = 'annulment'
        and not exists (select 1 from rating_changes as l where l.match_id = c.match_id and l.revision > c.revision));
create index match_heads_called_off on match_heads (finished_at) where status = 'aborted' and at_fault <> '{}';

-- Who was to begin a rated match that was called off: its players have that place again in their next rated match by
-- the same rules.
create table kept_orders (
    match_id    uuid not null,                  -- the match that was called off
    account_id  uuid not null,
    opponent_id uuid not null,
    rules       text not null,                  -- the variant, or the hash of the named rule set
    begins      boolean not null,
    used_by     uuid,                           -- the match in which the player has it again; null: still to come
    primary key (match_id, account_id)
);
create index kept_orders_by_account on kept_orders (account_id, rules) where used_by is null;
create index kept_orders_by_use on kept_orders (used_by) where used_by is not null;
