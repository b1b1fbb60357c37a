drop index accounts_deleted_while_suspended, accounts_without_skeleton, accounts_by_skeleton;
alter table accounts drop column sign_in_warned_at, drop column username_skeleton;
