drop table mail_confirmations, mail_settings, webhook_deliveries, webhooks;
