drop table substitution_answers, substitutions, bot_offers, challenge_invitations, challenge_seats, challenges,
    named_rule_set_counts, named_rule_sets;
