drop table token_mac_key;
