drop table stream_tickets;
