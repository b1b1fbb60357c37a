drop table leaderboard_samples, adjudications, rating_changes, ratings;
