-- The players whom the creator of a challenge has invited to its seats. Whoever declines is no longer in it.
create table challenge_invitations (
    challenge_id uuid not null references challenges (id) on delete cascade,
    account_id   uuid not null references accounts (id),
    primary key (challenge_id, account_id)
);
create index challenge_invitations_by_account on challenge_invitations (account_id, challenge_id);
