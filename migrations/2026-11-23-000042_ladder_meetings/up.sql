-- How often two members of a ladder meet and how soon again, what standings rank by, and how long challenges may keep
-- others from a place.

alter table ladders add column max_meetings smallint;           -- results of one pair in a season; null: any number
alter table ladders add column ranking text not null default 'sum';
alter table ladders add column ranking_results smallint;        -- how many results the ranking asks for; null: a sum
alter table ladders alter column ranking drop default;

-- Rating ladders have terms of their own now: what is usual with their clock.
update ladders set format_terms = (
    select jsonb_build_object(
        'relax_s', least(greatest(move_s / 24, 10), 2592000), 'no_return_s', least(move_s * 2, 7776000))
    from (select greatest(coalesce((clock ->> 'move_s')::bigint, 0), coalesce((clock ->> 'initial_s')::bigint, 0),
                          coalesce((clock ->> 'increment_s')::bigint, 0)) as move_s) as clock_of)
where format = 'rating';
update ladders set format_terms = '{"exclusive_s": 1209600, "open_s": 86400}'::jsonb || format_terms
where format = 'position';

-- In which season of its ladder the result of a pairing counts. Null: it counts for none, or isn't settled.
alter table pairings add column season integer;
update pairings as p set season = s.season from ladder_seasons as s
where p.kind = 'ladder' and s.ladder_id = p.contest_id and p.settled_at is not null
    and p.ended_at >= s.started_at and p.ended_at < coalesce(s.ended_at, 'infinity')
    and exists (select 1 from pairing_games as g join match_heads as h on h.match_id = g.match_id
                where g.pairing_id = p.id and h.status = 'finished')
    and not exists (select 1 from ladder_challenges as c where c.pairing_id = p.id and c.outcome = 'cancelled');
create index pairings_by_season on pairings (contest_id, season, id) where season is not null;

-- Who has met whom on a ladder: `low_id` is the lower of the two accounts. It follows from the pairings.
create table ladder_meetings (
    ladder_id uuid not null,
    low_id    uuid not null,
    high_id   uuid not null,
    season    integer not null,                                 -- in which the last one of them counts
    meetings  integer not null,                                 -- how many results the two have in that season
    last_at   timestamptz not null,                             -- when their last pairing was over, however it ended
    primary key (ladder_id, low_id, high_id)
);
create index ladder_meetings_recent on ladder_meetings (ladder_id, last_at);
create index ladder_meetings_by_low on ladder_meetings (low_id);
create index ladder_meetings_by_high on ladder_meetings (high_id);
with met as (
    select p.contest_id as ladder_id, a.account_id as low_id, b.account_id as high_id, p.season, p.ended_at
    from pairings as p join pairing_players as a on a.pairing_id = p.id
        join pairing_players as b on b.pairing_id = p.id and b.account_id > a.account_id
    where p.kind = 'ladder' and p.settled_at is not null and p.ended_at is not null
        and not exists (select 1 from ladder_challenges as c where c.pairing_id = p.id and c.outcome = 'cancelled')
), last as (
    select ladder_id, low_id, high_id, max(season) as season, max(ended_at) as last_at from met
    group by ladder_id, low_id, high_id
)
insert into ladder_meetings (ladder_id, low_id, high_id, season, meetings, last_at)
select ladder_id, low_id, high_id, coalesce(season, 1), (
    select count(*) from met where met.ladder_id = last.ladder_id and met.low_id = last.low_id
        and met.high_id = last.high_id and met.season = last.season), last_at
from last;

-- What standings rank by, as a number, and what decides between equal ones.
alter table ladder_standings add column games integer not null default 0;       -- with a result, of paired games each
alter table ladder_standings add column best_results smallint[] not null default '{}'; -- half points, the most first
alter table ladder_standings add column score bigint not null default 0;        -- in millionths of a point
alter table ladder_standings add column tie_break integer not null default 0;   -- the less, the better
update ladder_standings as s set score = half_points::bigint * 500000, tie_break = pairings, games = (
    select count(*) from pairings as p
        join pairing_players as a on a.pairing_id = p.id and a.account_id = s.account_id
        join pairing_games as g on g.pairing_id = p.id
        join match_heads as h on h.match_id = g.match_id and h.status = 'finished'
    where p.contest_id = s.ladder_id and p.season = s.season);
alter table ladder_standings alter column games drop default;
alter table ladder_standings alter column best_results drop default;
alter table ladder_standings alter column score drop default;
alter table ladder_standings alter column tie_break drop default;
drop index ladder_standings_order;
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-score), tie_break, (-won), since, account_id)
    include (score, won);

-- Since when one challenge after the other has kept others from a member's place, and until when the last one that is
-- over has done so. Null: nobody has challenged them.
alter table ladder_positions add column kept_since timestamptz;
alter table ladder_positions add column kept_until timestamptz;
update ladder_positions as p set kept_since = c.created_at from ladder_challenges as c
where c.ladder_id = p.ladder_id and c.defender_id = p.account_id and c.status <> 'finished';
update ladder_positions set kept_until = protected_until;

-- A place that has been kept from others for long can be challenged by several at once.
drop index ladder_challenges_one_by_defender;
create index ladder_challenges_running on ladder_challenges (ladder_id, defender_id, id) where status <> 'finished';
