alter table refresh_tokens rename column given_elsewhere to given_again;
