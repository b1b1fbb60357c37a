alter table tournaments drop column min_account_age_days;
alter table ladders drop column min_account_age_days;
alter table ladders drop column max_rating;
alter table ladders drop column min_rating;
