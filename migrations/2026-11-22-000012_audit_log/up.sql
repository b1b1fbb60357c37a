-- What moderators, organizers and the operator have done: one row each, written in the transaction of the action
-- itself. Rows are never updated or deleted.
create table audit_log (
    id            uuid primary key,              -- UUIDv7: in the order of time
    actor_id      uuid,                          -- null: the operator, by a command
    kind          text not null,
    account_id    uuid,                          -- what it is about: any number of these four
    match_id      uuid,
    ladder_id     uuid,
    tournament_id uuid,
    reason        text not null,
    details       jsonb not null,
    at            timestamptz not null
);
create index audit_log_by_actor on audit_log (actor_id, id) where actor_id is not null;
create index audit_log_by_account on audit_log (account_id, id) where account_id is not null;
create index audit_log_by_match on audit_log (match_id, id) where match_id is not null;
create index audit_log_by_ladder on audit_log (ladder_id, id) where ladder_id is not null;
create index audit_log_by_tournament on audit_log (tournament_id, id) where tournament_id is not null;
