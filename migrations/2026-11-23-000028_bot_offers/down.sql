drop table bot_offers;
