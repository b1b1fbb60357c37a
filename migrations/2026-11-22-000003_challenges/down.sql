drop table challenge_seats, challenges;
