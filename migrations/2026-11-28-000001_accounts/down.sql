drop table pending_resignations, account_purges, token_mac_key, signing_keys, stream_tickets, access_tokens,
    page_cookies, refresh_tokens, sessions, account_roles, former_usernames, accounts;
