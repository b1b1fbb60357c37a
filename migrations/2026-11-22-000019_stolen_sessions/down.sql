alter table refresh_tokens drop column given_again;
alter table access_tokens drop column session_id;
