drop index tournament_boards_due;
alter table tournament_boards
    drop column due_from,
    drop column due_extra_s,
    drop column due_at,
    drop column due_warn_at,
    drop column due_checked,
    drop column due_open;
