-- The words of before.

create function pg_temp.renamed(lines text, kinds text, old text, new text) returns text language sql immutable as $$
    select regexp_replace(lines, '^((?:' || kinds || ') .*?)"' || old || '":', '\1"' || new || '":', 'gn')
$$;

update account_events set lines = pg_temp.renamed(lines, 'challenge-accepted|challenge-left|challenge-declined', 'player_id', 'by')
    where lines ~ 'challenge-(accepted|left|declined) ';
update account_events set lines = pg_temp.renamed(lines, 'challenge-received|ladder-challenge-received', 'challenger_id', 'from')
    where lines ~ 'challenge-received ';
update account_events set lines = pg_temp.renamed(lines, 'chat', 'author_id', 'from') where lines ~ '(?n)^chat ';
update account_events set lines = pg_temp.renamed(lines, 'round-started', 'opponent_id', 'opponent')
    where lines ~ 'round-started ';
update account_events set lines = pg_temp.renamed(lines, 'tournament-finished', 'rank', 'place')
    where lines ~ 'tournament-finished ';
update account_events set lines = pg_temp.renamed(lines, 'rating-changed', 'change_number', 'change')
    where lines ~ 'rating-changed ';
update account_events set lines = pg_temp.renamed(lines, 'deadline-near', 'time_left_s', 'left_s')
    where lines ~ 'deadline-near ';
update account_events
    set lines = pg_temp.renamed(pg_temp.renamed(lines, 'vacation-started', 'starts_at', 'from'), 'vacation-started', 'ends_at', 'until')
    where lines ~ 'vacation-started ';
update account_events
    set lines = pg_temp.renamed(pg_temp.renamed(lines, 'ladder-position-changed', 'from_position', 'from'), 'ladder-position-changed', 'to_position', 'to')
    where lines ~ 'ladder-position-changed ';

-- Kinds of events: in the logs, and in what webhooks and mail are asked for.
create function pg_temp.renamed_kind(kind text) returns text language sql immutable as $$
    select case kind
        when 'ladder-position-changed' then 'ladder-place-changed'
        when 'ladder-challenge-cancelled' then 'ladder-challenge-called-off'
        when 'standing-order-executed' then 'standing-order-carried-out'
        else kind
    end
$$;
update account_events
    set lines = regexp_replace(regexp_replace(regexp_replace(lines,
        '^ladder-position-changed "type":"ladder-position-changed"', 'ladder-place-changed "type":"ladder-place-changed"', 'gn'),
        '^ladder-challenge-cancelled "type":"ladder-challenge-cancelled"', 'ladder-challenge-called-off "type":"ladder-challenge-called-off"', 'gn'),
        '^standing-order-executed "type":"standing-order-executed"', 'standing-order-carried-out "type":"standing-order-carried-out"', 'gn')
    where lines ~ '(ladder-position-changed|ladder-challenge-cancelled|standing-order-executed) ';
update webhooks set kinds = (select array_agg(pg_temp.renamed_kind(kind)) from unnest(kinds) as kind)
    where kinds && array['ladder-position-changed', 'ladder-challenge-cancelled', 'standing-order-executed'];
update webhook_deliveries set kind = pg_temp.renamed_kind(kind) where kind <> pg_temp.renamed_kind(kind);

-- Words of columns: those of before.
drop index ladder_challenges_one_by_challenger;
drop index ladder_challenges_one_by_defender;
update ladder_challenges set status = 'over' where status = 'finished';
update ladder_challenges set outcome = 'called-off' where outcome = 'cancelled';
create unique index ladder_challenges_one_by_challenger on ladder_challenges (ladder_id, challenger_id)
    where status <> 'over';
create unique index ladder_challenges_one_by_defender on ladder_challenges (ladder_id, defender_id)
    where status <> 'over';
update tournament_boards set status = 'over' where status = 'finished';
update tournament_boards set status = 'dropped' where status = 'cancelled';
update mail_settings set digest = 'each' where digest = 'immediate';
update audit_log set kind = 'ruleset-hidden' where kind = 'rule-set-hidden';
update audit_log set kind = 'ruleset-shown' where kind = 'rule-set-unhidden';

-- Documents: whose seat it was, and the conditions and deployments in standing orders.
update rating_changes set participants = replace(participants::text, '"player_id":', '"player":')::jsonb;
update standing_orders
    set orders = replace(replace(replace(orders::text,
        '"type": "reported"', '"type": "told"'),
        '"type": "not-reported"', '"type": "not-told"'),
        '{"type": "deploy-auto"}', '{"auto": true, "type": "deploy"}')::jsonb
    where has_orders;
