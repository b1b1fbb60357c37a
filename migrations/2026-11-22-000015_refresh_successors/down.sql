alter table refresh_tokens drop column successor_salt;
