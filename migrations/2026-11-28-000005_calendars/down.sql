drop table replanning_queue, account_vacations, account_calendars;
