drop table pending_resignations, account_purges, signing_keys,
    access_tokens, refresh_tokens, sessions, account_roles, accounts;
