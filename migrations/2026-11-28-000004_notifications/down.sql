drop table vapid_key, push_subscriptions, mail_confirmations, mail_settings, webhook_deliveries, webhooks;
