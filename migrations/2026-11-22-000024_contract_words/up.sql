-- Words of the contract that are stored as they are sent: one word for one thing, before there is a first release.
-- Every line of an event begins with its kind, and what stands before a renamed field are ids and times.

create function pg_temp.renamed(lines text, kinds text, old text, new text) returns text language sql immutable as $$
    select regexp_replace(lines, '^((?:' || kinds || ') .*?)"' || old || '":', '\1"' || new || '":', 'gn')
$$;

update account_events set lines = pg_temp.renamed(lines, 'challenge-accepted|challenge-left|challenge-declined', 'by', 'player_id')
    where lines ~ 'challenge-(accepted|left|declined) ';
update account_events set lines = pg_temp.renamed(lines, 'challenge-received|ladder-challenge-received', 'from', 'challenger_id')
    where lines ~ 'challenge-received ';
update account_events set lines = pg_temp.renamed(lines, 'chat', 'from', 'author_id') where lines ~ '(?n)^chat ';
update account_events set lines = pg_temp.renamed(lines, 'round-started', 'opponent', 'opponent_id')
    where lines ~ 'round-started ';
update account_events set lines = pg_temp.renamed(lines, 'tournament-finished', 'place', 'rank')
    where lines ~ 'tournament-finished ';
update account_events set lines = pg_temp.renamed(lines, 'rating-changed', 'change', 'change_number')
    where lines ~ 'rating-changed ';
update account_events set lines = pg_temp.renamed(lines, 'deadline-near', 'left_s', 'time_left_s')
    where lines ~ 'deadline-near ';
update account_events
    set lines = pg_temp.renamed(pg_temp.renamed(lines, 'vacation-started', 'from', 'starts_at'), 'vacation-started', 'until', 'ends_at')
    where lines ~ 'vacation-started ';
update account_events
    set lines = pg_temp.renamed(pg_temp.renamed(lines, 'ladder-place-changed', 'from', 'from_position'), 'ladder-place-changed', 'to', 'to_position')
    where lines ~ 'ladder-place-changed ';

-- Kinds of events: in the logs, and in what webhooks and mail are asked for.
create function pg_temp.renamed_kind(kind text) returns text language sql immutable as $$
    select case kind
        when 'ladder-place-changed' then 'ladder-position-changed'
        when 'ladder-challenge-called-off' then 'ladder-challenge-cancelled'
        when 'standing-order-carried-out' then 'standing-order-executed'
        else kind
    end
$$;
update account_events
    set lines = regexp_replace(regexp_replace(regexp_replace(lines,
        '^ladder-place-changed "type":"ladder-place-changed"', 'ladder-position-changed "type":"ladder-position-changed"', 'gn'),
        '^ladder-challenge-called-off "type":"ladder-challenge-called-off"', 'ladder-challenge-cancelled "type":"ladder-challenge-cancelled"', 'gn'),
        '^standing-order-carried-out "type":"standing-order-carried-out"', 'standing-order-executed "type":"standing-order-executed"', 'gn')
    where lines ~ '(ladder-place-changed|ladder-challenge-called-off|standing-order-carried-out) ';
update webhooks set kinds = (select array_agg(pg_temp.renamed_kind(kind)) from unnest(kinds) as kind)
    where kinds && array['ladder-place-changed', 'ladder-challenge-called-off', 'standing-order-carried-out'];
update webhook_deliveries set kind = pg_temp.renamed_kind(kind) where kind <> pg_temp.renamed_kind(kind);

-- Words of columns: what has ended is `finished`, what was called off is `cancelled`.
drop index ladder_challenges_one_by_challenger;
drop index ladder_challenges_one_by_defender;
update ladder_challenges set status = 'finished' where status = 'over';
update ladder_challenges set outcome = 'cancelled' where outcome = 'called-off';
create unique index ladder_challenges_one_by_challenger on ladder_challenges (ladder_id, challenger_id)
    where status <> 'finished';
create unique index ladder_challenges_one_by_defender on ladder_challenges (ladder_id, defender_id)
    where status <> 'finished';
update tournament_boards set status = 'finished' where status = 'over';
update tournament_boards set status = 'cancelled' where status = 'dropped';
update mail_settings set digest = 'immediate' where digest = 'each';
update audit_log set kind = 'rule-set-hidden' where kind = 'ruleset-hidden';
update audit_log set kind = 'rule-set-unhidden' where kind = 'ruleset-shown';

-- Documents: whose seat it was, and the conditions and deployments in standing orders.
update rating_changes set participants = replace(participants::text, '"player":', '"player_id":')::jsonb;
update standing_orders
    set orders = replace(replace(replace(orders::text,
        '"type": "told"', '"type": "reported"'),
        '"type": "not-told"', '"type": "not-reported"'),
        '{"auto": true, "type": "deploy"}', '{"type": "deploy-auto"}')::jsonb
    where has_orders;
