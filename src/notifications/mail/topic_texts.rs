//! Mail texts per kind of event: for the subject, and above the lines.

use broadside_rules::card::Language;

use super::contest_topics;
use super::settings::MailTopic;

/// The beginning of a subject about one thing, the subject about several (`#` for their number), and the heading.
pub(super) type Words = [&'static str; 3];

/// The kinds about matches and the account, with their words in English and in French.
const WORDS: &[(MailTopic, [Words; 2])] = &[
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
        MailTopic::CaseDecided,
        [
            ["A decision about you: ", "# decisions about you", "A case is decided; your account says what and why:"],
            ["Une décision sur vous : ", "# décisions sur vous", "Un dossier est décidé ; votre compte dit pourquoi :"],
        ],
    ),
    (
        MailTopic::CaseAppealDecided,
        [
            ["Your appeal was decided: ", "# of your appeals were decided", "Your appeal was decided:"],
            ["Votre appel est décidé : ", "# de vos appels sont décidés", "Votre appel est décidé :"],
        ],
    ),
    (
        MailTopic::CaseAppealed,
        [
            ["An appeal: ", "# appeals", "A player has appealed; who hasn't made the decision answers:"],
            ["Un appel : ", "# appels", "Un joueur fait appel ; qui n'a pas pris la décision y répond :"],
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
    let found = WORDS.iter().chain(contest_topics::WORDS).find(|(known, _)| *known == topic);
    found.map(|(_, words)| words[language as usize]).unwrap_or_default()
}

/// The subject of a mail that begins with this kind of event, with these titles.
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

/// The heading above the lines of this kind of event.
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
