drop table mail_confirmations;
drop table mail_settings;
