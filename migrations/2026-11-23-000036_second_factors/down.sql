drop table sign_in_challenges;
drop table recovery_codes;
drop table second_factors;
