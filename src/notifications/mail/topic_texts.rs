//! What a mail says of each kind of events: in its subject, and above their lines.

use broadside_rules::card::Language;

use super::settings::MailTopic;

/// The beginning of a subject about one thing, the subject about several (`#` stands for how many), and the heading.
type Words = [&'static str; 3];

/// Every kind, with its words in English and in French.
const WORDS: [(MailTopic, [Words; 2]); 33] = [
    (
        MailTopic::YourTurn,
        [
            ["Your turn: ", "Your turn in # matches", "It is your turn:"],
            ["À vous de jouer : ", "À vous de jouer dans # parties", "C'est à vous de jouer :"],
        ],
    ),
    (
        MailTopic::DeadlineNear,
        [
            ["Your time runs out: ", "Your time runs out in # matches", "Your time runs out soon:"],
            ["Votre temps s'écoule : ", "Votre temps s'écoule dans # parties", "Votre temps sera bientôt écoulé :"],
        ],
    ),
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
        MailTopic::RoundExtended,
        [
            ["A round lasts longer: ", "# rounds last longer", "A round was extended, and games of yours go on:"],
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
        MailTopic::MatchStarted,
        [
            ["A match begins: ", "# matches begin", "Begun:"],
            ["Une partie commence : ", "# parties commencent", "Parties commencées :"],
        ],
    ),
    (
        MailTopic::MatchFinished,
        [
            ["A match is over: ", "# matches are over", "Over:"],
            ["Une partie est terminée : ", "# parties sont terminées", "Parties terminées :"],
        ],
    ),
    (
        MailTopic::SubstitutionRequested,
        [
            ["A seat is free: ", "Seats are free in # matches", "A substitute is looked for in a running match:"],
            [
                "Une place libre : ",
                "Places libres dans # parties",
                "On cherche un remplaçant dans une partie en cours :",
            ],
        ],
    ),
    (
        MailTopic::SubstitutionProposed,
        [
            ["A substitute: ", "Substitutes in # matches", "Somebody is ready to take over a seat. Agree, or object:"],
            ["Un remplaçant : ", "Remplaçants dans # parties", "Quelqu'un reprendrait une place. Acceptez, ou non :"],
        ],
    ),
    (
        MailTopic::SeatHandedOver,
        [
            ["A seat has changed hands: ", "Seats have changed hands in # matches", "A seat was handed over:"],
            ["Une place change de main : ", "# places changent de main", "Une place a été transmise :"],
        ],
    ),
    (
        MailTopic::ChallengeReceived,
        [["A challenge: ", "# challenges", "You are challenged:"], ["Un défi : ", "# défis", "On vous défie :"]],
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
    (
        MailTopic::Chat,
        [
            ["New messages: ", "New messages in # matches", "Somebody has written to you:"],
            ["Nouveaux messages : ", "Nouveaux messages dans # parties", "On vous a écrit :"],
        ],
    ),
    (
        MailTopic::SignInFailures,
        [
            [
                "Your account: ",
                "Your account",
                "Somebody may be guessing your password. If it wasn't you, choose one that you use nowhere else, and look \
                 at your sessions:",
            ],
            [
                "Votre compte : ",
                "Votre compte",
                "Quelqu'un cherche peut-être votre mot de passe. Si ce n'était pas vous, choisissez-en un qui ne sert \
                 nulle part ailleurs, et regardez vos sessions :",
            ],
        ],
    ),
    (
        MailTopic::SessionRevoked,
        [
            [
                "Your account: ",
                "Your account",
                "Somebody may have copied a token of yours. That session was ended, and the personal tokens that were \
                 made in it were revoked. If you don't know why, choose another password, and look at your sessions:",
            ],
            [
                "Votre compte : ",
                "Votre compte",
                "Quelqu'un a peut-être copié un de vos jetons. Cette session a été fermée, et les jetons personnels qui y \
                 ont été créés ont été révoqués. Si vous ne savez pas pourquoi, choisissez un autre mot de passe, et \
                 regardez vos sessions :",
            ],
        ],
    ),
];

fn words(language: Language, topic: MailTopic) -> Words {
    let found = WORDS.iter().find(|(known, _)| *known == topic);
    found.map(|(_, words)| words[language as usize]).unwrap_or_default()
}

/// The subject of a mail that begins with this kind of events, with these titles.
pub fn subject(language: Language, topic: MailTopic, about: &[&str]) -> String {
    let [one, many, _] = words(language, topic);
    match about {
        [only] => format!("{one}{only}"),
        _ => many.replace('#', &about.len().to_string()),
    }
}

/// The headline of a short notification about one event of this kind.
pub fn headline(language: Language, topic: MailTopic) -> &'static str {
    let [one, ..] = words(language, topic);
    one.trim_end_matches([' ', ':'])
}

/// The heading above the lines of this kind of events.
pub fn heading(language: Language, topic: MailTopic) -> &'static str {
    let [_, _, heading] = words(language, topic);
    heading
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn every_kind_has_words() {
        for topic in MailTopic::VARIANTS {
            for language in [Language::English, Language::French] {
                assert!(words(language, *topic).iter().all(|text| !text.is_empty()), "{topic:?}");
            }
        }
    }
}
