drop table vapid_key;
drop table push_subscriptions;
