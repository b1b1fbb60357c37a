//! Mail texts per kind of event of ladders and tournaments: for the subject, and above the lines.

use super::settings::MailTopic;
use super::topic_texts::Words;

/// Every kind, with its words in English and in French.
pub(super) const WORDS: &[(MailTopic, [Words; 2])] = &[
    (
        MailTopic::LadderChallengeReceived,
        [
            [
                "A challenge for your position: ",
                "# challenges for your positions",
                "You are challenged for your position on a ladder. If you don't answer in time, it goes to the challenger:",
            ],
            [
                "Un défi pour votre place : ",
                "# défis pour vos places",
                "On vous défie pour votre place sur une échelle. Si vous ne répondez pas à temps, elle revient à qui vous \
                 défie :",
            ],
        ],
    ),
    (
        MailTopic::LadderPairingMissed,
        [
            [
                "You have missed a pairing: ",
                "You have missed pairings of # ladders",
                "You have missed a pairing. If you miss the next one as well, you are paired there no more:",
            ],
            [
                "Vous avez manqué un appariement : ",
                "Vous avez manqué des appariements de # échelles",
                "Vous avez manqué un appariement. Si vous manquez aussi le suivant, on ne vous y apparie plus :",
            ],
        ],
    ),
    (
        MailTopic::TournamentBoardMissed,
        [
            [
                "You have missed a board: ",
                "You have missed boards of # tournaments",
                "You have missed a board. If you miss the next one as well, you are withdrawn from the tournament:",
            ],
            [
                "Vous avez manqué une partie : ",
                "Vous avez manqué des parties de # tournois",
                "Vous avez manqué une partie. Si vous manquez aussi la suivante, le tournoi continue sans vous :",
            ],
        ],
    ),
    (
        MailTopic::RoundDeadlineNear,
        [
            [
                "A round ends: ",
                "# rounds end",
                "The time of a round is nearly over, and you have games that go on. What becomes of them then is said \
                 by the tournament:",
            ],
            [
                "Une ronde se termine : ",
                "# rondes se terminent",
                "Le temps d'une ronde est presque écoulé et vos parties ne sont pas finies. Le tournoi dit ce qui leur \
                 arrive alors :",
            ],
        ],
    ),
    (
        MailTopic::RoundDrafted,
        [
            ["A round waits: ", "# rounds wait", "A round of a tournament that you run is drawn, and waits for you:"],
            ["Une ronde attend : ", "# rondes attendent", "Une ronde d'un de vos tournois est tirée et vous attend :"],
        ],
    ),
    (
        MailTopic::TournamentByeChanged,
        [
            ["Your bye: ", "# byes have changed", "A bye of yours has changed:"],
            ["Votre repos : ", "# repos ont changé", "Un de vos repos a changé :"],
        ],
    ),
    (
        MailTopic::TournamentEnteredLate,
        [
            ["You are in: ", "You are in # tournaments", "You have come into a tournament after its start:"],
            ["Vous en êtes : ", "Vous êtes dans # tournois", "Vous êtes entré dans un tournoi après son début :"],
        ],
    ),
    (
        MailTopic::RoundExtended,
        [
            [
                "A round lasts longer: ",
                "# rounds last longer",
                "The deadline of a round was moved, and you have games that go on:",
            ],
            [
                "Une ronde dure plus longtemps : ",
                "# rondes durent plus longtemps",
                "La date limite d'une ronde a changé et vos parties ne sont pas finies :",
            ],
        ],
    ),
    (
        MailTopic::TournamentStarted,
        [
            ["A tournament begins: ", "# tournaments begin", "Tournaments that have begun:"],
            ["Un tournoi commence : ", "# tournois commencent", "Tournois commencés :"],
        ],
    ),
    (
        MailTopic::RoundStarted,
        [
            ["A round begins: ", "# rounds begin", "Rounds that have begun:"],
            ["Une ronde commence : ", "# rondes commencent", "Rondes commencées :"],
        ],
    ),
    (
        MailTopic::LadderPositionChanged,
        [
            [
                "Another position on a ladder: ",
                "Other positions on # ladders",
                "Your position on a ladder has changed:",
            ],
            [
                "Une autre place sur une échelle : ",
                "D'autres places sur # échelles",
                "Votre place sur une échelle a changé :",
            ],
        ],
    ),
    (
        MailTopic::LadderMemberSetInactive,
        [
            [
                "You are paired no more: ",
                "You are paired no more on # ladders",
                "You have missed two pairings in a row, and are paired no more until you join again:",
            ],
            [
                "On ne vous apparie plus : ",
                "On ne vous apparie plus sur # échelles",
                "Vous avez manqué deux appariements de suite ; on ne vous apparie plus tant que vous ne revenez pas :",
            ],
        ],
    ),
    (
        MailTopic::TournamentWithdrawn,
        [
            ["You were withdrawn: ", "You were withdrawn from # tournaments", "You were withdrawn from a tournament:"],
            ["Un tournoi continue sans vous : ", "# tournois continuent sans vous", "Vous n'y jouez plus :"],
        ],
    ),
    (
        MailTopic::SeasonEndNear,
        [
            ["A season ends soon: ", "# seasons end soon", "Seasons that end soon:"],
            ["Une saison se termine : ", "# saisons se terminent", "Saisons qui se terminent bientôt :"],
        ],
    ),
    (
        MailTopic::SeasonEnded,
        [
            ["A season is over: ", "# seasons are over", "Seasons that are over:"],
            ["Une saison est terminée : ", "# saisons sont terminées", "Saisons terminées :"],
        ],
    ),
    (
        MailTopic::LadderClosed,
        [
            ["A ladder was closed: ", "# ladders were closed", "Ladders that were closed:"],
            ["Une échelle a été fermée : ", "# échelles ont été fermées", "Échelles fermées :"],
        ],
    ),
    (
        MailTopic::TournamentFinished,
        [
            ["A tournament is over: ", "# tournaments are over", "Tournaments that are over:"],
            ["Un tournoi est terminé : ", "# tournois sont terminés", "Tournois terminés :"],
        ],
    ),
    (
        MailTopic::TournamentCancelled,
        [
            [
                "A tournament was called off: ",
                "# tournaments were called off",
                "Called off; matches that have begun go on:",
            ],
            [
                "Un tournoi a été annulé : ",
                "# tournois ont été annulés",
                "Tournois annulés ; les parties commencées continuent :",
            ],
        ],
    ),
    (
        MailTopic::ContestInvited,
        [
            ["You are invited: ", "# invitations", "You are invited; join, or decline:"],
            ["On vous invite : ", "# invitations", "On vous invite ; inscrivez-vous, ou refusez :"],
        ],
    ),
    (
        MailTopic::ContestEntryAccepted,
        [
            [
                "Your request was accepted: ",
                "# of your requests were accepted",
                "Your request was accepted, and you are in:",
            ],
            [
                "Votre demande est acceptée : ",
                "# de vos demandes sont acceptées",
                "Votre demande est acceptée, vous en êtes :",
            ],
        ],
    ),
    (
        MailTopic::ContestEntryDeclined,
        [
            [
                "Your request was declined: ",
                "# of your requests were declined",
                "Your request was declined; your events say why, if a reason was given:",
            ],
            [
                "Votre demande est refusée : ",
                "# de vos demandes sont refusées",
                "Votre demande est refusée ; vos événements disent pourquoi, si une raison est donnée :",
            ],
        ],
    ),
    (
        MailTopic::ContestMemberRemoved,
        [
            [
                "You were removed: ",
                "You were removed from # contests",
                "An organizer has removed you; your events say why. Matches that have begun go on:",
            ],
            [
                "Vous êtes exclu : ",
                "Vous êtes exclu de # concours",
                "Un organisateur vous a exclu ; vos événements disent pourquoi. Les parties commencées continuent :",
            ],
        ],
    ),
    (
        MailTopic::ContestMemberWarned,
        [
            ["You are warned: ", "You are warned in # contests", "An organizer warns you; your events have the text:"],
            [
                "Un avertissement : ",
                "# avertissements",
                "Un organisateur vous avertit ; vos événements en ont le texte :",
            ],
        ],
    ),
    (
        MailTopic::ContestAnnounced,
        [
            ["An announcement: ", "# announcements", "Organizers have announced something:"],
            ["Une annonce : ", "# annonces", "Les organisateurs ont annoncé quelque chose :"],
        ],
    ),
    (
        MailTopic::ContestPaused,
        [
            ["A pause: ", "# pauses", "Paused; no clock of its matches runs, and your events say why:"],
            ["Une pause : ", "# pauses", "En pause ; aucune pendule n'y tourne, et vos événements disent pourquoi :"],
        ],
    ),
    (
        MailTopic::ContestResumed,
        [
            ["A pause is over: ", "# pauses are over", "The pause is over; clocks go on with what they had:"],
            ["Une pause est finie : ", "# pauses sont finies", "La pause est finie ; les pendules reprennent :"],
        ],
    ),
];
