alter table standing_orders drop column edited_revision;
