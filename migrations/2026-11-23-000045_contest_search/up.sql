-- What ladders and tournaments are searched by: words of title and description, and when tournaments start.
create index ladders_by_words on ladders using gin (to_tsvector('simple', title || ' ' || coalesce(description, '')));
create index tournaments_by_words on tournaments
    using gin (to_tsvector('simple', title || ' ' || coalesce(description, '')));
create index tournaments_by_start on tournaments (coalesce(started_at, starts_at));
