drop table challenge_invitations;
