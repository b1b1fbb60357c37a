-- By when the games of a board have to be over, where a tournament has a time for its rounds: from when on it counts,
-- what an organizer has added, the deadline that follows (down times of the service move it), and when the players are
-- told that it is near (null: they have been). due_checked is the last down time that is counted in it. due_open: it is
-- still to be watched.

alter table tournament_boards
    add column due_from timestamptz,
    add column due_extra_s integer not null default 0,
    add column due_at timestamptz,
    add column due_warn_at timestamptz,
    add column due_checked bigint not null default 0,
    add column due_open boolean not null default false;
create index tournament_boards_due on tournament_boards (tournament_id) where due_open;
