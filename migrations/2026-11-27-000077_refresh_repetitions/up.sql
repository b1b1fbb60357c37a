-- Whether a refresh token was given to two networks, because the one before it was repeated from another network.
alter table refresh_tokens rename column given_again to given_elsewhere;
