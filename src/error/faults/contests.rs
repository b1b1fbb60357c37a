//! The faults of contests: obstacles to taking part, and to challenges.

use broadside_rules::illegal::Code;

use super::fault;

pub(super) const FAULTS: &[Code] = &[
    // Obstacles to joining a ladder or a tournament.
    fault(
        "registration-over",
        ["The registration is over", "Les inscriptions sont closes"],
        ["The tournament takes no more players.", "Le tournoi ne prend plus de joueurs."],
        ["Look for another one: GET /v1/tournaments.", "Cherchez-en un autre : GET /v1/tournaments."],
    ),
    fault(
        "tournament-full",
        ["The tournament is full", "Le tournoi est complet"],
        ["The tournament has as many players as it takes.", "Le tournoi a autant de joueurs qu'il en prend."],
        ["Look for another one: GET /v1/tournaments.", "Cherchez-en un autre : GET /v1/tournaments."],
    ),
    fault(
        "humans-only",
        ["For humans only", "Réservé aux humains"],
        [
            "It is for humans, and the account is marked as a program.",
            "C'est pour les humains, et le compte est marqué comme programme.",
        ],
        ["Look for one that programs may join.", "Cherchez-en un que les programmes peuvent rejoindre."],
    ),
    fault(
        "bots-only",
        ["For programs only", "Réservé aux programmes"],
        [
            "It is for programs, and the account isn't marked as one.",
            "C'est pour les programmes, et le compte n'est pas marqué comme tel.",
        ],
        [
            "Mark the account with PATCH /v1/account if it is one.",
            "Marquez le compte avec PATCH /v1/account si c'en est un.",
        ],
    ),
    fault(
        "rating-too-low",
        ["The rating is too low", "La cote est trop basse"],
        [
            "The account's rating is below the lowest that it takes.",
            "La cote du compte est sous la plus basse qui est admise.",
        ],
        ["Look for one with other limits.", "Cherchez-en un autre, avec d'autres limites."],
    ),
    fault(
        "rating-too-high",
        ["The rating is too high", "La cote est trop haute"],
        [
            "The account's rating is above the highest that it takes.",
            "La cote du compte est au-dessus de la plus haute qui est admise.",
        ],
        ["Look for one with other limits.", "Cherchez-en un autre, avec d'autres limites."],
    ),
    fault(
        "account-too-new",
        ["The account is too new", "Le compte est trop récent"],
        [
            "The account was made a shorter time ago than it asks for.",
            "Le compte a été créé depuis moins de temps qu'il n'est demandé.",
        ],
        ["Wait, or look for one with other limits.", "Attendez, ou cherchez-en un autre, avec d'autres limites."],
    ),
    fault(
        "barred",
        ["You can't join again", "Vous ne pouvez pas revenir"],
        [
            "An organizer has removed the account, and doesn't let it join again.",
            "Un organisateur a exclu le compte, et ne le laisse pas revenir.",
        ],
        ["Ask an organizer, or look for another one.", "Demandez à un organisateur, ou cherchez-en un autre."],
    ),
    fault(
        "plays-for-another",
        ["You play there for somebody else", "Vous y jouez pour quelqu'un d'autre"],
        [
            "The account is a substitute in a running match of the ladder or the tournament.",
            "Le compte est remplaçant dans une partie en cours du classement ou du tournoi.",
        ],
        ["Join when that match is over.", "Inscrivez-vous quand cette partie sera finie."],
    ),
    fault(
        "invitation-required",
        ["By invitation only", "Sur invitation seulement"],
        [
            "Only those can join whom an organizer has invited.",
            "Seuls ceux qu'un organisateur a invités peuvent s'inscrire.",
        ],
        ["Ask an organizer for an invitation.", "Demandez une invitation à un organisateur."],
    ),
    fault(
        "request-declined",
        ["Your request was declined", "Votre demande a été refusée"],
        [
            "An organizer has declined the request of the account less than seven days ago.",
            "Un organisateur a refusé la demande du compte il y a moins de sept jours.",
        ],
        ["Ask again later, or look for another one.", "Redemandez plus tard, ou cherchez-en un autre."],
    ),
    fault(
        "too-many-ladders",
        ["On too many ladders", "Sur trop d'échelles"],
        ["The account is on as many ladders as it may be.", "Le compte est sur autant d'échelles qu'il peut l'être."],
        ["Leave one first.", "Quittez-en une d'abord."],
    ),
    fault(
        "too-many-tournaments",
        ["In too many tournaments", "Dans trop de tournois"],
        [
            "The account is in as many tournaments as it may be.",
            "Le compte est dans autant de tournois qu'il peut l'être.",
        ],
        ["Wait until one ends, or leave one.", "Attendez que l'un finisse, ou quittez-en un."],
    ),
    fault(
        "bot-flag-changed",
        ["The mark has changed", "La marque a changé"],
        [
            "The account has a result in this season with the other mark (human or program).",
            "Le compte a un résultat de cette saison avec l'autre marque (humain ou programme).",
        ],
        ["Join when the next season begins.", "Inscrivez-vous quand la prochaine saison commence."],
    ),
    fault(
        "has-withdrawn",
        ["Withdrawn for good", "Retiré pour de bon"],
        [
            "The player has withdrawn from the tournament, and can't come back.",
            "Le joueur s'est retiré du tournoi, et ne peut pas revenir.",
        ],
        ["Look for another one: GET /v1/tournaments.", "Cherchez-en un autre : GET /v1/tournaments."],
    ),
    // Faults of a round paired by hand.
    fault(
        "unknown-number",
        ["Not a player of the round", "Pas un joueur de la ronde"],
        [
            "Nobody who is to be paired in this round has the number.",
            "Personne qui doit jouer cette ronde n'a ce numéro.",
        ],
        ["Use the starting numbers of the draft.", "Prenez les numéros de départ du projet."],
    ),
    fault(
        "named-twice",
        ["The player is named twice", "Le joueur est nommé deux fois"],
        ["The list names this player already.", "La liste nomme déjà ce joueur."],
        ["Name each player once.", "Nommez chaque joueur une fois."],
    ),
    fault(
        "missing-player",
        ["No place for a player", "Pas de place pour un joueur"],
        ["A player who is to be paired has no place in the round.", "Un joueur qui doit jouer n'a pas de place."],
        [
            "Put the player into a game, `bye` or `sitting_out`.",
            "Mettez le joueur dans une partie, `bye` ou `sitting_out`.",
        ],
    ),
    fault(
        "repeated-pair",
        ["They have met", "Ils se sont rencontrés"],
        ["The two have met in this tournament.", "Les deux se sont rencontrés dans ce tournoi."],
        [
            "Pair them otherwise, or send `allow_repeats` if it has to be.",
            "Appariez-les autrement, ou envoyez `allow_repeats` s'il le faut.",
        ],
    ),
    fault(
        "repeated-bye",
        ["A second point without play", "Un second point sans jouer"],
        ["The player had a point without play before.", "Le joueur a déjà eu un point sans jouer."],
        [
            "Give the bye to another player, or send `allow_repeats` if it has to be.",
            "Donnez le repos à un autre, ou envoyez `allow_repeats` s'il le faut.",
        ],
    ),
    // Reasons for fixed terms of a contest.
    fault(
        "fixed-by-now",
        ["It no longer changes", "Cela ne change plus"],
        [
            "The contest has come so far that this term of it no longer changes.",
            "Le concours est si avancé que cette condition ne change plus.",
        ],
        ["Leave the field out, or make another contest.", "Laissez ce champ de côté, ou faites un autre concours."],
    ),
    // Obstacles to challenging a member of a position ladder.
    fault(
        "not-above",
        ["Not above you", "Pas au-dessus de vous"],
        ["Only members who stand above can be challenged.", "On ne défie que les membres qui sont au-dessus de soi."],
        ["Choose another member.", "Choisissez un autre membre."],
    ),
    fault(
        "too-far-above",
        ["Too far above you", "Trop haut au-dessus de vous"],
        [
            "The member stands further above than the ladder's terms allow.",
            "Le membre est plus haut que les conditions de l'échelle ne le permettent.",
        ],
        ["Choose a member within `reach` places.", "Choisissez un membre à `reach` places au plus."],
    ),
    fault(
        "challenge-outstanding",
        ["You have a challenge already", "Vous avez déjà un défi"],
        [
            "A challenge of the caller's is under way on this ladder.",
            "Un défi de l'appelant est en cours sur cette échelle.",
        ],
        ["End that one first.", "Terminez-le d'abord."],
    ),
    fault(
        "opponent-challenged",
        ["They are being challenged", "On le défie déjà"],
        ["Somebody else is challenging the member at this moment.", "Quelqu'un d'autre défie le membre en ce moment."],
        [
            "Wait, until `open_to_all_at` at most, or choose another member.",
            "Attendez, jusqu'à `open_to_all_at` au plus, ou choisissez un autre membre.",
        ],
    ),
    fault(
        "opponent-challenges-you",
        ["They challenge you", "C'est lui qui vous défie"],
        ["The member is challenging the caller.", "Le membre défie l'appelant."],
        ["Answer their challenge first.", "Répondez d'abord à son défi."],
    ),
    fault(
        "opponent-protected",
        ["They are protected", "Il est protégé"],
        [
            "The member has held their place a short time ago, and is protected for a while.",
            "Le membre a défendu sa place il y a peu, et il est protégé pour un temps.",
        ],
        [
            "Wait, until `open_to_all_at` at most, or choose another member.",
            "Attendez, jusqu'à `open_to_all_at` au plus, ou choisissez un autre membre.",
        ],
    ),
    fault(
        "met-too-often",
        ["You have met as often as you may", "Vous vous êtes rencontrés assez souvent"],
        [
            "The two have met as often in this season as the ladder's terms allow.",
            "Vous vous êtes rencontrés dans cette saison aussi souvent que les conditions de l'échelle le permettent.",
        ],
        [
            "Choose another member, or wait for the next season.",
            "Choisissez un autre membre, ou attendez la prochaine saison.",
        ],
    ),
    fault(
        "rematch-too-soon",
        ["Too soon to meet again", "Trop tôt pour vous revoir"],
        [
            "The two have met, or a challenge between them was taken back, a short time ago.",
            "Vous vous êtes rencontrés, ou un défi entre vous a été retiré, il y a peu.",
        ],
        ["Wait, or choose another member.", "Attendez, ou choisissez un autre membre."],
    ),
];
