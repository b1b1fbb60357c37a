drop table signing_keys, access_tokens, refresh_tokens, sessions, accounts;
