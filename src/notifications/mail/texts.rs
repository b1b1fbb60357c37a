//! The texts of mails, in English and in French. The only values in them are players' names (letters, digits, `-` and
//! `_`), variants' titles, and times.

use broadside_rules::card::Language;

use super::settings::MailTopic;

/// The result of a match for the recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchResult {
    /// The recipient won.
    Won,
    /// The recipient lost.
    Lost,
    /// A draw.
    Drawn,
    /// The match was called off.
    CalledOff,
    /// The recipient's rank in a match of more than two players.
    Place(u32),
}

/// The title of a match: its variant and the opponents.
pub fn match_title(language: Language, title: &str, others: &[&str]) -> String {
    match language {
        Language::English => format!("{title} against {}", others.join(", ")),
        Language::French => format!("{title} contre {}", others.join(", ")),
    }
}

/// What stands for the title of a named rule set, which is a stranger's words: the title of the variant from which it
/// started, and that it is another game.
pub fn own_rules(language: Language, title: &str) -> String {
    match language {
        Language::English => format!("rules of a player's own, after {title}"),
        Language::French => format!("règles d'un joueur, d'après {title}"),
    }
}

/// The title of a challenge: its variant and the challenger.
pub fn challenge_title(language: Language, title: &str, from: &str) -> String {
    match language {
        Language::English => format!("{title}, from {from}"),
        Language::French => format!("{title}, de {from}"),
    }
}

/// The subject of a mail that begins with this kind of events, with these titles.
pub fn subject(language: Language, topic: MailTopic, about: &[&str]) -> String {
    let (one, many) = match (language, topic) {
        (Language::English, MailTopic::YourTurn) => ("Your turn: ", "Your turn in # matches"),
        (Language::English, MailTopic::DeadlineNear) => ("Your time runs out: ", "Your time runs out in # matches"),
        (Language::English, MailTopic::MatchStarted) => ("A match begins: ", "# matches begin"),
        (Language::English, MailTopic::MatchFinished) => ("A match is over: ", "# matches are over"),
        (Language::English, MailTopic::ChallengeReceived) => ("A challenge: ", "# challenges"),
        (Language::English, MailTopic::Chat) => ("New messages: ", "New messages in # matches"),
        (Language::English, MailTopic::SignInFailures | MailTopic::SessionRevoked) => {
            ("Your account: ", "Your account")
        }
        (Language::French, MailTopic::YourTurn) => ("À vous de jouer : ", "À vous de jouer dans # parties"),
        (Language::French, MailTopic::DeadlineNear) => {
            ("Votre temps s'écoule : ", "Votre temps s'écoule dans # parties")
        }
        (Language::French, MailTopic::MatchStarted) => ("Une partie commence : ", "# parties commencent"),
        (Language::French, MailTopic::MatchFinished) => ("Une partie est terminée : ", "# parties sont terminées"),
        (Language::French, MailTopic::ChallengeReceived) => ("Un défi : ", "# défis"),
        (Language::French, MailTopic::Chat) => ("Nouveaux messages : ", "Nouveaux messages dans # parties"),
        (Language::French, MailTopic::SignInFailures | MailTopic::SessionRevoked) => {
            ("Votre compte : ", "Votre compte")
        }
    };
    match about {
        [only] => format!("{one}{only}"),
        _ => many.replace('#', &about.len().to_string()),
    }
}

/// Appended to a subject: the mail is about other events as well.
pub fn and_more(language: Language) -> &'static str {
    match language {
        Language::English => ", and more",
        Language::French => ", et plus",
    }
}

/// The greeting line.
pub fn greeting(language: Language, reader: &str) -> String {
    match language {
        Language::English => format!("Hello {reader},\n"),
        Language::French => format!("Bonjour {reader},\n"),
    }
}

/// The heading above the lines of this kind of events.
pub fn heading(language: Language, topic: MailTopic) -> &'static str {
    match (language, topic) {
        (Language::English, MailTopic::YourTurn) => "It is your turn:",
        (Language::English, MailTopic::DeadlineNear) => "Your time runs out soon:",
        (Language::English, MailTopic::MatchStarted) => "Begun:",
        (Language::English, MailTopic::MatchFinished) => "Over:",
        (Language::English, MailTopic::ChallengeReceived) => "You are challenged:",
        (Language::English, MailTopic::Chat) => "Somebody has written to you:",
        (Language::English, MailTopic::SignInFailures) => {
            "Somebody may be guessing your password. If it wasn't you, choose one that you use nowhere else, and look at your sessions:"
        }
        (Language::English, MailTopic::SessionRevoked) => {
            "Somebody may have copied a token of yours. That session was ended, and the personal tokens that were made in it were revoked. If you don't know why, choose another password, and look at your sessions:"
        }
        (Language::French, MailTopic::YourTurn) => "C'est à vous de jouer :",
        (Language::French, MailTopic::DeadlineNear) => "Votre temps sera bientôt écoulé :",
        (Language::French, MailTopic::MatchStarted) => "Parties commencées :",
        (Language::French, MailTopic::MatchFinished) => "Parties terminées :",
        (Language::French, MailTopic::ChallengeReceived) => "On vous défie :",
        (Language::French, MailTopic::Chat) => "On vous a écrit :",
        (Language::French, MailTopic::SignInFailures) => {
            "Quelqu'un cherche peut-être votre mot de passe. Si ce n'était pas vous, choisissez-en un qui ne sert nulle part ailleurs, et regardez vos sessions :"
        }
        (Language::French, MailTopic::SessionRevoked) => {
            "Quelqu'un a peut-être copié un de vos jetons. Cette session a été fermée, et les jetons personnels qui y ont été créés ont été révoqués. Si vous ne savez pas pourquoi, choisissez un autre mot de passe, et regardez vos sessions :"
        }
    }
}

/// The headline of a short notification about this kind of events.
pub fn headline(language: Language, topic: MailTopic) -> &'static str {
    match (language, topic) {
        (Language::English, MailTopic::YourTurn) => "Your turn",
        (Language::English, MailTopic::DeadlineNear) => "Your time runs out soon",
        (Language::English, MailTopic::MatchStarted) => "A match begins",
        (Language::English, MailTopic::MatchFinished) => "A match is over",
        (Language::English, MailTopic::ChallengeReceived) => "You are challenged",
        (Language::English, MailTopic::Chat) => "New messages",
        (Language::English, MailTopic::SignInFailures | MailTopic::SessionRevoked) => "Look at your account",
        (Language::French, MailTopic::YourTurn) => "À vous de jouer",
        (Language::French, MailTopic::DeadlineNear) => "Votre temps sera bientôt écoulé",
        (Language::French, MailTopic::MatchStarted) => "Une partie commence",
        (Language::French, MailTopic::MatchFinished) => "Une partie est terminée",
        (Language::French, MailTopic::ChallengeReceived) => "On vous défie",
        (Language::French, MailTopic::Chat) => "Nouveaux messages",
        (Language::French, MailTopic::SignInFailures | MailTopic::SessionRevoked) => "Regardez votre compte",
    }
}

/// What happened to a session.
pub fn session_revoked(language: Language) -> &'static str {
    match language {
        Language::English => "a refresh token was used twice, and its session ended",
        Language::French => "un jeton de rafraîchissement a servi deux fois, et sa session a été fermée",
    }
}

/// How many wrong passwords were given.
pub fn sign_in_failures(language: Language, failures: u32) -> String {
    match language {
        Language::English => format!("{failures} wrong passwords within an hour"),
        Language::French => format!("{failures} mots de passe faux en une heure"),
    }
}

/// Appended to a turn: its deadline.
pub fn until(language: Language, deadline: Option<String>) -> String {
    match (language, deadline) {
        (Language::English, Some(deadline)) => format!(", until {deadline}"),
        (Language::English, None) => ", no time limit".to_owned(),
        (Language::French, Some(deadline)) => format!(", jusqu'au {deadline}"),
        (Language::French, None) => ", sans limite de temps".to_owned(),
    }
}

/// Appended to a finished match: its result.
pub fn result(language: Language, result: MatchResult) -> String {
    match (language, result) {
        (Language::English, MatchResult::Won) => ": you have won".to_owned(),
        (Language::English, MatchResult::Lost) => ": you have lost".to_owned(),
        (Language::English, MatchResult::Drawn) => ": a draw".to_owned(),
        (Language::English, MatchResult::CalledOff) => ": called off".to_owned(),
        (Language::English, MatchResult::Place(place)) => format!(": your place is number {place}"),
        (Language::French, MatchResult::Won) => " : vous avez gagné".to_owned(),
        (Language::French, MatchResult::Lost) => " : vous avez perdu".to_owned(),
        (Language::French, MatchResult::Drawn) => " : match nul".to_owned(),
        (Language::French, MatchResult::CalledOff) => " : annulée".to_owned(),
        (Language::French, MatchResult::Place(place)) => format!(" : vous terminez à la place {place}"),
    }
}

/// The line for entries beyond the limit.
pub fn more_lines(language: Language, rest: usize) -> String {
    match language {
        Language::English => format!("- and {rest} more\n"),
        Language::French => format!("- et {rest} de plus\n"),
    }
}

/// The footer of every mail: why it was sent, and how to unsubscribe.
pub fn footer(language: Language, unsubscribe: &str) -> String {
    match language {
        Language::English => format!(
            "\n-- \nYou get this because you asked for it; what you are written about, and when, is in your account's mail settings.\n\
             To get no more mail: {unsubscribe}\n"
        ),
        Language::French => format!(
            "\n-- \nVous recevez ce message parce que vous l'avez demandé ; les réglages du courrier de votre compte disent de quoi, et quand, on vous écrit.\n\
             Pour ne plus rien recevoir : {unsubscribe}\n"
        ),
    }
}

/// The subject and the text of the mail that confirms an address.
pub fn please_confirm(language: Language, reader: &str, link: &str) -> (&'static str, String) {
    match language {
        Language::English => (
            "Please confirm your address",
            format!(
                "Hello {reader},\n\nyou want mail about your games to come to this address. To confirm that, open this page within 48 hours and press its button:\n\n\
                 {link}\n\nIf it wasn't you who asked, do nothing: nothing more will come.\n"
            ),
        ),
        Language::French => (
            "Confirmez votre adresse",
            format!(
                "Bonjour {reader},\n\nvous souhaitez recevoir à cette adresse du courrier sur vos parties. Pour le confirmer, ouvrez cette page dans les 48 heures \
                 et appuyez sur son bouton :\n\n{link}\n\nSi la demande ne vient pas de vous, ne faites rien : rien d'autre ne viendra.\n"
            ),
        ),
    }
}
