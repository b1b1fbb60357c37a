drop index tournaments_by_start;
drop index tournaments_by_words;
drop index ladders_by_words;
