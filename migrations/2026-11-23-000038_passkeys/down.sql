alter table sessions drop column passkey_id;
drop table passkey_challenges;
drop table passkeys;
