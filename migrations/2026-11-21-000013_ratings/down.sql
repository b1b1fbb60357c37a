drop table leaderboard_marks, rating_changes, ratings;
alter table match_seats drop column rating;
alter table matches drop column pool;
