alter table push_subscriptions drop column told_ahead, drop column waits_until, drop column seen;
